"""Which instruction makes the products of a kernel: `wgmma`, or `mma.sync` by warps."""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp
from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import kernel_of, scope_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import AccType, KernelOp, MmaExecOp, tile_type
from croqtile_mlir.layouts.fragments import MMA_COLS, MMA_ROWS
from croqtile_mlir.layouts.warp_grid import WarpGrid, warp_grid
from croqtile_mlir.targets.architecture import Architecture

Instruction = Literal["wgmma", "mma.sync"]

WARP_PRODUCTS = "warp_products"
"""
Attribute of a kernel whose products warps make, whatever the target.

Scopes need not be whole warpgroups then, nor accumulators multiples of 64 rows.
"""


def instruction_of(op: Operation, target: Architecture) -> Instruction:
    """
    The instruction of all products of the kernel that an op is in.

    `wgmma` where the target has it, every operand has elements of 16 bits (those of
    other types are multiplied by `mma.sync`), and the kernel has no `warp_products`.
    """
    kernel = op if isinstance(op, KernelOp) else kernel_of(op)
    if not target.has("wgmma") or WARP_PRODUCTS in kernel.attributes:
        return "mma.sync"
    for product in kernel.walk():
        if isinstance(product, MmaExecOp):
            element = tile_type(product.a).element_type
            if not isinstance(element, BFloat16Type | Float16Type):
                return "mma.sync"
    return "wgmma"


def target_around(op: Operation) -> Architecture:
    """The target of the module that an op is in."""
    parent: Operation = op
    while (around := parent.parent_op()) is not None:
        parent = around
    if not isinstance(parent, ModuleOp):
        fail(op, "must be in a module")
    return target_of(parent)


def grid_of(op: Operation, acc: AccType) -> WarpGrid:
    """
    How the warps that execute an op share an accumulator of `mma.sync`.

    A located error where no grid of warps divides it.
    """
    scope = scope_of(op)
    rows, cols = acc.shape
    found = warp_grid(scope.num_warps, rows, cols)
    if found is None:
        fail(
            op,
            f"must have rows and columns that {scope.num_warps} warps can share, "
            f"multiples of {MMA_ROWS} and {MMA_COLS} for each, got {rows}x{cols}",
            notes=[(scope.root, "the warps are those of this op")],
        )
    return found
