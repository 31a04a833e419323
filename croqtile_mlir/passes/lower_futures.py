"""
`--lower-futures`: the completion of every copy becomes explicit.

    croq.copy %a => %as engine(tma)        %e = croq.event : !croq.event<1>
                                           ..
                                     ->    %f = croq.copy_async %a => %as engine(tma)
                                           croq.trigger %e[0] after %f
                                           croq.wait %e[0]

TMA loads complete on events. A load by threads is complete when the threads are
through. TMA stores complete in the thread that issued them: `croq.copy`, and
`croq.copy_async` with `croq.await` or `croq.await_stores`, stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.counted_stores import is_counted, waits_for_stores
from croqtile_mlir.analysis.scopes import block_of, scope_of
from croqtile_mlir.analysis.uniformity import inner_level
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AwaitOp,
    AwaitStoresOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Engine,
    EventOp,
    EventType,
    Position,
    Space,
    TriggerOp,
    WaitOp,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.passes.fuse_dma_events import is_load, may_alias

_SCALAR = Position(0, by_slot=True)


def is_store(op: CopyOp | CopyAsyncOp) -> bool:
    """Whether a copy goes to global memory."""
    return tile_type(op.destination).memory_space is Space.Global


def check_engine(op: CopyOp | CopyAsyncOp) -> None:
    """Refuse a copy whose engine is open, or can't do what it is asked to."""
    engine = op.engine.data
    if engine is Engine.Auto:
        fail(op, "must have an engine, got auto", hint="run --select-engines first")
    if engine is Engine.CpAsync:
        fail(
            op,
            "engine must be tma or threads, got cp_async",
            hint="engine(threads) copies through registers",
        )
    if engine is Engine.Tma:
        if not (is_load(op) or is_store(op)):
            fail(
                op,
                "with engine tma must copy between global and shared memory, got "
                "shared to shared",
                hint="use engine(threads)",
            )
        if (inner := inner_level(op)) is not None:
            fail(
                op,
                "with engine tma must be executed by the whole scope, got it inside "
                f"parallel : {inner.level.data.value}",
                notes=[(inner, "the level is here")],
            )


def _start_of(future: SSAValue, user: Operation) -> CopyAsyncOp:
    """The copy that a future stands for."""
    if not isinstance(future.owner, CopyAsyncOp):
        fail(
            user,
            "future must be the result of croq.copy_async, got a value that is "
            "carried by a loop or a condition",
            hint="await it, or bind it to an event, in the block that starts the copy",
        )
    return future.owner


def _completion_of(copy: CopyAsyncOp) -> AwaitOp | TriggerOp | None:
    """
    What the future of a copy is used for; a located error unless it is one thing.

    None for a store that the scope counts.
    """
    users: list[AwaitOp | TriggerOp] = []
    for use in copy.future.uses:
        user = use.operation
        if not isinstance(user, AwaitOp | TriggerOp):
            fail(
                user,
                "must not carry a future, got the one of a copy",
                hint="await it, or bind it to an event, in the block of the copy",
                notes=[(copy, "the copy is started here")],
            )
        users.append(user)
    if not users:
        if is_store(copy) and waits_for_stores(copy):
            return None
        fail(
            copy,
            "must be awaited or bound to an event, got a future that is dropped",
            hint="croq.await %f, or croq.trigger %event at %order after %f",
        )
    if len(users) > 1:
        place = {op: number for number, op in enumerate(block_of(copy).walk())}
        users.sort(key=lambda user: place.get(user, 0))
    first, *more = users
    for user in more:
        fail(
            user,
            "must be the only completion of its future, got a second one",
            notes=[
                (copy, "the copy is started here"),
                (first, "its future is used here"),
            ],
        )
    if first.parent_block() is not copy.parent_block():
        fail(
            first,
            "must be in the block of its copy, got it in another region",
            notes=[(copy, "the copy is started here")],
        )
    if isinstance(first, TriggerOp) and copy.engine.data is Engine.Tma:
        if not is_load(copy):
            fail(
                first,
                "must come after loads to shared memory, got a TMA store",
                hint="croq.await the store, then trigger",
                notes=[(copy, "the store is started here")],
            )
    return first


def _new_event(op: Operation) -> SSAValue:
    """A scalar event after those at the head of the block."""
    body = block_of(op).body.block
    point = body.first_op
    while isinstance(point, EventOp):
        point = point.next_op
    builder = LocatedBuilder.at_start(body, op.location)
    if point is not None:
        builder = LocatedBuilder.before(point)
        builder.location = op.location
    event = builder.insert(EventOp(EventType(1))).event
    event.name_hint = "landed"
    return event


def _lower_async(copy: CopyAsyncOp) -> None:
    check_engine(copy)
    completion = _completion_of(copy)
    if isinstance(completion, TriggerOp):
        return
    if copy.engine.data is Engine.Threads:
        if completion is not None:
            replace_values(completion, ())
        plain = CopyOp(copy.source, copy.destination, copy.engine.data)
        plain.attributes |= copy.attributes
        LocatedBuilder.before(copy).insert(plain)
        copy.detach()
        copy.erase()
    elif completion is not None and is_load(copy):
        event = _new_event(copy)
        LocatedBuilder.after(copy).insert(TriggerOp(event, _SCALAR, [copy.future]))
        LocatedBuilder.before(completion).insert(WaitOp(event, _SCALAR))
        replace_values(completion, ())


def _runs(block: Block) -> Iterable[list[CopyOp]]:
    """The synchronous TMA loads of a block; those next to each other in one list."""
    run: list[CopyOp] = []
    for op in list(block.ops):
        if isinstance(op, CopyOp) and op.engine.data is Engine.Tma and is_load(op):
            root = root_of(op.destination)
            if any(may_alias(root, root_of(other.destination)) for other in run):
                yield run
                run = []
            run.append(op)
        elif run and not is_side_effect_free(op):
            yield run
            run = []
    if run:
        yield run


def _lower_run(copies: list[CopyOp]) -> None:
    """Let synchronous loads next to each other complete on one event."""
    last = copies[-1]
    event = _new_event(copies[0])
    after = LocatedBuilder.after(last)
    futures: list[SSAValue] = []
    for copy in copies:
        started = CopyAsyncOp(copy.source, copy.destination, copy.engine.data)
        started.attributes |= copy.attributes
        futures.append(LocatedBuilder.before(copy).insert(started).future)
        replace_values(copy, ())
    after.insert(TriggerOp(event, _SCALAR, futures))
    after.insert(WaitOp(event, _SCALAR))


def _wait_for_all(module: ModuleOp) -> None:
    """
    Leave no store in flight where others of the scope are by threads.

    Those are over at once, and the hardware does not count them.
    """
    at_once = {
        scope_of(op).root
        for op in module.walk()
        if isinstance(op, CopyAsyncOp)
        and is_counted(op)
        and op.engine.data is Engine.Threads
    }
    for op in module.walk():
        if isinstance(op, AwaitStoresOp) and scope_of(op).root in at_once:
            op.properties["in_flight"] = IntAttr(0)


def _drop_idle_waits(module: ModuleOp) -> None:
    """Erase waits for counted stores in scopes whose stores are all over at once."""
    counting = {scope_of(op).root for op in module.walk() if is_counted(op)}
    for op in list(module.walk()):
        if isinstance(op, AwaitStoresOp) and scope_of(op).root not in counting:
            replace_values(op, ())


@dataclass(frozen=True)
class LowerFuturesPass(ModulePass):
    """
    Make the completion of every copy explicit.

    A TMA load that the scope waits for gets an event of its own; loads next to each
    other share one. An asynchronous copy by threads that is awaited is a plain copy.
    Futures that are dropped or completed twice are refused.
    """

    name = "lower-futures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ops = list(op.walk())
        for inner in ops:
            if isinstance(inner, DataOp):
                start = _start_of(inner.future, inner)
                replace_values(inner, [start.destination])
            elif isinstance(inner, AwaitOp):
                _start_of(inner.future, inner)
            elif isinstance(inner, TriggerOp):
                for future in inner.after:
                    _start_of(future, inner)
            elif isinstance(inner, CopyOp):
                check_engine(inner)
        _wait_for_all(op)
        for inner in ops:
            if isinstance(inner, CopyAsyncOp):
                _lower_async(inner)
        _drop_idle_waits(op)
        blocks = {b: None for i in ops if isinstance(i, CopyOp) and (b := i.parent)}
        for block in blocks:
            for run in _runs(block):
                _lower_run(run)
