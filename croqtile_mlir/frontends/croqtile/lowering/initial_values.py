"""
Results that are read before they are written.

Their elements have no values in the language; they start at zero here, and the user is
told (`implicit-zero-init`).
"""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.walking import children, walk
from croqtile_mlir.frontends.croqtile.reporting import Kind


def of(l: Lowering) -> dict[str, float]:
    """Global buffers whose first access may read them, with their first value."""
    found: dict[str, float] = {}
    for node in l.function.body.statements:
        if not isinstance(node, ast.BufferDecl):
            continue
        if node.storage not in (None, ast.Storage.Global):
            continue
        for item in node.items:
            if item.fill is not None:
                continue
            read = _first_read(l.function.body, item.name.text)
            if read is None:
                continue
            notes = [(read.span, "it is read here before anything is stored")]
            if l.options.strict_init:
                l.reporter.error(
                    Kind.UninitialisedAccumulate,
                    item.name.span,
                    f"{item.name} must have values before it is read",
                    hint=f"declare it with a value: {item.name}{{0}}",
                    notes=notes,
                )
                continue
            l.reporter.remark(
                Kind.ImplicitZeroInit,
                item.name.span,
                f"elements of {item.name} start at zero",
                notes=notes,
            )
            found[item.name.text] = 0
    return found


def _first_read(node: ast.Node, name: str) -> ast.Node | None:
    """The first access in the order of the text, if it may be a read."""
    for each, reads in _accesses(node, name):
        return each if reads else None
    return None


def _accesses(node: ast.Node, name: str) -> list[tuple[ast.Node, bool]]:
    found: list[tuple[ast.Node, bool]] = []
    match node:
        case ast.Assign(target=ast.Element(base=base) as target):
            for child in (*target.indices, node.value):
                found += _accesses(child, name)
            if base.name.text == name:
                found.append((target, node.operator is not None))
            return found
        case ast.Atomic(args=args):
            for child in args:
                for each in walk(child):
                    if isinstance(each, ast.Element) and each.base.name.text == name:
                        found.append((node, True))
            return found
        case ast.Element(base=base) if base.name.text == name:
            return [(node, True)]
        case ast.Copy():
            if _root(node.source) == name:
                found.append((node.source, True))
            if _root(node.destination) == name:
                found.append((node.destination, False))
            return found
        case ast.MmaStore():
            if _root(node.destination) == name:
                found.append((node.destination, False))
            return found
        case ast.MmaLoad():
            return [(node, True)] if _root(node.source) == name else []
        case _:
            for child in children(node):
                found += _accesses(child, name)
            return found


def _root(node: ast.Node) -> str | None:
    match node:
        case ast.Ref(name=name):
            return name.text
        case ast.View(base=base):
            return base.name.text
        case _:
            return None
