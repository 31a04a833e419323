"""
Events: declarations, `wait`, `trigger`.

A wait of `e.at(order)` names its generation. All else is by slot: the next generation
of the slot, as an arrival has no phase.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import EventType, Position
from croqtile_mlir.dialects.croq.position import EVERY
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    clusters,
    expressions,
    futures,
    products,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Const,
    Integer,
    Op,
    equal,
    interval,
    is_known,
    is_outside,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.types import dim_of
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Extension,
    Future,
    FutureState,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind

_Maker: TypeAlias = Callable[[Position], Operation]


@dataclass(eq=False)
class Event(Extension):
    """A declared event, or array of events."""

    ssa: SSAValue | None = None
    lengths: tuple[Integer, ...] = ()
    """Of an array of events, of one or two dims."""

    @property
    def slots(self) -> Integer:
        """All of them."""
        return expressions.product(self.lengths)

    @property
    def is_array(self) -> bool:
        """Whether it is more than one event."""
        return bool(self.lengths)

    @property
    def value(self) -> SSAValue:
        """The event of the dialect."""
        assert self.ssa is not None
        return self.ssa


def declare(ctx: Lowering, node: ast.EventDecl) -> None:
    """`shared event full[S], empty[S] = ready`."""
    if node.storage is not ast.Storage.Shared:
        found = "no storage" if node.storage is None else node.storage.value
        ctx.fail(
            Kind.UnsupportedEvent,
            node,
            f"an event must be shared, got {found}",
            hint="shared event e;",
        )
    if ctx.block_level is None:
        ctx.fail(Kind.StorageScope, node, "an event must be inside parallel : block")
    if ctx.parts.role is not None:
        ctx.fail(
            Kind.StorageScope,
            node,
            "an event must be declared before the roles that share it, got one in a "
            "role",
            hint="declare it in the block, outside of inthreads",
            notes=[(ctx.parts.role.span, "the role is here")],
        )
    if node.arrivals is not None:
        ctx.reporter.remark(
            Kind.Ignored,
            node.arrivals.span,
            "the number of arrivals follows from the triggers",
        )
    for item in node.items:
        ctx.declare(item.name, _declared(ctx, item))


def _declared(ctx: Lowering, item: ast.EventItem) -> Event:
    if len(item.array) > 2:
        ctx.fail(
            Kind.UnsupportedEvent,
            item,
            f"an array of events must have two dims at most, got {len(item.array)}",
        )
    lengths = tuple(_slots(ctx, length) for length in item.array)
    with ctx.at(item):
        kind = EventType([dim_of(length) for length in lengths or (ONE,)])
        op = croq.EventOp(kind, ready=item.ready)
        made = ctx.add_in_block(op, item.name.text).event
    return Event("an event", ssa=made, lengths=lengths)


def _slots(ctx: Lowering, length: ast.Expr) -> Integer:
    """The number of events of an array, which is known when compiling."""
    slots = expressions.integer(ctx, length)
    if isinstance(slots, Const) and slots.value < 1:
        ctx.fail(
            Kind.UnsupportedEvent,
            length,
            f"an array of events must have a positive length, got {slots.value}",
        )
    if not is_known(slots):
        ctx.fail(
            Kind.UnsupportedEvent,
            length,
            "the length of an array of events must be known when compiling, got "
            f"{text(slots)}",
            hint="give the names values: -DNAME=value, or --param NAME",
        )
    return slots


def _event(ctx: Lowering, ref: ast.EventRef, event: Event) -> Event:
    """Check that a reference fits its event."""
    if ref.subscripts and len(ref.subscripts) != len(event.lengths):
        ctx.fail(
            Kind.EventOperand,
            ref,
            f"{ref.name} must have an index for each of its {len(event.lengths)} "
            f"dims, got {len(ref.subscripts)}"
            if event.is_array
            else f"{ref.name} must be an array of events to have an index, got one "
            "event",
        )
    if ref.generation is not None and len(event.lengths) > 1:
        ctx.fail(
            Kind.EventOperand,
            ref,
            f"{ref.name} must be an array of one dim to have orders, got two",
            hint=f"{ref.name}[i][j] names an event",
        )
    if ref.generation is not None and not event.is_array:
        ctx.fail(
            Kind.EventOperand,
            ref,
            f"{ref.name} must be an array of events to have orders, got one event",
            hint=f"shared event {ref.name}[1];",
        )
    return event


def _slot_of_order(order: Integer, slots: Integer) -> Integer:
    """Which slot an order is of."""
    low, high = interval(order)
    if isinstance(slots, Const) and low is not None and high is not None:
        if low >= 0 and high < slots.value:
            return order
    # The order may be reduced already, by the slots or by twice as many.
    match order:
        case Op("%", _, b) if equal(b, slots):
            return order
        case Op("%", a, b) if equal(b, _twice(slots)):
            return operation("%", a, slots)
        case _:
            return operation("%", order, slots)


def _twice(slots: Integer) -> Integer:
    return operation("*", Const(2), slots)


def _is_reduced(order: Integer, slots: Integer) -> bool:
    """Whether an order is visibly below twice the slots: it has no generation."""
    match order:
        case Op("%", _, b):
            return equal(b, _twice(slots))
        case Op("&", _, Const(value=mask)):
            return isinstance(slots, Const) and mask == 2 * slots.value - 1
        case _:
            return False


def _slot(ctx: Lowering, ref: ast.EventRef, event: Event) -> Position | None:
    """The slot that a reference names; None for a whole array."""
    if ref.generation is not None:
        order = expressions.integer(ctx, ref.generation)
        return _by_slot(ctx, _slot_of_order(order, event.slots))
    if not ref.subscripts:
        return None if event.is_array else _by_slot(ctx, ZERO)
    found = [
        _index(ctx, subscript, length)
        for subscript, length in zip(ref.subscripts, event.lengths, strict=True)
    ]
    return _by_slot(ctx, *found)


def _index(ctx: Lowering, subscript: ast.Expr, length: Integer) -> Integer:
    slot = expressions.integer(ctx, subscript)
    if is_outside(slot, length):
        ctx.fail(
            Kind.OutOfBounds,
            subscript,
            f"slot must be below {text(length)}, got {text(slot)}",
        )
    return slot


def wait(ctx: Lowering, node: ast.Wait) -> None:
    """`wait e[s], e.at(order), f`."""
    for ref in node.operands:
        found = ctx.find(ref.name)
        with ctx.at(ref):
            match found:
                case Future():
                    _whole(ctx, ref)
                    futures.await_copy(ctx, found, ref)
                case products.Batch():
                    _whole(ctx, ref)
                    products.await_batch(ctx, found, ref)
                case Event():
                    _wait_for(ctx, ref, _event(ctx, ref, found))
                case _:
                    ctx.fail(
                        Kind.EventOperand,
                        ref,
                        f"{ref.name} must be an event or a future, got "
                        f"{kind_of(found)}",
                    )


def _whole(ctx: Lowering, ref: ast.EventRef) -> None:
    if ref.subscripts or ref.generation is not None:
        ctx.fail(
            Kind.EventOperand,
            ref,
            f"{ref.name} must be an event to have an index, got a future",
        )


def _wait_for(ctx: Lowering, ref: ast.EventRef, event: Event) -> None:
    if ref.generation is not None:
        order = expressions.integer(ctx, ref.generation)
        if _is_reduced(order, event.slots):
            position = _by_slot(ctx, _slot_of_order(order, event.slots))
        else:
            position = Position(ctx.index(order, "order"))
        ctx.add(croq.WaitOp(event.value, position))
        return
    slot = _slot(ctx, ref, event)
    if slot is not None:
        ctx.add(croq.WaitOp(event.value, slot))
        return
    _each_slot(ctx, event, lambda at: croq.WaitOp(event.value, at))


def _by_slot(ctx: Lowering, slot: Integer, column: Integer | None = None) -> Position:
    second = None if column is None else ctx.index(column, "column")
    return Position(ctx.index(slot, "slot"), by_slot=True, column=second)


def _each_slot(ctx: Lowering, event: Event, make: _Maker) -> None:
    """An op for each slot of an array, or one for all of an array of two dims."""
    if len(event.lengths) > 1:
        ctx.add(make(EVERY))
        return
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = "s"
    with ctx.inside(body):
        ctx.add(make(Position(body.args[0], by_slot=True)))
        ctx.add(croq.YieldOp())
    ctx.add(croq.ForeachOp(ctx.index(event.slots), Region(body)))


def trigger(ctx: Lowering, node: ast.Trigger) -> None:
    """`trigger e[s] after f, g`."""
    reached = clusters.along(ctx, node, "trigger.cluster") if node.cluster else ()
    after = [_copy_of(ctx, name) for name in node.after]
    if after and len(node.events) != 1:
        ctx.fail(
            Kind.EventOperand,
            node.events[1],
            f"a trigger after copies must name one event, got {len(node.events)}",
        )
    if after and reached:
        ctx.fail(
            Kind.EventOperand,
            node,
            "a trigger after copies must be of the block, got trigger.cluster",
            hint="copies with .multicast reach the other blocks themselves",
        )
    for ref in node.events:
        found = ctx.find(ref.name)
        if not isinstance(found, Event):
            ctx.fail(
                Kind.EventOperand,
                ref,
                f"{ref.name} must be an event, got {kind_of(found)}",
            )
        with ctx.at(ref):
            _trigger_one(ctx, ref, _event(ctx, ref, found), after, reached)
    for future in after:
        future.state, future.is_used = FutureState.Done, True


def _copy_of(ctx: Lowering, name: ast.Name) -> Future:
    found = ctx.find(name)
    if not isinstance(found, Future):
        ctx.fail(
            Kind.EventOperand,
            name,
            f"{name} must be an asynchronous copy, got {kind_of(found)}",
        )
    if found.state is not FutureState.Pending:
        ctx.fail(
            Kind.FutureLifecycle,
            name,
            f"{name} must be a copy in flight, got one that is complete or was handed "
            "to an event before",
            hint="dma.copy.async or tma.copy.async starts a copy in flight",
            notes=[(found.span, "it is declared here")],
        )
    return found


def _trigger_one(
    ctx: Lowering,
    ref: ast.EventRef,
    event: Event,
    after: list[Future],
    reached: Sequence[int],
) -> None:
    handles = [future.handle for future in after if future.handle is not None]
    slot = _slot(ctx, ref, event)
    if slot is not None:
        ctx.add(croq.TriggerOp(event.value, slot, handles, reached))
        return
    if after:
        ctx.fail(
            Kind.EventOperand,
            ref,
            f"a trigger after copies must name one slot, got all of {ref.name}",
        )
    _each_slot(
        ctx, event, lambda at: croq.TriggerOp(event.value, at, multicast=reached)
    )
