"""
Loads that a loop starts before the iteration that reads them: futures that it carries.

`S` buffers for each load take turns. The futures of the next `S - 1` iterations go
through the loop, then a buffer that is free: it is filled for the last of them, where
there is one. Nothing is in flight after the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects.croq import (
    AnyOp,
    AwaitOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    ForeachOp,
    FutureType,
    RotateOp,
    SwapOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like, replace_values
from croqtile_mlir.scheduling.counts import count_from_zero, trip_count
from croqtile_mlir.scheduling.loads_ahead import places_of
from croqtile_mlir.scheduling.pipelined_loops import PipelinedLoop, buffer_of


@dataclass(frozen=True)
class _Loads:
    """The loads of a loop, to be started for any iteration of it."""

    loads: tuple[CopyOp, ...]
    places: tuple[Operation, ...]
    """The ops of the body that say what is loaded, in order."""

    number: SSAValue
    """Of the iteration."""

    trips: SSAValue | int

    def start(
        self,
        builder: LocatedBuilder,
        number: SSAValue | int,
        handles: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """
        Start the loads of an iteration, if there is one, into the buffers of some
        futures; the futures that stand for these buffers then.
        """
        if isinstance(number, int) and isinstance(self.trips, int):
            runs = number < self.trips
            return self._started(builder, number, handles) if runs else handles
        there = builder.cmp("ult", _value(builder, number), self.trips)
        then, other = Block(), Block()
        inside = LocatedBuilder.at_end(then, builder.location)
        futures = self._started(inside, number, handles)
        inside.insert(scf.YieldOp(*futures))
        LocatedBuilder.at_end(other, builder.location).insert(scf.YieldOp(*handles))
        types = [handle.type for handle in handles]
        return builder.insert(
            scf.IfOp(there, types, Region(then), Region(other))
        ).results

    def _started(
        self,
        builder: LocatedBuilder,
        number: SSAValue | int,
        handles: Sequence[SSAValue],
    ) -> list[SSAValue]:
        copied = {self.number: _value(builder, number)}
        for op in self.places:
            builder.insert(op.clone(copied))
        futures: list[SSAValue] = []
        for load, handle in zip(self.loads, handles, strict=True):
            source = copied.get(load.source, load.source)
            data = builder.insert(DataOp(handle)).tile
            data.name_hint = load.destination.name_hint
            copy = builder.insert(CopyAsyncOp(source, data, load.engine.data))
            copy.attributes |= load.attributes
            copy.location = load.location
            futures.append(copy.future)
        return futures


def _value(builder: LocatedBuilder, number: SSAValue | int) -> SSAValue:
    return builder.index(number) if isinstance(number, int) else number


def rotate_ahead(pipelined: PipelinedLoop, stages: int) -> None:
    """Let a loop load `stages - 1` iterations ahead, in place."""
    loop = count_from_zero(pipelined.loop)
    before = LocatedBuilder.before(loop)
    loads = _Loads(
        pipelined.loads,
        places_of(pipelined.loads, loop),
        loop.induction,
        trip_count(before, loop),
    )
    free = [_placeholders(before, loads.loads) for _ in range(stages)]
    turns = [
        loads.start(before, number, handles) for number, handles in enumerate(free[:-1])
    ]
    turns.append(free[-1])
    carried = [futures[i] for i in range(len(loads.loads)) for futures in turns]
    _carry(loop, loads, stages, carried)


def _placeholders(builder: LocatedBuilder, loads: Sequence[CopyOp]) -> list[SSAValue]:
    """A buffer more for each load."""
    made: list[SSAValue] = []
    for load in loads:
        buffer = buffer_of(load)
        any_ = builder.insert(AnyOp(FutureType(buffer.tile_type)))
        any_.future.name_hint = buffer.tile.name_hint
        made.append(any_.future)
    return made


def _carry(
    loop: ForeachOp, loads: _Loads, stages: int, carried: Sequence[SSAValue]
) -> None:
    """Let the loop carry futures, start the loads that are ahead, and await its own."""
    body = loop.body.block
    inside: list[SSAValue] = []
    for future in carried:
        argument = body.insert_arg(future.type, len(body.args))
        argument.name_hint = future.name_hint
        inside.append(argument)
    turns = [inside[first : first + stages] for first in range(0, len(inside), stages)]
    head = LocatedBuilder.at_start(body, loop.location)
    ahead: SSAValue | int = stages - 1
    if not isinstance(loads.trips, int) or loads.trips >= stages:
        ahead = head.add(loop.induction, stages - 1)
        ahead.name_hint = "ahead"
    next_ones = loads.start(head, ahead, [turn[-1] for turn in turns])
    rotated: list[SSAValue] = []
    for load, turn, following in zip(loads.loads, turns, next_ones, strict=True):
        _await(load, turn[0])
        rotated += _rotated(
            LocatedBuilder.before(loop.yielded), [*turn[:-1], following]
        )
    loop.yielded.operands = [*loop.yielded.operands, *rotated]
    new = loop_like(loop, [*loop.iter_args, *carried], loop.detach_region(loop.body))
    LocatedBuilder.before(loop).insert(new)
    replace_values(loop, new.results[: len(loop.results)])
    for op in reversed(loads.places):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()


def _await(load: CopyOp, future: SSAValue) -> None:
    """Wait for a load where it was made, and read what it filled."""
    buffer = buffer_of(load)
    builder = LocatedBuilder.before(load)
    builder.insert(AwaitOp(future))
    data = builder.insert(DataOp(future)).tile
    replace_values(load, ())
    replace_values(buffer, [data])


def _rotated(builder: LocatedBuilder, futures: Sequence[SSAValue]) -> list[SSAValue]:
    if len(futures) == 2:
        return [*builder.insert(SwapOp(*futures)).results]
    return [*builder.insert(RotateOp(futures)).results]
