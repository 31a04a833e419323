"""
What the values of the hardware level are at the ptx level, and the registers they need.

Many need none of their own: a constant is an immediate, a pointer plus a constant an
address, the negation of a predicate a negated guard, a struct put together from members
these members. They become registers when something needs registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext import LLVMPointerType, LLVMStructType, bit_width
from croqtile_mlir.dialects.nvvm.operands import address_space
from croqtile_mlir.dialects.ptx.memory import StateSpace
from croqtile_mlir.dialects.ptx.operands import Address
from croqtile_mlir.dialects.ptx.types import (
    B16,
    B32,
    B64,
    F32,
    F64,
    PREDICATE,
    GroupType,
    InstructionType,
    PTXType,
    RegisterKind,
)


@dataclass(frozen=True)
class Negated:
    """The negation of a predicate."""

    predicate: SSAValue


@dataclass(frozen=True)
class Undefined:
    """A value that does not matter."""


@dataclass(frozen=True)
class Members:
    """A struct by its members, or a vector by its elements."""

    items: tuple[Lowered, ...]


Lowered: TypeAlias = SSAValue | int | Address | Negated | Undefined | Members
"""
A register or a group, an immediate (of a floating-point type its bits; of a struct or
vector: all bits of it zero), or one of the above.
"""

STATE_SPACES = {
    0: StateSpace.Generic,
    1: StateSpace.Global,
    3: StateSpace.Shared,
    4: StateSpace.Const,
    5: StateSpace.Local,
    7: StateSpace.Cluster,
}
"""The state space of each address space that PTX code can load from."""

_NARROW_SPACES = (3, 5, 6, 7)
"""The address spaces whose addresses are held in 32 bits."""

_INTEGERS: dict[int, PTXType] = {1: PREDICATE, 8: B16, 16: B16, 32: B32, 64: B64}


def register_type_of(type: Attribute) -> PTXType | None:
    """
    The registers that hold a value of a type of the hardware level, None if there are
    none: a struct of different types, for one.

    A vector of up to 32 bits is one register, a longer one a group of 32-bit registers,
    or of the elements if these are f32 or wider.
    """
    match type:
        case IntegerType():
            return _INTEGERS.get(type.bitwidth)
        case Float16Type() | BFloat16Type():
            return B16
        case Float32Type():
            return F32
        case Float64Type():
            return F64
        case LLVMPointerType():
            return B32 if address_space(type) in _NARROW_SPACES else B64
        case LLVMStructType():
            members = type.types.data
            first = members[0] if members else None
            if first is None or any(member != first for member in members):
                return None
            lane = register_type_of(first)
            if lane is None or isinstance(lane, GroupType) or lane == PREDICATE:
                return None
            return GroupType(lane.kind, len(members))
        case _ if isa(type, VectorType):
            return _vector(type)
        case _:
            return None


def _vector(type: VectorType) -> PTXType | None:
    element = register_type_of(type.element_type)
    bits = bit_width(type)
    if element is None or bits is None or isinstance(element, GroupType):
        return None
    if element.kind in (RegisterKind.F32, RegisterKind.F64, RegisterKind.B64):
        count = type.element_count()
        return element if count == 1 else GroupType(element.kind, count)
    match bits:
        case 8 | 16:
            return B16
        case 32:
            return B32
        case 64 | 128:
            return GroupType(RegisterKind.B32, bits // 32)
        case _:
            return None


def memory_type_of(type: Attribute) -> InstructionType | None:
    """The type with which a value is loaded and stored, of a group that of a lane."""
    if type == IntegerType(8):
        return InstructionType.U8
    registers = register_type_of(type)
    if registers is None or registers == PREDICATE:
        return None
    return InstructionType(registers.kind.value)


def integer_bits(type: Attribute) -> int | None:
    """The width of an integer type, None of any other."""
    return type.bitwidth if isinstance(type, IntegerType) else None
