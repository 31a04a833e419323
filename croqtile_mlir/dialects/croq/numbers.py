"""
Numbers that fill elements: a property of ops, in the text without a type.

An f64 for elements of floating point, an i64 for integers; it is converted to the type
of the elements where it is stored.
"""

from __future__ import annotations

from math import isfinite

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f64, i64
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

NumberAttr = FloatAttr | IntegerAttr


def verify_number(element: Attribute, value: NumberAttr, what: str) -> None:
    """Check that a number can be an element of a type; `what` is its name."""
    if not isinstance(element, IntegerType):
        if value.type != f64:
            raise VerifyException(
                f"{what} must be of floating point (f64) for elements of type "
                f"{element}, got {value}"
            )
        return
    if not isinstance(value, IntegerAttr) or value.type != i64:
        raise VerifyException(
            f"{what} must be an integer (i64) for elements of type {element}, got "
            f"{value}"
        )
    bits = element.bitwidth
    if not -(1 << (bits - 1)) <= value.value.data < 1 << bits:
        raise VerifyException(f"{what} must fit in {element}, got {value.value.data}")


def parse_number(parser: Parser) -> NumberAttr:
    """Parse an integer, a number with a point, `inf`, `-inf` or `nan`."""
    negative = parser.parse_optional_punctuation("-") is not None
    sign = -1 if negative else 1
    for word in ("inf", "nan"):
        if parser.parse_optional_keyword(word) is not None:
            return FloatAttr(sign * float(word), f64)
    number = parser.parse_number(allow_boolean=False)
    if isinstance(number, int):
        return IntegerAttr(sign * number, i64)
    return FloatAttr(sign * number, f64)


def print_number(printer: Printer, value: NumberAttr) -> None:
    """Print what `parse_number` reads."""
    number = value.value.data
    if isinstance(number, int) or not isfinite(number):
        printer.print_string(str(number))
    else:
        printer.print_float(number, f64)
