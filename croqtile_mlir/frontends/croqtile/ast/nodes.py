"""What every node of the AST has, and the nodes that all others are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from croqtile_mlir.frontends.croqtile.source import Span

ALIASES = {
    "f8": "f8_e4m3",
    "int": "s32",
    "half": "f16",
    "bfp16": "bf16",
    "float": "f32",
    "double": "f64",
}
"""Element type words that are other names of element types."""


class Storage(StrEnum):
    """Where a buffer is."""

    Global = "global"
    Shared = "shared"
    Local = "local"


class LevelKind(StrEnum):
    """A level of the parallel hierarchy."""

    Device = "device"
    Cluster = "cluster"
    Block = "block"
    Warpgroup = "group-4"
    Warp = "group"
    Thread = "thread"


class Engine(StrEnum):
    """What a copy is written with."""

    Dma = "dma"
    Tma = "tma"


class Major(StrEnum):
    """Which of an operand's dimensions is K: `row` the last, `col` the first."""

    Row = "row"
    Col = "col"


@dataclass(frozen=True, slots=True)
class Node:
    """
    A part of a program and its place in the original text.

    Nodes are equal when they say the same, wherever they stand.
    """

    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name at the place where it is written."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ElementType(Node):
    """An element type, `int` and `bool` included; `word` is as it is written."""

    word: str

    @property
    def name(self) -> str:
        """The word without aliases: `half` is `f16`."""
        return ALIASES.get(self.word, self.word)

    @property
    def is_immutable(self) -> bool:
        """Whether scalars declared with the word cannot be assigned again."""
        return self.word in ("int", "bool")


@dataclass(frozen=True, slots=True)
class Level(Node):
    """`: block`, `: device(name)`, `: block<cooperative>`."""

    kind: LevelKind
    device: Name | None = None
    cooperative: bool = False
