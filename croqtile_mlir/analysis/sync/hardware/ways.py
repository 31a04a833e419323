"""
What is under a condition that may hold in any iterations of a loop.

As at tile level (`tiles/ways.py`): a few ways in which it holds stand for all others
where addresses and parities under it go on from where they were. What is ordered by
what is done in all iterations is looked at in each of these ways.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from croqtile_mlir.analysis.sync.hardware.conditions import factors
from croqtile_mlir.analysis.sync.hardware.events import (
    Event,
    For,
    If,
    Kind,
    Step,
    walk,
)
from croqtile_mlir.analysis.sync.model import Apply, Expr
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.verdicts import Undecided

_AT_MBARRIERS = frozenset({Kind.WAIT, Kind.ARRIVE, Kind.CP_ARRIVE, Kind.LOAD})


def left_out(
    steps: Sequence[Step], choices: Collection[Expr], make: Expressions
) -> Undecided | None:
    """What under a condition may be elsewhere after iterations that leave it out."""
    for loop, step, choice in _conditions(steps, (), set(choices), make):
        for branch in (step.then, step.otherwise):
            kept = _kept(loop, choice, branch is step.then)
            events = [event for event in walk(branch) if isinstance(event, Event)]
            if all(event.kind not in _AT_MBARRIERS for event in events):
                continue
            for event in events:
                if any(_skips(expr, loop, kept, make) for expr in event.exprs):
                    return Undecided(
                        event.op,
                        "where it is follows from the number of an iteration, and the "
                        "launch decides in which iterations it is; all else is proved",
                        "count the iterations in which the condition holds",
                    )
    return None


def _conditions(
    steps: Sequence[Step],
    around: tuple[For, ...],
    choices: set[Expr],
    make: Expressions,
) -> Iterator[tuple[For, If, Expr]]:
    """The conditions that change in a loop: the innermost that they change in."""
    for step in steps:
        match step:
            case For():
                yield from _conditions(step.body, (*around, step), choices, make)
            case If():
                for choice in choices.intersection(factors(step.condition)):
                    changing = make.variables(choice)
                    for loop in reversed(around):
                        own = {loop.counter, *(carried[0] for carried in loop.carried)}
                        if not changing.isdisjoint(own):
                            yield loop, step, choice
                            break
                yield from _conditions(step.then, around, choices, make)
                yield from _conditions(step.otherwise, around, choices, make)
            case _:
                pass


def _kept(loop: For, choice: Expr, then: bool) -> set[Expr]:
    """What a loop carries that stays as it is where a branch is left out."""
    chosen: dict[Expr, tuple[Expr, Expr]] = {
        result: (yes, no)
        for step in walk(loop.body)
        if isinstance(step, If) and step.condition is choice
        for result, yes, no in step.results
    }
    found: set[Expr] = set()
    for variable, _, following in loop.carried:
        match following:
            case Apply("select", (condition, yes, no)) if condition is choice:
                pass
            case _:
                yes, no = chosen.get(following, (following, following))
        if (no if then else yes) is variable:
            found.add(variable)
    return found


def _skips(expr: Expr, loop: For, kept: set[Expr], make: Expressions) -> bool:
    """Whether a value also changes in iterations without the branch that it is in."""
    carried = {variable for variable, _, _ in loop.carried}
    sources = dict(_sources(loop))
    seen: set[Expr] = set()
    todo = [expr]
    while todo:
        for variable in make.variables(todo.pop()) - seen:
            seen.add(variable)
            if variable is loop.counter or (
                variable in carried and variable not in kept
            ):
                return True
            todo += sources.get(variable, ())
    return False


def _sources(loop: For) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """What the values that the body of a loop computes are made of."""
    for step in walk(loop.body):
        match step:
            case For():
                yield step.counter, (step.lower,)
                pairs = zip(step.carried, step.results, strict=True)
                for (variable, first, following), result in pairs:
                    yield variable, (first, following)
                    yield result, (first, following)
            case If():
                for result, yes, no in step.results:
                    yield result, (yes, no)
            case _:
                pass
