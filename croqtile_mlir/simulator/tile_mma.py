"""
Matrix products at tile level.

An agent holds the rows of its warps: each warpgroup of the scope has a run of rows, in
blocks of 64, and each of its warps 16 of every block. A product is an operation in
flight that reads the rows of A of its warpgroups, and all of B, when it lands. Sums are
those of wgmma in the simulator: slices of 16 along K, each summed in f32 and added to
the accumulator, which is rounded once for each slice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir import layouts
from croqtile_mlir.analysis.scopes import WARP_THREADS, WARPGROUP_THREADS, Scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType, Major, acc_type
from croqtile_mlir.simulator.actors import Agent, Progress, Transfer
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import watch
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import (
    Elements,
    Product,
    ProductGroups,
    Tile,
    TileAccumulator,
    element_dtype,
)
from croqtile_mlir.simulator.tile_windows import Rows

K_STEP = 16
"""K of one wgmma on 16-bit operands."""

_WARPS = WARPGROUP_THREADS // WARP_THREADS
_WARP_ROWS = layouts.WGMMA_ROWS // _WARPS


@dataclass(frozen=True)
class _RowsOf:
    """Which rows of an accumulator an agent holds, and which rows of A it reads."""

    held: Rows
    read: Rows
    within: Rows
    """Where the held rows are among those read."""


def _rows_of(op: Operation, scope: Scope, rows: int, agent: Agent) -> _RowsOf:
    if agent.threads >= scope.num_threads:
        return _RowsOf(None, None, None)
    warpgroups = max(1, scope.num_threads // WARPGROUP_THREADS)
    if rows % (layouts.WGMMA_ROWS * warpgroups):
        fail(
            op,
            f"must have a multiple of {layouts.WGMMA_ROWS * warpgroups} rows for "
            f"{warpgroups} warpgroups, got {rows}",
        )
    each = rows // warpgroups
    held: list[int] = []
    groups: set[int] = set()
    first = (agent.first_thread - scope.first_thread) // WARP_THREADS
    for warp in range(first, first + agent.threads // WARP_THREADS):
        group, quarter = divmod(warp, _WARPS)
        groups.add(group)
        for block in range(0, each, layouts.WGMMA_ROWS):
            start = group * each + block + quarter * _WARP_ROWS
            held.extend(range(start, start + _WARP_ROWS))
    read = [row for g in sorted(groups) for row in range(g * each, (g + 1) * each)]
    place = {row: number for number, row in enumerate(read)}
    held.sort()
    return _RowsOf(tuple(held), tuple(read), tuple(place[row] for row in held))


@dataclass(eq=False)
class _Rows:
    """The rows of each agent, worked out once."""

    op: Operation
    scope: Scope
    acc: AccType

    def __post_init__(self) -> None:
        self._known: dict[int, _RowsOf] = {}

    def of(self, agent: Agent) -> _RowsOf:
        found = self._known.get(agent.first_thread)
        if found is None:
            found = _rows_of(self.op, self.scope, self.acc.shape[0], agent)
            self._known[agent.first_thread] = found
        return found


def _groups(frame: Frame) -> ProductGroups:
    """The products that an agent has in flight."""
    return frame.block.objects.setdefault(("mma", frame.agent), ProductGroups())


def make_fill(steps: Steps, op: croq.MmaFillOp, maker: Maker) -> Made:
    """An accumulator of one value."""
    result = maker.register(op.acc)
    acc = acc_type(op.acc)
    rows = _Rows(op, steps.kernel.scope(op), acc)
    value, dtype = op.value.value.data, element_dtype(acc.element_type)

    def step(frame: Frame) -> None:
        held = rows.of(frame.agent).held
        count = acc.shape[0] if held is None else len(held)
        values: Elements = np.full((count, acc.shape[1]), value, dtype)
        frame.values[result] = TileAccumulator(values)

    return step


def _multiplied(acc: Elements, a: Elements, b: Elements) -> Elements:
    """acc + a * b^T, in slices of K; `a` is (rows, K), `b` is (cols, K)."""
    left, right = a.astype(np.float32), b.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(0, left.shape[1], K_STEP):
            part = left[:, k : k + K_STEP] @ right[:, k : k + K_STEP].T
            acc = (acc.astype(np.float32) + part).astype(acc.dtype)
    return acc


def make_exec(steps: Steps, op: croq.MmaExecOp, maker: Maker) -> Made:
    """Starts a product; reads its operands through the async proxy."""
    source, left, right = maker.registers((op.acc, op.a, op.b))
    result = maker.register(op.result)
    rows = _Rows(op, steps.kernel.scope(op), acc_type(op.acc))
    a_rows, b_rows = op.a_major is Major.K, op.b_major is Major.K

    def step(frame: Frame) -> None:
        values, agent = frame.values, frame.agent
        before: TileAccumulator = values[source]
        a_tile: Tile = values[left]
        b_tile: Tile = values[right]
        part = rows.of(agent)
        after = TileAccumulator(None)
        watched = watch(frame, op, "a wgmma")

        def run(transfer: Transfer) -> None:
            a = steps.read(
                frame,
                transfer,
                op,
                a_tile,
                rows=part.read if a_rows else None,
                through_async=True,
            )
            b = steps.read(frame, transfer, op, b_tile, through_async=True)
            if not a_rows:
                a = a.T
            if part.held is not None:
                a = a[list((part.within if a_rows else part.held) or ())]
            assert before.values is not None
            after.values = _multiplied(before.values, a, b if b_rows else b.T)
            watched.landed(transfer)

        transfer = frame.block.engine.launch(
            [agent], op, run, track="wgmma", queue=("wgmma", agent)
        )
        after.product = Product(transfer)
        _groups(frame).open.append(after.product)
        values[result] = after

    return step


def make_commit(steps: Steps, op: croq.MmaCommitOp, maker: Maker) -> Made:
    """Closes a group."""
    del steps
    source, result = maker.register(op.acc), maker.register(op.result)

    def step(frame: Frame) -> None:
        groups = _groups(frame)
        groups.closed.append(groups.open)
        groups.open = []
        frame.values[result] = frame.values[source]

    return step


@dataclass(frozen=True)
class _GroupsLanded:
    """An agent waits for products."""

    products: tuple[Product, ...]
    op: Operation

    def ready(self) -> bool:
        """Whether the wait is over."""
        return all(product.transfer.landed for product in self.products)

    def describe(self) -> str:
        """For the report of a deadlock."""
        return f"waits for {len(self.products)} products"


def make_wait(steps: Steps, op: croq.MmaWaitOp, maker: Maker) -> Made:
    """Waits until so many groups at most are in flight."""
    del steps
    source, result = maker.register(op.acc), maker.register(op.result)
    in_flight = op.in_flight.data

    def resume(frame: Frame) -> Progress:
        groups = _groups(frame)
        count = max(0, len(groups.closed) - in_flight)
        done = tuple(p for group in groups.closed[:count] for p in group)
        yield _GroupsLanded(done, op)
        for product in done:
            frame.agent.clock.join(product.transfer.clock)
            product.awaited = True
        del groups.closed[:count]
        frame.values[result] = frame.values[source]

    return Suspending(resume)


def make_store(steps: Steps, op: croq.MmaStoreOp, maker: Maker) -> Made:
    """Writes the rows of the agent, or some columns of them, converted."""
    source, tile = maker.register(op.acc), maker.register(op.tile)
    first, last = op.part or (0, acc_type(op.acc).shape[1])
    rows = _Rows(op, steps.kernel.scope(op), acc_type(op.acc))

    def step(frame: Frame) -> None:
        accumulator: TileAccumulator = frame.values[source]
        target: Tile = frame.values[tile]
        values = _settled(frame, op, accumulator)[:, first:last]
        with np.errstate(over="ignore"):
            converted = values.astype(target.dtype)
        held = rows.of(frame.agent).held
        steps.write(frame, frame.agent, op, target, converted, rows=held)

    return steps.collective(op, step, maker)


def _settled(frame: Frame, op: Operation, accumulator: TileAccumulator) -> Elements:
    """The values of an accumulator; reports one that is in flight."""
    product = accumulator.product
    if product is not None and not product.awaited:
        frame.block.engine.fault(
            FaultKind.ACCUMULATOR,
            op,
            f"{frame.agent.name} uses an accumulator of which a product is in flight",
            notes=[(product.transfer.op, "the product is started here")],
            hint="croq.mma.commit and croq.mma.wait in_flight 0 must come between",
        )
        frame.block.engine.land(product.transfer)
    assert accumulator.values is not None
    return accumulator.values


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.MmaCommitOp: make_commit,
    croq.MmaExecOp: make_exec,
    croq.MmaFillOp: make_fill,
    croq.MmaStoreOp: make_store,
    croq.MmaWaitOp: make_wait,
}
