"""
What a kernel states of the registers of its threads (PTX ISA 11.4.4, 11.4.5).

    croq.kernel @k .. attributes {min_blocks = 2, max_registers = 64}
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.targets.architecture import Architecture

MIN_BLOCKS = "min_blocks"
"""Blocks that a multiprocessor has to hold: the assembler saves registers for them."""

MAX_REGISTERS = "max_registers"
"""Registers that a thread may have at most; the rest is spilled."""

LEAST_REGISTERS = 16
"""With fewer ptxas gives up."""


@dataclass(frozen=True)
class LaunchBounds:
    """What the assembler is told."""

    blocks: int = 1
    registers: int | None = None


def launch_bounds(
    kernel: KernelOp, threads: int, entry_registers: int | None, target: Architecture
) -> LaunchBounds:
    """
    The bounds of a kernel with blocks of so many threads.

    Args:
        entry_registers: those that budgets of roles ask for at the start.

    Raises:
        CompileError: they cannot hold together.
    """
    blocks = _stated(
        kernel,
        MIN_BLOCKS,
        1,
        min(
            target.max_blocks_per_multiprocessor,
            target.max_threads_per_multiprocessor // threads,
        ),
        f"with {threads} threads in a block on {target.name}",
    )
    registers = _stated(
        kernel,
        MAX_REGISTERS,
        LEAST_REGISTERS,
        target.max_registers_per_thread,
        f"on {target.name}",
    )
    if registers is not None and entry_registers is not None:
        fail(
            kernel,
            f"must not have {MAX_REGISTERS} where roles have budgets, got {registers}",
            hint="budgets decide with how many registers threads start",
        )
    if registers is not None and blocks is not None:
        fail(
            kernel,
            f"must have one of {MIN_BLOCKS} and {MAX_REGISTERS}, got both",
            hint=f"{MIN_BLOCKS} leaves a thread as many registers as so many blocks do",
        )
    return LaunchBounds(blocks or 1, registers or entry_registers)


def _stated(
    kernel: KernelOp, name: str, least: int, most: int, where: str
) -> int | None:
    found = kernel.attributes.get(name)
    if found is None:
        return None
    if not isa(found, IntegerAttr) or not least <= found.value.data <= most:
        got = found.value.data if isa(found, IntegerAttr) else found
        fail(kernel, f"{name} must be {least} to {most} {where}, got {got}")
    return found.value.data
