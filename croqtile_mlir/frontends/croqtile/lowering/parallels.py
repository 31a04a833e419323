"""
Parallel nests: grids of blocks, and the levels inside a block.

Levels that the source leaves out are added: a lone parallel is one of threads in one
block, of two without a level the outer one is the grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    assertions,
    clusters,
    expressions,
    groups,
    initial_values,
    launches,
    statements,
)
from croqtile_mlir.frontends.croqtile.lowering.context import (
    Lowering,
    ThreadNest,
)
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Integer,
    Variable,
    known,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import MAX_THREADS
from croqtile_mlir.frontends.croqtile.lowering.values import Bounded, BoundedTuple
from croqtile_mlir.frontends.croqtile.lowering.walking import walk
from croqtile_mlir.frontends.croqtile.reporting import Kind


@dataclass(frozen=True)
class Nest:
    """A parallel statement: axes that are still to be opened, and what is inside."""

    node: ast.Parallel
    axes: tuple[ast.ParallelAxis, ...]

    @property
    def axis(self) -> ast.ParallelAxis:
        """The outermost axis."""
        return self.axes[0]

    @property
    def rest(self) -> Nest:
        """What is inside the outermost axis."""
        return replace(self, axes=self.axes[1:])


def parallel(ctx: Lowering, node: ast.Parallel) -> None:
    """`parallel {a, b} by [m, n] : block { }`."""
    if node.asynchronous or node.stream is not None:
        ctx.reporter.remark(
            Kind.Ignored, node.span, "the launch chooses the stream, and does not wait"
        )
    if ctx.block_level is None and ctx.kernel_is_launched:
        ctx.fail(
            Kind.MultiLaunch,
            node,
            "a function must have one outermost parallel, got a second one",
            hint="each launch is a function of its own",
        )
    launches.state(ctx, node)
    opened(ctx, Nest(node, node.axes))


def opened(ctx: Lowering, nest: Nest) -> None:
    """Open the axes of a nest, from the outermost inwards, then its body."""
    if not nest.axes:
        statements.block(ctx, nest.node.body)
        return
    level = level_of(ctx, nest)
    if ctx.block_level is None and level is not ast.LevelKind.Block:
        if level is ast.LevelKind.Device:
            _open(ctx, nest, level)
            return
        if level is ast.LevelKind.Cluster:
            clusters.declared(ctx, nest, bounds(ctx, nest.axis))
            opened(ctx, nest.rest)
            return
        _grid(ctx, nest.node, [], [], nest)
        return
    _open(ctx, nest, level)


def level_of(ctx: Lowering, nest: Nest) -> ast.LevelKind:
    """The level of the outermost axis, completed where it is left out."""
    if nest.axis.level is not None:
        return nest.axis.level.kind
    if ctx.block_level is not None:
        return ast.LevelKind.Thread
    inner = any(isinstance(each, ast.Parallel) for each in walk(nest.node.body))
    return ast.LevelKind.Block if nest.rest.axes or inner else ast.LevelKind.Thread


def bounds(ctx: Lowering, axis: ast.ParallelAxis) -> list[tuple[str, Integer]]:
    """The names and bounds of an axis."""
    dims = expressions.as_shape(
        ctx, expressions.evaluate(ctx, axis.bound), axis.bound
    ).dims
    if not axis.names:
        name = _level_word(axis) if axis.name is None else axis.name.text
        if len(dims) == 1:
            return [(name, dims[0])]
        return [(f"{name}{number}", extent) for number, extent in enumerate(dims)]
    if len(axis.names) != len(dims):
        ctx.fail(
            Kind.RankMismatch,
            axis.bound,
            f"must have an extent for each of {len(axis.names)} indices, got "
            f"{len(dims)}",
        )
    return [(name.text, dim) for name, dim in zip(axis.names, dims, strict=True)]


def _level_word(axis: ast.ParallelAxis) -> str:
    """What the IR calls an index that the source does not name."""
    return "index" if axis.level is None else axis.level.kind.value.replace("-", "_")


def declare_axis(
    ctx: Lowering, axis: ast.ParallelAxis, variables: list[Variable]
) -> None:
    """Declare the indices of an axis."""
    parts = [
        Bounded(each.name, each.upper, each, has_range=False) for each in variables
    ]
    if axis.name is None and not axis.names:
        return
    names = axis.names or (() if axis.name is None else (axis.name,))
    if axis.names or len(parts) == 1:
        for name, part in zip(names, parts, strict=True):
            ctx.declare(name, part)
    if axis.name is not None and (axis.names or len(parts) > 1):
        ctx.declare(axis.name, BoundedTuple(axis.name.text, tuple(parts)))


def _block(ctx: Lowering, nest: Nest) -> None:
    axis = nest.axis
    if ctx.block_level is not None:
        ctx.fail(
            Kind.LevelNesting,
            axis.level or axis,
            "level block must be outermost, got one inside a block",
        )
    if axis.level is not None and axis.level.cooperative:
        ctx.parts.is_cooperative = True
    axes = [axis]
    rest = nest.rest
    # Grids side by side are one: `parallel a by m : block, b by n : block`.
    while rest.axes and rest.axis.level is not None:
        if rest.axis.level.kind is not ast.LevelKind.Block:
            break
        axes.append(rest.axis)
        rest = rest.rest
    found = [bounds(ctx, each) for each in axes]
    _grid(ctx, nest.node, axes, found, rest)


def _grid(
    ctx: Lowering,
    node: ast.Parallel,
    axes: list[ast.ParallelAxis],
    found: list[list[tuple[str, Integer]]],
    rest: Nest,
) -> None:
    """The grid: of one block where the source names none."""
    flat = [pair for each in found for pair in each] or [("block", Const(1))]
    if len(flat) > 3:
        ctx.fail(
            Kind.LevelNesting,
            axes[-1],
            f"a grid must have 1 to 3 indices, got {len(flat)}",
        )
    clustered = clusters.Grid.of(ctx, len(flat))
    body = Block(arg_types=[IndexType()] * len(flat))
    if clustered is not None:
        body = clustered.inner
    ctx.kernel_is_launched = True
    with ctx.new_scope(), ctx.inside(body) as block:
        ctx.block_level = block
        assertions.deferred(ctx)
        indices = None
        if clustered is None:
            variables: list[Variable] = []
            for (name, bound), argument in zip(flat, body.args, strict=True):
                argument.name_hint = name
                variables.append(Variable(name, bound, ZERO, ssa=argument))
        else:
            variables = clustered.indices(ctx, flat)
            indices = body.last_op
            assert ctx.parts.cluster is not None
            declare_axis(ctx, ctx.parts.cluster.axis, list(ctx.parts.cluster.ranks))
        place = 0
        for axis, pairs in zip(axes, found, strict=True):
            declare_axis(ctx, axis, variables[place : place + len(pairs)])
            place += len(pairs)
        try:
            opened(ctx, rest)
        finally:
            ctx.block_level = None
        initial_values.fill(ctx, body, variables, indices)
    # Roles say how many threads a block has.
    threads = None if ctx.parts.has_roles else ctx.block_threads
    with ctx.at(node):
        if clustered is not None:
            ctx.add(clustered.finish(ctx, flat, threads))
            return
        extents = [ctx.index(bound) for _, bound in flat]
        ctx.add(croq.ParallelOp(extents, Level.Block, Region(body), threads))


def _thread(ctx: Lowering, nest: Nest) -> None:
    axes: list[ast.ParallelAxis] = []
    rest = nest
    while rest.axes and level_of(ctx, rest) is ast.LevelKind.Thread:
        axes.append(rest.axis)
        rest = rest.rest
    if rest.axes:
        ctx.fail(
            Kind.LevelNesting,
            rest.axis,
            "nothing must be inside level thread, got a parallel",
        )
    around = ctx.threads
    if around is not None and around.inside:
        ctx.fail(
            Kind.LevelNesting, nest.axis, "level thread must not be in one of its own"
        )
    found = [bounds(ctx, axis) for axis in axes]
    variables: list[Variable] = []
    extents: list[int] = []
    for axis, pairs in zip(axes, found, strict=True):
        for name, bound in pairs:
            number = known(bound)
            if number is None:
                ctx.fail(
                    Kind.ThreadCount,
                    axis.bound,
                    f"number of threads must be known when compiling, got "
                    f"{text(bound)}",
                    hint="give the names values: -DNAME=value",
                )
            variables.append(Variable(name, bound, ZERO, per_thread=True))
            extents.append(number)
    _check_threads(ctx, nest, extents)
    before = () if around is None else around.variables
    outer = () if around is None else around.extents
    with ctx.new_scope():
        place = 0
        for axis, pairs in zip(axes, found, strict=True):
            declare_axis(ctx, axis, variables[place : place + len(pairs)])
            place += len(pairs)
        merged = (*before, *variables)
        ctx.threads = ThreadNest(
            tuple(each.name for each in merged), (*outer, *extents), merged
        )
        try:
            opened(ctx, rest)
        finally:
            ctx.threads = around


def _check_threads(ctx: Lowering, nest: Nest, extents: list[int]) -> None:
    count = 1
    for extent in extents:
        count *= extent
    if not 1 <= count <= MAX_THREADS:
        ctx.fail(
            Kind.ThreadCount,
            nest.axis.bound,
            f"threads of a block must be 1 to {MAX_THREADS}, got {count}",
        )
    groups.check_threads(ctx, nest, count)
    if len(extents) > 3:
        ctx.fail(
            Kind.LevelNesting,
            nest.axis,
            f"level thread must have 1 to 3 indices, got {len(extents)}",
        )


def _open(ctx: Lowering, nest: Nest, level: ast.LevelKind) -> None:
    """Open an axis of a level."""
    match level:
        case ast.LevelKind.Block:
            _block(ctx, nest)
        case ast.LevelKind.Warpgroup | ast.LevelKind.Warp:
            groups.opened(ctx, nest)
        case ast.LevelKind.Thread:
            _thread(ctx, nest)
        case ast.LevelKind.Device | ast.LevelKind.Cluster:
            ctx.unsupported(nest.axis.level or nest.axis, f"level {level.value}")
