"""
The model of a kernel of tile level.

An agent is a role, or the block where there are no roles: the ops of one scope are
sequential. What a block does beside its roles is an agent of its own, which meets the
roles before the first and after the last of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from math import gcd, inf

from xdsl.dialects import scf
from xdsl.ir import Operation

from croqtile_mlir.analysis.grain import has_explicit_barriers, has_explicit_fences
from croqtile_mlir.analysis.scopes import block_threads, kernel_of
from croqtile_mlir.analysis.sync.cluster_indices import Cluster
from croqtile_mlir.analysis.sync.clusters import of_cluster
from croqtile_mlir.analysis.sync.model import (
    Agent,
    Constant,
    Program,
    Rendezvous,
    Variable,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.places.block_races import block_race, missed_by_blocks
from croqtile_mlir.analysis.sync.places.turns_of_blocks import waits_for_blocks
from croqtile_mlir.analysis.sync.tiles.carried_futures import Modelled, modelled_blocks
from croqtile_mlir.analysis.sync.tiles.drafts import (
    DraftStatement,
    freeze,
)
from croqtile_mlir.analysis.sync.tiles.events import barriers_of
from croqtile_mlir.analysis.sync.tiles.loops import WAYS, name_bounds
from croqtile_mlir.analysis.sync.tiles.ops import Body
from croqtile_mlir.analysis.sync.tiles.regions import Regions
from croqtile_mlir.analysis.sync.tiles.trips import long_trips
from croqtile_mlir.analysis.sync.tiles.values import Values, Way, sources_of
from croqtile_mlir.analysis.sync.tiles.ways import left_out
from croqtile_mlir.analysis.sync.used_values import (
    branches_in,
    first_unknown,
    values_of,
)
from croqtile_mlir.analysis.sync.verdicts import Refuted, Undecided
from croqtile_mlir.dialects.croq import ParallelOp, RoleOp

_MOST_CONDITIONS = 2
"""Conditions that change from iteration to iteration: each multiplies the models."""


Found = Program | Refuted | Undecided


def programs(root: Operation) -> list[Found]:
    """The models of the blocks of the kernels in an op, or why there is none."""
    found: list[Found] = []
    for modelled in modelled_blocks(root):
        match modelled:
            case Modelled():
                found += programs_of(modelled.block)
            case Undecided():
                found.append(modelled)
            case Refuted():
                place, reason = modelled.place, modelled.message
                found.append(Undecided(place, reason, modelled.hint))
    return found


def programs_of(block: ParallelOp) -> list[Found]:
    """
    The models of a block, or why there is none.

    There are several where a launch decides on conditions anew in each iteration. What
    blocks of the grid do to each other is no part of a model, and told after them.
    """
    try:
        return [*_programs(block)]
    except NotModelled as what:
        return [Undecided(what.place, what.reason, what.hint)]


def _programs(block: ParallelOp) -> Iterator[Found]:
    values, regions, program = _build(block, {}, {})
    units = _units(values, program)
    if units:
        values, regions, program = _build(block, units, {})
    branched = {
        op.cond for op in branches_in(program.agents) if isinstance(op, scf.IfOp)
    }
    conditions = [
        alike[0]
        for alike in values.alike.conditions.values()
        if any(condition in branched for condition, _ in alike)
    ]
    if len(conditions) > _MOST_CONDITIONS:
        raise NotModelled(
            block, f"{len(conditions)} conditions change from iteration to iteration"
        )
    trips = None if has_explicit_barriers(kernel_of(block)) else long_trips(block)
    for ways in product(WAYS, repeat=len(conditions)):
        chosen: dict[Way, str] = dict(zip(conditions, ways, strict=True))
        if any(way != WAYS[0] for way in ways):
            program = _build(block, units, chosen)[2]
        yield replace(program, general=_general(block, units, chosen, trips))
    explicit = has_explicit_barriers(kernel_of(block))
    if not explicit and (race := block_race(block, values, regions)) is not None:
        yield race
    if (waits := waits_for_blocks(block, values)) is not None:
        yield waits
    if (missed := missed_by_blocks(block, values)) is not None:
        yield missed
    for guarded in values.alike.guarded:
        if (skipped := left_out(guarded, regions)) is not None:
            yield skipped


def _general(
    block: ParallelOp,
    units: dict[str, int],
    ways: dict[Way, str],
    trips: tuple[int, int] | None,
) -> Program | None:
    """The model with any trip count of its long loops, if there is one."""
    if trips is None:
        return None
    try:
        return _build(block, units, dict(ways), trips)[2]
    except NotModelled:
        return None


def _units(values: Values, program: Program) -> dict[str, int]:
    """For each dim that counts in tiles of several sizes: the size to count in."""
    sizes: dict[str, set[int]] = {}
    for (name, size), leaf in values.leaves.items():
        if leaf in program.counts:
            sizes.setdefault(name, set()).add(size)
    return {name: gcd(*found) for name, found in sizes.items() if len(found) > 1}


def _build(
    block: ParallelOp,
    units: dict[str, int],
    ways: dict[Way, str],
    trips: tuple[int, int] | None = None,
) -> tuple[Values, Regions, Program]:
    kernel = kernel_of(block)
    explicit = has_explicit_barriers(kernel)
    values = Values(kernel, units, ways=ways)
    more: Variable | None = None
    if trips is not None:
        more = values.make.variable(f"trips beyond {trips[1]}", (0, inf))
        number = values.make.apply("add", more, Constant(trips[1]))
        values.trips = {trips[0]: number}
    if (extents := block.extents_in_cluster) is not None:
        names = [
            argument.name_hint or f"block index {argument.index}"
            for argument in block.body.block.args
        ]
        values.cluster = Cluster.of(values.make, extents, names)
    name_bounds(block, values)
    regions = Regions(values, block)
    barriers = barriers_of(block, values, explicit)
    if explicit:
        from croqtile_mlir.analysis.sync.tiles.warps import agents_of_warps

        agents, rings = agents_of_warps(block, values, regions, barriers)
    else:
        agents = _agents_of_scopes(block, Body(values, regions, barriers))
        rings = tuple(barriers.values())
    if (unknown := first_unknown(agents)) is not None:
        raise NotModelled(
            unknown.place, f"a slot, an order or a bound follows from {unknown.reason}"
        )
    program = Program(
        block,
        tuple(agents),
        (),
        {},
        rings,
        tuple(regions.buffers.values()),
        has_explicit_fences(kernel),
    )
    if values.cluster is not None:
        program = of_cluster(program, values.make, values.cluster.places)
    used = values_of(program.agents)
    counts = [*values.leaves.values(), *values.free.values()]
    if more is not None:
        counts.insert(0, more)
    given = (*values.blocks.values(), *values.choices.values())
    return (
        values,
        regions,
        replace(
            program,
            counts=tuple(v for v in counts if v in used),
            fixed={v: 0 for v in given if v in used},
        ),
    )


def _agents_of_scopes(block: ParallelOp, body: Body) -> list[Agent]:
    bodies = _bodies(block, body)
    sources = sources_of(body.values)
    return [
        Agent(name, threads, frozen, place)
        for place, name, threads, statements in bodies
        if (frozen := tuple(freeze(statements, sources)))
    ]


_Scope = tuple[Operation, str, int, list[DraftStatement]]


def _bodies(block: ParallelOp, body: Body) -> list[_Scope]:
    """The agents: place, name, threads, statements."""
    ops = list(block.body.block.ops)
    roles = [op for op in ops if isinstance(op, RoleOp)]
    if not roles:
        return [(block, "block", block_threads(block), body.of_ops(ops))]
    first, last = ops.index(roles[0]), ops.index(roles[-1])
    before = body.of_ops(ops[:first])
    inner: list[tuple[RoleOp, list[DraftStatement]]] = [
        (role, body.of_ops(role.body.block.ops)) for role in roles
    ]
    between = body.of_ops(op for op in ops[first:last] if not isinstance(op, RoleOp))
    if between:
        raise NotModelled(
            _place(between), "what a block does between its roles", "put it before them"
        )
    after = body.of_ops(ops[last + 1 :])
    found: list[_Scope] = []
    names = {role: f'role "{role.role_name.data}"' for role, _ in inner}
    everyone = ("block", *names.values())
    threads = block_threads(block) + sum(role.num_threads for role in roles)

    def meet(identity: str) -> list[DraftStatement]:
        """Agents that are all there: what they did before is over."""
        return [Rendezvous(block, identity, threads, frozenset(everyone))]

    start = meet("before the roles") if before else []
    end = meet("after the roles") if after else []
    for role, statements in inner:
        found.append((role, names[role], role.num_threads, [*start, *statements, *end]))
    if before or after:
        whole = [*before, *start, *end, *after]
        found.append((block, "block", block_threads(block), whole))
    return found


def _place(statements: Iterable[DraftStatement]) -> Operation:
    return next(iter(statements)).place
