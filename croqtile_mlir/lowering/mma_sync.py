"""
Products by `mma.sync`: the warps of a scope form a grid over the accumulator.

    %c1 = croq.mma.exec row.row %c, %a, %b   ->   %p = croq.address %a[%row, %col]
                                                  %f = nvvm.ldmatrix %p ..
                                                  ..
                                                  %d = nvvm.mma.sync A[..] B[..] C[..]

A part of an accumulator is the struct of registers of 16 x 8 elements; the parts of a
warp go along its rows. The operands of a step of K are loaded while the step before is
multiplied. Products are complete where they are: nothing is to commit or to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.products import grid_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    Major,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    acc_type,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.nvvm.matrix import F16X2, INTEGERS
from croqtile_mlir.layouts.fragments import MMA_COLS, MMA_ROWS
from croqtile_mlir.layouts.warp_grid import STEP_BYTES, check_operand
from croqtile_mlir.lowering.acc_registers import Neighbours, Places
from croqtile_mlir.lowering.mma_lanes import LanePlaces, Place
from croqtile_mlir.lowering.mma_sync_parts import (
    check_registers,
    check_scope,
    fill,
    part_type,
    registers,
)
from croqtile_mlir.lowering.mma_sync_store import lower_store
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

_TYPES: Mapping[str, nvvm.MMAType] = MappingProxyType(
    {
        "f16": nvvm.MMAType.F16,
        "bf16": nvvm.MMAType.BF16,
        "f32": nvvm.MMAType.TF32,
        "i8": nvvm.MMAType.S8,
    }
)
"""The type of `mma.sync` for operands of an element type."""


@dataclass
class WarpProducts:
    """Lowers the products of a kernel; a part is the tile of 16 x 8 of a warp."""

    ctx: Context
    target: Architecture
    lanes: LanePlaces = field(default_factory=LanePlaces)

    def fill(self, op: MmaFillOp) -> Sequence[SSAValue]:
        """The parts of a new accumulator."""
        check_scope(op)
        grid = grid_of(op, acc_type(op.acc))
        check_registers(op, grid, self.target, self.ctx)
        return [fill(op)] * (grid.tiles_down * grid.tiles_across)

    def multiply(self, op: MmaExecOp, parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit a product; the parts of its result."""
        check_scope(op)
        element = _check_product(op, self.target)
        grid = grid_of(op, acc_type(op.acc))
        b = LocatedBuilder.before(op)
        unit = layouts.CHUNK_BYTES // tile_type(op.a).element_bytes
        rows_at = self.lanes.operand(op, grid, "A", op.a_major, unit)
        left = _Loads(b, op.a, op.a_major, rows_at, rows_at, grid.tiles_down, 2 * unit)
        last_at = cols_at = self.lanes.operand(op, grid, "B", op.b_major, unit)
        if grid.tiles_across % 2:
            last_at = self.lanes.operand(op, grid, "B", op.b_major, unit, matrices=2)
        right = _Loads(
            b, op.b, op.b_major, cols_at, last_at, grid.tiles_across, 2 * unit
        )
        results = list(parts)
        # A step of K is loaded before the one in front of it is multiplied.
        steps = op.depth // (2 * unit)
        following = left.rows(0), right.columns(0)
        for step in range(steps):
            rows, columns = following
            if step + 1 < steps:
                following = left.rows(step + 1), right.columns(step + 1)
            for i, row in enumerate(rows):
                for j, column in enumerate(columns):
                    number = i * grid.tiles_across + j
                    results[number] = _product(
                        b, row, column, results[number], 2 * unit, element
                    )
        return results

    def order(self, op: MmaCommitOp | MmaWaitOp) -> None:
        """Products are complete where they are."""
        check_scope(op)

    def store(self, op: MmaStoreOp, parts: Sequence[SSAValue]) -> None:
        """Emit the stores of an accumulator."""
        check_scope(op)
        grid = grid_of(op, acc_type(op.acc))
        lower_store(op, parts, grid, self.lanes.element(op, grid))

    def places(self, op: Operation, acc: SSAValue) -> Places:
        """Where the elements of an accumulator are that a thread holds."""
        check_scope(op)
        kind = acc_type(acc)
        grid = grid_of(op, kind)
        place, b = self.lanes.element(op, grid), LocatedBuilder.before(op)
        rows = [b.add(place.row, MMA_ROWS * i) for i in range(grid.tiles_down)]
        cols = [b.add(place.col, MMA_COLS * j) for j in range(grid.tiles_across)]
        halves = isinstance(kind.element_type, Float16Type)
        return Places(
            [(row, col) for row in rows for col in cols],
            MMA_COLS,
            part_type(kind.element_type),
            Neighbours.VECTOR if halves else Neighbours.APART,
            grid.down,
            grid.across,
        )


@dataclass(frozen=True)
class _Loads:
    """The fragments of an operand of a warp."""

    b: LocatedBuilder
    tile: SSAValue
    major: Major
    place: Place
    last: Place
    """That of the last 8 columns of B where no other 8 are loaded with them."""

    tiles: int
    """Of 16 rows of A, or of 8 columns of B."""

    step: int
    """Elements of K of a step."""

    def rows(self, step: int) -> list[Sequence[SSAValue]]:
        """Of A: the four registers of each 16 rows."""
        return [self._load(step, 16 * i, 4) for i in range(self.tiles)]

    def columns(self, step: int) -> list[Sequence[SSAValue]]:
        """Of B: the two registers of each 8 columns, loaded for 16 at a time."""
        found: list[Sequence[SSAValue]] = []
        for j in range(0, self.tiles, 2):
            loaded = self._load(step, 8 * j, 4 if j + 1 < self.tiles else 2)
            found += [loaded[r : r + 2] for r in range(0, len(loaded), 2)]
        return found

    def _load(self, step: int, outer: int, count: int) -> Sequence[SSAValue]:
        k = step * self.step
        inner = (outer, k) if self.major is Major.K else (k, outer)
        place = self.place if count == 4 else self.last
        indices = place.at(self.b, *inner)
        address = self.b.insert(AddressOp(self.tile, indices)).pointer
        layout = nvvm.MMALayout.Row if self.major is Major.K else nvvm.MMALayout.Col
        matrices = self.b.insert(nvvm.LdMatrixOp(address, count, layout)).result
        words = [
            self.b.insert(llvm.ExtractValueOp(matrices, r)).result for r in range(count)
        ]
        if isinstance(tile_type(self.tile).element_type, Float16Type):
            words = [self.b.insert(llvm.BitcastOp(w, F16X2)).result for w in words]
        return words


def _check_product(op: MmaExecOp, target: Architecture) -> nvvm.MMAType:
    """The type of operands; a located error for a product that warps cannot make."""
    for name, tile, major in (("A", op.a, op.a_major), ("B", op.b, op.b_major)):
        root = root_of(tile)
        buffer = tile_type(root)
        notes = [(root, f"{name} is part of this buffer")]
        if buffer.layout is None:
            fail(
                op,
                f"{name} must have a layout, got {buffer}",
                hint="run --infer-layouts first",
                notes=notes,
            )
        if (reason := check_operand(buffer, major)) is not None:
            fail(op, f"{name}: {reason}", notes=notes)
    source = tile_type(op.a)
    step = STEP_BYTES // source.element_bytes
    if op.depth % step:
        fail(op, f"K must be a multiple of {step}, got {op.depth}")
    acc, element = acc_type(op.acc), _TYPES.get(str(source.element_type))
    operand = "tf32" if element is nvvm.MMAType.TF32 else str(source.element_type)
    if element is None or not target.mma_shapes(
        "mma.sync", operand, str(acc.element_type)
    ):
        fail(
            op,
            f"must be a product that {target.name} has, got {source.element_type} "
            f"operands and {acc}",
        )
    return element


def _product(
    b: LocatedBuilder,
    row: Sequence[SSAValue],
    column: Sequence[SSAValue],
    part: SSAValue,
    k: int,
    element: nvvm.MMAType,
) -> SSAValue:
    before = registers(b, part)
    overflow = nvvm.MMAIntOverflow.Wrapped if element in INTEGERS else None
    mma = nvvm.MmaSyncOp(
        row, column, before, MMA_ROWS, MMA_COLS, k, element, element, overflow=overflow
    )
    return b.insert(mma).result
