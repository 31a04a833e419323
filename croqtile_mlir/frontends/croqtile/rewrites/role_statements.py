"""
Roles in loops and conditions, and several of the same groups.

A role does not wait for others, neither where it ends nor where what is around it goes
on. So each role may as well execute the loops and conditions around it itself:

    foreach t in [n] {                    inthreads.async (p == 0) {
      inthreads.async (p == 0) { A }        foreach t in [n] { if (true) { A } }
      inthreads.async (p == 1) { B }  ->  }
    }                                     inthreads.async (p == 1) {
                                            foreach t in [n] { if (true) { B } }
                                          }

Scalars that such a loop computes are computed by each role; buffers move in front of
it. Roles of one predicate that follow each other are one role. Anything else beside
roles in a loop is executed by all threads together, who do not come by together: it is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    assigned_in,
    names_in,
    walk,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.rewrites.blocks import blocks_of, with_blocks


def distribute_roles(block: ast.Block, reporter: Reporter) -> ast.Block:
    """A block whose roles stand in no loop and no condition."""
    if not any(map(_is_role, walk(block))):
        return block
    return _Distribution(reporter).block(block)


def _is_role(node: ast.Node) -> bool:
    return isinstance(node, ast.InThreads) and node.asynchronous


def _has_role(node: ast.Node) -> bool:
    return any(map(_is_role, walk(node)))


@dataclass(frozen=True)
class _Distribution:
    reporter: Reporter

    def block(self, block: ast.Block) -> ast.Block:
        """A block of a parallel."""
        made: list[ast.Statement] = []
        for statement in block.statements:
            if not _has_role(statement) or _is_role(statement):
                made.append(statement)
            elif isinstance(statement, ast.Parallel):
                made.append(with_blocks(statement, self.block))
            elif isinstance(statement, ast.InThreads):
                made.append(statement)
            else:
                made += self.split(statement)
        return replace(block, statements=tuple(_joined(made)))

    def split(self, statement: ast.Statement) -> list[ast.Statement]:
        """A loop or condition around roles, as roles around it."""
        moved = _Moved()
        inner = moved.statement(statement)
        if moved.parallel is not None:
            # The threads of groups are those of the block, wherever the level stands.
            body = self.block(ast.Block(inner.span, (inner,)))
            found = [replace(moved.parallel, body=body)]
            return [*moved.buffers, *found]
        roles = [node for node in walk(inner) if _is_role(node)]
        if not self._can_split(inner, roles):
            return []
        predicates = dict.fromkeys(
            node.predicate for node in roles if isinstance(node, ast.InThreads)
        )
        return [
            *moved.buffers,
            *(
                ast.InThreads(
                    predicate.span,
                    True,
                    predicate,
                    ast.Block(inner.span, (_of_role(inner, predicate),)),
                )
                for predicate in predicates
            ),
        ]

    def _can_split(self, statement: ast.Statement, roles: list[ast.Node]) -> bool:
        notes = [(roles[0].span, "a role is here")]
        for leaf in _leaves(statement):
            if not _is_of_each_role(leaf):
                self.reporter.error(
                    Kind.LevelNesting,
                    leaf.span,
                    "a loop or condition around roles must have nothing in it but "
                    "roles, scalars, and buffers without values",
                    hint="put what the block does together before or behind it, or "
                    "into a role",
                    notes=notes,
                )
                return False
        declared = _declared_in(statement)
        for role in roles:
            assert isinstance(role, ast.InThreads)
            for name in walk(role.predicate):
                if isinstance(name, ast.Name) and name.text in declared:
                    self.reporter.error(
                        Kind.RolePredicate,
                        name.span,
                        "the predicate of a role must be about the groups of the "
                        f"block, got {name}, which the loop around it changes",
                        notes=[(statement.span, "the loop is here")],
                    )
                    return False
        return True


@dataclass
class _Moved:
    """What moves out of a loop around roles."""

    buffers: list[ast.Statement] = field(default_factory=list[ast.Statement])
    parallel: ast.Parallel | None = None
    """A level of groups that stands in the loop."""

    def statement(self, statement: ast.Statement) -> ast.Statement:
        """A statement without what moves."""
        if _is_role(statement):
            return statement
        return with_blocks(statement, self._block)

    def _block(self, block: ast.Block) -> ast.Block:
        made: list[ast.Statement] = []
        for statement in block.statements:
            if _is_empty_buffer(statement):
                self.buffers.append(statement)
            elif self._is_level(statement):
                assert isinstance(statement, ast.Parallel)
                self.parallel = statement
                made += self._block(statement.body).statements
            else:
                made.append(self.statement(statement))
        return replace(block, statements=tuple(made))

    def _is_level(self, statement: ast.Statement) -> bool:
        return (
            isinstance(statement, ast.Parallel)
            and self.parallel is None
            and _has_role(statement)
        )


def _is_empty_buffer(statement: ast.Statement) -> bool:
    return (
        isinstance(statement, ast.BufferDecl)
        and statement.storage is ast.Storage.Shared
        and all(item.fill is None for item in statement.items)
    )


def _leaves(statement: ast.Statement) -> Iterator[ast.Statement]:
    """The statements in loops and conditions around roles."""
    if isinstance(statement, ast.With | ast.Foreach | ast.While | ast.If):
        for block in blocks_of(statement):
            for inner in block.statements:
                yield from _leaves(inner)
    elif not _is_role(statement):
        yield statement


def _is_of_each_role(statement: ast.Statement) -> bool:
    """Whether each role may execute a statement, as if it were alone."""
    match statement:
        case (
            ast.ScalarDecl()
            | ast.ShapeDecl()
            | ast.TupleDecl()
            | ast.Assign(target=ast.Name())
            | ast.CallStatement(call=ast.Assert())
        ):
            return not any(isinstance(each, ast.Atomic) for each in walk(statement))
        case ast.Break() | ast.Continue():
            return True
        case _:
            return False


def _declared_in(statement: ast.Statement) -> set[str]:
    """Names of loops and scalars around roles."""
    found: set[str] = set()
    match statement:
        case ast.Foreach(axes=axes):
            for axis in axes:
                names = axis.names if isinstance(axis, ast.Within) else (axis.variable,)
                other = axis.name if isinstance(axis, ast.Within) else axis.alias
                found.update(name.text for name in (*names, other) if name is not None)
        case ast.With(bindings=bindings):
            for binding in bindings:
                names = (*binding.names, binding.name)
                found.update(name.text for name in names if name is not None)
        case _:
            pass
    if _is_role(statement):
        return found
    for block in blocks_of(statement):
        for inner in block.statements:
            found |= _declared_in(inner)
    return found | (set() if blocks_of(statement) else assigned_in(statement))


def _of_role(statement: ast.Statement, predicate: ast.Expr) -> ast.Statement:
    """A loop or condition as the role of a predicate executes it."""

    def change(block: ast.Block) -> ast.Block:
        made: list[ast.Statement] = []
        for inner in block.statements:
            if isinstance(inner, ast.InThreads) and inner.asynchronous:
                if inner.predicate == predicate:
                    made.append(_scoped(inner))
            else:
                made.append(with_blocks(inner, change))
        return replace(block, statements=tuple(made))

    return with_blocks(statement, change)


def _scoped(role: ast.InThreads) -> ast.If:
    """What a role does, in a scope of its own."""
    true = ast.BoolLiteral(role.predicate.span, True)
    return ast.If(role.span, true, role.body, None)


def _joined(statements: list[ast.Statement]) -> list[ast.Statement]:
    """Statements in which roles of one predicate that follow each other are one."""
    made: list[ast.Statement] = []
    for statement in statements:
        if isinstance(statement, ast.InThreads) and statement.asynchronous:
            before = _before(made, statement)
            if before is not None:
                first = made[before]
                assert isinstance(first, ast.InThreads)
                del made[before]
                parts = [
                    each.body.statements if _is_joined(each) else (_scoped(each),)
                    for each in (first, statement)
                ]
                body = ast.Block(first.body.span, (*parts[0], *parts[1]))
                made.append(replace(first, body=body))
                continue
        made.append(statement)
    return made


def _is_joined(role: ast.InThreads) -> bool:
    return all(
        isinstance(each, ast.If)
        and isinstance(each.condition, ast.BoolLiteral)
        and each.condition.value
        for each in role.body.statements
    )


def _before(made: list[ast.Statement], role: ast.InThreads) -> int | None:
    """Where the role of the same predicate is that a role goes on with."""
    changed, used = set[str](), set[str]()
    for place in range(len(made) - 1, -1, -1):
        statement = made[place]
        if isinstance(statement, ast.InThreads) and statement.asynchronous:
            if statement.predicate == role.predicate:
                body = statement.body
                meets = changed & names_in(body) or used & assigned_in(body)
                return None if meets else place
        elif _is_of_each_role(statement):
            changed |= assigned_in(statement)
            used |= names_in(statement)
        elif not (isinstance(statement, ast.EventDecl) or _is_empty_buffer(statement)):
            return None
    return None
