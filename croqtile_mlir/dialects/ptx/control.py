"""
Labels and branches. A branch carries the values of its target's block arguments; once
registers are assigned each value and its argument share one, and nothing is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import ANY_VALUE, PREDICATE_REGISTER
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    GuardedOp,
    StructuralOp,
)
from croqtile_mlir.dialects.ptx.operands import Guard, type_of_operand


@irdl_custom_directive
class BlockArguments(CustomDirective):
    """The values of a block's arguments, or nothing: `(%a, %b)`."""

    values: VariadicOperandVariable
    value_types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands: list[UnresolvedOperand] = []
        if parser.parse_optional_punctuation("("):
            operands = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(")")
        self.values.set(state, operands)
        self.value_types.set(
            state, tuple(type_of_operand(parser, operand) for operand in operands)
        )

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        values = self.values.get(op)
        if values:
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
            state.should_emit_space = True
            state.last_was_punctuation = False


@irdl_custom_directive
class Condition(CustomDirective):
    """The predicate of a branch: `%p` or `not %p`."""

    predicate: OperandVariable
    predicate_type: TypeDirective
    negated: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("not") is not None:
            self.negated.set(state, UnitAttr())
        operand = parser.parse_unresolved_operand()
        self.predicate.set(state, operand)
        self.predicate_type.set(state, (type_of_operand(parser, operand),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        if self.negated.get(op) is not None:
            printer.print_string("not ")
        printer.print_ssa_value(self.predicate.get(op))


@irdl_op_definition
class LabelOp(AssemblyOp):
    """
    The label of a block that branches go to; the first op of the block.

    `ptx.label "loop_1"` prints `$L_loop_1:`
    """

    name = "ptx.label"

    label = prop_def(StringAttr)

    SYNTAX: ClassVar[str] = "$label attr-dict"

    def __init__(self, label: str):
        super().__init__(properties={"label": StringAttr(label)})

    @property
    def text(self) -> str:
        """The label as branches name it."""
        return f"$L_{self.label.data}"

    def assembly_line(self) -> str | None:
        return f"{self.text}:"

    def verify_(self) -> None:
        label = self.label.data
        if not f"_{label}".isidentifier():
            raise VerifyException(
                f"label must be made of letters, digits and _, got {label}"
            )
        block = self.parent
        if block is not None and block.first_op is not self:
            raise VerifyException(f"must be the first op of its block, got {label}")


def _target_text(target: Block) -> str:
    label = target.first_op
    assert isinstance(label, LabelOp)
    return label.text


def _check_target(target: Block) -> None:
    if not isinstance(target.first_op, LabelOp):
        raise VerifyException("the target of a branch must start with ptx.label")


def _check_next(op: Operation, target: Block) -> None:
    block = op.parent
    if block is not None and block.next_block is not target:
        raise VerifyException("must fall through to the block that comes next")


def _check_arguments(target: Block, values: Sequence[SSAValue]) -> None:
    if len(values) != len(target.args):
        raise VerifyException(
            f"a block with {len(target.args)} arguments must get as many values, "
            f"got {len(values)}"
        )
    for index, (value, argument) in enumerate(zip(values, target.args)):
        if value.type != argument.type:
            raise VerifyException(
                f"value {index} for a block must have the type and register of the "
                f"argument, {argument.type}, got {value.type}"
            )


@irdl_op_definition
class BranchOp(AssemblyOp):
    """
    A jump.

    `ptx.bra ^exit(%a)` prints `bra $L_exit;`
    """

    name = "ptx.bra"

    arguments = var_operand_def(ANY_VALUE)
    target = successor_def()

    traits = traits_def(IsTerminator())

    custom_directives = (BlockArguments,)

    SYNTAX: ClassVar[str] = (
        "$target `` custom<BlockArguments>($arguments, type($arguments)) attr-dict"
    )

    def __init__(self, target: Block, arguments: Sequence[SSAValue] = ()):
        super().__init__(operands=[arguments], successors=[target])

    def assembly_line(self) -> str | None:
        return f"bra {_target_text(self.target)};"

    def verify_(self) -> None:
        _check_target(self.target)
        _check_arguments(self.target, self.arguments)


@irdl_op_definition
class ConditionalBranchOp(AssemblyOp):
    """
    A jump if the predicate is true (`not`: false), else on to the next block.

    `ptx.bra_if not %p, ^wait(%a), ^next(%b)` prints `@!%p1 bra $L_wait;`
    """

    name = "ptx.bra_if"

    predicate = operand_def(PREDICATE_REGISTER)
    negated = opt_prop_def(UnitAttr)
    target_arguments = var_operand_def(ANY_VALUE)
    next_arguments = var_operand_def(ANY_VALUE)
    target = successor_def()
    next = successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(IsTerminator())

    custom_directives = (Condition, BlockArguments)

    SYNTAX: ClassVar[str] = (
        "custom<Condition>($predicate, type($predicate), $negated) `,` "
        "$target `` "
        "custom<BlockArguments>($target_arguments, type($target_arguments)) `,` "
        "$next `` custom<BlockArguments>($next_arguments, type($next_arguments)) "
        "attr-dict"
    )

    def __init__(
        self,
        predicate: SSAValue,
        target: Block,
        target_arguments: Sequence[SSAValue],
        next: Block,
        next_arguments: Sequence[SSAValue],
        *,
        negated: bool = False,
    ):
        super().__init__(
            operands=[predicate, target_arguments, next_arguments],
            properties={"negated": UnitAttr() if negated else None},
            successors=[target, next],
        )

    def assembly_line(self) -> str | None:
        sign = "!" if self.negated else ""
        predicate = self.register(self.predicate)
        return f"@{sign}{predicate} bra {_target_text(self.target)};"

    def verify_(self) -> None:
        _check_target(self.target)
        _check_next(self, self.next)
        _check_arguments(self.target, self.target_arguments)
        _check_arguments(self.next, self.next_arguments)


@irdl_op_definition
class FallthroughOp(StructuralOp):
    """
    On to the next block; prints nothing.

    `ptx.fallthrough ^next(%a)`
    """

    name = "ptx.fallthrough"

    arguments = var_operand_def(ANY_VALUE)
    next = successor_def()

    traits = traits_def(IsTerminator())

    custom_directives = (BlockArguments,)

    SYNTAX: ClassVar[str] = (
        "$next `` custom<BlockArguments>($arguments, type($arguments)) attr-dict"
    )

    def __init__(self, next: Block, arguments: Sequence[SSAValue] = ()):
        super().__init__(operands=[arguments], successors=[next])

    def verify_(self) -> None:
        _check_next(self, self.next)
        _check_arguments(self.next, self.arguments)


@irdl_op_definition
class ReturnOp(AssemblyOp):
    """
    The end of the kernel for this thread.

    `ptx.ret` prints `ret;`
    """

    name = "ptx.ret"

    traits = traits_def(IsTerminator())

    SYNTAX: ClassVar[str] = "attr-dict"

    def __init__(self):
        super().__init__()

    def assembly_line(self) -> str | None:
        return "ret;"


class _BareOp(GuardedOp):
    """An instruction without operands but for its guard."""

    custom_directives = (Guard,)

    SYNTAX: ClassVar[str] = "custom<Guard>($guard, type($guard), $negated) attr-dict"

    def __init__(self):
        super().__init__(operands=[None])

    def instruction(self) -> str:
        return self.name.removeprefix("ptx.")


@irdl_op_definition
class TrapOp(_BareOp):
    """
    Abort the whole grid.

    `ptx.trap if %p` prints `@%p1 trap;`
    """

    name = "ptx.trap"


@irdl_op_definition
class ExitOp(_BareOp):
    """
    End this thread.

    `ptx.exit if not %p` prints `@!%p1 exit;`
    """

    name = "ptx.exit"


OPS = (
    BranchOp,
    ConditionalBranchOp,
    ExitOp,
    FallthroughOp,
    LabelOp,
    ReturnOp,
    TrapOp,
)
