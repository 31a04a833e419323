"""
Matrix products at tile level.

An agent holds the part of its warps (`tile_mma_parts`). A product is an operation in
flight that reads what it needs of A and B when it lands, also where `mma.sync` will
make it: an accumulator is complete after `mma.wait`. Sums are those of wgmma in the
simulator: slices of 16 along K, each summed in f32 and added to the accumulator, which
is rounded once for each slice; those of integers are exact, modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Major, acc_type
from croqtile_mlir.simulator.actors import Progress, Transfer
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import watch
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_mma_parts import Part, Parts, runs
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import (
    Elements,
    Product,
    ProductGroups,
    SharedTile,
    Tile,
    TileAccumulator,
    element_dtype,
)

K_STEP = 16
"""K of one wgmma on 16-bit operands."""

_TF32_BITS = np.uint32(0xFFFFE000)


def _groups(frame: Frame) -> ProductGroups:
    """The products that an agent has in flight."""
    return frame.block.objects.setdefault(("mma", frame.agent), ProductGroups())


def make_fill(steps: Steps, op: croq.MmaFillOp, maker: Maker) -> Made:
    """An accumulator of one value."""
    result = maker.register(op.acc)
    acc = acc_type(op.acc)
    parts = Parts(op, steps.kernel.scope(op), acc)
    value, dtype = op.number, element_dtype(acc.element_type)

    def step(frame: Frame) -> None:
        part = parts.of(frame.agent)
        rows = acc.shape[0] if part.rows is None else len(part.rows)
        cols = acc.shape[1] if part.cols is None else len(part.cols)
        values: Elements = np.full((rows, cols), value, dtype)
        frame.values[result] = TileAccumulator(values)

    return step


def _tf32(values: Elements) -> NDArray[np.float32]:
    """The bits of f32 operands that take part in a product."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return (bits & _TF32_BITS).view(np.float32)


def _multiplied(acc: Elements, a: Elements, b: Elements) -> Elements:
    """acc + a * b^T, in slices of K; `a` is (rows, K), `b` is (cols, K)."""
    if acc.dtype.kind == "i":
        # Sums of 8-bit products are far below 2^53.
        exact = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.int64)
        return (acc.astype(np.int64) + exact).astype(acc.dtype)
    if a.dtype == np.float32:
        a, b = _tf32(a), _tf32(b)
    left, right = a.astype(np.float32), b.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(0, left.shape[1], K_STEP):
            part = left[:, k : k + K_STEP] @ right[:, k : k + K_STEP].T
            acc = (acc.astype(np.float32) + part).astype(acc.dtype)
    return acc


def make_exec(steps: Steps, op: croq.MmaExecOp, maker: Maker) -> Made:
    """Starts a product; wgmma reads its operands through the async proxy."""
    source, left, right = maker.registers((op.acc, op.a, op.b))
    result = maker.register(op.result)
    parts = Parts(op, steps.kernel.scope(op), acc_type(op.acc))
    by_warpgroups = parts.by == "wgmma"
    what = "a wgmma" if by_warpgroups else "a product"
    a_rows, b_rows = op.a_major is Major.K, op.b_major is Major.K

    def step(frame: Frame) -> None:
        values, agent = frame.values, frame.agent
        before: TileAccumulator = values[source]
        a_tile: Tile = values[left]
        b_tile: Tile = values[right]
        part = parts.of(agent)
        after = TileAccumulator(None)
        watched = watch(frame, op, what)

        def run(transfer: Transfer) -> None:
            a = steps.read(
                frame,
                transfer,
                op,
                a_tile,
                rows=part.read if a_rows else None,
                through_async=by_warpgroups,
            )
            b = steps.read(
                frame,
                transfer,
                op,
                b_tile,
                rows=part.cols if b_rows else None,
                through_async=by_warpgroups,
            )
            assert before.values is not None
            left, right = _held(part, a if a_rows else a.T, b if b_rows else b.T, op)
            after.values = _multiplied(before.values, left, right)
            watched.landed(transfer)

        transfer = frame.block.engine.launch(
            [agent], op, run, track="wgmma", queue=("wgmma", agent)
        )
        after.product = Product(transfer)
        _groups(frame).open.append(after.product)
        values[result] = after

    return step


def _held(
    part: Part, a: Elements, b: Elements, op: croq.MmaExecOp
) -> tuple[Elements, Elements]:
    """What the held part needs of the operands that were read."""
    if part.rows is not None:
        a = a[list((part.within if op.a_major is Major.K else part.rows) or ())]
    if part.cols is not None and op.b_major is not Major.K:
        b = b[list(part.cols)]
    return a, b


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
    """Writes what the agent holds, or some columns of it, converted."""
    source, tile = maker.register(op.acc), maker.register(op.tile)
    first, last = op.part or (0, acc_type(op.acc).shape[1])
    parts = Parts(op, steps.kernel.scope(op), acc_type(op.acc))

    def step(frame: Frame) -> None:
        accumulator: TileAccumulator = frame.values[source]
        target: Tile = frame.values[tile]
        values, part = settled(frame, op, accumulator), parts.of(frame.agent)
        with np.errstate(over="ignore"):
            converted = values.astype(target.dtype)
        if part.cols is None:
            stored = converted[:, first:last]
            if part.rows is None or isinstance(target, SharedTile):
                steps.write(frame, frame.agent, op, target, stored, rows=part.rows)
                return
            for held, row, rows in runs(part.rows):
                window = target.part((row, 0), (rows, last - first), clips=False)
                block = stored[held : held + rows]
                steps.write(frame, frame.agent, op, window, block)
            return
        for each in part.rectangles:
            begin, end = max(each.col, first), min(each.col + each.cols, last)
            if begin >= end:
                continue
            window = target.part(
                (each.row, begin - first), (each.rows, end - begin), clips=False
            )
            col = each.held_col + begin - each.col
            block = converted[
                each.held_row : each.held_row + each.rows, col : col + end - begin
            ]
            steps.write(frame, frame.agent, op, window, block)

    return steps.collective(op, step, maker)


def settled(frame: Frame, op: Operation, accumulator: TileAccumulator) -> Elements:
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
