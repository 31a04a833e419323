"""Questions about the tree alone: what is named, assigned, collective."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from typing import cast

from croqtile_mlir.frontends.croqtile import ast


def children(node: ast.Node) -> list[ast.Node]:
    """The nodes right below a node."""
    found: list[ast.Node] = []
    for name in _fields(type(node)):
        value: object = getattr(node, name)
        if isinstance(value, ast.Node):
            found.append(value)
        elif isinstance(value, tuple):
            _add_inside(cast("tuple[object, ...]", value), found)
    return found


def _add_inside(values: tuple[object, ...], found: list[ast.Node]) -> None:
    for value in values:
        if isinstance(value, ast.Node):
            found.append(value)
        elif isinstance(value, tuple):
            _add_inside(cast("tuple[object, ...]", value), found)


@lru_cache(maxsize=256)
def _fields(kind: type[ast.Node]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name != "span")


def walk(node: ast.Node) -> Iterator[ast.Node]:
    """A node and all below it, in the order of the text."""
    stack = [node]
    while stack:
        each = stack.pop()
        yield each
        stack += reversed(children(each))


def has_effect(node: ast.Node) -> bool:
    """Whether an expression changes something: `x++`, an atomic."""
    return any(isinstance(each, ast.Increment | ast.Atomic) for each in walk(node))


def names_in(node: ast.Node) -> set[str]:
    """All names that a node mentions."""
    return {each.text for each in walk(node) if isinstance(each, ast.Name)}


def assigned_in(node: ast.Node) -> set[str]:
    """Names whose value, or whose state, the statements of a node change."""
    found: set[str] = set()
    for each in walk(node):
        found.update(_written(each))
    return found


def _written(node: ast.Node) -> tuple[str, ...]:
    match node:
        case ast.Assign(target=ast.Name() as name):
            return (name.text,)
        case ast.Increment(name=name):
            return (name.text,)
        case ast.Copy(name=ast.Name() as name):
            return (name.text,)
        case ast.Rotate(names=names):
            return tuple(name.text for name in names)
        case (
            ast.MmaFill(name=name, target=target)
            | ast.MmaLoad(name=name, target=target)
        ):
            return tuple(
                n.text for n in (name, target and target.name) if n is not None
            )
        case ast.MmaExec(accumulator=ref, name=name):
            return (ref.name.text, *((name.text,) if name is not None else ()))
        case ast.MmaScale(accumulator=ref):
            return (ref.name.text,)
        case ast.FragmentReduce(target=ref) | ast.FragmentCopy(target=ref):
            return (ref.name.text,)
        case ast.FragmentAllReduce(target=ref):
            return (ref.name.text,)
        case _:
            return ()


def declared_in(nodes: Iterable[ast.Node]) -> set[str]:
    """Scalars and other names that statements declare, or give a value."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(target=ast.Name() as name):
                found.add(name.text)
            case ast.ScalarDecl(items=items) | ast.BufferDecl(items=items):
                found.update(item.name.text for item in items)
            case _:
                pass
    return found


_COLLECTIVE = (
    ast.Copy,
    ast.Placeholder,
    ast.Rotate,
    ast.Wait,
    ast.Trigger,
    ast.SyncStorage,
    ast.SyncBarrier,
    ast.MmaFill,
    ast.MmaLoad,
    ast.MmaExec,
    ast.MmaScale,
    ast.MmaStore,
    ast.MmaCommit,
    ast.MmaWait,
    ast.FragmentReduce,
    ast.FragmentAllReduce,
    ast.FragmentCopy,
    ast.Apply,
    ast.BufferDecl,
    ast.FragmentDecl,
    ast.EventDecl,
    ast.NamedBarrier,
    ast.Parallel,
    ast.InThreads,
)
"""What all threads of a scope execute together, or once for all of them."""


def is_collective(node: ast.Node) -> bool:
    """Whether a statement is, or has inside, one for all threads of a scope."""
    return any(
        isinstance(each, _COLLECTIVE) and not _is_local(each) for each in walk(node)
    )


def _is_local(node: ast.Node) -> bool:
    return isinstance(node, ast.BufferDecl) and node.storage is ast.Storage.Local


def exchanged_names(node: ast.Node) -> set[str]:
    """Names of futures that are exchanged, chosen between, or start as placeholders."""
    found: set[str] = set()
    for each in walk(node):
        match each:
            case ast.Rotate(names=names):
                found.update(name.text for name in names)
            case ast.Placeholder(name=name):
                found.add(name.text)
            case ast.Select(candidates=candidates):
                for candidate in candidates:
                    if isinstance(candidate, ast.Ref):
                        found.add(candidate.name.text)
            case _:
                pass
    return found
