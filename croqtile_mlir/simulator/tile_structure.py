"""Kernels, roles, loops and extents at tile level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from croqtile_mlir import layouts
from croqtile_mlir.analysis.scopes import (
    THREADS_OF,
    inner_threads,
    scope_parallel,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level, Space
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.control import covers, within
from croqtile_mlir.simulator.private_memory import PrivateMemory
from croqtile_mlir.simulator.program import (
    Body,
    Frame,
    Handler,
    Made,
    Maker,
    Mask,
    Suspending,
    nothing,
)
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import GlobalView, PrivateTile, SharedTile
from croqtile_mlir.simulator.values import Array, collapse, merge_of


def global_view(frame: Frame, name: str) -> GlobalView:
    """A whole argument or returned tile."""
    tile = frame.block.launch.tiles[name]
    return GlobalView(tile, (0,) * len(tile.shape), tile.shape, tile.shape)


def make_workspace(steps: Steps, op: croq.WorkspaceOp, maker: Maker) -> Made:
    """The memory that the launch provides."""
    del steps
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        tile = frame.block.launch.workspace(op.elements)
        frame.values[result] = GlobalView(tile, (0,), tile.shape, tile.shape)

    return step


def one_or_lanes(values: Any) -> Any:
    """An integer where all lanes agree."""
    if not isinstance(values, np.ndarray):
        return values
    return collapse(cast(Array, values))


def make_alloc(steps: Steps, op: croq.AllocOp, maker: Maker) -> Made:
    """
    A shared buffer is one for each block, one of registers one for each lane; a global
    one is a returned tile.
    """
    result = maker.register(op.tile)
    if op.tile_type.memory_space is Space.Global:
        name = steps.kernel.names[op.tile]

        def returned(frame: Frame) -> None:
            frame.values[result] = global_view(frame, name)

        return returned
    if op.tile_type.memory_space is Space.Register:
        own = steps.kernel.buffer(op, 0)
        size, origin = layouts.buffer_bytes(own.type), (0,) * len(own.dims)

        def private(frame: Frame) -> None:
            memory = PrivateMemory(own.name, size * frame.agent.threads)
            frame.values[result] = PrivateTile(
                own, origin, own.dims, memory=memory, lane_bytes=size
            )

        return private
    buffer = steps.kernel.buffers[op.tile]
    tile = SharedTile(buffer, (0,) * len(buffer.dims), buffer.dims)

    def step(frame: Frame) -> None:
        frame.values[result] = tile

    return step


def make_cdiv(steps: Steps, op: croq.CDivOp, maker: Maker) -> Made:
    """Ceiling division."""
    result = maker.register(op.result)
    numerator = steps.kernel.reader(op.numerator, maker)
    denominator = steps.kernel.reader(op.denominator, maker)

    def step(frame: Frame) -> None:
        by = denominator(frame)
        if isinstance(by, int) and by == 0:
            fail(op, "denominator must be positive, got 0")
        frame.values[result] = one_or_lanes(-(-numerator(frame) // by))

    return step


def make_dim(steps: Steps, op: croq.DimOp, maker: Maker) -> Made:
    """The value of a dim or parameter."""
    result = maker.register(op.result)
    read = steps.kernel.reader(op.dim.data, maker)

    def step(frame: Frame) -> None:
        frame.values[result] = read(frame)

    return step


def make_role(steps: Steps, op: croq.RoleOp, maker: Maker) -> Made:
    """Only the threads of the role execute it."""
    del steps
    body = maker.body(op.body.block)
    first, last = op.first_thread, op.first_thread + op.num_threads

    def resume(frame: Frame) -> Progress:
        if first <= frame.agent.first_thread < last:
            yield from body.resume(frame)

    return Suspending(resume)


def make_foreach(steps: Steps, op: croq.ForeachOp, maker: Maker) -> Made:
    """A loop; bounds that differ between lanes mask those that are done."""
    kernel = steps.kernel
    lower = kernel.reader(op.lower, maker)
    upper = kernel.reader(op.upper, maker)
    stride = kernel.reader(op.step, maker)
    starts, results = maker.registers(op.iter_args), maker.registers(op.res)
    merges = [merge_of(value.type, op) for value in op.res]
    body = maker.body(op.body.block)
    index, *carried = body.arguments

    def enter(frame: Frame) -> tuple[Any, Any, Any]:
        values = frame.values
        for target, value in zip(carried, [values[s] for s in starts], strict=True):
            values[target] = value
        return lower(frame), upper(frame), stride(frame)

    def advance(frame: Frame, mask: Mask | None = None) -> None:
        values = frame.values
        news = [values[source] for source in body.yields]
        for merge, target, new in zip(merges, carried, news, strict=True):
            values[target] = (
                new if mask is None else merge(frame, mask, new, values[target])
            )

    def leave(frame: Frame) -> None:
        values = frame.values
        for target, source in zip(results, carried, strict=True):
            values[target] = values[source]

    def divergent(frame: Frame, first: Any, last: Any, by: Any) -> Progress:
        around, at = frame.mask, first
        threads = frame.agent.threads
        while True:
            frame.mask = around
            mask = within(frame, np.broadcast_to(at < last, (threads,)))
            if mask is None:
                break
            frame.values[index] = one_or_lanes(at)
            whole = covers(frame, mask)
            if not whole:
                frame.mask = mask
            yield from body.resume(frame)
            advance(frame, None if whole else mask)
            at = at + by

    def is_divergent(first: Any, last: Any, by: Any) -> bool:
        return any(isinstance(each, np.ndarray) for each in (first, last, by))

    def step(frame: Frame) -> None:
        first, last, by = enter(frame)
        if is_divergent(first, last, by):
            for _ in divergent(frame, first, last, by):
                pass
        else:
            for at in range(first, last, by):
                frame.values[index] = at
                body.run(frame)
                advance(frame)
        leave(frame)

    def resume(frame: Frame) -> Progress:
        first, last, by = enter(frame)
        if is_divergent(first, last, by):
            yield from divergent(frame, first, last, by)
        else:
            for at in range(first, last, by):
                frame.values[index] = at
                yield from body.resume(frame)
                advance(frame)
        leave(frame)

    return Suspending(resume) if body.suspends else step


def make_parallel(steps: Steps, op: croq.ParallelOp, maker: Maker) -> Made:
    """A level of parallelism: the block, or one that divides the threads of a scope."""
    if op.level.data is Level.Block:
        return _block(op, maker)
    made = _inner(steps, op, maker)
    around = scope_parallel(op)
    if around is not None and around.level.data is not Level.Block:
        return made
    return steps.collective(op, made, maker)


def _block(op: croq.ParallelOp, maker: Maker) -> Made:
    body = maker.body(op.body.block)
    in_cluster = op.extents_in_cluster is not None

    def resume(frame: Frame) -> Progress:
        index, cluster = frame.block.index, frame.block.cluster
        if in_cluster:
            index = cluster.index_of(frame.block.rank)
        for register, at in zip(body.arguments, index, strict=False):
            frame.values[register] = at
        yield from body.resume(frame)

    return Suspending(resume)


def _inner(steps: Steps, op: croq.ParallelOp, maker: Maker) -> Made:
    """The instances of a level, and the lanes that execute them."""
    scope = steps.kernel.scope(op)
    extents = [extent for extent in op.extent_values if isinstance(extent, int)]
    if len(extents) < len(op.extent_values):
        fail(op, "must have constant extents below level block", hint="bind params")
    instances = int(np.prod(extents))
    needed = inner_threads(op)
    unit = needed // instances
    available = _threads_around(op) or scope.num_threads
    if needed > available:
        fail(op, f"must fit in the {available} threads around it, got {needed}")
    body = maker.body(op.body.block)
    first = scope.first_thread
    known: dict[int, tuple[list[Any], Mask | None]] = {}

    def place(frame: Frame) -> tuple[list[Any], Mask | None]:
        agent = frame.agent
        if agent.first_thread not in known:
            threads = agent.first_thread - first + np.arange(agent.threads)
            number = threads % available // unit
            inside = number < instances
            rest = np.where(inside, number, 0)
            indices: list[Any] = []
            for extent in reversed(extents):
                indices.insert(0, one_or_lanes(rest % extent))
                rest = rest // extent
            known[agent.first_thread] = indices, None if inside.all() else inside
        return known[agent.first_thread]

    def enter(frame: Frame) -> bool:
        indices, inside = place(frame)
        for register, index in zip(body.arguments, indices, strict=True):
            frame.values[register] = index
        if inside is None:
            return True
        mask = within(frame, inside)
        if mask is None:
            return False
        if not covers(frame, mask):
            frame.mask = mask
        return True

    return _entered(body, enter)


def _threads_around(op: croq.ParallelOp) -> int | None:
    """The threads of one instance of the level around; None: those of the scope."""
    around = scope_parallel(op)
    if around is None or around.level.data is Level.Block:
        return None
    return THREADS_OF.get(around.level.data, 1)


def _entered(body: Body, enter: Callable[[Frame], bool]) -> Made:
    """Execute a body where `enter` says so, and forget the mask that it sets."""

    def step(frame: Frame) -> None:
        around = frame.mask
        if enter(frame):
            body.run(frame)
        frame.mask = around

    def resume(frame: Frame) -> Progress:
        around = frame.mask
        if enter(frame):
            yield from body.resume(frame)
        frame.mask = around

    return Suspending(resume) if body.suspends else step


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AllocOp: make_alloc,
    croq.WorkspaceOp: make_workspace,
    croq.CDivOp: make_cdiv,
    croq.DimOp: make_dim,
    croq.ForeachOp: make_foreach,
    croq.ParallelOp: make_parallel,
    croq.RoleOp: make_role,
}

NOTHING: dict[type[Any], Handler] = {
    croq.EventOp: nothing,
    croq.ReturnOp: nothing,
    croq.YieldOp: nothing,
}
