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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from croqtile_mlir.analysis.sync.compiled import Code, CompiledProgram, LoopCode
from croqtile_mlir.analysis.sync.model import Constant
from croqtile_mlir.analysis.sync.snapshots import Shape, Snapshot


def nested_counts(compiled: CompiledProgram) -> tuple[int, int] | None:
    """The axes of the outer and inner count of a program of two nested loops."""
    if len(compiled.counts) != 2:
        return None
    first, second = (frozenset((count,)) for count in compiled.counts)
    found: set[tuple[int, int]] = set()
    for body in compiled.bodies:
        for outer, inner in _nests(body, None):
            if not _is_plain(outer) or not _is_plain(inner):
                return None
            if outer.bounds == first and inner.bounds == second:
                found.add((0, 1))
            elif outer.bounds == second and inner.bounds == first:
                found.add((1, 0))
            else:
                return None
    return found.pop() if len(found) == 1 else None


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
    states: Iterable[Snapshot], count: int, steady: frozenset[Shape], runs_after: int
) -> int | None:
    """
    The iteration of the inner loop at which each of the runs after the first steady one
    is in a steady state, the largest of all agents and runs; None if some is not.
    """
    first: set[int] | None = None
    worst = 0
    for state in states:
        runs = [run for loops in state.loops for run in loops if count in run[0].bounds]
        here = {number for _, number in runs}
        if state.shape not in steady:
            continue
        if first is None:
            first = here
        elif not here & first:
            worst = max(worst, *_counter(state, count), 0)
            runs_after -= 1
            if runs_after == 0:
                return worst
            first = here
    return None


def _counter(state: Snapshot, count: int) -> Iterable[int]:
    for values, loops in zip(state.values, state.loops, strict=True):
        for code, _ in loops:
            value = values[code.counter]
            if count in code.bounds and isinstance(value, int):
                yield value


def settled_from(hits: Mapping[int, int | None]) -> int | None:
    """
    The smallest `m` so that for each trip count from `m` on the last run is steady
    before iteration `m`; `hits` gives the iteration for each trip count looked at.
    """
    if not hits:
        return None
    found: int | None = None
    worst = 0
    for trips in sorted(hits, reverse=True):
        hit = hits[trips]
        if hit is None:
            break
        worst = max(worst, hit)
        if worst < trips:
            found = max(trips, worst + 1)
    return found
