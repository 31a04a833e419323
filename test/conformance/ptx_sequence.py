"""The instructions of PTX text that matter for synchronisation, in one spelling.

Two code generators write the same instruction in different ways: with or without
defaults (`.release.cta`), in an older or a newer name (`bar.sync`), with a result or
with `_`. `instruction_sequence` reduces each to one spelling, without registers, so
that sequences can be compared.
"""

from __future__ import annotations

import re
from collections import Counter

FAMILIES = (
    "mbarrier.",
    "cp.async.",
    "cp.reduce.async.",
    "wgmma.",
    "fence.",
    "membar.",
    "bar.",
    "barrier.",
    "setmaxnreg.",
    "griddepcontrol.",
)
"""The instructions that are kept, by the beginning of their name."""

SCOPES = {"cta": "cta", "gl": "gpu", "sys": "sys"}
"""The scopes of `membar`, which is `fence.sc` in an older name."""

DEFAULTS = (
    ("mbarrier.arrive", ".release.cta"),
    ("mbarrier.arrive_drop", ".release.cta"),
    ("mbarrier.test_wait", ".acquire.cta"),
    ("mbarrier.try_wait", ".acquire.cta"),
    ("mbarrier.expect_tx", ".relaxed.cta"),
    ("mbarrier.complete_tx", ".relaxed.cta"),
    ("barrier.cluster.arrive", ".release"),
    ("barrier.cluster.wait", ".acquire"),
)
"""Modifiers that mean the same when they are left out."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CONSTANT = re.compile(r"mov\.[bsu](?:16|32|64)\s+(%\w+)\s*,\s*(-?\w+)")
_WRITTEN = re.compile(r"(?!(?:bar|barrier|nanosleep)\.)[\w.:]+\s+\{?\s*(%\w+)")


def instruction_sequence(ptx: str) -> list[str]:
    """The barrier, TMA, wgmma, fence and register-budget instructions, in order.

    Each is its name in one spelling and its integer operands. A register that is
    written once, by a `mov` of an integer, counts as that integer; other registers
    and addresses are left out.
    """
    sequence: list[str] = []
    for function in re.split(r"(?=\.(?:entry|func)\b)", ptx):
        statements = _statements(function)
        constants = _constants(statements)
        for statement in statements:
            name, _, rest = statement.partition(" ")
            if not name.startswith(FAMILIES):
                continue
            name = canonical_name(name)
            sequence.append(" ".join([name, *_integers(name, rest, constants)]))
    return sequence


def _statements(ptx: str) -> list[str]:
    """The statements of a module, without predicates, labels and directives."""
    statements: list[str] = []
    for part in _COMMENT.sub(" ", ptx).split(";"):
        # What comes before the statement: labels, blocks, directives to a line's end.
        text = re.sub(r"(?m)^\s*\.(?!reg|param)\w[^\n]*$", " ", part)
        text = re.sub(r"^(?:\s|[{}]|\$?\w+:(?!:))+", "", text)
        text = re.sub(r"^@!?%?\w+\s+", "", text)
        text = re.sub(r"\s+", " ", text).strip()
        if text and not text.startswith("."):
            statements.append(text)
    return statements


def _constants(statements: list[str]) -> dict[str, str]:
    """The registers that only ever hold one integer."""
    written = Counter(
        match[1] for s in statements if (match := _WRITTEN.match(s)) is not None
    )
    found: dict[str, str] = {}
    for statement in statements:
        match = _CONSTANT.fullmatch(statement)
        if match is None or written[match[1]] != 1:
            continue
        if (value := _integer(match[2])) is not None:
            found[match[1]] = value
    return found


def _integer(text: str) -> str | None:
    try:
        return str(int(text, 0))
    except ValueError:
        return None


def canonical_name(name: str) -> str:
    """The one spelling of an instruction's name with its modifiers."""
    if name.startswith("membar."):
        return f"fence.sc.{SCOPES[name.removeprefix('membar.')]}"
    if name.startswith("bar.") and not name.startswith("bar.warp."):
        name = _canonical_barrier(name)
    name = name.replace("barrier.cta.", "barrier.")
    name = re.sub(r"\.shared(?!::)", ".shared::cta", name)
    name = re.sub(r"\.tile(?=\.|$)", "", name)
    for prefix, default in DEFAULTS:
        if name == prefix or name.startswith(f"{prefix}."):
            name = re.sub(rf"{re.escape(default)}(?=\.|$)", "", name)
    return name


def _canonical_barrier(name: str) -> str:
    """`bar.sync` is `barrier.sync.aligned`, and so on."""
    parts = name.removeprefix("bar.").split(".")
    if parts[0] == "cta":
        parts = parts[1:]
    return ".".join(["barrier", parts[0], "aligned", *parts[1:]])


def _integers(name: str, operands: str, constants: dict[str, str]) -> list[str]:
    """The integer operands, without those that are defaults."""
    without_addresses = re.sub(r"\[[^]]*\]|\{[^}]*\}", "_", operands)
    values = [constants.get(o.strip(), o.strip()) for o in without_addresses.split(",")]
    if name.startswith("wgmma.mma_async"):
        # Accumulators, A, B and the scale of D are not immediates.
        values = values[4:]
    found = [value for v in values if (value := _integer(v)) is not None]
    arrive = re.match(r"mbarrier\.arrive(_drop)?(?!\.expect_tx|\.noComplete)", name)
    if arrive is not None and found == ["1"]:
        return []
    return found
