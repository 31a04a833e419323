"""
`--lower-dma`: copies become bulk tensor copies (TMA) or loops of the threads, and so do
fills.

`dma_tma` has the one, `dma_threads` and, for loads by `cp.async`, `dma_cp_async` the
other. What completes them is there already: mbarriers for TMA loads, the end of the
loop for threads; a TMA store is waited for by the thread that issued it, and an awaited
`cp.async` by each thread, as a group.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AwaitLoadsOp,
    AwaitOp,
    AwaitStoresOp,
    CommitLoadsOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Engine,
    FillOp,
    TriggerOp,
)
from croqtile_mlir.lowering.dma_cp_async import CpAsyncCopies
from croqtile_mlir.lowering.dma_fills import lower_fill
from croqtile_mlir.lowering.dma_threads import ThreadCopies
from croqtile_mlir.lowering.dma_tma import TmaCopies
from croqtile_mlir.lowering.elected import when_elected
from croqtile_mlir.lowering.future_completions import check_engine, is_load, is_store
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_Wait = nvvm.CpAsyncBulkWaitGroupOp | nvvm.CpAsyncWaitGroupOp


def _is_bulk_store(op: object) -> bool:
    return isinstance(op, CopyAsyncOp) and op.engine.data is Engine.Tma and is_store(op)


def _awaited_cp_async(op: Operation) -> bool:
    """Whether an op is a load by `cp.async` that is awaited: a group of each thread."""
    return (
        isinstance(op, CopyAsyncOp)
        and op.engine.data is Engine.CpAsync
        and any(isinstance(use.operation, AwaitOp) for use in op.future.uses)
    )


def _later_groups(
    copy: CopyAsyncOp, wait: AwaitOp, is_group: Callable[[Operation], bool]
) -> int:
    """Groups that are surely started between a copy and the wait for it."""
    count = 0
    op = copy.next_op
    while op is not None and op is not wait:
        count += is_group(op)
        op = op.next_op
    return 0 if op is None else count


def _replace_await(op: AwaitOp | AwaitStoresOp, loads: Container[Operation]) -> _Wait:
    """Replace an await by the wait of the threads that issued the copy."""
    copy = op.future.owner if isinstance(op, AwaitOp) else None
    wait: _Wait
    if isinstance(op, AwaitOp) and isinstance(copy, CopyAsyncOp) and copy in loads:
        require_whole_scope(op, "move the wait out of conditions on the thread")
        wait = nvvm.CpAsyncWaitGroupOp(_later_groups(copy, op, lambda op: op in loads))
    else:
        groups = _groups_left(op)
        wait = nvvm.CpAsyncBulkWaitGroupOp(groups, read=op.read is not None)
    LocatedBuilder.before(op).insert(wait)
    op.detach()
    op.erase()
    return wait


def _lower_groups(op: CommitLoadsOp | AwaitLoadsOp) -> None:
    """
    Emit the end of a group of each thread, or its wait for all but the newest.

    Groups of copies that are awaited are counted, too: of others, fewer are left.
    """
    require_whole_scope(op, "move it out of conditions on the thread")
    LocatedBuilder.before(op).insert(
        nvvm.CpAsyncCommitGroupOp()
        if isinstance(op, CommitLoadsOp)
        else nvvm.CpAsyncWaitGroupOp(op.in_flight.data)
    )


def _groups_left(op: AwaitOp | AwaitStoresOp) -> int:
    """
    The newest bulk groups that need not be complete.

    Stores that are not counted are groups, too: of those that are, no more are left.
    """
    if isinstance(op, AwaitStoresOp):
        require_whole_scope(op, "move the wait out of conditions on the thread")
        return op.in_flight.data
    store = op.future.owner
    if not isinstance(store, CopyAsyncOp) or not _is_bulk_store(store):
        fail(
            op,
            "must await a TMA store or a load by cp.async, got another copy",
            hint="run --lower-futures first",
        )
    return _later_groups(store, op, _is_bulk_store)


def _started(copy: CopyOp | CopyAsyncOp) -> CopyAsyncOp:
    """A load by `cp.async`, which something completes."""
    if isinstance(copy, CopyOp):
        fail(
            copy,
            "with engine cp_async must have a future, got a synchronous load",
            hint="run --lower-futures first",
        )
    return copy


def _check(op: CopyOp | CopyAsyncOp) -> None:
    check_engine(op)
    if op.engine.data is not Engine.Tma:
        return
    if isinstance(op, CopyOp) and is_load(op):
        fail(
            op,
            "with engine tma must complete on an mbarrier, got a synchronous load",
            hint="run --lower-futures and --lower-events first",
        )
    require_whole_scope(op, "move the copy out of conditions on the thread")


@dataclass(frozen=True)
class LowerDmaPass(ModulePass):
    """
    Turn copies into the instructions of their engines.

    TMA: one `nvvm.cp.async.bulk.tensor` for each panel of the shared tile, in the
    elected thread of the scope. Threads: a loop over vectors of up to 16 bytes,
    element by element where a vector is not aligned or not all in range. `cp.async`: a
    loop over vectors, in pieces of 16, 8 or 4 bytes, zero beyond the range.
    """

    name = "lower-dma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, DataOp):
                fail(
                    inner,
                    "must be replaced by the destination of its copy first",
                    hint="run --lower-futures first",
                )
            if isinstance(inner, TriggerOp) and inner.after:
                fail(
                    inner,
                    "must be an arrival on an mbarrier before its copies are lowered",
                    hint="run --lower-events first",
                )
        loads = {inner for inner in op.walk() if _awaited_cp_async(inner)}
        waits = [
            _replace_await(inner, loads)
            for inner in list(op.walk())
            if isinstance(inner, AwaitOp | AwaitStoresOp)
        ]
        memo = MemoBuilder()
        tma, threads, cp_async = (
            TmaCopies(memo),
            ThreadCopies(memo),
            CpAsyncCopies(memo),
        )
        for inner in list(op.walk()):
            if isinstance(inner, CopyOp | CopyAsyncOp):
                _check(inner)
                if inner.engine.data is Engine.Threads:
                    threads.lower(inner)
                elif inner.engine.data is Engine.CpAsync:
                    cp_async.lower(_started(inner))
                    if inner in loads:
                        LocatedBuilder.before(inner).insert(nvvm.CpAsyncCommitGroupOp())
                elif isinstance(inner, CopyAsyncOp) and is_load(inner):
                    tma.lower_load(inner)
                else:
                    tma.lower_store(inner)
            elif isinstance(inner, CommitLoadsOp | AwaitLoadsOp):
                _lower_groups(inner)
            elif isinstance(inner, FillOp):
                lower_fill(inner, memo)
            elif isinstance(inner, nvvm.CpAsyncBulkWaitGroupOp) and inner in waits:
                with when_elected(inner) as builder:
                    groups = inner.group.value.data
                    builder.insert(
                        nvvm.CpAsyncBulkWaitGroupOp(groups, read=inner.read is not None)
                    )
            else:
                continue
            inner.detach()
            inner.erase()
