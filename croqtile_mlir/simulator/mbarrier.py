"""
mbarriers (`nvvm.mbarrier.*`), keyed by their offset in shared memory.

Every active lane executes an op; an arrival counts once for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.actors import Polling, Progress
from croqtile_mlir.simulator.barriers import Mbarrier, PhaseWait
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import note_peer
from croqtile_mlir.simulator.peers import SHARED_END, block_at
from croqtile_mlir.simulator.program import (
    Frame,
    Handlers,
    Made,
    Maker,
    Step,
    Suspending,
    waiting_until,
)
from croqtile_mlir.simulator.state import BlockState
from croqtile_mlir.simulator.values import lanes_of

BYTES = 8
"""An mbarrier is a 64-bit word."""

MAX_COUNT = (1 << 20) - 1
"""Most arrivals that an mbarrier can wait for."""


def barrier_at(frame: Frame, op: Operation, address: int) -> Mbarrier | None:
    """The mbarrier at a shared address; a fault when none was initialised there."""
    if address < SHARED_END:
        return mbarrier_in(frame.block, frame, op, address)
    block = block_at(frame, op, address)
    if block is None:
        return None
    found = mbarrier_in(block, frame, op, address % SHARED_END)
    if found is not None and block is not frame.block:
        note_peer(block, frame.agent, op, "an arrival")
    return found


def mbarrier_in(
    block: BlockState, frame: Frame, op: Operation, offset: int
) -> Mbarrier | None:
    """The mbarrier at an offset in a block; a fault when none was initialised there."""
    found = block.engine.mbarriers.get(offset)
    if found is None:
        frame.agent.engine.fault(
            FaultKind.MISUSE,
            op,
            f"{frame.agent.name} uses the mbarrier at shared offset {offset}"
            f"{block.engine.suffix}, which was not initialised",
        )
    return found


def by_lanes(frame: Frame, *values: Any) -> list[tuple[int, ...]]:
    """What differs between the active lanes: the values, and how many lanes have them.

    Each row is one tuple of values, followed by the number of lanes.
    """
    if not any(value.__class__ is np.ndarray for value in values):
        return [(*values, frame.active)]
    lanes, threads = frame.lanes, frame.agent.threads
    columns = [lanes_of(value, threads)[lanes] for value in values]
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return [
        (*(int(x) for x in row), int(count))
        for row, count in zip(rows, counts, strict=True)
    ]


def is_on(frame: Frame, predicate: Any) -> Any:
    """Whether an op with a predicate runs: the frame's mask with it, or None."""
    if predicate.__class__ is np.ndarray:
        mask = predicate if frame.mask is None else predicate & frame.mask
        return mask if mask.any() else None
    if not predicate:
        return None
    return np.ones(frame.agent.threads, bool) if frame.mask is None else frame.mask


def predicated(predicate: SSAValue | None, maker: Maker, step: Step) -> Step:
    """A step that the lanes execute whose predicate is true."""
    if predicate is None:
        return step
    register = maker.register(predicate)

    def run(frame: Frame) -> None:
        around, mask = frame.mask, is_on(frame, frame.values[register])
        if mask is not None:
            frame.mask = mask
            step(frame)
            frame.mask = around

    return run


def paused(step: Step) -> Suspending:
    """A step after which others may go on."""

    def resume(frame: Frame) -> Progress:
        step(frame)
        yield None

    return Suspending(resume)


def make_init(op: nvvm.MbarrierInitOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.init`."""
    address, count = maker.register(op.addr), maker.register(op.count)

    def step(frame: Frame) -> None:
        agent, engine = frame.agent, frame.agent.engine
        memory = frame.block.shared
        for at, expected, _ in by_lanes(
            frame, frame.values[address], frame.values[count]
        ):
            if at % BYTES or not 0 < expected <= MAX_COUNT:
                engine.fault(
                    FaultKind.MISUSE,
                    op,
                    f"must have an offset that is a multiple of {BYTES} and a count "
                    f"from 1 to {MAX_COUNT}, got {at} and {expected}",
                )
                continue
            if not memory.contains(agent, op, at, BYTES):
                continue
            if (old := engine.mbarriers.get(at)) is not None:
                engine.fault(
                    FaultKind.MISUSE,
                    op,
                    f"the mbarrier at shared offset {at} is initialised again",
                    notes=[(old.op, "it was initialised here")],
                    hint="`nvvm.mbarrier.inval` must come between",
                )
            memory.note_write(agent, op, memory.where(at, BYTES))
            name = f"the mbarrier at shared offset {at}{engine.suffix}"
            barrier = Mbarrier(name, expected, op, home=engine)
            barrier.created = (agent.slot, agent.act(op))
            barrier.published = not memory.separate
            engine.mbarriers[at] = barrier

    return predicated(op.predicate, maker, step)


def make_inval(op: nvvm.MbarrierInvalOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.inval`."""
    address = maker.register(op.addr)

    def step(frame: Frame) -> None:
        agent, memory = frame.agent, frame.block.shared
        for at, _ in by_lanes(frame, frame.values[address]):
            if barrier_at(frame, op, at) is not None:
                memory.note_write(agent, op, memory.where(at, BYTES))
                del agent.engine.mbarriers[at]

    return step


def _arrival(
    op: Operation,
    maker: Maker,
    count: SSAValue | None,
    announced: SSAValue | None,
    *,
    arrives: bool = True,
    drops: bool = False,
) -> Made:
    """An arrival of each active lane, an announcement of bytes, or both."""
    address = maker.register(op.operands[0])
    count_register = None if count is None else maker.register(count)
    bytes_register = None if announced is None else maker.register(announced)
    state = maker.register(op.results[0]) if op.results else None

    def step(frame: Frame) -> None:
        values, agent = frame.values, frame.agent
        each = 1 if count_register is None else values[count_register]
        size = 0 if bytes_register is None else values[bytes_register]
        if state is not None:
            values[state] = 0
        for at, number, more, lanes in by_lanes(frame, values[address], each, size):
            barrier = barrier_at(frame, op, at)
            if barrier is None:
                continue
            if state is not None:
                # The phase stands for the state: a test compares its parity.
                values[state] = barrier.completed
            times = number * lanes if arrives else 0
            if drops:
                barrier.expected -= times
            released = None
            if frame.mask is not None and times:
                released = agent.released_by(frame.lanes.tolist())
                released = None if released is agent.clock else released
            barrier.arrive(agent, op, times, more * lanes, released)

    return paused(predicated(getattr(op, "predicate", None), maker, step))


def make_arrive(op: nvvm.MbarrierArriveOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.arrive`."""
    return _arrival(op, maker, op.count, None)


def make_arrive_drop(op: nvvm.MbarrierArriveDropOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.arrive_drop`."""
    return _arrival(op, maker, op.count, None, drops=True)


def make_arrive_nocomplete(op: nvvm.MbarrierArriveNocompleteOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.arrive.nocomplete`."""
    return _arrival(op, maker, op.count, None)


def make_arrive_expect(op: nvvm.MbarrierArriveExpectTxOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.arrive.expect_tx`."""
    return _arrival(op, maker, None, op.bytes)


def make_expect(op: nvvm.MbarrierExpectTxOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.expect_tx`."""
    return _arrival(op, maker, None, op.bytes, arrives=False)


def make_complete(op: nvvm.MbarrierCompleteTxOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.complete_tx`."""
    address, size = maker.register(op.addr), maker.register(op.bytes)

    def step(frame: Frame) -> None:
        for at, each, lanes in by_lanes(
            frame, frame.values[address], frame.values[size]
        ):
            barrier = barrier_at(frame, op, at)
            if barrier is not None:
                barrier.deliver(frame.agent, op, each * lanes)

    return paused(step)


# Waits

Test = nvvm.MbarrierTryWaitOp | nvvm.MbarrierTestWaitOp


def _wait(op: Operation, maker: Maker) -> Callable[[Frame], Progress]:
    """Wait until the phase of a parity, or of a state, is complete."""
    address, parity = maker.registers(op.operands[:2])

    def resume(frame: Frame) -> Progress:
        agent, values = frame.agent, frame.values
        for at, phase, _ in by_lanes(frame, values[address], values[parity]):
            barrier = barrier_at(frame, op, at)
            if barrier is None:
                continue
            meant = barrier.intended(agent, phase & 1)
            waiting = PhaseWait(barrier, agent, meant, op)
            barrier.begin_wait(agent, op, meant)
            if not waiting.ready():
                yield from waiting_until(waiting)
            barrier.acquire(agent, op, meant)

    return resume


def make_wait(op: nvvm.MbarrierTryWaitParityOp, maker: Maker) -> Made:
    """`nvvm.mbarrier.try_wait.parity`: waits in a loop of its own."""
    return Suspending(_wait(op, maker))


def make_test(op: Test, maker: Maker) -> Made:
    """A test outside a loop that waits: answers at once, and lets others go on."""
    address, parity = maker.register(op.addr), maker.register(op.state_or_phase)
    result = maker.register(op.ready)

    def resume(frame: Frame) -> Progress:
        agent, values = frame.agent, frame.values
        rows = by_lanes(frame, values[address], values[parity])
        barriers = [barrier_at(frame, op, at) for at, *_ in rows]
        done, name = True, ""
        for barrier, (_, phase, _) in zip(barriers, rows, strict=True):
            if barrier is not None and not barrier.is_complete(phase & 1):
                done, name = False, barrier.name
        if not done:
            values[result] = False
            yield Polling(op, name)
            return
        for barrier, (_, phase, _) in zip(barriers, rows, strict=True):
            if barrier is not None:
                barrier.acquire(agent, op, barrier.intended(agent, phase & 1))
        values[result] = True
        yield None

    return Suspending(resume)


def wait_loop(op: scf.WhileOp, maker: Maker) -> Made:
    """
    The step of a loop that does nothing but wait for an mbarrier; None for others.

    Its condition is the negation of a test, and nothing else in it has an effect.
    """
    before, after = op.before_region.block, op.after_region.block
    if op.operands or op.results or len(after.ops) != 1:
        return None
    condition = before.last_op
    tests = [each for each in before.ops if isinstance(each, Test)]
    if len(tests) != 1 or not isinstance(condition, scf.ConditionOp):
        return None
    (test,) = tests
    if not _is_negation(condition.operands[0], test.ready):
        return None
    others = [each for each in before.ops if each not in (test, condition)]
    if not all(is_side_effect_free(each) for each in others):
        return None
    steps: list[Step] = []
    for other in others:
        made = maker.step(other)
        if isinstance(made, Suspending):
            return None
        # The negation, and what else follows the test, is always the same at the end.
        if made is not None and test.ready not in other.operands:
            steps.append(made)
    wait = _wait(test, maker)

    def resume(frame: Frame) -> Progress:
        for step in steps:
            step(frame)
        yield from wait(frame)

    return Suspending(resume)


def _is_negation(value: SSAValue, of: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.XOrIOp) or of not in owner.operands:
        return False
    other = owner.rhs if owner.lhs is of else owner.lhs
    constant = other.owner
    if not isinstance(constant, arith.ConstantOp):
        return False
    return isinstance(constant.value, IntegerAttr) and bool(
        constant.value.value.data & 1
    )


HANDLERS: Final[Handlers] = {
    nvvm.MbarrierInitOp: make_init,
    nvvm.MbarrierInvalOp: make_inval,
    nvvm.MbarrierArriveOp: make_arrive,
    nvvm.MbarrierArriveDropOp: make_arrive_drop,
    nvvm.MbarrierArriveNocompleteOp: make_arrive_nocomplete,
    nvvm.MbarrierArriveExpectTxOp: make_arrive_expect,
    nvvm.MbarrierExpectTxOp: make_expect,
    nvvm.MbarrierCompleteTxOp: make_complete,
    nvvm.MbarrierTryWaitOp: make_test,
    nvvm.MbarrierTestWaitOp: make_test,
    nvvm.MbarrierTryWaitParityOp: make_wait,
}
