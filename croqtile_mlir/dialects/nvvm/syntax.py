"""Pieces of assembly format that xDSL doesn't have."""

from __future__ import annotations

from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


@irdl_custom_directive
class PointerType(CustomDirective):
    """The type of a pointer; reads upstream's short form `<3>` of `!llvm.ptr<3>`."""

    pointer: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        type_ = parser.parse_optional_type()
        if type_ is None:
            type_ = LLVMPointerType.new(LLVMPointerType.parse_parameters(parser))
        self.pointer.set(state, (type_,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.pointer.print(printer, state, op)
