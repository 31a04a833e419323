"""Accumulators to shared tiles."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, IntAttr, bf16, f16, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.mma import acc_type, parse_acc
from croqtile_mlir.dialects.croq.reshapes import why_not_box
from croqtile_mlir.dialects.croq.types import AccType, Dim, Space, TileType, print_dim
from croqtile_mlir.dialects.croq.views import parse_tile, tile_type

STORE_COLS = 16
"""Columns that one `stmatrix` stores; a part of an accumulator is some of these."""


@irdl_op_definition
class MmaStoreOp(IRDLOperation):
    """
    Writes an accumulator to a shared or global tile, converted to its element type
    (round to nearest even). What of a global tile is out of range is not written.

    With `cols [first, last)` it writes these columns only, both multiples of 16.

    ```mlir
    croq.mma.store %acc => %o_s
    croq.mma.store %acc cols [64, 128) => %part
    ```
    """

    name = "croq.mma.store"

    acc = operand_def(AccType)
    tile = operand_def(TileType)
    first_col = opt_prop_def(IntAttr)
    last_col = opt_prop_def(IntAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self, acc: SSAValue, tile: SSAValue, cols: tuple[int, int] | None = None
    ):
        super().__init__(
            operands=[acc, tile],
            properties={
                "first_col": None if cols is None else IntAttr(cols[0]),
                "last_col": None if cols is None else IntAttr(cols[1]),
            },
        )

    @property
    def part(self) -> tuple[int, int] | None:
        """The first column that is stored and the one after the last; None for all."""
        if self.first_col is None or self.last_col is None:
            return None
        return self.first_col.data, self.last_col.data

    @classmethod
    def parse(cls, parser: Parser) -> MmaStoreOp:
        acc = parse_acc(parser)
        cols = None
        if parser.parse_optional_keyword("cols") is not None:
            parser.parse_punctuation("[")
            first = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            cols = first, parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(")")
        parser.parse_punctuation("=")
        parser.parse_punctuation(">")
        op = cls(acc, parse_tile(parser), cols)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.acc)
        if (part := self.part) is not None:
            printer.print_string(f" cols [{part[0]}, {part[1]})")
        printer.print_string(" => ")
        printer.print_ssa_value(self.tile)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        tile, acc = tile_type(self.tile), acc_type(self.acc)
        shape = (acc.dims[0], self._stored_cols(acc))
        if tile.memory_space is Space.Register or tile.dims != shape:
            rows, cols = map(print_dim, shape)
            raise VerifyException(
                f"tile must be a shared or global tile of shape {rows}x{cols}, got "
                f"{tile}"
            )
        if (reason := why_not_box(self.tile)) is not None:
            raise VerifyException(reason)
        types: tuple[Attribute, ...] = (acc.element_type,)
        if isinstance(acc.element_type, Float32Type):
            types = (f16, bf16, f32)
        if tile.element_type not in types:
            raise VerifyException(
                f"tile of an {acc.element_type} accumulator must be of "
                f"{' or '.join(map(str, types))}, got {tile.element_type}"
            )

    def _stored_cols(self, acc: AccType) -> Dim:
        if (self.first_col is None) is not (self.last_col is None):
            raise VerifyException("must have both ends of a range of columns, or none")
        cols = acc.dims[1]
        if (part := self.part) is None:
            return cols
        first, last = part
        if first % STORE_COLS or last % STORE_COLS:
            raise VerifyException(
                f"cols must be multiples of {STORE_COLS}, got [{first}, {last})"
            )
        if not 0 <= first < last or (isinstance(cols, int) and last > cols):
            raise VerifyException(
                f"cols must be a non-empty range of the {print_dim(cols)} columns of "
                f"the accumulator, got [{first}, {last})"
            )
        return last - first
