"""
`--fuse-dma-events`: copies followed by a trigger complete on the event.

    croq.copy %a => %as engine(tma)        %f = croq.copy_async %a => %as engine(tma)
    croq.trigger %full at %k         ->    croq.trigger %full at %k after %f

The scope then no longer waits for its copies; whoever waits for the event does. That
is right only where nobody relies on the completion without waiting for the event: see
`_Fusion.is_covered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.program_order import (
    always_before,
    common_block,
    loops_around,
)
from croqtile_mlir.analysis.scopes import block_of, scope_of
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    ElementwiseOp,
    FutureType,
    KernelOp,
    ReduceOp,
    TileType,
    TriggerOp,
    ViewOp,
    WaitOp,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.event_arrivals import require_engine
from croqtile_mlir.lowering.future_completions import is_load
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values


def may_alias(a: SSAValue, b: SSAValue) -> bool:
    """
    Whether two roots may be one buffer: they are, or a loop carries one of them.

    Arguments of a kernel are taken not to overlap.
    """
    if a is b:
        return True
    if tile_type(a).memory_space is not tile_type(b).memory_space:
        return False
    return not (_is_known(a) and _is_known(b))


def _is_known(root: SSAValue) -> bool:
    owner = root.owner
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), KernelOp)
    return isinstance(owner, AllocOp)


def _tiles(op: Operation) -> Iterator[SSAValue]:
    """The tiles that an op reads or writes; views and handles only name them."""
    if isinstance(op, ViewOp | DataOp):
        return
    for operand in op.operands:
        if isinstance(operand.type, TileType):
            yield operand
        elif isinstance(operand.type, FutureType) and not isinstance(op, TriggerOp):
            owner = operand.owner
            if isinstance(owner, CopyAsyncOp):
                yield owner.destination


@dataclass(frozen=True)
class _Fusion:
    """A copy and the trigger that may publish it."""

    copy: CopyOp
    trigger: TriggerOp

    def is_safe(self) -> bool:
        """Whether nobody needs the copy to be complete but after waiting."""
        buffer, source = root_of(self.copy.destination), root_of(self.copy.source)
        return all(
            self.is_covered(op)
            for op in block_of(self.copy).walk()
            if op is not self.copy
            and any(
                self.is_hazard(op, tile, root_of(tile), buffer, source)
                for tile in _tiles(op)
            )
        )

    def is_hazard(
        self,
        op: Operation,
        tile: SSAValue,
        root: SSAValue,
        buffer: SSAValue,
        source: SSAValue,
    ) -> bool:
        """
        Whether an op touches memory that the copy, in flight, still reads or writes.

        Copies of one scope to one buffer are left to the events: if no event keeps
        them apart, whoever reads the buffer has a race with or without this pass.
        """
        copies = isinstance(op, CopyOp | CopyAsyncOp)
        if may_alias(root, buffer):
            own = copies and scope_of(op).root is scope_of(self.copy).root
            return not (own and tile is op.operands[1])
        if may_alias(root, source):
            if isinstance(op, ElementwiseOp | ReduceOp):
                return tile is op.destination
            return op.name in ("croq.store", "croq.mma.store", "croq.fill") or (
                copies and tile is op.operands[1]
            )
        return False

    def is_covered(self, access: Operation) -> bool:
        """
        Whether a wait for the event comes between the copy and an access.

        In another scope: a wait on every way to the access. In the scope of the copy:
        one that also comes after the trigger, on the way around a loop if need be.
        """
        waits = [w for w in self.waits_of(access) if always_before(w, access)]
        scope = scope_of(self.copy).root
        if scope_of(access).root is not scope:
            return bool(waits)
        block = common_block(self.copy, access)
        if block is None:
            return False
        around_copy = block.find_ancestor_op_in_block(self.copy)
        around_access = block.find_ancestor_op_in_block(access)
        if around_copy is None or around_access is None:
            return False
        if around_access.is_before_in_block(around_copy):
            if not loops_around(self.copy, scope):
                return True
            return any(block.find_ancestor_op_in_block(wait) for wait in waits)
        last = self.trigger if around_copy is self.copy else around_copy
        return any(
            around_wait is not None and last.is_before_in_block(around_wait)
            for around_wait in map(block.find_ancestor_op_in_block, waits)
        )

    def waits_of(self, access: Operation) -> Iterator[WaitOp]:
        """The waits for the event in the scope of an access."""
        scope = scope_of(access).root
        for use in self.trigger.event.uses:
            wait = use.operation
            if isinstance(wait, WaitOp) and scope_of(wait).root is scope:
                yield wait


def _candidates(trigger: TriggerOp) -> list[CopyOp]:
    """The synchronous loads before a trigger that are its to publish, in order."""
    found: list[CopyOp] = []
    op = trigger.prev_op
    while op is not None:
        if isinstance(op, TriggerOp) and op.event is trigger.event:
            break
        if isinstance(op, CopyOp) and is_load(op):
            found.append(op)
        op = op.prev_op
    return found[::-1]


def fuse(trigger: TriggerOp) -> None:
    """Make a trigger publish the copies before it."""
    for future in trigger.after:
        if isinstance(future.owner, CopyAsyncOp):
            require_engine(future.owner, trigger)
    if scope_of(trigger).per_thread or trigger.multicast is not None:
        return
    futures: list[SSAValue] = []
    for copy in _candidates(trigger):
        if not _Fusion(copy, trigger).is_safe():
            continue
        require_engine(copy, trigger)
        started = LocatedBuilder.before(copy).insert(copy.as_started())
        started.attributes |= copy.attributes
        replace_values(copy, ())
        futures.append(started.future)
    if not futures:
        return
    fused = LocatedBuilder.before(trigger).insert(
        TriggerOp(trigger.event, trigger.position, [*trigger.after, *futures])
    )
    fused.attributes |= trigger.attributes
    replace_values(trigger, ())


@dataclass(frozen=True)
class FuseDmaEventsPass(ModulePass):
    """
    Let copies that are followed by a trigger complete on its event.

    `croq.copy` from global to shared memory, by any engine, and a `croq.trigger` later
    in the same block become `croq.copy_async` and `trigger .. after`, unless someone
    uses the buffer without waiting for that event.
    """

    name = "fuse-dma-events"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for trigger in [t for t in op.walk() if isinstance(t, TriggerOp)]:
            fuse(trigger)
