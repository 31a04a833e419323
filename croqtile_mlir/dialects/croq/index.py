"""
Index operands: an SSA value of type `index`, an integer, or a name.

`croq.cdiv M, 128`, `croq.foreach %s in S`, `croq.subspan %a [128, 64] tile (%i, %k)`.
An op stores a list of them as the variadic operand of its SSA values and one array
property that holds, for each element, an integer, a name, or `unit` for the next SSA
value. All parsing, printing and access goes through this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

Index = SSAValue | int | str
"""The Python value of an index operand."""

IndexListAttr = ArrayAttr[IntegerAttr[IndexType] | StringAttr | UnitAttr]
"""The property beside the variadic operand."""

WHOLE = "_"
"""The placeholder of `chunkat` for a dim that is kept whole."""


def pack(values: Sequence[Index]) -> tuple[list[SSAValue], IndexListAttr]:
    """Split index operands into SSA operands and the property."""
    operands: list[SSAValue] = []
    static: list[IntegerAttr[IndexType] | StringAttr | UnitAttr] = []
    for value in values:
        if isinstance(value, int):
            static.append(IntegerAttr.from_index_int_value(value))
        elif isinstance(value, str):
            static.append(StringAttr(value))
        else:
            operands.append(value)
            static.append(UnitAttr())
    return operands, ArrayAttr(static)


def unpack(operands: Sequence[SSAValue], static: IndexListAttr) -> tuple[Index, ...]:
    """The index operands an op stores."""
    dynamic = iter(operands)
    values: list[Index] = []
    for item in static:
        if isinstance(item, StringAttr):
            values.append(item.data)
        elif isinstance(item, UnitAttr):
            values.append(next(dynamic))
        else:
            values.append(item.value.data)
    return tuple(values)


def well_formed(operands: Sequence[SSAValue], static: IndexListAttr) -> bool:
    """Whether the property asks for exactly the SSA operands there are."""
    return len(operands) == sum(isinstance(item, UnitAttr) for item in static)


def parse_value(parser: Parser) -> SSAValue:
    """Parse the use of a value that is defined already; its type is known."""
    pos = parser.pos
    operand = parser.parse_unresolved_operand()
    values = parser.ssa_values.get(operand.operand_name)
    if values is None or operand.index >= len(values):
        parser.raise_error(
            f"use of undefined value %{operand.operand_name}", pos, parser.pos
        )
    return parser.resolve_operand(operand, values[operand.index].type)


def parse_index(parser: Parser) -> Index:
    """Parse one index operand."""
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return number
    name = parser.parse_optional_identifier()
    if name is not None:
        return name
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, IndexType):
        parser.raise_error(
            f"an index operand must have type index, got {value.type}", pos, parser.pos
        )
    return value


def parse_index_list(
    parser: Parser, delimiter: Parser.Delimiter
) -> tuple[list[SSAValue], IndexListAttr]:
    """Parse a delimited list of index operands."""
    values = parser.parse_comma_separated_list(delimiter, lambda: parse_index(parser))
    return pack(values)


def print_index(printer: Printer, value: Index) -> None:
    """Print one index operand."""
    if isinstance(value, SSAValue):
        printer.print_ssa_value(value)
    else:
        printer.print_string(str(value))


def print_index_list(
    printer: Printer, values: Sequence[Index], brackets: str = "[]"
) -> None:
    """Print a list of index operands between the two characters of `brackets`."""
    printer.print_string(brackets[0])
    printer.print_list(values, lambda value: print_index(printer, value))
    printer.print_string(brackets[1])


def known_names(values: Sequence[Index]) -> tuple[str, ...]:
    """The names among index operands."""
    return tuple(v for v in values if isinstance(v, str) and v != WHOLE)


def declared_names(op: Operation) -> tuple[str, ...] | None:
    """Names of the dims and parameters of the kernel around an op, if there is one."""
    from croqtile_mlir.dialects.croq.structure import KernelOp

    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, KernelOp):
            return (*parent.dim_names, *parent.param_names)
        parent = parent.parent_op()
    return None


def verify_type_names(op: Operation, names: Sequence[str], *, params: bool) -> None:
    """Check the names in a type: parameters, or dims that are bound at launch."""
    from croqtile_mlir.dialects.croq.structure import KernelOp

    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp):
        parent = parent.parent_op()
    if parent is None:
        return
    what = "parameters" if params else "dims"
    declared = parent.param_names if params else parent.dim_names
    for name in names:
        if name not in declared:
            raise VerifyException(
                f"type must use {what} of the kernel, got [{name}] "
                f"(declared: {', '.join(declared) or 'none'})"
            )


def verify_names(op: Operation, values: Sequence[Index]) -> None:
    """Check that the names among index operands are declared by the kernel."""
    used = known_names(values)
    if not used or (declared := declared_names(op)) is None:
        return
    for name in used:
        if name not in declared:
            raise VerifyException(
                f"must use a dim or parameter of the kernel, got {name} "
                f"(declared: {', '.join(declared) or 'none'})"
            )
