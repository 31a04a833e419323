"""The agents of a kernel whose barriers are explicit: its warps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS, block_threads
from croqtile_mlir.analysis.sync.model import Agent, Barrier, Constant
from croqtile_mlir.analysis.sync.specialised import Specialised
from croqtile_mlir.analysis.sync.tiles.drafts import freeze
from croqtile_mlir.analysis.sync.tiles.mixed import Mbarriers
from croqtile_mlir.analysis.sync.tiles.regions import Regions
from croqtile_mlir.analysis.sync.tiles.values import Values, sources_of
from croqtile_mlir.analysis.sync.tiles.warp_ops import (
    WarpBody,
    divisions_in,
    warp_name,
)
from croqtile_mlir.analysis.sync.tiles.warp_values import WarpValues
from croqtile_mlir.dialects.croq import ParallelOp, RoleOp

_WARPS_OF_GROUP = 4


def agents_of_warps(
    block: ParallelOp,
    values: Values,
    regions: Regions,
    barriers: dict[SSAValue, Barrier],
) -> tuple[list[Agent], tuple[Barrier, ...]]:
    """The warps of a block, and the rings of barriers that they meet at."""
    shared = WarpValues.of(values, block)
    divisions = divisions_in(block)
    mbarriers = Mbarriers.of(block)
    agents: list[Agent] = []
    for role, group, warps in _groups(block):
        own = shared.anew()
        body = WarpBody(
            own,
            regions.anew(own),
            barriers,
            own=own,
            group=group,
            divisions=divisions,
            mbarriers=mbarriers,
        )
        ops = [
            inner
            for op in block.body.block.ops
            for inner in (role.body.block.ops if op is role and role else (op,))
        ]
        statements = body.of_ops(ops)
        frozen = tuple(freeze(statements, sources_of(own)))
        variable = own.warp
        if variable is None or not frozen:
            continue
        for warp in warps:
            here = Specialised(own.make, {variable: Constant(warp)}, own.lane)
            left = here.block(frozen)
            if left:
                name = warp_name(warp)
                agents.append(Agent(name, WARP_THREADS, left, role or block))
    return agents, (*barriers.values(), *mbarriers.rings.values())


def _groups(block: ParallelOp) -> Iterator[tuple[RoleOp | None, int, list[int]]]:
    """Warps of one role, or of none, that are in one warpgroup of the block."""
    roles: dict[int, RoleOp] = {}
    for op in block.body.block.ops:
        if isinstance(op, RoleOp):
            first = op.first_thread // WARP_THREADS
            for warp in range(first, first + op.num_threads // WARP_THREADS):
                roles[warp] = op
    warps = range(-(-block_threads(block) // WARP_THREADS))

    def key(warp: int) -> tuple[int, int]:
        role = roles.get(warp)
        return -1 if role is None else role.first_thread, warp // _WARPS_OF_GROUP

    for (_, group), found in groupby(warps, key):
        members = list(found)
        yield roles.get(members[0]), group, members
