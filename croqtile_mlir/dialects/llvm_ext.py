"""The `llvm` dialect: xDSL's, with what is missing or that upstream doesn't accept.

Import the classes from here: `LLVM` holds these, and xDSL's own for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """Integers from `lower` to below `upper`, `#llvm.constant_range<i32, 0, 128>`."""

    name = "llvm.constant_range"

    width: IntAttr
    lower: IntAttr
    upper: IntAttr

    def __init__(self, width: int, lower: int, upper: int):
        super().__init__(IntAttr(width), IntAttr(lower), IntAttr(upper))

    def verify(self) -> None:
        if self.lower == self.upper:
            raise VerifyException(
                f"bounds of a range must differ, got {self.lower.data} twice"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            type_ = parser.parse_type()
            bits = str(type_)[1:]
            if not str(type_).startswith("i") or not bits.isdigit():
                parser.raise_error("expected an integer type", start, parser.pos)
            parser.parse_punctuation(",")
            lower = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            upper = parser.parse_integer(allow_boolean=False)
        return (IntAttr(int(bits)), IntAttr(lower), IntAttr(upper))

    def print_parameters(self, printer: Printer) -> None:
        bounds = f"i{self.width.data}, {self.lower.data}, {self.upper.data}"
        with printer.in_angle_brackets():
            printer.print_string(bounds)
