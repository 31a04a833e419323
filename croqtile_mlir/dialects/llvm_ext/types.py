"""Types and attributes of the `llvm` dialect, and questions about them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, VectorType
from xdsl.dialects.llvm import (
    GEP_USE_SSA_VAL,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

Value = SSAValue | Operation
"""What a constructor takes as an operand: a value, or an op with one result."""

GEP_DYNAMIC = GEP_USE_SSA_VAL
"""Stands in the constant indices of `getelementptr` for one that is an operand."""


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """Integers from `lower` to below `upper`, `#llvm.constant_range<i32, 0, 128>`."""

    name = "llvm.constant_range"

    width: IntAttr
    lower: IntAttr
    upper: IntAttr

    def __init__(self, width: int, lower: int, upper: int):
        super().__init__(IntAttr(width), IntAttr(lower), IntAttr(upper))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            type_ = str(parser.parse_type())
            if not type_.startswith("i") or not type_[1:].isdigit():
                parser.raise_error("expected an integer type", start, parser.pos)
            parser.parse_punctuation(",")
            lower = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            upper = parser.parse_integer(allow_boolean=False)
        return (IntAttr(int(type_[1:])), IntAttr(lower), IntAttr(upper))

    def print_parameters(self, printer: Printer) -> None:
        bounds = f"i{self.width.data}, {self.lower.data}, {self.upper.data}"
        with printer.in_angle_brackets():
            printer.print_string(bounds)


def pointer(space: int = 0) -> LLVMPointerType:
    """`!llvm.ptr` or `!llvm.ptr<space>`."""
    return LLVMPointerType(IntAttr(space)) if space else LLVMPointerType()


def bit_width(type_: Attribute) -> int | None:
    """The bits of a scalar or of a vector of scalars; None for any other type."""
    if isa(type_, VectorType):
        element = bit_width(type_.element_type)
        return None if element is None else element * type_.element_count()
    width = getattr(type_, "bitwidth", None)
    return width if isinstance(width, int) else None


def member_type(type_: Attribute, index: int) -> Attribute:
    """The type of a member of an array or struct.

    Raises VerifyException when there is none.
    """
    if isinstance(type_, LLVMArrayType):
        return type_.type
    if not isinstance(type_, LLVMStructType):
        raise VerifyException(
            f"index {index} must go into a struct or an array, got {type_}"
        )
    count = len(type_.types.data)
    if not 0 <= index < count:
        got = "an operand" if index == GEP_DYNAMIC else index
        raise VerifyException(
            f"index into {type_} must be a constant below {count}, got {got}"
        )
    return type_.types.data[index]


def nested_type(type_: Attribute, position: Sequence[int]) -> Attribute:
    """The type of a member of a member, and so on.

    Raises VerifyException when there is none.
    """
    for index in position:
        type_ = member_type(type_, index)
    return type_
