"""Groups of asynchronous loads, and waiting for them by their number."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

MOST_GROUPS = 7
"""Most groups of loads that `croq.await_loads` may leave in flight."""


@irdl_op_definition
class CommitLoadsOp(IRDLOperation):
    """
    Closes a group of loads: those that the scope has started since the group before.

    It counts the loads by `croq.copy_async` whose future nothing uses; they are made by
    `cp.async`, or by threads. A group may be empty: where loads are under a condition,
    the number of groups need not be.

    ```mlir
    %f = croq.copy_async %a => %a_slot
    croq.commit_loads
    ```
    """

    name = "croq.commit_loads"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class AwaitLoadsOp(IRDLOperation):
    """
    Blocks the executing scope until at most `in_flight` of its groups of loads are
    incomplete, the newest.

    It counts groups over the life of the scope: across iterations of loops, where a
    future would have to be carried.

    ```mlir
    croq.await_loads in_flight 2
    ```
    """

    name = "croq.await_loads"

    in_flight = prop_def(IntAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, in_flight: int = 0):
        super().__init__(properties={"in_flight": IntAttr(in_flight)})

    @classmethod
    def parse(cls, parser: Parser) -> AwaitLoadsOp:
        parser.parse_keyword("in_flight")
        op = cls(parser.parse_integer(allow_boolean=False))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" in_flight {self.in_flight.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not 0 <= self.in_flight.data <= MOST_GROUPS:
            raise VerifyException(
                f"in_flight must be in 0..{MOST_GROUPS}, got {self.in_flight.data}"
            )
