"""
Consumers that take turns at the tiles of a block: the loop of one runs while another
stores.

Tile j belongs to consumer j mod C. It has the orders j * n .. j * n + n - 1 of the
ring, where n is the number of iterations of every tile. Order j of the event `turn`
says that the loop of the tile before has issued its products: loops never overlap, and
nobody waits for a generation of `full` while another is still ahead of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    EventOp,
    ForeachOp,
    MmaWaitOp,
    ParallelOp,
    Position,
    TriggerOp,
    WaitOp,
)
from croqtile_mlir.lowering.future_completions import is_load
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.scheduling.counts import (
    count_from_zero,
    loops_around,
    trip_count,
)
from croqtile_mlir.scheduling.in_flight import keep_one_in_flight
from croqtile_mlir.scheduling.needed_ops import has_effect
from croqtile_mlir.scheduling.pipelined_loops import PipelinedLoop
from croqtile_mlir.scheduling.rings import (
    Ring,
    event_of,
    give_credits,
    make_ring,
    release,
    wait_for_loads,
)
from croqtile_mlir.scheduling.roles import buffers_of, copy_body, keep_effects

WARPS = 4
"""Warps of a warpgroup, each of which arrives on an event once."""


@dataclass(frozen=True)
class Turns:
    """A ring and the loop over tiles whose consumers take turns."""

    ring: Ring
    tiles: ForeachOp
    """It counts the tiles of the block from 0 by 1."""

    base: SSAValue
    """The order of the first iteration of a tile."""

    turn: SSAValue
    consumers: int


def make_turns(
    loops: Sequence[PipelinedLoop], block: ParallelOp, stages: int, consumers: int
) -> Turns:
    """Make the ring of the one loop of products of a block, in place."""
    tiles = _tile_loop(loops, block)
    tiles = count_from_zero(tiles)
    loop = count_from_zero(loops[0].loop)
    builder = LocatedBuilder.at_start(tiles.body.block, loop.location)
    base = builder.mul(tiles.induction, trip_count(builder, loop))
    base.name_hint = "base"
    builder = LocatedBuilder.at_start(loop.body.block, loop.location)
    order = builder.add(base, loop.induction)
    order.name_hint = "order"
    ring = make_ring(loops[0], loop, order, stages, arrivals=WARPS)
    turn = event_of(loop, "turn", consumers).event
    return Turns(ring, tiles, base, turn, consumers)


def _tile_loop(loops: Sequence[PipelinedLoop], block: ParallelOp) -> ForeachOp:
    hint = "run --persist first, or use mode=cooperative"
    loop = loops[0].loop
    if len(loops) > 1:
        fail(
            loops[1].loop,
            "must be the only loop of products of its block for mode=pingpong",
            hint="use mode=cooperative",
            notes=[(loop, "another one is here")],
        )
    around = loops_around(loop)
    if len(around) != 1:
        fail(
            loop,
            "must be in one loop, over the tiles of its block, for mode=pingpong, got "
            f"{len(around)} around it",
            hint=hint,
        )
    (tiles,) = around
    if tiles.iter_args:
        fail(tiles, "must not carry values from tile to tile for mode=pingpong")
    for bound in loop.bounds:
        if tiles.is_ancestor(bound.owner):
            fail(
                loop,
                "must have bounds that are the same for every tile for mode=pingpong",
                notes=[(bound, "a bound is computed here")],
            )
    for op in block.body.block.ops:
        for inner in op.walk() if op is not tiles else ():
            kept = isinstance(inner, AllocOp | EventOp) or is_load(inner)
            if has_effect(inner) and not kept:
                fail(
                    inner,
                    "must be in the loop over tiles for mode=pingpong: each consumer "
                    "executes what is outside of it",
                    notes=[(tiles, "the loop is here")],
                )
    return tiles


def consumer_of_turns(
    block: ParallelOp, turns: Turns, number: int, *, in_flight: int
) -> Block:
    """The body of consumer `number`: every tile whose turn it is."""
    shared = {turns.ring.full, turns.ring.empty, turns.turn, *buffers_of(turns.ring)}
    copied = copy_body(block, shared if number else None)
    ring = copied.ring(turns.ring)
    tiles = _every_other(copied.loop(turns.tiles), number, turns.consumers)
    wait_for_loads(ring)
    before = LocatedBuilder.before(ring.loop)
    before.insert(WaitOp(turns.turn, Position(tiles.induction)))
    if in_flight:
        settled = keep_one_in_flight(ring.loop)
        _release_one_later(ring, copied.value(turns.base), settled)
    else:
        release(ring, late=0)
    after = LocatedBuilder.after(ring.loop)
    after.insert(TriggerOp(turns.turn, Position(tiles.induction, 1)))
    start = LocatedBuilder.at_start(copied.block, ring.loop.location)
    if number == 0:
        give_credits(ring, start, ring.stages)
    if number == turns.consumers - 1:
        start.insert(TriggerOp(turns.turn, Position(0)))
    keep_effects(copied.block)
    return copied.block


def _every_other(tiles: ForeachOp, first: int, step: int) -> ForeachOp:
    region = tiles.detach_region(tiles.body)
    new = ForeachOp(tiles.upper, region, lower=first, step=step)
    new.attributes |= tiles.attributes
    LocatedBuilder.before(tiles).insert(new)
    replace_values(tiles, [])
    return new


def _release_one_later(ring: Ring, base: SSAValue, settled: MmaWaitOp) -> None:
    """
    Release the slot of the iteration before in all but the first, and that of the last
    after the loop: the iteration before the first is another consumer's.
    """
    late = ring.stages - 1
    builder = LocatedBuilder.after(ring.last_read)
    with builder.if_(builder.cmp("ne", ring.loop.induction, 0)) as inner:
        inner.insert(TriggerOp(ring.empty, Position(ring.order, late)))
    builder = LocatedBuilder.after(settled)
    trips = trip_count(builder, ring.loop)
    end = builder.add(base, trips)
    some = builder.i1(trips > 0) if isinstance(trips, int) else None
    with builder.if_(some or builder.cmp("ne", trips, 0)) as inner:
        inner.insert(TriggerOp(ring.empty, Position(end, late)))
