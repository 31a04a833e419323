"""
`inthreads.async` as roles, `inthreads` as a condition and a barrier.

The predicate of a role is evaluated for every index of a level of groups; the indices
for which it holds must be a range. In the role that index is a number, or, where
several groups execute it, counts from the first of them.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import control, expressions, statements
from croqtile_mlir.frontends.croqtile.lowering.context import (
    Group,
    GroupLevel,
    Lowering,
    Role,
)
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Variable,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.products import Products
from croqtile_mlir.frontends.croqtile.lowering.walking import is_collective, names_in
from croqtile_mlir.frontends.croqtile.reporting import Kind

WARP_THREADS, WARPGROUP_THREADS = 32, 128


def inthreads(l: Lowering, node: ast.InThreads) -> None:
    """`inthreads.async (p == 0) { }`, `inthreads (t < 32) { }`."""
    if node.asynchronous:
        _role(l, node)
    else:
        _masked(l, node)


# Roles.


def _role(l: Lowering, node: ast.InThreads) -> None:
    if l.role is not None:
        l.fail(
            Kind.LevelNesting,
            node,
            "a role must not be inside another role",
            hint="inthreads without .async is a part of its role",
            notes=[(l.role.span, "the other role is here")],
        )
    if l.block_level is None or l.block is not l.block_level.block:
        l.fail(
            Kind.LevelNesting,
            node,
            "a role must stand directly in the parallel of the block, got it in a loop "
            "or a condition",
            hint="put the loop or the condition into each role",
        )
    level = _level(l, node)
    first, count = _range(l, node, level)
    start, threads = first * level.unit, count * level.unit
    if start % WARP_THREADS or threads % WARP_THREADS:
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            f"a role must be of whole warps, got threads [{start}, {start + threads})",
        )
    unit = WARP_THREADS
    if start % WARPGROUP_THREADS == threads % WARPGROUP_THREADS == 0:
        unit = WARPGROUP_THREADS
    role = Role(_text(l, node.predicate), node.span, start, threads)
    body = Block()
    with l.inside(body):
        _body(l, node, level, role, first, count)
    l.add(
        croq.RoleOp(
            role.name,
            start // unit,
            (start + threads) // unit,
            Region(body),
            warps=unit == WARP_THREADS,
            registers=role.registers,
        )
    )


def _text(l: Lowering, node: ast.Expr) -> str:
    """The predicate as the source has it: the name of the role."""
    text = l.reporter.source.text[node.span.start : node.span.end]
    return " ".join(text.split())


def _level(l: Lowering, node: ast.InThreads) -> GroupLevel:
    """The level whose index the predicate is about."""
    names = names_in(node.predicate)
    found = [each for each in l.groups if each.bounded.name in names]
    if len(found) != 1:
        known = ", ".join(each.bounded.name for each in l.groups)
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            "the predicate of a role must be about one index of the groups of a block, "
            f"got {len(found)}",
            hint=f"indices of groups here: {known}"
            if known
            else "parallel p by 2 : group-4 has groups",
        )
    if found[0] is not l.groups[0]:
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must be about {l.groups[0].bounded.name}, the "
            "first index of the threads of a block: others are not ranges of threads, "
            f"got {found[0].bounded.name}",
        )
    return found[0]


def _range(l: Lowering, node: ast.InThreads, level: GroupLevel) -> tuple[int, int]:
    """The first group and the number of groups for which the predicate holds."""
    holds = [_holds(l, node, level, at) for at in range(level.extent)]
    count = sum(holds)
    if count in (0, level.extent):
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must hold for some of the {level.extent} values "
            f"of {level.bounded.name}, got {'none' if count == 0 else 'all'}",
        )
    first = holds.index(True)
    if not all(holds[first : first + count]):
        values = ", ".join(str(at) for at, held in enumerate(holds) if held)
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the groups of a role must be neighbours, got {level.bounded.name} in "
            f"{values}",
        )
    return first, count


def _holds(l: Lowering, node: ast.InThreads, level: GroupLevel, at: int) -> bool:
    before, level.bounded.value = level.bounded.value, Const(at)
    try:
        with l.inside(Block()):
            found = expressions.condition(l, node.predicate)
    finally:
        level.bounded.value = before
    if not isinstance(found, bool):
        l.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must be decided by {level.bounded.name} alone, "
            "got one that the kernel computes",
        )
    return found


def _body(
    l: Lowering,
    node: ast.InThreads,
    level: GroupLevel,
    role: Role,
    first: int,
    count: int,
) -> None:
    state = l.role, l.group, l.threads, l.products, level.bounded.value
    l.role, l.products = role, Products()
    if count == 1:
        l.group, level.bounded.value = None, Const(first)
        variable = None
    else:
        variable = Variable(level.bounded.name, Const(count), ZERO, per_thread=True)
        l.group = Group(variable, count, level.unit)
        level.bounded.value = operation("+", variable, Const(first))
    if l.threads is not None:
        nest = l.threads
        own = [] if variable is None else [(variable, count)]
        rest = list(zip(nest.variables[1:], nest.extents[1:], strict=True))
        l.threads = replace(
            nest,
            variables=tuple(v for v, _ in (*own, *rest)),
            extents=tuple(e for _, e in (*own, *rest)),
        )
    try:
        statements.block(l, node.body)
    finally:
        l.role, l.group, l.threads, l.products, level.bounded.value = state


# Parts of a scope.


def _masked(l: Lowering, node: ast.InThreads) -> None:
    """
    What some threads do, and a barrier of their scope after it.

    Copies and the like are made by the whole scope: nobody can see which of its threads
    made them.
    """
    if l.threads is not None and l.threads.inside:
        control.conditional(l, ast.If(node.span, node.predicate, node.body, None))
        return
    if is_collective(node.body):
        l.reporter.remark(
            Kind.Ignored,
            node.predicate.span,
            "copies, waits and products inside are made by all threads of the scope",
        )
    with l.new_scope():
        statements.sequence(l, _predicated(node.body.statements, node.predicate))
    l.add(croq.BarrierOp())


def _predicated(
    nodes: tuple[ast.Statement, ...], predicate: ast.Expr
) -> tuple[ast.Statement, ...]:
    """Statements of which those of single threads are under a condition."""
    found: list[ast.Statement] = []
    run: list[ast.Statement] = []

    def close() -> None:
        if run:
            block = ast.Block(run[0].span, tuple(run))
            found.append(ast.If(predicate.span, predicate, block, None))
            run.clear()

    # Names that later statements use must not end with the condition.
    for place, node in enumerate(nodes):
        used = {name for later in nodes[place + 1 :] for name in names_in(later)}
        if is_collective(node):
            close()
            found.append(_inside(node, predicate))
        elif isinstance(node, ast.ShapeDecl | ast.TupleDecl | ast.ScalarDecl) or (
            isinstance(node, ast.Assign)
            and isinstance(node.target, ast.Name)
            and node.operator is None
            and node.target.text in used
        ):
            if not any(map(is_collective, nodes)):
                run.append(node)
                continue
            close()
            found.append(node)
        else:
            run.append(node)
    close()
    return tuple(found)


def _inside(node: ast.Statement, predicate: ast.Expr) -> ast.Statement:
    """A statement for all threads, in which those of single threads are conditional."""
    match node:
        case ast.Foreach() | ast.With() | ast.While():
            inner = _predicated(node.body.statements, predicate)
            return replace(node, body=replace(node.body, statements=inner))
        case ast.If():
            then = replace(
                node.then, statements=_predicated(node.then.statements, predicate)
            )
            other = node.otherwise
            if other is not None:
                inner = _predicated(other.statements, predicate)
                other = replace(other, statements=inner)
            return replace(node, then=then, otherwise=other)
        case _:
            return node


def set_registers(l: Lowering, node: ast.Call) -> None:
    """`croq::cuda::setreg_inc(n)` in a role: the registers of each of its threads."""
    if l.role is None:
        l.fail(
            Kind.UnsupportedEscape,
            node,
            f"{node.name} must be in a role: it moves registers between roles",
        )
    value = expressions.integer(l, node.args[0]) if len(node.args) == 1 else None
    if not isinstance(value, Const):
        l.fail(
            Kind.UnsupportedEscape, node, f"{node.name} must have one number of registers"
        )
    number = value.value
    if number % 8 or not 24 <= number <= 256:
        l.fail(
            Kind.OutOfBounds,
            node.args[0],
            f"registers must be a multiple of 8 in 24..256, got {number}",
        )
    if l.role.first_thread % WARPGROUP_THREADS or l.role.threads % WARPGROUP_THREADS:
        l.fail(
            Kind.RolePredicate,
            node,
            "registers must be those of a role of whole warpgroups (setmaxnreg)",
        )
    l.role.registers = number
