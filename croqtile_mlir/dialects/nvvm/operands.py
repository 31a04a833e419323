"""Checks and abbreviations shared by the ops of the `nvvm` dialect."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntAttr, IntegerAttr, IntegerType, i1
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.llvm_ext import pointer
from croqtile_mlir.dialects.llvm_ext.types import Value

__all__ = [
    "Value",
    "address_space",
    "boolean",
    "check_integer",
    "check_space",
    "optional",
    "pointer",
    "result_if",
]

GENERIC = 0
GLOBAL = 1
SHARED = 3
CONSTANT = 4
SHARED_CLUSTER = 7

SPACE_NAMES = {
    0: "generic",
    1: "global",
    3: "shared",
    4: "constant",
    5: "local",
    6: "tensor memory",
    7: "shared::cluster",
}

FALSE: BoolAttr = IntegerAttr.from_bool(False)


def boolean(value: bool) -> BoolAttr:
    """The `i1` attribute for a Python bool."""
    return IntegerAttr.from_bool(value)


def address_space(type_: Attribute) -> int | None:
    """The address space of a pointer type; None for any other type."""
    if not isinstance(type_, LLVMPointerType):
        return None
    return type_.addr_space.data if isinstance(type_.addr_space, IntAttr) else GENERIC


def check_space(value: SSAValue, what: str, *spaces: int) -> None:
    """Raise unless a value is a pointer into one of the address spaces."""
    if address_space(value.type) in spaces:
        return
    wanted = " or ".join(f"{SPACE_NAMES[s]} ({pointer(s)})" for s in spaces)
    raise VerifyException(f"{what} must be a pointer to {wanted}, got {value.type}")


def check_integer(value: SSAValue, what: str, *widths: int) -> None:
    """Raise unless a value is a signless integer of one of the widths."""
    if any(value.type == IntegerType(width) for width in widths):
        return
    wanted = " or ".join(f"i{w}" for w in widths)
    raise VerifyException(f"{what} must be {wanted}, got {value.type}")


def optional(value: Value | None) -> Sequence[Value]:
    """An optional operand as a segment."""
    return () if value is None else (value,)


def result_if(wanted: bool, type_: Attribute = i1) -> Sequence[Attribute]:
    """An optional result as a segment."""
    return (type_,) if wanted else ()
