"""Off-by-one edits of what synchronises at tile level."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntAttr, IntegerAttr, UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import Index, pack
from evidence.edits import NamedEdit, holds_synchronisation

_Positioned = croq.WaitOp | croq.TriggerOp | croq.SlotOp


def _constant(op: Operation, value: int) -> SSAValue:
    """An index constant just before an op."""
    block = op.parent
    assert block is not None
    constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
    constant.location = op.location
    block.insert_op_before(constant, op)
    return constant.result


def _sum(op: Operation, value: SSAValue, by: int) -> SSAValue:
    """A value and a number, added just before an op."""
    block = op.parent
    assert block is not None
    constant = _constant(op, abs(by))
    cls = arith.AddiOp if by > 0 else arith.SubiOp
    total = cls(value, constant)
    total.location = op.location
    block.insert_op_before(total, op)
    return total.result


def _set_position(op: _Positioned, base: Index, offset: int | str) -> None:
    _, static = pack((base,))
    op.properties["static_order"] = static
    if offset == 0:
        op.properties.pop("offset", None)
    else:
        op.properties["offset"] = pack((offset,))[1]
    if isinstance(base, SSAValue):
        op.operands[1] = base


def _shift_order(op: Operation, by: int) -> None:
    assert isinstance(op, _Positioned)
    position = op.position
    if isinstance(position.base, int):
        _set_position(op, position.base + by, position.offset)
    elif isinstance(position.offset, int):
        _set_position(op, position.base, position.offset + by)


def _drop_offset(op: Operation) -> None:
    assert isinstance(op, _Positioned)
    _set_position(op, op.position.base, 0)


def _next_slot(op: Operation, slots: int) -> None:
    assert isinstance(op, _Positioned)
    base = op.position.base
    if isinstance(base, int):
        _set_position(op, (base + 1) % slots, 0)
    elif isinstance(base, SSAValue):
        block = op.parent
        assert block is not None
        shifted = _sum(op, base, 1)
        wrapped = arith.RemUIOp(shifted, _constant(op, slots))
        wrapped.location = op.location
        block.insert_op_before(wrapped, op)
        _set_position(op, wrapped.result, 0)


def _slots(op: _Positioned) -> int | None:
    found = op.stages if isinstance(op, croq.SlotOp) else _event(op).slots
    return found if isinstance(found, int) and found > 0 else None


def _event(op: croq.WaitOp | croq.TriggerOp) -> croq.EventType:
    return croq.event_type(op.event)


def _position_edits(op: _Positioned) -> Iterator[NamedEdit]:
    position, slots = op.position, _slots(op)
    if position.by_slot:
        if slots is not None and slots > 1:
            yield "slot + 1", lambda o: _next_slot(o, slots)
        return
    if isinstance(position.base, int | SSAValue) and isinstance(position.offset, int):
        yield "order + 1", lambda o: _shift_order(o, 1)
    if position.offset != 0:
        yield "drop offset", _drop_offset
    offset = position.offset
    if isinstance(offset, int) and (offset > 0 or position.base not in (0, None)):
        static = isinstance(position.base, int)
        if offset > 0 or (static and position.base != 0):
            yield "order - 1", lambda o: _shift_order(o, -1)


def _events_like(event: SSAValue) -> list[SSAValue]:
    """The events of one block that have as many slots as one of them, in order."""
    owner = event.owner
    block = owner.parent if isinstance(owner, Operation) else None
    ops = () if block is None else block.ops
    found = [e.event for e in ops if isinstance(e, croq.EventOp)]
    return [e for e in found if e.type == event.type]


def _take_other_event(op: Operation) -> None:
    """The next event of the block, in turn."""
    events = _events_like(op.operands[0])
    op.operands[0] = events[(events.index(op.operands[0]) + 1) % len(events)]


def _leave_out(op: Operation, index: int) -> None:
    assert isinstance(op, croq.TriggerOp)
    assert op.parent is not None
    after = [f for i, f in enumerate(op.after) if i != index]
    fewer = croq.TriggerOp(op.event, op.position, after)
    fewer.location = op.location
    op.parent.insert_op_before(fewer, op)
    op.detach()
    op.erase()


def _toggle(op: Operation, name: str) -> None:
    if op.properties.pop(name, None) is None:
        op.properties[name] = UnitAttr()


def _add_to_property(op: Operation, name: str, by: int) -> None:
    value = op.properties[name]
    assert isa(value, IntAttr)
    op.properties[name] = IntAttr(value.data + by)


def _add_slots(op: Operation, by: int) -> None:
    assert isinstance(op, croq.EventOp)
    slots = op.slots
    assert isinstance(slots, int)
    Rewriter.replace_value_with_new_type(op.event, croq.EventType(slots + by))


def _drop_stage(op: Operation) -> None:
    assert isinstance(op, croq.AllocOp)
    dims = list(op.tile_type.dims)
    assert isinstance(dims[0], int)
    dims[0] -= 1
    Rewriter.replace_value_with_new_type(op.tile, op.tile_type.with_shape(dims))


def _event_edits(op: croq.EventOp) -> Iterator[NamedEdit]:
    yield "toggle ready", lambda o: _toggle(o, "ready")
    if isinstance(op.slots, int):
        yield "slots + 1", lambda o: _add_slots(o, 1)
        if op.slots > 1:
            yield "slots - 1", lambda o: _add_slots(o, -1)
    if op.arrivals is not None:
        yield "arrivals + 1", lambda o: _add_to_property(o, "arrivals", 1)
        if op.arrivals.data > 1:
            yield "arrivals - 1", lambda o: _add_to_property(o, "arrivals", -1)


def _set_bound(op: Operation, which: int, by: int) -> None:
    assert isinstance(op, croq.ForeachOp)
    bounds: list[Index] = [op.lower, op.upper, op.step]
    bound = bounds[which]
    if isinstance(bound, int):
        bounds[which] = bound + by
    else:
        value = bound if isinstance(bound, SSAValue) else _dim(op, bound)
        bounds[which] = _sum(op, value, by)
    assert op.parent is not None
    changed = croq.ForeachOp(
        bounds[1],
        op.detach_region(op.body),
        lower=bounds[0],
        step=bounds[2],
        iter_args=list(op.iter_args),
        unroll=op.unroll is not None,
    )
    changed.location = op.location
    op.parent.insert_op_before(changed, op)
    for old, new in zip(op.res, changed.res, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _dim(op: Operation, name: str) -> SSAValue:
    assert op.parent is not None
    dim = croq.DimOp(name)
    dim.location = op.location
    op.parent.insert_op_before(dim, op)
    return dim.results[0]


def _loop_edits(op: croq.ForeachOp) -> Iterator[NamedEdit]:
    if not holds_synchronisation(op):
        return
    yield "bound + 1", lambda o: _set_bound(o, 1, 1)
    yield "bound - 1", lambda o: _set_bound(o, 1, -1)
    yield "start + 1", lambda o: _set_bound(o, 0, 1)


def _keep_names(op: Operation) -> None:
    """Leave a permutation out."""
    assert isinstance(op, croq.PermuteOp)
    for result, handle in zip(op.results, op.handles, strict=True):
        result.replace_all_uses_with(handle)
    op.detach()
    op.erase()


def _rotate_back(op: Operation) -> None:
    """Rotate to the right: each result is the future before it."""
    names = list(op.results)
    uses = [list(name.uses) for name in names]
    for number, own in enumerate(uses):
        for use in own:
            use.operation.operands[use.index] = names[(number + 1) % len(names)]


def _others_carried(value: SSAValue) -> list[SSAValue]:
    """The futures of one type that a loop carries beside one of them, in order."""
    if not isinstance(value, BlockArgument):
        return []
    return [a for a in value.block.args if a.type == value.type]


def _take_other_future(op: Operation) -> None:
    """The next of the futures that the loop carries, in turn."""
    carried = _others_carried(op.operands[0])
    at = carried.index(op.operands[0])
    op.operands[0] = carried[(at + 1) % len(carried)]


def _negate(op: Operation) -> None:
    """Exchange the branches of a condition."""
    then, other = (op.detach_region(region) for region in list(op.regions))
    op.add_region(other)
    op.add_region(then)


def _future_edits(op: Operation) -> Iterator[NamedEdit]:
    match op:
        case croq.PermuteOp():
            yield "keep names", _keep_names
            if len(op.handles) > 2:
                yield "rotate back", _rotate_back
        case croq.AwaitOp() | croq.DataOp():
            if len(_others_carried(op.operands[0])) > 1:
                yield "other future", _take_other_future
        case scf.IfOp():
            if any(isinstance(r.type, croq.FutureType) for r in op.results):
                yield "exchange branches", _negate
        case _:
            pass


def tile_edits(op: Operation) -> Iterator[NamedEdit]:
    """Edits of numbers and operands of an op of `croq`."""
    yield from _future_edits(op)
    match op:
        case croq.WaitOp() | croq.TriggerOp():
            yield from _position_edits(op)
            if len(_events_like(op.event)) > 1:
                yield "other event", _take_other_event
            if isinstance(op, croq.TriggerOp):
                for index in range(len(op.after)):
                    yield (
                        f"leave out future {index}",
                        lambda o, i=index: _leave_out(o, i),
                    )
        case croq.SlotOp():
            yield from _position_edits(op)
        case croq.EventOp():
            yield from _event_edits(op)
        case croq.AllocOp():
            slots = op.tile_type.dims[0]
            users = [use.operation for use in op.tile.uses]
            ring = all(isinstance(user, croq.SlotOp) for user in users)
            if users and ring and isinstance(slots, int) and slots > 1:
                yield "stages - 1", _drop_stage
        case croq.ForeachOp():
            yield from _loop_edits(op)
        case croq.MmaWaitOp():
            yield "in flight + 1", lambda o: _add_to_property(o, "in_flight", 1)
            if op.in_flight.data > 0:
                yield "in flight - 1", lambda o: _add_to_property(o, "in_flight", -1)
        case croq.AwaitOp():
            yield "toggle read", lambda o: _toggle(o, "read")
        case _:
            pass
