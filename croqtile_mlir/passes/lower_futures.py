"""
`--lower-futures`: the completion of every copy becomes explicit.

    croq.copy %a => %as engine(tma)        %e = croq.event : !croq.event<1>
                                           ..
                                     ->    %f = croq.copy_async %a => %as engine(tma)
                                           croq.trigger %e[0] after %f
                                           croq.wait %e[0]

TMA loads complete on events. A load by threads is complete when the threads are
through. TMA stores complete in the thread that issued them: `croq.copy`, and
`croq.copy_async` with `croq.await` or `croq.await_stores`, stay. A load by `cp.async`
is waited for by each thread that started a part of it: `croq.copy_async` with
`croq.await`.

Futures that loops carry, `croq.any`, `croq.swap` and `croq.rotate` disappear into slots
of arrays (`lowering/future_slots.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import (
    AwaitOp,
    AwaitStoresOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Engine,
    Position,
    TriggerOp,
    WaitOp,
    root_of,
)
from croqtile_mlir.lowering.future_completions import (
    check_engine,
    completion_of,
    is_load,
    start_of,
)
from croqtile_mlir.lowering.future_slots import futures_to_slots, new_event
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.passes.fuse_dma_events import may_alias

_SCALAR = Position(0, by_slot=True)
_IN_FLIGHT = (Engine.Tma, Engine.CpAsync)
"""The engines whose loads are in flight until something completes them."""


def _lower_async(copy: CopyAsyncOp) -> None:
    check_engine(copy)
    completion = completion_of(copy)
    if isinstance(completion, TriggerOp):
        return
    if copy.engine.data is Engine.Threads:
        if completion is not None:
            replace_values(completion, ())
        plain = copy.as_copy()
        plain.attributes |= copy.attributes
        LocatedBuilder.before(copy).insert(plain)
        copy.detach()
        copy.erase()
    elif copy.engine.data is Engine.CpAsync:
        return
    elif completion is not None and is_load(copy):
        event = new_event(copy)
        LocatedBuilder.after(copy).insert(TriggerOp(event, _SCALAR, [copy.future]))
        LocatedBuilder.before(completion).insert(WaitOp(event, _SCALAR))
        replace_values(completion, ())


def _runs(block: Block) -> Iterable[list[CopyOp]]:
    """
    The synchronous loads of a block by TMA, and those by `cp.async`; in one list those
    next to each other.
    """
    run: list[CopyOp] = []
    for op in list(block.ops):
        if isinstance(op, CopyOp) and op.engine.data in _IN_FLIGHT and is_load(op):
            root = root_of(op.destination)
            if any(
                may_alias(root, root_of(other.destination)) or op.engine != other.engine
                for other in run
            ):
                yield run
                run = []
            run.append(op)
        elif run and not is_side_effect_free(op):
            yield run
            run = []
    if run:
        yield run


def _lower_run(copies: list[CopyOp]) -> None:
    """
    Start synchronous loads next to each other, then wait for all: by TMA on one event,
    by `cp.async` each for itself.
    """
    last = copies[-1]
    by_tma = last.engine.data is Engine.Tma
    event = new_event(copies[0]) if by_tma else None
    after = LocatedBuilder.after(last)
    futures: list[SSAValue] = []
    for copy in copies:
        started = copy.as_started()
        started.attributes |= copy.attributes
        futures.append(LocatedBuilder.before(copy).insert(started).future)
        replace_values(copy, ())
    if event is None:
        for future in futures:
            after.insert(AwaitOp(future))
        return
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
    other share one. An asynchronous copy by threads that is awaited is a plain copy. A
    plain copy by `cp.async` is started and awaited. Buffers whose futures are permuted
    become slots of an array. Futures that are dropped or completed twice are refused.
    """

    name = "lower-futures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        futures_to_slots(op)
        ops = list(op.walk())
        for inner in ops:
            if isinstance(inner, DataOp):
                start = start_of(inner.future, inner)
                replace_values(inner, [start.destination])
            elif isinstance(inner, AwaitOp):
                start_of(inner.future, inner)
            elif isinstance(inner, TriggerOp):
                for future in inner.after:
                    start_of(future, inner)
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
