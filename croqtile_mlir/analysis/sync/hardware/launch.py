"""
What the launch decides, as counts and choices.

`(K + 63) >> 6` is the number of trips of a loop, and K is nothing else: the count is
that number. A condition on the dims, such as whether all rows end at 16 bytes, is a
choice: there is a program for each outcome. A condition on dims and the counter of a
loop is looked at as one that always holds, never, and every other time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from croqtile_mlir.analysis.sync.hardware.conditions import factors
from croqtile_mlir.analysis.sync.hardware.events import (
    Event,
    For,
    If,
    Step,
    is_memory,
    walk,
)
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import (
    Apply,
    Constant,
    Expr,
    Variable,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled

MAX_OUTCOMES = 16
"""Combinations of the choices of a launch that are looked at, at most."""


@dataclass
class Launch:
    """Finds which parts of the expressions of a kernel the launch decides."""

    values: Values
    only: dict[Expr, bool] = field(default_factory=dict[Expr, bool])

    def is_decided(self, expr: Expr) -> bool:
        """Whether an expression depends on the launch, and on nothing else."""
        known = self.only.get(expr)
        if known is None:
            variables = self.values.make.variables(expr)
            known = bool(variables) and variables <= self.values.launch
            self.only[expr] = known
        return known

    def leaves(self, expr: Expr) -> frozenset[Expr]:
        """What an expression depends on of the launch."""
        return self.values.make.variables(expr) & self.values.launch

    def entries(self, roots: Iterable[Expr]) -> dict[Expr, None]:
        """The largest parts of expressions that the launch alone decides."""
        found: dict[Expr, None] = {}
        seen: set[Expr] = set()
        todo = list(roots)
        while todo:
            expr = todo.pop()
            if expr in seen or isinstance(expr, Constant):
                continue
            seen.add(expr)
            if self.is_decided(expr):
                found[expr] = None
            elif isinstance(expr, Apply):
                todo += expr.operands
        return found

    def is_natural(self, expr: Expr) -> bool:
        """Whether an expression takes every value from 0 on: K, (K + 63) >> 6."""
        if isinstance(expr, Variable):
            return True
        if not isinstance(expr, Apply) or not isinstance(expr.operands[1], Constant):
            return False
        inner, number = expr.operands[0], expr.operands[1].value
        if expr.function == "shr":
            unit = 1 << number
        elif expr.function in ("floordiv", "ceildiv"):
            unit = number
        else:
            return False
        if expr.function != "ceildiv" and isinstance(inner, Apply):
            rest = inner.operands[-1]
            if (
                inner.function == "add"
                and isinstance(rest, Constant)
                and 0 <= rest.value < unit
            ):
                inner = inner.operands[0]
        return unit > 0 and self.is_natural(inner)

    def below(self, expr: Expr) -> list[Expr]:
        """The parts of an expression, decided by the launch, that it is made of."""
        operands = expr.operands if isinstance(expr, Apply) else ()
        return [operand for operand in operands if self.is_decided(operand)]

    def cut(self, roots: Sequence[Expr], trips: set[Expr]) -> dict[Expr, None]:
        """
        Expressions through which alone the launch decides on `roots`.

        No two of them depend on the same dim, unless they are one.
        """
        cut: dict[Expr, None] = {}
        todo = list(self.entries(roots))
        while True:
            while todo:
                expr = todo.pop()
                if self.is_natural(expr) or expr in trips:
                    cut[expr] = None
                else:
                    todo += self.below(expr)
            crossing = self._crossing(cut)
            if not crossing:
                return cut
            for expr in crossing:
                del cut[expr]
                todo += self.below(expr)

    def _crossing(self, cut: Mapping[Expr, None]) -> list[Expr]:
        """Those that share a dim with another and have to be taken apart first."""
        users: dict[Expr, list[Expr]] = {}
        for expr in cut:
            for leaf in self.leaves(expr):
                users.setdefault(leaf, []).append(expr)
        groups = [found for found in users.values() if len(found) > 1]
        shared = dict.fromkeys(expr for found in groups for expr in found)
        parts = [expr for expr in shared if not isinstance(expr, Variable)]
        made = [expr for expr in parts if not self.is_natural(expr)]
        if made:
            return made
        highest = max(map(self._height, parts), default=0)
        return [expr for expr in parts if self._height(expr) == highest]

    def _height(self, expr: Expr) -> int:
        operands = expr.operands if isinstance(expr, Apply) else ()
        return 1 + max(map(self._height, operands), default=0)


def numbers(steps: Sequence[Step]) -> list[Expr]:
    """What decides on synchronisation, other than conditions."""
    found: list[Expr] = []
    for step in walk(steps):
        match step:
            case Event():
                found += step.exprs
            case For():
                found += (step.lower, step.upper, step.step)
                for _, first, following in step.carried:
                    found += (first, following)
            case If():
                for _, yes, no in step.results:
                    found += (yes, no)
    return found


def conditions(steps: Sequence[Step]) -> list[Expr]:
    """The conditions around synchronisation, not those around mere accesses."""
    found: dict[Expr, None] = {}
    for step in walk(steps):
        if isinstance(step, If) and not (is_memory(step) and not step.results):
            found |= dict.fromkeys(factors(step.condition))
    return list(found)


def with_trips(
    steps: Sequence[Step], launch: Launch, trips: set[Expr]
) -> tuple[Step, ...]:
    """The same loops, counted from 0 by 1 where the launch decides on the bounds."""
    return tuple(_with_trips(step, launch, trips) for step in steps)


def _with_trips(step: Step, launch: Launch, trips: set[Expr]) -> Step:
    from dataclasses import replace

    from croqtile_mlir.analysis.sync.hardware.events import rewritten

    match step:
        case Event():
            return step
        case If():
            return replace(
                step,
                then=with_trips(step.then, launch, trips),
                otherwise=with_trips(step.otherwise, launch, trips),
            )
        case For():
            pass
    step = replace(step, body=with_trips(step.body, launch, trips))
    make = launch.values.make
    bounds = (step.lower, step.upper, step.step)
    decided = [launch.is_decided(bound) for bound in bounds]
    fixed = [isinstance(bound, Constant) for bound in bounds]
    if not any(decided) or not all(a or b for a, b in zip(decided, fixed, strict=True)):
        return step
    if step.lower == Constant(0) and step.step == Constant(1):
        trips.add(step.upper)
        return step
    span = make.apply("sub", step.upper, step.lower)
    count = make.apply("ceildiv", span, step.step)
    trips.add(count)
    counter = make.variable(step.counter.name, (0, float("inf")))
    scaled = make.apply("mul", counter, step.step)
    value = make.apply("add", step.lower, scaled)
    memo: dict[Expr, Expr] = {}

    def change(expr: Expr) -> Expr:
        return make.substitute(expr, {step.counter: value}, memo)

    return replace(
        step,
        counter=counter,
        lower=Constant(0),
        upper=count,
        step=Constant(1),
        body=rewritten(step.body, change),
        carried=tuple((v, first, change(after)) for v, first, after in step.carried),
    )


@dataclass(frozen=True)
class Outcome:
    """What the launch decides: counts, and values for the choices."""

    counts: tuple[Variable, ...]
    values: Mapping[Expr, Expr]
    choices: Sequence[Expr]


def outcomes(launch: Launch, steps: Sequence[Step], trips: set[Expr]) -> list[Outcome]:
    """Every outcome of the choices of a launch, with the counts."""
    make = launch.values.make
    counts: dict[Expr, Expr] = {}
    names: list[Variable] = []
    for expr in launch.cut(numbers(steps), trips):
        made = make.variable(_name(launch, expr), (0, float("inf")))
        names.append(made)
        counts[expr] = made
    choices = choices_of(launch, steps, counts)
    strides: dict[Expr, int] = {
        step.counter: step.step.value
        for step in walk(steps)
        if isinstance(step, For) and isinstance(step.step, Constant)
    }
    looked = [_in_blocks(launch, choice, strides) for choice in choices]
    if prod(map(len, looked)) > MAX_OUTCOMES:
        raise NotModelled(
            launch.values.function,
            f"the outcome of {len(choices)} conditions that a launch decides",
        )
    return [
        Outcome(tuple(names), counts | dict(zip(choices, ways, strict=True)), choices)
        for ways in product(*looked)
    ]


def choices_of(
    launch: Launch, steps: Sequence[Step], counts: dict[Expr, Expr]
) -> list[Expr]:
    """The conditions that a launch decides, other than by the counts."""
    make = launch.values.make
    memo: dict[Expr, Expr] = {}
    return [
        condition
        for condition in conditions(steps)
        if launch.leaves(make.substitute(condition, counts, memo))
        and not launch.values.varies(condition)
    ]


def _in_blocks(launch: Launch, choice: Expr, strides: Mapping[Expr, int]) -> list[Expr]:
    """The same, where blocks of a cluster may differ in each of them."""
    cluster = launch.values.cluster
    ways = _ways(launch, choice, strides)
    if not cluster.differs(choice):
        return ways
    return [cluster.selected(each) for each in product(ways, repeat=cluster.blocks)]


def _ways(launch: Launch, choice: Expr, strides: Mapping[Expr, int]) -> list[Expr]:
    """What a condition that a launch decides may be."""
    make = launch.values.make
    always: list[Expr] = [Constant(1), Constant(0)]
    changing = make.variables(choice) - launch.values.launch
    counters = sorted(v.name for v in changing if isinstance(v, Variable))
    for variable in changing:
        if isinstance(variable, Variable) and variable.name == counters[0]:
            stride = max(1, strides.get(variable, 1))
            turn = make.apply("floordiv", variable, Constant(stride))
            odd = make.apply("and", turn, Constant(1))
            return [*always, make.apply("eq", odd, Constant(0))]
    return always


def _name(launch: Launch, expr: Expr) -> str:
    """A short text for a count, in the names of the dims."""
    match expr:
        case Variable():
            return expr.name
        case Apply("shr" | "floordiv" | "ceildiv", (inner, Constant(number))):
            unit = 1 << number if expr.function == "shr" else number
            match inner:
                case Apply("add", (dim, Constant(rest))) if rest == unit - 1:
                    return f"ceil({_name(launch, dim)} / {unit})"
                case _:
                    kind = "ceil" if expr.function == "ceildiv" else "floor"
                    return f"{kind}({_name(launch, inner)} / {unit})"
        case _:
            names = sorted(
                v.name for v in launch.leaves(expr) if isinstance(v, Variable)
            )
            return f"trips({', '.join(names)})"
