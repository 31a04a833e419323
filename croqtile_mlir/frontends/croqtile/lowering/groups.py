"""
Levels of groups: warpgroups (`: group-4`) and warps (`: group`).

A level of groups makes no op. Its index is a number where there is but one group, and
in roles that one group executes; elsewhere it is one of the indices of the threads.
"""

from __future__ import annotations

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import parallels
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Variable,
    known,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import (
    MAX_THREADS,
    Group,
    GroupLevel,
    ThreadNest,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Bounded, BoundedTuple
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

UNITS = {
    ast.LevelKind.Warpgroup: WARPGROUP_THREADS,
    ast.LevelKind.Warp: WARP_THREADS,
}
"""Threads of a group of each level."""


def opened(ctx: Lowering, nest: parallels.Nest) -> None:
    """`p by 2 : group-4`, and what is inside."""
    level = parallels.level_of(ctx, nest)
    unit, axis = UNITS[level], nest.axis
    if ctx.parts.groups or ctx.threads is not None:
        ctx.fail(
            Kind.LevelNesting,
            axis.level or axis,
            f"level {level.value} must be directly in a block, got it inside another "
            "level",
        )
    pairs = parallels.bounds(ctx, axis)
    extents: list[int] = []
    for _, bound in pairs:
        number = known(bound)
        if number is None or number < 1:
            ctx.fail(
                Kind.ThreadCount,
                axis.bound,
                f"number of groups must be known when compiling, got {text(bound)}",
                hint="give the names values: -DNAME=value",
            )
        extents.append(number)
    threads = unit
    for extent in extents:
        threads *= extent
    if threads > MAX_THREADS:
        ctx.fail(
            Kind.ThreadCount,
            axis.bound,
            f"threads of a block must be at most {MAX_THREADS}, got {threads}",
        )
    _check_siblings(ctx, axis, threads)
    ctx.block_threads = threads
    if level is ast.LevelKind.Warp:
        ctx.parts.by_warps = True
    with ctx.new_scope():
        parts = _declare(ctx, axis, [name for name, _ in pairs], extents)
        _inside(ctx, nest, parts, extents, unit)


def check_threads(ctx: Lowering, nest: parallels.Nest, threads: int) -> None:
    """Threads in a level of groups must be all of a group."""
    if ctx.parts.groups and threads != ctx.parts.groups[-1].unit:
        unit = ctx.parts.groups[-1].unit
        level = next(level for level, size in UNITS.items() if size == unit)
        ctx.fail(
            Kind.ThreadCount,
            nest.axis.bound,
            f"threads of a {level.value} must be {unit}, got {threads}",
        )


def _check_siblings(ctx: Lowering, axis: ast.ParallelAxis, threads: int) -> None:
    if ctx.block_threads not in (None, threads):
        ctx.fail(
            Kind.ThreadCount,
            axis.bound,
            f"parallels side by side must have equally many threads, "
            f"{ctx.block_threads} as the one before, got {threads}",
        )


def _declare(
    ctx: Lowering, axis: ast.ParallelAxis, names: list[str], extents: list[int]
) -> list[Bounded]:
    parts: list[Bounded] = []
    for name, extent in zip(names, extents, strict=True):
        bound = Const(extent)
        value = (
            Const(0) if extent == 1 else Variable(name, bound, ZERO, per_thread=True)
        )
        parts.append(Bounded(name, bound, value, has_range=False))
    written = axis.names or (() if axis.name is None else (axis.name,))
    if len(written) == len(parts):
        for name, part in zip(written, parts, strict=True):
            ctx.declare(name, part)
    if axis.name is not None and (axis.names or len(parts) > 1):
        ctx.declare(axis.name, BoundedTuple(axis.name.text, tuple(parts)))
    return parts


def _inside(
    ctx: Lowering,
    nest: parallels.Nest,
    parts: list[Bounded],
    extents: list[int],
    unit: int,
) -> None:
    levels: list[GroupLevel] = []
    threads = unit
    for part, extent in reversed(list(zip(parts, extents, strict=True))):
        levels.insert(0, GroupLevel(part, extent, threads))
        threads *= extent
    varying = [part.value for part in parts if isinstance(part.value, Variable)]
    ctx.parts.groups = levels
    if len(varying) == 1:
        ctx.parts.group = Group(varying[0], threads // unit, unit)
    if varying:
        ctx.threads = ThreadNest(
            tuple(each.name for each in varying),
            tuple(extent for extent in extents if extent > 1),
            tuple(varying),
        )
    try:
        parallels.opened(ctx, nest.rest)
    finally:
        ctx.parts.groups, ctx.parts.group, ctx.threads = [], None, None
