"""What the lanes of a warp exchange, at tile level: as the ops that they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.passes.lower_lanes import MATCHES, REDUCTIONS, SHUFFLES, VOTES
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.barriers import BarrierWait, NamedBarrier
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.synchronization import check_members
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.values import WARP, collapse, dtype_of, is_integer, spread
from croqtile_mlir.simulator.warp import (
    active_bits,
    first_lanes,
    matches,
    reduce_lanes,
    shuffle_sources,
    vote,
)
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

Members = Callable[[Frame], Any]
_ALL_LANES = -1


def _members(maker: Maker, mask: SSAValue | None) -> Members:
    """What reads the lanes that an op names."""
    if mask is None:
        return lambda _: _ALL_LANES
    register = maker.register(mask)
    return lambda frame: frame.values[register]


def make_shuffle(steps: Steps, op: croq.ShuffleOp, maker: Maker) -> Made:
    """The value of another lane."""
    del steps
    value, offset = maker.register(op.value), maker.register(op.offset)
    result, members = maker.register(op.result), _members(maker, op.mask)
    kind, last = SHUFFLES[op.kind.data]
    dtype = dtype_of(op.value.type, op)
    like: Callable[[Any], Any] = int if is_integer(op.value.type) else lambda x: x

    def step(frame: Frame) -> None:
        values = frame.values
        check_members(frame, op, members(frame))
        source, _ = shuffle_sources(frame, op, kind, values[offset], last)
        lanes = spread(values[value], frame.agent.threads, dtype)
        values[result] = collapse(lanes[source], like)

    return step


def make_vote(steps: Steps, op: croq.VoteOp, maker: Maker) -> Made:
    """What a predicate is over lanes."""
    del steps
    predicate, result = maker.register(op.predicate), maker.register(op.result)
    kind, members = VOTES[op.kind.data], _members(maker, op.mask)

    def step(frame: Frame) -> None:
        check_members(frame, op, members(frame))
        frame.values[result] = vote(frame, kind, frame.values[predicate])

    return step


def make_match(steps: Steps, op: croq.MatchOp, maker: Maker) -> Made:
    """Which lanes have the same value."""
    del steps
    value, lanes = maker.register(op.value), maker.register(op.lanes)
    same = None if op.same is None else maker.register(op.same)
    kind, members = MATCHES[op.kind.data], _members(maker, op.mask)
    dtype = dtype_of(op.value.type, op)

    def step(frame: Frame) -> None:
        check_members(frame, op, members(frame))
        found = matches(frame, kind, frame.values[value], dtype)
        frame.values[lanes] = found[0]
        if same is not None:
            frame.values[same] = found[1]

    return step


def make_active_mask(steps: Steps, op: croq.ActiveMaskOp, maker: Maker) -> Made:
    """The lanes that execute it."""
    del steps
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        frame.values[result] = active_bits(frame)

    return step


def make_redux(steps: Steps, op: croq.ReduxOp, maker: Maker) -> Made:
    """An integer combined over lanes."""
    del steps
    value, result = maker.register(op.value), maker.register(op.result)
    kind, members = REDUCTIONS[op.kind.data], _members(maker, op.mask)

    def step(frame: Frame) -> None:
        check_members(frame, op, members(frame))
        frame.values[result] = reduce_lanes(frame, kind, frame.values[value])

    return step


def make_elect(steps: Steps, op: croq.ElectLaneOp, maker: Maker) -> Made:
    """The first lane of each warp that executes it."""
    del steps
    result, members = maker.register(op.result), _members(maker, op.mask)

    def step(frame: Frame) -> None:
        check_members(frame, op, members(frame))
        frame.values[result] = first_lanes(frame)

    return step


def make_barrier(steps: Steps, op: croq.WarpBarrierOp, maker: Maker) -> Made:
    """The lanes of a warp are ordered with each other."""
    del steps
    members = _members(maker, op.mask)

    def step(frame: Frame) -> None:
        check_members(frame, op, members(frame))
        frame.agent.warps_meet(frame.lanes.tolist())

    return step


def make_warpgroup_barrier(
    steps: Steps, op: croq.WarpgroupBarrierOp, maker: Maker
) -> Made:
    """The threads of a warpgroup of the block meet."""
    del steps, maker

    def resume(frame: Frame) -> Progress:
        agent, engine = frame.agent, frame.block.engine
        if frame.mask is not None:
            engine.fault(
                FaultKind.PARTICIPATION,
                op,
                f"{frame.active} of {agent.threads} threads of {agent.name} come to a "
                "barrier of a warpgroup",
            )
        if agent.threads == WARPGROUP_THREADS:
            agent.lanes_meet()
            return
        number = agent.first_thread // WARPGROUP_THREADS
        key = ("warpgroup", number)
        if (barrier := engine.named_barriers.get(key)) is None:
            name = f"the barrier of warpgroup {number}"
            barrier = NamedBarrier(name, WARPGROUP_THREADS, op)
            engine.named_barriers[key] = barrier
        generation = barrier.arrive(agent, op, WARPGROUP_THREADS)
        yield BarrierWait(barrier, generation, op)
        barrier.leave(agent)

    return Suspending(resume)


def make_lane_id(steps: Steps, op: croq.LaneIdOp, maker: Maker) -> Made:
    """The number of each thread in its warp."""
    del steps
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        frame.values[result] = np.arange(frame.agent.threads) % WARP

    return step


def make_warp_id(steps: Steps, op: croq.WarpIdOp, maker: Maker) -> Made:
    """The number of the warp of each thread in its scope."""
    result = maker.register(op.result)
    first = steps.kernel.scope(op).first_thread

    def step(frame: Frame) -> None:
        agent = frame.agent
        threads = agent.first_thread - first + np.arange(agent.threads)
        frame.values[result] = threads // WARP

    return step


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.ActiveMaskOp: make_active_mask,
    croq.ElectLaneOp: make_elect,
    croq.LaneIdOp: make_lane_id,
    croq.MatchOp: make_match,
    croq.ReduxOp: make_redux,
    croq.ShuffleOp: make_shuffle,
    croq.VoteOp: make_vote,
    croq.WarpBarrierOp: make_barrier,
    croq.WarpIdOp: make_warp_id,
    croq.WarpgroupBarrierOp: make_warpgroup_barrier,
}
