"""
Arrays of buffers with one for each group: one buffer with the rows of all.

    shared f16 [64, 128] out_s[2];        shared f16 [2 * 64, 128] out_s;
    .. out_s[wg - 1] ..              ->   .. out_s.subspan(64, 128).at(wg - 1, 0) ..

An accumulator is that of all groups together, and so is what it is stored to. Only
shared arrays of matrices change whose every index is about groups alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.walking import names_in, walk
from croqtile_mlir.frontends.croqtile.rewrites.mapping import mapped

_GROUPS = (ast.LevelKind.Warpgroup, ast.LevelKind.Warp)


@dataclass(frozen=True)
class _Array:
    rows: ast.Expr
    cols: ast.Expr
    length: ast.Expr


def join_group_arrays(block: ast.Block) -> ast.Block:
    """A block without arrays of buffers of groups."""
    nodes = list(walk(block))
    groups = frozenset(_group_names(nodes))
    if not groups:
        return block
    arrays = dict(_matrices(nodes))
    used: set[str] = set()
    for node in nodes:
        match node:
            case ast.Ref(name=name):
                used.add(name.text)
                if not _is_of_group(node, groups):
                    arrays.pop(name.text, None)
            case ast.Element(base=ast.Ref(name=name)):
                arrays.pop(name.text, None)
            case _:
                pass
    joined = {name: array for name, array in arrays.items() if name in used}
    return mapped(block, _Joining(joined).change) if joined else block


def _group_names(nodes: Iterable[ast.Node]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.ParallelAxis(name=name, names=names, level=ast.Level(kind=kind)):
                if kind in _GROUPS:
                    yield from (each.text for each in names)
                    if name is not None:
                        yield name.text
            case _:
                pass


def _matrices(nodes: Iterable[ast.Node]) -> Iterator[tuple[str, _Array]]:
    """Shared arrays of one length, whose buffers have two extents."""
    for node in nodes:
        match node:
            case ast.BufferDecl(storage=ast.Storage.Shared, extents=(rows, cols)):
                if isinstance(rows, ast.Whole) or isinstance(cols, ast.Whole):
                    continue
                for item in node.items:
                    if len(item.array) == 1 and item.fill is None:
                        yield item.name.text, _Array(rows, cols, item.array[0])
            case _:
                pass


def _is_of_group(ref: ast.Ref, groups: frozenset[str]) -> bool:
    """Whether a buffer of an array is named by groups alone."""
    if len(ref.subscripts) != 1 or ref.member is not None:
        return False
    names = names_in(ref.subscripts[0])
    return bool(names) and names <= groups


@dataclass(frozen=True)
class _Joining:
    arrays: dict[str, _Array]

    def change(self, node: ast.Node) -> ast.Node | None:
        """What stands for a node when arrays are joined."""
        match node:
            case ast.Block(statements=statements):
                split = [
                    part for statement in statements for part in self._split(statement)
                ]
                if len(split) == len(statements):
                    return None
                return mapped(replace(node, statements=tuple(split)), self.change)
            case ast.BufferDecl(items=(item,)) if item.name.text in self.arrays:
                return self._declared(node, item)
            case ast.View(base=base) if base.name.text in self.arrays:
                part = self._part(base)
                rest = mapped(node, self.change)
                return replace(
                    part, span=node.span, operations=part.operations + rest.operations
                )
            case ast.Ref() if node.name.text in self.arrays:
                return self._part(node)
            case _:
                return None

    def _split(self, statement: ast.Statement) -> list[ast.Statement]:
        """The declaration of each joined array on its own."""
        if not isinstance(statement, ast.BufferDecl) or len(statement.items) == 1:
            return [statement]
        if not any(item.name.text in self.arrays for item in statement.items):
            return [statement]
        return [replace(statement, items=(item,)) for item in statement.items]

    def _declared(self, node: ast.BufferDecl, item: ast.BufferItem) -> ast.BufferDecl:
        array = self.arrays[item.name.text]
        rows = ast.Binary(item.span, "*", array.length, array.rows)
        return replace(
            node, extents=(rows, array.cols), items=(replace(item, array=()),)
        )

    def _part(self, ref: ast.Ref) -> ast.View:
        array, place = self.arrays[ref.name.text], ref.span
        step = ast.Subspan(
            place,
            (array.rows, array.cols),
            indices=(ref.subscripts[0], ast.IntLiteral(place, 0)),
        )
        return ast.View(place, replace(ref, subscripts=()), (step,))
