"""
Elements of register tiles as SSA values: each load takes what was stored last.

Loops and conditions carry the elements that are stored inside them and read later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.analysis.register_elements import (
    Liveness,
    Place,
    element_places,
    register_tiles,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    ForeachOp,
    KernelOp,
    LoadOp,
    StoreOp,
    ViewOp,
    YieldOp,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import ZeroOp
from croqtile_mlir.lowering.elementwise_threads import zero_of
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like, replace_values

State = dict[Place, SSAValue]
"""What the elements hold."""


def promote(kernel: KernelOp) -> None:
    """Replace the register tiles of a kernel whose indices are all constant."""
    if not register_tiles(kernel):
        return
    places = element_places(kernel)
    liveness = Liveness(places)
    liveness.before(kernel.body.block, frozenset())
    _Promotion(liveness).block(kernel.body.block, {})
    _drop_unused(kernel)


def _drop_unused(kernel: KernelOp) -> None:
    for op in list(kernel.walk(reverse=True)):
        if isinstance(op, ViewOp | AllocOp) and op.results[0].first_use is None:
            if tile_type(op.results[0]).memory_space.value == "register":
                op.detach()
                op.erase()


@dataclass(frozen=True)
class _Promotion:
    """Walks a kernel with what the elements hold."""

    liveness: Liveness

    def block(self, block: Block, state: State) -> None:
        """Replace the accesses of a block; `state` is that of its end afterwards."""
        for op in list(block.ops):
            if isinstance(op, AllocOp):
                for place in [p for p in state if p[0] is op.tile]:
                    del state[place]
            elif op in self.liveness.places:
                self._access(op, self.liveness.places[op], state)
            elif op.regions:
                self._nested(op, state)

    def _access(self, op: Operation, place: Place, state: State) -> None:
        if isinstance(op, StoreOp):
            state[place] = op.value
            _name(op.value, place)
            op.detach()
            op.erase()
            return
        if (value := state.get(place)) is None:
            buffer, at = place
            fail(
                op,
                "must load an element that was stored to before, got element "
                f"[{', '.join(map(str, at))}] without a value",
                hint="croq.fill gives all elements of a tile one",
                notes=[(buffer, "the register tile is here")],
            )
        if isinstance(op, LoadOp):
            replace_values(op, [value])

    def _nested(self, op: Operation, state: State) -> None:
        stored = self.liveness.stored.get(op, frozenset())
        kept = self.liveness.after.get(op, frozenset())
        if isinstance(op, scf.IfOp):
            carried = sorted(stored & kept, key=_order)
            self._if(op, carried, state)
        elif isinstance(op, ForeachOp | scf.ForOp | scf.WhileOp):
            # What an iteration reads first is read after the iteration before.
            kept = kept | self._read_first(op)
            carried = sorted(stored & kept, key=_order)
            for place in stored - kept:
                state.pop(place, None)
            if isinstance(op, scf.WhileOp):
                self._while(op, carried, state)
            else:
                self._loop(op, carried, state)
        else:
            for region in op.regions:
                for block in region.blocks:
                    self.block(block, state)

    def _read_first(self, op: Operation) -> frozenset[Place]:
        flow = Liveness(self.liveness.places)
        found: frozenset[Place] = frozenset()
        for region in op.regions:
            found |= flow.before(region.block, frozenset())
        return found

    def _loop(
        self, loop: ForeachOp | scf.ForOp, carried: Sequence[Place], state: State
    ) -> None:
        if not carried:
            self.block(loop.body.block, dict(state))
            return
        builder = LocatedBuilder.before(loop)
        initial = [_value(builder, place, state) for place in carried]
        body = loop.detach_region(loop.body)
        inner = dict(state)
        _add_arguments(body.block, carried, inner)
        self.block(body.block, inner)
        _extend_yield(body.block, carried, inner)
        new = builder.insert(loop_like(loop, [*loop.iter_args, *initial], body))
        _replace(loop, new, carried, state)

    def _while(
        self, op: scf.WhileOp, carried: Sequence[Place], state: State
    ) -> None:
        """The condition hands the values on, and the body hands them back."""
        builder = LocatedBuilder.before(op)
        initial = [_value(builder, place, state) for place in carried]
        before, after = op.before_region, op.after_region
        for region in (before, after):
            inner = dict(state)
            _add_arguments(region.block, carried, inner)
            self.block(region.block, inner)
            _extend_yield(region.block, carried, inner)
        if not carried:
            return
        for region in (before, after):
            op.detach_region(region)
        types = [*(r.type for r in op.results), *(value.type for value in initial)]
        new = builder.insert(
            scf.WhileOp([*op.arguments, *initial], types, before, after)
        )
        _replace(op, new, carried, state)

    def _if(self, op: scf.IfOp, carried: Sequence[Place], state: State) -> None:
        builder = LocatedBuilder.before(op)
        regions: list[Region] = []
        for region in (op.true_region, op.false_region):
            if not region.blocks and not carried:
                continue
            if not region.blocks:
                block = Block()
                LocatedBuilder.at_end(block, op.location).insert(scf.YieldOp())
                region.add_block(block)
            inner = dict(state)
            self.block(region.block, inner)
            _extend_yield(region.block, carried, inner)
            regions.append(region)
        if not carried:
            return
        for region in regions:
            op.detach_region(region)
        types = [*(r.type for r in op.results)]
        types += [tile_type(place[0]).element_type for place in carried]
        new = builder.insert(scf.IfOp(op.cond, types, *regions))
        _replace(op, new, carried, state)


def _order(place: Place) -> tuple[int, tuple[int, ...]]:
    """By buffers as they come in the program, then by indices."""
    buffer, at = place
    return _number(buffer.owner), at


def _number(owner: Operation | Block) -> int:
    """Where a buffer is among the ops around it."""
    assert isinstance(owner, Operation)
    return sum(1 for _ in _ops_before(owner))


def _ops_before(op: Operation):
    while (before := op.prev_op) is not None:
        yield before
        op = before


def _value(builder: LocatedBuilder, place: Place, state: State) -> SSAValue:
    """What an element holds; zero where nothing was stored, which is not read."""
    if (known := state.get(place)) is not None:
        return known
    element = tile_type(place[0]).element_type
    if isa(element, IntegerType) and element.bitwidth < 32:
        return builder.insert(ZeroOp(element)).result
    return zero_of(builder, element)


def _name(value: SSAValue, place: Place) -> None:
    buffer, at = place
    if value.name_hint is None and buffer.name_hint is not None:
        value.name_hint = "_".join((buffer.name_hint, *map(str, at)))


def _add_arguments(block: Block, carried: Sequence[Place], state: State) -> None:
    for place in carried:
        element = tile_type(place[0]).element_type
        argument = block.insert_arg(element, len(block.args))
        _name(argument, place)
        state[place] = argument


def _extend_yield(block: Block, carried: Sequence[Place], state: State) -> None:
    last = block.last_op
    if not carried:
        return
    if not isinstance(last, YieldOp | scf.YieldOp | scf.ConditionOp):
        raise ValueError("a loop or condition must end with a yield")
    builder = LocatedBuilder.before(last)
    values = [_value(builder, place, state) for place in carried]
    match last:
        case scf.ConditionOp():
            builder.insert(scf.ConditionOp(last.condition, *last.args, *values))
        case YieldOp():
            builder.insert(YieldOp([*last.operands, *values]))
        case _:
            builder.insert(scf.YieldOp(*last.operands, *values))
    last.detach()
    last.erase()


def _replace(
    old: Operation, new: Operation, carried: Sequence[Place], state: State
) -> None:
    new.attributes |= old.attributes
    count = len(old.results)
    for place, value in zip(carried, new.results[count:], strict=True):
        _name(value, place)
        state[place] = value
    replace_values(old, new.results[:count])
