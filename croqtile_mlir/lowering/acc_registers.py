"""
The elements of accumulators in the registers of a thread.

A part of an accumulator is one struct: 64 rows of a warpgroup, or 16 rows and 8 columns
of a warp. Register r of it holds, counted from the first element of the thread, row
8 * (r / 2 mod 2) and column 8 * (r / 4) + r mod 2; in f16 two neighbours share one
register (`wgmma.accumulator_element`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects.builtin import VectorType, f16, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import SSAValue

from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.lowering.dma_vectors import add
from croqtile_mlir.lowering.memo_builder import Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_PAIR = VectorType(f16, [2])


@dataclass(frozen=True)
class Spot:
    """Two neighbours of a row in a part: their row and columns in the accumulator."""

    part: int
    group: int
    """The group of 8 columns of the part."""

    half: int
    """0, or 1 for the row 8 below."""

    @property
    def registers(self) -> tuple[int, int]:
        """The registers of the two, of a part in f32."""
        first = 4 * self.group + 2 * self.half
        return first, first + 1


class Neighbours(Enum):
    """How a part holds two neighbours of a row."""

    APART = auto()
    """Each in a register."""

    WORD = auto()
    """Two f16 in an i32."""

    VECTOR = auto()
    """Two f16 in a vector."""


@dataclass(frozen=True)
class Places:
    """Where the parts of a thread are, and their registers."""

    origins: Sequence[tuple[Value, Value]]
    """Row and column of the first element of the thread, for each part; one and the
    same value where they are equal."""

    cols: int
    """Columns of a part."""

    struct: LLVMStructType
    """The type of a part."""

    neighbours: Neighbours
    down: int
    """Warps of the scope that are one below the other."""

    across: int
    """Warps side by side, whose numbers follow each other."""

    @property
    def whole_rows(self) -> bool:
        """Whether four neighbouring threads have all columns of a row."""
        return self.across == 1

    def spots(self) -> Iterator[Spot]:
        """All pairs; those of a row from the left to the right."""
        for group in range(self.cols // 8):
            for part in range(len(self.origins)):
                for half in range(2):
                    yield Spot(part, group, half)

    def row_of(self, spot: Spot) -> Hashable:
        """Equal for pairs of one row."""
        return self.origins[spot.part][0], spot.half

    def cols_of(self, spot: Spot) -> Hashable:
        """Equal for pairs of the same columns."""
        return self.origins[spot.part][1], spot.group

    def at(self, b: LocatedBuilder, spot: Spot) -> tuple[Value, Value]:
        """Row and column of the first of a pair."""
        row, col = self.origins[spot.part]
        return add(b, row, 8 * spot.half), add(b, col, 8 * spot.group)

    def pair(
        self, b: LocatedBuilder, parts: Sequence[SSAValue], spot: Spot
    ) -> tuple[SSAValue, SSAValue]:
        """The two elements of an accumulator."""
        struct, registers = parts[spot.part], spot.registers
        if self.neighbours is Neighbours.APART:
            first, second = (
                b.insert(llvm.ExtractValueOp(struct, r)).result for r in registers
            )
            return first, second
        both = b.insert(llvm.ExtractValueOp(struct, registers[0] // 2)).result
        if self.neighbours is Neighbours.WORD:
            both = b.insert(llvm.BitcastOp(both, _PAIR)).result
        first, second = (
            b.insert(llvm.ExtractElementOp(both, b.i32(lane))).result
            for lane in range(2)
        )
        return first, second

    def with_pair(
        self,
        b: LocatedBuilder,
        struct: SSAValue,
        spot: Spot,
        pair: tuple[SSAValue, SSAValue],
    ) -> SSAValue:
        """A part with other elements at a place."""
        if self.neighbours is Neighbours.APART:
            for register, value in zip(spot.registers, pair, strict=True):
                insert = llvm.InsertValueOp(struct, value, register)
                struct = b.insert(insert).result
            return struct
        both = b.insert(llvm.UndefOp(_PAIR)).result
        for lane, value in enumerate(pair):
            both = b.insert(llvm.InsertElementOp(both, value, b.i32(lane))).result
        if self.neighbours is Neighbours.WORD:
            both = b.insert(llvm.BitcastOp(both, i32)).result
        register = spot.registers[0] // 2
        return b.insert(llvm.InsertValueOp(struct, both, register)).result

    def empty(self, b: LocatedBuilder) -> list[SSAValue]:
        """Parts whose elements do not matter yet."""
        return [b.insert(llvm.UndefOp(self.struct)).result for _ in self.origins]
