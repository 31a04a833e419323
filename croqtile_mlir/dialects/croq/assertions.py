"""What a kernel takes for granted, and checks."""

from __future__ import annotations

from xdsl.dialects.builtin import I1, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class AssertOp(IRDLOperation):
    """
    States that a condition holds.

    Outside of `croq.parallel .. : block` it is a rule of every launch: a comparison of
    integers that follow from dims, or `arith.andi` and `arith.ori` of some. A launch
    that breaks it is refused, with the message. Inside, it is checked by whoever
    executes it: a thread for which the condition is false ends the grid with an error
    (PTX ISA, trap).

    ```mlir
    croq.assert %enough, "M must be 64 or more"
    ```
    """

    name = "croq.assert"

    condition = operand_def(I1)
    message = prop_def(StringAttr)

    # As those of upstream's cf.assert: it is neither removed nor moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$condition `,` $message attr-dict"

    def __init__(self, condition: SSAValue, message: str):
        super().__init__(
            operands=[condition], properties={"message": StringAttr(message)}
        )

    def verify_(self) -> None:
        if not self.message.data:
            raise VerifyException("must have a message, got an empty one")
