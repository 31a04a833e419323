"""
Which copies `cp.async` can make: the rules, and which one a copy breaks.

A reason is `<rule>, got <value>`. PTX ISA, "cp.async".
"""

from __future__ import annotations

from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.dialects.croq import CopyAsyncOp, CopyOp, Space, tile_type
from croqtile_mlir.dialects.nvvm.copies import CP_ASYNC_SIZES
from croqtile_mlir.targets.architecture import Architecture


def why_not_cp_async(copy: CopyOp | CopyAsyncOp, target: Architecture) -> str | None:
    """The rule that keeps `cp.async` from making a copy; None when it can."""
    if not target.has("cp_async"):
        return f"target must have cp.async, got {target.name}"
    spaces = [tile_type(tile).memory_space for tile in (copy.source, copy.destination)]
    if spaces != [Space.Global, Space.Shared]:
        return (
            "must copy global to shared memory, got "
            f"{spaces[0].value} to {spaces[1].value}"
        )
    if copy.rearranges:
        return f"must copy elements in their order, got {copy.rearrangement.words}"
    if (cause := divergence(copy)) is not None:
        return f"must be executed by the whole scope, got one that {cause.name} divides"
    return None


def is_worth_cp_async(copy: CopyOp | CopyAsyncOp) -> bool:
    """Whether rows of the tile can be made of what `cp.async` copies at once."""
    inner = tile_type(copy.destination).dims[-1]
    size = tile_type(copy.source).element_bytes
    return isinstance(inner, int) and inner * size % min(CP_ASYNC_SIZES) == 0
