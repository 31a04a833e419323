"""
Views: parts of tiles.

A *tile index* counts tiles, an *element offset* counts elements; the ops that take one
or the other have different names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntAttr, StringAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import (
    WHOLE,
    Index,
    IndexListAttr,
    pack,
    parse_index,
    parse_index_list,
    parse_value,
    print_index_list,
    unpack,
    verify_names,
    verify_type_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.position import Position, parse_position
from croqtile_mlir.dialects.croq.types import DYNAMIC, Dim, Space, TileType


def tile_type(value: SSAValue) -> TileType:
    """The tile type of a value; a VerifyException when it is not a tile."""
    if not isinstance(value.type, TileType):
        raise VerifyException(f"operand must be a tile, got {value.type}")
    return value.type


def parse_tile(parser: Parser) -> SSAValue:
    """Parse the use of a tile that is defined already."""
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, TileType):
        parser.raise_error(f"operand must be a tile, got {value.type}", pos, parser.pos)
    return value


class ViewOp(IRDLOperation, ABC):
    """What all views have: a source tile and a result whose type follows from it."""

    traits = traits_def(Pure())

    @abstractmethod
    def infer_type(self) -> TileType:
        """The type that the result must have; raises VerifyException."""

    @property
    def viewed(self) -> SSAValue:
        """The tile that this is a part of."""
        return self.operands[0]

    @property
    def source_type(self) -> TileType:
        """The type of the source."""
        return tile_type(self.viewed)

    @property
    def result_type(self) -> TileType:
        """The type of the result."""
        return tile_type(self.results[0])

    def verify_(self) -> None:
        expected = self.infer_type()
        if self.results[0].type != expected:
            raise VerifyException(
                f"result type must be {expected}, got {self.results[0].type}"
            )


def extents_attr(values: Sequence[Dim]) -> ArrayAttr[IntAttr | StringAttr]:
    """The extents of a window as its property stores them."""
    return ArrayAttr(
        IntAttr(v) if isinstance(v, int) else StringAttr(v) for v in values
    )


class WindowOp(ViewOp, ABC):
    """
    A window at a position that is an index for each dim.

    Its extents are integers or names of parameters.
    """

    SPACING: ClassVar[str]
    """What the property beside the extents is called in texts."""

    source = operand_def(TileType)
    extents = prop_def(ArrayAttr[IntAttr | StringAttr])
    at = var_operand_def(IndexType)
    static_at = prop_def(IndexListAttr)
    result = result_def(TileType)

    def __init__(
        self,
        source: SSAValue,
        extents: Sequence[Dim],
        at: Sequence[Index],
        spacing: Sequence[Dim] | None = None,
    ):
        operands, static = pack(at)
        source_type = tile_type(source)
        super().__init__(
            operands=[source, operands],
            result_types=[source_type.with_shape(list(extents))],
            properties={
                "extents": extents_attr(extents),
                "static_at": static,
                self.SPACING: None if spacing is None else extents_attr(spacing),
            },
        )

    @property
    def extent_dims(self) -> tuple[Dim, ...]:
        """Extents of the window in elements, as integers or names."""
        return tuple(e.data for e in self.extents)

    @property
    def extent_values(self) -> tuple[int, ...]:
        """Extents in elements; a VerifyException when parameters are not bound."""
        values = tuple(e for e in self.extent_dims if isinstance(e, int))
        if len(values) < len(self.extents):
            names = ", ".join(e for e in self.extent_dims if isinstance(e, str))
            raise VerifyException(
                f"must have constant extents here, got {names} (--bind-params makes "
                "them so)"
            )
        return values

    @property
    def at_values(self) -> tuple[Index, ...]:
        """The position, one index for each dim."""
        return unpack(self.at, self.static_at)

    @property
    @abstractmethod
    def spacing(self) -> ArrayAttr[IntAttr | StringAttr] | None:
        """The property beside the extents, as stored; None when it is left out."""

    @abstractmethod
    def bind(self, bound: Mapping[str, int]) -> None:
        """Put integers for names of parameters in the properties."""

    @property
    @abstractmethod
    def unit_values(self) -> tuple[int, ...]:
        """Elements of the source that one step of each index of the position is."""

    @property
    def stride_values(self) -> tuple[int, ...]:
        """Elements of the source from one element of the window to the next."""
        return (1,) * len(self.extents)

    @property
    def is_strided(self) -> bool:
        """Whether elements of the window are apart in the source."""
        return any(stride != 1 for stride in self.stride_values)

    def infer_type(self) -> TileType:
        source = self.source_type
        if not well_formed(self.at, self.static_at):
            raise VerifyException("must have one operand for each dynamic index")
        verify_names(self, self.at_values)
        spacing = self.spacing
        for what, got in (
            ("extents", len(self.extents)),
            *(
                [(f"{self.SPACING} values", len(spacing))]
                if spacing is not None
                else []
            ),
            ("indices", len(self.static_at)),
        ):
            if got != source.rank:
                raise VerifyException(
                    f"must have {source.rank} {what} for a source of rank "
                    f"{source.rank}, got {got}"
                )
        for extent in self.extent_dims:
            if isinstance(extent, int) and extent < 1:
                raise VerifyException(f"extents must be positive, got {extent}")
        for step in () if spacing is None else spacing:
            if isinstance(step, IntAttr) and step.data < 1:
                raise VerifyException(
                    f"{self.SPACING} must be positive, got {step.data}"
                )
        names = [
            item.data
            for item in (*self.extents, *(spacing or ()))
            if isinstance(item, StringAttr)
        ]
        verify_type_names(self, names, params=True)
        return source.with_shape(list(self.extent_dims))

    def _verify_window(
        self,
        offsets: Sequence[int | None],
        *,
        overhang: bool,
        before: bool = False,
        reach: Sequence[Dim] | None = None,
    ) -> None:
        """`reach` are the elements of the source from the first to the last."""
        for dim, (size, extent, offset) in enumerate(
            zip(self.source_type.dims, reach or self.extent_dims, offsets, strict=True)
        ):
            if not isinstance(size, int) or size == DYNAMIC or isinstance(extent, str):
                continue
            if not overhang and extent > size:
                raise VerifyException(
                    f"extent {extent} of dim {dim} must fit in the source's {size}"
                )
            if offset is None:
                continue
            if overhang and before and -extent < offset < 0:
                continue
            if (
                offset < 0
                or offset >= size
                or (not overhang and offset + extent > size)
            ):
                raise VerifyException(
                    f"region must be inside the source: dim {dim} has {size} elements, "
                    f"got offset {offset} and extent {extent}"
                )


@irdl_op_definition
class SubspanOp(WindowOp):
    """
    The tile of the given extents at a tile index: its origin is index * extent.

    With `step` tiles are that many elements apart instead: they overlap, or leave
    elements out. In global memory a tile may overhang: loads fill with zero, stores are
    clipped.

    ```mlir
    %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
    %halo = croq.subspan %x [34, 66] step [32, 64] tile (%i, %j)
    ```
    """

    name = "croq.subspan"
    SPACING: ClassVar[str] = "step"

    step = opt_prop_def(ArrayAttr[IntAttr | StringAttr])

    @property
    def spacing(self) -> ArrayAttr[IntAttr | StringAttr] | None:
        return self.step

    @property
    def step_dims(self) -> tuple[Dim, ...]:
        """Elements from one tile to the next, as integers or names."""
        if self.step is None:
            return self.extent_dims
        return tuple(step.data for step in self.step)

    @property
    def unit_values(self) -> tuple[int, ...]:
        return self.extent_values if self.step is None else _constant(self.step)

    def bind(self, bound: Mapping[str, int]) -> None:
        self.properties["extents"] = bound_extents(self.extents, bound)
        if self.step is not None:
            self.properties["step"] = bound_extents(self.step, bound)

    @classmethod
    def parse(cls, parser: Parser) -> SubspanOp:
        op = cls(*_parse_window(parser, "step", "tile"))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_window(printer, self, "tile")

    def infer_type(self) -> TileType:
        result = super().infer_type()
        self._verify_window(
            [
                i * e if isinstance(i, int) and isinstance(e, int) else None
                for i, e in zip(self.at_values, self.step_dims, strict=True)
            ],
            overhang=result.memory_space is Space.Global,
        )
        return result


@irdl_op_definition
class ElementViewOp(WindowOp):
    """
    The window of the given extents whose first element is at an element offset.

    On an argument or output it may overhang, at the start as well as at the end: loads
    fill with zero, stores are clipped. On a view, or in shared memory, it is inside.
    With `strides` its elements are so many elements of the source apart, all inside it.

    ```mlir
    %w = croq.view %lhs [128, 64] from (%row, 0)
    %even = croq.view %lhs [128, 32] strides [1, 2] from (%row, 0)
    ```
    """

    name = "croq.view"
    SPACING: ClassVar[str] = "strides"

    strides = opt_prop_def(ArrayAttr[IntAttr | StringAttr])

    @property
    def spacing(self) -> ArrayAttr[IntAttr | StringAttr] | None:
        return self.strides

    @property
    def unit_values(self) -> tuple[int, ...]:
        return (1,) * len(self.extents)

    @property
    def stride_values(self) -> tuple[int, ...]:
        return self.unit_values if self.strides is None else _constant(self.strides)

    @property
    def reach_dims(self) -> tuple[Dim, ...]:
        """Elements of the source from the first to the last of the window."""
        strides = [1] * len(self.extents)
        if self.strides is not None:
            strides = [stride.data for stride in self.strides]
        return tuple(
            (extent - 1) * stride + 1
            if isinstance(extent, int) and isinstance(stride, int)
            else extent
            if stride == 1
            else "?"
            for extent, stride in zip(self.extent_dims, strides, strict=True)
        )

    def bind(self, bound: Mapping[str, int]) -> None:
        self.properties["extents"] = bound_extents(self.extents, bound)
        if self.strides is not None:
            self.properties["strides"] = bound_extents(self.strides, bound)

    @classmethod
    def parse(cls, parser: Parser) -> ElementViewOp:
        op = cls(*_parse_window(parser, "strides", "from"))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_window(printer, self, "from")

    def infer_type(self) -> TileType:
        result = super().infer_type()
        self._verify_window(
            [i if isinstance(i, int) else None for i in self.at_values],
            overhang=is_clipped(self),
            before=True,
            reach=self.reach_dims,
        )
        return result


def _constant(values: ArrayAttr[IntAttr | StringAttr]) -> tuple[int, ...]:
    known = tuple(value.data for value in values if isinstance(value, IntAttr))
    if len(known) < len(values):
        names = ", ".join(v.data for v in values if isinstance(v, StringAttr))
        raise VerifyException(
            f"must have constant steps and strides here, got {names} (--bind-params "
            "makes them so)"
        )
    return known


def bound_extents(
    values: ArrayAttr[IntAttr | StringAttr], bound: Mapping[str, int]
) -> ArrayAttr[IntAttr | StringAttr]:
    """Extents with the parameters of known value put in."""
    return extents_attr(
        [
            bound.get(v.data, v.data) if isinstance(v.data, str) else v.data
            for v in values
        ]
    )


def is_clipped(view: WindowOp) -> bool:
    """Whether a window at an element offset may leave its source: an argument."""
    source = view.viewed
    return (
        tile_type(source).memory_space is Space.Global
        and not isinstance(source.owner, ViewOp)
        and isinstance(view, ElementViewOp)
        and view.strides is None
    )


def _parse_window(
    parser: Parser, spacing: str, position: str
) -> tuple[SSAValue, list[Dim], tuple[Index, ...], list[Dim] | None]:
    source = parse_tile(parser)

    def parse_extent() -> Dim:
        name = parser.parse_optional_identifier()
        return parser.parse_integer(allow_boolean=False) if name is None else name

    extents = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parse_extent)
    spaces = None
    if parser.parse_optional_keyword(spacing) is not None:
        spaces = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, parse_extent
        )
    parser.parse_keyword(position)
    at = unpack(*parse_index_list(parser, Parser.Delimiter.PAREN))
    return source, extents, at, spaces


def _print_window(printer: Printer, op: WindowOp, position: str) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(op.source)
    extents = ", ".join(str(extent) for extent in op.extent_dims)
    printer.print_string(f" [{extents}]")
    if op.spacing is not None:
        spaces = ", ".join(str(item.data) for item in op.spacing)
        printer.print_string(f" {op.SPACING} [{spaces}]")
    printer.print_string(f" {position} ")
    print_index_list(printer, op.at_values, "()")
    printer.print_op_attributes(op.attributes)


@irdl_op_definition
class ChunkAtOp(ViewOp):
    """
    Divides each dim into a number of equal chunks and takes the chunk at an index.

    `_` keeps a dim whole. A number of chunks is an index operand. A static extent must
    be divisible; what is known at launch only is checked then.

    ```mlir
    %slice = croq.chunkat %a [_, 4] at (_, %kk)
    %part = croq.chunkat %x [%parts, _] at (%p, _)
    ```
    """

    name = "croq.chunkat"

    source = operand_def(TileType)
    at = var_operand_def(IndexType)
    static_at = prop_def(IndexListAttr)
    """The chunk index of each dim, then the number of chunks of each."""
    result = result_def(TileType)

    def __init__(self, source: SSAValue, chunks: Sequence[Index], at: Sequence[Index]):
        operands, static = pack([*at, *chunks])
        source_type = tile_type(source)
        dims = [
            _chunk(dim, chunk)
            for dim, chunk in zip(source_type.dims, chunks, strict=False)
        ]
        super().__init__(
            operands=[source, operands],
            result_types=[source_type.with_shape(dims)],
            properties={"static_at": static},
        )

    @property
    def chunk_values(self) -> tuple[Index, ...]:
        """The number of chunks of each dim; 1 keeps a dim whole."""
        values = unpack(self.at, self.static_at)
        return values[len(values) // 2 :]

    @property
    def at_values(self) -> tuple[Index, ...]:
        """The chunk index of each dim; `_` for a dim that is kept whole."""
        values = unpack(self.at, self.static_at)
        return values[: len(values) // 2]

    @classmethod
    def parse(cls, parser: Parser) -> ChunkAtOp:
        source = parse_tile(parser)

        def parse_chunk() -> Index:
            chunk = parse_index(parser)
            return 1 if chunk == WHOLE else chunk

        pos = parser.pos
        chunks = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parse_chunk)
        parser.parse_keyword("at")
        at = unpack(*parse_index_list(parser, Parser.Delimiter.PAREN))
        if len(at) != len(chunks):
            parser.raise_error(
                f"must have an index for each of {len(chunks)} chunk counts, got "
                f"{len(at)}",
                pos,
                parser.pos,
            )
        op = cls(source, chunks, at)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(" ")
        chunks: list[Index] = [WHOLE if c == 1 else c for c in self.chunk_values]
        print_index_list(printer, chunks)
        printer.print_string(" at ")
        print_index_list(printer, self.at_values, "()")
        printer.print_op_attributes(self.attributes)

    def infer_type(self) -> TileType:
        source = self.source_type
        if not well_formed(self.at, self.static_at):
            raise VerifyException("must have one operand for each dynamic index")
        if len(self.static_at) != 2 * source.rank:
            raise VerifyException(
                f"must have {source.rank} chunk counts and {source.rank} indices for a "
                f"source of rank {source.rank}, got {len(self.static_at)} in all"
            )
        verify_names(self, (*self.at_values, *self.chunk_values))
        dims: list[Dim] = []
        for number, (dim, chunk, at) in enumerate(
            zip(source.dims, self.chunk_values, self.at_values, strict=True)
        ):
            if isinstance(chunk, int) and chunk < 1:
                raise VerifyException(f"chunk counts must be positive, got {chunk}")
            if at == WHOLE and chunk != 1:
                text = chunk if isinstance(chunk, int | str) else "a number of"
                raise VerifyException(f"dim {number} has {text} chunks but no index")
            if isinstance(at, int) and isinstance(chunk, int) and not 0 <= at < chunk:
                raise VerifyException(
                    f"index of dim {number} must be below its {chunk} chunks, got {at}"
                )
            if isinstance(dim, int) and isinstance(chunk, int) and dim != DYNAMIC:
                if dim % chunk:
                    raise VerifyException(
                        f"dim {number} must be divisible in {chunk} chunks, got {dim}"
                    )
            dims.append(_chunk(dim, chunk))
        return source.with_shape(dims)


def _chunk(dim: Dim, chunk: Index) -> Dim:
    """The extent of a chunk of a dim."""
    if chunk == 1:
        return dim
    if isinstance(chunk, int) and isinstance(dim, int) and dim != DYNAMIC:
        # A wrong count is for the verifier to report.
        return max(1, dim // max(1, chunk))
    return DYNAMIC


@irdl_op_definition
class SlotOp(ViewOp):
    """
    One stage of a buffer array: stage order mod S of its leading dim, or stage i.

    ```mlir
    %as = croq.slot %a_s at %k
    %a0 = croq.slot %a_s[0]
    ```
    """

    name = "croq.slot"

    source = operand_def(TileType)
    order = var_operand_def(IndexType)
    static_order = prop_def(IndexListAttr)
    offset = opt_prop_def(IndexListAttr)
    by_slot = opt_prop_def(UnitAttr)
    result = result_def(TileType)

    def __init__(self, source: SSAValue, position: Position):
        source_type = tile_type(source)
        operands, properties = position.to_op("order")
        super().__init__(
            operands=[source, operands],
            result_types=[source_type.with_shape(source_type.dims[1:])],
            properties=properties,
        )

    @property
    def position(self) -> Position:
        """Which stage."""
        return Position.of_op(self.order, self.static_order, self.offset, self.by_slot)

    @property
    def stages(self) -> Dim:
        """The number of stages of the source."""
        return self.source_type.dims[0]

    @classmethod
    def parse(cls, parser: Parser) -> SlotOp:
        source = parse_tile(parser)
        op = cls(source, parse_position(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        self.position.print(printer)
        printer.print_op_attributes(self.attributes)

    def infer_type(self) -> TileType:
        source = self.source_type
        if source.rank < 2:
            raise VerifyException(
                f"source must have a leading dim of stages, got rank {source.rank}"
            )
        self.position.verify(self, source.dims[:1])
        if self.position.every:
            raise VerifyException("must have one order or slot, got all")
        if not self.position.by_slot:
            self._verify_stages()
        return source.with_shape(source.dims[1:])

    def _verify_stages(self) -> None:
        """An order counts a number of stages that is known while compiling."""
        if isinstance(self.stages, int) and self.stages != DYNAMIC:
            return
        try:
            if isinstance(self.stages, str):
                verify_type_names(self, [self.stages], params=True)
                return
        except VerifyException:
            pass
        raise VerifyException(
            "order must count a constant number of stages, got "
            f"{'?' if self.stages == DYNAMIC else self.stages} (a launch decides it; "
            "[%i] takes a stage by its number)"
        )
