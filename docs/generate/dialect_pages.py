"""A page for each dialect, from the definitions of its ops."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

DIALECTS: Mapping[str, tuple[str, str]] = {
    "croq": ("croqtile_mlir.dialects.croq", "Croq"),
    "nvvm": ("croqtile_mlir.dialects.nvvm", "NVVM"),
    "ptx": ("croqtile_mlir.dialects.ptx", "PTX"),
}
"""Module and name of each dialect."""


def dialect_pages() -> dict[str, str]:
    """Pages by their path in the site."""
    pages: dict[str, str] = {}
    lines = ["# Dialects", "", "| dialect | |", "|---|---|"]
    for name, (module_name, attribute) in DIALECTS.items():
        module = import_module(module_name)
        dialect: Dialect = getattr(module, attribute)
        text = _doc(module)
        pages[f"dialects/{name}.md"] = "\n".join(_page(name, text, dialect)) + "\n"
        first = " ".join(text.split("\n\n")[0].split())
        lines.append(f"| [{name}]({name}.md) | {first} |")
    lines += [
        "",
        "Ops of `builtin`, `arith`, `scf`, `cf`, `gpu` and `llvm` are used, too;",
        "[levels](../levels.md) says where they stand.",
        "",
    ]
    return {"dialects/index.md": "\n".join(lines), **pages}


def _page(name: str, text: str, dialect: Dialect) -> Iterator[str]:
    yield f"# The `{name}` dialect"
    yield ""
    yield text
    yield ""
    families: dict[str, list[type[Any]]] = {}
    for op in dialect.operations:
        families.setdefault(op.__module__, []).append(op)
    for module_name, ops in families.items():
        yield f"## {module_name.rpartition('.')[2].replace('_', ' ')}"
        yield ""
        family = _doc(import_module(module_name))
        if family:
            yield family
            yield ""
        for op in sorted(ops, key=lambda each: each.name):
            yield from _op(op)
    types = [*dialect.attributes]
    if types:
        yield "## Types and attributes"
        yield ""
        for attribute in sorted(types, key=lambda each: each.name):
            yield f"### `{attribute.name}`"
            yield ""
            yield _doc(attribute)
            yield ""


def _op(op: type[Any]) -> Iterator[str]:
    yield f"### `{op.name}`"
    yield ""
    yield _doc(op)
    yield ""
    if not issubclass(op, IRDLOperation):
        return
    definition = op.get_irdl_definition()
    rows = [
        *(("operand", name, part) for name, part in definition.operands),
        *(("property", name, part) for name, part in definition.properties.items()),
        *(("attribute", name, part) for name, part in definition.attributes.items()),
        *(("region", name, part) for name, part in definition.regions),
        *(("result", name, part) for name, part in definition.results),
    ]
    rows = [row for row in rows if not row[1].endswith("SegmentSizes")]
    if rows:
        yield "| | name | |"
        yield "|---|---|---|"
        for kind, name, part in rows:
            yield f"| {kind} | `{name}` | {_how_many(part)} |"
        yield ""
    syntax = getattr(op, "assembly_format", None)
    if isinstance(syntax, str):
        yield "Syntax:"
        yield ""
        yield "```"
        yield " ".join(syntax.split())
        yield "```"
        yield ""


def _how_many(part: object) -> str:
    name = type(part).__name__
    if name.startswith("Opt"):
        return "optional"
    return "any number" if name.startswith("Var") else "one"


def _doc(what: object) -> str:
    """The docstring; inherited ones say nothing of an op."""
    text = getattr(what, "__doc__", None)
    return inspect.cleandoc(text) if text else ""
