"""
Where a thread finds its part of the operands and of the result of an `mma.sync`.

The maps of `warp_grid` and `fragments` from lanes to rows and columns, as arithmetic on
the index of the thread, emitted once at the head of its scope: all addresses of an
operand are this place and constants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS, scope_of
from croqtile_mlir.dialects.croq import Major, ThreadIdOp
from croqtile_mlir.layouts.warp_grid import WarpGrid
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_WARP_BITS = WARP_THREADS.bit_length() - 1

Side = Literal["A", "B"]


@dataclass(frozen=True)
class Place:
    """Row and column of a thread, of type index, to which constants are added."""

    row: SSAValue
    col: SSAValue

    def at(self, b: LocatedBuilder, rows: int, cols: int) -> tuple[SSAValue, SSAValue]:
        """The place so many rows and columns further on."""
        return b.add(self.row, rows), b.add(self.col, cols)


@dataclass
class LanePlaces:
    """The places of a kernel, each made once for each scope."""

    known: dict[tuple[object, ...], Place] = field(
        default_factory=dict[tuple[object, ...], Place]
    )

    def operand(
        self,
        op: Operation,
        grid: WarpGrid,
        side: Side,
        major: Major,
        unit: int,
        *,
        matrices: Literal[2, 4] = 4,
    ) -> Place:
        """
        The row of 16 bytes whose address a lane gives to `ldmatrix.x4`.

        `ldmatrix_a_lane` and `ldmatrix_b_lane` of `fragments`, in the part of the warp;
        operands that are stored MN-major are transposed. `unit` elements are a chunk of
        16 bytes. For two matrices, of B only, the upper lanes give the addresses of the
        lower ones: they are not used, but stay inside of the operand.
        """

        def build(b: LocatedBuilder) -> Place:
            thread = b.insert(ThreadIdOp()).result
            low = b.and_(b.shr(thread, 3), 1)
            high = b.and_(b.shr(thread, 4), 1) if matrices == 4 else b.index(0)
            own, k = (low, high) if side == "A" else (high, low)
            warp = _part(b, thread, grid, side)
            if major is Major.K:
                row = b.add(warp, _eight(b, thread, own))
                return Place(row, b.mul(k, unit))
            return Place(_eight(b, thread, k), b.add(warp, b.mul(own, unit)))

        return self._once(op, (grid, side, major, unit, matrices), build)

    def element(self, op: Operation, grid: WarpGrid) -> Place:
        """
        Row and column of the first register of the first tile of 16 x 8.

        Register r of a tile is 8 * (r / 2) rows and r mod 2 columns further on
        (`mma_c_element` of `fragments`).
        """

        def build(b: LocatedBuilder) -> Place:
            thread = b.insert(ThreadIdOp()).result
            row = b.add(_part(b, thread, grid, "A"), b.and_(b.shr(thread, 2), 7))
            col = b.add(_part(b, thread, grid, "B"), b.shl(b.and_(thread, 3), 1))
            return Place(row, col)

        return self._once(op, (grid,), build)

    def _once(
        self,
        op: Operation,
        key: tuple[object, ...],
        build: Callable[[LocatedBuilder], Place],
    ) -> Place:
        root = scope_of(op).root
        if (found := self.known.get((root, *key))) is None:
            found = build(LocatedBuilder.at_start(root.body.block, op.location))
            self.known[(root, *key)] = found
        return found


def _eight(b: LocatedBuilder, thread: SSAValue, half: SSAValue) -> SSAValue:
    """The row of a lane in one of two matrices of 8 rows."""
    return b.add(b.mul(half, 8), b.and_(thread, 7))


def _part(b: LocatedBuilder, thread: SSAValue, grid: WarpGrid, side: Side) -> SSAValue:
    """The first row, or column, of the part of the warp."""
    warp = b.shr(thread, _WARP_BITS)
    if side == "A":
        return b.mul(b.udiv(warp, grid.across), grid.rows)
    return b.mul(b.urem(warp, grid.across), grid.cols)
