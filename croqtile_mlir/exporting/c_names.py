"""Names and types of C for what a launch plan names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_KEYWORDS = frozenset(
    """
    alignas alignof and asm auto bitand bitor bool break case catch char class compl
    concept const constexpr continue decltype default delete do double else enum
    explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not nullptr operator or private protected public register
    requires restrict return short signed sizeof static struct switch template this
    throw true try typedef typeid typename typeof union unsigned using virtual void
    volatile wchar_t while xor
    """.split()
)
"""Of C and C++."""

SCALAR_TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "f16": ("uint16_t", "the bits of an f16"),
        "bf16": ("uint16_t", "the bits of a bf16"),
        "f32": ("float", "f32"),
        "f64": ("double", "f64"),
        "f8E4M3FN": ("uint8_t", "the bits of an f8E4M3FN"),
        "f8E5M2": ("uint8_t", "the bits of an f8E5M2"),
        "i1": ("uint8_t", "i1: 0 or 1"),
        "i8": ("int8_t", "i8"),
        "i16": ("int16_t", "i16"),
        "i32": ("int32_t", "i32"),
        "i64": ("int64_t", "i64"),
    }
)
"""The C type of a scalar argument, and what to say of it."""


def c_name(name: str) -> str:
    """An identifier of C and C++ for any name."""
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not found or found[0].isdigit() or found in _KEYWORDS:
        found = f"{found}_" if found in _KEYWORDS else f"_{found}"
    return found


def c_names(wanted: Mapping[str, str]) -> dict[str, str]:
    """An identifier for each key, made from its value; all differ."""
    used, found = set[str](), dict[str, str]()
    for key, name in wanted.items():
        made = c_name(name)
        while made in used:
            made += "_"
        used.add(made)
        found[key] = made
    return found


def c_string(text: str) -> str:
    """A string literal, in ASCII."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    data = "".join(
        each if " " <= each <= "~" else "".join(f"\\{b:03o}" for b in each.encode())
        for each in escaped
    )
    return f'"{data}"'


def c_comment(text: str) -> str:
    """Text that may stand in a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")
