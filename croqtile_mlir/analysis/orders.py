"""
Which orders an op can have: intervals of generations, and when two are disjoint.

An order is an index operand plus a constant. For the index of a loop from `lb` to
`ub` that is [lb + c, ub + c); for a count that a loop carries only the lower end is
known. Orders are never negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from croqtile_mlir.analysis.linear import linear
from croqtile_mlir.analysis.reached import reached
from croqtile_mlir.dialects.croq import (
    CDivOp,
    DimOp,
    ForeachOp,
    ParallelOp,
    Position,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import constant_value


@dataclass(frozen=True)
class Bound:
    """An end of an interval: a number, or a value (or the name of a dim) plus one."""

    symbol: SSAValue | str | None
    offset: int

    @staticmethod
    def of(value: Index, offset: int = 0) -> Bound:
        """The bound for an index operand plus a constant."""
        while isinstance(value, SSAValue):
            known = constant_value(value)
            if known is not None:
                return Bound(None, known + offset)
            if not isinstance(value.owner, arith.AddiOp):
                return Bound(value, offset)
            a, b = value.owner.operands
            if (c := constant_value(b)) is not None:
                value, offset = a, offset + c
            elif (c := constant_value(a)) is not None:
                value, offset = b, offset + c
            else:
                return Bound(value, offset)
        if isinstance(value, int):
            return Bound(None, value + offset)
        return Bound(value, offset)

    def at_most(self, other: Bound) -> bool:
        """Whether this is provably no more than another bound."""
        if self.symbol == other.symbol:
            return self.offset <= other.offset
        if self.symbol is not None:
            return False
        least = 0 if isinstance(other.symbol, str) else minimum(other.symbol)
        return least is not None and self.offset <= least + other.offset

    def below(self, other: Bound) -> bool:
        """Whether this is provably less than another bound."""
        return Bound(self.symbol, self.offset + 1).at_most(other)


@dataclass(frozen=True)
class Orders:
    """
    The orders `lower`, `lower + step`, .. below `upper`; unknown ends are None.

    `step` is 0 for a single order, and None when nothing is known of the distances.
    """

    lower: Bound
    upper: Bound | None
    step: int | None

    def disjoint(self, other: Orders) -> bool:
        """Whether no order is provably in both."""
        for a, b in ((self, other), (other, self)):
            if a.upper is not None and a.upper.at_most(b.lower):
                return True
        if self.step is None or other.step is None:
            return False
        common = gcd(self.step, other.step)
        if common < 2 or self.lower.symbol != other.lower.symbol:
            return False
        return (self.lower.offset - other.lower.offset) % common != 0

    def surely_has(self, order: Bound) -> bool:
        """Whether an order is provably inside the ends."""
        return (
            self.upper is not None
            and self.step in (0, 1)
            and self.lower.at_most(order)
            and order.below(self.upper)
        )

    def surely_lacks(self, order: Bound) -> bool:
        """Whether an order is provably outside of the ends."""
        return order.below(self.lower) or (
            self.upper is not None and self.upper.at_most(order)
        )


def orders_of(position: Position) -> Orders:
    """The orders at which an op runs; its offset must be an integer."""
    offset = position.offset
    if isinstance(offset, str):
        raise ValueError(f"offset must be an integer, got {offset}")
    at = Bound.of(position.base, offset)
    if at.symbol is None:
        return Orders(at, Bound(None, at.offset + 1), 0)
    if isinstance(at.symbol, BlockArgument) and at.symbol.index == 0:
        bounds = _loop_bounds(at.symbol.block.parent_op())
        if bounds is not None:
            lower, upper, step = bounds
            return Orders(
                Bound.of(lower, at.offset),
                Bound.of(upper, at.offset),
                Bound.of(step).offset if Bound.of(step).symbol is None else None,
            )
    if not isinstance(at.symbol, SSAValue) or _is_fixed(at.symbol):
        return Orders(at, Bound(at.symbol, at.offset + 1), 0)
    least = minimum(at.symbol)
    lower = max(0, (least or 0) + at.offset)
    orders = _of_loop_indices(at.symbol, at.offset, lower)
    return Orders(Bound(None, lower), None, None) if orders is None else orders


def _is_fixed(value: SSAValue) -> bool:
    """Whether a value is computed outside of every loop: it is one in a block."""
    owner = value.owner
    op = owner.parent_op()
    while op is not None:
        if isinstance(op, ForeachOp | scf.ForOp | scf.WhileOp):
            return False
        op = op.parent_op()
    return True


def _of_loop_indices(value: SSAValue, offset: int, least: int) -> Orders | None:
    """
    The orders `2 * i + j + c`: a sum of multiples of loop indices and a constant.

    None of them is below `least`.
    """
    form = linear(value) + offset
    lower, step = form.constant, 0
    for index, factor in form.terms:
        if not isinstance(index, BlockArgument) or index.index != 0 or factor < 0:
            return None
        bounds = _loop_bounds(index.block.parent_op())
        if bounds is None:
            return None
        first, by = Bound.of(bounds[0]), Bound.of(bounds[2])
        if first.symbol is not None or by.symbol is not None:
            return None
        lower += factor * first.offset
        step = gcd(step, factor * by.offset)
    if not step:
        return None
    lower += max(0, -(-(least - lower) // step)) * step
    return Orders(Bound(None, lower), None, step)


def _loop_bounds(loop: Operation | None) -> tuple[Index, Index, Index] | None:
    if isinstance(loop, ForeachOp):
        return loop.lower, loop.upper, loop.step
    if isinstance(loop, scf.ForOp):
        return loop.lb, loop.ub, loop.step
    return None


def minimum(
    value: SSAValue | None, assumed: dict[SSAValue, int] | None = None
) -> int | None:
    """
    A number that a value is provably never below, else None.

    A count carried by a loop is never below its first value if what the loop yields
    is not, given that the count is not.
    """
    if value is None:
        return 0
    assumed = assumed or {}
    if value in assumed:
        return assumed[value]
    if (known := constant_value(value)) is not None:
        return known
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, ParallelOp):
            return 0
        bounds = _loop_bounds(parent)
        if bounds is None or not isinstance(parent, ForeachOp | scf.ForOp):
            return None
        if value.index == 0:
            lower = bounds[0]
            if isinstance(lower, SSAValue):
                return minimum(lower, assumed)
            return lower if isinstance(lower, int) else 0
        return _carried_minimum(parent, value.index - 1, assumed)
    if not isinstance(value, OpResult):
        return None
    match owner := value.op:
        case ForeachOp() | scf.ForOp():
            return _carried_minimum(owner, value.index, assumed)
        case arith.AddiOp() | arith.MuliOp():
            a, b = (minimum(operand, assumed) for operand in owner.operands)
            if a is None or b is None:
                return None
            if isinstance(owner, arith.AddiOp):
                return a + b
            return a * b if a >= 0 and b >= 0 else None
        case arith.DivUIOp() | arith.RemUIOp() | arith.ShRUIOp() | arith.AndIOp():
            return 0
        case CDivOp() | DimOp():
            return 0
        case _:
            return None


def _carried_minimum(
    loop: ForeachOp | scf.ForOp, number: int, assumed: dict[SSAValue, int]
) -> int | None:
    first = minimum(loop.iter_args[number], assumed)
    body = loop.body.block
    if first is None or body.last_op is None:
        return None
    arg = body.args[number + 1]
    later = minimum(body.last_op.operands[number], assumed | {arg: first})
    return None if later is None or later < first else first


def depends_on(value: Index, loop: Operation) -> bool:
    """Whether an index follows from the index of a loop or from what it carries."""
    return isinstance(value, SSAValue) and any(
        isinstance(each, BlockArgument) and each.block.parent_op() is loop
        for each in reached(value, _sources)
    )


def _sources(value: SSAValue) -> list[SSAValue]:
    """What a value is computed from; of one that a loop carries, the first."""
    if isinstance(value, OpResult):
        ends = [region.block.last_op for region in value.op.regions]
        yielded = [v for end in ends if end is not None for v in end.operands]
        return [*value.op.operands, *yielded]
    around = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(value, BlockArgument) or (bounds := _loop_bounds(around)) is None:
        return []
    if value.index and isinstance(around, ForeachOp | scf.ForOp):
        return [around.iter_args[value.index - 1]]
    return [bound for bound in bounds if isinstance(bound, SSAValue)]
