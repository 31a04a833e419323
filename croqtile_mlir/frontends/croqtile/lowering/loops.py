"""`with` and `foreach`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    control,
    expressions,
    rotations,
    state,
    statements,
    sums,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Integer,
    Variable,
    is_non_negative,
    known,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Bounded,
    BoundedTuple,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def with_(ctx: Lowering, node: ast.With) -> None:
    """`with x in n, {a, b} in [m, n] { }`: names that read as 0 outside of loops."""
    if node.where:
        ctx.unsupported(node, "where of with")
    with ctx.new_scope():
        for each in node.bindings:
            bind(ctx, each)
        statements.sequence(ctx, node.body.statements)


def bind(ctx: Lowering, node: ast.Within) -> list[Bounded]:
    """Declare the variables of one `in`, which read as 0."""
    dims = expressions.as_shape(
        ctx, expressions.evaluate(ctx, node.domain), node.domain
    ).dims
    names = list(node.names)
    if names and len(names) != len(dims):
        ctx.fail(
            Kind.RankMismatch,
            node.domain,
            f"must have an extent for each of {len(names)} variables, got {len(dims)}",
        )
    for extent in dims:
        number = known(extent)
        if number is not None and number < 1:
            ctx.fail(
                Kind.OutOfBounds,
                node.domain,
                f"bound must be positive, got {text(extent)}",
            )
    if names:
        parts = [
            Bounded(name.text, extent, ZERO)
            for name, extent in zip(names, dims, strict=True)
        ]
        for name, part in zip(names, parts, strict=True):
            ctx.declare(name, part)
        if node.name is not None:
            ctx.declare(node.name, BoundedTuple(node.name.text, tuple(parts)))
        return parts
    assert node.name is not None
    parts = [Bounded(node.name.text, extent, ZERO) for extent in dims]
    if len(parts) == 1:
        ctx.declare(node.name, parts[0])
    else:
        for number, part in enumerate(parts):
            part.name = f"{part.name}{number}"
        ctx.declare(node.name, BoundedTuple(node.name.text, tuple(parts)))
    return parts


class _Axis:
    """One loop of a `foreach`: its variable, and from where to where it runs."""

    def __init__(
        self,
        bounded: Bounded,
        lower: Integer,
        upper: Integer,
        step: int,
        where: ast.Node,
    ):
        self.bounded, self.where = bounded, where
        self.lower, self.upper, self.step = lower, upper, step


def foreach(ctx: Lowering, node: ast.Foreach) -> None:
    """`foreach {i, j} in [m, n]`, `foreach k(1:)`: a nest, the first outermost."""
    unroll: bool | int = False
    for hint in node.hints:
        if isinstance(hint, ast.Unroll):
            unroll = True if hint.factor is None else hint.factor
        else:
            ctx.reporter.remark(Kind.Ignored, hint.span, "vectorize has no effect")
    with ctx.new_scope():
        axes: list[_Axis] = []
        for each in node.axes:
            if isinstance(each, ast.Within):
                for part in bind(ctx, each):
                    axes.append(_Axis(part, ZERO, part.bound, 1, each))
            else:
                axes.extend(_range(ctx, each))
        variables = {axis.bounded.name for axis in axes}
        # A tuple of variables stands for all of them.
        variables |= {name.text for each in node.axes for name in _names(each)}
        rotations.check_turns(ctx, node.body)
        summed = None
        if all(map(_has_iterations, axes)):
            summed = sums.kept(ctx, node.body, variables)
        if summed is None:
            _nest(ctx, node, axes, unroll)
            return
        before, body, after = summed
        statements.statement(ctx, before)
        _nest(ctx, replace(node, body=body), axes, unroll)
        statements.statement(ctx, after)


def _names(axis: ast.Within | ast.Range) -> list[ast.Name]:
    """The names that an axis runs over."""
    if isinstance(axis, ast.Within):
        return [*axis.names, *([] if axis.name is None else [axis.name])]
    return [axis.variable, *([] if axis.alias is None else [axis.alias])]


def _has_iterations(axis: _Axis) -> bool:
    """Whether a loop is known to be executed at least once."""
    low, high = known(axis.lower), known(axis.upper)
    return low is not None and high is not None and low < high


def _range(ctx: Lowering, node: ast.Range) -> list[_Axis]:
    found = ctx.find(node.variable)
    if isinstance(found, BoundedTuple):
        parts: Sequence[Bounded] = found.parts
        if node.lower is not None or node.upper is not None or node.step is not None:
            ctx.fail(
                Kind.RangeVariable,
                node,
                f"a range must be of one variable, got the tuple {node.variable}",
            )
    elif isinstance(found, Bounded):
        parts = (found,)
    else:
        ctx.fail(
            Kind.RangeVariable,
            node.variable,
            f"foreach must run over a variable of with, got {kind_of(found)}",
            hint=f"foreach {{i}} in [{node.variable}] declares one",
        )
    for part in parts:
        if not part.has_range:
            ctx.fail(
                Kind.RangeVariable,
                node.variable,
                f"foreach must run over a variable of with, got {node.variable}, an "
                "index of parallel",
                hint=f"foreach {{i}} in [#{node.variable}] runs over its range",
            )
    step = 1 if node.step is None else node.step
    if step < 1:
        ctx.fail(Kind.RangeVariable, node, f"step must be positive, got {step}")
    lower = ZERO if node.lower is None else expressions.integer(ctx, node.lower)
    shift = ZERO if node.upper is None else expressions.integer(ctx, node.upper)
    low = known(lower)
    if low is not None and low < 0:
        ctx.fail(
            Kind.RangeVariable,
            node.lower or node,
            f"the range must start at 0 or above, got {low}",
        )
    axes: list[_Axis] = []
    for part in parts:
        upper = operation("+", part.bound, shift)
        number = known(upper)
        if number is not None and number < 0:
            upper = ZERO
        elif number is None and not is_non_negative(upper):
            upper = operation("max", upper, ZERO)
        bounded = part
        if node.alias is not None:
            bounded = Bounded(node.alias.text, part.bound, ZERO)
            ctx.declare(node.alias, bounded)
        axes.append(_Axis(bounded, lower, upper, step, node))
    return axes


def _nest(
    ctx: Lowering, node: ast.Foreach, axes: list[_Axis], unroll: bool | int
) -> None:
    if not axes:
        control.body(ctx, node.body, control.Exits(None, None))
        return
    axis, *inner = axes
    if not ctx.is_uniform(axis.upper) and not ctx.inside_threads:
        ctx.not_here(axis.upper)
    exits = control.flags(ctx, node.body)
    if exits.broken is not None and inner:
        ctx.unsupported(node, "break in a foreach over several variables")
    carried = state.carried(ctx, node.body, extra=control.exit_cells(exits))
    first = state.values(carried)
    body = Block(arg_types=[IndexType(), *(value.type for value in first)])
    variable = Variable(
        axis.bounded.name,
        axis.upper,
        axis.lower,
        per_thread=not ctx.is_uniform(axis.upper) or not ctx.is_uniform(axis.lower),
        ssa=body.args[0],
    )
    body.args[0].name_hint = axis.bounded.name
    lower, upper = ctx.index(axis.lower), ctx.index(axis.upper)
    before, axis.bounded.value = axis.bounded.value, variable
    state.restore(carried, body.args[1:])
    try:
        with ctx.inside(body):
            if inner:
                _nest(ctx, node, inner, unroll)
            elif exits.broken is not None:
                _unless_broken(ctx, node, exits, carried)
            else:
                control.body(ctx, node.body, exits)
            if carried:
                ctx.add(croq.YieldOp(state.values(carried)))
    finally:
        axis.bounded.value = before
    if not carried:
        with ctx.inside(body):
            ctx.add(croq.YieldOp())
    made = ctx.add(
        croq.ForeachOp(
            upper,
            Region(body),
            lower=lower,
            step=axis.step,
            iter_args=first,
            unroll=False if inner else unroll,
        )
    )
    state.restore(carried, made.results)


def _unless_broken(
    ctx: Lowering,
    node: ast.Foreach,
    exits: control.Exits,
    carried: list[state.Carried],
) -> None:
    """The body of a loop that may end early: nothing happens after it has."""
    from croqtile_mlir.frontends.croqtile.lowering.scalars import negated
    from croqtile_mlir.frontends.croqtile.lowering.values import Scalar

    assert exits.broken is not None
    assert exits.broken.ssa is not None
    going = negated(ctx, Scalar(exits.broken.ssa, "bool", exits.broken.per_thread))
    results = state.branch(
        ctx, going, carried, lambda: control.body(ctx, node.body, exits), lambda: None
    )
    state.restore(carried, results)
