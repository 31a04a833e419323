"""
Which slot of a ring: `at order`, or `[slot]`.

An order counts generations over all slots over the life of the block: slot = order mod
S, generation = order div S. `[slot]` means the next generation of that slot for the
role.
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
    unpack,
    verify_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.types import DYNAMIC, Dim


@dataclass(frozen=True)
class Position:
    """
    A slot of a ring: `at base + offset` (an order), or `[base]` when `by_slot`.

    `offset` is an integer or the name of a parameter.
    """

    base: Index
    offset: int | str = 0
    by_slot: bool = False

    @classmethod
    def of_op(
        cls,
        operands: Sequence[SSAValue],
        static: IndexListAttr,
        offset: IndexListAttr | None,
        by_slot: UnitAttr | None,
    ) -> Position:
        """Read a position from the fields of an op; the scalar position is `[0]`."""
        if not well_formed(operands, static) or len(static) != 1:
            raise VerifyException("must have one order or slot")
        shift: int | str = 0
        if offset is not None:
            single = len(offset) == 1 and well_formed((), offset)
            stated = unpack((), offset)[0] if single else None
            if stated is None or isinstance(stated, SSAValue):
                raise VerifyException("offset must be one integer or name")
            shift = stated
        return cls(unpack(operands, static)[0], shift, by_slot is not None)

    def to_op(self, field: str) -> tuple[list[SSAValue], dict[str, Attribute | None]]:
        """The operand and the properties `static_<field>`, `offset`, `by_slot`."""
        operands, static = pack((self.base,))
        return operands, {
            f"static_{field}": static,
            "offset": None if self.offset == 0 else pack((self.offset,))[1],
            "by_slot": UnitAttr() if self.by_slot else None,
        }

    def print(self, printer: Printer) -> None:
        """Print ` at %k + S` or `[%i]`."""
        if self.by_slot:
            printer.print_string("[")
            print_index(printer, self.base)
            printer.print_string("]")
            return
        printer.print_string(" at ")
        print_index(printer, self.base)
        if self.offset != 0:
            printer.print_string(f" + {self.offset}")

    def verify(self, op: Operation, slots: Dim) -> None:
        """Check the names and a static slot against the number of slots."""
        verify_names(op, (self.base, self.offset))
        if (
            self.by_slot
            and isinstance(self.base, int)
            and isinstance(slots, int)
            and slots != DYNAMIC
            and not 0 <= self.base < slots
        ):
            raise VerifyException(f"slot must be below {slots}, got {self.base}")
        if isinstance(self.base, int) and self.base < 0:
            raise VerifyException(f"order must be >= 0, got {self.base}")


def parse_position(parser: Parser) -> Position:
    """Parse `at %k (+ c)?`, `[%i]`, or nothing, which is `[0]`."""
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
    if parser.parse_optional_punctuation("[") is not None:
        base = parse_index(parser)
        parser.parse_punctuation("]")
        return Position(base, by_slot=True)
    return Position(0, by_slot=True)
