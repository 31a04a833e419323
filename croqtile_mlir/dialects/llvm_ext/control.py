"""Ends of the program that are no return."""

from __future__ import annotations

from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import MemoryWriteEffect


@irdl_op_definition
class TrapOp(IRDLOperation):
    """
    Ends the whole grid with an error (`trap`).

    ```mlir
    llvm.intr.trap
    ```
    """

    name = "llvm.intr.trap"

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


OPS = (TrapOp,)
