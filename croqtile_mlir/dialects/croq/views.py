"""
Views: parts of tiles.

A *tile index* counts tiles, an *element offset* counts elements; the ops that take one
or the other have different names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

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


def _ints(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(v) for v in values)


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

    source = operand_def(TileType)
    extents = prop_def(ArrayAttr[IntAttr | StringAttr])
    at = var_operand_def(IndexType)
    static_at = prop_def(IndexListAttr)
    result = result_def(TileType)

    def __init__(self, source: SSAValue, extents: Sequence[Dim], at: Sequence[Index]):
        operands, static = pack(at)
        source_type = tile_type(source)
        super().__init__(
            operands=[source, operands],
            result_types=[source_type.with_shape(list(extents))],
            properties={"extents": extents_attr(extents), "static_at": static},
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

    def infer_type(self) -> TileType:
        source = self.source_type
        if not well_formed(self.at, self.static_at):
            raise VerifyException("must have one operand for each dynamic index")
        verify_names(self, self.at_values)
        for what, got in (
            ("extents", len(self.extents)),
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
        names = [extent for extent in self.extent_dims if isinstance(extent, str)]
        verify_type_names(self, names, params=True)
        return source.with_shape(list(self.extent_dims))

    def _verify_window(
        self, offsets: Sequence[int | None], *, overhang: bool, before: bool = False
    ) -> None:
        for dim, (size, extent, offset) in enumerate(
            zip(self.source_type.dims, self.extent_dims, offsets, strict=True)
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

    In global memory it may overhang: loads fill with zero, stores are clipped.

    ```mlir
    %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
    ```
    """

    name = "croq.subspan"

    @classmethod
    def parse(cls, parser: Parser) -> SubspanOp:
        op = cls(*_parse_window(parser, "tile"))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_window(printer, self, "tile")

    def infer_type(self) -> TileType:
        result = super().infer_type()
        self._verify_window(
            [
                i * e if isinstance(i, int) and isinstance(e, int) else None
                for i, e in zip(self.at_values, self.extent_dims, strict=True)
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

    ```mlir
    %w = croq.view %lhs [128, 64] from (%row, 0)
    ```
    """

    name = "croq.view"

    @classmethod
    def parse(cls, parser: Parser) -> ElementViewOp:
        op = cls(*_parse_window(parser, "from"))
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
        )
        return result


def is_clipped(view: WindowOp) -> bool:
    """Whether a window at an element offset may leave its source: an argument."""
    source = view.viewed
    return (
        tile_type(source).memory_space is Space.Global
        and not isinstance(source.owner, ViewOp)
        and isinstance(view, ElementViewOp)
    )


def _parse_window(
    parser: Parser, keyword: str
) -> tuple[SSAValue, list[Dim], tuple[Index, ...]]:
    source = parse_tile(parser)

    def parse_extent() -> Dim:
        name = parser.parse_optional_identifier()
        return parser.parse_integer(allow_boolean=False) if name is None else name

    extents = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parse_extent)
    parser.parse_keyword(keyword)
    return source, extents, unpack(*parse_index_list(parser, Parser.Delimiter.PAREN))


def _print_window(printer: Printer, op: WindowOp, keyword: str) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(op.source)
    extents = ", ".join(str(extent) for extent in op.extent_dims)
    printer.print_string(f" [{extents}] {keyword} ")
    print_index_list(printer, op.at_values, "()")
    printer.print_op_attributes(op.attributes)


@irdl_op_definition
class ChunkAtOp(ViewOp):
    """
    Divides each dim into a number of equal chunks and takes the chunk at an index.

    `_` keeps a dim whole. A static extent must be divisible; a symbolic one is checked
    at launch.

    ```mlir
    %slice = croq.chunkat %a [_, 4] at (_, %kk)
    ```
    """

    name = "croq.chunkat"

    source = operand_def(TileType)
    chunks = prop_def(ArrayAttr[IntAttr])
    at = var_operand_def(IndexType)
    static_at = prop_def(IndexListAttr)
    result = result_def(TileType)

    def __init__(self, source: SSAValue, chunks: Sequence[int], at: Sequence[Index]):
        operands, static = pack(at)
        source_type = tile_type(source)
        dims: list[Dim] = []
        for dim, chunk in zip(source_type.dims, chunks, strict=False):
            if chunk == 1:
                dims.append(dim)
            elif isinstance(dim, str) or dim == DYNAMIC:
                dims.append(DYNAMIC)
            else:
                # A wrong count is for the verifier to report.
                dims.append(max(1, dim // max(1, chunk)))
        super().__init__(
            operands=[source, operands],
            result_types=[source_type.with_shape(dims)],
            properties={"chunks": _ints(chunks), "static_at": static},
        )

    @property
    def chunk_values(self) -> tuple[int, ...]:
        """The number of chunks of each dim; 1 keeps a dim whole."""
        return tuple(c.data for c in self.chunks)

    @property
    def at_values(self) -> tuple[Index, ...]:
        """The chunk index of each dim; `_` for a dim that is kept whole."""
        return unpack(self.at, self.static_at)

    @classmethod
    def parse(cls, parser: Parser) -> ChunkAtOp:
        source = parse_tile(parser)

        def parse_chunk() -> int:
            if parser.parse_optional_keyword(WHOLE) is not None:
                return 1
            return parser.parse_integer(allow_boolean=False)

        chunks = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parse_chunk)
        parser.parse_keyword("at")
        at = unpack(*parse_index_list(parser, Parser.Delimiter.PAREN))
        op = cls(source, chunks, at)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        chunks = ", ".join(WHOLE if c == 1 else str(c) for c in self.chunk_values)
        printer.print_string(f" [{chunks}] at ")
        print_index_list(printer, self.at_values, "()")
        printer.print_op_attributes(self.attributes)

    def infer_type(self) -> TileType:
        source = self.source_type
        if not well_formed(self.at, self.static_at):
            raise VerifyException("must have one operand for each dynamic index")
        verify_names(self, self.at_values)
        for what, got in (
            ("chunk counts", len(self.chunks)),
            ("indices", len(self.static_at)),
        ):
            if got != source.rank:
                raise VerifyException(
                    f"must have {source.rank} {what} for a source of rank "
                    f"{source.rank}, got {got}"
                )
        dims: list[Dim] = []
        for number, (dim, chunk, at) in enumerate(
            zip(source.dims, self.chunk_values, self.at_values, strict=True)
        ):
            if chunk < 1:
                raise VerifyException(f"chunk counts must be positive, got {chunk}")
            if (at == WHOLE) and chunk != 1:
                raise VerifyException(f"dim {number} has {chunk} chunks but no index")
            if isinstance(at, int) and not 0 <= at < chunk:
                raise VerifyException(
                    f"index of dim {number} must be below its {chunk} chunks, got {at}"
                )
            if isinstance(dim, str) or dim == DYNAMIC:
                dims.append(dim if chunk == 1 else DYNAMIC)
            elif dim % chunk:
                raise VerifyException(
                    f"dim {number} must be divisible in {chunk} chunks, got {dim}"
                )
            else:
                dims.append(dim // chunk)
        return source.with_shape(dims)


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
        self.position.verify(self, source.dims[0])
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
