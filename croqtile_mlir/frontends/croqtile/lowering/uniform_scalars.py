"""
Scalars beside what threads do together that are the same in all of them.

`mutable int k = 0; while (k < n) { dma.copy x.chunkat(k) => s; k++; }` in a parallel of
threads: the copy is made by all of them together, so that its index is a value of their
scope. That is right where no value that a scalar is given, and no condition under which
it is, differs between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    assigned_in,
    children,
    declared_in,
    is_collective,
    names_in,
    walk,
)


def uniform_names(nodes: Sequence[ast.Statement], differing: set[str]) -> set[str]:
    """
    The scalars that statements declare, and that what threads do together mentions,
    whose values never differ; `differing` are names from around that do.
    """
    declared = declared_in(nodes) - _declared_twice(nodes)
    if not declared:
        return set()
    mentioned: set[str] = set()
    for node in nodes:
        if is_collective(node):
            mentioned |= names_in(node)
    wanted = declared & mentioned
    if not wanted:
        return wanted
    varying = set(differing)
    before = -1
    while before != len(varying):
        before = len(varying)
        for node in nodes:
            _spread(node, varying, parted=False)
    return wanted - varying


def _declared_twice(nodes: Iterable[ast.Statement]) -> set[str]:
    """Names that blocks inside declare as well: they are other scalars there."""
    found: set[str] = set()
    for node in nodes:
        for inner in walk(node):
            if isinstance(inner, ast.Block):
                for each in inner.statements:
                    if isinstance(each, ast.ScalarDecl | ast.BufferDecl):
                        found.update(item.name.text for item in each.items)
    return found


def _spread(node: ast.Node, varying: set[str], *, parted: bool) -> None:
    """Add names that a node gives values which differ; `parted`: all values."""
    match node:
        case ast.Assign() | ast.ScalarDecl():
            # A statement is of each thread, or of their scope, with all that it does.
            if parted or _differs(node, varying):
                varying |= assigned_in(node) | declared_in([node])
        case ast.Increment(name=name) if parted:
            varying.add(name.text)
        case ast.If(condition=condition):
            parted = parted or _differs(condition, varying)
        case ast.Conditional(condition=condition):
            parted = parted or _differs(condition, varying)
        case ast.Binary(operator="&&" | "||", left=left):
            parted = parted or _differs(left, varying)
        case ast.While(condition=condition):
            parted = parted or _differs(condition, varying) or _parts(node, varying)
        case ast.Foreach(axes=axes):
            bounds = any(_differs(axis, varying) for axis in axes)
            parted = parted or bounds or _parts(node, varying)
        case ast.Parallel():
            parted = True
        case ast.InThreads(asynchronous=False):
            parted = True
        case _:
            pass
    for child in children(node):
        _spread(child, varying, parted=parted)


def _differs(node: ast.Node, varying: set[str]) -> bool:
    """Whether an expression may differ between threads: elements may."""
    return any(
        isinstance(each, ast.Element | ast.Atomic)
        or (isinstance(each, ast.Name) and each.text in varying)
        for each in walk(node)
    )


def _parts(loop: ast.While | ast.Foreach, varying: set[str]) -> bool:
    """Whether threads leave a loop, or its iterations, at different places."""
    return any(
        isinstance(each, ast.If)
        and _differs(each.condition, varying)
        and any(isinstance(inner, ast.Break | ast.Continue) for inner in walk(each))
        for each in walk(loop.body)
    )
