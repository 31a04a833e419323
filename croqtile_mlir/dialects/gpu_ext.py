"""The `gpu` dialect: xDSL's, with a `gpu.module` that upstream reads and prints.

There is no `gpu.func` here: upstream's loses by-value arguments on the way to PTX, and
so a TMA descriptor. A kernel is an `llvm.func` with `nvvm.kernel`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolNameConstraint
from xdsl.ir import Attribute, Block, Dialect, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
    SymbolTable,
)


@irdl_op_definition
class ModuleOp(IRDLOperation):
    """Code for a device, with the targets that it is meant for.

    ```mlir
    gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
      llvm.func @kernel() attributes {nvvm.kernel} {
        llvm.return
      }
    }
    ```
    """

    name = "gpu.module"

    sym_name = prop_def(SymbolNameConstraint())
    targets = opt_prop_def(ArrayAttr)
    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable()
    )

    def __init__(
        self,
        sym_name: str,
        ops: Sequence[Operation] | Region = (),
        targets: Sequence[Attribute] | None = None,
    ):
        body = ops if isinstance(ops, Region) else Region(Block(ops))
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "targets": None if targets is None else ArrayAttr(targets),
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> ModuleOp:
        name = parser.parse_symbol_name()
        targets = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_attribute
        )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        if not body.blocks:
            body.add_block(Block())
        return cls.build(
            properties={
                "sym_name": name,
                "targets": None if targets is None else ArrayAttr(targets),
            },
            attributes=attributes.data if attributes else {},
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.targets is not None:
            printer.print_string(" ")
            printer.print_attribute(self.targets)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


_REPLACED = (gpu.FuncOp.name, gpu.ModuleOp.name)

GPU = Dialect(
    "gpu",
    [ModuleOp, *(op for op in gpu.GPU.operations if op.name not in _REPLACED)],
    list(gpu.GPU.attributes),
)
