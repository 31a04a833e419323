"""
`--insert-fences`: fences between the generic proxy and the asynchronous one.

    nvvm.stmatrix %p, ..                  nvvm.stmatrix %p, ..
    croq.barrier                   ->     nvvm.fence.proxy {async.shared, cta}
    scf.if %leader {                      croq.barrier
      nvvm.cp.async.bulk.tensor..         scf.if %leader { ..

What a thread stores to a shared buffer that TMA or wgmma accesses becomes visible to
them by a fence in that thread, before the barrier or the arrival that tells others of
it (PTX ISA, "Async proxy"). Initialised mbarriers need `fence.mbarrier_init`.

After this pass only fences order the two proxies; the kernel says so by the attribute
`explicit_fences` (`analysis/grain.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.grain import EXPLICIT_FENCES
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
from croqtile_mlir.analysis.program_order import is_loop
from croqtile_mlir.analysis.proxies import (
    ANY,
    Buffer,
    asynchronous_accesses,
    generic_writes,
)
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import BarrierOp, ParallelOp, RoleOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_PUBLISHES = (
    BarrierOp,
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

State = frozenset[Buffer]


def _meet(a: State, b: State) -> bool:
    """Whether two sets may have a buffer in common."""
    return bool(a and b) and (ANY in a | b or not a.isdisjoint(b))


class _Fences(InsertionFlow[Buffer]):
    """Facts are the buffers that a thread has written to and not fenced since."""

    def __init__(self, asynchronous: State) -> None:
        super().__init__()
        self._asynchronous = asynchronous
        self._effects: dict[Operation, tuple[State, State]] = {}

    def settled(self, state: State) -> State:
        return frozenset()

    def needs(self, op: Operation, state: State) -> bool:
        if not state:
            return False
        return isinstance(op, _PUBLISHES) or _meet(state, self._of(op)[1])

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

    def _of(self, op: Operation) -> tuple[State, State]:
        """What an op writes that the other proxy accesses, and what it accesses so."""
        if op not in self._effects:
            writes = generic_writes(op)
            relevant = {b for b in writes if _meet(frozenset({b}), self._asynchronous)}
            self._effects[op] = frozenset(relevant), asynchronous_accesses(op)
        return self._effects[op]


def _is_other_fence(op: nvvm.FenceProxyOp) -> bool:
    return op.kind.data not in (nvvm.ProxyKind.Async, nvvm.ProxyKind.AsyncShared)


def fences_of(block: ParallelOp) -> list[Operation]:
    """The ops of a block that need a proxy fence before them, in program order."""
    asynchronous = frozenset[Buffer]().union(
        *(asynchronous_accesses(op) for op in block.walk())
    )
    return _Fences(asynchronous).places(block)


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
        for block in blocks_in(op):
            for last in initialisations(block):
                LocatedBuilder.after(last).insert(nvvm.FenceMbarrierInitOp())
            for place in fences_of(block):
                LocatedBuilder.before(place).insert(
                    nvvm.FenceProxyOp(nvvm.ProxyKind.AsyncShared, nvvm.SharedSpace.CTA)
                )
            kernel_of(block).attributes[EXPLICIT_FENCES] = UnitAttr()
