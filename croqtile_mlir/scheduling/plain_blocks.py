"""What scheduling passes ask of a block that nothing has divided yet."""

from __future__ import annotations

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ParallelOp, RoleOp


def check_no_roles(block: ParallelOp, name: str) -> None:
    """A located error for a block with roles; `name` is the pass that asks."""
    for op in block.body.block.ops:
        if isinstance(op, RoleOp):
            fail(
                block,
                "must have no roles yet, got one",
                notes=[(op, "the role is here")],
                hint=f"run --{name} before --warp-specialize",
            )
