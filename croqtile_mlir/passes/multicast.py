"""
`--multicast`: blocks of a cluster load together what all of them need.

    croq.parallel (%i, %j) in (2, 1) : block {
      croq.role "producer" .. {
        croq.wait %empty at %k                    // nothing of %b depends on %i
        %g = croq.copy_async %b => %slot
        croq.trigger %full at %k after %f, %g
      }
      croq.role "consumer" .. { .. croq.trigger %empty at %k + 4 .. }
    }
          ->
        %mine = croq.chunkat %b [2, _] at (%i, _)
        %part = croq.chunkat %slot [2, _] at (%i, _)
        %g = croq.copy_async %mine => %part multicast [0]
      ..
      croq.role "consumer" .. { .. croq.trigger %empty at %k + 4 multicast [0] .. }
      croq.barrier cluster

A load whose source does not depend on some index in the cluster is divided by rows
among the blocks along that index; each sends its part to all of them. A slot is then
written by several blocks, so that a release goes to all of these. A block stays until
its peers are done with it.

Where loads of a ring are shared along different indices (in a cluster of 2x2 lhs along
one, rhs along the other), there is an event of releases for each, and the producer
waits for all of them. One release to the blocks along both indices would be too much: a
block hears of what a peer has received by what the peer sends to it; of one that sends
nothing it does not know whether it has counted the release before.

Loads by threads, of one dim, or whose rows do not make a multiple of 8 for each block,
are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.scopes import blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    ChunkAtOp,
    CopyAsyncOp,
    EventOp,
    ParallelOp,
    TriggerOp,
    WaitOp,
    event_type,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.scheduling.cluster_values import indices_of, varying_control
from croqtile_mlir.scheduling.shared_loads import (
    Fill,
    SharedLoad,
    find_fills,
    shared_load,
)


def _find_shared(
    block: ParallelOp, extents: Sequence[int], fills: Sequence[Fill]
) -> dict[Fill, list[SharedLoad]]:
    found: dict[Fill, list[SharedLoad]] = {}
    reasons: list[tuple[Operation, str]] = []
    for fill in fills:
        for copy in fill.copies:
            load = shared_load(copy, block, extents)
            if isinstance(load, str):
                reasons.append((copy, f"this one is not shared: {load}"))
            else:
                found.setdefault(fill, []).append(load)
    if not found:
        fail(
            block,
            "must have a load that all blocks along an index in the cluster make "
            "alike, got none",
            hint="run --warp-specialize first, and let the cluster be along an index "
            "that some operand does not depend on",
            notes=reasons,
        )
    return found


def _check_alike(fill: Fill, loads: Sequence[SharedLoad], block: ParallelOp) -> None:
    """Check that all blocks of a cluster use the events of a ring alike."""
    for load in loads:
        if indices_of(load.copy.destination, block):
            fail(
                load.copy,
                "must fill the same place in all blocks of a cluster to be shared, got "
                "one that depends on an index in the cluster",
            )
    for event in (fill.trigger.event, fill.wait.event):
        if not isinstance(event.owner, EventOp):
            fail(fill.wait, "and its trigger must name events of the block")
        for use in event.uses:
            op = use.operation
            if not isinstance(op, TriggerOp | WaitOp):
                fail(op, "must not hand on an event of a ring that is shared")
            if (control := varying_control(op)) is not None:
                fail(
                    op,
                    "must be executed equally often by all blocks of a cluster",
                    notes=[
                        (control, "this depends on an index in the cluster"),
                        (loads[0].copy, "a load of the ring is shared"),
                    ],
                )
            base = op.position.base
            if isinstance(base, SSAValue) and indices_of(base, block):
                fail(
                    op,
                    "must have the same order in all blocks of a cluster, got one that "
                    "depends on an index in the cluster",
                    notes=[(loads[0].copy, "a load of the ring is shared")],
                )


def _divide(load: SharedLoad, block: ParallelOp, extents: Sequence[int]) -> None:
    """Let each block load its part of the rows and send it to the others."""
    copy, args = load.copy, block.body.block.args
    build = LocatedBuilder.before(copy)
    number: SSAValue = args[load.indices[-1]]
    for index in reversed(load.indices[:-1]):
        number = build.add(build.mul(number, extents[index]), args[index])
    source, destination = (
        _part(build, tile, load.parts, number)
        for tile in (copy.source, copy.destination)
    )
    new = CopyAsyncOp(source, destination, copy.engine.data, multicast=load.indices)
    new.attributes |= copy.attributes
    replace_values(copy, [build.insert(new).future])


def _part(
    build: LocatedBuilder, tile: SSAValue, parts: int, number: SSAValue
) -> SSAValue:
    rank = tile_type(tile).rank
    chunks, at = [1] * rank, list[Index]([WHOLE] * rank)
    chunks[-2], at[-2] = parts, number
    return build.insert(ChunkAtOp(tile, chunks, at)).result


def _release_to_writers(
    empty: SSAValue, reaches: Sequence[Sequence[int]], extents: Sequence[int]
) -> None:
    """Give the event of the releases of a ring a copy for each set of writers."""
    event = empty.owner
    if not isinstance(event, EventOp):
        raise TypeError("an event is made by croq.event")
    uses = [use.operation for use in empty.uses]
    for indices in reversed(reaches):
        blocks = math.prod(extents[index] for index in indices)
        arrivals = None if event.arrivals is None else event.arrivals.data * blocks
        new = EventOp(
            event_type(empty), ready=event.ready is not None, arrivals=arrivals
        )
        new.attributes |= event.attributes
        new.event.name_hint = empty.name_hint
        LocatedBuilder.after(event).insert(new)
        for op in uses:
            _reach(op, new.event, indices)
    for op in [*uses, event]:
        op.detach()
        op.erase()


def _reach(op: Operation, event: SSAValue, indices: Sequence[int]) -> None:
    """Put the same wait or release after an op, for an event of some writers."""
    match op:
        case TriggerOp():
            if op.after:
                fail(op, "must not come after copies where it releases a shared slot")
            new = TriggerOp(event, op.position, multicast=indices)
        case WaitOp():
            new = WaitOp(event, op.position)
        case _:
            raise TypeError("events are triggered and waited for")
    new.attributes |= op.attributes
    LocatedBuilder.after(op).insert(new)


def _reaches(
    shared: Mapping[Fill, Sequence[SharedLoad]],
) -> dict[SSAValue, list[tuple[int, ...]]]:
    """
    For each event of releases: the indices along which the writers of a slot are.

    A set of them that is part of another needs no releases of its own.
    """
    found: dict[SSAValue, set[tuple[int, ...]]] = {}
    for fill, loads in shared.items():
        sets = found.setdefault(fill.wait.event, set())
        sets.update(load.indices for load in loads)
    return {
        event: [
            indices
            for indices in sorted(sets)
            if not any(set(indices) < set(other) for other in sets)
        ]
        for event, sets in found.items()
    }


def _multicast(block: ParallelOp) -> None:
    extents = block.extents_in_cluster
    if extents is None:
        fail(
            block,
            "must be in a cluster to share loads",
            hint="run --make-clusters first",
        )
    shared = _find_shared(block, extents, find_fills(block))
    for fill, loads in shared.items():
        _check_alike(fill, loads, block)
    releases = _reaches(shared)
    for loads in shared.values():
        for load in loads:
            _divide(load, block, extents)
    for empty, reaches in releases.items():
        _release_to_writers(empty, reaches, extents)
    build = LocatedBuilder.at_end(block.body.block, block.location)
    build.insert(BarrierOp(cluster=True))


@dataclass(frozen=True)
class MulticastPass(ModulePass):
    """
    Let the blocks of clusters share the loads of their rings.

    After `--make-clusters` and `--warp-specialize`.
    """

    name = "multicast"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in blocks_in(op):
            _multicast(block)
