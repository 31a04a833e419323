"""A page for each pass, from its docstring, its options and its lit test."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from croqtile_mlir.passes import get_all_passes
from croqtile_mlir.passes.pipelines import lowering_stages


def pass_pages(tests: Path) -> dict[str, str]:
    """Pages by their path in the site; `tests` is the folder of the lit tests."""
    factories = get_all_passes()
    pages = {
        f"passes/{name}.md": "\n".join(_page(name, make(), tests)) + "\n"
        for name, make in factories.items()
    }
    order = [text.split("{")[0] for stage in lowering_stages() for text in stage.passes]
    lowering = [name for name in dict.fromkeys(order) if name in factories]
    others = [name for name in factories if name not in lowering]
    lines = ["# Passes", "", "## The lowering, in its order", ""]
    lines += [_line(name, factories[name]()) for name in lowering]
    lines += ["", "## Schedules, pipelines and tools", ""]
    lines += [_line(name, factories[name]()) for name in others]
    lines += ["", "`cse` and other passes of xDSL can be used, too.", ""]
    return {"passes/index.md": "\n".join(lines), **pages}


def _line(name: str, kind: type[Any]) -> str:
    return f"- [`--{name}`]({name}.md): {_first_sentence(_doc(kind))}"


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    return paragraph


def _page(name: str, kind: type[Any], tests: Path) -> Iterator[str]:
    yield f"# `--{name}`"
    yield ""
    yield _doc(kind)
    yield ""
    module = inspect.cleandoc(sys.modules[kind.__module__].__doc__ or "")
    if module and not kind.__module__.endswith(".pipelines"):
        yield module
        yield ""
    options = [each for each in fields(kind) if each.init and each.name != "name"]
    if options:
        yield "| option | type | default |"
        yield "|---|---|---|"
        for each in options:
            default = "needed" if each.default is MISSING else f"`{each.default}`"
            shown = str(each.type).replace("|", "or")
            yield f"| `{each.name}` | {shown} | {default} |"
        yield ""
    for folder, title in (("passes", "Its test"), ("errors", "What it refuses")):
        for file in sorted((tests / folder).glob(f"{name}*.mlir")):
            if file.stem != name and file.stem in get_all_passes():
                continue
            yield f"## {title}"
            yield ""
            yield f"`test/{folder}/{file.name}`:"
            yield ""
            yield "```mlir"
            yield file.read_text(encoding="utf-8").rstrip()
            yield "```"
            yield ""


def _doc(kind: type[Any]) -> str:
    return inspect.cleandoc(kind.__doc__ or "")
