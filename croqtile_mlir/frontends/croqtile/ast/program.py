"""Declarations, functions and the whole program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from croqtile_mlir.frontends.croqtile.ast.expressions import AnyDim, Arg, Expr
from croqtile_mlir.frontends.croqtile.ast.matrix import MatrixStatement
from croqtile_mlir.frontends.croqtile.ast.nodes import (
    ElementType,
    Name,
    Node,
    Storage,
)
from croqtile_mlir.frontends.croqtile.ast.statements import (
    Assign,
    Block,
    Break,
    CallStatement,
    Continue,
    ControlFlow,
    Copy,
    Placeholder,
    Return,
    Rotate,
    Synchronisation,
    Yield,
)


@dataclass(frozen=True, slots=True)
class ShapeDecl(Node):
    """`mdspan<rank> name : value`."""

    name: Name
    rank: int | None
    value: Expr


@dataclass(frozen=True, slots=True)
class TupleDecl(Node):
    """`ituple<rank> name = value`; without `ituple` only when the value is `{..}`."""

    name: Name
    rank: int | None
    value: Expr


@dataclass(frozen=True, slots=True)
class ScalarItem(Node):
    """One name of a scalar declaration."""

    name: Name
    value: Expr | None


@dataclass(frozen=True, slots=True)
class ScalarDecl(Node):
    """`storage mutable type a = e, b{e}`; without a type it is that of the value."""

    storage: Storage | None
    mutable: bool
    """Whether the word `mutable` is there; see also `ElementType.is_immutable`."""
    type: ElementType | None
    items: tuple[ScalarItem, ...]


@dataclass(frozen=True, slots=True)
class BufferItem(Node):
    """One name of a declaration of buffers or fragments: `name[count]{fill}`."""

    name: Name
    array: tuple[Expr, ...]
    """The lengths of an array of buffers, empty for one buffer."""
    fill: Expr | None


@dataclass(frozen=True, slots=True)
class BufferDecl(Node):
    """`storage element [extents] items`; extents are None for `[auto]`."""

    storage: Storage | None
    element: ElementType
    extents: tuple[Arg, ...] | None
    items: tuple[BufferItem, ...]


@dataclass(frozen=True, slots=True)
class FragmentDecl(Node):
    """`frag element [extents] items`; extents None for `frag.f32 name {v}`."""

    element: ElementType | None
    extents: tuple[Arg, ...] | None
    items: tuple[BufferItem, ...]


@dataclass(frozen=True, slots=True)
class EventItem(Node):
    """One name of a declaration of events: `name[slots] = ready`."""

    name: Name
    array: tuple[Expr, ...]
    ready: bool


@dataclass(frozen=True, slots=True)
class EventDecl(Node):
    """`storage event<arrivals> items`."""

    storage: Storage | None
    arrivals: Expr | None
    items: tuple[EventItem, ...]


Declaration: TypeAlias = (
    ShapeDecl | TupleDecl | ScalarDecl | BufferDecl | FragmentDecl | EventDecl
)

Statement: TypeAlias = (
    Declaration
    | Assign
    | CallStatement
    | Copy
    | Placeholder
    | Rotate
    | MatrixStatement
    | Synchronisation
    | ControlFlow
    | Return
    | Break
    | Continue
    | Yield
)


@dataclass(frozen=True, slots=True)
class TileType(Node):
    """`element [dims]`; `mdspan<n>` has n anonymous dims."""

    element: ElementType
    dims: tuple[Expr | AnyDim, ...]


@dataclass(frozen=True, slots=True)
class StreamType(Node):
    """`stream`."""


@dataclass(frozen=True, slots=True)
class VoidType(Node):
    """`void` as the type of the result."""


@dataclass(frozen=True, slots=True)
class AutoType(Node):
    """`auto` as the type of the result."""


ParamType: TypeAlias = ElementType | TileType | StreamType
ResultType: TypeAlias = ParamType | VoidType | AutoType


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A parameter; tiles are in global memory with or without the word `global`."""

    type: ParamType
    name: Name | None
    is_global: bool = False
    by_reference: bool = False


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A `__co__` function; its span is that of the whole text."""

    result: ResultType
    name: Name
    params: tuple[Param, ...]
    body: Block
    generation: int | None = None
    """1 to 3 where the function has forms of only that generation of the language."""


@dataclass(frozen=True, slots=True)
class Program(Node):
    """The functions of a file, in order."""

    functions: tuple[Function, ...]
    params: tuple[tuple[str, int | None], ...] = ()
    """The names of `--param` and their defaults, which may be those of macros."""
