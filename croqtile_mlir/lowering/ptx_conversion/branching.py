"""What the rules for control flow share: bodies, registers of values, branches."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.dialects.ptx.control import (
    ConditionalBranchOp,
)
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
)


def last_op(block: Block) -> Operation:
    """The terminator of a block."""
    last = block.last_op
    assert last is not None
    return last


def convert_body(e: Emitter, block: Block) -> Operation:
    """Convert all ops of a block but its terminator, which is returned."""
    last = last_op(block)
    for op in block.ops:
        if op is not last:
            e.convert(op)
    e.source = last
    return last


def registers(e: Emitter, values: Sequence[SSAValue]) -> list[SSAValue]:
    """The registers of values of the source."""
    return [e.register(value) for value in values]


def branch(
    e: Emitter,
    condition: SSAValue,
    wanted: bool,
    target: Block,
    target_values: Sequence[SSAValue],
    next: Block,
    next_values: Sequence[SSAValue],
) -> None:
    """Jump to `target` if an i1 of the source is `wanted`, else go on to `next`."""
    predicate, negated = e.predicate(condition)
    e.emit(
        ConditionalBranchOp(
            predicate,
            target,
            target_values,
            next,
            next_values,
            negated=negated is wanted,
        )
    )
