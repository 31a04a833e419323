"""
Nested loops: what a tile knows of the tiles before it.

Let `K` be the trip count of the inner loop, and `steady` the states that repeat in its
second run. If the third run comes to one of them before iteration `m`, for every
`K >= m`, then all that is left of the runs before is how the ring stands. What happens
at the end of a tile follows from a steady state and the number of iterations left; from
the third tile to the fourth it is what happens from the second to the third for some
other `K >= m`. So four tiles and more are pieces of what three tiles show. (The first
tile may differ: no epilogue came before it.) Where conditions are the same only after a
period of `p` tiles, as many more are looked at: `p + 2`, and each run from the third on
has to come to a steady state. States do not hold the numbers of tiles (`tile_periods`).

Where agents take every `p`-th tile, the first `p` tiles may differ. Steady are the
states that repeat in the next `p`, and those after them, up to `3 p`, have to come to
such states. An agent that is over with a tile looks whether there is one `p` further
on. So what happens from a tile to the next depends on which agent's it is and on how
many tiles are left, up to `p`; and all that is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from croqtile_mlir.analysis.sync.execution.compiled import (
    Code,
    CompiledProgram,
    LoopCode,
    loops_in,
)
from croqtile_mlir.analysis.sync.execution.snapshots import Shape, Snapshot
from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.model import Constant


@dataclass(frozen=True)
class Nest:
    """Two nested loops over the two counts of a program, in one agent or several."""

    outer: int
    inner: int
    """The axes of the counts."""

    loop: LoopCode
    """One of the inner loops."""

    every: int
    """Agents take every so manyth tile at most."""


def trips(loop: LoopCode, count: int, number: int) -> int:
    """The trip count of a plain loop over one count, from the value of that."""
    env: list[Value] = [0] * (max(loop.upper.depends, default=0) + 1)
    env[count] = number
    return loop.upper.number(env)


def begun(compiled: CompiledProgram) -> frozenset[int]:
    """The axes of counts whose loops all run, even where the count is 0."""
    found: set[int] = set()
    for axis, count in enumerate(compiled.counts):
        loops = [
            code
            for body in compiled.bodies
            for code in loops_in(body)
            if count in code.bounds
        ]
        if loops and all(
            _is_plain(code)
            and code.upper.depends == frozenset((count,))
            and trips(code, count, 0) > 0
            for code in loops
        ):
            found.add(axis)
    return frozenset(found)


def nested_counts(compiled: CompiledProgram) -> Nest | None:
    """The nested loops of a program that is made of them."""
    if len(compiled.counts) != 2:
        return None
    first, second = (frozenset((count,)) for count in compiled.counts)
    found: dict[tuple[int, int], Nest] = {}
    for body in compiled.bodies:
        for outer, inner in _nests(body, None):
            if not _is_plain(inner) or not isinstance(outer.lower.expr, Constant):
                return None
            every = compiled.stride(outer)
            if outer.bounds == first and inner.bounds == second:
                found[0, 1] = Nest(0, 1, inner, every)
            elif outer.bounds == second and inner.bounds == first:
                found[1, 0] = Nest(1, 0, inner, every)
            else:
                return None
    return found.popitem()[1] if len(found) == 1 else None


def _is_plain(code: LoopCode) -> bool:
    return code.lower.expr == Constant(0) and code.step.expr == Constant(1)


def _nests(
    block: tuple[Code, ...], outer: LoopCode | None
) -> Iterable[tuple[LoopCode, LoopCode]]:
    for code in block:
        match code:
            case LoopCode():
                if code.symbolic and outer is not None:
                    yield outer, code
                yield from _nests(code.body, code if code.symbolic else outer)
            case _:
                for inner in (
                    getattr(code, "then", ()),
                    getattr(code, "otherwise", ()),
                ):
                    yield from _nests(inner, outer)


def reached(
    states: Iterable[Snapshot], count: int, steady: frozenset[Shape], runs: range
) -> int | None:
    """
    The iteration of the inner loop at which each of some runs is in a steady state, the
    largest of all agents and of `runs`, which ends with the last; None if some is not.
    """
    begun: set[int] = set()
    """The runs of all agents when the first of them had been left by all."""

    number = -1
    hits: dict[int, int] = {}
    for state in states:
        here = {
            run for loops in state.loops for code, run in loops if count in code.bounds
        }
        if not here:
            continue
        if not here & begun:
            number += 1
            begun = here
        if state.shape in steady:
            hits.setdefault(number, max(*_counter(state, count), 0))
    if number + 1 != runs.stop or not hits.keys() >= set(runs):
        return None
    return max(hits[run] for run in runs)


def _counter(state: Snapshot, count: int) -> Iterable[int]:
    for values, loops in zip(state.values, state.loops, strict=True):
        for code, _ in loops:
            value = values[code.counter]
            if count in code.bounds and isinstance(value, int):
                yield value


def settled_from(
    hits: Mapping[int, int | None], trips: Callable[[int], int]
) -> int | None:
    """
    The smallest count so that with it and more the last run is steady before as many
    iterations as it makes with this one; `hits` gives the iteration for each count that
    was looked at, `trips` the trip count.
    """
    found: int | None = None
    worst = 0
    for count in sorted(hits, reverse=True):
        hit = hits[count]
        if hit is None:
            break
        worst = max(worst, hit)
        if worst < trips(count):
            found = count
    return found
