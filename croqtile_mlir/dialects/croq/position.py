"""
Which slot of a ring: `at order`, `[slot]`, or all slots.

An order counts generations over all slots over the life of the block: slot = order mod
S, generation = order div S. `[slot]` means the next generation of that slot for the
role; a slot of an array has two indices, `[i, j]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    pack,
    parse_index,
    print_index,
    print_index_list,
    unpack,
    verify_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.types import DYNAMIC, Dim


@dataclass(frozen=True)
class Position:
    """
    A slot of a ring: `at base + offset` (an order), or `[base]` when `by_slot`.

    `offset` is an integer or the name of a parameter. `column` is the second index of a
    slot of an array of two dims. `every`: each slot, by slot; `base` says nothing then.
    """

    base: Index
    offset: int | str = 0
    by_slot: bool = False
    column: Index | None = None
    every: bool = False

    @property
    def indices(self) -> tuple[Index, ...]:
        """What is written: the order, or the indices of the slot; none for all."""
        if self.every:
            return ()
        return (self.base,) if self.column is None else (self.base, self.column)

    @classmethod
    def of_op(
        cls,
        operands: Sequence[SSAValue],
        static: IndexListAttr,
        offset: IndexListAttr | None,
        by_slot: UnitAttr | None,
    ) -> Position:
        """Read a position from the fields of an op."""
        most = 1 if by_slot is None else 2
        if not well_formed(operands, static) or len(static) > most:
            raise VerifyException("must have one order or slot")
        if by_slot is None and not len(static):
            raise VerifyException("must have one order or slot")
        shift: int | str = 0
        if offset is not None:
            single = len(offset) == 1 and well_formed((), offset)
            stated = unpack((), offset)[0] if single else None
            if stated is None or isinstance(stated, SSAValue):
                raise VerifyException("offset must be one integer or name")
            shift = stated
        listed = unpack(operands, static)
        if not listed:
            return EVERY
        base, *more = listed
        return cls(base, shift, by_slot is not None, more[0] if more else None)

    def to_op(self, field: str) -> tuple[list[SSAValue], dict[str, Attribute | None]]:
        """The operand and the properties `static_<field>`, `offset`, `by_slot`."""
        operands, static = pack(self.indices)
        return operands, {
            f"static_{field}": static,
            "offset": None if self.offset == 0 else pack((self.offset,))[1],
            "by_slot": UnitAttr() if self.by_slot else None,
        }

    def print(self, printer: Printer) -> None:
        """Print ` at %k + S`, `[%i]` or ` all`."""
        if self.every:
            printer.print_string(" all")
            return
        if self.by_slot:
            print_index_list(printer, self.indices)
            return
        printer.print_string(" at ")
        print_index(printer, self.base)
        if self.offset != 0:
            printer.print_string(f" + {self.offset}")

    def verify(self, op: Operation, dims: Sequence[Dim]) -> None:
        """Check the names and a static slot against the extents of the slots."""
        verify_names(op, (*self.indices, self.offset))
        if self.every:
            return
        if self.by_slot:
            self._verify_slot(dims)
        if isinstance(self.base, int) and self.base < 0:
            raise VerifyException(f"order must be >= 0, got {self.base}")

    def _verify_slot(self, dims: Sequence[Dim]) -> None:
        indices = self.indices
        if len(indices) != len(dims):
            raise VerifyException(
                f"slot must have {len(dims)} indices, got {len(indices)}"
            )
        for index, extent in zip(indices, dims, strict=True):
            if (
                isinstance(index, int)
                and isinstance(extent, int)
                and extent != DYNAMIC
                and not 0 <= index < extent
            ):
                raise VerifyException(f"slot must be below {extent}, got {index}")


EVERY = Position(0, by_slot=True, every=True)
"""All slots, each by slot."""


def parse_position(parser: Parser, dims: Sequence[Dim] = (1,)) -> Position:
    """
    Parse `at %k (+ c)?`, `[%i]`, `[%i, %j]` or `all`.

    Nothing is `all`, or `[0]` where the only of `dims` is 1.
    """
    if parser.parse_optional_keyword("at") is not None:
        base = parse_index(parser)
        if parser.parse_optional_punctuation("+") is None:
            return Position(base)
        pos = parser.pos
        offset = parse_index(parser)
        if isinstance(offset, SSAValue):
            parser.raise_error(
                "an offset of an order must be an integer or a name", pos, parser.pos
            )
        return Position(base, offset)
    if parser.parse_optional_keyword("all") is not None:
        return EVERY
    if parser.parse_optional_punctuation("[") is not None:
        base = parse_index(parser)
        column = None
        if parser.parse_optional_punctuation(",") is not None:
            column = parse_index(parser)
        parser.parse_punctuation("]")
        return Position(base, by_slot=True, column=column)
    return Position(0, by_slot=True, every=tuple(dims) != (1,))
