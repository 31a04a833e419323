"""Rules for atomic updates and fences (`llvm`)."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext import (
    AtomicCmpXchgOp,
    AtomicRMWOp,
    BinOp,
    ExtractValueOp,
    FenceOp,
    Ordering,
)
from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx import atomics, barrier
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.dialects.ptx.types import InstructionType
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
    RuleTable,
    is_used,
    rule,
)
from croqtile_mlir.lowering.ptx_conversion.floats import float_type
from croqtile_mlir.lowering.ptx_conversion.integers import wrapped
from croqtile_mlir.lowering.ptx_conversion.lowered import (
    Lowered,
    Members,
    Undefined,
    integer_bits,
)
from croqtile_mlir.lowering.ptx_conversion.pointers import scope_name, space_of

_T = InstructionType

_ORDERS = {
    Ordering.Monotonic: "relaxed",
    Ordering.Acquire: "acquire",
    Ordering.Release: "release",
    Ordering.AcqRel: "acq_rel",
}

_KINDS = {
    BinOp.Xchg: ("exch", "b"),
    BinOp.Add: ("add", "u"),
    BinOp.And: ("and", "b"),
    BinOp.Or: ("or", "b"),
    BinOp.Xor: ("xor", "b"),
    BinOp.Max: ("max", "s"),
    BinOp.Min: ("min", "s"),
    BinOp.UMax: ("max", "u"),
    BinOp.UMin: ("min", "u"),
}
"""What PTX calls an update of integers, and how it takes their bits."""


def _order_of(e: Emitter, order: Ordering, scope: str) -> str:
    if order not in _ORDERS:
        e.refuse(
            "is not supported by convert-to-ptx with this ordering",
            hint="a fence of ordering seq_cst before it does the same",
        )
    return f"{_ORDERS[order]}.{scope}"


def _bits(e: Emitter, type: Attribute) -> int:
    """The width of what is exchanged or compared."""
    match type:
        case Float32Type():
            return 32
        case Float64Type():
            return 64
        case Float16Type():
            return 16
        case _:
            bits = integer_bits(type)
            if bits is None:
                e.refuse(f"is not supported by convert-to-ptx on type {type}")
            return bits


def _form(e: Emitter, op: AtomicRMWOp) -> tuple[str, InstructionType]:
    """What PTX calls an update, and its type."""
    if op.kind is BinOp.FAdd:
        if isa(op.val.type, VectorType):
            return "add", _vector_type(e, op.val.type)
        return "add", float_type(e, op.val)
    if op.kind not in _KINDS:
        e.refuse(f"is not supported by convert-to-ptx with {op.kind.name.lower()}")
    kind, letter = _KINDS[op.kind]
    bits = _bits(e, op.val.type)
    if bits not in (32, 64):
        e.refuse(f"is not supported by convert-to-ptx on type {op.val.type}")
    return kind, _T(f"{letter}{bits}")


def _vector_type(e: Emitter, type: VectorType) -> InstructionType:
    """Of two halves in a register; or of each of several registers."""
    match type.element_type, type.element_count():
        case Float16Type(), 2:
            return _T.F16X2
        case BFloat16Type(), 2:
            return _T.BF16X2
        case Float32Type(), 2 | 4:
            return _T.F32
        case _:
            e.refuse(f"is not supported by convert-to-ptx on type {type}")


def _check_target(e: Emitter, op: AtomicRMWOp, type: InstructionType) -> None:
    """bf16, and vectors of f32, need sm_90 (PTX ISA, atom and red)."""
    several = type is _T.F32 and isa(op.val.type, VectorType)
    newer = several or type in (_T.BF16, _T.BF16X2)
    if newer and e.target.compute_capability[0] < 9:
        what = f"{op.val.type}" if several else "bf16"
        e.refuse(f"is not supported by convert-to-ptx on {what} for {e.target.name}")


def _source(e: Emitter, value: SSAValue, type: InstructionType) -> Source:
    if type in (_T.F16, _T.BF16) or isa(value.type, VectorType):
        return e.register(value)
    source = e.source_of(value)
    if isinstance(source, int) and type not in (_T.F32, _T.F64):
        return wrapped(source, type)
    return source


def _update(e: Emitter, op: AtomicRMWOp) -> None:
    """`red` where nobody needs the old value, and nothing is acquired with it."""
    kind, type = _form(e, op)
    _check_target(e, op, type)
    space, order = space_of(e, op.ptr), _order_of(e, op.order, scope_name(e, op))
    address, value = e.address(op.ptr), _source(e, op.val, type)
    unused = not is_used(op.result)
    if unused and order in atomics.RED_ORDERS and op.kind is not BinOp.Xchg:
        e.emit(atomics.RedOp(kind, space, type, order, address, value))
        return
    if type is _T.F32 and isa(op.val.type, VectorType):
        e.refuse(
            f"is not supported by convert-to-ptx on {op.val.type} where the old value "
            "is used or acquired"
        )
    atom = atomics.AtomOp(
        kind, space, type, order, address, value, result_type=e.type_of(op.result)
    )
    e.bind(op.result, e.emit(atom).result)


def _compare_and_swap(e: Emitter, op: AtomicCmpXchgOp) -> None:
    """The old value; whether it was the expected one is a comparison."""
    bits = integer_bits(op.val.type)
    if bits not in (32, 64):
        e.refuse(f"is not supported by convert-to-ptx on type {op.val.type}")
    failure = Ordering(op.failure_ordering.value.data)
    order = op.order
    if failure is Ordering.Acquire and order in (Ordering.Monotonic, Ordering.Release):
        order = Ordering.Acquire if order is Ordering.Monotonic else Ordering.AcqRel
    type = _T(f"b{bits}")
    atom = atomics.AtomOp(
        "cas",
        space_of(e, op.ptr),
        type,
        _order_of(e, order, scope_name(e, op)),
        e.address(op.ptr),
        _source(e, op.cmp, type),
        _source(e, op.val, type),
    )
    old = e.emit(atom).result
    same: Lowered = Undefined()
    if any(
        not isinstance(use.operation, ExtractValueOp) or use.operation.indices[0] == 1
        for use in op.result.uses
    ):
        compare = ptx.SetpOp(type, old, _source(e, op.cmp, type), qualifiers="eq")
        same = e.emit(compare).result
    e.bind(op.result, Members((old, same)))


def _fence(e: Emitter, op: FenceOp) -> None:
    order = "sc" if op.order is Ordering.SeqCst else "acq_rel"
    e.emit(barrier.FenceOp(f"{order}.{scope_name(e, op)}"))


RULES: RuleTable = dict(
    [
        rule(AtomicRMWOp, _update),
        rule(AtomicCmpXchgOp, _compare_and_swap),
        rule(FenceOp, _fence),
    ]
)
