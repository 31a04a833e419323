"""
Loops and branches of a program while it is being made.

What a loop carries is part of the model only where something asks for it, which may be
after the loop: a draft collects what is asked for, and is frozen at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.sync.model import (
    Action,
    Branch,
    Expr,
    Loop,
    Statement,
    Touch,
    Unknown,
    Variable,
)
from croqtile_mlir.analysis.sync.symbolic import ANY, Expressions, Range


@dataclass
class LoopDraft:
    """A loop; `induction` is its index in terms of the counter."""

    place: Operation
    counter: Variable
    lower: Expr
    upper: Expr
    step: Expr
    induction: Expr
    body_block: Block
    initial: Sequence[SSAValue]
    make: Expressions
    guard: Expr | None = None
    """Whether a lane takes part in an iteration; None when all do."""

    body: list[DraftStatement] = field(default_factory=list["DraftStatement"])
    carried: dict[int, tuple[Variable, Variable]] = field(
        default_factory=dict[int, tuple[Variable, Variable]]
    )
    """Of what is asked for: its name inside the loop, and after it."""

    def argument(self, number: int) -> Expr:
        """A block argument of the body."""
        return self.induction if number == 0 else self._carried(number - 1, 0)

    def result(self, number: int) -> Expr:
        """A result of the loop."""
        return self._carried(number, 1)

    def _carried(self, number: int, which: int) -> Expr:
        value = self.initial[number]
        if not isinstance(value.type, IndexType | IntegerType):
            return Unknown(f"a value of type {value.type}", self.place)
        if number not in self.carried:
            name = self.body_block.args[number + 1].name_hint or f"carried {number}"
            limits = _limits(value)
            self.carried[number] = (
                self.make.variable(name, limits),
                self.make.variable(name, limits),
            )
        return self.carried[number][which]

    def sources(self, number: int) -> tuple[SSAValue, SSAValue]:
        """The first value of something carried, and the one for the next iteration."""
        return self.initial[number], yielded(self.body_block)[number]


@dataclass
class BranchDraft:
    """An `if`; a branch that is not there is empty."""

    place: Operation
    condition: Expr
    then_block: Block
    else_block: Block | None
    make: Expressions
    then: list[DraftStatement] = field(default_factory=list["DraftStatement"])
    otherwise: list[DraftStatement] = field(default_factory=list["DraftStatement"])
    carried: dict[int, Variable] = field(default_factory=dict[int, Variable])

    def argument(self, number: int) -> Expr:
        """An `if` has no block arguments."""
        return Unknown(f"argument {number} of a condition", self.place)

    def result(self, number: int) -> Expr:
        """A result of the `if`."""
        value = self.place.results[number]
        if not isinstance(value.type, IndexType | IntegerType):
            return Unknown(f"a value of type {value.type}", self.place)
        if number not in self.carried:
            name = value.name_hint or f"result {number}"
            self.carried[number] = self.make.variable(name, _limits(value))
        return self.carried[number]

    def sources(self, number: int) -> tuple[SSAValue, SSAValue]:
        """What the two branches yield."""
        if self.else_block is None:
            raise ValueError("a condition with results has two branches")
        return yielded(self.then_block)[number], yielded(self.else_block)[number]


def _limits(value: SSAValue) -> Range:
    """Indices are never negative."""
    return (0, math.inf) if isinstance(value.type, IndexType) else ANY


Draft = LoopDraft | BranchDraft
DraftStatement = Action | Branch | LoopDraft | BranchDraft
Sources = dict[tuple[int, int], tuple[Expr, Expr]]
"""For a draft (its id) and a number: the two values that come together there."""


def freeze(statements: Sequence[DraftStatement], sources: Sources) -> list[Statement]:
    """The statements of the model; what does nothing is left out."""
    found: list[Statement] = []
    for each in statements:
        if isinstance(each, LoopDraft):
            found += _frozen_loop(each, sources)
        elif isinstance(each, BranchDraft):
            found += _frozen_branch(each, sources)
        else:
            found.append(each)
    return found


def _frozen_loop(draft: LoopDraft, sources: Sources) -> list[Statement]:
    body = tuple(freeze(draft.body, sources))
    if not body and not draft.carried:
        return []
    carried = sorted(draft.carried.items())
    return [
        Loop(
            draft.counter,
            draft.lower,
            draft.upper,
            draft.step,
            body,
            draft.place,
            tuple(
                (inside, *sources[id(draft), number]) for number, (inside, _) in carried
            ),
            tuple(result for _, (_, result) in carried),
        )
    ]


def _frozen_branch(draft: BranchDraft, sources: Sources) -> list[Statement]:
    then = tuple(freeze(draft.then, sources))
    otherwise = tuple(freeze(draft.otherwise, sources))
    results = tuple(
        (variable, *sources[id(draft), number])
        for number, variable in sorted(draft.carried.items())
    )
    if not results and _alike(then, otherwise):
        return list(then)
    return [Branch(draft.condition, then, otherwise, draft.place, results)]


def _alike(a: Sequence[Statement], b: Sequence[Statement]) -> bool:
    """Whether two branches do the same, by whatever way to memory."""
    return len(a) == len(b) and all(
        isinstance(x, Touch)
        and isinstance(y, Touch)
        and [(e.region, e.write) for e in x.accesses]
        == [(e.region, e.write) for e in y.accesses]
        for x, y in zip(a, b, strict=True)
    )
