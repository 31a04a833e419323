"""
`inthreads.async` as roles.

The predicate of a role is evaluated for every index of a level of groups; the indices
for which it holds must be a range. In the role that index is a number, or, where
several groups execute it, counts from the first of them.
"""

from __future__ import annotations

from xdsl.ir import Block, Region

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    expressions,
    state,
    statements,
    threads_in_part,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Variable,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import (
    Group,
    GroupLevel,
    Products,
    Role,
    ThreadNest,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    names_in,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

REGISTER_CALLS = ("croq::cuda::setreg_inc", "croq::cuda::setreg_dec")
"""What states the registers of the threads of a role."""


def inthreads(ctx: Lowering, node: ast.InThreads) -> None:
    """`inthreads.async (p == 0) { }`, `inthreads (t < 32) { }`."""
    if node.asynchronous:
        _role(ctx, node)
    else:
        threads_in_part.inthreads(ctx, node)


# Roles.


def _role(ctx: Lowering, node: ast.InThreads) -> None:
    if ctx.parts.role is not None:
        ctx.fail(
            Kind.LevelNesting,
            node,
            "a role must not be inside another role",
            hint="inthreads without .async is a part of its role",
            notes=[(ctx.parts.role.span, "the other role is here")],
        )
    if ctx.block_level is None or ctx.block is not ctx.block_level.block:
        threads_in_part.refuse_role(ctx, node)
    level = _level(ctx, node)
    first, count = _range(ctx, node, level)
    start, threads = first * level.unit, count * level.unit
    if start % WARP_THREADS or threads % WARP_THREADS:
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            f"a role must be of whole warps, got threads [{start}, {start + threads})",
        )
    unit = WARP_THREADS
    if start % WARPGROUP_THREADS == threads % WARPGROUP_THREADS == 0:
        unit = WARPGROUP_THREADS
    ctx.parts.has_roles = True
    role = Role(_text(ctx, node.predicate), node.span, start, threads)
    body = Block()
    # Each role changes values of its own.
    changed = state.carried(ctx, node.body)
    before = state.values(changed)
    with ctx.inside(body, is_conditional=True):
        _body(ctx, node, level, role, first, count)
    state.restore(changed, before)
    ctx.parts.changed_in_roles.update((each, role) for each in changed)
    ctx.add(
        croq.RoleOp(
            role.name,
            start // unit,
            (start + threads) // unit,
            Region(body),
            warps=unit == WARP_THREADS,
            registers=role.registers,
        )
    )


def _text(ctx: Lowering, node: ast.Expr) -> str:
    """The predicate as the source has it: the name of the role."""
    text = ctx.reporter.source.text[node.span.start : node.span.end]
    return " ".join(text.split())


def _level(ctx: Lowering, node: ast.InThreads) -> GroupLevel:
    """The level whose index the predicate is about."""
    names = names_in(node.predicate)
    found = [each for each in ctx.parts.groups if each.bounded.name in names]
    if len(found) != 1:
        known = ", ".join(each.bounded.name for each in ctx.parts.groups)
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            "the predicate of a role must be about one index of the groups of a block, "
            f"got {len(found)}",
            hint=f"indices of groups here: {known}"
            if known
            else "parallel p by 2 : group-4 has groups",
        )
    first = ctx.parts.groups[0]
    if found[0] is not first:
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must be about {first.bounded.name}, the first "
            "index of groups: others are no ranges of threads, got "
            f"{found[0].bounded.name}",
        )
    return found[0]


def _range(ctx: Lowering, node: ast.InThreads, level: GroupLevel) -> tuple[int, int]:
    """The first group and the number of groups for which the predicate holds."""
    holds = [_holds(ctx, node, level, at) for at in range(level.extent)]
    count = sum(holds)
    if count in (0, level.extent):
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must hold for some of the {level.extent} values "
            f"of {level.bounded.name}, got {'none' if count == 0 else 'all'}",
        )
    first = holds.index(True)
    if not all(holds[first : first + count]):
        values = ", ".join(str(at) for at, held in enumerate(holds) if held)
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the groups of a role must be neighbours, got {level.bounded.name} in "
            f"{values}",
        )
    return first, count


def _holds(ctx: Lowering, node: ast.InThreads, level: GroupLevel, at: int) -> bool:
    before, level.bounded.value = level.bounded.value, Const(at)
    try:
        with ctx.inside(Block()):
            found = expressions.condition(ctx, node.predicate)
    finally:
        level.bounded.value = before
    if not isinstance(found, bool):
        ctx.fail(
            Kind.RolePredicate,
            node.predicate,
            f"the predicate of a role must be decided by {level.bounded.name} alone, "
            "got one that the kernel computes",
        )
    return found


def _body(
    ctx: Lowering,
    node: ast.InThreads,
    level: GroupLevel,
    role: Role,
    first: int,
    count: int,
) -> None:
    around = (
        ctx.parts.role,
        ctx.parts.group,
        ctx.threads,
        ctx.parts.products,
        level.bounded.value,
    )
    ctx.parts.role, ctx.parts.products = role, Products()
    if count == 1:
        ctx.parts.group, level.bounded.value = None, Const(first)
        variable = None
    else:
        variable = Variable(level.bounded.name, Const(count), ZERO, per_thread=True)
        ctx.parts.group = Group(variable, count, level.unit)
        level.bounded.value = operation("+", variable, Const(first))
    if ctx.threads is not None:
        nest = ctx.threads
        own = [] if variable is None else [(variable, count)]
        rest = list(zip(nest.variables[1:], nest.extents[1:], strict=True))
        indices = [*own, *rest]
        ctx.threads = None
        if indices:
            ctx.threads = ThreadNest(
                tuple(each.name for each, _ in indices),
                tuple(extent for _, extent in indices),
                tuple(each for each, _ in indices),
            )
    try:
        statements.block(ctx, node.body)
    finally:
        (
            ctx.parts.role,
            ctx.parts.group,
            ctx.threads,
            ctx.parts.products,
            level.bounded.value,
        ) = around


def set_registers(ctx: Lowering, node: ast.Call) -> None:
    """`croq::cuda::setreg_inc(n)` in a role: the registers of each of its threads."""
    if ctx.parts.role is None:
        ctx.fail(
            Kind.UnsupportedEscape,
            node,
            f"{node.name} must be in a role: it moves registers between roles",
        )
    value = expressions.integer(ctx, node.args[0]) if len(node.args) == 1 else None
    if not isinstance(value, Const):
        ctx.fail(
            Kind.UnsupportedEscape,
            node,
            f"{node.name} must have one number of registers",
        )
    number = value.value
    if number % 8 or not 24 <= number <= 256:
        ctx.fail(
            Kind.OutOfBounds,
            node.args[0],
            f"registers must be a multiple of 8 in 24..256, got {number}",
        )
    if (
        ctx.parts.role.first_thread % WARPGROUP_THREADS
        or ctx.parts.role.threads % WARPGROUP_THREADS
    ):
        ctx.fail(
            Kind.RolePredicate,
            node,
            "registers must be those of a role of whole warpgroups (setmaxnreg)",
        )
    ctx.parts.role.registers = number
