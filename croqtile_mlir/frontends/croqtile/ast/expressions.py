"""
Expressions.

Operators are kept as they are written; `Binary.operator` is one of

    # #* #/ #% #+ #-  & ^ |  * / % + -  << >>  < > <= >= == !=  && ||

and parentheses leave no node: the tree has the language's own precedence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from croqtile_mlir.frontends.croqtile.ast.nodes import ElementType, Name, Node
from croqtile_mlir.frontends.croqtile.source import Span


@dataclass(frozen=True, slots=True)
class IntLiteral(Node):
    """An integer; `type` is s32, s64, u32 or u64. A sign is part of the literal."""

    value: int
    type: str = "s32"


@dataclass(frozen=True, slots=True)
class FloatLiteral(Node):
    """A float, `inf` included; `type` is f32 or f64. A sign is part of the literal."""

    value: float
    type: str


@dataclass(frozen=True, slots=True)
class BoolLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class NullLiteral(Node):
    """`nullptr`."""


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    """Strings that stand side by side are one."""

    value: str


@dataclass(frozen=True, slots=True)
class Whole(Node):
    """`_` as an argument: the whole dimension."""


@dataclass(frozen=True, slots=True)
class AnyDim(Node):
    """`?`, or `??` (unbounded), in the shape of a parameter."""

    unbounded: bool = False


@dataclass(frozen=True, slots=True)
class Ref(Node):
    """`x`, `x[i][j]`, `x.data`, `x[i].mdata`."""

    name: Name
    subscripts: tuple[Expr, ...] = ()
    member: str | None = None
    """`data` (of a future), `mdata` (its sparse metadata), or nothing."""

    @property
    def is_plain(self) -> bool:
        """Whether this is a name and nothing else."""
        return not self.subscripts and self.member is None


@dataclass(frozen=True, slots=True)
class Element(Node):
    """`x.at(i, j)`, `b[s].at(i)`, `f.data.at(i)`."""

    base: Ref
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SpanOf(Node):
    """`x.span`, a shape; one extent of it is a `Component`."""

    base: Ref


@dataclass(frozen=True, slots=True)
class Component(Node):
    """
    `base(index)`: a dimension of a shape, an element of a tuple, or the index-th value
    of a bounded variable; a negative index counts from the bound.
    """

    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class ShapeDimension(Node):
    """`(index)` in the brackets of a derivation, `s [(0) / 2, (1)]`."""

    index: Expr


@dataclass(frozen=True, slots=True)
class ShapeDerivation(Node):
    """`s [(0) / 2, (1)]` as the value of a shape declaration."""

    base: Ref | SpanOf
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class TupleDerivation(Node):
    """`t {a, b}` as the value of an assignment."""

    base: Name
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class ShapeList(Node):
    """`[a, b]`."""

    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class TupleList(Node):
    """`{a, b}`."""

    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Bound(Node):
    """`#v`: the bound of a variable."""

    name: Name


@dataclass(frozen=True, slots=True)
class ElementCount(Node):
    """`|shape|`."""

    shape: Expr


@dataclass(frozen=True, slots=True)
class ElementSize(Node):
    """`|f16|`, in bytes."""

    element: ElementType


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-x`, `~x`, `!x`."""

    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`left operator right`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`condition ? then : otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Cdiv(Node):
    """`cdiv(dividend, divisor)`, rounded up."""

    dividend: Expr
    divisor: Expr


@dataclass(frozen=True, slots=True)
class Increment(Node):
    """`x++`, `--x` as a value; `operator` is `+` or `-`."""

    name: Name
    operator: str
    prefix: bool


@dataclass(frozen=True, slots=True)
class AddressOf(Node):
    """`&x`, `&x.at(i)`."""

    operand: Ref | Element


@dataclass(frozen=True, slots=True)
class Builtin(Node):
    """`__exp(x)`; `name` keeps its underscores, `min` and `max` included."""

    name: Name
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Convert(Node):
    """`__to<f16>(x)`; a type may be the text of a string."""

    type: ElementType | StringLiteral
    operand: Expr


@dataclass(frozen=True, slots=True)
class Select(Node):
    """`select(selector, first, second, ..)`; candidates may be views and futures."""

    selector: Expr
    candidates: tuple[Expr, ...]


# Views: a base and operations from left to right.


@dataclass(frozen=True, slots=True)
class ChunkAt(Node):
    """`.chunkat(v, ..)`."""

    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Chunk(Node):
    """`.chunk(counts, ..).at(indices, ..)`."""

    counts: tuple[Arg, ...]
    indices: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Subspan(Node):
    """`.subspan(extents : strides).step(steps).at(tile indices)`, `.modspan(..)`."""

    extents: tuple[Arg, ...]
    strides: tuple[Arg, ...] | None = None
    steps: tuple[Arg, ...] | None = None
    indices: tuple[Arg, ...] | None = None
    clipped: bool = False
    """`modspan`: the last tile is shorter."""


@dataclass(frozen=True, slots=True)
class Window(Node):
    """`.view(extents : strides).from(element offsets)`."""

    extents: tuple[Arg, ...]
    strides: tuple[Arg, ...] | None = None
    offsets: tuple[Arg, ...] | None = None


@dataclass(frozen=True, slots=True)
class SpanAs(Node):
    """`.span_as(extents)`."""

    extents: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Squeeze(Node):
    """`.sqz()`."""


ViewOperation: TypeAlias = ChunkAt | Chunk | Subspan | Window | SpanAs | Squeeze


@dataclass(frozen=True, slots=True)
class View(Node):
    """A base with at least one operation; without one it is the `Ref` alone."""

    base: Ref
    operations: tuple[ViewOperation, ...]


# Calls: values, and with `CallStatement` statements.


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`call ns::f<targs>(args)`, or of an intrinsic without `call`."""

    name: Name
    template_args: tuple[Expr | ElementType, ...]
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Atomic(Node):
    """`__atomic_add(args)`; `operation` is `add` and so on."""

    operation: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class NamedBarrier(Node):
    """`__bar_sync(args)`, `__bar_arrive(args)`."""

    arrive: bool
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Assert(Node):
    """`assert(condition, "message")`."""

    condition: Expr
    message: str


@dataclass(frozen=True, slots=True)
class Print(Node):
    """`print(..)`, `println(..)`, at compile time `print!(..)`."""

    args: tuple[Expr, ...]
    newline: bool
    compile_time: bool


@dataclass(frozen=True, slots=True)
class Escape(Node):
    """Target code in the source: `__cpp__("..")`, `asm(..)`; `keyword` is the word."""

    keyword: str
    text: str


AnyCall: TypeAlias = Call | Atomic | NamedBarrier | Assert | Print | Escape

Expr: TypeAlias = (
    IntLiteral
    | FloatLiteral
    | BoolLiteral
    | NullLiteral
    | StringLiteral
    | AnyDim
    | Ref
    | Element
    | SpanOf
    | Component
    | ShapeDimension
    | ShapeDerivation
    | TupleDerivation
    | ShapeList
    | TupleList
    | Bound
    | ElementCount
    | ElementSize
    | Unary
    | Binary
    | Conditional
    | Cdiv
    | Increment
    | AddressOf
    | Builtin
    | Convert
    | Select
    | View
    | AnyCall
)
"""Any expression; views, selects of views and calls stand only where the grammar says.
"""

Arg: TypeAlias = Expr | Whole
"""An argument in a list of arguments or extents."""

ViewLike: TypeAlias = Ref | View
"""Data that a copy or a matrix statement names."""

NO_PLACE = Span(0, 0)
"""The place of what nobody wrote."""
