"""Conditions, loops with a condition, `break` and `continue`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    expressions,
    state,
    statements,
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
from croqtile_mlir.frontends.croqtile.lowering.walking import is_collective
from croqtile_mlir.frontends.croqtile.reporting import Kind


@dataclass
class Exits:
    """The flags of the loop that is being built: set when it ends early."""

    broken: Cell | None
    """Set by `break`; the loop does not go on."""
    skipped: Cell | None
    """Set by `break` and `continue`; the rest of the iteration is left out."""


def conditional(l: Lowering, node: ast.If) -> None:
    """`if (c) { } else { }`."""
    found = expressions.condition(l, node.condition)
    if isinstance(found, bool):
        chosen = node.then if found else node.otherwise
        if chosen is not None:
            statements.block(l, chosen)
        return
    if found.per_thread and not (l.threads is not None and l.threads.inside):
        l.not_here_condition(node.condition)
    carried = state.carried(l, node)
    results = state.branch(
        l,
        found,
        carried,
        lambda: statements.block(l, node.then),
        lambda: None if node.otherwise is None else statements.block(l, node.otherwise),
    )
    state.restore(carried, results)


def loop(l: Lowering, node: ast.While) -> None:
    """`while (c) { }`."""
    exits = flags(l, node.body)
    carried = state.carried(l, node, extra=exit_cells(exits))
    first = state.values(carried)
    types = [value.type for value in first]
    before, after = Block(arg_types=types), Block(arg_types=types)
    state.restore(carried, before.args)
    with l.inside(before):
        found = expressions.condition(l, node.condition)
        going = (
            materialised(l, Literal(found, "bool"))
            if isinstance(found, bool)
            else found
        )
        if exits.broken is not None:
            going = _unless(l, going, exits.broken)
        l.add(scf.ConditionOp(going.ssa, *state.values(carried)))
    state.restore(carried, after.args)
    with l.inside(after):
        body(l, node.body, exits)
        l.add(scf.YieldOp(*state.values(carried)))
    made = l.add(scf.WhileOp(first, types, Region(before), Region(after)))
    state.restore(carried, made.results)


def _unless(l: Lowering, going: Scalar, broken: Cell) -> Scalar:
    assert broken.ssa is not None
    kept = negated(l, Scalar(broken.ssa, "bool"))
    from xdsl.dialects import arith

    made = l.add(arith.AndIOp(going.ssa, kept.ssa)).result
    return Scalar(made, "bool", going.per_thread)


def flags(l: Lowering, node: ast.Block) -> Exits:
    """The flags that the `break` and `continue` of a loop need."""
    kinds = _exits_of(node)
    broken = skipped = None
    if ast.Break in kinds:
        broken = _flag(l, "broken")
    if kinds:
        skipped = _flag(l, "skipped")
    return Exits(broken, skipped)


def _flag(l: Lowering, name: str) -> Cell:
    inside = l.threads is not None and l.threads.inside
    false = materialised(l, Literal(False, "bool"))
    return Cell(name, "bool", false.ssa, per_thread=inside)


def exit_cells(exits: Exits) -> list[Cell]:
    """The flags that a loop carries."""
    return [cell for cell in (exits.broken, exits.skipped) if cell is not None]


def _exits_of(node: ast.Node) -> set[type[ast.Node]]:
    """`break` and `continue` that leave the loop whose body this is."""
    from croqtile_mlir.frontends.croqtile.lowering.walking import children

    found: set[type[ast.Node]] = set()
    for child in children(node):
        if isinstance(child, ast.Break | ast.Continue):
            found.add(type(child))
        elif not isinstance(child, ast.While | ast.Foreach):
            found |= _exits_of(child)
    return found


def body(l: Lowering, node: ast.Block, exits: Exits) -> None:
    """The body of a loop; what follows an exit is under the flag that says so."""
    around, l.loop = l.loop, exits
    if exits.skipped is not None:
        exits.skipped.ssa = materialised(l, Literal(False, "bool")).ssa
    try:
        with l.new_scope():
            guarded(l, node.statements)
    finally:
        l.loop = around


def guarded(l: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    """Statements of which one may end the iteration."""
    for number, node in enumerate(nodes):
        if not (isinstance(node, ast.Break | ast.Continue) or _exits_of(node)):
            continue
        statements.sequence(l, nodes[: number + 1])
        rest = nodes[number + 1 :]
        if rest and not isinstance(node, ast.Break | ast.Continue):
            _rest(l, rest)
        return
    statements.sequence(l, nodes)


def _rest(l: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    exits = l.loop
    assert isinstance(exits, Exits) and exits.skipped is not None
    assert exits.skipped.ssa is not None
    if any(map(is_collective, nodes)) and exits.skipped.per_thread:
        l.not_here_condition(nodes[0])
    going = negated(l, Scalar(exits.skipped.ssa, "bool"))
    block = ast.Block(nodes[0].span, nodes)
    carried = state.carried(l, block, extra=exit_cells(exits))

    def then() -> None:
        guarded(l, nodes)

    results = state.branch(l, going, carried, then, lambda: None)
    state.restore(carried, results)


def leave(l: Lowering, node: ast.Break | ast.Continue) -> None:
    """`break`, `continue`."""
    exits = l.loop
    if not isinstance(exits, Exits):
        l.fail(
            Kind.Syntax,
            node,
            f"{'break' if isinstance(node, ast.Break) else 'continue'} must be in a "
            "loop",
        )
    true = materialised(l, Literal(True, "bool")).ssa
    if exits.skipped is not None:
        exits.skipped.ssa = true
    if isinstance(node, ast.Break) and exits.broken is not None:
        exits.broken.ssa = true
