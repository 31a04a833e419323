"""What loops and branches carry: scalars, futures, and what other parts add."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import futures
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.scopes import Scope
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Cell,
    Extension,
    Future,
    FutureState,
    Scalar,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    assigned_in,
    exchanged_names,
    walk,
)

Carried = Cell | Future | Extension


def carried(ctx: Lowering, node: ast.Node, extra: Sequence[Cell] = ()) -> list[Carried]:
    """What is declared outside of a node and changes in it, in order of declaration."""
    names = assigned_in(node)
    found: list[Carried] = []
    scopes: list[Scope] = []
    scope: Scope | None = ctx.scope
    while scope is not None:
        scopes.insert(0, scope)
        scope = scope.parent
    for scope in scopes:
        for name, value in scope.names.items():
            if (
                name in names
                and ctx.scope.find(name) is value
                and _changes(ctx, name, value, node)
            ):
                assert isinstance(value, Carried)
                found.append(value)
    return [*found, *extra]


def _changes(ctx: Lowering, name: str, value: object, node: ast.Node) -> bool:
    match value:
        case Cell():
            return value.tile is None and value.mutable
        case Future():
            return _has_new_handle(ctx, name, value, node)
        case Extension():
            return bool(value.carried)
        case _:
            return False


def _has_new_handle(ctx: Lowering, name: str, future: Future, node: ast.Node) -> bool:
    """Whether a future stands for another copy after the statements of a node."""
    exchanged = name in exchanged_names(node)
    started = any(
        isinstance(each, ast.Copy)
        and each.asynchronous
        and each.name is not None
        and each.name.text == name
        for each in walk(node)
    )
    if not (exchanged or started):
        return False
    if not future.element:
        _find_type(ctx, future, node)
    if not future.element:
        return False
    futures.give_handle(ctx, future)
    return True


def _find_type(ctx: Lowering, future: Future, node: ast.Node) -> None:
    """The type of a placeholder is that of what it is exchanged with."""
    for each in walk(node):
        if not isinstance(each, ast.Rotate):
            continue
        partners = [ctx.scope.find(name.text) for name in each.names]
        if future not in partners:
            continue
        for partner in partners:
            if isinstance(partner, Future) and partner.element:
                futures.adopt(ctx, future, partner)
                return


def values(found: Sequence[Carried]) -> list[SSAValue]:
    """The SSA values that stand for what is carried, now."""
    result: list[SSAValue] = []
    for each in found:
        match each:
            case Cell(ssa=ssa):
                assert ssa is not None
                result.append(ssa)
            case Future(handle=handle):
                assert handle is not None
                result.append(handle)
            case Extension(carried=own):
                result.extend(own)
    return result


def restore(found: Sequence[Carried], results: Sequence[SSAValue]) -> None:
    """Let other SSA values stand for what is carried."""
    rest = list(results)
    for each in found:
        match each:
            case Cell():
                each.ssa = rest.pop(0)
                each.ssa.name_hint = each.name
            case Future():
                each.handle = rest.pop(0)
                each.handle.name_hint = each.name
            case Extension():
                count = len(each.carried)
                each.carried[:] = rest[:count]
                del rest[:count]
                for value in each.carried:
                    value.name_hint = each.label


def branch(
    ctx: Lowering,
    condition: Scalar,
    found: Sequence[Carried],
    then: Callable[[], None],
    otherwise: Callable[[], None],
) -> list[SSAValue]:
    """A `scf.if` around two ways to go on; the results are what is carried after it."""
    before = values(found)
    states = [each.state for each in found if isinstance(each, Future)]
    blocks: list[Block] = []
    ends: list[list[FutureState]] = []
    for make in (then, otherwise):
        restore(found, before)
        _set_states(found, states)
        block = Block()
        with ctx.inside(block, is_conditional=True):
            make()
            ctx.add(scf.YieldOp(*values(found)))
        blocks.append(block)
        ends.append([each.state for each in found if isinstance(each, Future)])
    # What may be in flight is, and what may be a placeholder is.
    _set_states(found, [max(a, b) for a, b in zip(*ends, strict=True)])
    is_empty = not found and blocks[1].first_op is blocks[1].last_op
    made = ctx.add(
        scf.IfOp(
            condition.ssa,
            [value.type for value in before],
            Region(blocks[0]),
            None if is_empty else Region(blocks[1]),
        )
    )
    return list(made.results)


def _set_states(found: Sequence[Carried], states: Sequence[FutureState]) -> None:
    futures_in_order = [each for each in found if isinstance(each, Future)]
    for future, known in zip(futures_in_order, states, strict=True):
        future.state = known
