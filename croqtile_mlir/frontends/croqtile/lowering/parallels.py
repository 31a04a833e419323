"""
Parallel nests: grids of blocks, and the levels inside a block.

Levels that the source leaves out are added: a lone parallel is one of threads in one
block, of two without a level the outer one is the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    expressions,
    groups,
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
from croqtile_mlir.frontends.croqtile.lowering.values import Bounded, BoundedTuple
from croqtile_mlir.frontends.croqtile.lowering.walking import walk
from croqtile_mlir.frontends.croqtile.reporting import Kind

MAX_THREADS = 1024
"""Threads of a block (CUDA Programming Guide, compute capabilities)."""


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


def parallel(l: Lowering, node: ast.Parallel) -> None:
    """`parallel {a, b} by [m, n] : block { }`."""
    if node.asynchronous or node.stream is not None:
        l.reporter.remark(
            Kind.Ignored, node.span, "the launch chooses the stream, and does not wait"
        )
    if l.block_level is None and l.kernel_is_launched:
        l.fail(
            Kind.MultiLaunch,
            node,
            "a function must have one outermost parallel, got a second one",
            hint="each launch is a function of its own",
        )
    opened(l, Nest(node, node.axes))


def opened(l: Lowering, nest: Nest) -> None:
    """Open the axes of a nest, from the outermost inwards, then its body."""
    if not nest.axes:
        statements.block(l, nest.node.body)
        return
    level = level_of(l, nest)
    if l.block_level is None and level is not ast.LevelKind.Block:
        if level in (ast.LevelKind.Device, ast.LevelKind.Cluster):
            LEVELS[level](l, nest)
            return
        _grid(l, nest.node, [], [], nest)
        return
    LEVELS[level](l, nest)


def level_of(l: Lowering, nest: Nest) -> ast.LevelKind:
    """The level of the outermost axis, completed where it is left out."""
    if nest.axis.level is not None:
        return nest.axis.level.kind
    if l.block_level is not None:
        return ast.LevelKind.Thread
    inner = any(isinstance(each, ast.Parallel) for each in walk(nest.node.body))
    return ast.LevelKind.Block if nest.rest.axes or inner else ast.LevelKind.Thread


def bounds(l: Lowering, axis: ast.ParallelAxis) -> list[tuple[str, Integer]]:
    """The names and bounds of an axis."""
    dims = expressions.as_shape(l, expressions.evaluate(l, axis.bound), axis.bound).dims
    if not axis.names:
        assert axis.name is not None
        name = axis.name.text
        if len(dims) == 1:
            return [(name, dims[0])]
        return [(f"{name}{number}", extent) for number, extent in enumerate(dims)]
    if len(axis.names) != len(dims):
        l.fail(
            Kind.RankMismatch,
            axis.bound,
            f"must have an extent for each of {len(axis.names)} indices, got "
            f"{len(dims)}",
        )
    return [(name.text, dim) for name, dim in zip(axis.names, dims, strict=True)]


def declare_axis(
    l: Lowering, axis: ast.ParallelAxis, variables: list[Variable]
) -> None:
    """Declare the indices of an axis."""
    parts = [
        Bounded(each.name, each.upper, each, has_range=False) for each in variables
    ]
    names = axis.names or (() if axis.name is None else (axis.name,))
    if axis.names or len(parts) == 1:
        for name, part in zip(names, parts, strict=True):
            l.declare(name, part)
    if axis.name is not None and (axis.names or len(parts) > 1):
        l.declare(axis.name, BoundedTuple(axis.name.text, tuple(parts)))


def _block(l: Lowering, nest: Nest) -> None:
    axis = nest.axis
    if l.block_level is not None:
        l.fail(
            Kind.LevelNesting,
            axis.level or axis,
            "level block must be outermost, got one inside a block",
        )
    if axis.level is not None and axis.level.cooperative:
        l.parts.is_cooperative = True
    axes = [axis]
    rest = nest.rest
    # Grids side by side are one: `parallel a by m : block, b by n : block`.
    while rest.axes and rest.axis.level is not None:
        if rest.axis.level.kind is not ast.LevelKind.Block:
            break
        axes.append(rest.axis)
        rest = rest.rest
    found = [bounds(l, each) for each in axes]
    _grid(l, nest.node, axes, found, rest)


def _grid(
    l: Lowering,
    node: ast.Parallel,
    axes: list[ast.ParallelAxis],
    found: list[list[tuple[str, Integer]]],
    rest: Nest,
) -> None:
    """The grid: of one block where the source names none."""
    flat = [pair for each in found for pair in each] or [("block", Const(1))]
    if len(flat) > 3:
        l.fail(
            Kind.LevelNesting,
            axes[-1],
            f"a grid must have 1 to 3 indices, got {len(flat)}",
        )
    extents = [l.index(bound) for _, bound in flat]
    body = Block(arg_types=[IndexType()] * len(flat))
    variables: list[Variable] = []
    for (name, bound), argument in zip(flat, body.args, strict=True):
        argument.name_hint = name
        variables.append(Variable(name, bound, ZERO, ssa=argument))
    l.kernel_is_launched = True
    with l.new_scope(), l.inside(body) as block:
        l.block_level = block
        place = 0
        for axis, pairs in zip(axes, found, strict=True):
            declare_axis(l, axis, variables[place : place + len(pairs)])
            place += len(pairs)
        try:
            opened(l, rest)
        finally:
            l.block_level = None
    # Roles say how many threads a block has.
    threads = None if l.parts.has_roles else l.block_threads
    op = croq.ParallelOp(extents, Level.Block, Region(body), threads)
    with l.at(node):
        l.add(op)


def _thread(l: Lowering, nest: Nest) -> None:
    axes: list[ast.ParallelAxis] = []
    rest = nest
    while rest.axes and level_of(l, rest) is ast.LevelKind.Thread:
        axes.append(rest.axis)
        rest = rest.rest
    if rest.axes:
        l.fail(
            Kind.LevelNesting,
            rest.axis,
            "nothing must be inside level thread, got a parallel",
        )
    around = l.threads
    if around is not None and around.inside:
        l.fail(
            Kind.LevelNesting, nest.axis, "level thread must not be in one of its own"
        )
    found = [bounds(l, axis) for axis in axes]
    variables: list[Variable] = []
    extents: list[int] = []
    for axis, pairs in zip(axes, found, strict=True):
        for name, bound in pairs:
            number = known(bound)
            if number is None:
                l.fail(
                    Kind.ThreadCount,
                    axis.bound,
                    f"number of threads must be known when compiling, got "
                    f"{text(bound)}",
                    hint="give the names values: -DNAME=value",
                )
            variables.append(Variable(name, bound, ZERO, per_thread=True))
            extents.append(number)
    _check_threads(l, nest, extents)
    before = () if around is None else around.variables
    outer = () if around is None else around.extents
    with l.new_scope():
        place = 0
        for axis, pairs in zip(axes, found, strict=True):
            declare_axis(l, axis, variables[place : place + len(pairs)])
            place += len(pairs)
        merged = (*before, *variables)
        l.threads = ThreadNest(
            tuple(each.name for each in merged), (*outer, *extents), merged
        )
        try:
            opened(l, rest)
        finally:
            l.threads = around


def _check_threads(l: Lowering, nest: Nest, extents: list[int]) -> None:
    count = 1
    for extent in extents:
        count *= extent
    if not 1 <= count <= MAX_THREADS:
        l.fail(
            Kind.ThreadCount,
            nest.axis.bound,
            f"threads of a block must be 1 to {MAX_THREADS}, got {count}",
        )
    if len(extents) > 3:
        l.fail(
            Kind.LevelNesting,
            nest.axis,
            f"level thread must have 1 to 3 indices, got {len(extents)}",
        )


def _unsupported(l: Lowering, nest: Nest) -> None:
    level = level_of(l, nest)
    l.unsupported(nest.axis.level or nest.axis, f"level {level.value}")


LEVELS: Mapping[ast.LevelKind, Callable[[Lowering, Nest], None]] = {
    ast.LevelKind.Device: _unsupported,
    ast.LevelKind.Cluster: _unsupported,
    ast.LevelKind.Block: _block,
    ast.LevelKind.Warpgroup: groups.opened,
    ast.LevelKind.Warp: groups.opened,
    ast.LevelKind.Thread: _thread,
}
"""What opens an axis of each level."""
