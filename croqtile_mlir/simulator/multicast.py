"""
Where a copy to shared memory goes: one block of the cluster, or all of a mask.

PTX ISA, `cp.async.bulk`: with `.multicast::cluster` the bytes and their completion go
to the same offsets in every block whose rank is set in the mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from croqtile_mlir.simulator.barriers import Mbarrier
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.mbarrier import mbarrier_in
from croqtile_mlir.simulator.peers import SHARED_END, block_at
from croqtile_mlir.simulator.program import Frame
from croqtile_mlir.simulator.state import BlockState


@dataclass(frozen=True, eq=False)
class Destination:
    """A place in the shared memory of a block, and the mbarrier that counts bytes."""

    block: BlockState
    offset: int
    barrier: Mbarrier

    def name(self, frame: Frame) -> str:
        """What a copy there is called."""
        to = "" if self.block is frame.block else f" to rank {self.block.rank}"
        return f"TMA of {frame.agent.name}{to}"


def destinations(
    frame: Frame, op: Operation, to: int, bar: int, mask: int | None = None
) -> Sequence[Destination]:
    """Where the bytes of a copy go; faults for what is not there."""
    found: list[Destination] = []
    for block in _blocks(frame, op, to, bar, mask):
        barrier = usable(frame, op, bar % SHARED_END, block)
        if barrier is not None:
            found.append(Destination(block, to % SHARED_END, barrier))
    return found


def _blocks(
    frame: Frame, op: Operation, to: int, bar: int, mask: int | None
) -> Sequence[BlockState]:
    engine, blocks = frame.agent.engine, frame.block.cluster.blocks
    if mask is not None:
        mask &= 0xFFFF
        ranks = [rank for rank in range(mask.bit_length()) if mask >> rank & 1]
        if not ranks or ranks[-1] >= len(blocks):
            engine.fault(
                FaultKind.MISUSE,
                op,
                f"multicast mask must have bits of the {len(blocks)} ranks of the "
                f"cluster, got {mask:#x}",
            )
        return [blocks[rank] for rank in ranks if rank < len(blocks)]
    if to < SHARED_END and bar < SHARED_END:
        return (frame.block,)
    target, counted = block_at(frame, op, to), block_at(frame, op, bar)
    if target is None or counted is None:
        return ()
    if target is not counted:
        engine.fault(
            FaultKind.MISUSE,
            op,
            f"must complete on an mbarrier of the block that it writes, rank "
            f"{target.rank}, got one of rank {counted.rank}",
        )
        return ()
    return (target,)


def usable(
    frame: Frame, op: Operation, offset: int, block: BlockState
) -> Mbarrier | None:
    """The mbarrier that a copy completes on; faults when the async proxy may not."""
    barrier = mbarrier_in(block, frame, op, offset)
    if barrier is not None and not barrier.published:
        frame.agent.engine.fault(
            FaultKind.STALE_READ,
            op,
            f"the async proxy may not see {barrier.name} initialised",
            notes=[(barrier.op, "it is initialised here")],
            hint="`nvvm.fence.mbarrier.init` of the same thread must follow",
        )
    return barrier
