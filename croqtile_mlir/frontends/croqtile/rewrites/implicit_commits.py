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
        # The last product that is open, None where none is.
        product: ast.MmaExec | None = None
        for statement in block.statements:
            if self._runs_beside(statement):
                product = _last_product(statement, product)
                made.append(statement)
                continue
            # `mma.wait` completes what it says, and leaves the rest in flight.
            if isinstance(statement, ast.MmaWait):
                product = None if statement.depth == 0 else product
            elif not isinstance(statement, ast.MmaCommit) and product is not None:
                made.append(ast.MmaCommit(product.span))
                product = None
            elif isinstance(statement, ast.MmaCommit):
                product = None
            made.append(with_blocks(statement, self.whole))
        if product is not None:
            made.append(ast.MmaCommit(product.span))
        if len(made) == len(block.statements) and all(
            new is old for new, old in zip(made, block.statements, strict=True)
        ):
            return block
        return replace(block, statements=tuple(made))

    def _runs_beside(self, statement: ast.Statement) -> bool:
        """Whether products stay in flight beside a statement, or are started by it."""
        match statement:
            case ast.MmaExec() | ast.MmaLoad():
                return True
            case ast.MmaFill(name=name, target=target):
                refilled = (
                    name.text if name is not None else str(target and target.name)
                )
                return refilled not in self.accumulators
            case ast.ShapeDecl() | ast.TupleDecl() | ast.ScalarDecl():
                return True
            case ast.Assign(target=ast.Name(text=text)):
                return text not in self.accumulators
            case ast.Foreach() | ast.With():
                return all(
                    self._runs_beside(inner)
                    for block in blocks_of(statement)
                    for inner in block.statements
                )
            case _:
                return False


def _last_product(
    statement: ast.Statement, before: ast.MmaExec | None
) -> ast.MmaExec | None:
    if isinstance(statement, ast.MmaExec):
        return before if statement.asynchronous else statement
    for block in blocks_of(statement):
        for inner in block.statements:
            before = _last_product(inner, before)
    return before
