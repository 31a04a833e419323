"""Ops on values alone: literals, conversions, members of structs and vectors.

All are pure: dead ones disappear, equal ones are merged, loops are relieved of them.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    RangeOf,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext.types import (
    Value,
    bit_width,
    nested_type,
    pointer,
)


class _LiteralOp(IRDLOperation, ABC):
    """A value that is known from its type alone."""

    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class UndefOp(_LiteralOp):
    """Some value, not the same at every use.

    ```mlir
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32)>
    ```
    """

    name = "llvm.mlir.undef"


@irdl_op_definition
class PoisonOp(_LiteralOp):
    """A value that must not be used.

    ```mlir
    %p = llvm.mlir.poison : !llvm.struct<(f32, f32)>
    ```
    """

    name = "llvm.mlir.poison"


@irdl_op_definition
class ZeroOp(_LiteralOp):
    """The value whose bits are all zero.

    ```mlir
    %z = llvm.mlir.zero : !llvm.struct<(f32, f32)>
    ```
    """

    name = "llvm.mlir.zero"


class _CastOp(IRDLOperation, ABC):
    """A conversion of one value to another type."""

    value = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$value attr-dict `:` type($value) `to` type($result)"

    def __init__(self, value: Value, result_type: Attribute):
        super().__init__(operands=[value], result_types=[result_type])


def _check_kind(what: str, value: SSAValue, kind: type[Attribute], name: str) -> None:
    if not isinstance(value.type, kind):
        raise VerifyException(f"{what} must be {name}, got {value.type}")


@irdl_op_definition
class BitcastOp(_CastOp):
    """The same bits as another type of the same size.

    ```mlir
    %i = llvm.bitcast %v : vector<2xf16> to i32
    ```
    """

    name = "llvm.bitcast"

    def verify_(self) -> None:
        types = (self.value.type, self.result.type)
        if any(isinstance(t, LLVMPointerType) for t in types) and len(set(types)) > 1:
            raise VerifyException(
                "value and result must not be pointers of different spaces, nor a"
                f" pointer and something else, got {types[0]} and {types[1]}"
            )
        source, target = bit_width(self.value.type), bit_width(self.result.type)
        if source is not None and target is not None and source != target:
            raise VerifyException(
                f"value and result must have the same size, got {self.value.type} and"
                f" {self.result.type}"
            )


@irdl_op_definition
class AddrSpaceCastOp(_CastOp):
    """A pointer in another address space.

    ```mlir
    %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    ```
    """

    name = "llvm.addrspacecast"

    def __init__(self, value: Value, space: int = 0):
        super().__init__(value, pointer(space))

    def verify_(self) -> None:
        _check_kind("value", self.value, LLVMPointerType, "a pointer")
        _check_kind("result", self.result, LLVMPointerType, "a pointer")


@irdl_op_definition
class PtrToIntOp(_CastOp):
    """A pointer as an integer, truncated or extended with zeros.

    ```mlir
    %i = llvm.ptrtoint %p : !llvm.ptr<3> to i32
    ```
    """

    name = "llvm.ptrtoint"

    def __init__(self, value: Value, result_type: Attribute = i64):
        super().__init__(value, result_type)

    def verify_(self) -> None:
        _check_kind("value", self.value, LLVMPointerType, "a pointer")
        _check_kind("result", self.result, IntegerType, "an integer")


@irdl_op_definition
class IntToPtrOp(_CastOp):
    """An integer as a pointer.

    ```mlir
    %p = llvm.inttoptr %i : i32 to !llvm.ptr<3>
    ```
    """

    name = "llvm.inttoptr"

    def __init__(self, value: Value, space: int = 0):
        super().__init__(value, pointer(space))

    def verify_(self) -> None:
        _check_kind("value", self.value, IntegerType, "an integer")
        _check_kind("result", self.result, LLVMPointerType, "a pointer")


def _indices(position: int | Sequence[int]) -> tuple[int, ...]:
    return (position,) if isinstance(position, int) else tuple(position)


class _MemberOp(IRDLOperation, ABC):
    """An op on one member of a struct or array, named by constant indices."""

    position = prop_def(DenseArrayBase.constr(i64))

    traits = traits_def(Pure())

    @property
    def indices(self) -> tuple[int, ...]:
        """The position as Python integers."""
        return tuple(self.position.iter_values())

    def print_container(self, printer: Printer, container: SSAValue) -> None:
        """Print what follows the value: container, position, dictionary, type."""
        printer.print_ssa_value(container)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_int)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(container.type)


def _parse_container(parser: Parser):
    """Parse what `print_container` prints."""
    container = parser.parse_unresolved_operand()
    start = parser.pos
    position = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    try:
        member = nested_type(type_, position)
    except VerifyException as err:
        parser.raise_error(str(err), start, parser.pos)
    return parser.resolve_operand(container, type_), position, attributes, member


@irdl_op_definition
class ExtractValueOp(_MemberOp):
    """One member of a struct or array.

    ```mlir
    %x = llvm.extractvalue %s[1] : !llvm.struct<(f32, f32)>
    ```
    """

    name = "llvm.extractvalue"

    container = operand_def()
    result = result_def()

    def __init__(self, container: Value, position: int | Sequence[int]):
        indices = _indices(position)
        super().__init__(
            operands=[container],
            properties={"position": DenseArrayBase.from_list(i64, indices)},
            result_types=[nested_type(SSAValue.get(container).type, indices)],
        )

    def verify_(self) -> None:
        wanted = nested_type(self.container.type, self.indices)
        if self.result.type != wanted:
            raise VerifyException(f"result must be {wanted}, got {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ExtractValueOp:
        container, position, attributes, member = _parse_container(parser)
        return cls.build(
            operands=[container],
            properties={"position": DenseArrayBase.from_list(i64, position)},
            attributes=attributes,
            result_types=[member],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_container(printer, self.container)


@irdl_op_definition
class InsertValueOp(_MemberOp):
    """A struct or array with one member replaced.

    ```mlir
    %t = llvm.insertvalue %x, %s[1] : !llvm.struct<(f32, f32)>
    ```
    """

    name = "llvm.insertvalue"

    container = operand_def()
    value = operand_def()
    result = result_def()

    def __init__(self, container: Value, value: Value, position: int | Sequence[int]):
        super().__init__(
            operands=[container, value],
            properties={"position": DenseArrayBase.from_list(i64, _indices(position))},
            result_types=[SSAValue.get(container).type],
        )

    def verify_(self) -> None:
        wanted = nested_type(self.container.type, self.indices)
        if self.value.type != wanted:
            raise VerifyException(f"value must be {wanted}, got {self.value.type}")
        if self.result.type != self.container.type:
            raise VerifyException(
                f"result must be {self.container.type}, got {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> InsertValueOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        container, position, attributes, member = _parse_container(parser)
        return cls.build(
            operands=[container, parser.resolve_operand(value, member)],
            properties={"position": DenseArrayBase.from_list(i64, position)},
            attributes=attributes,
            result_types=[container.type],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        self.print_container(printer, self.container)


class _ElementOp(IRDLOperation, ABC):
    """An op on one element of a vector."""

    ELEMENT: ClassVar = VarConstraint("ELEMENT", AnyAttr())
    VECTOR: ClassVar = VarConstraint(
        "VECTOR",
        VectorType.constr(
            ELEMENT, shape=ArrayAttr.constr(RangeOf(IntAttr).of_length(1))
        ),
    )

    traits = traits_def(Pure())


@irdl_op_definition
class ExtractElementOp(_ElementOp):
    """One element of a vector.

    ```mlir
    %x = llvm.extractelement %v[%i : i32] : vector<4xf32>
    ```
    """

    name = "llvm.extractelement"

    vector = operand_def(_ElementOp.VECTOR)
    index = operand_def(IntegerType)
    result = result_def(_ElementOp.ELEMENT)

    assembly_format = (
        "$vector `[` $index `:` type($index) `]` attr-dict `:` type($vector)"
    )

    def __init__(self, vector: Value, index: Value):
        type_ = SSAValue.get(vector).type
        element = type_.element_type if isa(type_, VectorType) else type_
        super().__init__(operands=[vector, index], result_types=[element])


@irdl_op_definition
class InsertElementOp(_ElementOp):
    """A vector with one element replaced.

    ```mlir
    %w = llvm.insertelement %x, %v[%i : i32] : vector<4xf32>
    ```
    """

    name = "llvm.insertelement"

    vector = operand_def(_ElementOp.VECTOR)
    value = operand_def(_ElementOp.ELEMENT)
    index = operand_def(IntegerType)
    result = result_def(_ElementOp.VECTOR)

    assembly_format = (
        "$value `,` $vector `[` $index `:` type($index) `]` attr-dict `:` type($vector)"
    )

    def __init__(self, vector: Value, value: Value, index: Value):
        super().__init__(
            operands=[vector, value, index],
            result_types=[SSAValue.get(vector).type],
        )


OPS = (
    AddrSpaceCastOp,
    BitcastOp,
    ExtractElementOp,
    ExtractValueOp,
    InsertElementOp,
    InsertValueOp,
    IntToPtrOp,
    PoisonOp,
    PtrToIntOp,
    UndefOp,
    ZeroOp,
)
