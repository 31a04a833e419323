"""Barriers of the block, fences, register budgets, exit (`nvvm`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.barriers import BarrierWait, NamedBarrier
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.mbarrier import paused
from croqtile_mlir.simulator.program import (
    Frame,
    Handlers,
    Made,
    Maker,
    Suspending,
    waiting_until,
)
from croqtile_mlir.simulator.values import lanes_of
from croqtile_mlir.simulator.wgmma import whole_warps

_NAMED_BARRIERS = 16
"""Of a block. PTX ISA, bar."""


def _barrier(frame: Frame, op: Operation, number: object, threads: int) -> NamedBarrier:
    """The barrier of a number, made at its first use."""
    barriers = frame.agent.engine.named_barriers
    key = ("barrier", number)
    if key not in barriers:
        name = f"barrier {number}" if isinstance(number, int) else str(number)
        barriers[key] = NamedBarrier(name, threads, op)
    return barriers[key]


@dataclass(frozen=True)
class _Where:
    """The operands of a barrier op: its number and how many threads complete it."""

    op: Operation
    number: int | None
    threads: int | None

    @classmethod
    def of(
        cls, op: Operation, number: SSAValue | None, threads: SSAValue | None, m: Maker
    ) -> _Where:
        """From the values of the operands."""
        return cls(
            op,
            None if number is None else m.register(number),
            None if threads is None else m.register(threads),
        )

    def find(self, frame: Frame) -> tuple[NamedBarrier, int]:
        """The barrier, and the number of threads that complete it."""
        number = self._value(frame, self.number, 0, "id")
        threads = self._value(frame, self.threads, frame.block.threads, "threads")
        if not 0 <= number < _NAMED_BARRIERS or threads % 32 or threads <= 0:
            frame.agent.engine.fault(
                FaultKind.MISUSE,
                self.op,
                f"must have an id from 0 to {_NAMED_BARRIERS - 1} and a multiple of 32 "
                f"threads, got {number} and {threads}",
            )
        whole_warps(frame, self.op)
        return _barrier(frame, self.op, number, threads), threads

    def _value(self, frame: Frame, register: int | None, other: int, what: str) -> int:
        if register is None:
            return other
        value = frame.values[register]
        if value.__class__ is not np.ndarray:
            return value
        lanes = lanes_of(value, frame.agent.threads)[frame.lanes]
        if (lanes != lanes[0]).any():
            frame.agent.engine.fault(
                FaultKind.PARTICIPATION,
                self.op,
                f"the lanes of {frame.agent.name} give a barrier different {what}",
            )
        return int(lanes[0])


def make_barrier(op: nvvm.BarrierOp, maker: Maker) -> Made:
    """`nvvm.barrier`: of the block, or by number; also with a reduction."""
    where = _Where.of(op, op.barrier_id, op.number_of_threads, maker)
    predicate = None if op.predicate is None else maker.register(op.predicate)
    result = None if op.result is None else maker.register(op.result)
    kind = None if op.reduction is None else op.reduction.data

    def vote(frame: Frame, generation: int, register: int) -> None:
        """Add the lanes whose predicate is true, by generation."""
        lanes = lanes_of(frame.values[register], frame.agent.threads)[frame.lanes]
        key = ("votes", generation)
        frame.block.objects[key] = frame.block.objects.get(key, 0) + int(
            np.count_nonzero(lanes)
        )

    def resume(frame: Frame) -> Progress:
        barrier, threads = where.find(frame)
        generation = barrier.arrive(frame.agent, op, threads)
        if predicate is not None:
            vote(frame, generation, predicate)
        yield from waiting_until(BarrierWait(barrier, generation, op))
        barrier.leave(frame.agent)
        if result is not None:
            true = frame.block.objects["votes", generation]
            match kind:
                case nvvm.Reduction.And:
                    frame.values[result] = int(true == threads)
                case nvvm.Reduction.Or:
                    frame.values[result] = int(true > 0)
                case _:
                    frame.values[result] = true

    return Suspending(resume)


def make_barrier0(op: nvvm.Barrier0Op, maker: Maker) -> Made:
    """`nvvm.barrier0`: of the block."""
    where = _Where(op, None, None)

    def resume(frame: Frame) -> Progress:
        barrier, threads = where.find(frame)
        generation = barrier.arrive(frame.agent, op, threads)
        yield from waiting_until(BarrierWait(barrier, generation, op))
        barrier.leave(frame.agent)

    return Suspending(resume)


def make_barrier_arrive(op: nvvm.BarrierArriveOp, maker: Maker) -> Made:
    """`nvvm.barrier.arrive`: arrives and does not wait."""
    where = _Where.of(op, op.barrier_id, op.number_of_threads, maker)

    def step(frame: Frame) -> None:
        barrier, threads = where.find(frame)
        barrier.arrive(frame.agent, op, threads)

    return paused(step)


def make_warp_sync(op: nvvm.BarWarpSyncOp, maker: Maker) -> Made:
    """`nvvm.bar.warp.sync`: orders the lanes of a warp."""
    mask = maker.register(op.mask)

    def step(frame: Frame) -> None:
        check_members(frame, op, frame.values[mask])
        frame.agent.warps_meet(frame.lanes.tolist())

    return step


def check_members(frame: Frame, op: Operation, members: Any) -> None:
    """A fault when the lanes that a mask names are not those that execute an op."""
    if frame.mask is None and members.__class__ is int and members == -1:
        return
    threads = frame.agent.threads
    lane = np.arange(threads) % 32
    named = (lanes_of(members, threads) >> lane & 1).astype(bool)
    active = np.ones(threads, bool) if frame.mask is None else frame.mask
    # A warp whose lanes are all elsewhere does not execute it.
    warps = np.repeat(active.reshape(-1, 32).any(axis=1), 32)
    if (named[warps] != active[warps]).any():
        frame.agent.engine.fault(
            FaultKind.PARTICIPATION,
            op,
            f"the lanes of {frame.agent.name} that execute it must be those of its "
            f"mask",
        )


# Fences


def make_fence_proxy(op: nvvm.FenceProxyOp, maker: Maker) -> Made:
    """`nvvm.fence.proxy`: generic writes reach the async proxy."""
    kind = op.kind.data
    of_shared = kind in (nvvm.ProxyKind.Async, nvvm.ProxyKind.AsyncShared)
    of_global = kind in (nvvm.ProxyKind.Async, nvvm.ProxyKind.AsyncGlobal)

    def step(frame: Frame) -> None:
        agent = frame.agent
        if of_shared:
            frame.block.shared.proxy_fence(agent, op)
            publish_mbarriers(frame)
        if of_global:
            for buffer in frame.block.launch.memory.buffers:
                buffer.proxy_fence(agent, op)

    return step


def publish_mbarriers(frame: Frame) -> None:
    """Make the mbarriers that an agent initialised usable by the async proxy."""
    for barrier in frame.agent.engine.mbarriers.values():
        if barrier.created[0] == frame.agent.slot:
            barrier.published = True


def make_fence_init(op: nvvm.FenceMbarrierInitOp, maker: Maker) -> Made:
    """`nvvm.fence.mbarrier.init`."""

    def step(frame: Frame) -> None:
        agent = frame.agent
        publish_mbarriers(frame)
        epoch = agent.engine.history.last_epoch(agent.slot)
        frame.block.objects["initialised", agent] = epoch

    return step


def initialised_until(frame: Frame) -> int:
    """The epoch up to which a fence has released mbarriers of the agent; 0: none."""
    return frame.block.objects.get(("initialised", frame.agent), 0)


def make_nothing(op: Operation, maker: Maker) -> Made:
    """
    An op that has no effect here: fences that order the generic proxy alone (barriers
    do, and no handler reorders), dependent launches, sleeping, prefetches.
    """
    return None


# Warpgroups and threads


@dataclass(eq=False)
class _Together:
    """Executions of `setmaxnreg`, which all warps of a warpgroup must make."""

    warpgroup: int
    warps: dict[Agent, list[Operation]] = field(
        default_factory=dict[Agent, list[Operation]]
    )

    def check(self) -> None:
        """At the end: every warp of the warpgroup executed the same ones."""
        lists = list(self.warps.values())
        threads = sum(agent.threads for agent in self.warps)
        if all(each == lists[0] for each in lists) and threads % 128 == 0:
            return
        agent = next(iter(self.warps))
        agent.engine.fault(
            FaultKind.PARTICIPATION,
            lists[0][0],
            f"must be executed by all warps of warpgroup {self.warpgroup}, got "
            f"{', '.join(agent.name for agent in self.warps)}",
        )


def make_set_registers(op: nvvm.SetMaxRegisterOp, maker: Maker) -> Made:
    """`nvvm.setmaxregister`: no effect, but all four warps must execute it."""

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        agent, objects = frame.agent, frame.block.objects
        number = agent.first_thread // 128
        together = objects.get(("registers", number))
        if together is None:
            together = objects["registers", number] = _Together(number)
            agent.engine.at_end.append(together.check)
        together.warps.setdefault(agent, []).append(op)

    return step


class Exit(Exception):
    """All threads of an agent have left the kernel."""


def make_exit(op: nvvm.ExitOp, maker: Maker) -> Made:
    """`nvvm.exit`: of a whole warp."""

    def step(frame: Frame) -> None:
        if frame.mask is not None and not frame.mask.all():
            fail(op, "must be executed by whole warps in the simulator")
        raise Exit

    return step


HANDLERS: Final[Handlers] = {
    nvvm.BarrierOp: make_barrier,
    nvvm.Barrier0Op: make_barrier0,
    nvvm.BarrierArriveOp: make_barrier_arrive,
    nvvm.BarWarpSyncOp: make_warp_sync,
    nvvm.FenceProxyOp: make_fence_proxy,
    nvvm.FenceMbarrierInitOp: make_fence_init,
    nvvm.FenceProxyAcquireOp: make_nothing,
    nvvm.FenceProxyReleaseOp: make_nothing,
    nvvm.GridDepControlOp: make_nothing,
    nvvm.NanosleepOp: make_nothing,
    nvvm.SetMaxRegisterOp: make_set_registers,
    nvvm.ExitOp: make_exit,
}
