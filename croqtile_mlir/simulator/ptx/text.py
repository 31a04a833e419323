"""
PTX text to instructions: the subset that `-t ptx` prints, one entry of a module.

Only syntax is read here, from the text alone, so that a slip of the printer shows as a
wrong result or an error of this parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from croqtile_mlir.diagnostics import fail


@dataclass(frozen=True)
class Address:
    """`[base+offset]`, or `[base, {coordinates}]` of a tensor."""

    base: str
    offset: int = 0
    coordinates: tuple[str, ...] = ()


Operand = str | Address | tuple[str, ...]
"""A register, number, symbol or label; an address; `{..}`."""


@dataclass(frozen=True)
class Instruction:
    """One instruction: `@!%p1 ld.global.b32 %r1, [%rd1+4];`."""

    line: int
    """In the text, from 1."""

    opcode: tuple[str, ...]
    """Split at dots: `("ld", "global", "b32")`."""

    operands: tuple[Operand, ...]
    guard: str | None = None
    negated: bool = False

    @property
    def name(self) -> str:
        """The first part of the opcode."""
        return self.opcode[0]

    @property
    def type(self) -> str:
        """The last part of the opcode."""
        return self.opcode[-1]

    def register(self, index: int) -> str:
        """An operand that is a register, number or name."""
        operand = self.operands[index]
        if not isinstance(operand, str):
            self.refuse(f"operand {index} must be a register or a number")
        return operand

    def registers(self, index: int) -> tuple[str, ...]:
        """An operand that is `{..}`, or one register."""
        operand = self.operands[index]
        if isinstance(operand, Address):
            self.refuse(f"operand {index} must be registers, got an address")
        return (operand,) if isinstance(operand, str) else operand

    def address(self, index: int) -> Address:
        """An operand that is an address."""
        operand = self.operands[index]
        if not isinstance(operand, Address):
            self.refuse(f"operand {index} must be an address")
        return operand

    def refuse(self, why: str) -> NoReturn:
        """A located error: the interpreter does not know this."""
        fail(None, f"PTX line {self.line}: {'.'.join(self.opcode)}: {why}")


@dataclass(frozen=True)
class Entry:
    """One kernel."""

    name: str
    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int]
    """The instruction that follows each label."""

    registers: Mapping[str, tuple[str, int]]
    """By prefix (`%rd`): type and number."""

    parameters: tuple[str, ...]
    """Their names, in order."""

    cluster: tuple[int, int, int] = (1, 1, 1)
    """The blocks of a cluster along x, y and z, with `.explicitcluster`."""

    local: Mapping[str, int] = field(default_factory=dict[str, int])
    """Where in the local memory of a thread each array is."""

    local_bytes: int = 0

    @cached_property
    def run_ends(self) -> tuple[int, ...]:
        """Of each instruction, the next one with a label, or the end."""
        starts = set(self.labels.values())
        ends: list[int] = []
        end = len(self.instructions)
        for at in reversed(range(end)):
            ends.append(end)
            if at in starts:
                end = at
        return tuple(reversed(ends))


_ENTRY = re.compile(r"\.visible \.entry (?P<name>[\w$]+)\((?P<params>[^)]*)\)")
_REGISTERS = re.compile(r"\.reg \.(\w+) (%\w+?)<(\d+)>")
_LOCAL = re.compile(r"\.local \.align (\d+) \.b8 ([\w$]+)\[(\d+)\]")
_CLUSTER = re.compile(r"\.reqnctapercluster\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?")
_PARAMETER = re.compile(r"\.param [^,]*?([\w$]+)(?:\[\d+\])?\s*(?:,|$)")


def parse(text: str) -> Entry:
    """The entry of a module with one kernel; an error names the line."""
    header = _ENTRY.search(text)
    if header is None:
        fail(None, "the PTX text must have an entry, found none")
    start = text.index("{", header.end())
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    registers: dict[str, tuple[str, int]] = {}
    local: dict[str, int] = {}
    local_bytes = 0
    first = text.count("\n", 0, start) + 1
    body = text[start + 1 : text.rindex("}")]
    for number, raw in enumerate(body.split("\n"), start=first):
        line = raw.split("//")[0].strip()
        if line.startswith(".loc "):
            continue
        for statement in _statements(line):
            if statement.endswith(":"):
                labels[statement[:-1]] = len(instructions)
            elif declared := _REGISTERS.match(statement):
                kind, prefix, count = declared.groups()
                registers[prefix] = (kind, int(count))
            elif array := _LOCAL.match(statement):
                align, name, size = int(array[1]), array[2], int(array[3])
                local[name] = -(-local_bytes // align) * align
                local_bytes = local[name] + size
            else:
                instructions.append(_instruction(statement, number))
    parameters = _PARAMETER.findall(header["params"].replace("\n", " "))
    return Entry(
        header["name"],
        tuple(instructions),
        labels,
        registers,
        tuple(parameters),
        _cluster(text[header.end() : start]),
        local,
        local_bytes,
    )


def _cluster(directives: str) -> tuple[int, int, int]:
    """The cluster that the directives of an entry ask for."""
    stated = _CLUSTER.search(directives)
    if (stated is None) != (".explicitcluster" not in directives):
        fail(
            None,
            "the PTX entry must have both .explicitcluster and .reqnctapercluster, or "
            "neither",
        )
    if stated is None:
        return 1, 1, 1
    x, y, z = (int(extent or 1) for extent in stated.groups())
    return x, y, z


def _statements(line: str) -> list[str]:
    """What stands on a line: labels and statements without their semicolon."""
    found: list[str] = []
    for part in line.split(";"):
        part = part.strip()
        while match := re.match(r"(\$?[\w$]+:)\s*", part):
            found.append(match[1])
            part = part[match.end() :]
        if part:
            found.append(part)
    return found


def _instruction(statement: str, line: int) -> Instruction:
    guard, negated = None, False
    if statement.startswith("@"):
        condition, statement = statement[1:].split(None, 1)
        negated = condition.startswith("!")
        guard = condition.lstrip("!")
    opcode, _, rest = statement.partition(" ")
    operands = tuple(_operand(text) for text in _split(rest))
    return Instruction(line, tuple(opcode.split(".")), operands, guard, negated)


def _split(text: str) -> list[str]:
    """Operands: split at the commas outside of brackets."""
    parts: list[str] = []
    depth, current = 0, ""
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if current.strip():
        parts.append(current.strip())
    return parts


def _operand(text: str) -> Operand:
    if text.startswith("{"):
        return tuple(part.strip() for part in text[1:-1].split(","))
    if not text.startswith("["):
        return text
    inside = text[1:-1]
    base, *more = _split(inside)
    if more:
        return Address(
            base, 0, tuple(p.strip() for p in more[0].strip("{}").split(","))
        )
    name, plus, offset = base.partition("+")
    return Address(name.strip(), int(offset) if plus else 0)
