"""What a kernel relies on that only the launch can know, as checks on the kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail, location_of
from croqtile_mlir.dialects.croq import ChunkAtOp, KernelOp, SpanAsOp, ViewOp
from croqtile_mlir.launch_plan import MultipleCheck

CHECKS = "croq.checks"
"""The attribute of a kernel that holds checks for its launch plan."""


def keep_chunk_checks(kernel: KernelOp) -> None:
    """
    Keep a check for every dim of no known extent that is divided in chunks or split.

    The number of chunks must then be one that is known while compiling.
    """
    needed: dict[tuple[str, int], MultipleCheck] = {}

    def need(op: ViewOp, name: str, by: int) -> None:
        if kernel.dim_multiples.get(name, by) % by:
            place = location_of(op)
            where = str(place) if place.is_known else ""
            needed.setdefault((name, by), MultipleCheck(name, by, where))

    for op in kernel.walk():
        match op:
            case ChunkAtOp():
                for name, by in zip(op.source_type.dims, op.chunk_values, strict=True):
                    if isinstance(name, str) and isinstance(by, int):
                        need(op, name, by)
            case SpanAsOp():
                for name, by in op.needed_multiples:
                    need(op, name, by)
            case _:
                pass
    if not needed:
        return
    stated = kernel.attributes.get(CHECKS, ArrayAttr[Attribute](()))
    if not isa(stated, ArrayAttr[Attribute]):
        fail(kernel, f"attribute {CHECKS} must be an array, got {stated}")
    new = [check.write() for check in needed.values()]
    kernel.attributes[CHECKS] = ArrayAttr([*stated, *new])
