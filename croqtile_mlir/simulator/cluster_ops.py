"""Ops of a cluster (`nvvm`): its barrier, addresses of other blocks."""

from __future__ import annotations

from typing import Final

import numpy as np

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.cluster_barrier import ClusterWait
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.mbarrier import paused
from croqtile_mlir.simulator.peers import SHARED_END, address_in
from croqtile_mlir.simulator.program import (
    Frame,
    Handlers,
    Made,
    Maker,
    Suspending,
    waiting_until,
)
from croqtile_mlir.simulator.synchronization import initialised_until
from croqtile_mlir.simulator.values import lanes_of
from croqtile_mlir.simulator.wgmma import whole_warps


def _released(frame: Frame) -> Clock:
    """
    What a relaxed arrival releases: that its threads have started, and the mbarriers
    that `fence.mbarrier_init.release.cluster` has ordered before it (PTX ISA, membar).
    """
    agent, clock = frame.agent, Clock()
    clock.room(agent.slot + 1)[agent.slot] = max(1, initialised_until(frame))
    return clock


def make_arrive(
    op: nvvm.ClusterArriveOp | nvvm.ClusterArriveRelaxedOp, maker: Maker
) -> Made:
    """`nvvm.cluster.arrive`, also relaxed: all threads of a warp arrive."""
    relaxed = isinstance(op, nvvm.ClusterArriveRelaxedOp)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        known = _released(frame) if relaxed else None
        generation = frame.block.cluster.barrier.arrive(frame.agent, op, known)
        frame.block.objects["cluster", frame.agent] = generation

    return paused(step)


def make_wait(op: nvvm.ClusterWaitOp, maker: Maker) -> Made:
    """`nvvm.cluster.wait`."""

    def resume(frame: Frame) -> Progress:
        whole_warps(frame, op)
        agent = frame.agent
        generation = frame.block.objects.pop(("cluster", agent), None)
        if generation is None:
            agent.engine.fault(
                FaultKind.MISUSE,
                op,
                f"{agent.name} waits for the cluster and has not arrived",
            )
            return
        barrier = frame.block.cluster.barrier
        yield from waiting_until(ClusterWait(barrier, agent, generation, op))
        barrier.leave(agent)

    return Suspending(resume)


def make_mapa(op: nvvm.MapaOp, maker: Maker) -> Made:
    """`nvvm.mapa`: the same offset in the block of a rank."""
    source, rank = maker.register(op.addr), maker.register(op.rank)
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        ranks, address = frame.values[rank], frame.values[source]
        if ranks.__class__ is np.ndarray:
            ranks = ranks.astype(np.int64)
        blocks = len(frame.block.cluster.blocks)
        active = lanes_of(ranks, frame.agent.threads)[frame.lanes]
        if np.any(active < 0) or np.any(active >= blocks):
            frame.agent.engine.fault(
                FaultKind.OUT_OF_BOUNDS,
                op,
                f"rank must be below {blocks}, the blocks of the cluster, got "
                f"{int(np.max(active))}",
            )
            ranks = ranks % blocks
        frame.values[result] = address_in(ranks, address % SHARED_END)

    return step


HANDLERS: Final[Handlers] = {
    nvvm.ClusterArriveOp: make_arrive,
    nvvm.ClusterArriveRelaxedOp: make_arrive,
    nvvm.ClusterWaitOp: make_wait,
    nvvm.MapaOp: make_mapa,
}
