"""
Accumulators of wgmma: one 64 x n matrix in the registers of a warpgroup.

A chain of wgmma hands matrices on; registers are made of them only where they are used.
The elements that a register holds are those of `wgmma.accumulator_element`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.layouts.wgmma import WGMMA_ROWS, accumulator_element
from croqtile_mlir.simulator.actors import Transfer
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame
from croqtile_mlir.simulator.values import WARP, Array, Shared, spread

WARPGROUP = 128
"""Threads of a warpgroup."""


@dataclass(eq=False)
class Matrix:
    """The accumulator of one warpgroup after one wgmma: 64 x n, of f16, f32 or i32."""

    cols: int
    dtype: np.dtype[Any]
    op: Operation
    """The wgmma that makes it."""

    values: Array | None = None
    """Once the operation has landed."""

    operation: Transfer | None = None
    """Once all four warps have issued it."""

    epoch: int = 0
    """Of the operation's slot, when it had landed."""

    @property
    def registers(self) -> int:
        """Registers of a thread: two f16 share one."""
        return self.cols * WGMMA_ROWS * self.dtype.itemsize // 4 // WARPGROUP


@lru_cache(maxsize=128)
def _positions(
    registers: int, per_word: int, warp: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and words of the registers of a warp: arrays (registers, lanes)."""
    register, lane = np.indices((registers, WARP))
    row, col = accumulator_element(register * per_word, lane, np.full_like(lane, warp))
    return row, col // per_word


def _words(matrix: Array) -> tuple[Array, int]:
    """A matrix as 32-bit words, and the elements of a word."""
    if matrix.dtype.itemsize == 2:
        return matrix.view(np.int32), 2
    return matrix, 1


def fragment(matrix: Array, warp: int) -> Array:
    """The registers of a warp of the warpgroup: an array (registers, lanes)."""
    words, per_word = _words(matrix)
    return words[_positions(words.shape[1] // 2, per_word, warp)]


def put_fragment(matrix: Array, warp: int, registers: Sequence[Any]) -> None:
    """Set a warp's part of a matrix from its registers, each an array (lanes,)."""
    words, per_word = _words(matrix)
    where = _positions(words.shape[1] // 2, per_word, warp)
    words[where] = np.stack([spread(each, WARP, words.dtype) for each in registers])


@dataclass(eq=False)
class Accumulator(Shared):
    """What an agent holds of accumulators: those of its warpgroups."""

    matrices: tuple[Matrix, ...]
    first_warp: int
    """Of the agent, in the first warpgroup."""

    warps: int
    _registers: Array | None = field(default=None, init=False)

    def register(self, frame: Frame, op: Operation, index: int) -> Array:
        """One register in the lanes of the agent."""
        if self._registers is None:
            self._registers = self._read(frame, op)
        return self._registers[index]

    def registers(self, frame: Frame, op: Operation) -> tuple[Any, ...]:
        """All registers, as the members of the struct."""
        count = self.matrices[0].registers
        return tuple(self.register(frame, op, index) for index in range(count))

    def _read(self, frame: Frame, op: Operation) -> Array:
        parts: list[Array] = []
        for warp in range(self.first_warp, self.first_warp + self.warps):
            matrix = self.matrices[warp // 4]
            values = self._landed(frame, op, matrix)
            parts.append(fragment(values, warp % 4))
        return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]

    def _landed(self, frame: Frame, op: Operation, matrix: Matrix) -> Array:
        agent, operation = frame.agent, matrix.operation
        if (
            operation is None
            or not operation.landed
            or not agent.clock.saw(operation.slot, matrix.epoch)
        ):
            agent.engine.fault(
                FaultKind.ACCUMULATOR,
                op,
                f"{agent.name} uses an accumulator before it has waited for its "
                f"operation",
                notes=[(matrix.op, "the operation is here")],
                hint="`nvvm.wgmma.wait.group.sync.aligned` must come between",
            )
        if operation is not None and matrix.values is None:
            agent.engine.land(operation)
        if matrix.values is None:
            return np.zeros((WGMMA_ROWS, matrix.cols), matrix.dtype)
        return matrix.values
