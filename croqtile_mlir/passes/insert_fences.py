"""Fences between the generic proxy and the asynchronous one, by data flow."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.accesses import is_loop
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    BarrierOp,
    DescriptorOp,
    KernelOp,
    RoleOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)
from croqtile_mlir.passes.rewriting import LocatedBuilder

_PUBLISHES = (
    BarrierOp,
    nvvm.BarrierOp,
    nvvm.Barrier0Op,
    nvvm.BarWarpSyncOp,
    nvvm.MbarrierArriveOp,
    nvvm.MbarrierArriveDropOp,
)
"""Ops after which others may rely on what a thread wrote before."""


def _buffer(pointer: SSAValue) -> SSAValue | None:
    """The buffer that a pointer leads into; None for one that is not a tile's."""
    owner = pointer.owner
    while isinstance(owner, Operation) and owner.name in (
        "llvm.addrspacecast",
        "llvm.bitcast",
        "llvm.getelementptr",
    ):
        owner = owner.operands[0].owner
    return root_of(owner.tile) if isinstance(owner, AddressOp) else None


def _written(op: Operation) -> SSAValue | None:
    """The shared buffer that an op writes through the generic proxy."""
    match op:
        case nvvm.StMatrixOp():
            return _buffer(op.addr)
        case StoreOp():
            return root_of(op.tile)
        case _ if op.name == llvm.StoreOp.name:
            return _buffer(op.operands[1])
        case _:
            return None


def _accessed_asynchronously(op: Operation) -> SSAValue | None:
    """The shared buffer that an op lets wgmma or TMA access."""
    match op:
        case DescriptorOp():
            return root_of(op.tile)
        case nvvm.CpAsyncBulkTensorLoadOp():
            return _buffer(op.dst)
        case nvvm.CpAsyncBulkTensorStoreOp() | nvvm.CpAsyncBulkTensorReduceOp():
            return _buffer(op.src)
        case _:
            return None


State = frozenset[SSAValue]
"""Buffers with writes that no fence has followed yet."""


@dataclass
class _Fences:
    """The walk over what one thread executes, in program order."""

    asynchronous: frozenset[SSAValue]
    """Buffers that the asynchronous proxy accesses somewhere in the kernel."""

    def block(self, block: Block, state: State) -> State:
        for op in tuple(block.ops):
            state = self.op(op, state)
        return state

    def op(self, op: Operation, state: State) -> State:
        if isinstance(op, nvvm.FenceProxyOp):
            return frozenset()
        written = _written(op)
        if written in self.asynchronous and written is not None:
            return state | {written}
        if self._needs_fence(op, state):
            fence = nvvm.FenceProxyOp(nvvm.ProxyKind.AsyncShared, nvvm.SharedSpace.CTA)
            LocatedBuilder.before(op).insert(fence)
            state = frozenset()
        return self._regions(op, state) if op.regions else state

    def _needs_fence(self, op: Operation, state: State) -> bool:
        if not state:
            return False
        if isinstance(op, scf.IfOp):
            # All threads that wrote must come to the fence, not only those inside.
            return any(
                isinstance(inner, _PUBLISHES)
                or _accessed_asynchronously(inner) in state
                for inner in op.walk()
            )
        return isinstance(op, _PUBLISHES) or _accessed_asynchronously(op) in state

    def _regions(self, op: Operation, state: State) -> State:
        if isinstance(op, RoleOp):
            # Its threads have a program counter of their own.
            for region in op.regions:
                self.block(region.block, state)
            return state
        covers = len(op.regions) > 1 and all(region.blocks for region in op.regions)
        out = frozenset[SSAValue]() if covers else state
        for region in op.regions:
            for block in region.blocks:
                after = self.block(block, state)
                while is_loop(op) and not after <= state:
                    state |= after
                    after = self.block(block, state)
                out |= after
        return out | state if is_loop(op) else out


def _fence_initialisation(kernel: KernelOp) -> None:
    """One fence behind the initialisations of mbarriers of a block."""
    blocks: dict[Block, Operation] = {}
    for op in kernel.walk():
        if isinstance(op, nvvm.MbarrierInitOp) and op.parent is not None:
            blocks[op.parent] = op
    for last in blocks.values():
        after = last.next_op
        while after is not None and not isinstance(after, nvvm.FenceMbarrierInitOp):
            after = after.next_op
        if after is None:
            LocatedBuilder.after(last).insert(nvvm.FenceMbarrierInitOp())


@dataclass(frozen=True)
class InsertFencesPass(ModulePass):
    """
    Insert the fences that the asynchronous proxy needs, and no others.

    What a thread stores to shared memory becomes visible to wgmma and TMA through
    `fence.proxy.async` in that thread, before the barrier or the arrival that publishes
    it (PTX ISA, "Async proxy"). Initialised mbarriers need `fence.mbarrier_init`.
    """

    name = "insert-fences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if isinstance(kernel, KernelOp):
                _fence_initialisation(kernel)
                buffers = {
                    buffer
                    for inner in kernel.walk()
                    if (buffer := _accessed_asynchronously(inner)) is not None
                    and tile_type(buffer).memory_space is Space.Shared
                }
                _Fences(frozenset(buffers)).block(kernel.body.block, frozenset())
