"""
`scf.if`: guards around a few instructions, a load under a predicate, or branches.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue
from xdsl.traits import Pure

from croqtile_mlir.analysis.predication import is_guarded_load
from croqtile_mlir.analysis.uniformity import Uniformity, uniformity
from croqtile_mlir.dialects.llvm_ext import LoadOp, StoreOp, TrapOp
from croqtile_mlir.dialects.nvvm.copies import PrefetchOp
from croqtile_mlir.dialects.nvvm.mbarrier import (
    MbarrierArriveExpectTxOp,
    MbarrierArriveOp,
    MbarrierInitOp,
)
from croqtile_mlir.dialects.nvvm.synchronization import FenceMbarrierInitOp
from croqtile_mlir.dialects.nvvm.tensor_copies import (
    CpAsyncBulkTensorLoadOp,
    CpAsyncBulkTensorStoreOp,
)
from croqtile_mlir.dialects.nvvm.warp import ElectSyncOp
from croqtile_mlir.dialects.ptx.barrier import BarWarpSyncOp
from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    FallthroughOp,
)
from croqtile_mlir.lowering.ptx_conversion.branching import (
    branch,
    convert_body,
    last_op,
    registers,
)
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
    is_used,
)
from croqtile_mlir.lowering.ptx_conversion.pointers import make_load

MAX_GUARDED = 4
"""The most instructions that are guarded rather than jumped over."""

GUARDED = (
    MbarrierInitOp,
    MbarrierArriveOp,
    MbarrierArriveExpectTxOp,
    FenceMbarrierInitOp,
    StoreOp,
    CpAsyncBulkTensorLoadOp,
    CpAsyncBulkTensorStoreOp,
    PrefetchOp,
    TrapOp,
)
"""The ops of the source that become one instruction that can have a guard."""


def convert_if(e: Emitter, op: scf.IfOp) -> None:
    """Convert a condition: to one side, to instructions with a guard, or to jumps."""
    known = e.constant(op.cond)
    if known is not None:
        _inline_branch(e, op, bool(known))
    elif is_guarded_load(op):
        _guarded_load(e, op)
    elif op.false_region.blocks and not _is_empty(op.false_region.block):
        _if_else(e, op)
    elif not op.output and _can_guard(op.true_region.block):
        with e.guarded(op.cond):
            convert_body(e, op.true_region.block)
    else:
        _if_then(e, op)


def _guarded_load(e: Emitter, op: scf.IfOp) -> None:
    """A load under a predicate, into registers that hold the value otherwise."""
    load, other = op.true_region.block.first_op, last_op(op.false_region.block)
    assert isinstance(load, LoadOp)
    e.source = load
    otherwise = e.register(other.operands[0])
    loaded = make_load(e, load, (*e.predicate(op.cond), otherwise))
    e.bind(op.output[0], e.emit(loaded).result)


def _is_empty(block: Block) -> bool:
    return block.first_op is block.last_op


def _inline_branch(e: Emitter, op: scf.IfOp, taken: bool) -> None:
    region = op.true_region if taken else op.false_region
    if region.blocks:
        last = convert_body(e, region.block)
        for result, value in zip(op.output, last.operands, strict=True):
            e.bind(result, e.get(value))


def _can_guard(block: Block) -> bool:
    """
    Whether a block is a few instructions that can be guarded, and perhaps computations,
    which may as well happen when they aren't needed; those of stores move out of it
    before (`--predicate-branches`), if they are few.
    """
    guarded = 0
    stores = any(isinstance(op, StoreOp) for op in block.ops)
    for op in block.ops:
        if isinstance(op, GUARDED):
            if getattr(op, "predicate", None) is not None or any(
                is_used(result) for result in op.results
            ):
                return False
            guarded += 1
        elif op is not block.last_op and (stores or not op.has_trait(Pure)):
            return False
    return 0 < guarded <= MAX_GUARDED


def _used(op: scf.IfOp) -> list[int]:
    """The results that are used; no others need registers."""
    return [index for index, result in enumerate(op.output) if is_used(result)]


def _end_block(e: Emitter, op: scf.IfOp, kept: Sequence[int]) -> Block:
    return e.labelled("endif", [e.type_of(op.output[index]) for index in kept])


def _finish(e: Emitter, op: scf.IfOp, kept: Sequence[int], end: Block) -> None:
    e.start(end)
    for index, value in zip(kept, end.args, strict=True):
        e.bind(op.output[index], value)
    if _leaves_a_lane(op):
        e.emit(BarWarpSyncOp(-1))


def _convert_side(e: Emitter, block: Block, kept: Sequence[int]) -> list[SSAValue]:
    """Convert a side of a conditional; returns the registers of its results."""
    last = convert_body(e, block)
    return registers(e, [last.operands[index] for index in kept])


def _if_then(e: Emitter, op: scf.IfOp) -> None:
    kept = _used(op)
    around: list[SSAValue] = []
    if kept:
        otherwise = last_op(op.false_region.block).operands
        around = registers(e, [otherwise[index] for index in kept])
    end, then = _end_block(e, op, kept), Block()
    branch(e, op.cond, False, end, around, then, [])
    e.start(then)
    inside = _convert_side(e, op.true_region.block, kept)
    e.emit(FallthroughOp(end, inside))
    _finish(e, op, kept, end)


def _leaves_a_lane(op: scf.IfOp) -> bool:
    """Whether the elected lane of a whole warp is in a loop meanwhile, and comes back.

    ptxas (13.0) takes it that the warp is together again, and leaves the predicate of
    the elected lane off what its uniform datapath does, a copy by TMA for one; on an
    H200 the other lanes make such copies then, of whatever their registers hold. A
    predicate that asks for more than the election keeps it.
    """
    elected, block = op.cond.owner, op.parent_block()
    waits = any(isinstance(inner, scf.WhileOp) for inner in op.walk())
    if not (isinstance(elected, ElectSyncOp) and elected.mask is None and waits):
        return False
    while block is not None and block is not elected.parent_block():
        around = block.parent_op()
        if not isinstance(around, scf.ForOp) or any(
            uniformity(bound) is Uniformity.THREAD
            for bound in (around.lb, around.ub, around.step)
        ):
            return False
        block = around.parent_block()
    return block is not None


def _if_else(e: Emitter, op: scf.IfOp) -> None:
    kept = _used(op)
    end, then, otherwise = _end_block(e, op, kept), Block(), e.labelled("else")
    branch(e, op.cond, False, otherwise, [], then, [])
    e.start(then)
    inside = _convert_side(e, op.true_region.block, kept)
    e.emit(BranchOp(end, inside))
    e.start(otherwise)
    inside = _convert_side(e, op.false_region.block, kept)
    e.emit(FallthroughOp(end, inside))
    _finish(e, op, kept, end)
