"""
`--insert-fences`: fences between the generic proxy and the asynchronous one.

    nvvm.stmatrix %p, ..                  nvvm.stmatrix %p, ..
    croq.barrier                   ->     nvvm.fence.proxy {async.shared, cta}
    scf.if %leader {                      croq.barrier
      nvvm.cp.async.bulk.tensor..         scf.if %leader { ..

What a thread stores to a shared buffer that TMA or wgmma accesses becomes visible to
them by a fence in that thread, before the barrier or the arrival that tells others of
it (PTX ISA, "Async proxy"). Initialised mbarriers need `fence.mbarrier_init`,
where the target has accesses of others than the threads of the block.

What a `cp.async` writes lands later. The thread that waits for its group fences, as for
a store. Where it completes on an mbarrier no thread of those that copied knows when it
has landed: the thread that waited for the mbarrier fences, before TMA or wgmma of its
own. The same goes for the elements that a copy by `cp.async` moves through registers.

Where TMA loads from a global tile that threads of the kernel write, or stores to one,
the thread that starts the copy fences (`analysis/global_proxies.py`).

After this pass only fences order the two proxies; the kernel says so by the attribute
`explicit_fences` (`analysis/grain.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.flags import releases
from croqtile_mlir.analysis.global_proxies import copies_to_fence
from croqtile_mlir.analysis.grain import EXPLICIT_FENCES
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
from croqtile_mlir.analysis.program_order import is_loop
from croqtile_mlir.analysis.proxies import (
    ANY,
    Buffer,
    asynchronous_accesses,
    generic_writes,
    lands_by_cp_async,
)
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    BarrierArriveOp,
    BarrierOp,
    BarrierWaitOp,
    ParallelOp,
    RoleOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_PUBLISHES = (
    BarrierArriveOp,
    BarrierOp,
    BarrierWaitOp,
    nvvm.Barrier0Op,
    nvvm.BarrierArriveOp,
    nvvm.BarrierOp,
    nvvm.BarWarpSyncOp,
    nvvm.ClusterArriveOp,
    nvvm.MbarrierArriveDropOp,
    nvvm.MbarrierArriveExpectTxOp,
    nvvm.MbarrierArriveNocompleteOp,
    nvvm.MbarrierArriveOp,
)
"""Ops after which others may rely on what the thread wrote before."""

_TESTS = (nvvm.MbarrierTestWaitOp, nvvm.MbarrierTryWaitOp, nvvm.MbarrierTryWaitParityOp)
"""Ops by which a thread knows of what has landed elsewhere."""

Buffers = frozenset[Buffer]


@dataclass(frozen=True)
class _Unfenced:
    """A write to a buffer that the asynchronous proxy may not see yet."""

    buffer: Buffer
    known: bool = False
    """Whether the thread only knows of it: others, who wait for it, do so too."""


State = frozenset[_Unfenced]


def _meet(a: Buffers, b: Buffers) -> bool:
    """Whether two sets may have a buffer in common."""
    return bool(a and b) and (ANY in a | b or not a.isdisjoint(b))


class _Fences(InsertionFlow[_Unfenced]):
    """Facts are the writes a thread has made, or knows of, and not fenced since."""

    def __init__(self, asynchronous: Buffers, landing: Buffers) -> None:
        super().__init__()
        self._asynchronous = asynchronous
        self._landing = self._relevant(landing)
        """What copies by `cp.async` fill."""
        self._effects: dict[Operation, tuple[State, Buffers]] = {}

    def settled(self, state: State) -> State:
        return frozenset()

    def needs(self, op: Operation, state: State) -> bool:
        if not state:
            return False
        publishes = isinstance(op, _PUBLISHES) or releases(op)
        if publishes and any(not fact.known for fact in state):
            return True
        return _meet(frozenset(fact.buffer for fact in state), self._of(op)[1])

    def after(self, op: Operation, state: State) -> State:
        if isinstance(op, nvvm.FenceProxyOp):
            return state if _is_other_fence(op) else frozenset()
        return state | self._of(op)[0]

    def regions(self, op: Operation, state: State) -> State:
        if isinstance(op, RoleOp):
            ops = () if op.parent is None else op.parent.ops
            roles = [role for role in ops if isinstance(role, RoleOp)]
            if op is not roles[0]:
                return state
            # No thread is in two roles.
            return state.union(*(self.hoisting(role, state) for role in roles))
        # All threads that wrote must come to the fence, not only those that go inside.
        return self.hoisting(op, state)

    def _of(self, op: Operation) -> tuple[State, Buffers]:
        """What of an op the other proxy accesses, and what it accesses so."""
        if op not in self._effects:
            self._effects[op] = self._writes(op), asynchronous_accesses(op)
        return self._effects[op]

    def _writes(self, op: Operation) -> State:
        if isinstance(op, nvvm.CpAsyncWaitGroupOp):
            return frozenset(_Unfenced(buffer) for buffer in self._landing)
        if isinstance(op, _TESTS):
            return frozenset(_Unfenced(buffer, known=True) for buffer in self._landing)
        buffers = self._relevant(generic_writes(op))
        if buffers and _is_instead_of_cp_async(op):
            return frozenset()
        return frozenset(map(_Unfenced, buffers))

    def _relevant(self, buffers: Buffers) -> Buffers:
        """Those that the other proxy accesses."""
        return frozenset(
            b for b in buffers if _meet(frozenset({b}), self._asynchronous)
        )


def _is_instead_of_cp_async(store: Operation) -> bool:
    """Whether an op is in one branch of a condition, and a `cp.async` in the other."""
    buffers = generic_writes(store)
    op = store
    while (around := op.parent_op()) is not None and not isinstance(around, ParallelOp):
        if isinstance(around, scf.IfOp) and any(
            _meet(buffers, lands_by_cp_async(inner)) for inner in around.walk()
        ):
            return True
        op = around
    return False


def _is_other_fence(op: nvvm.FenceProxyOp) -> bool:
    return op.kind.data not in (nvvm.ProxyKind.Async, nvvm.ProxyKind.AsyncShared)


def fences_of(block: ParallelOp) -> list[Operation]:
    """The ops of a block that need a proxy fence before them, in program order."""
    ops = list(block.walk())
    asynchronous = frozenset[Buffer]().union(*map(asynchronous_accesses, ops))
    landing = frozenset[Buffer]().union(*map(lands_by_cp_async, ops))
    return _Fences(asynchronous, landing).places(block)


def initialisations(block: ParallelOp) -> list[Operation]:
    """
    The ops after which mbarriers are initialised and need a fence, one for each place.

    That is the last initialisation in a condition, or the loop around it.
    """
    last: dict[Block, Operation] = {}
    for init in block.walk():
        if not isinstance(init, nvvm.MbarrierInitOp):
            continue
        op: Operation = init
        while (around := op.parent_op()) is not None and is_loop(around):
            op = around
        if op.parent is not None:
            last[op.parent] = op
    return [op for op in last.values() if not _is_fenced(op)]


def _is_fenced(op: Operation) -> bool:
    following = op.next_op
    while following is not None:
        if isinstance(following, nvvm.FenceMbarrierInitOp):
            return True
        following = following.next_op
    return False


@dataclass(frozen=True)
class InsertFencesPass(ModulePass):
    """
    Insert the fences that the asynchronous proxy needs, and no others.

    Comes after `--lower-dma` and `--lower-mma`, when all stores are there.
    """

    name = "insert-fences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Without bulk copies and clusters only threads of the block use mbarriers.
        fenced = target_of(op).has("mbarrier_tx")
        for block in blocks_in(op):
            for last in initialisations(block) if fenced else ():
                LocatedBuilder.after(last).insert(nvvm.FenceMbarrierInitOp())
            for place in fences_of(block):
                LocatedBuilder.before(place).insert(
                    nvvm.FenceProxyOp(nvvm.ProxyKind.AsyncShared, nvvm.SharedSpace.CTA)
                )
            for copy in copies_to_fence(block):
                LocatedBuilder.before(copy).insert(
                    nvvm.FenceProxyOp(nvvm.ProxyKind.AsyncGlobal)
                )
            kernel_of(block).attributes[EXPLICIT_FENCES] = UnitAttr()
