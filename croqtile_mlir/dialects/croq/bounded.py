"""
Bounded indices: index values that carry the extent they stay below.

Indices of `croq.parallel` and `croq.foreach`, results of `croq.with` and of
`croq.compose` are bounded. `croq.axis` reads the extent, `croq.span` that of a tile.
`--lower-indices` turns these ops into arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntAttr
from xdsl.ir import Block, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
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
    Index,
    IndexListAttr,
    pack,
    parse_index,
    print_index,
    unpack,
    verify_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.loops import ForeachOp
from croqtile_mlir.dialects.croq.structure import ParallelOp
from croqtile_mlir.dialects.croq.types import TileType

_index = IndexType()


@irdl_op_definition
class WithOp(IRDLOperation):
    """
    A bounded index without a loop: an index below an extent, 0 unless it says `at`.

    ```mlir
    %k = croq.with 16
    %last = croq.with %tiles at 3
    ```
    """

    name = "croq.with"

    values = var_operand_def(IndexType)
    static_values = prop_def(IndexListAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, extent: Index, at: Index = 0):
        operands, static = pack((extent, at))
        super().__init__(
            operands=[operands],
            result_types=[_index],
            properties={"static_values": static},
        )

    @property
    def extent(self) -> Index:
        """What the index stays below."""
        return unpack(self.values, self.static_values)[0]

    @property
    def at(self) -> Index:
        """The index."""
        return unpack(self.values, self.static_values)[1]

    @classmethod
    def parse(cls, parser: Parser) -> WithOp:
        extent = parse_index(parser)
        at: Index = 0
        if parser.parse_optional_keyword("at") is not None:
            at = parse_index(parser)
        op = cls(extent, at)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index(printer, self.extent)
        if self.at != 0:
            printer.print_string(" at ")
            print_index(printer, self.at)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.static_values) != 2 or not well_formed(
            self.values, self.static_values
        ):
            raise VerifyException("must have an extent and an index")
        verify_names(self, (self.extent, self.at))
        extent, at = self.extent, self.at
        if isinstance(extent, int) and extent < 1:
            raise VerifyException(f"extent must be positive, got {extent}")
        if isinstance(at, int) and at < 0:
            raise VerifyException(f"index must be >= 0, got {at}")
        if isinstance(extent, int) and isinstance(at, int) and at >= extent:
            raise VerifyException(f"index must be below its extent {extent}, got {at}")


@irdl_op_definition
class ComposeOp(IRDLOperation):
    """
    Several indices as one, the first slowest (Croqtile's `a#b`): a * extent of b + b.

    All but the first must be bounded. The result is bounded by the product of the
    extents if the first is too.

    ```mlir
    %row = croq.compose %block, %thread
    ```
    """

    name = "croq.compose"

    parts = var_operand_def(IndexType)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    assembly_format = "$parts attr-dict"

    def __init__(self, parts: Sequence[SSAValue]):
        super().__init__(operands=[parts], result_types=[_index])

    def verify_(self) -> None:
        if len(self.parts) < 2:
            raise VerifyException(
                f"must have two indices at least, got {len(self.parts)}"
            )
        for number, part in enumerate(self.parts[1:], 1):
            if extents_of_index(part) is None:
                raise VerifyException(
                    f"operand {number} must be bounded (an index of croq.parallel or "
                    "croq.foreach, or a result of croq.with or croq.compose), got "
                    f"{_origin(part)}"
                )


@irdl_op_definition
class AxisOp(IRDLOperation):
    """
    The extent of a bounded index (Croqtile's `#k`).

    Of `croq.foreach %k in lb to ub step s` it is ub.

    ```mlir
    %tiles = croq.axis %k
    ```
    """

    name = "croq.axis"

    of = operand_def(IndexType)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    assembly_format = "$of attr-dict"

    def __init__(self, of: SSAValue):
        super().__init__(operands=[of], result_types=[_index])

    def verify_(self) -> None:
        if extents_of_index(self.of) is None:
            raise VerifyException(
                "operand must be bounded (an index of croq.parallel or croq.foreach, "
                f"or a result of croq.with or croq.compose), got {_origin(self.of)}"
            )

    @property
    def extents(self) -> tuple[Index, ...]:
        """The numbers whose product the extent is."""
        return extents_of_index(self.of) or ()


@irdl_op_definition
class SpanOp(IRDLOperation):
    """
    The extent of a dim of a tile (Croqtile's `x.span(d)`), in elements.

    ```mlir
    %rows = croq.span %tile[0]
    ```
    """

    name = "croq.span"

    tile = operand_def(TileType)
    dim = prop_def(IntAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, tile: SSAValue, dim: int):
        super().__init__(
            operands=[tile], result_types=[_index], properties={"dim": IntAttr(dim)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> SpanOp:
        from croqtile_mlir.dialects.croq.views import parse_tile

        tile = parse_tile(parser)
        parser.parse_punctuation("[")
        dim = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation("]")
        op = cls(tile, dim)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        printer.print_string(f"[{self.dim.data}]")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        kind = self.tile.type
        rank = kind.rank if isinstance(kind, TileType) else 0
        if not 0 <= self.dim.data < rank:
            raise VerifyException(
                f"dim must be one of the {rank} of the tile, got {self.dim.data}"
            )


def extents_of_index(value: SSAValue) -> tuple[Index, ...] | None:
    """The numbers whose product bounds an index; None for one that is not bounded."""
    owner = value.owner
    if isinstance(owner, Block):
        match owner.parent_op():
            case ParallelOp() as parallel:
                return (parallel.extent_values[owner.args.index(value)],)
            case ForeachOp() as loop if value is loop.induction:
                return (loop.upper,)
            case _:
                return None
    match owner:
        case WithOp():
            return (owner.extent,)
        case ComposeOp():
            found = [extents_of_index(part) for part in owner.parts]
            known = [part for part in found if part is not None]
            if len(known) < len(found):
                return None
            return tuple(extent for part in known for extent in part)
        case _:
            return None


def _origin(value: SSAValue) -> str:
    owner = value.owner
    return "a block argument" if isinstance(owner, Block) else f"{owner.name}"
