"""
The `mma.commit` that a function does not say: products are complete before what could
meet them.

Products run on behind statements of their kind, and behind loops of nothing else. Any
other statement (a trigger, a wait, a store, a copy, ..), the end of a loop that has
such a statement, and the end of a role come after their completion. Where the function
says `mma.commit` in time, nothing is added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.rewrites.blocks import (
    blocks_of,
    statements_in,
    with_blocks,
)


def close_products(block: ast.Block) -> ast.Block:
    """A block in which every product is followed by its commit."""
    accumulators = frozenset(
        statement.accumulator.name.text
        for statement in statements_in(block)
        if isinstance(statement, ast.MmaExec)
    )
    if not accumulators:
        return block
    return _Closing(accumulators).whole(block)


@dataclass(frozen=True)
class _Closing:
    accumulators: frozenset[str]

    def whole(self, block: ast.Block) -> ast.Block:
        """A block at whose end no product is open."""
        made: list[ast.Statement] = []
        # The last product of each accumulator that has open ones.
        opened: dict[str, ast.MmaExec] = {}
        for statement in block.statements:
            if self._runs_beside(statement, frozenset(opened)):
                opened.update(_products(statement))
                made.append(statement)
                continue
            match statement:
                case ast.MmaCommit() | ast.MmaWait(depth=0):
                    opened.clear()
                case ast.MmaWait():
                    # It completes what it says, and leaves the rest in flight.
                    pass
                case _:
                    made.extend(_commit(opened))
            made.append(with_blocks(statement, self.whole))
        made.extend(_commit(opened))
        if len(made) == len(block.statements) and all(
            new is old for new, old in zip(made, block.statements, strict=True)
        ):
            return block
        return replace(block, statements=tuple(made))

    def _runs_beside(self, statement: ast.Statement, opened: frozenset[str]) -> bool:
        """
        Whether products may stay in flight beside a statement, or are started by it.

        `opened` are the accumulators that have some.
        """
        match statement:
            case ast.MmaExec() | ast.MmaLoad():
                return True
            case ast.MmaFill(name=ast.Name(text=text)):
                return text not in opened
            case ast.MmaFill(target=ast.Ref(name=name)):
                return name.text not in opened
            case ast.ShapeDecl() | ast.TupleDecl() | ast.ScalarDecl():
                return True
            case ast.Assign(target=ast.Name(text=text)):
                return text not in self.accumulators
            case ast.Foreach() | ast.With():
                return all(
                    self._runs_beside(inner, self.accumulators)
                    for block in blocks_of(statement)
                    for inner in block.statements
                )
            case _:
                return False


def _commit(opened: dict[str, ast.MmaExec]) -> list[ast.Statement]:
    """The commit of all that is open, which is closed then."""
    if not opened:
        return []
    last = max(opened.values(), key=lambda product: product.span.start)
    opened.clear()
    return [ast.MmaCommit(last.span)]


def _products(statement: ast.Statement) -> dict[str, ast.MmaExec]:
    """The last product of each accumulator; not those that a name waits for."""
    if isinstance(statement, ast.MmaExec):
        if statement.asynchronous:
            return {}
        return {statement.accumulator.name.text: statement}
    found: dict[str, ast.MmaExec] = {}
    for block in blocks_of(statement):
        for inner in block.statements:
            found.update(_products(inner))
    return found
