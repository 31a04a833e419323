"""Memory of a thread."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.llvm_ext.types import pointer

LOCAL = 5
"""The address space of local memory on NVPTX."""


@irdl_op_definition
class AllocaOp(IRDLOperation):
    """
    An array of a thread in its local memory, until the function returns.

    ```mlir
    %p = llvm.alloca %c16 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    ```
    """

    name = "llvm.alloca"

    size = operand_def(IntegerType)
    """The number of elements."""

    alignment = opt_prop_def(IntegerAttr[I64])
    elem_type = prop_def()
    res = result_def(LLVMPointerType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self, size: SSAValue, elem_type: Attribute, alignment: int | None = None
    ):
        super().__init__(
            operands=[size],
            properties={
                "elem_type": elem_type,
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            },
            result_types=[pointer(LOCAL)],
        )

    @classmethod
    def parse(cls, parser: Parser) -> AllocaOp:
        size = parser.parse_unresolved_operand()
        parser.parse_keyword("x")
        elem_type = parser.parse_type()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pos = parser.pos
        types = parser.parse_function_type()
        if len(types.inputs) != 1 or len(types.outputs) != 1:
            parser.raise_error("expected (integer) -> pointer", pos, parser.pos)
        properties: dict[str, Attribute] = {"elem_type": elem_type}
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        return cls.create(
            operands=[parser.resolve_operand(size, types.inputs.data[0])],
            properties=properties,
            result_types=list(types.outputs.data),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.size)
        printer.print_string(" x ")
        printer.print_attribute(self.elem_type)
        attributes = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_function_type([self.size.type], [self.res.type])

    def verify_(self) -> None:
        alignment = self.alignment
        if alignment is None:
            return
        to = alignment.value.data
        if to < 1 or to & (to - 1):
            raise VerifyException(f"alignment must be a power of two, got {to}")


OPS = (AllocaOp,)
