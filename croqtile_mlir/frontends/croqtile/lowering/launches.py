"""What `[[launch_bounds(..)]]` and `[[maxnreg(n)]]` before a parallel state of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute

from croqtile_mlir.analysis.scopes import WARP_THREADS, block_threads, blocks_in
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import constants
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.lowering.launch_bounds import MAX_REGISTERS, MIN_BLOCKS


@dataclass(frozen=True)
class LaunchBounds:
    """The bounds of the outermost parallel."""

    node: ast.Parallel
    threads: int | None = None
    """The most that a block may have."""
    blocks: int | None = None
    """Those that a multiprocessor has to hold."""
    registers: int | None = None
    """The most that a thread may have."""

    def attributes(self) -> dict[str, Attribute]:
        """The attributes of the kernel."""
        found = {MIN_BLOCKS: self.blocks, MAX_REGISTERS: self.registers}
        return {
            name: IntegerAttr(value, i64)
            for name, value in found.items()
            if value is not None
        }


def state(ctx: Lowering, node: ast.Parallel) -> None:
    """Note what a parallel states."""
    if node.launch_bounds is None and node.max_registers is None:
        return
    if ctx.block_level is not None:
        ctx.fail(
            Kind.LevelNesting,
            node,
            "launch_bounds and maxnreg must be before the outermost parallel, got them "
            "inside a block",
        )
    bounds = node.launch_bounds or ()
    if node.launch_bounds is not None and not 1 <= len(bounds) <= 2:
        ctx.unsupported(
            node,
            f"launch_bounds with {len(bounds)} numbers",
            "its numbers are the threads of a block, and the blocks of a "
            "multiprocessor",
        )
    registers = node.max_registers
    numbers = [constants.integer(ctx, each, "a bound", 1) for each in bounds]
    ctx.parts.launch_bounds = LaunchBounds(
        node,
        numbers[0] if numbers else None,
        numbers[1] if len(numbers) > 1 else None,
        None if registers is None else constants.integer(ctx, registers, "a bound", 1),
    )


def check(ctx: Lowering, kernel: KernelOp) -> None:
    """Refuse a block that has more threads than its bounds say."""
    bounds = ctx.parts.launch_bounds
    if bounds is None or bounds.threads is None:
        return
    most = -(-bounds.threads // WARP_THREADS) * WARP_THREADS
    for block in blocks_in(kernel):
        threads = block_threads(block)
        if threads > most:
            ctx.reporter.error(
                Kind.ThreadCount,
                bounds.node.span,
                f"launch_bounds must be {threads} or more, the threads of a block, got "
                f"{bounds.threads}",
            )
