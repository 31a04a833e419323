"""
Rings of a block of a cluster, and which of their loads its peers make as well.

A ring is what `--warp-specialize` makes: a role waits for a slot by one event, fills it
by copies, and triggers another event after them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.tma_rules import (
    why_not_global,
    why_not_in_order,
    why_not_known,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    Engine,
    ParallelOp,
    RoleOp,
    Space,
    TriggerOp,
    WaitOp,
    tile_type,
)
from croqtile_mlir.scheduling.cluster_values import indices_of, varying_indices

PART_ROWS = 8
"""Rows of a part are a multiple of these: the rows over which a swizzle repeats."""


@dataclass(frozen=True)
class Fill:
    """The ops that fill a slot of a ring."""

    wait: WaitOp
    copies: tuple[CopyAsyncOp, ...]
    trigger: TriggerOp


@dataclass(frozen=True)
class SharedLoad:
    """A load that all blocks along some indices of a cluster make alike."""

    copy: CopyAsyncOp
    indices: tuple[int, ...]
    parts: int
    """How many blocks that are, each of which loads one part."""


def find_fills(block: ParallelOp) -> list[Fill]:
    """
    What fills the slots of the rings of a block, in order.

    A trigger after loads that is of another form is a located error.
    """
    return [
        _fill(op)
        for op in block.body.walk()
        if isinstance(op, TriggerOp) and any(map(_is_load, op.after))
    ]


def _is_load(future: SSAValue) -> bool:
    owner = future.owner
    return not isinstance(owner, CopyAsyncOp) or (
        tile_type(owner.source).memory_space is Space.Global
    )


def _fill(trigger: TriggerOp) -> Fill:
    copies: list[CopyAsyncOp] = []
    for future in trigger.after:
        copy = future.owner
        if (
            not isinstance(copy, CopyAsyncOp)
            or copy.parent_block() is not trigger.parent_block()
        ):
            fail(trigger, "must come after copies of its own block for --multicast")
        if copy.multicast is not None:
            fail(copy, "must not be multicast yet")
        copies.append(copy)
    if not isinstance(scope_of(trigger).root, RoleOp):
        fail(
            trigger,
            "must be in a role: blocks of a cluster wait for each other's loads",
            hint="run --warp-specialize first",
        )
    first = min(copies, key=_place)
    waits = [op for op in _before(first) if isinstance(op, WaitOp)]
    if len(waits) != 1:
        fail(
            first,
            "must come after one wait for its slot, in the same block, to be shared "
            f"among blocks of a cluster, got {len(waits)}",
            hint="--warp-specialize makes such rings",
            notes=[(wait, "a wait is here") for wait in waits],
        )
    return Fill(waits[0], tuple(copies), trigger)


def _before(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    previous = op.prev_op
    while previous is not None:
        found.append(previous)
        previous = previous.prev_op
    return found


def _place(op: Operation) -> int:
    return len(_before(op))


def shared_load(
    copy: CopyAsyncOp, block: ParallelOp, extents: Sequence[int]
) -> SharedLoad | str:
    """
    A load as one that the blocks of a cluster share, or why it is left to each alone.

    It must be one that TMA makes, have rows, and as many of them as make a multiple of
    `PART_ROWS` for each block.
    """
    varying = varying_indices(block)
    indices = tuple(sorted(varying - indices_of(copy.source, block)))
    if not indices:
        return "its source depends on all indices in the cluster"
    if (reason := _why_not_tma(copy)) is not None:
        return f"it is made by threads: {reason}"
    dims = tile_type(copy.destination).dims
    if len(dims) < 2:
        return "it has no rows to be divided by"
    rows = dims[-2]
    if not isinstance(rows, int):
        fail(
            copy,
            f"must fill a tile of constant extents to be divided, got [{rows}] rows",
            hint="run --bind-params first",
        )
    parts = math.prod(extents[index] for index in indices)
    if rows % (parts * PART_ROWS):
        return (
            f"its {rows} rows are no multiple of {PART_ROWS} for each of {parts} blocks"
        )
    return SharedLoad(copy, indices, parts)


def _why_not_tma(copy: CopyAsyncOp) -> str | None:
    match copy.engine.data:
        case Engine.Tma:
            return None
        case Engine.Auto:
            return (
                why_not_in_order(copy)
                or why_not_global(copy.source)
                or why_not_known(copy)
            )
        case engine:
            return f"engine is {engine.value}"
