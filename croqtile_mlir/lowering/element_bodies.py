"""The body of a computation for each element, emitted for one element."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.croq import ElementwiseOp, YieldOp
from croqtile_mlir.lowering.memo_builder import Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def emit_body(
    op: ElementwiseOp,
    builder: LocatedBuilder,
    elements: Sequence[SSAValue],
    at: Sequence[Value],
) -> SSAValue:
    """The element at `at` that the body makes of the elements of the inputs."""
    arguments = list(elements)
    if op.positions is not None:
        arguments += [
            builder.index(index) if isinstance(index, int) else index for index in at
        ]
    mapper: dict[SSAValue, SSAValue] = dict(
        zip(op.body.block.args, arguments, strict=True)
    )
    for inner in op.body.block.ops:
        if not isinstance(inner, YieldOp):
            builder.insert(inner.clone(mapper))
    return mapper.get(op.yielded, op.yielded)
