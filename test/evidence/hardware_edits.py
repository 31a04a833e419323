"""Off-by-one edits of what synchronises at hardware level."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i1, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects import llvm_ext, nvvm
from evidence.edits import NamedEdit, holds_synchronisation, is_wait_loop, synchronises

_MBARRIER_BYTES = 8

_Arrival = (
    nvvm.MbarrierArriveOp
    | nvvm.MbarrierArriveNocompleteOp
    | nvvm.MbarrierArriveExpectTxOp
    | nvvm.MbarrierExpectTxOp
)

_Group = nvvm.WgmmaWaitGroupOp | nvvm.CpAsyncBulkWaitGroupOp | nvvm.CpAsyncWaitGroupOp


def _insert(new: Operation, before: Operation) -> SSAValue:
    block = before.parent
    assert block is not None
    new.location = before.location
    block.insert_op_before(new, before)
    return new.results[0]


def _constant(before: Operation, value: int) -> SSAValue:
    return _insert(arith.ConstantOp(IntegerAttr(value, i32)), before)


def _replace_operand(op: Operation, old: SSAValue, new: SSAValue) -> None:
    op.operands[op.operands.index(old)] = new


def _add(op: Operation, name: str, by: int) -> None:
    """Add to an i32 operand; a constant becomes another constant."""
    value = _operand(op, name)
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        new = _constant(op, owner.value.value.data + by)
    else:
        new = _insert(arith.AddiOp(value, _constant(op, by)), op)
    _replace_operand(op, value, new)


def _operand(op: Operation, name: str) -> SSAValue:
    """The operand that is a field of that name."""
    found: object = getattr(op, name)
    return next(value for value in op.operands if value is found)


def _next_barrier(op: Operation, name: str) -> None:
    """The mbarrier after the one that the op names."""
    place = op
    if is_wait_loop(op):
        (op,) = _tests(op)
    pointer = _operand(op, name)
    moved = _insert(llvm_ext.GEPOp(pointer, [_MBARRIER_BYTES], i8), place)
    _replace_operand(op, pointer, moved)


def _tests(loop: Operation) -> list[nvvm.MbarrierTryWaitOp]:
    return [op for op in loop.walk() if isinstance(op, nvvm.MbarrierTryWaitOp)]


def _flip_parity(loop: Operation) -> None:
    (test,) = _tests(loop)
    parity = test.state_or_phase
    flipped = _insert(arith.XOrIOp(parity, _constant(loop, 1)), loop)
    _replace_operand(test, parity, flipped)


def _add_to_group(op: Operation, by: int) -> None:
    (name,) = (n for n in ("group", "n") if n in op.properties)
    value = op.properties[name]
    assert isa(value, IntegerAttr[IntegerType])
    op.properties[name] = IntegerAttr(value.value.data + by, value.type)


def _toggle_read(op: Operation) -> None:
    if op.properties.pop("read", None) is None:
        op.properties["read"] = UnitAttr()


def _everyone(op: Operation) -> None:
    assert isinstance(op, scf.IfOp)
    true = _insert(arith.ConstantOp(IntegerAttr(1, i1)), op)
    op.operands[0] = true


def _set_bound(op: Operation, which: int, by: int) -> None:
    bound = op.operands[which]
    owner = bound.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        op.operands[which] = _constant(op, owner.value.value.data + by)
    else:
        op.operands[which] = _insert(arith.AddiOp(bound, _constant(op, by)), op)


def _barrier_edits(
    op: nvvm.BarrierOp | nvvm.BarrierArriveOp,
) -> Iterator[NamedEdit]:
    if op.barrier_id is not None:
        yield "id + 1", lambda o: _add(o, "barrier_id", 1)
    if op.number_of_threads is not None:
        yield "threads + 32", lambda o: _add(o, "number_of_threads", 32)
        yield "threads - 32", lambda o: _add(o, "number_of_threads", -32)


def hardware_edits(op: Operation) -> Iterator[NamedEdit]:
    """Edits of numbers and operands of an op of `nvvm`, and of what is around it."""
    match op:
        case scf.WhileOp() if is_wait_loop(op):
            if len(_tests(op)) == 1:
                yield "parity xor 1", _flip_parity
                yield "next mbarrier", lambda o: _next_barrier(o, "addr")
        case nvvm.MbarrierInitOp():
            yield "count + 1", lambda o: _add(o, "count", 1)
            yield "count - 1", lambda o: _add(o, "count", -1)
        case _ if isinstance(op, _Arrival):
            yield "next mbarrier", lambda o: _next_barrier(o, "addr")
            if isinstance(op, nvvm.MbarrierArriveExpectTxOp | nvvm.MbarrierExpectTxOp):
                yield "bytes + 16", lambda o: _add(o, "bytes", 16)
                yield "bytes - 16", lambda o: _add(o, "bytes", -16)
        case nvvm.CpAsyncBulkTensorLoadOp():
            yield "next mbarrier", lambda o: _next_barrier(o, "mbar")
        case nvvm.BarrierOp() | nvvm.BarrierArriveOp():
            yield from _barrier_edits(op)
        case _ if isinstance(op, _Group):
            yield "pending + 1", lambda o: _add_to_group(o, 1)
            group = op.properties.get("group", op.properties.get("n"))
            if isinstance(group, IntegerAttr) and group.value.data > 0:
                yield "pending - 1", lambda o: _add_to_group(o, -1)
            if isinstance(op, nvvm.CpAsyncBulkWaitGroupOp):
                yield "toggle read", _toggle_read
        case scf.IfOp():
            if not op.false_region.blocks and any(
                synchronises(i) or isinstance(i, nvvm.CpAsyncBulkTensorLoadOp)
                for i in op.true_region.block.ops
            ):
                yield "everyone", _everyone
        case scf.ForOp():
            if holds_synchronisation(op):
                yield "bound + 1", lambda o: _set_bound(o, 1, 1)
                yield "bound - 1", lambda o: _set_bound(o, 1, -1)
                yield "start + 1", lambda o: _set_bound(o, 0, 1)
        case _:
            pass
