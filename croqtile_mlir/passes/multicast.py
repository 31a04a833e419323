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
written by several blocks, so that a release goes to all of these: along every index
along which some load of the ring is shared. With two such indices (lhs shared along
one, rhs along the other) the release reaches blocks too that do not write the slot;
they wait for more than they must, and all count alike. A block stays until its peers
are done with it.

Loads by threads, of one dim, or whose rows do not make a multiple of 8 for each block,
are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp
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
    empty: SSAValue, indices: Sequence[int], extents: Sequence[int]
) -> None:
    """Let all arrivals on an event reach the blocks along some indices."""
    for use in list(empty.uses):
        op = use.operation
        if not isinstance(op, TriggerOp):
            continue
        if op.after:
            fail(op, "must not come after copies where it releases a shared slot")
        new = TriggerOp(empty, op.position, multicast=indices)
        new.attributes |= op.attributes
        LocatedBuilder.before(op).insert(new)
        op.detach()
        op.erase()
    event = empty.owner
    if isinstance(event, EventOp) and event.arrivals is not None:
        blocks = math.prod(extents[index] for index in indices)
        event.properties["arrivals"] = IntAttr(event.arrivals.data * blocks)


def _indices_by_event(
    shared: Mapping[Fill, Sequence[SharedLoad]],
) -> dict[SSAValue, set[int]]:
    found: dict[SSAValue, set[int]] = {}
    for fill, loads in shared.items():
        indices = found.setdefault(fill.wait.event, set())
        indices.update(index for load in loads for index in load.indices)
    return found


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
    releases = _indices_by_event(shared)
    for loads in shared.values():
        for load in loads:
            _divide(load, block, extents)
    for empty, indices in releases.items():
        _release_to_writers(empty, sorted(indices), extents)
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
