"""Rules for structs, vectors, and bits taken as another type (`llvm`, `arith`)."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext import (
    BitcastOp,
    ExtractElementOp,
    ExtractValueOp,
    InsertElementOp,
    InsertValueOp,
    PoisonOp,
    UndefOp,
    ZeroOp,
)
from croqtile_mlir.dialects.ptx.conversion import PackOp, UnpackOp
from croqtile_mlir.dialects.ptx.registers import JoinOp, SplitOp
from croqtile_mlir.dialects.ptx.types import (
    GroupType,
    InstructionType,
    PTXType,
    RegisterKind,
)
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.lowered import (
    Lowered,
    Members,
    Undefined,
    register_type_of,
)

_T = InstructionType


def _undefined(e: Emitter, op: UndefOp | PoisonOp) -> None:
    e.bind(op.result, Undefined())


def _zero(e: Emitter, op: ZeroOp) -> None:
    """Registers are set to zero where they are needed, once for each use."""
    e.bind(op.result, 0)


def _only_index(e: Emitter, op: ExtractValueOp | InsertValueOp) -> int:
    if len(op.indices) != 1:
        e.refuse(f"must have one index for convert-to-ptx, got {len(op.indices)}")
    return op.indices[0]


def _members(e: Emitter, container: SSAValue) -> tuple[Lowered, ...]:
    lowered = e.get(container)
    return lowered.items if isinstance(lowered, Members) else e.lanes(container)


def _extract_value(e: Emitter, op: ExtractValueOp) -> None:
    e.bind(op.result, _members(e, op.container)[_only_index(e, op)])


def _insert_value(e: Emitter, op: InsertValueOp) -> None:
    items = list(_members(e, op.container))
    items[_only_index(e, op)] = e.get(op.value)
    e.bind(op.result, Members(tuple(items)))


def _known_index(e: Emitter, index: SSAValue) -> int:
    known = e.constant(index)
    if known is None:
        e.refuse("must have a constant index for convert-to-ptx")
    return known


def _elements(e: Emitter, vector: SSAValue) -> tuple[Lowered, ...]:
    """A vector by its elements, of which a register may hold two."""
    lowered = e.get(vector)
    if isinstance(lowered, Members):
        return lowered.items
    vector_type = vector.type
    assert isa(vector_type, VectorType)
    kind = register_type_of(vector_type.element_type)
    whole = e.type_of(vector)
    lanes = e.lanes(vector)
    if kind is None or kind.kind is whole.kind:
        return lanes
    if kind.kind is not RegisterKind.B16 or whole.kind is not RegisterKind.B32:
        e.refuse(f"is not supported by convert-to-ptx on type {vector.type}")
    halves = GroupType(RegisterKind.B16, 2)
    elements: list[Lowered] = []
    for lane in lanes:
        register = e.materialize(
            lane, whole.lane if isinstance(whole, GroupType) else whole
        )
        unpacked = e.emit(UnpackOp(_T.B32, register, halves)).group
        elements += e.emit(SplitOp(unpacked)).lanes
    return tuple(elements)


def _extract_element(e: Emitter, op: ExtractElementOp) -> None:
    e.bind(op.result, _elements(e, op.vector)[_known_index(e, op.index)])


def _insert_element(e: Emitter, op: InsertElementOp) -> None:
    items = list(_elements(e, op.vector))
    items[_known_index(e, op.index)] = e.get(op.value)
    e.bind(op.result, Members(tuple(items)))


def _bitcast(e: Emitter, op: BitcastOp | arith.BitcastOp) -> None:
    value, result = op.operands[0], op.results[0]
    source, target = e.type_of(value), e.type_of(result)
    lowered = e.get(value)
    single = not isinstance(target, GroupType)
    if isinstance(lowered, Undefined) or (isinstance(lowered, int) and single):
        # An immediate stands for its bits.
        e.bind(result, lowered)
        return
    e.bind(result, _recast(e, e.register(value), source, target))


def _recast(e: Emitter, value: SSAValue, source: PTXType, target: PTXType) -> SSAValue:
    if source == target:
        return value
    if isinstance(source, GroupType) and isinstance(target, GroupType):
        if source.kind.bits == target.kind.bits:
            lanes = e.emit(SplitOp(value)).lanes
            return e.emit(JoinOp([e.move(x, target.lane) for x in lanes])).group
    elif isinstance(target, GroupType):
        if target.kind is RegisterKind.F32:
            halves = GroupType(RegisterKind.B32, target.lanes)
            return _recast(e, _recast(e, value, source, halves), halves, target)
        return e.emit(UnpackOp(_T(source.kind.value), value, target)).group
    elif isinstance(source, GroupType):
        return e.emit(PackOp(_T(target.kind.value), value, target)).result
    elif source.kind.bits == target.kind.bits:
        return e.move(value, target)
    e.refuse(f"is not supported by convert-to-ptx from {source} to {target}")


RULES: RuleTable = dict(
    [
        rule(UndefOp, _undefined),
        rule(PoisonOp, _undefined),
        rule(ZeroOp, _zero),
        rule(ExtractValueOp, _extract_value),
        rule(InsertValueOp, _insert_value),
        rule(ExtractElementOp, _extract_element),
        rule(InsertElementOp, _insert_element),
        rule(BitcastOp, _bitcast),
        rule(arith.BitcastOp, _bitcast),
    ]
)
