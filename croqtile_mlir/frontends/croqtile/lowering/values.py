"""What names and expressions of a program stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.croq import Space
from croqtile_mlir.dialects.croq.numbers import NumberAttr
from croqtile_mlir.frontends.croqtile.lowering.integers import Integer
from croqtile_mlir.frontends.croqtile.source import Span


@dataclass(frozen=True)
class Int:
    """An integer that is known as an expression; `bound` is its chunk factor."""

    value: Integer
    bound: Integer | None = None
    type: str = "s32"
    """What it counts as beside numbers that the kernel computes: s32 or u32."""


@dataclass(frozen=True)
class Scalar:
    """A number that the kernel computes; `type` is an element type word, or bool."""

    ssa: SSAValue
    type: str
    per_thread: bool = False


@dataclass(frozen=True)
class Literal:
    """A number of floating point, or a bool, that is written in the source."""

    value: float | bool
    type: str


@dataclass(frozen=True)
class Tuple:
    """An ituple, or a bounded ituple."""

    items: tuple[Int, ...]


@dataclass(frozen=True)
class Shape:
    """An mdspan."""

    dims: tuple[Integer, ...]


@dataclass(frozen=True)
class Tile:
    """A buffer, a part of one, or an array of them."""

    ssa: SSAValue
    """A croq tile; of an array of buffers with the lengths as leading dims."""
    shape: tuple[Integer, ...]
    """Without the leading dims of an array."""
    element: str
    space: Space
    array: tuple[Integer, ...] = ()
    root: Buffer | None = None
    """The buffer that it is a part of."""
    future: Future | None = None
    """The future whose buffer it is, all of it."""


@dataclass(eq=False)
class Buffer:
    """A declared buffer, or an argument."""

    name: str
    span: Span
    is_argument: bool = False
    initial: NumberAttr | None = None
    """The value that its elements start with, if they have one."""
    whole: bool = False
    """Whether the source says so, of all elements; else of those that are read."""


class FutureState(IntEnum):
    """What the copy of a future has come to; the larger of two is what may be."""

    Done = 0
    Pending = 1
    """It is in flight."""
    Placeholder = 2
    """There is none."""


@dataclass(eq=False)
class Future:
    """A future name. What it stands for changes: see `state` and `handle`."""

    name: str
    span: Span
    state: FutureState
    shape: tuple[Integer, ...] = ()
    element: str = ""
    space: Space = Space.Shared
    handle: SSAValue | None = None
    """Its croq future; None for one that is complete and never exchanged."""
    buffer: SSAValue | None = None
    """The destination, where there is no handle, and of a placeholder's first copy."""
    reassignable: bool = False
    """Whether it came from `dma.any`, and may be assigned again."""
    coupled: set[int] = field(default_factory=set[int])
    """Dims of which it has been said that indices do not reach their end."""
    is_used: bool = False
    """Whether something may have used what its copy has brought."""
    is_named_buffer: bool = False
    """Whether the destination is a buffer that the program declares."""


@dataclass(eq=False)
class Cell:
    """A mutable scalar; `ssa` is its value now, or `tile` where it is kept."""

    name: str
    type: str
    ssa: SSAValue | None
    tile: SSAValue | None = None
    """A tile with one element for each thread, for one that outlives its region."""
    per_thread: bool = False
    mutable: bool = True


@dataclass(eq=False)
class Bounded:
    """A variable of a parallel nest, `with` or `foreach`."""

    name: str
    bound: Integer
    value: Integer
    """What it reads as now: 0 outside the loop over it."""
    has_range: bool = True
    """Whether `foreach v(..)` may run over it; not over a parallel variable."""


@dataclass(eq=False)
class BoundedTuple:
    """A bounded ituple."""

    name: str
    parts: tuple[Bounded, ...]


@dataclass(eq=False)
class Poison:
    """What a refused declaration leaves: its uses say nothing more."""


@dataclass(eq=False)
class Extension:
    """A kind of value that another part of the front end adds: events, fragments."""

    name: str
    """What it is, for messages."""
    label: str | None = None
    """What the source calls it."""
    carried: list[SSAValue] = field(default_factory=list[SSAValue])
    """SSA values that stand for its state; loops and branches carry them."""


Value: TypeAlias = (
    Int
    | Scalar
    | Literal
    | Tuple
    | Shape
    | Tile
    | Future
    | Cell
    | Bounded
    | BoundedTuple
    | Poison
    | Extension
)


def kind_of(value: Value) -> str:
    """What a value is, for messages."""
    match value:
        case Int():
            return "an integer"
        case Scalar() | Cell():
            return f"a scalar of type {value.type}"
        case Literal():
            return "a bool" if value.type == "bool" else "a number"
        case Tuple():
            return "an ituple"
        case Shape():
            return "a shape"
        case Tile():
            return "an array of buffers" if value.array else "a buffer"
        case Future():
            return "a future"
        case Bounded():
            return "a bounded variable"
        case BoundedTuple():
            return "a bounded ituple"
        case Poison():
            return "a refused value"
        case Extension():
            return value.name
