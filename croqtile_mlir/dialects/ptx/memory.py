"""Loads, stores, addresses and prefetches (PTX ISA 9.7.9)."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    FlatSymbolRefAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure, SymbolTable
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B64_REGISTER,
    DATA,
    DATA_REGISTER,
    PREDICATE_REGISTER,
)
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    GuardedOp,
    Version,
    dotted,
)
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Choice,
    Guard,
    MemoryOperand,
    Register,
    RegisterOrImmediate,
    Source,
    address_text,
    pack_offset,
    pack_source,
    source_text,
    type_of,
)
from croqtile_mlir.dialects.ptx.types import (
    B32,
    B64,
    TYPE_ATTRS,
    GroupType,
    InstructionType,
    InstructionTypeAttr,
    PTXType,
    register_type,
)


class StateSpace(StrEnum):
    """Where an address points (PTX ISA 5.1)."""

    Generic = "generic"
    Global = "global"
    Shared = "shared"
    Cluster = "cluster"
    Const = "const"
    Local = "local"
    Param = "param"

    @property
    def text(self) -> str:
        """The qualifier in PTX, empty for a generic address."""
        match self:
            case StateSpace.Generic:
                return ""
            case StateSpace.Cluster:
                return "shared::cluster"
            case _:
                return self.value


@irdl_attr_definition
class StateSpaceAttr(EnumAttribute[StateSpace], SpacedOpaqueSyntaxAttribute):
    """A state space, written `#ptx<space shared>`."""

    name = "ptx.space"


ORDERS = (
    "weak",
    "volatile",
    *(
        f"{order}.{scope}"
        for order in ("relaxed", "acquire", "release")
        for scope in ("cta", "cluster", "gpu", "sys")
    ),
)


def vector_suffix(value: SSAValue) -> str:
    """`v2` or `v4` for a group, nothing for one register."""
    value_type = type_of(value)
    return f"v{value_type.lanes}" if isinstance(value_type, GroupType) else ""


def _check_access(
    type: InstructionType, value: PTXType, order: StringAttr | None, bad: str
) -> None:
    if value.kind.bits < type.bits:
        raise VerifyException(f"a register must hold {type.bits} bits, got {value}")
    if isinstance(value, GroupType):
        if value.lanes not in (2, 4) or value.lanes * type.bits > 128:
            raise VerifyException(
                f"a vector must be 2 or 4 registers of at most 128 bits, got {value}"
            )
        if value.kind.bits != max(type.bits, 16):
            raise VerifyException(f"a lane must have {type.bits} bits, got {value}")
    if order is not None and (order.data not in ORDERS or order.data.startswith(bad)):
        allowed = ", ".join(o for o in ORDERS if not o.startswith(bad))
        raise VerifyException(f"order must be one of {allowed}, got {order.data}")


def _version(order: StringAttr | None) -> Version:
    """The lowest PTX ISA version that has the scope of an access."""
    return (7, 8) if order is not None and order.data.endswith("cluster") else (7, 0)


@irdl_op_definition
class LoadOp(AssemblyOp):
    """
    A register, or the registers of a group, from memory.

    `%v = ptx.ld global b32 [%a + 16] : !ptx.group<b32 x 4>` prints
    `ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];`

    With a guard the result is `otherwise` where nothing is loaded; both are in the same
    registers. `%v = ptx.ld if %p else %old global b32 [%a] : !ptx.reg<b32>` prints
    `@%p1 ld.global.b32 %r1, [%rd1];`
    """

    name = "ptx.ld"

    space = prop_def(StateSpaceAttr)
    type = prop_def(InstructionTypeAttr)
    order = opt_prop_def(StringAttr)
    non_coherent = opt_prop_def(UnitAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    otherwise = opt_operand_def(DATA)
    guard = opt_operand_def(PREDICATE_REGISTER)
    negated = opt_prop_def(UnitAttr)
    result = result_def(DATA)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect())

    custom_directives = (Choice, MemoryOperand)

    SYNTAX: ClassVar[str] = (
        "custom<Choice>($guard, type($guard), $negated, $otherwise, type($otherwise)) "
        "$space $type (`order` $order^)? (`nc` $non_coherent^)? "
        "custom<MemoryOperand>($address, type($address), $offset) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        space: StateSpace,
        type: InstructionType,
        address: Address,
        result_type: PTXType | None = None,
        *,
        order: str | None = None,
        non_coherent: bool = False,
        choice: tuple[SSAValue, bool, SSAValue] | None = None,
    ):
        """`choice`: the guard, whether it is negated, and the result otherwise."""
        guard, negated, otherwise = choice or (None, False, None)
        super().__init__(
            operands=[address.base, otherwise, guard],
            result_types=[result_type or register_type(type.register)],
            properties={
                "space": StateSpaceAttr(space),
                "type": TYPE_ATTRS[type],
                "order": None if order is None else StringAttr(order),
                "non_coherent": UnitAttr() if non_coherent else None,
                "offset": pack_offset(address),
                "negated": UnitAttr() if negated else None,
            },
        )

    def assembly_line(self) -> str | None:
        opcode = dotted(
            "ld",
            self.order.data if self.order else None,
            self.space.data.text,
            "nc" if self.non_coherent else None,
            vector_suffix(self.result),
            self.type.data.value,
        )
        address = address_text(self, self.address, self.offset)
        line = f"{opcode} {self.register(self.result)}, {address};"
        if self.guard is None:
            return line
        return f"@{'!' if self.negated else ''}{self.register(self.guard)} {line}"

    def needs_version(self) -> Version:
        return _version(self.order)

    def verify_(self) -> None:
        _check_access(self.type.data, type_of(self.result), self.order, "release")
        if (self.guard is None) != (self.otherwise is None):
            raise VerifyException("a guard must come with the result otherwise")
        if self.negated is not None and self.guard is None:
            raise VerifyException("negated must come with a guard, got none")
        if self.otherwise is not None and self.otherwise.type != self.result.type:
            raise VerifyException(
                f"the result otherwise must have the type and register of the result, "
                f"{self.result.type}, got {self.otherwise.type}"
            )
        if self.non_coherent and self.space.data is not StateSpace.Global:
            raise VerifyException(
                f"nc must be of global memory, got {self.space.data.value}"
            )


@irdl_op_definition
class StoreOp(GuardedOp):
    """
    A register, an immediate, or the registers of a group, to memory.

    `ptx.st if %p shared b32 [%a], %v` prints `@%p1 st.shared.b32 [%r1], %r2;`
    """

    name = "ptx.st"

    space = prop_def(StateSpaceAttr)
    type = prop_def(InstructionTypeAttr)
    order = opt_prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    value = opt_operand_def(DATA)
    immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryWriteEffect())

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $space $type "
        "(`order` $order^)? "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($value, type($value), $immediate) attr-dict"
    )

    def __init__(
        self,
        space: StateSpace,
        type: InstructionType,
        address: Address,
        value: Source,
        *,
        order: str | None = None,
    ):
        register, immediate = pack_source(value)
        super().__init__(
            operands=[address.base, register, None],
            properties={
                "space": StateSpaceAttr(space),
                "type": TYPE_ATTRS[type],
                "order": None if order is None else StringAttr(order),
                "offset": pack_offset(address),
                "immediate": immediate,
            },
        )

    def instruction(self) -> str:
        opcode = dotted(
            "st",
            self.order.data if self.order else None,
            self.space.data.text,
            vector_suffix(self.value) if self.value is not None else None,
            self.type.data.value,
        )
        address = address_text(self, self.address, self.offset)
        value = source_text(self, self.value, self.immediate, self.type.data)
        return f"{opcode} {address}, {value}"

    def needs_version(self) -> Version:
        return _version(self.order)

    def verify_(self) -> None:
        super().verify_()
        type = self.type.data
        value = register_type(type.register)
        if self.value is not None:
            value = type_of(self.value)
        _check_access(type, value, self.order, "acquire")


@irdl_op_definition
class LoadParameterOp(AssemblyOp):
    """
    A scalar parameter of the kernel.

    `%n = ptx.ld_param u32 "k_param_1" : !ptx.reg<b32>` prints
    `ld.param.u32 %r1, [k_param_1];`
    """

    name = "ptx.ld_param"

    type = prop_def(InstructionTypeAttr)
    parameter = prop_def(StringAttr)
    result = result_def(DATA_REGISTER)

    traits = traits_def(Pure())

    SYNTAX: ClassVar[str] = "$type $parameter attr-dict `:` type($result)"

    def __init__(self, type: InstructionType, parameter: str):
        super().__init__(
            result_types=[register_type(type.register)],
            properties={"type": TYPE_ATTRS[type], "parameter": StringAttr(parameter)},
        )

    def assembly_line(self) -> str | None:
        result = self.register(self.result)
        return f"ld.param.{self.type.data} {result}, [{self.parameter.data}];"

    def verify_(self) -> None:
        _check_access(self.type.data, type_of(self.result), None, "")


@irdl_op_definition
class MoveParameterOp(AssemblyOp):
    """
    The address of a parameter in parameter space; `ptx.cvta` makes it generic.

    `%a = ptx.mov_param "k_param_0" : !ptx.reg<b64>` prints `mov.b64 %rd1, k_param_0;`
    """

    name = "ptx.mov_param"

    parameter = prop_def(StringAttr)
    result = result_def(B64_REGISTER)

    traits = traits_def(Pure())

    SYNTAX: ClassVar[str] = "$parameter attr-dict `:` type($result)"

    def __init__(self, parameter: str):
        super().__init__(
            result_types=[B64], properties={"parameter": StringAttr(parameter)}
        )

    def assembly_line(self) -> str | None:
        return f"mov.b64 {self.register(self.result)}, {self.parameter.data};"


@irdl_op_definition
class MoveSymbolOp(AssemblyOp):
    """
    The address of an array in shared or local memory.

    `%a = ptx.mov_symbol @smem : !ptx.reg<b32>` prints `mov.u32 %r1, smem;`
    """

    name = "ptx.mov_symbol"

    symbol = prop_def(FlatSymbolRefAttr)
    result = result_def(ADDRESS_REGISTER)

    traits = traits_def(Pure())

    SYNTAX: ClassVar[str] = "$symbol attr-dict `:` type($result)"

    def __init__(self, symbol: str):
        super().__init__(
            result_types=[B32], properties={"symbol": SymbolRefAttr(symbol)}
        )

    def assembly_line(self) -> str | None:
        bits = type_of(self.result).kind.bits
        symbol = self.symbol.root_reference.data
        return f"mov.u{bits} {self.register(self.result)}, {symbol};"

    def verify_(self) -> None:
        table = self.parent_op()
        while table is not None and table.name != "ptx.module":
            if self._is_declared_in(table):
                return
            table = table.parent_op()
        if table is not None and SymbolTable.lookup_symbol(table, self.symbol) is None:
            raise VerifyException(
                f"symbol must be declared in the module, got {self.symbol}"
            )

    def _is_declared_in(self, entry: Operation) -> bool:
        """Whether the symbol is an array in local memory of a kernel."""
        name = self.symbol.root_reference.data
        return any(
            isinstance(op, LocalOp) and op.array.data == name
            for region in entry.regions
            for block in region.blocks
            for op in block.ops
        )


@irdl_op_definition
class LocalOp(AssemblyOp):
    """
    Declares an array of bytes in local memory, one for each thread.

    `ptx.local "sums" align 16 bytes 64` prints `.local .align 16 .b8 sums[64];`
    """

    name = "ptx.local"

    array = prop_def(StringAttr)
    align = prop_def(IntegerAttr.constr(type=i32))
    bytes = prop_def(IntegerAttr.constr(type=i32))

    SYNTAX: ClassVar[str] = "$array `align` $align `bytes` $bytes attr-dict"

    def __init__(self, name: str, align: int, bytes: int):
        super().__init__(
            properties={
                "array": StringAttr(name),
                "align": IntegerAttr(align, i32),
                "bytes": IntegerAttr(bytes, i32),
            }
        )

    def assembly_line(self) -> str | None:
        return (
            f".local .align {self.align.value.data} .b8 {self.array.data}"
            f"[{self.bytes.value.data}];"
        )

    def verify_(self) -> None:
        align, size = self.align.value.data, self.bytes.value.data
        if align < 1 or align & (align - 1):
            raise VerifyException(f"align must be a power of two, got {align}")
        if size < 1:
            raise VerifyException(f"bytes must be positive, got {size}")
        if not self.array.data.isidentifier():
            raise VerifyException(
                f"an array's name must be an identifier, got {self.array.data}"
            )


@irdl_op_definition
class CvtaOp(AssemblyOp):
    """
    A generic address from one in a state space, or (`to`) the other way round.

    `%b = ptx.cvta param %a : !ptx.reg<b64>` prints `cvta.param.u64 %rd2, %rd1;`
    """

    name = "ptx.cvta"

    to = opt_prop_def(UnitAttr)
    space = prop_def(StateSpaceAttr)
    source = operand_def(B64_REGISTER)
    result = result_def(B64_REGISTER)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "(`to` $to^)? $space custom<Register>($source, type($source)) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, space: StateSpace, source: SSAValue, *, to: bool = False):
        super().__init__(
            operands=[source],
            result_types=[B64],
            properties={
                "space": StateSpaceAttr(space),
                "to": UnitAttr() if to else None,
            },
        )

    def assembly_line(self) -> str | None:
        to = "to" if self.to else None
        opcode = dotted("cvta", to, self.space.data.text, "u64")
        return f"{opcode} {self.register(self.result)}, {self.register(self.source)};"

    def needs_version(self) -> Version:
        match self.space.data:
            case StateSpace.Param:
                return (7, 7)
            case StateSpace.Cluster:
                return (7, 8)
            case _:
                return self.VERSION

    def verify_(self) -> None:
        if self.space.data is StateSpace.Generic:
            raise VerifyException("space must be a state space, got generic")


PREFETCH_TARGETS = (
    "tensormap",
    "param.tensormap",
    "L1",
    "L2",
    "global.L1",
    "global.L2",
)


@irdl_op_definition
class PrefetchOp(GuardedOp):
    """
    A line of memory into a cache, or a tensor map into the cache of tensor maps.

    `ptx.prefetch "tensormap" [%a]` prints `prefetch.tensormap [%rd1];`
    """

    name = "ptx.prefetch"

    what = prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)

    custom_directives = (Guard, MemoryOperand)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $what "
        "custom<MemoryOperand>($address, type($address), $offset) attr-dict"
    )

    def __init__(self, what: str, address: Address):
        super().__init__(
            operands=[address.base, None],
            properties={"what": StringAttr(what), "offset": pack_offset(address)},
        )

    def instruction(self) -> str:
        address = address_text(self, self.address, self.offset)
        return f"prefetch.{self.what.data} {address}"

    def needs_version(self) -> Version:
        return (8, 0) if "tensormap" in self.what.data else self.VERSION

    def verify_(self) -> None:
        super().verify_()
        if self.what.data not in PREFETCH_TARGETS:
            raise VerifyException(
                f"must prefetch one of {', '.join(PREFETCH_TARGETS)}, "
                f"got {self.what.data}"
            )


OPS = (
    CvtaOp,
    LoadOp,
    LoadParameterOp,
    LocalOp,
    MoveParameterOp,
    MoveSymbolOp,
    PrefetchOp,
    StoreOp,
)
