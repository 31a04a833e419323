"""Rules for pointers, loads and stores (`llvm`)."""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Attribute, SSAValue

from croqtile_mlir.dialects.llvm_ext import (
    LOCAL,
    AddressOfOp,
    AddrSpaceCastOp,
    AllocaOp,
    GEPOp,
    IntToPtrOp,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
    LoadOp,
    PtrToIntOp,
    StoreOp,
    bit_width,
)
from croqtile_mlir.dialects.nvvm.operands import address_space
from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx import memory
from croqtile_mlir.dialects.ptx.conversion import CvtOp
from croqtile_mlir.dialects.ptx.memory import StateSpace
from croqtile_mlir.dialects.ptx.operands import Address
from croqtile_mlir.dialects.ptx.types import (
    B32,
    B64,
    GroupType,
    InstructionType,
    PTXType,
)
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.integers import wrapped
from croqtile_mlir.lowering.ptx_conversion.lowered import (
    STATE_SPACES,
    integer_bits,
    memory_type_of,
)

_T = InstructionType

_OFFSET_LIMIT = 1 << 31
"""The offset of a memory operand has 32 bits (PTX ISA, "Addresses as Operands")."""


def space_of(e: Emitter, pointer: SSAValue) -> StateSpace:
    """The state space that a pointer of the source points to."""
    space = STATE_SPACES.get(address_space(pointer.type) or 0)
    if space is None:
        e.refuse(f"is not supported by convert-to-ptx on type {pointer.type}")
    return space


def _address_of(e: Emitter, op: AddressOfOp) -> None:
    if e.type_of(op.result) != B32:
        e.refuse(f"is not supported by convert-to-ptx on type {op.result.type}")
    symbol = memory.MoveSymbolOp(op.global_name.root_reference.data)
    e.bind(op.result, e.emit(symbol).result)


def _local_array(e: Emitter, op: AllocaOp) -> None:
    """The array is declared where the op is, of a constant number of elements."""
    count, size = e.constant(op.size), size_of(op.elem_type)
    if count is None or size is None or e.type_of(op.res) != B32:
        e.refuse(
            "is not supported by convert-to-ptx unless it is a constant number of "
            f"elements in address space {LOCAL}"
        )
    align = size if op.alignment is None else op.alignment.value.data
    name = e.local_name()
    e.emit(memory.LocalOp(name, align, count * size))
    e.bind(op.res, e.emit(memory.MoveSymbolOp(name)).result)


def size_of(type: Attribute) -> int | None:
    """The bytes from one element of an array to the next, None of an unsized type."""
    match type:
        case LLVMArrayType():
            element = size_of(type.type)
            return None if element is None else element * type.size.data
        case LLVMPointerType():
            return 8
        case LLVMStructType():
            return None
        case _:
            bits = bit_width(type)
            return None if bits is None else (bits + 7) // 8


def _get_element(e: Emitter, op: GEPOp) -> None:
    """Constant indices go to the address' offset, others are added to its base."""
    base = e.address(op.base)
    register, offset = base.base, base.offset
    element: Attribute = op.element_type
    for level, index in enumerate(op.indices):
        if level > 0:
            if not isinstance(element, LLVMArrayType):
                e.refuse(f"is not supported by convert-to-ptx on type {element}")
            element = element.type
        size = size_of(element)
        if size is None:
            e.refuse(f"is not supported by convert-to-ptx on type {element}")
        known = index if isinstance(index, int) else e.constant(index)
        if known is not None:
            offset += known * size
        elif isinstance(index, SSAValue):
            register = _add_scaled(e, register, e.type_of(op.base), index, size)
    if abs(offset) >= _OFFSET_LIMIT:
        width = _T(f"s{e.type_of(op.base).kind.bits}")
        add = ptx.AddOp(width, register, wrapped(offset, width))
        register, offset = e.emit(add).result, 0
    e.bind(op.result, Address(register, offset))


def _add_scaled(
    e: Emitter, base: SSAValue, type: PTXType, index: SSAValue, size: int
) -> SSAValue:
    """base + index * size; an index is signed."""
    bits, index_bits = type.kind.bits, integer_bits(index.type) or 0
    scaled = e.register(index)
    if index_bits != bits and not (bits == 64 and index_bits == 32):
        if index_bits < 32:
            e.refuse(f"is not supported by convert-to-ptx on type {index.type}")
        scaled = e.emit(CvtOp(_T.U32, _T.U64, scaled)).result
    elif index_bits != bits and size == 1:
        scaled = e.emit(CvtOp(_T.S64, _T.S32, scaled)).result
    elif index_bits != bits:
        mad = ptx.MadOp(_T.S32, scaled, size, base, qualifiers="wide")
        return e.emit(mad).result
    width = _T(f"s{bits}")
    if size == 1:
        return e.emit(ptx.AddOp(width, base, scaled)).result
    return e.emit(ptx.MadOp(width, scaled, size, base, qualifiers="lo")).result


def _widen(e: Emitter, value: SSAValue) -> SSAValue:
    return e.emit(CvtOp(_T.U64, _T.U32, value)).result


def _narrow(e: Emitter, value: SSAValue) -> SSAValue:
    return e.emit(CvtOp(_T.U32, _T.U64, value)).result


def _cast_space(e: Emitter, op: AddrSpaceCastOp) -> None:
    """Shared addresses of the block are addresses in the cluster too; else `cvta`."""
    source, target = space_of(e, op.value), space_of(e, op.result)
    if source is target or (
        source is StateSpace.Shared and target is StateSpace.Cluster
    ):
        e.bind(op.result, e.get(op.value))
        return
    address = e.address(op.value)
    value = address.base
    if target is StateSpace.Generic:
        if e.type_of(op.value) == B32:
            value = _widen(e, value)
        value = e.emit(memory.CvtaOp(source, value)).result
    elif source is StateSpace.Generic:
        value = e.emit(memory.CvtaOp(target, value, to=True)).result
        if e.type_of(op.result) == B32:
            value = _narrow(e, value)
    else:
        e.refuse(
            f"is not supported by convert-to-ptx from {op.value.type} to "
            f"{op.result.type}"
        )
    e.bind(op.result, Address(value, address.offset))


def _resize(e: Emitter, value: SSAValue, result: SSAValue) -> None:
    """A pointer as an integer or the other way round, of another width maybe."""
    source, target = e.type_of(value), e.type_of(result)
    if source == target:
        e.bind(result, e.get(value))
    elif (source, target) == (B32, B64):
        e.bind(result, _widen(e, e.register(value)))
    elif (source, target) == (B64, B32):
        e.bind(result, _narrow(e, e.register(value)))
    else:
        e.refuse(f"is not supported by convert-to-ptx on type {result.type}")


def _to_integer(e: Emitter, op: PtrToIntOp) -> None:
    _resize(e, op.value, op.result)
    if isinstance(e.get(op.result), Address):
        e.bind(op.result, e.register(op.result))


def _to_pointer(e: Emitter, op: IntToPtrOp) -> None:
    _resize(e, op.value, op.result)
    if isinstance(e.get(op.result), int):
        e.bind(op.result, e.register(op.result))


_ORDERS = {0: None, 2: "relaxed", 4: "acquire", 5: "release"}
"""PTX's name of each of LLVM's orderings; those missing need a fence."""

_SCOPES = {"": "sys", "device": "gpu", "cluster": "cluster", "block": "cta"}


def _order_of(e: Emitter, op: LoadOp | StoreOp) -> str | None:
    ordering = op.ordering.value.data
    if op.volatile is not None and ordering == 0:
        return "volatile"
    if ordering not in _ORDERS:
        e.refuse("is not supported by convert-to-ptx with this ordering")
    order = _ORDERS[ordering]
    if order is None:
        return None
    return f"{order}.{scope_name(e, op)}"


class _Scoped(Protocol):
    """An op that synchronises with the threads of a scope."""

    @property
    def syncscope(self) -> StringAttr | None:
        """LLVM's name of the scope; None or empty for the whole system."""
        ...


def scope_name(e: Emitter, op: _Scoped) -> str:
    """What PTX calls the scope of an op."""
    scope = op.syncscope.data if op.syncscope is not None else ""
    if scope not in _SCOPES:
        e.refuse(
            f"must have one of the scopes {', '.join(filter(None, _SCOPES))}, "
            f"got {scope}"
        )
    if scope == "cluster" and not e.target.has("cluster"):
        e.refuse(f"must have a scope that {e.target.name} knows, got cluster")
    return _SCOPES[scope]


def _access_type(e: Emitter, op: LoadOp | StoreOp, value: SSAValue) -> InstructionType:
    """The type of an access, which must be aligned to its size."""
    type = memory_type_of(value.type)
    size = size_of(value.type)
    if type is None or size is None or size > 16:
        e.refuse(f"is not supported by convert-to-ptx on type {value.type}")
    alignment = op.alignment.value.data if op.alignment is not None else size
    if alignment < size:
        e.refuse(
            f"must be aligned to the {size} bytes that are accessed, got {alignment}",
            hint="access smaller pieces",
        )
    return type


def make_load(
    e: Emitter, op: LoadOp, choice: tuple[SSAValue, bool, SSAValue] | None = None
) -> memory.LoadOp:
    """The instruction of a load; `choice` as of `ptx.ld`."""
    space = space_of(e, op.addr)
    return memory.LoadOp(
        space,
        _access_type(e, op, op.result),
        e.address(op.addr),
        e.type_of(op.result),
        order=_order_of(e, op),
        non_coherent=op.invariant is not None and space is StateSpace.Global,
        choice=choice,
    )


def _load(e: Emitter, op: LoadOp) -> None:
    e.bind(op.result, e.emit(make_load(e, op)).result)


def _store(e: Emitter, op: StoreOp) -> None:
    type = _access_type(e, op, op.value)
    wanted = e.type_of(op.value)
    value = e.source_of(op.value)
    if isinstance(value, int) and isinstance(wanted, GroupType):
        value = e.register(op.value)
    elif op.value.type != IntegerType(8):
        value = wrapped(value, type)
    store = memory.StoreOp(
        space_of(e, op.addr), type, e.address(op.addr), value, order=_order_of(e, op)
    )
    e.emit(store)


RULES: RuleTable = dict(
    [
        rule(AddressOfOp, _address_of),
        rule(AllocaOp, _local_array),
        rule(GEPOp, _get_element),
        rule(AddrSpaceCastOp, _cast_space),
        rule(PtrToIntOp, _to_integer),
        rule(IntToPtrOp, _to_pointer),
        rule(LoadOp, _load),
        rule(StoreOp, _store),
    ]
)
