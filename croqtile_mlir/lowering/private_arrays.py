"""Tiles of registers as arrays in local memory. Part of `--lower-views`."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.register_elements import register_tiles
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import KernelOp, tile_type
from croqtile_mlir.dialects.llvm_ext import AllocaOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_ALIGNMENT = 16
"""The most that an access asks for."""


def private_array(head: LocatedBuilder, root: SSAValue) -> SSAValue:
    """The array of a tile, made at the head of the block."""
    kind, owner = tile_type(root), root.owner
    assert isinstance(owner, Operation)
    dims = kind.static_dims
    if dims is None:
        fail(
            owner,
            f"must have constant extents, got {kind}",
            hint="run --bind-params first",
        )
    array = AllocaOp(head.i32(prod(dims)), kind.element_type, _ALIGNMENT)
    head.insert(array)
    array.location = owner.location
    array.res.name_hint = root.name_hint
    return array.res


def drop_private_tiles(kernel: KernelOp) -> None:
    """Erase the tiles whose accesses are those of arrays now."""
    for op in register_tiles(kernel):
        op.detach()
        op.erase()
