"""The mbarriers of a kernel of hardware level: rings of those initialised alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.hardware.events import (
    Event,
    For,
    If,
    Kind,
    Step,
    walk,
)
from croqtile_mlir.analysis.sync.hardware.lanes import Lanes
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import (
    Barrier,
    Constant,
    Expr,
    SlotOf,
    Unknown,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule

MBARRIER_BYTES = 8


@dataclass(frozen=True)
class Initialised:
    """An mbarrier, and the op that initialises it."""

    address: int
    count: int
    op: Operation
    name: str


@dataclass
class Rings:
    """Finds the mbarrier that an address belongs to."""

    values: Values
    lanes: Lanes
    rings: list[tuple[int, Barrier]] = field(default_factory=list[tuple[int, Barrier]])

    def read(self, steps: Sequence[Step]) -> None:
        """Collect what a kernel initialises."""
        found: dict[int, Initialised] = {}
        for one in self._initialised(steps, 0):
            before = found.setdefault(one.address, one)
            if before is not one and before.op is not one.op:
                raise NotModelled(one.op, "an mbarrier that is initialised twice")
        ring: list[Initialised] = []
        for one in sorted(found.values(), key=lambda one: one.address):
            if ring and not _continues(ring[-1], one):
                self._close(ring)
                ring = []
            ring.append(one)
        if ring:
            self._close(ring)

    def _close(self, ring: list[Initialised]) -> None:
        first = ring[0]
        name = first.name or f"mbarrier at byte {first.address}"
        made = Barrier(name, len(ring), first.count, first.op)
        self.rings.append((first.address, made))

    def _initialised(self, steps: Sequence[Step], depth: int) -> Iterator[Initialised]:
        for step in steps:
            match step:
                case Event() if step.kind is Kind.INIT:
                    yield from self._each(step)
                case For():
                    if _has_init(step.body):
                        if self.lanes.enter(step, depth) is None:
                            raise NotModelled(
                                step.op, "a loop over mbarriers of unknown number"
                            )
                        yield from self._initialised(step.body, depth + 1)
                case If():
                    yield from self._initialised(step.then, depth)
                    yield from self._initialised(step.otherwise, depth)
                case Event():
                    pass

    def _each(self, step: Event) -> Iterator[Initialised]:
        import numpy as np

        address, count = step.exprs
        if not all(map(self.lanes.is_static, step.exprs)):
            raise NotModelled(step.op, "the address or count of an mbarrier")
        addresses, counts = np.broadcast_arrays(
            self.lanes.array(address), self.lanes.array(count)
        )
        pairs = {
            (int(a), int(c)) for a, c in zip(addresses.flat, counts.flat, strict=True)
        }
        name = step.op.operands[0].name_hint or ""
        for where, arrivals in sorted(pairs):
            yield Initialised(where, arrivals, step.op, name)
            name = ""

    def at(self, address: Expr, op: Operation) -> list[tuple[int, SlotOf]]:
        """
        The mbarriers that may be at an address, in order of theirs.

        With each comes the address from which on it is one of those that follow.
        """
        make = self.values.make
        low, high = make.range(address)
        found: list[tuple[int, SlotOf]] = []
        for first, ring in self.rings:
            end = first + MBARRIER_BYTES * ring.slots
            if low < end and high >= first:
                offset = make.apply("sub", address, Constant(first))
                slot = make.apply("floordiv", offset, Constant(MBARRIER_BYTES))
                found.append((end, SlotOf(ring, slot)))
        if not found or isinstance(address, Unknown):
            raise NotModelled(op, "an mbarrier at an address that is not known")
        return found


def hidden_initialisation(steps: Sequence[Step], values: Values) -> Refuted | None:
    """
    Whether TMA may count on an mbarrier before it sees that it is initialised.

    The async proxy sees it after a fence (PTX ISA, "Async proxy"). An mbarrier that
    only threads use needs none.
    """
    make = values.make
    hidden: list[tuple[float, float, Event]] = []
    """Mbarriers without a fence since their initialisation: first and last address."""

    for event in walk(steps):
        if not isinstance(event, Event):
            continue
        match event.kind:
            case Kind.INIT:
                hidden.append((*make.range(event.exprs[0]), event))
            case Kind.INIT_FENCE | Kind.FENCE:
                hidden.clear()
            case Kind.LOAD:
                low, high = make.range(event.exprs[2])
                for first, last, init in hidden:
                    if low <= last and first <= high:
                        return _hidden(event, init)
            case _:
                pass
    return None


def _hidden(load: Event, init: Event) -> Refuted:
    return Refuted(
        Rule.MISSING_FENCE,
        load.op,
        f"{Rule.MISSING_FENCE}: must count on an mbarrier that the async proxy sees "
        "initialised, got no fence between",
        notes=((init.op, "the mbarrier is initialised here"),),
        hint="put nvvm.fence.mbarrier.init after nvvm.mbarrier.init",
    )


def _has_init(steps: Sequence[Step]) -> bool:
    return any(isinstance(s, Event) and s.kind is Kind.INIT for s in walk(steps))


def _continues(last: Initialised, following: Initialised) -> bool:
    return (
        following.address == last.address + MBARRIER_BYTES
        and following.count == last.count
        and not following.name
    )
