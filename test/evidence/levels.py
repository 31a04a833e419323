"""Kernels as modules of the two levels that mutants are made at."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from pipeline.lowering import parse, passes, run
from xdsl.dialects.builtin import ModuleOp

NOTHING: Mapping[str, int] = MappingProxyType({})


class Level(StrEnum):
    """Where a kernel is looked at."""

    TILE = "tile"
    """As written, with its parameters, layouts and engines chosen."""

    HARDWARE = "hardware"
    """After the whole lowering to `nvvm`."""


def pipeline_to(level: Level, params: Mapping[str, int] = NOTHING) -> str:
    """The passes to a level, without those that verify synchronisation."""
    last = {Level.TILE: "select-engines", Level.HARDWARE: "check-level{level=nvvm}"}
    names = list(passes())
    names = names[: names.index(last[level]) + 1]
    values = " ".join(f"{name}={value}" for name, value in params.items())
    return ",".join(
        f"{name}{{{values}}}" if name == "bind-params" and values else name
        for name in names
        if not name.startswith("verify-sync")
    )


def module_at(level: Level, text: str, params: Mapping[str, int] = NOTHING) -> ModuleOp:
    """The module of a kernel's text at a level."""
    module = parse(text)
    run(module, pipeline_to(level, params))
    return module
