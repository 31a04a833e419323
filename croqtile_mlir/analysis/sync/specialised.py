"""What is left of a body for one warp, and where one lane is active."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Apply,
    Arrive,
    Branch,
    Constant,
    Expr,
    Generation,
    Interval,
    Loop,
    Parity,
    Region,
    SlotOf,
    Start,
    Statement,
    Touch,
    Variable,
    Wait,
    Which,
)
from croqtile_mlir.analysis.sync.symbolic import Expressions


@dataclass(frozen=True)
class Specialised:
    """Puts values in place of variables and leaves out what is never executed."""

    make: Expressions
    values: Mapping[Expr, Expr]
    lane: Variable | None = None
    memo: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])

    def block(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """The statements that are left."""
        return tuple(left for each in statements for left in self._statement(each))

    def _statement(self, statement: Statement) -> tuple[Statement, ...]:
        match statement:
            case Loop():
                return self._loop(statement)
            case Branch():
                return self._branch(statement)
            case _:
                return (self._action(statement),)

    def _expr(self, expr: Expr) -> Expr:
        return self.make.substitute(expr, self.values, self.memo)

    def _loop(self, loop: Loop) -> tuple[Statement, ...]:
        body = self.block(loop.body)
        if not body and not loop.carried:
            return ()
        return (
            replace(
                loop,
                lower=self._expr(loop.lower),
                upper=self._expr(loop.upper),
                step=self._expr(loop.step),
                body=body,
                carried=tuple(
                    (variable, self._expr(first), self._expr(following))
                    for variable, first, following in loop.carried
                ),
            ),
        )

    def _branch(self, branch: Branch) -> tuple[Statement, ...]:
        condition = self._expr(branch.condition)
        if not branch.results:
            if isinstance(condition, Constant):
                return self.block(branch.then if condition.value else branch.otherwise)
            if (
                not branch.otherwise
                and (lane := self._only_lane(condition)) is not None
            ):
                return self._of_lane(lane).block(branch.then)
        then, otherwise = self.block(branch.then), self.block(branch.otherwise)
        if not (then or otherwise or branch.results):
            return ()
        results = tuple(
            (variable, self._expr(one), self._expr(other))
            for variable, one, other in branch.results
        )
        return (
            replace(
                branch,
                condition=condition,
                then=then,
                otherwise=otherwise,
                results=results,
            ),
        )

    def _only_lane(self, condition: Expr) -> Constant | None:
        """The one lane for which a condition holds."""
        match condition:
            case Apply("eq", (variable, Constant() as lane)) if variable is self.lane:
                return lane
            case _:
                return None

    def _of_lane(self, lane: Constant) -> Specialised:
        if self.lane is None:
            return self
        return _OneLane(self.make, {**self.values, self.lane: lane})

    def _action(self, action: Action) -> Action:
        match action:
            case Wait():
                return replace(
                    action, at=self._slot(action.at), which=self._which(action.which)
                )
            case Arrive():
                return replace(
                    action,
                    at=self._slot(action.at),
                    which=self._which(action.which),
                    per_lane=action.per_lane and self._keeps_lanes(),
                    announced_bytes=self._expr(action.announced_bytes),
                )
            case Touch():
                return replace(action, accesses=self._accesses(action.accesses))
            case Start():
                completes = action.completes
                return replace(
                    action,
                    accesses=self._accesses(action.accesses),
                    completes=None if completes is None else self._slot(completes),
                    bytes=self._expr(action.bytes),
                )
            case _:
                return action

    def _keeps_lanes(self) -> bool:
        return True

    def _slot(self, at: SlotOf) -> SlotOf:
        return SlotOf(at.barrier, self._expr(at.slot))

    def _which(self, which: Which) -> Which:
        match which:
            case Generation():
                return Generation(self._expr(which.number))
            case Parity():
                return Parity(self._expr(which.bit))
            case _:
                return which

    def _accesses(self, accesses: Sequence[Access]) -> tuple[Access, ...]:
        return tuple(
            replace(access, region=self._region(access.region)) for access in accesses
        )

    def _region(self, region: Region) -> Region:
        return Region(
            region.buffer,
            None if region.slot is None else self._expr(region.slot),
            tuple(
                None
                if side is None
                else Interval(self._expr(side.lower), self._expr(side.upper))
                for side in region.box
            ),
        )


@dataclass(frozen=True)
class _OneLane(Specialised):
    """The same where one lane is active: an arrival of each lane is one arrival."""

    def _keeps_lanes(self) -> bool:
        return False
