"""
Futures that loops carry, and the buffers that they stand for.

A *web* is the futures that take turns at the same buffers: names that `croq.swap`,
`croq.rotate` and loops give to one another. Its buffers become the slots of one array,
so that which buffer a future stands for is a number: its *place*, an order of which the
slot is the rest modulo the number of slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.future_loops import (
    Loop,
    body_of,
    carried_futures,
    future_results,
    initial_values,
    name_after,
    names_inside,
    next_values,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AnyOp,
    AwaitOp,
    CopyAsyncOp,
    DataOp,
    ForeachOp,
    FutureType,
    ParallelOp,
    PermuteOp,
    SelectOp,
    TileType,
)


@dataclass(eq=False)
class Web:
    """Futures that take turns at the same buffers."""

    tile: TileType
    """The type of each of the buffers."""

    origins: list[SSAValue] = field(default_factory=list[SSAValue])
    """The buffers in order of their slots: tiles of `alloc`, futures of `any`."""

    copies: list[CopyAsyncOp] = field(default_factory=list[CopyAsyncOp])
    """What fills a whole buffer."""

    awaits: list[AwaitOp] = field(default_factory=list[AwaitOp])

    @property
    def slots(self) -> int:
        """The number of buffers."""
        return len(self.origins)

    @property
    def awaits_by_name(self) -> bool:
        """
        Whether a copy is awaited under another name than that of its future, or in a
        condition.
        """
        return any(
            not isinstance(op.future.owner, CopyAsyncOp)
            or op.future.owner.parent is not op.parent
            for op in self.awaits
        )


class Order:
    """An order that is known at run time."""


@dataclass(frozen=True)
class Place:
    """The order `base + offset`; without a base, `offset` is the slot."""

    base: Order | None
    offset: int

    def moved(self, by: int, slots: int) -> Place:
        """The place so many slots further on."""
        return Place(self.base, (self.offset + by) % slots)


@dataclass(frozen=True)
class Carry:
    """An order that a loop carries in place of futures."""

    initial: Place
    following: Place
    inside: Order
    after: Order


@dataclass(frozen=True)
class Choice:
    """An order that a condition chooses in place of a future."""

    then: Place
    otherwise: Place
    chosen: Order


@dataclass(frozen=True)
class Webs:
    """The webs of a block, and the place of each of their futures."""

    of: dict[SSAValue, Web]
    """The web of a future, or of the tile of an `alloc`."""

    places: dict[SSAValue, Place]
    carries: dict[Operation, tuple[Carry, ...]]
    """What each loop carries in place of futures."""

    choices: dict[Operation, tuple[Choice | None, ...]]
    """
    For `croq.select`, and for each future that a condition results in: the order that
    is chosen; None where both are one buffer.
    """


def webs_of(block: ParallelOp) -> Webs:
    """
    Find the webs of a block; a located error where it is not known which buffer a
    future stands for.
    """
    found = _find(block)
    webs = Webs(found, {}, {}, {})
    if found:
        _Placing(webs).block(block.body.block)
    return webs


def _find(block: ParallelOp) -> dict[SSAValue, Web]:
    parents: dict[SSAValue, SSAValue] = {}
    seeds: list[SSAValue] = []

    def root(value: SSAValue) -> SSAValue:
        while (above := parents.get(value, value)) is not value:
            value = above
        return value

    def join(a: SSAValue, b: SSAValue) -> None:
        parents[root(b)] = root(a)

    ops = list(block.walk())
    for op in ops:
        match op:
            case AnyOp():
                seeds.append(op.future)
            case CopyAsyncOp():
                if (handle := filled(op)) is not None:
                    join(handle, op.future)
            case PermuteOp():
                for name, value in zip(op.results, op.permuted, strict=True):
                    join(value, name)
                    seeds.append(name)
            case SelectOp():
                join(op.first, op.second)
                join(op.first, op.chosen)
                seeds.append(op.chosen)
            case scf.IfOp():
                for i in future_results(op):
                    for region in op.regions:
                        join(yielded(region.block)[i], op.results[i])
                    seeds.append(op.results[i])
            case ForeachOp() | scf.ForOp() | scf.WhileOp():
                first, follow = initial_values(op), next_values(op)
                for i in carried_futures(op):
                    seeds.append(first[i])
                    names = *names_inside(op, i), name_after(op, i), follow[i]
                    for each in names:
                        join(first[i], each)
            case _:
                pass
    made: dict[SSAValue, Web] = {}
    for seed in seeds:
        if isinstance(kind := seed.type, FutureType):
            made.setdefault(root(seed), Web(kind.tile))
    found: dict[SSAValue, Web] = {}
    for value in (v for op in ops for v in _values(op)):
        if (web := made.get(root(value))) is None:
            continue
        found[value] = web
        match value.owner:
            case AllocOp() | AnyOp():
                web.origins.append(value)
            case CopyAsyncOp() as copy:
                web.copies.append(copy)
            case _:
                pass
    for op in ops:
        if isinstance(op, AwaitOp) and op.future in found:
            found[op.future].awaits.append(op)
    return found


def _values(op: Operation) -> list[SSAValue]:
    """The buffers and futures that an op defines, or its regions start with."""
    started = [
        a for region in op.regions for block in region.blocks for a in block.args
    ]
    return [
        value
        for value in (*op.results, *started)
        if isinstance(value.type, FutureType) or isinstance(op, AllocOp)
    ]


def filled(copy: CopyAsyncOp) -> SSAValue | None:
    """The whole buffer that a copy fills: an `alloc`, or the handle of `data`."""
    owner = copy.destination.owner
    if isinstance(owner, DataOp):
        return owner.future
    return copy.destination if isinstance(owner, AllocOp) else None


class _Placing:
    """Computes the places of the futures of webs."""

    def __init__(self, webs: Webs) -> None:
        self._of, self._places, self._carries = webs.of, webs.places, webs.carries
        self._choices = webs.choices

    def block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        match op:
            case AllocOp() | AnyOp():
                value = op.results[0]
                if (web := self._of.get(value)) is not None:
                    self._places[value] = Place(None, web.origins.index(value))
            case CopyAsyncOp() if op.future in self._of:
                handle = filled(op)
                if handle is not None:
                    self._places[op.future] = self._place(handle, op)
            case PermuteOp():
                places = [self._place(value, op) for value in op.permuted]
                self._places.update(zip(op.results, places, strict=True))
            case SelectOp():
                both = self._place(op.first, op), self._place(op.second, op)
                self._choices[op] = (
                    self._choose(op.chosen, *both, both[0] == both[1]),
                )
            case scf.IfOp():
                self._if(op)
            case ForeachOp() | scf.ForOp() | scf.WhileOp():
                self._loop(op)
            case _:
                for value in _values(op):
                    fail(
                        op,
                        f"must not hand on a future, got {value.type}",
                        hint="croq.foreach carries futures, croq.select and scf.if "
                        "choose one",
                    )
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block)

    def _choose(
        self, value: SSAValue, then: Place, otherwise: Place, same: bool
    ) -> Choice | None:
        """Place what is one of two futures; the order that says which."""
        if same:
            self._places[value] = then
            return None
        order = Order()
        self._places[value] = Place(order, 0)
        return Choice(then, otherwise, order)

    def _if(self, op: scf.IfOp) -> None:
        outside = {place.base for place in self._places.values()}
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
        choices: list[Choice | None] = []
        for i in future_results(op):
            then, other = (
                self._place(yielded(region.block)[i], op) for region in op.regions
            )
            same = then == other and (then.base is None or then.base in outside)
            choices.append(self._choose(op.results[i], then, other, same))
        self._choices[op] = tuple(choices)

    def _place(self, value: SSAValue, user: Operation) -> Place:
        place = self._places.get(value)
        if place is None:
            owner = value.owner
            notes: list[tuple[Operation, str]] = []
            if isinstance(owner, CopyAsyncOp):
                notes.append((owner, "the copy is started here"))
            fail(
                user,
                "must hand on futures of copies that fill a whole shared buffer, got "
                "another one",
                hint="copy to a croq.alloc, or to the croq.data of a future",
                notes=notes,
            )
        return place

    def _loop(self, loop: Loop) -> None:
        numbers = carried_futures(loop)
        first = initial_values(loop)
        entry = [self._place(first[i], loop) for i in numbers]
        groups: dict[Web, list[int]] = {}
        for position, i in enumerate(numbers):
            groups.setdefault(self._of[first[i]], []).append(position)
        together = {
            web for web, own in groups.items() if len({entry[p].base for p in own}) == 1
        }
        while True:
            inside = self._enter(loop, numbers, entry, groups, together)
            self.block(body_of(loop))
            follow = next_values(loop)
            last = [self._place(follow[i], loop) for i in numbers]
            apart = {
                web
                for web in together
                if not _turns(web, [(entry[p], last[p]) for p in groups[web]])
            }
            if not apart:
                break
            together -= apart
        carries: list[Carry] = []
        for web, own in groups.items():
            if web in together:
                start, then = entry[own[0]], last[own[0]]
                step = then.moved(-start.offset, web.slots)
                orders = [(Place(start.base, 0), step, own)]
            else:
                orders = [(entry[p], last[p], [p]) for p in own]
            for initial, following, positions in orders:
                order = inside[positions[0]].base
                assert order is not None
                after = Order()
                carries.append(Carry(initial, following, order, after))
                for p in positions:
                    place = Place(after, inside[p].offset)
                    self._places[name_after(loop, numbers[p])] = place
        self._carries[loop] = tuple(carries)

    def _enter(
        self,
        loop: Loop,
        numbers: Sequence[int],
        entry: Sequence[Place],
        groups: dict[Web, list[int]],
        together: set[Web],
    ) -> list[Place]:
        """The places of the futures inside a loop: of one order, or each of its own."""
        inside = [Place(Order(), 0) for _ in entry]
        for web in together:
            order = Order()
            for p in groups[web]:
                inside[p] = Place(order, entry[p].offset)
        for i, place in zip(numbers, inside, strict=True):
            for name in names_inside(loop, i):
                self._places[name] = place
        return inside


def _turns(web: Web, moves: Sequence[tuple[Place, Place]]) -> bool:
    """Whether all futures go on by the same number of slots from one base."""
    bases = {last.base for _, last in moves}
    steps = {(last.offset - first.offset) % web.slots for first, last in moves}
    return len(bases) == len(steps) == 1
