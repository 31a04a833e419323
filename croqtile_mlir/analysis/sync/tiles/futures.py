"""
The life cycle of futures and accumulators: rules that need no execution.

A future is awaited or given to a trigger, and that once; a store may be awaited twice,
first for its source. What a copy fills is read after its wait. An accumulator is read
when its products are complete, and a wait is for products that are in a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.accumulators import (
    Progress,
    Reader,
    accumulators_of,
    standing,
    verb_of,
)
from croqtile_mlir.analysis.carried import entering, leaving
from croqtile_mlir.analysis.counted_loads import commits_loads, is_grouped
from croqtile_mlir.analysis.counted_stores import is_counted, waits_for_stores
from croqtile_mlir.analysis.program_order import always_before
from croqtile_mlir.analysis.scopes import block_of, scope_of
from croqtile_mlir.analysis.sync.tiles.regions import tiles_of
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule
from croqtile_mlir.dialects.croq import (
    AwaitOp,
    CopyAsyncOp,
    DataOp,
    ElementwiseOp,
    Engine,
    MmaStoreOp,
    MmaWaitOp,
    ParallelOp,
    ReduceOp,
    TriggerOp,
    ViewOp,
)

_Ending = AwaitOp | TriggerOp


def misuse(block: ParallelOp) -> Refuted | None:
    """The first op of a block that breaks a rule."""
    for op in block.walk():
        match op:
            case CopyAsyncOp():
                found = _of_copy(op)
            case MmaWaitOp() | MmaStoreOp() | ElementwiseOp() | ReduceOp():
                found = _of_accumulators(op)
            case _:
                found = None
        if found is not None:
            return found
    return None


def _of_copy(copy: CopyAsyncOp) -> Refuted | None:
    if copy.completes is not None or _is_lowered(copy):
        return None
    endings = list(_endings(copy.future))
    if not endings:
        if is_counted(copy) and waits_for_stores(copy):
            return None
        if is_grouped(copy) and commits_loads(copy):
            return None
        return _refuted(
            Rule.FUTURE,
            copy,
            "must be awaited or given to a trigger, got a future that is dropped",
            (),
            "croq.await %f, or croq.trigger %event at %order after %f",
        )
    block = scope_of(copy).root
    place = {op: number for number, op in enumerate(block.walk())}
    endings.sort(key=lambda op: place.get(op, 0))
    for number, second in enumerate(endings):
        for first in endings[:number]:
            if _may_both_run(first, second) and not _reads_first(first, second):
                return _refuted(
                    Rule.FUTURE,
                    second,
                    "must be the only end of its future, got a second one",
                    (
                        (copy, "the copy is started here"),
                        (first, "its future ends here"),
                    ),
                    "await a copy once, or let one trigger come after it",
                )
    return _read_early(copy, endings)


def _is_lowered(copy: CopyAsyncOp) -> bool:
    """
    Whether the event that a copy by threads completed on is an mbarrier already.

    The copy is over then when its threads are through.
    """
    return copy.engine.data is Engine.Threads and any(
        op.name.startswith("nvvm.mbarrier") for op in block_of(copy).walk()
    )


def _endings(future: SSAValue) -> Iterator[_Ending]:
    """What a future ends in, also under the names that loops give it."""
    seen: set[SSAValue] = set()
    todo = [future]
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            user = use.operation
            if isinstance(user, _Ending):
                yield user
            elif not isinstance(user, DataOp):
                around = user.parent_op() if user.next_op is None else user
                for op in (user, around):
                    if op is None:
                        continue
                    for carried in (*entering(op), *leaving(op)):
                        if value in (carried.source, *carried.others):
                            todo += carried.names


def _reads_first(first: _Ending, second: _Ending) -> bool:
    """Whether one waits for the source of a store, and the other for all of it."""
    return (
        isinstance(first, AwaitOp)
        and isinstance(second, AwaitOp)
        and first.read is not None
        and second.read is None
    )


def _may_both_run(a: Operation, b: Operation) -> bool:
    """Whether two ops are not in different branches of one condition."""
    region = a.parent_region()
    while region is not None and (parent := region.parent_op()) is not None:
        if isinstance(parent, scf.IfOp) and parent.is_ancestor(b):
            other = next(r for r in parent.regions if _is_inside(b, r.blocks))
            if other is not region:
                return False
        region = parent.parent_region()
    return True


def _is_inside(op: Operation, blocks: Sequence[object]) -> bool:
    block = op.parent_block()
    while block is not None:
        if any(block is each for each in blocks):
            return True
        block = block.parent_block()
    return False


def _read_early(copy: CopyAsyncOp, endings: Sequence[_Ending]) -> Refuted | None:
    """A use of the destination under the name of the future, before it is awaited."""
    awaits = [op for op in endings if isinstance(op, AwaitOp)]
    if not awaits:
        return None
    for use in copy.future.uses:
        if not isinstance(use.operation, DataOp):
            continue
        for reader in _accesses_through(use.operation.tile):
            if not any(always_before(op, reader) for op in awaits):
                return _refuted(
                    Rule.FUTURE,
                    reader,
                    "must use what a copy fills after waiting for it, got it before",
                    (
                        (copy, "the copy is started here"),
                        (awaits[0], "it is awaited here"),
                    ),
                    "put croq.await before",
                )
    return None


def _accesses_through(tile: SSAValue) -> Iterator[Operation]:
    for use in tile.uses:
        user = use.operation
        if isinstance(user, ViewOp):
            yield from _accesses_through(user.results[0])
        elif any(touched is tile for touched, _ in tiles_of(user)):
            yield user


def _of_accumulators(op: MmaWaitOp | Reader) -> Refuted | None:
    found = (_of_accumulator(op, acc) for acc in accumulators_of(op))
    return next((each for each in found if each is not None), None)


def _of_accumulator(op: MmaWaitOp | Reader, acc: SSAValue) -> Refuted | None:
    worst = standing(acc)
    because = () if worst.because is None else ((worst.because, "the product is here"),)
    if isinstance(op, MmaWaitOp):
        if worst.progress is not Progress.OPEN:
            return None
        return _refuted(
            Rule.ACCUMULATOR,
            op,
            "must wait for products that are in a group, got one that is not",
            because,
            "put croq.mma.commit between the product and the wait",
        )
    if worst.progress is Progress.SETTLED:
        return None
    if worst.progress is Progress.IN_FLIGHT and worst.because is not None:
        because = ((worst.because, "it is in flight after this"),)
    return _refuted(
        Rule.ACCUMULATOR,
        op,
        f"must {verb_of(op)} an accumulator that is complete, got one with products in "
        "flight",
        because,
        f"{verb_of(op)} the result of croq.mma.wait .. in_flight 0",
    )


def _refuted(
    rule: Rule,
    place: Operation,
    message: str,
    notes: tuple[tuple[Operation, str], ...],
    hint: str,
) -> Refuted:
    return Refuted(rule, place, f"{rule}: {message}", notes, hint)
