"""Computations for each element of an accumulator, by each thread on its registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.element_vectors import check_captured, static_dims
from croqtile_mlir.analysis.row_alignment import row_alignment
from croqtile_mlir.dialects.croq import AccType, ElementwiseOp, tile_type
from croqtile_mlir.lowering.acc_registers import Places, Spot
from croqtile_mlir.lowering.dma_vectors import add, guard_of
from croqtile_mlir.lowering.element_bodies import emit_body
from croqtile_mlir.lowering.elementwise_threads import Operand
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder

Pair = tuple[SSAValue, SSAValue]


@dataclass(frozen=True)
class AccElements:
    """One computation, and what was read for it already."""

    op: ElementwiseOp
    builder: LocatedBuilder
    places: Places
    parts: Mapping[SSAValue, Sequence[SSAValue]]
    """The structs of each accumulator."""

    operands: Mapping[int, Operand]
    """The inputs that are tiles, by number."""

    read: dict[tuple[int, object], Pair] = field(
        default_factory=dict[tuple[int, object], Pair]
    )

    def emit(self) -> list[SSAValue]:
        """The parts of the result."""
        b, op = self.builder, self.op
        made = self.places.empty(b)
        for spot in self.places.spots():
            row, col = self.places.at(b, spot)
            pairs = [self._pair(n, value, spot) for n, value in enumerate(op.inputs)]
            first, second = (
                emit_body(
                    op, b, [pair[lane] for pair in pairs], (row, add(b, col, lane))
                )
                for lane in range(2)
            )
            part = made[spot.part]
            made[spot.part] = self.places.with_pair(b, part, spot, (first, second))
        return made

    def _pair(self, number: int, value: SSAValue, spot: Spot) -> Pair:
        """The two elements of an input."""
        if isinstance(value.type, AccType):
            return self.places.pair(self.builder, self.parts[value], spot)
        operand = self.operands[number]
        row_key, col_key = self.places.row_of(spot), self.places.cols_of(spot)
        keys = (row_key, col_key)
        key = tuple(keys[dim] for dim in operand.along)
        if (known := self.read.get((number, key))) is None:
            known = self.read[(number, key)] = self._load(operand, spot)
        return known

    def _load(self, operand: Operand, spot: Spot) -> Pair:
        b = self.builder
        row, col = self.places.at(b, spot)
        if 1 not in operand.along:
            value = operand.load_one(b, (row, col))
            return value, value
        if operand.lanes == 2:
            first, second = operand.load(b, (row, col))
            return first, second
        first, second = (
            operand.load_one(b, (row, add(b, col, lane))) for lane in range(2)
        )
        return first, second


def lower_elementwise(
    op: ElementwiseOp,
    places: Places,
    parts: Mapping[SSAValue, Sequence[SSAValue]],
) -> list[SSAValue]:
    """Emit a computation for each element of accumulators; the parts of its result."""
    check_captured(op)
    dims = static_dims(op)
    memo = MemoBuilder()
    memo.move_before(op)
    operands: dict[int, Operand] = {}
    for number, (value, along) in enumerate(zip(op.inputs, op.along_dims, strict=True)):
        if isinstance(value.type, AccType):
            continue
        guard = guard_of(memo, op, value, tuple(dims[dim] for dim in along), ())
        size = tile_type(value).element_bytes
        pairs = (
            1 in along and guard is None and row_alignment(op, value) % (2 * size) == 0
        )
        operands[number] = Operand(value, along, guard, 2 if pairs else 1)
    return AccElements(op, memo.builder, places, parts, operands).emit()
