"""The model of one warp of a kernel of hardware level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.hardware.barriers import Rings
from croqtile_mlir.analysis.sync.hardware.clusters import RANKS
from croqtile_mlir.analysis.sync.hardware.conditions import Conditions
from croqtile_mlir.analysis.sync.hardware.events import (
    MEMORY,
    Event,
    For,
    If,
    Kind,
    Step,
    is_memory,
)
from croqtile_mlir.analysis.sync.hardware.lanes import (
    Lanes,
    active_lanes,
    converged_lanes,
)
from croqtile_mlir.analysis.sync.hardware.lockstep import Lockstep
from croqtile_mlir.analysis.sync.hardware.matrices import Matrices, joined_products
from croqtile_mlir.analysis.sync.hardware.meetings import meet
from croqtile_mlir.analysis.sync.hardware.memory import Memory, Run
from croqtile_mlir.analysis.sync.hardware.values import WARP_LANES, Values
from croqtile_mlir.analysis.sync.model import (
    Access,
    Arrive,
    Branch,
    Commit,
    Constant,
    Exit,
    Expr,
    Interval,
    Loop,
    Next,
    Parity,
    Proxy,
    ProxyFence,
    Region,
    SlotOf,
    Start,
    Statement,
    Wait,
    WaitGroup,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.hardware.lanes import Mask

WARPGROUP = 4


class Wrong(Exception):
    """Something that is wrong in every execution."""

    def __init__(self, what: Refuted):
        super().__init__(what.message)
        self.what = what


def agent_name(warp: int) -> str:
    """How messages call a warp."""
    return f"warp {warp}"


@dataclass
class Warp:
    """Makes the body of a warp."""

    values: Values
    lanes: Lanes
    rings: Rings
    matrices: Matrices
    memory: Memory
    warp: int
    used: set[Expr]
    """The carried variables that matter."""

    step: Lockstep
    depth: int = 0
    _memo: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])
    _run: Run | None = None
    _bulk_lanes: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self.at_warp: dict[Expr, Expr] = {self.values.warp: Constant(self.warp)}
        self.conditions = Conditions(self.values, self.lanes, self.warp)

    def body(self, steps: Sequence[Step]) -> tuple[Statement, ...]:
        """All that the warp does."""
        return tuple(self._steps(steps, self.lanes.full))

    def expr(self, expr: Expr) -> Expr:
        """An expression in this warp."""
        return self.values.make.substitute(expr, self.at_warp, self._memo)

    def _steps(self, steps: Sequence[Step], mask: Mask) -> list[Statement]:
        """What steps do, where some lanes are active; nothing stays behind."""
        outer, self._run = self._run, None
        made: list[Statement] = []
        self._append(made, steps, mask)
        self._flush(made)
        self._run = outer
        return made

    def _append(self, made: list[Statement], steps: Iterable[Step], mask: Mask) -> None:
        for step in steps:
            match step:
                case Event() if step.kind in MEMORY:
                    active = active_lanes(mask)
                    if step.lanes:
                        self._converged(step, converged_lanes(mask))
                    self.step.access(step, active)
                    if self._run is None:
                        self._run = Run(self.values, self.lanes, self.memory, self.warp)
                    self._run.add(step, mask)
                case Event():
                    actions = self._event(step, mask)
                    # What lanes have written others of the warp may read after it.
                    met = step.kind is Kind.WARP_SYNC
                    if actions or (met and self._run and self._run.writes):
                        self._flush(made)
                    if actions:
                        made += joined_products(made, actions)
                case If():
                    self._branch(made, step, mask)
                case For():
                    self._loop(made, step, mask)

    def _flush(self, made: list[Statement]) -> None:
        if self._run is not None:
            made += self._run.touches(self.at_warp, self._memo)
        self._run = None

    # Structure

    def _branch(self, made: list[Statement], step: If, mask: Mask) -> None:
        condition = self.conditions.read(step.condition)
        memory = is_memory(step, condition.divergent) and not step.results
        if condition.open and not memory:
            raise NotModelled(
                step.op, "a condition that is not known, or not the same in all lanes"
            )
        both = mask & condition.mask
        if condition.open or (memory and step.otherwise and condition.is_mixed):
            # Accesses that may happen count as accesses.
            self._append(made, step.then, both)
            self._append(made, step.otherwise, mask)
            return
        shared = self.expr(condition.shared)
        if isinstance(shared, Constant):
            then = both if shared.value else both & False
            if then.any():
                self._append(made, step.then, then)
            rest = mask & ~then
            if rest.any():
                self._append(made, step.otherwise, rest)
            if step.results:
                raise NotModelled(step.op, "a result of a condition of lanes")
            return
        rest = mask & ~condition.mask
        before = self.step.copy()
        yes = self._steps(step.then, both) if both.any() else []
        self.step, after = before, self.step
        no = self._steps(step.otherwise, both) if both.any() else []
        self.step = after.joined(self.step)
        results = tuple(
            (variable, self.expr(a), self.expr(b))
            for variable, a, b in step.results
            if variable in self.used
        )
        if yes or no or results:
            self._flush(made)
            made.append(Branch(shared, tuple(yes), tuple(no), step.op, results))
        if rest.any():
            self._append(made, step.otherwise, rest)

    def _loop(self, made: list[Statement], step: For, mask: Mask) -> None:
        carried = tuple(
            (variable, self.expr(first), self.expr(following))
            for variable, first, following in step.carried
            if variable in self.used
        )
        if is_memory(step) and not carried:
            inside = self.lanes.enter(step, self.depth)
            if inside is not None:
                row = self.warp if inside.shape[0] > 1 else 0
                self.depth += 1
                self._append(made, step.body, mask & inside[row])
                self.depth -= 1
                return
        if any(map(self.values.varies, (step.lower, step.upper, step.step))):
            raise NotModelled(step.op, "a loop that is not the same in all lanes")
        lower, upper, by = (self.expr(e) for e in (step.lower, step.upper, step.step))
        body = self._steps(step.body, mask)
        if not body and not carried:
            return
        self._flush(made)
        kept = {variable for variable, _, _ in carried}
        results = tuple(
            result
            for (variable, _, _), result in zip(step.carried, step.results, strict=True)
            if variable in kept
        )
        made.append(
            Loop(
                step.counter,
                lower,
                upper,
                by,
                tuple(body),
                step.op,
                carried,
                results,
            )
        )

    # Events

    def _event(self, event: Event, mask: Mask) -> list[Statement]:
        op = event.op
        exprs = tuple(map(self.expr, event.exprs))
        active = active_lanes(mask)
        self.step.event(event, active)
        match event.kind:
            case Kind.WAIT:
                address, *parity = exprs
                which = Parity(parity[0]) if parity else Next()
                return self._at(address, op, lambda at: Wait(op, at, which))
            case Kind.ARRIVE:
                return self._arrive(event, exprs, len(active))
            case Kind.CP_ARRIVE:
                return self._arrive_later(event, exprs, active)
            case Kind.LOAD | Kind.STORE:
                return self._copies(event, exprs, active)
            case Kind.PRODUCT:
                self._converged(event, active)
                parts = self.matrices.operands(event, exprs)
                accesses = tuple(self._async(part, write=False) for part in parts)
                first = self.warp - self.warp % WARPGROUP
                joint = tuple(agent_name(first + i) for i in range(WARPGROUP))
                return [Start(op, accesses, queue="wgmma", joint=joint)]
            case Kind.COMMIT:
                return [Commit(op, name) for name in self._queues(event, active)]
            case Kind.WAIT_GROUP:
                return [
                    WaitGroup(op, name, event.size, event.reads_only)
                    for name in self._queues(event, active)
                ]
            case Kind.FENCE:
                return [ProxyFence(op)]
            case Kind.BARRIER | Kind.CLUSTER:
                self._converged(event, active)
                return [meet(event, exprs, self.values)]
            case Kind.WARP_SYNC | Kind.WARP:
                self._converged(event, converged_lanes(mask))
                return []
            case Kind.EXIT:
                if len(active) != WARP_LANES:
                    raise NotModelled(op, "an exit of some lanes of a warp")
                return [Exit(op)]
            case _:
                return []

    def _arrive(
        self, event: Event, exprs: tuple[Expr, ...], active: int
    ) -> list[Statement]:
        address, count, announced, *reached = exprs
        ranks = reached[0] if reached else None
        if not isinstance(count, Constant):
            raise NotModelled(event.op, "an arrival count that is not constant")
        number = count.value * active
        announced = self.values.make.apply("mul", announced, Constant(active))
        return self._at(
            address,
            event.op,
            lambda at: Arrive(
                event.op, at, count=number, announced_bytes=announced, ranks=ranks
            ),
        )

    def _arrive_later(
        self, event: Event, exprs: tuple[Expr, ...], active: list[int]
    ) -> list[Statement]:
        """
        Arrivals when the copies so far are complete.

        They count at once, and bytes, one a lane, that an operation after the copies
        delivers hold the phase up: it is complete when it would be.
        """
        op = event.op
        if len(active) != WARP_LANES:
            raise NotModelled(op, "an arrival after cp.async of some lanes of a warp")
        address, count = exprs
        bytes = Constant(len(active))
        late = self._at(
            address,
            op,
            lambda at: Start(op, (), completes=at, bytes=bytes, after=event.queue),
        )
        arrive = replace(event, kind=Kind.ARRIVE)
        now = self._arrive(arrive, (address, count, Constant(1)), len(active))
        return [*late, *now]

    def _at(
        self, address: Expr, op: Operation, make: Callable[[SlotOf], Statement]
    ) -> list[Statement]:
        """An action on the mbarrier at an address, whichever it is."""
        made: list[Statement] = []
        for first, at in self.rings.at(address, op)[::-1]:
            action = make(at)
            if made:
                below = self.values.make.apply("lt", address, Constant(first))
                made = [Branch(below, (action,), tuple(made), op)]
            else:
                made = [action]
        return made

    def _copies(
        self, event: Event, exprs: tuple[Expr, ...], active: list[int]
    ) -> list[Statement]:
        make, op = self.values.make, event.op
        if self.values.varies(exprs[0]) and len(active) == 1:
            at_lane: dict[Expr, Expr] = {self.values.lane: Constant(active[0])}
            exprs = tuple(make.substitute(e, at_lane, {}) for e in exprs)
        address, size = exprs[:2]
        part = Interval(address, make.apply("add", address, size))
        if event.kind is Kind.LOAD:
            accesses = (self._async(part, write=True),)
            ranks = exprs[RANKS] if len(exprs) > RANKS else None
            return [
                start
                for _ in active
                for start in self._at(
                    exprs[2],
                    op,
                    lambda at: Start(
                        op, accesses, completes=at, bytes=size, ranks=ranks
                    ),
                )
            ]
        self._bulk_lanes |= set(active)
        return [
            Start(op, (self._async(part, write=False),), queue=self._queue(lane))
            for lane in active
        ]

    def _async(self, part: Interval, *, write: bool) -> Access:
        region = Region(self.memory.data, None, (part,))
        return Access(region, write, Proxy.ASYNC)

    def _queue(self, lane: int) -> str:
        """Every thread has bulk groups of its own."""
        return f"bulk of lane {lane}" if lane else "bulk"

    def _queues(self, event: Event, active: list[int]) -> list[str]:
        if event.queue != "bulk":
            return [event.queue]
        # A wait may stand before the first store of its loop. One by all lanes is of
        # interest for those that store.
        return [
            self._queue(lane)
            for lane in active
            if lane in self._bulk_lanes or len(active) == 1
        ]

    def _converged(self, event: Event, active: list[int]) -> None:
        """Refuse what all lanes have to execute where only some do."""
        if event.kind in (Kind.WARP_SYNC, Kind.WARP) and event.exprs:
            (mask,) = event.exprs
            if isinstance(mask, Constant):
                named = mask.value & 0xFFFFFFFF
                if all(lane in active for lane in range(32) if named >> lane & 1):
                    return
        if len(active) < WARP_LANES:
            raise Wrong(
                Refuted(
                    Rule.BARRIER_PARTICIPATION,
                    event.op,
                    f"{Rule.BARRIER_PARTICIPATION}: must be executed by all lanes of "
                    f"a warp, got {len(active)} of them in {agent_name(self.warp)}",
                    hint="take it out of the condition that lanes differ in",
                )
            )
