"""Edits that any synchronising op can get: delete, duplicate, move by one or two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from croqtile_mlir.dialects import croq, nvvm

Edit = Callable[[Operation], None]
"""Changes the op that it is given, or what is around it."""

NamedEdit = tuple[str, Edit]

_SYNCHRONISING = frozenset(
    {
        "croq.wait",
        "croq.trigger",
        "croq.barrier",
        "croq.await",
        "croq.mma.commit",
        "croq.mma.wait",
        "nvvm.mbarrier.init",
        "nvvm.mbarrier.arrive",
        "nvvm.mbarrier.arrive.nocomplete",
        "nvvm.mbarrier.arrive.expect_tx",
        "nvvm.mbarrier.expect_tx",
        "nvvm.fence.mbarrier.init",
        "nvvm.fence.proxy",
        "nvvm.barrier",
        "nvvm.barrier0",
        "nvvm.barrier.arrive",
        "nvvm.bar.warp.sync",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned",
        "nvvm.cp.async.commit.group",
        "nvvm.cp.async.wait.group",
        "nvvm.cp.async.mbarrier.arrive",
        "nvvm.cp.async.bulk.commit.group",
        "nvvm.cp.async.bulk.wait_group",
    }
)
"""
`nvvm.wgmma.fence` is left out: where accumulators are touched by wgmma alone, as here,
nothing tells the program without it from the one with it.
"""

_ENGINES = frozenset({"nvvm.cp.async.bulk.tensor.shared.cluster.global"})
"""Loads that arrive on an mbarrier: deleted and duplicated, not moved."""

_NEUTRAL = frozenset(
    {
        "croq.elect",
        "nvvm.elect.sync",
        "nvvm.shfl.sync",
        "nvvm.setmaxregister",
        "llvm.mlir.undef",
        "llvm.mlir.zero",
    }
)
"""Without an effect on memory or on other threads, whatever their traits say."""


def is_wait_loop(op: Operation) -> bool:
    """Whether an op is the loop around `nvvm.mbarrier.try_wait`."""
    return isinstance(op, scf.WhileOp) and any(
        isinstance(inner, nvvm.MbarrierTryWaitOp) for inner in op.walk()
    )


def synchronises(op: Operation) -> bool:
    """Whether an op is one that is deleted, duplicated and moved."""
    return op.name in _SYNCHRONISING or is_wait_loop(op)


def is_effective(op: Operation) -> bool:
    """Whether it can matter on which side of the op another one stands."""
    if op.has_trait(IsTerminator) or op.name in _NEUTRAL:
        return False
    if op.name.startswith("arith."):
        return False
    if op.regions:
        return any(is_effective(i) for r in op.regions for b in r.blocks for i in b.ops)
    return not is_side_effect_free(op)


def _moved_whole(op: Operation) -> Operation:
    """The op, or the `scf.if` around it where it is all that happens there."""
    parent = op.parent_op()
    while (
        isinstance(parent, scf.IfOp)
        and sum(
            is_effective(i) for r in parent.regions for b in r.blocks for i in b.ops
        )
        == 1
    ):
        op, parent = parent, parent.parent_op()
    return op


def _delete(op: Operation) -> None:
    for result, operand in zip(op.results, op.operands, strict=False):
        result.replace_all_uses_with(operand)
    op.detach()
    op.erase()


def _duplicate(op: Operation) -> None:
    block = op.parent
    assert block is not None
    copy = op.clone()
    # A chain of accumulators goes through both.
    for result, again in zip(op.results, copy.results, strict=True):
        result.replace_all_uses_with(again)
    block.insert_op_after(copy, op)
    for index, operand in enumerate(op.operands):
        if op.results:
            copy.operands[index] = op.results[min(index, len(op.results) - 1)]
            assert copy.operands[index].type == operand.type


def _definitions_between(op: Operation, first: Operation) -> list[Operation] | None:
    """
    The ops from `first` on that the op's operands come from, in order; None where one
    of them is effective, so that the op may not be moved past it.
    """
    wanted: set[Operation] = set()
    todo = [op]
    while todo:
        for operand in _operands(todo.pop()):
            owner = operand.owner
            if (
                isinstance(owner, Operation)
                and owner.parent is first.parent
                and owner not in wanted
                and not owner.is_before_in_block(first)
                and owner is not op
            ):
                wanted.add(owner)
                todo.append(owner)
    if first in wanted or any(is_effective(i) for i in wanted):
        return None
    block = op.parent
    assert block is not None
    return [i for i in block.ops if i in wanted]


def _operands(op: Operation) -> Iterator[SSAValue]:
    for inner in op.walk():
        yield from inner.operands


def _neighbours(op: Operation, *, before: bool) -> Iterator[Operation]:
    """The effective ops on one side of an op in its block, the nearest first."""
    current = op.prev_op if before else op.next_op
    while current is not None:
        if is_effective(current):
            yield current
        current = current.prev_op if before else current.next_op


def _move_before(op: Operation, places: int) -> None:
    whole = _moved_whole(op)
    target = list(_neighbours(whole, before=True))[places - 1]
    block = whole.parent
    assert block is not None
    along = _definitions_between(whole, target) or []
    for each in (*along, whole):
        each.detach()
        block.insert_op_before(each, target)


def _move_after(op: Operation, places: int) -> None:
    whole = _moved_whole(op)
    target = list(_neighbours(whole, before=False))[places - 1]
    block: Block | None = whole.parent
    assert block is not None
    whole.detach()
    block.insert_op_after(whole, target)


def _moves(op: Operation) -> Iterator[NamedEdit]:
    whole = _moved_whole(op)
    for places, target in zip((1, 2), _neighbours(whole, before=True), strict=False):
        if _definitions_between(whole, target) is not None:
            yield f"move {places} up", lambda o, n=places: _move_before(o, n)
    for places, _ in zip((1, 2), _neighbours(whole, before=False), strict=False):
        yield f"move {places} down", lambda o, n=places: _move_after(o, n)


def structural_edits(op: Operation) -> Iterator[NamedEdit]:
    """Delete, duplicate and move an op that synchronises."""
    if op.name in _ENGINES:
        yield "delete", _delete
        yield "duplicate", _duplicate
    elif synchronises(op):
        yield "delete", _delete
        yield "duplicate", _duplicate
        # The order of initialisations says nothing.
        if not isinstance(op, nvvm.MbarrierInitOp):
            yield from _moves(op)


def holds_synchronisation(op: Operation) -> bool:
    """Whether there is an op to mutate in the regions of an op."""
    return any(
        synchronises(inner) or isinstance(inner, croq.CopyAsyncOp)
        for inner in op.walk()
        if inner is not op
    )
