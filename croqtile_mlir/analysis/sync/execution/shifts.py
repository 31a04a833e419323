"""
How numbers change when an execution is made longer by periods.

A `Shift` goes along with an execution and knows of each variable by how much it differs
in the longer one. It follows that through every expression that synchronisation depends
on, by rules that hold for one period and so for any number of them: a sum shifts by the
sum, `x mod m` not at all if `x` shifts by a multiple of `m`, a comparison does not
change if its two sides move apart. Parities change in another way, by bits that flip
(`toggles`). Where no rule applies it raises `Unsteady`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.execution.rings import (
    Ring,
    order_of_generation,
    order_of_slot,
)
from croqtile_mlir.analysis.sync.execution.shift_rules import (
    Unsteady,
    extreme,
    shift_of,
    stays,
    truth,
)
from croqtile_mlir.analysis.sync.execution.toggles import Delta, Toggle, flips, toggled
from croqtile_mlir.analysis.sync.expressions import (
    COMPARISONS,
    Environment,
    Expressions,
    NotEvaluated,
    Reading,
)
from croqtile_mlir.analysis.sync.model import Apply, Barrier, Constant, Expr, Variable

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.execution.compiled import AccessCode
    from croqtile_mlir.analysis.sync.execution.state import AgentState


class Shift:
    """By how much the numbers of a longer execution differ."""

    def __init__(
        self,
        expressions: Expressions,
        variables: Sequence[Mapping[int, Delta]],
        generations: Mapping[tuple[Barrier, int], int],
        counts: frozenset[int],
        turned: Mapping[Ring, int] | None = None,
    ):
        self._expressions = expressions
        self.variables = [
            {at: n for at, n in known.items() if n} for known in variables
        ]
        """For each agent: by how much variables differ, if they do."""

        self.generations = dict(generations)
        """Of a ring that turns: by how much its orders differ."""

        self.turned = dict(turned or {})
        """By how many slots rings have turned, if they have."""

        self._counts = counts

    def generation(self, barrier: Barrier, slot: int) -> int:
        """By how much the generations of a slot differ."""
        return self.generations.get((barrier, slot), 0)

    def same(
        self, agent: AgentState, reading: Reading, expected: int, place: Operation
    ) -> None:
        """Check by how much a number differs."""
        if self._change(agent, reading, place) != expected:
            raise Unsteady(
                place,
                "a number that synchronisation depends on does not change with the "
                "loops in step with what it selects",
            )

    def same_slot(
        self, agent: AgentState, reading: Reading, ring: Ring, place: Operation
    ) -> None:
        """Check that a slot is the same, or that which the ring has turned to."""
        turned = self.turned.get(ring, 0)
        if not turned:
            self.same(agent, reading, 0, place)
        elif self._order(agent, reading, ring, place) % ring.slots != turned:
            raise Unsteady(place, "a slot does not change in step with its ring")

    def _order(
        self, agent: AgentState, slot: Reading, ring: Ring, place: Operation
    ) -> int:
        order = order_of_slot(slot.expr, ring.slots)
        if order is None:
            raise Unsteady(place, "a slot of a ring does not follow from an order")
        return self.of(agent, self._expressions.reading(order), place)

    def same_generation(
        self,
        agent: AgentState,
        slot: Reading,
        which: Reading,
        of: tuple[Barrier, int],
        place: Operation,
    ) -> None:
        """Check that a generation differs as those of its slot do."""
        barrier = of[0]
        if barrier not in self.turned:
            self.same(agent, which, self.generation(*of), place)
            return
        order = order_of_generation(which.expr, barrier.slots)
        by = self._order(agent, slot, barrier, place)
        if order is not None and by == self.generation(*of):
            reading = self._expressions.reading(order)
            number = reading.number(agent.env)
            if (number - of[1]) % barrier.slots == 0:
                self.same(agent, reading, by, place)
                return
        raise Unsteady(place, "a generation does not follow from the order of its slot")

    def same_phase(
        self,
        agent: AgentState,
        reading: Reading,
        of: tuple[Barrier, int],
        place: Operation,
    ) -> None:
        """Check that a parity flips when the generation of its slot gets another."""
        if flips(self._change(agent, reading, place)) != self.generation(*of) & 1:
            raise Unsteady(
                place, "a parity does not flip in step with the phases of its mbarrier"
            )

    def of(self, agent: AgentState, reading: Reading, place: Operation) -> int:
        """By how much a number differs."""
        change = self._change(agent, reading, place)
        if isinstance(change, Toggle):
            raise Unsteady(place, "bits of a number flip where it has to grow")
        return change

    def words(self) -> list[dict[int, Toggle]]:
        """For each agent the variables whose bits flip."""
        return [
            {at: change for at, change in known.items() if isinstance(change, Toggle)}
            for known in self.variables
        ]

    def flip(self, words: Sequence[Mapping[int, Toggle]]) -> None:
        """Let the bits of these variables flip, for each agent, and no others."""
        for known, flipped in zip(self.variables, words, strict=True):
            for at in [at for at, n in known.items() if isinstance(n, Toggle)]:
                del known[at]
            known.update(flipped)

    def _change(self, agent: AgentState, reading: Reading, place: Operation) -> Delta:
        known = self.variables[agent.index]
        if known.keys().isdisjoint(reading.depends):
            return 0
        try:
            return self._delta(reading.expr, agent.env, known)
        except Unsteady as error:
            raise Unsteady(place, error.reason) from error
        except NotEvaluated as error:
            raise Unsteady(place, error.reason) from error

    def lengthens(
        self, lower: Reading, upper: Reading, values: Sequence[object]
    ) -> bool:
        """Whether a loop surely gets longer; its bounds have to be of the counts."""
        if not lower.depends | upper.depends <= self._counts:
            return False
        env: Environment = [v if isinstance(v, int) else 0 for v in values]
        known = self.variables[0]
        try:
            low = self._delta(lower.expr, env, known)
            high = self._delta(upper.expr, env, known)
            return isinstance(low, int) and isinstance(high, int) and low < high
        except (Unsteady, NotEvaluated):
            return False

    def compare(
        self,
        agent: AgentState,
        counter: int,
        upper: Reading,
        bound: int,
        place: Operation,
    ) -> None:
        """Check that the end of a loop comes at the same iteration."""
        drift = self.variables[agent.index].get(counter, 0)
        if isinstance(drift, Toggle):
            raise Unsteady(place, "bits of the counter of a loop flip")
        now = agent.env[counter]
        if not stays("lt", now, bound, drift, self.of(agent, upper, place)):
            raise Unsteady(place, "the trip count of a loop does not repeat")

    def assign(
        self,
        agent: AgentState,
        places: Sequence[int],
        readings: Sequence[Reading],
        place: Operation,
    ) -> None:
        """Follow variables that are given new values at the same time."""
        shifts = [
            0 if reading.unknown is not None else self._change(agent, reading, place)
            for reading in readings
        ]
        known = self.variables[agent.index]
        for at, number in zip(places, shifts, strict=True):
            if number:
                known[at] = number
            else:
                known.pop(at, None)

    def copy(self, agent: AgentState, result: int, at: int) -> None:
        """Follow a variable that takes the value of another."""
        known = self.variables[agent.index]
        if at in known:
            known[result] = known[at]
        else:
            known.pop(result, None)

    def same_part(self, agent: AgentState, code: AccessCode) -> None:
        """Check that an access to shared memory touches the same part."""
        buffer = code.access.region.buffer
        if not buffer.shared:
            return
        if code.slot is not None and code.slot.unknown is None:
            self.same_slot(agent, code.slot, buffer, buffer.place)
        for side in code.box:
            for reading in side or ():
                if reading.unknown is None:
                    self.same(agent, reading, 0, buffer.place)

    def same_key(self, agent: AgentState, reading: Reading, place: Operation) -> None:
        """Check that an open condition is the same one in every period."""
        known = self.variables[agent.index].keys() - self._counts
        if not known.isdisjoint(reading.depends):
            raise Unsteady(
                place, "a condition that is not known may differ in every iteration"
            )

    def _delta(self, expr: Expr, env: Environment, known: Mapping[int, Delta]) -> Delta:
        match expr:
            case Constant():
                return 0
            case Variable():
                return known.get(self._expressions.places[expr], 0)
            case Apply():
                if known.keys().isdisjoint(self._expressions.reading(expr).depends):
                    return 0
                return self._apply(expr, env, known)
            case _:
                raise Unsteady(None, "it depends on a value that is not known")

    def _apply(
        self, expr: Apply, env: Environment, known: Mapping[int, Delta]
    ) -> Delta:
        function, operands = expr.function, expr.operands
        if function == "select":
            condition = self._expressions.reading(operands[0]).value(env)
            if self._delta(operands[0], env, known):
                raise Unsteady(None, "a condition is a number that changes")
            chosen = operands[1] if truth(condition) else operands[2]
            return self._delta(chosen, env, known)
        first, second = operands
        da, db = self._delta(first, env, known), self._delta(second, env, known)
        if isinstance(da, int) and isinstance(db, int) and expr.bits is None:
            # Most are of these, which need no values.
            if function == "add":
                return da + db
            if function == "mod" and isinstance(second, Constant) and second.value:
                if da % second.value == 0:
                    return 0
        a = self._expressions.reading(first).value(env)
        b = self._expressions.reading(second).value(env)
        found: Delta | None = None
        if isinstance(da, int) and isinstance(db, int):
            if function in COMPARISONS:
                if not stays(function, a, b, da, db):
                    raise Unsteady(None, "a comparison does not stay as it is")
                return 0
            if function in ("min", "max"):
                return extreme(function, a, b, da, db)
            found = shift_of(function, a, b, da, db)
        if found is None and isinstance(a, int) and isinstance(b, int):
            found = toggled(function, a, b, da, db)
        if isinstance(found, Toggle):
            return found
        if found is None or (
            expr.bits is not None and abs(found) >= 1 << max(expr.bits - 1, 0)
        ):
            raise Unsteady(
                None,
                f"'{function}' of numbers that grow with the loops does not repeat "
                "after a whole number of iterations",
            )
        return found
