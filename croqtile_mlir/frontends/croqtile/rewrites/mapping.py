"""Changing nodes wherever they stand in a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from croqtile_mlir.frontends.croqtile import ast

Change = Callable[[ast.Node], ast.Node | None]
"""What takes the place of a node; None to look inside it."""

NodeT = TypeVar("NodeT", bound=ast.Node)


def mapped(node: NodeT, change: Change) -> NodeT:
    """
    A tree in which `change` was asked about all nodes below a node, outermost first.

    Parts that stay are the same objects.
    """
    changed: dict[str, Any] = {}
    for each in fields(node):
        old: object = getattr(node, each.name)
        new = _value(old, change)
        if new is not old:
            changed[each.name] = new
    return replace(node, **changed) if changed else node


def _value(value: object, change: Change) -> object:
    if isinstance(value, ast.Node):
        new = change(value)
        return mapped(value, change) if new is None else new
    if isinstance(value, tuple):
        return _tuple(cast("tuple[object, ...]", value), change)
    return value


def _tuple(values: tuple[object, ...], change: Change) -> tuple[object, ...]:
    new = tuple(_value(each, change) for each in values)
    if all(a is b for a, b in zip(new, values, strict=True)):
        return values
    return new
