"""
Control flow of a warp: `scf` by masks of lanes.

A branch or loop that all lanes take alike runs as it stands. Otherwise each way runs
with the mask of its lanes, one after the other, and values that leave it are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.analysis.flags import waits_for_memory
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.actors import LOOP_PAUSE, Polling, Progress
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import (
    Body,
    Frame,
    Handlers,
    Made,
    Maker,
    Mask,
    Suspending,
    nothing,
)
from croqtile_mlir.simulator.values import Merge, merge_of, spread

_TESTS_OF_MEMORY = 20

_BOOL = np.dtype(np.bool_)


def _merges(values: Sequence[SSAValue], op: Operation) -> tuple[Merge, ...]:
    return tuple(merge_of(value.type, op) for value in values)


def _take(frame: Frame, sources: Sequence[int], targets: Sequence[int]) -> None:
    """Copy registers, all at once."""
    values = frame.values
    if len(sources) == 1:
        values[targets[0]] = values[sources[0]]
        return
    for target, value in zip(targets, [values[s] for s in sources], strict=True):
        values[target] = value


def _take_lanes(
    frame: Frame,
    sources: Sequence[int],
    targets: Sequence[int],
    merges: Sequence[Merge],
    mask: Mask,
) -> None:
    """Copy registers in the lanes of a mask."""
    values = frame.values
    news = [values[source] for source in sources]
    for merge, new, target in zip(merges, news, targets, strict=True):
        values[target] = merge(frame, mask, new, values[target])


def within(frame: Frame, lanes: Any) -> Mask | None:
    """The active lanes among those of a condition; None when there are none."""
    mask: Mask = lanes if frame.mask is None else lanes & frame.mask
    return mask if np.count_nonzero(mask) else None


def covers(frame: Frame, mask: Mask) -> bool:
    """Whether a mask holds all active lanes."""
    return bool(mask.all() if frame.mask is None else (mask == frame.mask).all())


def make_if(op: scf.IfOp, maker: Maker) -> Made:
    """`scf.if`."""
    (condition,) = maker.registers(op.operands)
    results = maker.registers(op.results)
    merges = _merges(op.results, op)
    then = maker.body(op.true_region.block)
    other = maker.body(op.false_region.block) if op.false_region.blocks else None

    def ways(frame: Frame) -> tuple[tuple[Body | None, Mask | None], ...]:
        """The branches that some lane takes, with its mask; None: the one around."""
        taken = frame.values[condition]
        if taken.__class__ is not np.ndarray:
            return ((then if taken else other, None),)
        mask = within(frame, taken)
        if mask is None:
            return ((other, None),)
        if covers(frame, mask):
            return ((then, None),)
        rest = within(frame, ~taken)
        return ((then, mask), (other, rest)) if other else ((then, mask),)

    def enter(frame: Frame, mask: Mask | None) -> Mask | None:
        around = frame.mask
        if mask is not None:
            frame.mask = mask
        return around

    def leave(frame: Frame, body: Body, mask: Mask | None, around: Mask | None) -> None:
        if results and mask is None:
            _take(frame, body.yields, results)
        elif results and mask is not None:
            if body is then:
                for result in results:
                    frame.values[result] = None
            _take_lanes(frame, body.yields, results, merges, mask)
        frame.mask = around

    def step(frame: Frame) -> None:
        for body, mask in ways(frame):
            if body is not None:
                around = enter(frame, mask)
                body.run(frame)
                leave(frame, body, mask, around)

    def resume(frame: Frame) -> Progress:
        for body, mask in ways(frame):
            if body is not None:
                around = enter(frame, mask)
                if body.suspends:
                    yield from body.resume(frame)
                else:
                    body.run(frame)
                leave(frame, body, mask, around)

    if then.suspends or (other is not None and other.suspends):
        return Suspending(resume)
    return step


def make_for(op: scf.ForOp, maker: Maker) -> Made:
    """`scf.for`: signed bounds, a positive step."""
    lower, upper, step_register, *starts = maker.registers(op.operands)
    results = maker.registers(op.results)
    merges = _merges(op.results, op)
    body = maker.body(op.body.block)
    index, *carried = body.arguments

    def bounds(frame: Frame) -> tuple[Any, Any, Any]:
        values = frame.values
        _take(frame, starts, carried) if starts else None
        return values[lower], values[upper], values[step_register]

    def is_uniform(first: Any, last: Any, by: Any) -> bool:
        return not any(each.__class__ is np.ndarray for each in (first, last, by))

    def going(frame: Frame, at: Any, last: Any, around: Mask | None) -> Mask | None:
        """The lanes that make another iteration."""
        more = at < last
        if more.__class__ is not np.ndarray:
            more = spread(more, frame.agent.threads, _BOOL)
        frame.mask = around
        return within(frame, more)

    def advance(frame: Frame, mask: Mask, around: Mask | None) -> None:
        if not carried:
            return
        frame.mask = around
        if covers(frame, mask):
            _take(frame, body.yields, carried)
        else:
            _take_lanes(frame, body.yields, carried, merges, mask)

    def narrow(frame: Frame, mask: Mask) -> None:
        if not covers(frame, mask):
            frame.mask = mask

    def step(frame: Frame) -> None:
        first, last, by = bounds(frame)
        values = frame.values
        if is_uniform(first, last, by):
            for at in range(first, last, by):
                values[index] = at
                body.run(frame)
                if carried:
                    _take(frame, body.yields, carried)
        else:
            around, at = frame.mask, first
            while (mask := going(frame, at, last, around)) is not None:
                values[index] = at
                narrow(frame, mask)
                body.run(frame)
                advance(frame, mask, around)
                at = at + by
            frame.mask = around
        if results:
            _take(frame, carried, results)

    def resume(frame: Frame) -> Progress:
        first, last, by = bounds(frame)
        values = frame.values
        if is_uniform(first, last, by):
            for at in range(first, last, by):
                values[index] = at
                yield from body.resume(frame)
                if carried:
                    _take(frame, body.yields, carried)
        else:
            around, at = frame.mask, first
            while (mask := going(frame, at, last, around)) is not None:
                values[index] = at
                narrow(frame, mask)
                yield from body.resume(frame)
                advance(frame, mask, around)
                at = at + by
            frame.mask = around
        if results:
            _take(frame, carried, results)

    return Suspending(resume) if body.suspends else step


def _is_spin(op: scf.WhileOp) -> bool:
    """Whether a loop does nothing but look at memory that others change."""
    looks = any(waits_for_memory(inner) for inner in op.before_region.walk())
    rest = op.after_region.block.ops
    return looks and all(
        has_no_effect(inner) or isinstance(inner, scf.YieldOp | nvvm.NanosleepOp)
        for inner in rest
    )


def make_while(op: scf.WhileOp, maker: Maker) -> Made:
    """`scf.while`; the one that waits for an mbarrier is a single step."""
    from croqtile_mlir.simulator.mbarrier import wait_loop

    waiting = wait_loop(op, maker)
    if waiting is not None:
        return waiting
    starts, results = maker.registers(op.operands), maker.registers(op.results)
    merges = _merges(op.results, op)
    before, after = (
        maker.body(op.before_region.block),
        maker.body(op.after_region.block),
    )
    of_memory = _is_spin(op)
    condition, *passed = before.yields
    carried = _merges(op.before_region.block.args, op)

    def run(frame: Frame) -> Progress:
        values, around, threads = frame.values, frame.mask, frame.agent.threads
        _take(frame, starts, before.arguments) if starts else None
        for result in results:
            values[result] = None
        for turn in count(1):
            yield from before.resume(frame)
            taken = values[condition]
            if taken.__class__ is not np.ndarray:
                taken = spread(taken, threads, _BOOL)
            mask, rest = within(frame, taken), within(frame, ~taken)
            if rest is not None and results:
                if mask is None and frame.mask is around and values[results[0]] is None:
                    _take(frame, passed, results)
                else:
                    _take_lanes(frame, passed, results, merges, rest)
            if mask is None:
                break
            if of_memory:
                yield Polling(op, "a value in memory", _TESTS_OF_MEMORY)
            elif turn % LOOP_PAUSE == 0:
                yield Polling(op, "the condition of a loop")
            if passed:
                _take(frame, passed, after.arguments)
            if rest is not None:
                frame.mask = mask
            yield from after.resume(frame)
            if starts:
                if frame.mask is None:
                    _take(frame, after.yields, before.arguments)
                else:
                    _take_lanes(
                        frame, after.yields, before.arguments, carried, frame.mask
                    )
        frame.mask = around

    return Suspending(run)


def make_trap(op: llvm.TrapOp, maker: Maker) -> Made:
    """An assertion does not hold: the grid ends."""
    del maker

    def step(frame: Frame) -> None:
        thread = frame.agent.first_thread + int(frame.lanes[0])
        frame.agent.engine.end(
            FaultKind.ASSERTION,
            op,
            f"no thread must come by a trap, got thread {thread} of the block",
        )

    return step


HANDLERS: Final[Handlers] = {
    llvm.TrapOp: make_trap,
    scf.IfOp: make_if,
    scf.ForOp: make_for,
    scf.WhileOp: make_while,
    scf.YieldOp: nothing,
    scf.ConditionOp: nothing,
}
