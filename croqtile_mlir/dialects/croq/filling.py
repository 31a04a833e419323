"""Tiles that get one value, and returned tiles, which have none before."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.levels import verify_private_use
from croqtile_mlir.dialects.croq.numbers import (
    NumberAttr,
    parse_number,
    print_number,
    verify_number,
)
from croqtile_mlir.dialects.croq.types import TileType
from croqtile_mlir.dialects.croq.views import ViewOp, parse_tile, tile_type


@irdl_op_definition
class FillOp(IRDLOperation):
    """
    Gives all elements of a tile one value, by the threads of the scope; complete and
    visible to it on return.

    Elements out of the range of a global tile are not written. The value is a number of
    the kind of the elements, `inf`, `-inf` or `nan`.

    ```mlir
    croq.fill %sums, 0.0
    croq.fill %out_tile, -1
    ```
    """

    name = "croq.fill"

    tile = operand_def(TileType)
    value = prop_def(NumberAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, tile: SSAValue, value: NumberAttr):
        super().__init__(operands=[tile], properties={"value": value})

    @property
    def number(self) -> float:
        """The value, before it is converted to the type of the elements."""
        return self.value.value.data

    @classmethod
    def parse(cls, parser: Parser) -> FillOp:
        tile = parse_tile(parser)
        parser.parse_punctuation(",")
        op = cls(tile, parse_number(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        printer.print_string(", ")
        print_number(printer, self.value)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        verify_private_use(self)
        tile = tile_type(self.tile)
        verify_number(tile.element_type, self.value, "value")


_READS = ("croq.load", "croq.mma.exec", "croq.return")


def verify_returned(tiles: Sequence[SSAValue]) -> None:
    """
    Check that something is stored to each returned tile, which has no values before.

    Whether all of it is written is not known here: the simulator reports elements that
    are read before.
    """
    for number, tile in enumerate(tiles):
        if isinstance(tile.owner, Operation) and not _is_written(tile):
            raise VerifyException(
                f"tile {number} must be written before it is returned, got one that "
                "nothing stores to (croq.fill gives it a value)"
            )


def _is_written(tile: SSAValue) -> bool:
    for use in tile.uses:
        op = use.operation
        if isinstance(op, ViewOp):
            if any(map(_is_written, op.results)):
                return True
        elif op.name in ("croq.copy", "croq.copy_async"):
            if use.index == 1:
                return True
        elif op.name not in _READS:
            return True
    return False
