"""How tightly operators bind, here and in C."""

from __future__ import annotations

_TIGHTEST_FIRST = (
    ("#",),
    ("&", "^", "|"),
    ("#*", "#/", "#%"),
    ("#+", "#-"),
    ("*", "/", "%"),
    ("+", "-"),
    ("<<", ">>"),
    ("<", ">", "<=", ">="),
    ("==", "!="),
    ("&&",),
    ("||",),
)

LEVELS = {
    sign: len(_TIGHTEST_FIRST) - number
    for number, signs in enumerate(_TIGHTEST_FIRST)
    for sign in signs
}
"""Binary operators, all left-associative; a larger number binds tighter."""

LOOSEST = 1
ADDITIVE = LEVELS["+"]
BITWISE = LEVELS["&"]
"""The loosest operators inside the operand of `!`."""

_C = {"&": 3, "^": 2, "|": 1}
_C_TIGHTER = frozenset(
    {"!", "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!="}
)
"""Operators that bind tighter in C than any of `& ^ |`, and looser here."""


def c_groups_otherwise(outer: str, inner: str) -> bool:
    """Whether C would not read an `inner` without parentheses as part of an `outer`."""
    if inner not in _C:
        return False
    return outer in _C_TIGHTER or _C.get(outer, 0) > _C[inner]
