"""
Groups of registers: named lane by lane (`split`, `join`), filled, copied. A `split` and
a `join` print nothing: the lanes of the group and the single registers are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import ANY_VALUE, DATA_REGISTER, GROUP
from croqtile_mlir.dialects.ptx.instruction import AssemblyOp, StructuralOp
from croqtile_mlir.dialects.ptx.operands import (
    Register,
    immediate_of,
    immediate_text,
    type_of,
    type_of_operand,
)
from croqtile_mlir.dialects.ptx.types import (
    GroupType,
    InstructionType,
    PTXType,
    register_type,
)


@irdl_custom_directive
class RegisterList(CustomDirective):
    """Registers, whose types are those of the values: `%a, %b`."""

    values: VariadicOperandVariable
    value_types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        self.values.set(state, operands)
        self.value_types.set(
            state, tuple(type_of_operand(parser, operand) for operand in operands)
        )

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(self.values.get(op), printer.print_ssa_value)


@irdl_custom_directive
class Immediate(CustomDirective):
    """An integer: `-5`."""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        value = parser.parse_integer(allow_boolean=False)
        self.value.set(state, IntAttr(value))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(str(immediate_of(self.value, op)))


@irdl_op_definition
class SplitOp(StructuralOp):
    """
    The registers of a group, one by one.

    `%a, %b = ptx.split %g : !ptx.reg<f32>, !ptx.reg<f32>`
    """

    name = "ptx.split"

    group = operand_def(GROUP)
    lanes = var_result_def(DATA_REGISTER)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "custom<Register>($group, type($group)) attr-dict `:` type($lanes)"
    )

    def __init__(self, group: SSAValue):
        group_type = type_of(group)
        lane = register_type(group_type.kind)
        Operation.__init__(
            self, operands=(group,), result_types=(lane,) * group_type.lanes
        )

    def verify_(self) -> None:
        _check_lanes(self.group, self.lanes)


@irdl_op_definition
class JoinOp(StructuralOp):
    """
    A group of single registers, in order.

    `%g = ptx.join %a, %b : !ptx.group<f32 x 2>`
    """

    name = "ptx.join"

    lanes = var_operand_def(DATA_REGISTER)
    group = result_def(GROUP)

    traits = traits_def(Pure())

    custom_directives = (RegisterList,)

    SYNTAX: ClassVar[str] = (
        "custom<RegisterList>($lanes, type($lanes)) attr-dict `:` type($group)"
    )

    def __init__(self, lanes: Sequence[SSAValue]):
        group = GroupType(type_of(lanes[0]).kind, len(lanes))
        Operation.__init__(self, operands=lanes, result_types=(group,))

    def verify_(self) -> None:
        _check_lanes(self.group, self.lanes)


def _check_lanes(group: SSAValue, lanes: Sequence[SSAValue]) -> None:
    group_type = type_of(group)
    if len(lanes) != group_type.lanes:
        raise VerifyException(
            f"a group of {group_type.lanes} registers must have as many lanes, "
            f"got {len(lanes)}"
        )
    lane_types = [type_of(lane) for lane in lanes]
    for lane_type in lane_types:
        if lane_type.kind is not group_type.kind:
            raise VerifyException(f"lanes must be {group_type.kind}, got {lane_type}")
    names = tuple(name for lane_type in lane_types for name in lane_type.names)
    if names != group_type.names:
        raise VerifyException(
            f"lanes must be the registers of the group, {', '.join(group_type.names)}, "
            f"got {', '.join(names)}"
        )


@irdl_op_definition
class UndefOp(StructuralOp):
    """
    Registers whose contents do not matter.

    `%g = ptx.undef : !ptx.group<f32 x 64>`
    """

    name = "ptx.undef"

    result = result_def(ANY_VALUE)

    traits = traits_def(Pure())

    SYNTAX: ClassVar[str] = "attr-dict `:` type($result)"

    def __init__(self, result_type: PTXType):
        super().__init__(result_types=[result_type])


def _move_type(value_type: PTXType) -> InstructionType:
    return InstructionType(value_type.kind.value)


@irdl_op_definition
class FillGroupOp(AssemblyOp):
    """
    Every register of a group set to one immediate (of a floating-point one the bits):
    one instruction a register, all on one line.

    `%g = ptx.fill_group 0 : !ptx.group<f32 x 2>` prints
    `mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000;`
    """

    name = "ptx.fill_group"

    value = prop_def(IntAttr)
    group = result_def(GROUP)

    traits = traits_def(Pure())

    custom_directives = (Immediate,)

    SYNTAX: ClassVar[str] = "custom<Immediate>($value) attr-dict `:` type($group)"

    def __init__(self, value: int, group_type: GroupType):
        super().__init__(
            result_types=[group_type], properties={"value": IntAttr(value)}
        )

    def assembly_line(self) -> str | None:
        self.register(self.group)
        group_type = type_of(self.group)
        move = _move_type(group_type)
        value = immediate_text(self.value.data, move)
        return " ".join(f"mov.{move} {name}, {value};" for name in group_type.names)


@irdl_op_definition
class MoveGroupOp(AssemblyOp):
    """
    A copy of a group into other registers: one instruction a register, all on one line.

    `%h = ptx.mov_group %g : !ptx.group<f32 x 2>` prints
    `mov.f32 %f2, %f0; mov.f32 %f3, %f1;`
    """

    name = "ptx.mov_group"

    source = operand_def(GROUP)
    group = result_def(GROUP)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "custom<Register>($source, type($source)) attr-dict `:` type($group)"
    )

    def __init__(self, source: SSAValue, group_type: GroupType):
        super().__init__(operands=[source], result_types=[group_type])

    def assembly_line(self) -> str | None:
        for value in (self.source, self.group):
            self.register(value)
        group_type, source_type = type_of(self.group), type_of(self.source)
        move = _move_type(group_type)
        # Lanes that are in place need no move; no lane may be read after it is written.
        return " ".join(
            f"mov.{move} {name}, {source};"
            for name, source in zip(group_type.names, source_type.names, strict=True)
            if name != source
        )

    def verify_(self) -> None:
        source, group = type_of(self.source), type_of(self.group)
        if (source.kind, source.lanes) != (group.kind, group.lanes):
            raise VerifyException(f"source must be like the result, got {source}")
        written: set[str] = set()
        for name, read in zip(group.names, source.names):
            if read in written and read != name:
                raise VerifyException(f"{read} must be read before it is written")
            written.add(name)


OPS = (
    FillGroupOp,
    JoinOp,
    MoveGroupOp,
    SplitOp,
    UndefOp,
)
