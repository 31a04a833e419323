"""
Loops unrolled by a number of iterations.

    croq.foreach %i in a to b step s unroll 4      croq.foreach %i in a to m step 4 * s
                                              ->     (four iterations)
                                                   croq.foreach %i in m to b step s

`m` is the first index that no whole group of iterations holds: both loops run right for
any number of iterations, none included. Part of `--unroll-loops`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import CDivOp, ForeachOp, YieldOp
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.index_operands import static_or_same
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

MAX_INDEX = 2**31 - 1
"""The largest index that a loop counts to."""


def unroll_by(loop: ForeachOp, factor: int) -> None:
    """Replace a loop by one of groups of `factor` iterations and one of the rest."""
    builder = LocatedBuilder.before(loop)
    lower, upper, step = (
        static_or_same(i) for i in (loop.lower, loop.upper, loop.step)
    )
    if isinstance(step, int) and step * factor > MAX_INDEX:
        fail(
            loop,
            f"must have a step of at most {MAX_INDEX // factor} to be unrolled by "
            f"{factor}, got {step}",
        )
    first = builder.index_value(lower)
    middle = _middle(builder, first, builder.index_value(upper), step, factor, loop)
    wide = builder.mul(builder.index_value(step), factor)
    groups = ForeachOp(
        static_or_same(middle),
        Region(_group(loop, factor)),
        lower=lower,
        step=static_or_same(wide),
        iter_args=loop.iter_args,
    )
    groups.attributes |= loop.attributes
    builder.insert(groups)
    if _never(middle, upper):
        replace_values(loop, groups.results)
        return
    rest = ForeachOp(
        upper,
        loop.detach_region(loop.body),
        lower=static_or_same(middle),
        step=step,
        iter_args=groups.results,
    )
    rest.attributes |= loop.attributes
    builder.insert(rest)
    replace_values(loop, rest.results)


def _middle(
    builder: LocatedBuilder,
    lower: SSAValue,
    upper: SSAValue,
    step: Index,
    factor: int,
    loop: ForeachOp,
) -> SSAValue:
    """The first index of the iterations that are left over."""
    trips = loop.trip_count
    if trips is not None and isinstance(step, int):
        return builder.add(lower, trips // factor * factor * step)
    # An index is unsigned here: an empty loop must not wrap around.
    runs = builder.cmp("ult", lower, upper)
    length = builder.select(runs, builder.sub(upper, lower), builder.index(0))
    if step != 1:
        length = builder.insert(CDivOp(length, step)).result
    groups = builder.mul(builder.udiv(length, factor), factor)
    return builder.add(lower, builder.mul(groups, builder.index_value(step)))


def _never(middle: SSAValue, upper: Index) -> bool:
    """Whether nothing is left over, whatever the launch."""
    known = static_or_same(middle)
    return isinstance(known, int) and isinstance(upper, int) and known >= upper


def _group(loop: ForeachOp, factor: int) -> Block:
    """The body of several iterations."""
    old = loop.body.block
    block = Block(arg_types=[argument.type for argument in old.args])
    for mine, its in zip(block.args, old.args, strict=True):
        mine.name_hint, mine.location = its.name_hint, its.location
    builder = LocatedBuilder.at_end(block, loop.location)
    step = builder.index_value(loop.step) if factor > 1 else builder.index(0)
    carried: Sequence[SSAValue] = block.args[1:]
    yielded = loop.yielded
    for number in range(factor):
        index = block.args[0]
        if number:
            index = builder.add(index, builder.mul(step, number))
            index.name_hint = index.name_hint or block.args[0].name_hint
        mapper: dict[SSAValue, SSAValue] = dict(zip(old.args[1:], carried, strict=True))
        mapper[loop.induction] = index
        for op in old.ops:
            if op is not yielded:
                builder.insert(op.clone(mapper))
        carried = [mapper.get(value, value) for value in yielded.arguments]
    builder.insert(YieldOp(carried))
    return block
