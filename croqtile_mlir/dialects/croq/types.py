"""
Types and attributes of the `croq` dialect.

A tile type says everything two users of one buffer must agree on: shape, element type,
memory space and layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import auto
from math import prod
from types import MappingProxyType

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    Float16Type,
    Float32Type,
    IntAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    i32,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

DYNAMIC = -1
"""The Python value of a `?` dim."""

_FLOAT_BITS: Mapping[str, int] = MappingProxyType(
    {
        "f8E4M3FN": 8,
        "f8E5M2": 8,
        "f16": 16,
        "bf16": 16,
        "tf32": 32,
        "f32": 32,
        "f64": 64,
    }
)

_GRID = "grid"
"""The word of types that all blocks of the grid have in common."""

Dim = int | str
"""A dim: an extent, `DYNAMIC`, or the name of a dim or parameter of the kernel."""


class Space(StrEnum):
    """Where the elements of a tile live."""

    Global = "global"
    Shared = "shared"
    Register = "register"


class Layout(StrEnum):
    """
    How the elements of a shared tile are laid out (see `croqtile_mlir.layouts`).

    The swizzles are panels of 128, 64, 32 or 16 bytes width whose 16-byte chunks are
    permuted as TMA and wgmma do; `none` is the unswizzled core-matrix layout.
    """

    RowMajor = "row_major"
    Swizzle128 = "swizzle<128>"
    Swizzle64 = "swizzle<64>"
    Swizzle32 = "swizzle<32>"
    SwizzleNone = "swizzle<none>"

    @property
    def panel_bytes(self) -> int | None:
        """Width of a panel in bytes; None for a row-major tile."""
        return {
            Layout.RowMajor: None,
            Layout.Swizzle128: 128,
            Layout.Swizzle64: 64,
            Layout.Swizzle32: 32,
            Layout.SwizzleNone: 16,
        }[self]


class Engine(StrEnum):
    """What moves the bytes of a copy."""

    Auto = auto()
    Tma = auto()
    CpAsync = "cp_async"
    Threads = auto()


class Level(StrEnum):
    """The levels of parallelism of `croq.parallel`, from coarse to fine."""

    Cluster = auto()
    Block = auto()
    Warpgroup = auto()
    Warp = auto()
    Thread = auto()

    @property
    def divides_block(self) -> bool:
        """Whether threads of one block have different indices of the level."""
        return self not in (Level.Cluster, Level.Block)


class Major(StrEnum):
    """Which dim of a wgmma operand is contiguous in memory."""

    K = "k"
    MN = "mn"


@irdl_attr_definition
class EngineAttr(EnumAttribute[Engine], SpacedOpaqueSyntaxAttribute):
    """The engine of a copy, written `#croq<engine tma>`."""

    name = "croq.engine"


@irdl_attr_definition
class LevelAttr(EnumAttribute[Level], SpacedOpaqueSyntaxAttribute):
    """A level of parallelism, written `#croq<level block>`."""

    name = "croq.level"


@irdl_attr_definition
class MajorAttr(EnumAttribute[Major], SpacedOpaqueSyntaxAttribute):
    """The contiguous dim of a wgmma operand, written `#croq<major k>`."""

    name = "croq.major"


def parse_layout(parser: AttrParser) -> Layout:
    """Parse `row_major` or `swizzle<128|64|32|none>`."""
    word = parser.parse_keyword_in(("row_major", "swizzle"))
    if word == "row_major":
        return Layout.RowMajor
    with parser.in_angle_brackets():
        if parser.parse_optional_keyword("none") is not None:
            return Layout.SwizzleNone
        pos = parser.pos
        width = parser.parse_integer(allow_boolean=False, allow_negative=False)
        for layout in (Layout.Swizzle128, Layout.Swizzle64, Layout.Swizzle32):
            if layout.panel_bytes == width:
                return layout
        parser.raise_error(
            f"swizzle must be 128, 64, 32 or none, got {width}", pos, parser.pos
        )


def _dim_attr(dim: Dim) -> IntAttr | StringAttr:
    return IntAttr(dim) if isinstance(dim, int) else StringAttr(dim)


def _parse_dims_and_type(parser: AttrParser) -> tuple[list[Dim], TypeAttribute]:
    """Parse `(dim x)* type` where a dim is an integer, `?` or a name in brackets."""
    dims: list[Dim] = []
    while True:
        if parser.parse_optional_punctuation("[") is not None:
            dims.append(parser.parse_identifier(context_msg=" as the name of a dim"))
            parser.parse_punctuation("]")
        else:
            pos = parser.pos
            element_type = parser.parse_optional_type()
            if element_type is not None:
                if not is_element_type(element_type):
                    parser.raise_error(
                        "element type of a tile must be f16, bf16, f32, f64 or an "
                        f"integer of whole bytes, got {element_type}",
                        pos,
                        parser.pos,
                    )
                return dims, element_type
            extent = parser.parse_shape_dimension()
            if extent == 0:
                parser.raise_error("a dim must be positive, got 0", pos, parser.pos)
            dims.append(DYNAMIC if extent == DYNAMIC_INDEX else extent)
        parser.parse_shape_delimiter()


def print_dim(dim: Dim) -> str:
    """The text of a dim inside a tile type."""
    if isinstance(dim, str):
        return f"[{dim}]"
    return "?" if dim == DYNAMIC else str(dim)


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """
    A tile: shape, element type, memory space and, in shared memory, layout.

    `!croq.tile<[M]x[K]xf16, global>`, `!croq.tile<4x128x64xf16, shared, swizzle<128>>`.
    A dim is an integer, `?`, or a name in brackets. A shared tile without a layout is
    open: `--infer-layouts` decides. The layout acts on the last two dims.
    """

    name = "croq.tile"

    shape: ArrayAttr[IntAttr | StringAttr]
    element_type: TypeAttribute
    space: StringAttr
    layout_attr: StringAttr | NoneAttr

    def __init__(
        self,
        shape: Iterable[Dim],
        element_type: TypeAttribute,
        space: Space,
        layout: Layout | None = None,
    ):
        super().__init__(
            ArrayAttr(_dim_attr(dim) for dim in shape),
            element_type,
            StringAttr(space.value),
            NoneAttr() if layout is None else StringAttr(layout.value),
        )

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The dims as Python values."""
        return tuple(dim.data for dim in self.shape)

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def memory_space(self) -> Space:
        """The memory space."""
        return Space(self.space.data)

    @property
    def layout(self) -> Layout | None:
        """The layout; None while open, and for global and register tiles."""
        if isinstance(self.layout_attr, NoneAttr):
            return None
        return Layout(self.layout_attr.data)

    @property
    def static_dims(self) -> tuple[int, ...] | None:
        """The extents when all are known integers, else None."""
        dims = tuple(d for d in self.dims if isinstance(d, int) and d != DYNAMIC)
        return dims if len(dims) == self.rank else None

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return element_bits(self.element_type) // 8

    def with_shape(self, shape: Sequence[Dim]) -> TileType:
        """The same tile type with another shape."""
        return TileType(shape, self.element_type, self.memory_space, self.layout)

    def with_layout(self, layout: Layout | None) -> TileType:
        """The same tile type with another layout."""
        return TileType(self.dims, self.element_type, self.memory_space, layout)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dims, element_type = _parse_dims_and_type(parser)
            parser.parse_punctuation(",", " before the memory space")
            space = parser.parse_str_enum(Space)
            layout = None
            pos = parser.pos
            if parser.parse_optional_punctuation(",") is not None:
                layout = parse_layout(parser)
                if space is not Space.Shared:
                    parser.raise_error(
                        f"only a shared tile has a layout, got a {space.value} tile",
                        pos,
                        parser.pos,
                    )
        return TileType(dims, element_type, space, layout).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for dim in self.dims:
                printer.print_string(print_dim(dim) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.space.data}")
            if self.layout is not None:
                printer.print_string(f", {self.layout.value}")

    def verify(self) -> None:
        for dim in self.dims:
            if isinstance(dim, int) and dim != DYNAMIC and dim <= 0:
                raise VerifyException(f"a dim must be positive, got {dim}")
        if not is_element_type(self.element_type):
            raise VerifyException(
                f"element type of a tile must be f16, bf16, f32, f64 or an integer of "
                f"whole bytes, got {self.element_type}"
            )
        if self.layout is not None and self.memory_space is not Space.Shared:
            raise VerifyException(
                f"only a shared tile has a layout, got a {self.space.data} tile"
            )


def is_element_type(attr: Attribute) -> bool:
    """Whether a tile may hold elements of this type."""
    if isinstance(attr, IntegerType):
        return attr.bitwidth in (8, 16, 32, 64)
    return attr.name in _FLOAT_BITS


def element_bits(attr: Attribute) -> int:
    """Bits of one element of a tile."""
    if isinstance(attr, IntegerType):
        return attr.bitwidth
    return _FLOAT_BITS[attr.name]


@irdl_attr_definition
class FutureType(ParametrizedAttribute, TypeAttribute):
    """
    An asynchronous copy in flight: its destination and its completion.

    `!croq.future<!croq.tile<128x64xf16, shared>>`, of the type of the destination.
    """

    name = "croq.future"

    tile: TileType


@irdl_attr_definition
class EventType(ParametrizedAttribute, TypeAttribute):
    """
    A ring of generation counters, of one block or of all blocks of the grid.

    `!croq.event<4>` or `!croq.event<[S]>`; a scalar event has one slot, and may be
    written `!croq.event`. The slots may be an array of two dims, `!croq.event<2x3>`,
    the last index of which is the fastest. `!croq.event<4, grid>` is one ring for all
    blocks of the grid.
    """

    name = "croq.event"

    dims_attr: ArrayAttr[IntAttr | StringAttr]
    scope_attr: StringAttr

    def __init__(self, slots: Dim | Sequence[Dim], *, grid: bool = False):
        dims = (slots,) if isinstance(slots, int | str) else slots
        super().__init__(
            ArrayAttr([_dim_attr(dim) for dim in dims]),
            StringAttr(_GRID if grid else ""),
        )

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The extents of the array of slots: integers, or names of parameters."""
        return tuple(dim.data for dim in self.dims_attr)

    @property
    def slots(self) -> Dim:
        """The number of slots, or what gives it: the name of the parameter."""
        dims = self.dims
        if any(isinstance(dim, str) for dim in dims):
            return "x".join(map(str, dims))
        return prod(dim for dim in dims if isinstance(dim, int))

    @property
    def is_of_grid(self) -> bool:
        """Whether all blocks of the grid have it in common."""
        return self.scope_attr.data == _GRID

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return EventType(1).parameters
        if parser.parse_optional_keyword(_GRID) is not None:
            parser.parse_punctuation(">")
            return EventType(1, grid=True).parameters
        dims = [cls._parse_dim(parser)]
        grid = False
        while not grid and parser.parse_optional_punctuation(">") is None:
            if parser.parse_optional_punctuation(",") is not None:
                parser.parse_keyword(_GRID)
                parser.parse_punctuation(">")
                grid = True
            else:
                parser.parse_shape_delimiter()
                dims.append(cls._parse_dim(parser))
        return EventType(dims, grid=grid).parameters

    @staticmethod
    def _parse_dim(parser: AttrParser) -> Dim:
        if parser.parse_optional_punctuation("[") is not None:
            name = parser.parse_identifier()
            parser.parse_punctuation("]")
            return name
        pos = parser.pos
        extent = parser.parse_shape_dimension()
        if extent == 0:
            parser.raise_error(
                "an event must have at least one slot, got 0", pos, parser.pos
            )
        return extent

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(print_dim(dim) for dim in self.dims))
            if self.is_of_grid:
                printer.print_string(f", {_GRID}")

    def verify(self) -> None:
        if len(self.dims) not in (1, 2):
            raise VerifyException(
                f"an event must be an array of 1 or 2 dims, got {len(self.dims)}"
            )
        if any(isinstance(dim, int) and dim < 1 for dim in self.dims):
            raise VerifyException(
                f"an event must have at least one slot, got {self.slots}"
            )


@irdl_attr_definition
class AccType(ParametrizedAttribute, TypeAttribute):
    """
    An MMA accumulator, distributed over the warps of its role or block.

    `!croq.acc<128x128xf32>`: of f32, f16 or i32. For wgmma the rows are split over the
    warpgroups in order; for mma.sync the warps form a grid over it. An extent is an
    integer, or the name of a parameter in brackets.
    """

    name = "croq.acc"

    rows: IntAttr | StringAttr
    cols: IntAttr | StringAttr
    element_type: TypeAttribute

    def __init__(self, rows: Dim, cols: Dim, element_type: TypeAttribute):
        super().__init__(_dim_attr(rows), _dim_attr(cols), element_type)

    @property
    def dims(self) -> tuple[Dim, Dim]:
        """Rows and columns, as integers or names."""
        return self.rows.data, self.cols.data

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; a VerifyException when parameters are not bound."""
        rows, cols = self.dims
        if isinstance(rows, str) or isinstance(cols, str):
            raise VerifyException(
                f"accumulator must have constant extents here, got {self} "
                "(--bind-params makes them so)"
            )
        return rows, cols

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pos = parser.pos
            shape, element_type = _parse_dims_and_type(parser)
            if (
                len(shape) != 2
                or DYNAMIC in shape
                or not (
                    isinstance(element_type, Float32Type | Float16Type)
                    or element_type == i32
                )
            ):
                parser.raise_error(
                    "an accumulator must be <rows x columns x f32|f16|i32>",
                    pos,
                    parser.pos,
                )
        return AccType(shape[0], shape[1], element_type).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for dim in self.dims:
                printer.print_string(print_dim(dim) + "x")
            printer.print_attribute(self.element_type)
