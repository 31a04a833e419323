"""Waiting for asynchronous stores by their number."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, UnitAttr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

MOST_STORES = 7
"""Most stores that `croq.await_stores` may leave in flight."""


@irdl_op_definition
class AwaitStoresOp(IRDLOperation):
    """
    Blocks the executing scope until at most `in_flight` of its stores are incomplete,
    the newest; with `read`, until of all others the source may be reused.

    It counts the stores to global memory by `croq.copy_async` whose future nothing
    uses, over the life of the scope: across iterations of loops, where a future would
    have to be carried.

    ```mlir
    croq.await_stores in_flight 1 read
    ```
    """

    name = "croq.await_stores"

    in_flight = prop_def(IntAttr)
    read = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, in_flight: int = 0, *, read: bool = False):
        super().__init__(
            properties={
                "in_flight": IntAttr(in_flight),
                "read": UnitAttr() if read else None,
            }
        )

    @classmethod
    def parse(cls, parser: Parser) -> AwaitStoresOp:
        parser.parse_keyword("in_flight")
        in_flight = parser.parse_integer(allow_boolean=False)
        read = parser.parse_optional_keyword("read") is not None
        op = cls(in_flight, read=read)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" in_flight {self.in_flight.data}")
        if self.read is not None:
            printer.print_string(" read")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not 0 <= self.in_flight.data <= MOST_STORES:
            raise VerifyException(
                f"in_flight must be in 0..{MOST_STORES}, got {self.in_flight.data}"
            )
