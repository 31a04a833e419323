"""Order and scope of accesses that synchronise threads (PTX ISA, memory model)."""

from __future__ import annotations

from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class MemoryOrder(StrEnum):
    """What an access orders besides itself."""

    Volatile = "volatile"
    """Nothing; every access is made. The same as relaxed at scope `sys`."""

    Relaxed = "relaxed"
    """Nothing: threads agree on the order of accesses to this one element."""

    Acquire = "acquire"
    """What the thread does after it sees what was released by what it read."""

    Release = "release"
    """What the thread did before it is seen by whoever acquires what it wrote."""

    AcqRel = "acq_rel"
    """Both, of a read and write in one."""

    Sc = "sc"
    """Of a fence: both, and all such fences have one order."""


class MemoryScope(StrEnum):
    """The threads among which an access is atomic and ordered, from few to all."""

    Cta = "cta"
    Cluster = "cluster"
    Gpu = "gpu"
    Sys = "sys"

    @property
    def syncscope(self) -> str:
        """What LLVM calls it on NVPTX; empty for the whole system."""
        return {
            MemoryScope.Cta: "block",
            MemoryScope.Cluster: "cluster",
            MemoryScope.Gpu: "device",
            MemoryScope.Sys: "",
        }[self]


LOAD_ORDERS = (MemoryOrder.Volatile, MemoryOrder.Relaxed, MemoryOrder.Acquire)
STORE_ORDERS = (MemoryOrder.Volatile, MemoryOrder.Relaxed, MemoryOrder.Release)
UPDATE_ORDERS = (
    MemoryOrder.Relaxed,
    MemoryOrder.Acquire,
    MemoryOrder.Release,
    MemoryOrder.AcqRel,
)
FENCE_ORDERS = (MemoryOrder.AcqRel, MemoryOrder.Sc)


@irdl_attr_definition
class MemoryOrderAttr(EnumAttribute[MemoryOrder], SpacedOpaqueSyntaxAttribute):
    """The order of an access, written `#croq<order acquire>`."""

    name = "croq.order"


@irdl_attr_definition
class MemoryScopeAttr(EnumAttribute[MemoryScope], SpacedOpaqueSyntaxAttribute):
    """The scope of an access, written `#croq<scope gpu>`."""

    name = "croq.scope"


def parse_order(parser: Parser) -> MemoryOrder | None:
    """Parse `order(acquire)`, if it is there."""
    if parser.parse_optional_keyword("order") is None:
        return None
    with parser.in_parens():
        return parser.parse_str_enum(MemoryOrder)


def parse_scope(parser: Parser) -> MemoryScope | None:
    """Parse `scope(gpu)`, if it is there."""
    if parser.parse_optional_keyword("scope") is None:
        return None
    with parser.in_parens():
        return parser.parse_str_enum(MemoryScope)


def print_ordering(
    printer: Printer, order: MemoryOrderAttr | None, scope: MemoryScopeAttr | None
) -> None:
    """Print ` order(acquire) scope(gpu)`, as far as they are there."""
    if order is not None:
        printer.print_string(f" order({order.data.value})")
    if scope is not None:
        printer.print_string(f" scope({scope.data.value})")


def verify_access_ordering(
    order: MemoryOrderAttr | None,
    scope: MemoryScopeAttr | None,
    allowed: tuple[MemoryOrder, ...],
) -> None:
    """Check the order and scope of a load or a store, which may have none."""
    if order is None:
        if scope is not None:
            raise VerifyException(
                f"must have an order with a scope, got only scope {scope.data.value}"
            )
        return
    if order.data not in allowed:
        names = ", ".join(each.value for each in allowed)
        raise VerifyException(f"order must be one of {names}, got {order.data.value}")
    if (scope is None) != (order.data is MemoryOrder.Volatile):
        raise VerifyException(
            "must have a scope exactly if its order is not volatile, got order "
            f"{order.data.value} with {'no' if scope is None else 'a'} scope"
        )
