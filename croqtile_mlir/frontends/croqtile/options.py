"""What the command line, or a caller, adds to a source file."""

from __future__ import annotations

from dataclasses import dataclass


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
