"""Conditions, loops with a condition, `break` and `continue`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    choices,
    expressions,
    rotations,
    state,
    statements,
    threads,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    materialised,
    negated,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Cell,
    Literal,
    Scalar,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    children,
    names_in,
    walk,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


@dataclass
class Exits:
    """The flags of the loop that is being built: set when it ends early."""

    broken: Cell | None
    """Set by `break`; the loop does not go on."""
    skipped: Cell | None
    """Set by `break` and `continue`; the rest of the iteration is left out."""


def conditional(ctx: Lowering, node: ast.If) -> None:
    """`if (c) { } else { }`."""
    _check_uniform(ctx, node.condition)
    found = expressions.condition(ctx, node.condition)
    if isinstance(found, bool):
        chosen = node.then if found else node.otherwise
        if chosen is not None:
            statements.block(ctx, chosen)
        return
    if found.per_thread and not ctx.inside_threads:
        ctx.not_here_condition(node.condition)
    carried = state.carried(ctx, node, extra=_left_by(ctx, node))
    results = state.branch(
        ctx,
        found,
        carried,
        lambda: statements.block(ctx, node.then),
        lambda: (
            None if node.otherwise is None else statements.block(ctx, node.otherwise)
        ),
    )
    state.restore(carried, results)


def _check_uniform(ctx: Lowering, condition: ast.Expr) -> None:
    """Refuse a condition on the thread around what threads do together."""
    if ctx.threads is None or ctx.threads.inside:
        return
    parted = threads.differing(ctx, names_in(condition))
    for name in walk(condition):
        if isinstance(name, ast.Name) and name.text in parted:
            ctx.not_here_condition(name)


def _left_by(ctx: Lowering, node: ast.Node) -> list[Cell]:
    """The flags of the loop around that a statement may set."""
    if isinstance(ctx.loop, Exits) and _exits_of(node):
        return exit_cells(ctx.loop)
    return []


def leaves(ctx: Lowering, node: ast.Node) -> bool:
    """Whether a statement may end an iteration of the loop around."""
    return isinstance(ctx.loop, Exits) and bool(_exits_of(node))


def loop(ctx: Lowering, node: ast.While) -> None:
    """`while (c) { }`."""
    _check_uniform(ctx, node.condition)
    rotations.check_turns(ctx, node.body)
    exits = flags(ctx, node.body)
    carried = state.carried(ctx, node, extra=exit_cells(exits))
    first = state.values(carried)
    types = [value.type for value in first]
    before, after = Block(arg_types=types), Block(arg_types=types)
    state.restore(carried, before.args)
    with ctx.inside(before):
        going = _goes_on(ctx, node.condition, exits.broken)
        ctx.add(scf.ConditionOp(going.ssa, *state.values(carried)))
    state.restore(carried, after.args)
    with ctx.inside(after, is_conditional=True):
        body(ctx, node.body, exits)
        ctx.add(scf.YieldOp(*state.values(carried)))
    made = ctx.add(scf.WhileOp(first, types, Region(before), Region(after)))
    state.restore(carried, made.results)


def _goes_on(ctx: Lowering, condition: ast.Expr, broken: Cell | None) -> Scalar:
    """Whether a loop goes on; after `break` nothing of its condition happens."""
    if broken is None:
        return materialised(ctx, choices.truth(ctx, condition))
    assert broken.ssa is not None
    if choices.is_bound(condition):
        return choices.branches(
            ctx,
            condition,
            _kept(ctx, broken.ssa),
            lambda: choices.truth(ctx, condition),
            lambda: Literal(False, "bool"),
        )
    going = materialised(ctx, choices.truth(ctx, condition))
    kept = _kept(ctx, broken.ssa)
    made = ctx.add(arith.AndIOp(going.ssa, kept.ssa)).result
    return Scalar(made, "bool", going.per_thread)


def _kept(ctx: Lowering, broken: SSAValue) -> Scalar:
    return negated(ctx, Scalar(broken, "bool", ctx.inside_threads))


def flags(ctx: Lowering, node: ast.Block) -> Exits:
    """The flags that the `break` and `continue` of a loop need."""
    kinds = _exits_of(node)
    broken = skipped = None
    if ast.Break in kinds:
        broken = _flag(ctx, "broken")
    if kinds:
        skipped = _flag(ctx, "skipped")
    return Exits(broken, skipped)


def _flag(ctx: Lowering, name: str) -> Cell:
    false = materialised(ctx, Literal(False, "bool"))
    return Cell(name, "bool", false.ssa, per_thread=ctx.inside_threads)


def exit_cells(exits: Exits) -> list[Cell]:
    """The flags that a loop carries."""
    return [cell for cell in (exits.broken, exits.skipped) if cell is not None]


def _exits_of(node: ast.Node) -> set[type[ast.Node]]:
    """`break` and `continue` in a node that leave the loop around it."""
    if isinstance(node, ast.Break | ast.Continue):
        return {type(node)}
    found: set[type[ast.Node]] = set()
    if not isinstance(node, ast.While | ast.Foreach):
        for child in children(node):
            found |= _exits_of(child)
    return found


def body(ctx: Lowering, node: ast.Block, exits: Exits) -> None:
    """The body of a loop; what follows an exit is under the flag that says so."""
    around, ctx.loop = ctx.loop, exits
    if exits.skipped is not None:
        exits.skipped.ssa = materialised(ctx, Literal(False, "bool")).ssa
    try:
        with ctx.new_scope():
            statements.sequence(ctx, node.statements)
    finally:
        ctx.loop = around


def guarded(
    ctx: Lowering,
    nodes: tuple[ast.Statement, ...],
    lower: Callable[[tuple[ast.Statement, ...]], None],
) -> None:
    """Statements of a block; what follows an exit is under the flag that says so."""
    first, rest = _parted(ctx, nodes)
    lower(first)
    if rest:
        _rest(ctx, rest, lambda: guarded(ctx, rest, lower))


def _parted(
    ctx: Lowering, nodes: tuple[ast.Statement, ...]
) -> tuple[tuple[ast.Statement, ...], tuple[ast.Statement, ...]]:
    """Statements up to the first that may end the iteration, and what may follow."""
    for number, node in enumerate(nodes, 1):
        if leaves(ctx, node):
            is_last = isinstance(node, ast.Break | ast.Continue)
            return nodes[:number], () if is_last else nodes[number:]
    return nodes, ()


def _rest(
    ctx: Lowering, nodes: tuple[ast.Statement, ...], then: Callable[[], None]
) -> None:
    exits = ctx.loop
    assert isinstance(exits, Exits)
    assert exits.skipped is not None
    assert exits.skipped.ssa is not None
    going = negated(ctx, Scalar(exits.skipped.ssa, "bool"))
    block = ast.Block(nodes[0].span, nodes)
    carried = state.carried(ctx, block, extra=exit_cells(exits))
    results = state.branch(ctx, going, carried, then, lambda: None)
    state.restore(carried, results)


def leave(ctx: Lowering, node: ast.Break | ast.Continue) -> None:
    """`break`, `continue`."""
    exits = ctx.loop
    if not isinstance(exits, Exits):
        ctx.fail(
            Kind.Syntax,
            node,
            f"{'break' if isinstance(node, ast.Break) else 'continue'} must be in a "
            "loop",
        )
    true = materialised(ctx, Literal(True, "bool")).ssa
    if exits.skipped is not None:
        exits.skipped.ssa = true
    if isinstance(node, ast.Break) and exits.broken is not None:
        exits.broken.ssa = true
