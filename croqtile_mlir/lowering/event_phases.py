"""
The form `[slot]` of waits: one phase bit for each slot, carried by each scope.

`croq.wait %e[i]` waits for the next generation of the slot that its scope has not
waited for. The scope keeps the parity of that generation for every slot in the bits of
an i32, which goes through every `foreach`, `scf.for`, `scf.while` and `scf.if` around a
wait. The bits start at 0, those of a `ready` event at 1: its generation 0 is the phase
before the first of the mbarrier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    EventOp,
    ForeachOp,
    RoleOp,
    WaitOp,
    YieldOp,
    event_type,
)
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    loop_like,
    replace_values,
    while_like,
)

PHASE_BITS = 32
"""Slots whose phases fit in the word that a scope carries."""

State = dict[SSAValue, SSAValue | int]
"""The phases of each event: a word, or its value when that is known."""

LowerWait = Callable[[WaitOp, SSAValue], None]
"""Replaces a wait, given the parity (i32) to wait for."""


@dataclass(frozen=True)
class SlotWaits:
    """Carries phases through the code of a scope and lowers the waits it finds."""

    lower: LowerWait

    def run(self, body: Block) -> None:
        """Lower the waits of the form `[slot]` in the body of a role or a block."""
        events = self._events(body.parent_op())
        self._block(body, {event: _initial(event) for event in events})

    def _events(self, op: Operation | None) -> list[SSAValue]:
        """The events that the scope waits for inside an op by slot, in order."""
        if op is None:
            return []
        waits = _waits(op)
        by_slot = {w.event: w for w in waits if w.position.by_slot}
        for wait in waits:
            if not wait.position.by_slot and wait.event in by_slot:
                fail(
                    wait,
                    "must name the generations of its event as the other waits of the "
                    "scope do, got `at` and `[slot]`",
                    notes=[(by_slot[wait.event], "waited for by slot here")],
                )
        return list(by_slot)

    def _block(self, block: Block, state: State) -> None:
        """Lower the waits of a block; `state` is that of its end afterwards."""
        for op in list(block.ops):
            if isinstance(op, RoleOp):
                continue
            if isinstance(op, WaitOp):
                if op.position.by_slot:
                    self._wait(op, state)
            elif op.regions and (events := self._events(op)):
                self._nested(op, events, state)

    def _nested(self, op: Operation, events: list[SSAValue], state: State) -> None:
        match op:
            case ForeachOp() | scf.ForOp():
                self._loop(op, events, state)
            case scf.IfOp():
                self._if(op, events, state)
            case scf.WhileOp():
                self._while(op, events, state)
            case _:
                wait = next(w for w in _waits(op) if w.event in events)
                fail(
                    wait,
                    "with [slot] must be inside foreach, scf.for, scf.while and scf.if "
                    f"only, got it inside {op.name}",
                    hint="name the generation: croq.wait %event at %order",
                    notes=[(op, "its phase cannot be carried out of here")],
                )

    def _wait(self, wait: WaitOp, state: State) -> None:
        slots = event_type(wait.event).slots
        if not isinstance(slots, int) or slots > PHASE_BITS:
            fail(
                wait,
                f"with [slot] must be on an event of at most {PHASE_BITS} slots, got "
                f"{slots}",
                hint="name the generation: croq.wait %event at %order",
            )
        builder = LocatedBuilder.before(wait)
        phases, slot = state[wait.event], wait.position.base
        if isinstance(slot, str):
            fail(wait, f"slot must be an integer or an index value, got {slot}")
        if isinstance(phases, int) and isinstance(slot, int):
            parity = builder.i32(phases >> slot & 1)
            state[wait.event] = phases ^ (1 << slot)
        else:
            word = _word(builder, phases)
            index = builder.cast(slot, i32) if isinstance(slot, SSAValue) else slot
            parity = word
            if slots > 1:
                parity = builder.and_(builder.shr(word, index), 1)
                parity.name_hint = "parity"
            bit = _signed(1 << index) if isinstance(index, int) else None
            flipped = builder.xor(word, builder.shl(1, index) if bit is None else bit)
            flipped.name_hint = "phases"
            state[wait.event] = flipped
        self.lower(wait, parity)

    def _loop(
        self, loop: ForeachOp | scf.ForOp, events: Sequence[SSAValue], state: State
    ) -> None:
        builder = LocatedBuilder.before(loop)
        initial = [_word(builder, state[event]) for event in events]
        body = loop.detach_region(loop.body)
        self._carry(body.block, events, state)
        carried = [*loop.iter_args, *initial]
        new = builder.insert(loop_like(loop, carried, body))
        self._replace(loop, new, events, state)

    def _while(self, op: scf.WhileOp, events: Sequence[SSAValue], state: State) -> None:
        """The condition hands the phases on, and the body hands them back."""
        builder = LocatedBuilder.before(op)
        initial = [_word(builder, state[event]) for event in events]
        before, after = op.before_region, op.after_region
        for region in (before, after):
            self._carry(region.block, events, state)
        regions = [op.detach_region(region) for region in (before, after)]
        types = [*(r.type for r in op.results), *(i32 for _ in events)]
        new = builder.insert(while_like(op, [*op.arguments, *initial], types, regions))
        self._replace(op, new, events, state)

    def _carry(self, block: Block, events: Sequence[SSAValue], state: State) -> None:
        """Let a block take the phases as arguments, and hand them on."""
        inner = dict(state)
        for event in events:
            arg = block.insert_arg(i32, len(block.args))
            arg.name_hint = "phases"
            inner[event] = arg
        self._block(block, inner)
        _extend_yield(block, [inner[event] for event in events])

    def _if(self, op: scf.IfOp, events: Sequence[SSAValue], state: State) -> None:
        builder = LocatedBuilder.before(op)
        then, otherwise = (
            self._branch(op, region, events, state)
            for region in (op.true_region, op.false_region)
        )
        types = [*(r.type for r in op.results), *(i32 for _ in events)]
        new = builder.insert(scf.IfOp(op.cond, types, then, otherwise))
        self._replace(op, new, events, state)

    def _branch(
        self, op: scf.IfOp, region: Region, events: Sequence[SSAValue], state: State
    ) -> Region:
        op.detach_region(region)
        if not region.blocks:
            block = Block()
            LocatedBuilder.at_end(block, op.location).insert(scf.YieldOp())
            region.add_block(block)
        inner = dict(state)
        self._block(region.block, inner)
        _extend_yield(region.block, [inner[event] for event in events])
        return region

    def _replace(
        self,
        old: Operation,
        new: Operation,
        events: Sequence[SSAValue],
        state: State,
    ) -> None:
        new.attributes |= old.attributes
        count = len(old.results)
        for event, phases in zip(events, new.results[count:], strict=True):
            phases.name_hint = "phases"
            state[event] = phases
        replace_values(old, new.results[:count])


def _initial(event: SSAValue) -> int:
    """The phases that a scope starts with."""
    owner = event.owner
    slots = event_type(event).slots
    if not isinstance(owner, EventOp) or owner.ready is None or isinstance(slots, str):
        return 0
    return (1 << slots) - 1


def _waits(op: Operation) -> list[WaitOp]:
    """The waits inside an op, but for those in a role inside it."""
    found: list[WaitOp] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if isinstance(inner, WaitOp):
                    found.append(inner)
                elif not isinstance(inner, RoleOp):
                    found += _waits(inner)
    return found


def _word(builder: LocatedBuilder, phases: SSAValue | int) -> SSAValue:
    return phases if isinstance(phases, SSAValue) else builder.i32(_signed(phases))


def _signed(word: int) -> int:
    """The value of 32 bits as the attribute of an i32 holds it."""
    return word - (1 << PHASE_BITS) if word >> (PHASE_BITS - 1) else word


def _extend_yield(block: Block, phases: Sequence[SSAValue | int]) -> None:
    last = block.last_op
    if not isinstance(last, YieldOp | scf.YieldOp | scf.ConditionOp):
        raise ValueError("a loop or condition must end with a yield")
    builder = LocatedBuilder.before(last)
    words = [_word(builder, p) for p in phases]
    match last:
        case scf.ConditionOp():
            builder.insert(scf.ConditionOp(last.condition, *last.args, *words))
        case YieldOp():
            builder.insert(YieldOp([*last.operands, *words]))
        case _:
            builder.insert(scf.YieldOp(*last.operands, *words))
    last.detach()
    last.erase()
