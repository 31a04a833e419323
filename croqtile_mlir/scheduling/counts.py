"""Counting of the iterations of loops over the life of a block."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects.croq import CDivOp, DimOp, ForeachOp
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.index_operands import static_or_same
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values


def value_of(builder: LocatedBuilder, index: Index) -> SSAValue | int:
    """An index operand as an integer or a value; a name becomes `croq.dim`."""
    if isinstance(index, str):
        return builder.insert(DimOp(index)).result
    known = static_or_same(index)
    return index if isinstance(known, str) else known


def trip_count(builder: LocatedBuilder, loop: ForeachOp) -> SSAValue | int:
    """The number of iterations of a loop, computed where the builder is."""
    if loop.trip_count is not None:
        return loop.trip_count
    lower = value_of(builder, loop.lower)
    upper = value_of(builder, loop.upper)
    length = upper
    if lower != 0:
        # An index is unsigned in arith here: an empty loop must not wrap around.
        runs = builder.cmp("ult", lower, upper)
        length = builder.select(runs, builder.sub(upper, lower), builder.index(0))
    step = value_of(builder, loop.step)
    return length if step == 1 else builder.insert(CDivOp(length, step)).result


def count_from_zero(loop: ForeachOp) -> ForeachOp:
    """
    The loop with the bounds 0 and its trip count and the step 1.

    Where the index is needed it is computed from the number of the iteration.
    """
    if static_or_same(loop.lower) == 0 and static_or_same(loop.step) == 1:
        return loop
    builder = LocatedBuilder.before(loop)
    trips = trip_count(builder, loop)
    lower, step = value_of(builder, loop.lower), value_of(builder, loop.step)
    body = loop.body.block
    new = ForeachOp(
        trips,
        loop.detach_region(loop.body),
        iter_args=loop.iter_args,
        unroll=loop.unrolling,
    )
    new.attributes |= loop.attributes
    builder.insert(new)
    replace_values(loop, new.res)
    number = body.insert_arg(IndexType(), 0)
    old = body.args[1]
    inner = LocatedBuilder.at_start(body, new.location)
    index = inner.add(inner.mul(number, step), lower)
    index.name_hint = old.name_hint
    old.replace_all_uses_with(index)
    body.erase_arg(old)
    return new


def running_count(loop: ForeachOp) -> SSAValue:
    """
    The number of iterations of a loop before the current one over the life of the
    block, as a value at the head of its body.

    The loop counts from 0 by 1. The loops around it carry the count.
    """
    around = loops_around(loop)
    if not around:
        return loop.induction
    base = LocatedBuilder.before(around[0]).index(0)
    carrying: list[ForeachOp] = []
    for outer in around:
        new, base = _carry(outer, base)
        base.name_hint = "base"
        carrying.append(new)
    builder = LocatedBuilder.after(loop)
    following = builder.add(base, trip_count(builder, loop))
    following.name_hint = "next"
    for outer in reversed(carrying):
        outer.yielded.operands = [*outer.yielded.operands, following]
        following = outer.results[-1]
        following.name_hint = "count"
    order = LocatedBuilder.at_start(loop.body.block, loop.location).add(
        base, loop.induction
    )
    order.name_hint = "order"
    return order


def loops_around(op: Operation) -> list[ForeachOp]:
    """The loops directly around a loop or another op, the outermost first."""
    around: list[ForeachOp] = []
    parent = op.parent_op()
    while isinstance(parent, ForeachOp):
        around.insert(0, parent)
        parent = parent.parent_op()
    return around


def _carry(loop: ForeachOp, first: SSAValue) -> tuple[ForeachOp, SSAValue]:
    """The loop with one more carried value; what it yields is still to be added."""
    body = loop.body.block
    argument = body.insert_arg(IndexType(), len(body.args))
    region = loop.detach_region(loop.body)
    new = ForeachOp(
        loop.upper,
        region,
        lower=loop.lower,
        step=loop.step,
        iter_args=[*loop.iter_args, first],
        unroll=loop.unrolling,
    )
    new.attributes |= loop.attributes
    LocatedBuilder.before(loop).insert(new)
    replace_values(loop, new.results[:-1])
    return new, argument
