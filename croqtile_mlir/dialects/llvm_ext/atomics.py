"""Atomic updates and fences (`llvm`), as upstream spells them.

All have unknown effects: they are never removed, merged, or moved across.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from xdsl.dialects.builtin import (
    I64,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    ATOMIC_ORDERING_KEYWORDS,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext.types import Value


class Ordering(IntEnum):
    """LLVM's orderings that have a meaning on NVPTX."""

    Monotonic = 2
    Acquire = 4
    Release = 5
    AcqRel = 6
    SeqCst = 7


class BinOp(IntEnum):
    """What an update computes from the old value and its operand."""

    Xchg = 0
    Add = 1
    Sub = 2
    And = 3
    Nand = 4
    Or = 5
    Xor = 6
    Max = 7
    Min = 8
    UMax = 9
    UMin = 10
    FAdd = 11


_BIN_OP_KEYWORDS: Mapping[BinOp, str] = MappingProxyType(
    {
        **{op: op.name.lower() for op in BinOp},
        BinOp.And: "_and",
        BinOp.Or: "_or",
        BinOp.Xor: "_xor",
    }
)


def _ordering_attr(ordering: Ordering) -> IntegerAttr[I64]:
    return IntegerAttr(int(ordering), i64)


def _parse_syncscope(parser: Parser) -> StringAttr | None:
    if parser.parse_optional_keyword("syncscope") is None:
        return None
    with parser.in_parens():
        return StringAttr(parser.parse_str_literal())


def _parse_ordering(parser: Parser) -> IntegerAttr[I64]:
    start = parser.pos
    keyword = parser.parse_identifier()
    orderings = {name: value for value, name in ATOMIC_ORDERING_KEYWORDS.items()}
    if keyword not in orderings:
        parser.raise_error("expected an atomic ordering", start, parser.pos)
    return IntegerAttr(orderings[keyword], i64)


def _print_syncscope(printer: Printer, syncscope: StringAttr | None) -> None:
    if syncscope is not None:
        printer.print_string(" syncscope(")
        printer.print_string_literal(syncscope.data)
        printer.print_string(")")


def _print_ordering(printer: Printer, ordering: IntegerAttr[I64]) -> None:
    name = ATOMIC_ORDERING_KEYWORDS[ordering.value.data]
    printer.print_string(f" {name}")


def _check_ordering(what: str, ordering: IntegerAttr[I64], *allowed: Ordering) -> None:
    value = ordering.value.data
    if value not in allowed:
        names = ", ".join(ATOMIC_ORDERING_KEYWORDS[each] for each in allowed)
        got = ATOMIC_ORDERING_KEYWORDS.get(value, str(value))
        raise VerifyException(f"{what} must be one of {names}, got {got}")


def _scope_attr(syncscope: str) -> StringAttr | None:
    return StringAttr(syncscope) if syncscope else None


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Read, compute and write in one step; the result is the old value.

    ```mlir
    %old = llvm.atomicrmw add %p, %v syncscope("device") monotonic : !llvm.ptr<1>, i32
    ```
    """

    name = "llvm.atomicrmw"

    bin_op = prop_def(IntegerAttr[I64])
    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile = opt_prop_def(UnitAttr, prop_name="volatile_")
    result = result_def()

    def __init__(
        self,
        bin_op: BinOp,
        ptr: Value,
        val: Value,
        ordering: Ordering = Ordering.Monotonic,
        syncscope: str = "",
    ):
        value = SSAValue.get(val)
        super().__init__(
            operands=[ptr, value],
            properties={
                "bin_op": IntegerAttr(int(bin_op), i64),
                "ordering": _ordering_attr(ordering),
                "syncscope": _scope_attr(syncscope),
            },
            result_types=[value.type],
        )

    @property
    def kind(self) -> BinOp:
        """What is computed."""
        return BinOp(self.bin_op.value.data)

    @property
    def order(self) -> Ordering:
        """The ordering."""
        return Ordering(self.ordering.value.data)

    def verify_(self) -> None:
        if self.bin_op.value.data not in tuple(BinOp):
            raise VerifyException(
                f"bin_op must be from 0 to {max(BinOp)}, got {self.bin_op.value.data}"
            )
        _check_ordering("ordering", self.ordering, *Ordering)
        type_ = self.val.type
        floats = Float16Type | BFloat16Type | Float32Type | Float64Type
        is_float = isinstance(type_, floats) or (
            isa(type_, VectorType) and isinstance(type_.element_type, floats)
        )
        if not is_float and not isinstance(type_, IntegerType):
            raise VerifyException(f"val must be an integer or a float, got {type_}")
        if self.kind is not BinOp.Xchg and is_float is not (self.kind is BinOp.FAdd):
            raise VerifyException(
                f"val must be {'an integer' if is_float else 'a float'} for "
                f"{_BIN_OP_KEYWORDS[self.kind]}, got {type_}"
            )
        if self.result.type != type_:
            raise VerifyException(f"result must be {type_}, got {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        start = parser.pos
        word = parser.parse_identifier()
        known = {name: op for op, name in _BIN_OP_KEYWORDS.items()}
        if word not in known:
            parser.raise_error("expected an atomic operation", start, parser.pos)
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        syncscope = _parse_syncscope(parser)
        ordering = _parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        type_ = parser.parse_type()
        properties: dict[str, Attribute | None] = {
            "bin_op": IntegerAttr(int(known[word]), i64),
            "ordering": ordering,
            "syncscope": syncscope,
            "alignment": alignment,
            "volatile_": UnitAttr() if volatile else None,
        }
        return cls.build(
            operands=[
                parser.resolve_operand(ptr, ptr_type),
                parser.resolve_operand(val, type_),
            ],
            properties=properties,
            attributes=attributes,
            result_types=[type_],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile is not None else " ")
        printer.print_string(_BIN_OP_KEYWORDS[self.kind])
        printer.print_string(" ")
        printer.print_ssa_value(self.ptr)
        printer.print_string(", ")
        printer.print_ssa_value(self.val)
        _print_syncscope(printer, self.syncscope)
        _print_ordering(printer, self.ordering)
        shown = {k: v for k, v in self.properties.items() if k == "alignment"}
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(", ")
        printer.print_attribute(self.val.type)


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    """Write `val` where the old value is `cmp`; the old value, and whether it was.

    ```mlir
    %r = llvm.cmpxchg %p, %cmp, %val syncscope("device") acq_rel monotonic
        : !llvm.ptr<1>, i32
    ```
    """

    name = "llvm.cmpxchg"

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def(IntegerType)
    val = operand_def(IntegerType)
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    weak = opt_prop_def(UnitAttr)
    volatile = opt_prop_def(UnitAttr, prop_name="volatile_")
    result = result_def(LLVMStructType)

    def __init__(
        self,
        ptr: Value,
        cmp: Value,
        val: Value,
        success: Ordering = Ordering.Monotonic,
        failure: Ordering = Ordering.Monotonic,
        syncscope: str = "",
    ):
        value = SSAValue.get(val)
        super().__init__(
            operands=[ptr, cmp, value],
            properties={
                "success_ordering": _ordering_attr(success),
                "failure_ordering": _ordering_attr(failure),
                "syncscope": _scope_attr(syncscope),
            },
            result_types=[LLVMStructType.from_type_list([value.type, i1])],
        )

    @property
    def order(self) -> Ordering:
        """The ordering where the value is written."""
        return Ordering(self.success_ordering.value.data)

    def verify_(self) -> None:
        _check_ordering("success_ordering", self.success_ordering, *Ordering)
        _check_ordering(
            "failure_ordering",
            self.failure_ordering,
            Ordering.Monotonic,
            Ordering.Acquire,
            Ordering.SeqCst,
        )
        if self.cmp.type != self.val.type:
            raise VerifyException(
                f"cmp and val must have the same type, got {self.cmp.type} and "
                f"{self.val.type}"
            )
        wanted = LLVMStructType.from_type_list([self.val.type, i1])
        if self.result.type != wanted:
            raise VerifyException(f"result must be {wanted}, got {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicCmpXchgOp:
        weak = parser.parse_optional_keyword("weak") is not None
        volatile = parser.parse_optional_keyword("volatile") is not None
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        cmp = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        syncscope = _parse_syncscope(parser)
        success, failure = _parse_ordering(parser), _parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        type_ = parser.parse_type()
        properties: dict[str, Attribute | None] = {
            "success_ordering": success,
            "failure_ordering": failure,
            "syncscope": syncscope,
            "alignment": alignment,
            "weak": UnitAttr() if weak else None,
            "volatile_": UnitAttr() if volatile else None,
        }
        return cls.build(
            operands=[
                parser.resolve_operand(ptr, ptr_type),
                parser.resolve_operand(cmp, type_),
                parser.resolve_operand(val, type_),
            ],
            properties=properties,
            attributes=attributes,
            result_types=[LLVMStructType.from_type_list([type_, i1])],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" weak" if self.weak is not None else "")
        printer.print_string(" volatile " if self.volatile is not None else " ")
        printer.print_list((self.ptr, self.cmp, self.val), printer.print_ssa_value)
        _print_syncscope(printer, self.syncscope)
        _print_ordering(printer, self.success_ordering)
        _print_ordering(printer, self.failure_ordering)
        shown = {k: v for k, v in self.properties.items() if k == "alignment"}
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(", ")
        printer.print_attribute(self.val.type)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Order the accesses of the thread before it with those after it.

    ```mlir
    llvm.fence syncscope("device") acq_rel
    ```
    """

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)

    def __init__(self, ordering: Ordering, syncscope: str = ""):
        super().__init__(
            properties={
                "ordering": _ordering_attr(ordering),
                "syncscope": _scope_attr(syncscope),
            }
        )

    @property
    def order(self) -> Ordering:
        """The ordering."""
        return Ordering(self.ordering.value.data)

    def verify_(self) -> None:
        _check_ordering(
            "ordering",
            self.ordering,
            Ordering.Acquire,
            Ordering.Release,
            Ordering.AcqRel,
            Ordering.SeqCst,
        )

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        syncscope = _parse_syncscope(parser)
        ordering = _parse_ordering(parser)
        return cls.build(
            properties={"ordering": ordering, "syncscope": syncscope},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        _print_syncscope(printer, self.syncscope)
        _print_ordering(printer, self.ordering)
        printer.print_op_attributes(self.attributes)


OPS = (AtomicCmpXchgOp, AtomicRMWOp, FenceOp)
