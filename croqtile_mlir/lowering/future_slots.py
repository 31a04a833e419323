"""
Futures that loops carry become orders: numbers of slots of an array of buffers.

    %f = croq.any : ..                     %a = croq.alloc : !croq.tile<2x..>
    %r:2 = croq.foreach .. iter(           %r = croq.foreach .. iter(%i = %zero) {
        %cur = %g, %next = %f) {      ->
      %t = croq.data %cur                    %t = croq.slot %a at %i
      %c, %n = croq.swap %cur, %next         %j = arith.addi %i, %one
      croq.yield %c, %n                      croq.yield %j
    }                                      }

The futures of one web go on together where they can: then a loop carries one order for
all of them, and it is known which two are never the same buffer. Otherwise each has an
order of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.future_lives import misuse_of_lives
from croqtile_mlir.analysis.future_loops import (
    Loop,
    carried_futures,
    future_results,
    handed_on,
    initial_values,
)
from croqtile_mlir.analysis.future_webs import Order, Place, Web, Webs, webs_of
from croqtile_mlir.analysis.scopes import block_of, blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AnyOp,
    AwaitOp,
    CopyAsyncOp,
    DataOp,
    Engine,
    EventOp,
    EventType,
    ForeachOp,
    FutureType,
    ParallelOp,
    PermuteOp,
    Position,
    SelectOp,
    SlotOp,
    TriggerOp,
    WaitOp,
    YieldOp,
)
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    loop_like,
    replace_values,
    while_like,
)


def carries_futures(root: Operation) -> bool:
    """Whether anything in an op hands on a future under another name."""
    return any(
        isinstance(op, AnyOp | PermuteOp | SelectOp)
        or (isinstance(op, Loop) and carried_futures(op))
        or (isinstance(op, scf.IfOp) and future_results(op))
        for op in root.walk()
    )


def futures_to_slots(root: Operation) -> None:
    """
    Replace futures that are carried or permuted by slots of arrays; in place.

    A copy that is awaited under another name completes on an event of as many slots; by
    threads it is complete at once. Misuse is a located error.
    """
    if not carries_futures(root):
        return
    for block in blocks_in(root):
        webs = webs_of(block)
        if (found := misuse_of_lives(block, webs)) is not None:
            fail(found.op, found.message, hint=found.hint, notes=found.notes)
        webs_to_slots(block, webs)


def webs_to_slots(block: ParallelOp, webs: Webs) -> frozenset[SSAValue]:
    """Replace the futures of the webs of a block; the events that they complete on."""
    slots = _Slots(block, webs)
    if webs.of:
        slots.run()
    return frozenset(slots.events.values())


def new_event(op: Operation, slots: int = 1) -> SSAValue:
    """An event for the copies of an op, after those at the head of the block."""
    body = block_of(op).body.block
    point = body.first_op
    while isinstance(point, EventOp):
        point = point.next_op
    builder = LocatedBuilder.at_start(body, op.location)
    if point is not None:
        builder = LocatedBuilder.before(point)
        builder.location = op.location
    event = builder.insert(EventOp(EventType(slots))).event
    event.name_hint = "landed"
    return event


@dataclass
class _Slots:
    """Rewrites the webs of a block."""

    around: ParallelOp
    webs: Webs
    arrays: dict[Web, SSAValue] = field(default_factory=dict[Web, SSAValue])
    events: dict[Web, SSAValue] = field(default_factory=dict[Web, SSAValue])
    orders: dict[Order, SSAValue] = field(default_factory=dict[Order, SSAValue])
    dead: list[Operation] = field(default_factory=list[Operation])
    """Ops whose results nothing uses in the end, each before those that use it."""

    stand_ins: list[AnyOp] = field(default_factory=list[AnyOp])

    def run(self) -> None:
        body = self.around.body.block
        for web in dict.fromkeys(self.webs.of.values()):
            self.arrays[web] = self._array(web)
            if web.awaits_by_name and not _at_once(web):
                self.events[web] = new_event(web.copies[0], web.slots)
        self._block(body)
        for op in (*reversed(self.dead), *self.stand_ins):
            op.detach()
            op.erase()

    def _array(self, web: Web) -> SSAValue:
        origin = web.origins[0]
        point = self.around.body.block.first_op
        while isinstance(point, EventOp):
            point = point.next_op
        assert point is not None
        builder = LocatedBuilder.before(point)
        builder.location = _owner(origin).location
        kind = web.tile.with_shape([web.slots, *web.tile.dims])
        array = builder.insert(AllocOp(kind)).tile
        array.name_hint = origin.name_hint
        return array

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            self._op(op)

    def _op(self, op: Operation) -> None:
        places, of = self.webs.places, self.webs.of
        match op:
            case AllocOp() if op.tile in of:
                slot = self._slot(LocatedBuilder.before(op), op.tile)
                replace_values(op, [slot])
            case AnyOp() | PermuteOp():
                if op not in self.stand_ins:
                    self.dead.append(op)
            case DataOp() if op.future in places:
                slot = self._slot(LocatedBuilder.before(op), op.future)
                replace_values(op, [slot])
            case CopyAsyncOp() if op.future in of and of[op.future].awaits_by_name:
                self._started(op)
            case AwaitOp() if op.future in of and of[op.future].awaits_by_name:
                self._awaited(op)
            case SelectOp():
                self._select(op)
            case scf.IfOp() if self.webs.choices.get(op):
                self._if(op)
            case ForeachOp() | scf.ForOp() if op in self.webs.carries:
                self._loop(op)
            case scf.WhileOp() if self.webs.carries.get(op):
                self._while(op)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        self._block(block)

    def _slot(self, builder: LocatedBuilder, value: SSAValue) -> SSAValue:
        """The buffer that a future stands for."""
        place = self.webs.places[value]
        array = self.arrays[self.webs.of[value]]
        position = Position(place.offset, by_slot=True)
        if place.base is not None:
            position = Position(self.orders[place.base], place.offset)
        return builder.insert(SlotOp(array, position)).result

    def _number(self, builder: LocatedBuilder, value: SSAValue) -> Position:
        """The slot of the event that belongs to the buffer of a future."""
        place = self.webs.places[value]
        if place.base is None:
            return Position(place.offset, by_slot=True)
        order = builder.add(self.orders[place.base], place.offset)
        slots = self.webs.of[value].slots
        return Position(builder.urem(order, slots), by_slot=True)

    def _started(self, copy: CopyAsyncOp) -> None:
        web = self.webs.of[copy.future]
        if any(isinstance(use.operation, TriggerOp) for use in copy.future.uses):
            return
        builder = LocatedBuilder.after(copy)
        if web in self.events:
            # Before the copy: its bytes are announced before it starts.
            position = self._number(LocatedBuilder.before(copy), copy.future)
            builder.insert(TriggerOp(self.events[web], position, [copy.future]))
            return
        plain = copy.as_copy()
        plain.attributes |= copy.attributes
        builder.insert(plain)
        replace_values(copy, [self._stand_in(builder, copy.future)])

    def _awaited(self, op: AwaitOp) -> None:
        web = self.webs.of[op.future]
        if web in self.events:
            builder = LocatedBuilder.before(op)
            position = self._number(builder, op.future)
            builder.insert(WaitOp(self.events[web], position))
        replace_values(op, ())

    def _stand_in(self, builder: LocatedBuilder, value: SSAValue) -> SSAValue:
        """A future that keeps the uses of one until they are gone."""
        assert isinstance(value.type, FutureType)
        made = builder.insert(AnyOp(value.type))
        self.webs.of[made.future] = self.webs.of[value]
        self.webs.places[made.future] = self.webs.places[value]
        self.stand_ins.append(made)
        return made.future

    def _order(self, builder: LocatedBuilder, place: Place) -> SSAValue:
        """The order of a place."""
        if place.base is None:
            return builder.index(place.offset)
        return builder.add(self.orders[place.base], place.offset)

    def _select(self, op: SelectOp) -> None:
        (choice,) = self.webs.choices[op]
        if choice is not None:
            builder = LocatedBuilder.before(op)
            then, other = (
                self._order(builder, p) for p in (choice.then, choice.otherwise)
            )
            order = builder.select(op.condition, then, other)
            order.name_hint = order.name_hint or "order"
            self.orders[choice.chosen] = order
        self.dead.append(op)

    def _if(self, op: scf.IfOp) -> None:
        """A condition that results in orders in place of futures."""
        numbers = future_results(op)
        choices = [c for c in self.webs.choices[op] if c is not None]
        kept = [i for i in range(len(op.results)) if i not in numbers]
        for region in op.regions:
            self._block(region.block)
        for region, places in zip(
            op.regions,
            ([c.then for c in choices], [c.otherwise for c in choices]),
            strict=True,
        ):
            self._hand_on(region.block, kept, places)
        types = [*(op.results[i].type for i in kept), *(IndexType() for _ in choices)]
        then, other = (op.detach_region(region) for region in list(op.regions))
        new = LocatedBuilder.before(op).insert(scf.IfOp(op.cond, types, then, other))
        new.attributes |= op.attributes
        for choice, result in zip(choices, new.results[len(kept) :], strict=True):
            result.name_hint = "order"
            self.orders[choice.chosen] = result
        self._rename(op, kept, LocatedBuilder.after(new), new.results)

    def _rename(
        self,
        op: Operation,
        kept: Sequence[int],
        after: LocatedBuilder,
        results: Sequence[SSAValue],
    ) -> None:
        """Let results that are no futures go on under their names; erase the old op."""
        for i, result in enumerate(list(op.results)):
            if i not in kept:
                result.replace_all_uses_with(self._stand_in(after, result))
            else:
                own = results[kept.index(i)]
                own.name_hint = result.name_hint
                result.replace_all_uses_with(own)
        op.detach()
        op.erase()

    def _loop(self, loop: ForeachOp | scf.ForOp) -> None:
        numbers, carries = carried_futures(loop), self.webs.carries[loop]
        kept = [i for i in range(len(loop.iter_args)) if i not in numbers]
        before = LocatedBuilder.before(loop)
        initial = [self._order(before, c.initial) for c in carries]
        region = loop.detach_region(loop.body)
        body = region.block
        start = LocatedBuilder.at_start(body, loop.location)
        for i in reversed(numbers):
            argument = body.args[i + 1]
            argument.replace_all_uses_with(self._stand_in(start, argument))
            body.erase_arg(argument)
        for carry in carries:
            order = body.insert_arg(IndexType(), len(body.args))
            order.name_hint = "order"
            self.orders[carry.inside] = order
        self._block(body)
        self._hand_on(body, kept, [c.following for c in carries])
        carried = [*(loop.iter_args[i] for i in kept), *initial]
        new = before.insert(loop_like(loop, carried, region))
        for carry, result in zip(carries, new.results[len(kept) :], strict=True):
            result.name_hint = "order"
            self.orders[carry.after] = result
        self._rename(loop, kept, LocatedBuilder.after(new), new.results)

    def _while(self, loop: scf.WhileOp) -> None:
        """The first region hands orders on, as it did with futures."""
        numbers, carries = carried_futures(loop), self.webs.carries[loop]
        gone = {handed_on(loop, i) for i in numbers}
        kept = [i for i in range(len(loop.results)) if i not in gone]
        before = LocatedBuilder.before(loop)
        first = initial_values(loop)
        arguments = [
            *(value for i, value in enumerate(first) if i not in numbers),
            *(self._order(before, carry.initial) for carry in carries),
        ]
        test, body = (loop.detach_region(region) for region in list(loop.regions))
        condition = test.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        orders = [
            test.block.insert_arg(IndexType(), len(test.block.args)) for _ in carries
        ]
        values = [*(condition.args[i] for i in kept), *orders]
        LocatedBuilder.before(condition).insert(
            scf.ConditionOp(condition.operands[0], *values)
        )
        condition.detach()
        condition.erase()
        for i in reversed(numbers):
            test.block.erase_arg(test.block.args[i])
        start = LocatedBuilder.at_start(body.block, loop.location)
        for i in sorted(gone, reverse=True):
            argument = body.block.args[i]
            argument.replace_all_uses_with(self._stand_in(start, argument))
            body.block.erase_arg(argument)
        for carry in carries:
            order = body.block.insert_arg(IndexType(), len(body.block.args))
            order.name_hint = "order"
            self.orders[carry.inside] = order
        self._block(body.block)
        others = [i for i in range(len(first)) if i not in numbers]
        self._hand_on(body.block, others, [c.following for c in carries])
        types = [*(loop.results[i].type for i in kept), *(IndexType() for _ in carries)]
        new = before.insert(while_like(loop, arguments, types, [test, body]))
        for carry, result in zip(carries, new.results[len(kept) :], strict=True):
            result.name_hint = "order"
            self.orders[carry.after] = result
        self._rename(loop, kept, LocatedBuilder.after(new), new.results)

    def _hand_on(
        self, body: Block, kept: Sequence[int], places: Sequence[Place]
    ) -> None:
        """Yield orders in place of futures."""
        last = body.last_op
        assert isinstance(last, YieldOp | scf.YieldOp)
        builder = LocatedBuilder.before(last)
        orders = [self._order(builder, place) for place in places]
        values = [*(last.operands[i] for i in kept), *orders]
        builder.insert(
            YieldOp(values) if isinstance(last, YieldOp) else scf.YieldOp(*values)
        )
        last.detach()
        last.erase()


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _at_once(web: Web) -> bool:
    """Whether threads make all copies, which then are complete at once."""
    return all(copy.engine.data is Engine.Threads for copy in web.copies)
