"""What the command line, or a caller, adds to a source file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn, cast


@dataclass(frozen=True)
class FrontendOptions:
    """Options of the Croqtile front end; hashable, as they are part of cache keys."""

    defines: tuple[tuple[str, str], ...] = ()
    """`-DNAME=value`: macros that override the file's."""
    params: tuple[tuple[str, int | None], ...] = ()
    """`--param NAME[=v]`: names that become parameters of the kernel, and defaults."""
    strict_names: bool = False
    """A name that is defined nowhere is an error rather than a parameter."""
    strict_init: bool = False
    """A result that is read before it is written is an error rather than zero."""


DEFAULT_OPTIONS = FrontendOptions()


def parse_defines(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """
    The macros of `-D` options: `NAME=value`, or `NAME`, which is 1.

    Raises:
        CompileError: for what is none.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not _is_name(name):
            _refuse(f"-D must be like NAME=value, got '{text}'")
        found[name] = value if equals else "1"
    return tuple(sorted(found.items()))


def parse_params(given: Iterable[str]) -> tuple[tuple[str, int | None], ...]:
    """
    The parameters of `--param` options: `NAME=3,OTHER`.

    Raises:
        CompileError: for what is none.
    """
    found: dict[str, int | None] = {}
    for text in given:
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not _is_name(name) or (equals and not value.isdecimal()):
                _refuse(f"--param must be like NAME or NAME=3, got '{part}'")
            found[name] = int(value) if equals else None
    return tuple(found.items())


def checked_defines(values: object) -> tuple[tuple[str, str], ...]:
    """
    The macros of a mapping: texts, and integers as their digits; True is 1.

    Raises:
        CompileError: for a name that is no identifier, or a value of another type.
    """
    if not isinstance(values, Mapping):
        _refuse(f"defines must map names to values, got {values!r}")
    found: dict[str, str] = {}
    for name, value in cast("Mapping[object, object]", values).items():
        if not isinstance(name, str) or not _is_name(name):
            _refuse(f"the name of a macro must be an identifier, got {name!r}")
        if isinstance(value, str):
            found[name] = value
        elif isinstance(value, int):
            found[name] = str(int(value))
        else:
            _refuse(f"macro {name} must be a text or an integer, got {value!r}")
    return tuple(sorted(found.items()))


def _is_name(name: str) -> bool:
    return name.isidentifier() and name.isascii()


def _refuse(rule: str) -> NoReturn:
    from croqtile_mlir.diagnostics import fail

    fail(None, rule)
