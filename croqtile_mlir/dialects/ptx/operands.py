"""
Operands of instructions: a register or an immediate, an address `[register + offset]`,
a list of registers and immediates, and the guard predicate. The assembly directives
that all ops share are here, and the text that each operand has in PTX.

An operand's type isn't written: it is that of the value, which is defined above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, IntAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.ptx.types import (
    GroupType,
    InstructionType,
    PTXType,
)

Source: TypeAlias = SSAValue | int
"""A register, or an immediate; of a floating-point immediate the bit pattern."""


@dataclass(frozen=True)
class Address:
    """A memory operand: the bytes from `base` + `offset` on."""

    base: SSAValue
    offset: int = 0


def immediate_of(directive: AttributeVariable, op: IRDLOperation) -> int | None:
    """The integer in a property that a directive holds, none when it is absent."""
    value = directive.get(op)
    return value.data if isa(value, IntAttr[int]) else None


ImmediatesAttr: TypeAlias = ArrayAttr[IntAttr | UnitAttr]
"""Beside a list of registers: an immediate, or `unit` where a register stands."""


def type_of(value: SSAValue) -> PTXType:
    """The type of a value of this dialect."""
    value_type = value.type
    assert isinstance(value_type, PTXType)
    return value_type


def register_text(op: Operation, value: SSAValue) -> str:
    """
    What `value` is called in PTX: `%r4`, and of a group `{%f0, %f1}`.

    Raises:
        CompileError: no register is assigned; `op` is where to point.
    """
    value_type = type_of(value)
    names = value_type.names
    if not names:
        fail(
            op,
            f"must have registers assigned to its values, got {value_type}",
            hint="run --assign-registers first",
        )
    if isinstance(value_type, GroupType):
        return "{" + ", ".join(names) + "}"
    return names[0]


def immediate_text(value: int, value_type: InstructionType | None = None) -> str:
    """An immediate in PTX; floating-point types take the bit pattern."""
    match value_type:
        case InstructionType.F32:
            return f"0f{value & 0xFFFFFFFF:08X}"
        case InstructionType.F64:
            return f"0d{value & 0xFFFFFFFFFFFFFFFF:016X}"
        case _:
            return str(value) if abs(value) < 1 << 16 else hex(value)


def source_text(
    op: Operation,
    value: SSAValue | None,
    immediate: IntAttr | None,
    value_type: InstructionType | None = None,
) -> str:
    """A register-or-immediate operand in PTX."""
    if value is not None:
        return register_text(op, value)
    assert immediate is not None
    return immediate_text(immediate.data, value_type)


def address_text(op: Operation, base: SSAValue, offset: IntAttr | None) -> str:
    """A memory operand in PTX, `[%r1+16]`, `[%r1+-16]`."""
    register = register_text(op, base)
    return f"[{register}+{offset.data}]" if offset else f"[{register}]"


def pack_source(source: Source | None) -> tuple[SSAValue | None, IntAttr | None]:
    """The operand and the property that hold a register-or-immediate."""
    if isinstance(source, int):
        return None, IntAttr(source)
    return source, None


def pack_offset(address: Address) -> IntAttr | None:
    """The property that holds an address' offset, none when it is zero."""
    return IntAttr(address.offset) if address.offset else None


def pack_sources(
    sources: Sequence[Source],
) -> tuple[list[SSAValue], ImmediatesAttr | None]:
    """The operands and the property that hold a list of registers and immediates."""
    registers = [source for source in sources if not isinstance(source, int)]
    if len(registers) == len(sources):
        return registers, None
    return registers, ArrayAttr(
        IntAttr(source) if isinstance(source, int) else UnitAttr() for source in sources
    )


def unpack_sources(
    registers: Sequence[SSAValue], immediates: ImmediatesAttr | None
) -> tuple[Source, ...]:
    """The registers and immediates that an op stores, in order."""
    if immediates is None:
        return tuple(registers)
    rest = iter(registers)
    return tuple(
        item.data if isinstance(item, IntAttr) else next(rest) for item in immediates
    )


def type_of_operand(parser: Parser, operand: UnresolvedOperand) -> Attribute:
    """The type of the value that an operand names, which must be defined above."""
    values = parser.ssa_values.get(operand.operand_name)
    if values is None or operand.index >= len(values):
        parser.raise_error(
            f"use of undefined value %{operand.operand_name}", operand.span
        )
    return values[operand.index].type


def _parse_immediate(parser: Parser) -> IntAttr:
    return IntAttr(parser.parse_integer(allow_boolean=False))


@irdl_custom_directive
class Register(CustomDirective):
    """A register, whose type is that of the value: `%a`."""

    value: OperandVariable
    value_type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operand = parser.parse_unresolved_operand()
        self.value.set(state, operand)
        self.value_type.set(state, (type_of_operand(parser, operand),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_ssa_value(self.value.get(op))


@irdl_custom_directive
class RegisterOrImmediate(CustomDirective):
    """A register or an immediate: `%a` or `-5`."""

    value: OptionalOperandVariable
    value_type: TypeDirective
    immediate: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operand = parser.parse_optional_unresolved_operand()
        self.value.set(state, operand)
        if operand is None:
            self.immediate.set(state, _parse_immediate(parser))
            self.value_type.set(state, ())
        else:
            self.value_type.set(state, (type_of_operand(parser, operand),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        value = self.value.get(op)
        if value is not None:
            printer.print_ssa_value(value)
            return
        printer.print_string(str(immediate_of(self.immediate, op)))


@irdl_custom_directive
class OptionalRegister(CustomDirective):
    """A register that may be absent, in an optional group of which it is the anchor."""

    value: OptionalOperandVariable
    value_type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operand = parser.parse_unresolved_operand()
        self.value.set(state, operand)
        self.value_type.set(state, (type_of_operand(parser, operand),))

    def set_empty(self, state: ParsingState) -> None:
        self.value.set(state, None)
        self.value_type.set(state, ())

    def is_present(self, op: IRDLOperation) -> bool:
        return self.value.get(op) is not None

    def is_anchorable(self) -> bool:
        return True

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if (value := self.value.get(op)) is not None:
            state.print_whitespace(printer)
            printer.print_ssa_value(value)


@irdl_custom_directive
class Sources(CustomDirective):
    """A list of registers and immediates: `%a, 4, %b`."""

    values: VariadicOperandVariable
    value_types: TypeDirective
    immediates: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        items: list[UnresolvedOperand | IntAttr] = []
        while True:
            operand = parser.parse_optional_unresolved_operand()
            items.append(operand or _parse_immediate(parser))
            if parser.parse_optional_punctuation(",") is None:
                break
        operands = [item for item in items if isinstance(item, UnresolvedOperand)]
        self.values.set(state, operands)
        self.value_types.set(
            state, tuple(type_of_operand(parser, operand) for operand in operands)
        )
        if len(operands) != len(items):
            self.immediates.set(
                state,
                ArrayAttr(
                    item if isinstance(item, IntAttr) else UnitAttr() for item in items
                ),
            )

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        immediates = self.immediates.get(op)
        rest = iter(self.values.get(op))
        if immediates is None:
            printer.print_list(rest, printer.print_ssa_value)
            return

        def print_item(item: IntAttr | UnitAttr) -> None:
            if isinstance(item, IntAttr):
                printer.print_string(str(item.data))
            else:
                printer.print_ssa_value(next(rest))

        assert isa(immediates, ImmediatesAttr)
        printer.print_list(immediates.data, print_item)


@irdl_custom_directive
class MemoryOperand(CustomDirective):
    """An address: `[%a]`, `[%a + 16]` or `[%a - 16]`."""

    base: OperandVariable
    base_type: TypeDirective
    offset: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("[")
        operand = parser.parse_unresolved_operand()
        self.base.set(state, operand)
        self.base_type.set(state, (type_of_operand(parser, operand),))
        if parser.parse_optional_punctuation("+") is not None:
            self.offset.set(state, _parse_immediate(parser))
        elif parser.parse_optional_punctuation("-") is not None:
            self.offset.set(state, IntAttr(-parser.parse_integer()))
        parser.parse_punctuation("]")

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        offset = immediate_of(self.offset, op)
        printer.print_string("[")
        printer.print_ssa_value(self.base.get(op))
        if offset:
            sign = "+" if offset > 0 else "-"
            printer.print_string(f" {sign} {abs(offset)}")
        printer.print_string("]")


@irdl_custom_directive
class Choice(CustomDirective):
    """The guard of an instruction with a result, and what that is where it is not
    executed, or nothing: `if %p else %old`, `if not %p else %old`."""

    predicate: OptionalOperandVariable
    predicate_type: TypeDirective
    negated: AttributeVariable
    otherwise: OptionalOperandVariable
    otherwise_type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("if") is None:
            for variable in (self.predicate, self.otherwise):
                variable.set(state, None)
            for types in (self.predicate_type, self.otherwise_type):
                types.set(state, ())
            return
        if parser.parse_optional_keyword("not") is not None:
            self.negated.set(state, UnitAttr())
        predicate = parser.parse_unresolved_operand()
        parser.parse_keyword("else")
        otherwise = parser.parse_unresolved_operand()
        self.predicate.set(state, predicate)
        self.predicate_type.set(state, (type_of_operand(parser, predicate),))
        self.otherwise.set(state, otherwise)
        self.otherwise_type.set(state, (type_of_operand(parser, otherwise),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        predicate, otherwise = self.predicate.get(op), self.otherwise.get(op)
        if predicate is None or otherwise is None:
            return
        state.print_whitespace(printer)
        printer.print_string("if not " if self.negated.get(op) else "if ")
        printer.print_ssa_value(predicate)
        printer.print_string(" else ")
        printer.print_ssa_value(otherwise)


@irdl_custom_directive
class Guard(CustomDirective):
    """The guard of an instruction, or nothing: `if %p`, `if not %p`."""

    predicate: OptionalOperandVariable
    predicate_type: TypeDirective
    negated: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("if") is None:
            self.predicate.set(state, None)
            self.predicate_type.set(state, ())
            return
        if parser.parse_optional_keyword("not") is not None:
            self.negated.set(state, UnitAttr())
        operand = parser.parse_unresolved_operand()
        self.predicate.set(state, operand)
        self.predicate_type.set(state, (type_of_operand(parser, operand),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        predicate = self.predicate.get(op)
        if predicate is None:
            return
        state.print_whitespace(printer)
        printer.print_string("if not " if self.negated.get(op) else "if ")
        printer.print_ssa_value(predicate)
