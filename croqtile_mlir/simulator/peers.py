"""
Addresses in the shared memory of the blocks of a cluster (PTX ISA, `.shared::cluster`).

An offset in the own block's shared memory is an address of that window, too; that of
the block of rank r, which `mapa` gives, has r + 1 above the offset.
"""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame
from croqtile_mlir.simulator.state import BlockState

SHARED_END = 1 << 24
"""Addresses below are offsets in the shared memory of the block itself."""

CLUSTER_END = 18 * SHARED_END
"""Addresses below are in shared memory of the cluster."""


def address_in(rank: Any, offset: Any) -> Any:
    """The address of an offset in the shared memory of a rank; also of each lane."""
    return (rank + 1) * SHARED_END + offset


def block_at(frame: Frame, op: Operation, address: int) -> BlockState | None:
    """
    The block whose shared memory an address is in; a fault when there is none.

    Also when that block may not have started: a barrier of the cluster must come first.
    """
    rank, blocks = address // SHARED_END - 1, frame.block.cluster.blocks
    if rank < 0:
        return frame.block
    if rank >= len(blocks):
        frame.agent.engine.fault(
            FaultKind.OUT_OF_BOUNDS,
            op,
            f"{frame.agent.name} uses shared memory of rank {rank}, but the cluster "
            f"has {len(blocks)} "
            f"{'block' if len(blocks) == 1 else 'blocks'}",
        )
        return None
    block, clock = blocks[rank], frame.agent.clock
    if block is not frame.block and not any(
        clock.saw(agent.slot, 1) for agent in block.engine.agents
    ):
        frame.agent.engine.fault(
            FaultKind.MISUSE,
            op,
            f"{frame.agent.name} uses shared memory of rank {rank}, which may not have "
            f"started",
            hint="a barrier of the cluster must come before",
        )
    return block
