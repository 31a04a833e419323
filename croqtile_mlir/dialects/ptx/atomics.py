"""Atomic updates of memory (PTX ISA 9.7.13, atom and red)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import ADDRESS_REGISTER, DATA, DATA_REGISTER
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    Forms,
    GuardedOp,
    Version,
    dotted,
    forms,
)
from croqtile_mlir.dialects.ptx.memory import (
    StateSpace,
    StateSpaceAttr,
    vector_suffix,
)
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    ImmediatesAttr,
    MemoryOperand,
    RegisterOrImmediate,
    Source,
    Sources,
    address_text,
    immediate_text,
    pack_offset,
    pack_source,
    pack_sources,
    source_text,
    type_of,
    unpack_sources,
)
from croqtile_mlir.dialects.ptx.types import (
    TYPE_ATTRS,
    InstructionType,
    InstructionTypeAttr,
    PTXType,
    register_type,
)

_T = InstructionType
_ARITHMETIC = (_T.U32, _T.S32, _T.U64, _T.S64)

UPDATES: Forms = forms(
    (_ARITHMETIC, "min max"),
    ((_T.U32, _T.S32, _T.U64, _T.F32, _T.F64), "add"),
    ((_T.F16, _T.BF16, _T.F16X2, _T.BF16X2), "add"),
    ((_T.B32, _T.B64), "and or xor"),
)
"""For each type what `red` computes."""

SWAPS: Forms = forms(((_T.B32, _T.B64), "exch cas"), ((_T.B16,), "cas"))
"""For each type what `atom` has besides."""

_SCOPES = ("cta", "cluster", "gpu", "sys")
RED_ORDERS = tuple(f"{order}.{s}" for order in ("relaxed", "release") for s in _SCOPES)
ATOM_ORDERS = (
    *RED_ORDERS,
    *(f"{order}.{s}" for order in ("acquire", "acq_rel") for s in _SCOPES),
)
_SPACES = (
    StateSpace.Generic,
    StateSpace.Global,
    StateSpace.Shared,
    StateSpace.Cluster,
)


_HALVES = (_T.F16, _T.BF16, _T.F16X2, _T.BF16X2)
_VECTOR_VERSION: Version = (8, 1)


def _opcode(
    name: str,
    order: str,
    space: StateSpace,
    kind: str,
    type: InstructionType,
    vector: str = "",
) -> str:
    # Additions of halves keep denormal numbers; it has to be said.
    noftz = "noftz" if type in _HALVES else None
    return dotted(name, order, space.text, kind, noftz, vector or None, type.value)


def _version(order: str, space: StateSpace, type: InstructionType) -> Version:
    newer = order.endswith("cluster") or space is StateSpace.Cluster
    return (7, 8) if newer or type in (_T.BF16, _T.BF16X2) else (7, 0)


def _check(
    kind: str,
    type: InstructionType,
    order: str,
    space: StateSpace,
    orders: Sequence[str],
    *tables: Forms,
) -> None:
    allowed = frozenset[str]().union(
        *(table.get(type, frozenset[str]()) for table in tables)
    )
    if kind not in allowed:
        names = ", ".join(sorted(allowed)) or "nothing"
        raise VerifyException(
            f"kind must be one of {names} of type {type.value}, got {kind}"
        )
    if order not in orders:
        raise VerifyException(f"order must be one of {', '.join(orders)}, got {order}")
    if space not in _SPACES:
        raise VerifyException(
            f"space must be one of {', '.join(s.value for s in _SPACES)}, "
            f"got {space.value}"
        )


def _check_width(value: SSAValue, type: InstructionType) -> None:
    if type_of(value).kind.bits != type.bits:
        raise VerifyException(
            f"a register must hold {type.bits} bits, got {value.type}"
        )


@irdl_op_definition
class AtomOp(AssemblyOp):
    """
    An update in one step, and the old value. Sources are the operand; of `cas` the
    value to compare with and the new one.

    `%o = ptx.atom "add" global u32 "acq_rel.gpu" [%a + 4], %v : !ptx.reg<b32>` prints
    `atom.acq_rel.gpu.global.add.u32 %r2, [%rd1+4], %r1;`
    """

    name = "ptx.atom"

    kind = prop_def(StringAttr)
    space = prop_def(StateSpaceAttr)
    type = prop_def(InstructionTypeAttr)
    order = prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    sources = var_operand_def(DATA_REGISTER)
    immediates = opt_prop_def(ImmediatesAttr)
    result = result_def(DATA_REGISTER)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    custom_directives = (MemoryOperand, Sources)

    SYNTAX: ClassVar[str] = (
        "$kind $space $type $order "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<Sources>($sources, type($sources), $immediates) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        kind: str,
        space: StateSpace,
        type: InstructionType,
        order: str,
        address: Address,
        *sources: Source,
        result_type: PTXType | None = None,
    ):
        registers, immediates = pack_sources(sources)
        super().__init__(
            operands=[address.base, registers],
            result_types=[result_type or register_type(type.register)],
            properties={
                "kind": StringAttr(kind),
                "space": StateSpaceAttr(space),
                "type": TYPE_ATTRS[type],
                "order": StringAttr(order),
                "offset": pack_offset(address),
                "immediates": immediates,
            },
        )

    def assembly_line(self) -> str | None:
        type = self.type.data
        opcode = _opcode("atom", self.order.data, self.space.data, self.kind.data, type)
        address = address_text(self, self.address, self.offset)
        sources = ", ".join(
            immediate_text(source, type)
            if isinstance(source, int)
            else self.register(source)
            for source in unpack_sources(self.sources, self.immediates)
        )
        return f"{opcode} {self.register(self.result)}, {address}, {sources};"

    def needs_version(self) -> Version:
        return _version(self.order.data, self.space.data, self.type.data)

    def verify_(self) -> None:
        type = self.type.data
        _check(
            self.kind.data,
            type,
            self.order.data,
            self.space.data,
            ATOM_ORDERS,
            UPDATES,
            SWAPS,
        )
        immediates = self.immediates
        count = len(self.sources) if immediates is None else len(immediates)
        wanted = 2 if self.kind.data == "cas" else 1
        if count != wanted:
            raise VerifyException(
                f"must have {wanted} sources for {self.kind.data}, got {count}"
            )
        for value in (*self.sources, self.result):
            _check_width(value, type)


@irdl_op_definition
class RedOp(GuardedOp):
    """
    An update in one step whose old value nobody needs.

    `ptx.red "add" shared f32 "relaxed.cta" [%a], %v` prints
    `red.relaxed.cta.shared.add.f32 [%r1], %f1;`. A group of 2 or 4 registers is added
    to as many neighbours in global memory, each in a step of its own:
    `red.relaxed.gpu.global.add.v2.f32 [%rd1], {%f1, %f2};`
    """

    name = "ptx.red"

    kind = prop_def(StringAttr)
    space = prop_def(StateSpaceAttr)
    type = prop_def(InstructionTypeAttr)
    order = prop_def(StringAttr)
    address = operand_def(ADDRESS_REGISTER)
    offset = opt_prop_def(IntAttr)
    value = opt_operand_def(DATA)
    immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "custom<Guard>($guard, type($guard), $negated) $kind $space $type $order "
        "custom<MemoryOperand>($address, type($address), $offset) `,` "
        "custom<RegisterOrImmediate>($value, type($value), $immediate) attr-dict"
    )

    def __init__(
        self,
        kind: str,
        space: StateSpace,
        type: InstructionType,
        order: str,
        address: Address,
        value: Source,
    ):
        register, immediate = pack_source(value)
        super().__init__(
            operands=[address.base, register, None],
            properties={
                "kind": StringAttr(kind),
                "space": StateSpaceAttr(space),
                "type": TYPE_ATTRS[type],
                "order": StringAttr(order),
                "offset": pack_offset(address),
                "immediate": immediate,
            },
        )

    def instruction(self) -> str:
        type = self.type.data
        opcode = _opcode(
            "red",
            self.order.data,
            self.space.data,
            self.kind.data,
            type,
            "" if self.value is None else vector_suffix(self.value),
        )
        address = address_text(self, self.address, self.offset)
        return f"{opcode} {address}, {_value_text(self)}"

    def needs_version(self) -> Version:
        if self.value is not None and vector_suffix(self.value):
            return _VECTOR_VERSION
        return _version(self.order.data, self.space.data, self.type.data)

    def verify_(self) -> None:
        super().verify_()
        type = self.type.data
        _check(
            self.kind.data,
            type,
            self.order.data,
            self.space.data,
            RED_ORDERS,
            UPDATES,
        )
        if self.value is not None:
            _check_width(self.value, type)
            if vector_suffix(self.value):
                self._check_vector()

    def _check_vector(self) -> None:
        of_floats = self.type.data is _T.F32 and self.kind.data == "add"
        if not of_floats or self.space.data is not StateSpace.Global:
            raise VerifyException(
                "several registers must be added as f32 in global memory, got "
                f"{self.kind.data} of {self.type.data.value} in {self.space.data.value}"
            )


def _value_text(op: RedOp) -> str:
    return source_text(op, op.value, op.immediate, op.type.data)


OPS: tuple[type[Operation], ...] = (AtomOp, RedOp)
