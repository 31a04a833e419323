"""
Threads that meet inside one body of `parallel : thread`, where nothing orders them.

    croq.store %v, %a[%t]
    %w = croq.load %a[127 - %t]     // what another thread may not have stored yet

The ops of a scope are sequential, those of a body are each thread's own: no barrier is
put in. Looked at are elements of one tile at indices that follow from those of the
threads by sums and products with constants, in code that every thread executes; for
these the threads are gone through. Other indices are left to the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.linear import Linear, linear
from croqtile_mlir.analysis.register_elements import is_private
from croqtile_mlir.analysis.shared_accesses import is_inside
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    ElementViewOp,
    ForeachOp,
    Level,
    LoadOp,
    ParallelOp,
    SqueezeOp,
    StoreOp,
    SubspanOp,
)

_Element = LoadOp | StoreOp
_HINT = "split the body in two, so that the threads meet in between"


def body_race(block: ParallelOp) -> Refuted | None:
    """The first access in a body that conflicts with one of another thread before."""
    for op in block.walk():
        if isinstance(op, ParallelOp) and op.level.data is Level.Thread:
            for run in _runs(op):
                if (found := _conflict(op, run)) is not None:
                    return found
    return None


def _runs(threads: ParallelOp) -> Iterator[list[_Element]]:
    """The accesses of a body that all threads make, between places where they meet."""
    run: list[_Element] = []
    for op in _unconditional(threads.body.block):
        if isinstance(op, _Element):
            if not is_private(op.tile):
                run.append(op)
        elif _meets(op):
            yield run
            run = []
    yield run


def _unconditional(block: Block) -> Iterator[Operation]:
    for op in block.ops:
        if isinstance(op, ForeachOp) and _runs_at_once(op):
            yield from _unconditional(op.body.block)
        else:
            yield op


def _meets(op: Operation) -> bool:
    """Whether threads may meet in an op: a barrier of the scope, of a warp, .."""
    return any(
        isinstance(inner, BarrierOp) or "bar" in inner.name for inner in op.walk()
    )


def _runs_at_once(loop: ForeachOp) -> bool:
    """Whether a loop surely has a first iteration."""
    return (
        isinstance(loop.lower, int)
        and isinstance(loop.upper, int)
        and loop.lower < loop.upper
    )


def _conflict(threads: ParallelOp, run: list[_Element]) -> Refuted | None:
    for number, second in enumerate(run):
        for first in run[:number]:
            if first.tile is not second.tile:
                continue
            if isinstance(first, LoadOp) and isinstance(second, LoadOp):
                continue
            if (pair := _met(threads, first, second)) is not None:
                return _refuted(first, second, pair)
    return None


def _met(
    threads: ParallelOp, first: _Element, second: _Element
) -> tuple[int, int] | None:
    """Two threads, by number, of which the second comes to the element of the first."""
    extents = [e for e in threads.extent_values if isinstance(e, int)]
    own = list(threads.body.block.args)
    one, other = _element_in(threads, first), _element_in(threads, second)
    if one is None or other is None or len(extents) < len(own):
        return None
    forms = list(zip(one, other, strict=True))
    rows: list[tuple[list[int], int, list[int], int]] = []
    for a, b in forms:
        if _others(a, own) != _others(b, own):
            return None
        if any(is_inside(value, threads) for value, _ in _others(a, own)):
            return None
        rows.append((_factors(a, own), a.constant, _factors(b, own), b.constant))
    by: dict[tuple[int, ...], int] = {}
    others: dict[tuple[int, ...], int] = {}
    everyone = list(product(*map(range, extents)))
    for number, at in enumerate(everyone):
        element = tuple(_value(factors, at) + c for factors, c, _, _ in rows)
        # Of the threads at an element, two are enough to differ from any third.
        if element in by:
            others.setdefault(element, number)
        by.setdefault(element, number)
    for number, at in enumerate(everyone):
        element = tuple(_value(factors, at) + c for _, _, factors, c in rows)
        for known in (by, others):
            if known.get(element, number) != number:
                return known[element], number
    return None


def _element_in(threads: ParallelOp, op: _Element) -> list[Linear] | None:
    """
    The indices of an element in what its tile is a view of, outside of the body; None
    where they do not follow from those of the threads by sums and products.
    """
    at: list[Linear] | None = _forms(op.index_values)
    tile = op.tile
    while at is not None and is_inside(tile, threads):
        match tile.owner:
            case SubspanOp() as view:
                first, steps = _forms(view.at_values), view.unit_values
                if first is None:
                    return None
                at = [i * s + own for i, s, own in zip(first, steps, at, strict=True)]
            case ElementViewOp() as view:
                first, steps = _forms(view.at_values), view.stride_values
                if first is None:
                    return None
                at = [i + own * s for i, s, own in zip(first, steps, at, strict=True)]
            case SqueezeOp() as view:
                kept = dict(zip(view.kept_dims, at, strict=True))
                rank = view.source_type.rank
                at = [kept.get(dim, Linear()) for dim in range(rank)]
            case _:
                return None
        tile = view.viewed
    return at


def _forms(indices: Sequence[SSAValue | int | str]) -> list[Linear] | None:
    found: list[Linear] = [
        linear(index) for index in indices if not isinstance(index, str)
    ]
    return found if len(found) == len(indices) else None


def _others(form: Linear, own: Sequence[SSAValue]) -> set[tuple[SSAValue, int]]:
    return {(value, factor) for value, factor in form.terms if value not in own}


def _factors(form: Linear, own: Sequence[SSAValue]) -> list[int]:
    factors = dict(form.terms)
    return [factors.get(value, 0) for value in own]


def _value(factors: list[int], at: tuple[int, ...]) -> int:
    return sum(factor * index for factor, index in zip(factors, at, strict=True))


def _refuted(first: _Element, second: _Element, pair: tuple[int, int]) -> Refuted:
    one, other = pair
    match isinstance(first, StoreOp), isinstance(second, StoreOp):
        case True, False:
            rule = Rule.READ_BEFORE_WRITE
        case False, True:
            rule = Rule.OVERWRITE
        case _:
            rule = Rule.WRITE_CONFLICT
    does = "stores" if isinstance(first, StoreOp) else "loads"
    verb = "stores to" if isinstance(second, StoreOp) else "loads"
    return Refuted(
        rule,
        second,
        f"{rule}: threads of one body must not meet at an element, got thread {other} "
        f"that {verb} the one of thread {one}",
        notes=((first, f"thread {one} {does} it here"),),
        hint=_HINT,
    )
