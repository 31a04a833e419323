"""Give shared buffers their place in the dynamic shared memory of the block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.buffer_lifetimes import Lifetimes
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail, location_of
from croqtile_mlir.dialects import gpu_ext, llvm_ext
from croqtile_mlir.dialects.croq import AddressOp, AllocOp
from croqtile_mlir.launch.plan import ATTRIBUTE, LaunchPlan, LaunchPlanError
from croqtile_mlir.layouts import LayoutError, alignment, buffer_bytes
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.targets.architecture import Architecture

SYMBOL = "smem"
"""The name of the dynamic shared memory."""

BASE_ALIGNMENT = 1024
"""Alignment of the dynamic shared memory: that of the widest swizzle."""

SHARED = 3
"""The address space of shared memory."""


@dataclass(frozen=True)
class AllocateSharedPass(ModulePass):
    """
    Replace `croq.alloc` by offsets in one dynamic buffer, `@smem`.

    Buffers share memory when a barrier of the block separates their uses. The bytes go
    into the launch plan; more than the target has are a located error.
    """

    name = "allocate-shared"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = target_of(op)
        for function in tuple(op.walk()):
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                _allocate(function, chip)


@dataclass(frozen=True)
class Buffer:
    """What a buffer needs, in bytes."""

    alloc: AllocOp
    bytes: int
    alignment: int


def _allocate(function: llvm_ext.FuncOp, chip: Architecture) -> None:
    entry = function.body.blocks[0]
    buffers: list[Buffer] = []
    for op in tuple(function.body.walk()):
        if not isinstance(op, AllocOp):
            continue
        if op.parent is not entry:
            fail(op, "must be in the entry block", hint="run --lower-parallel")
        if op.tile.first_use is None:
            op.detach()
            op.erase()
        else:
            buffers.append(_buffer(op))
    if not buffers:
        return
    offsets = place(buffers, Lifetimes(entry))
    total = max(offsets[buffer.alloc] + buffer.bytes for buffer in buffers)
    if total > chip.shared_bytes_per_block:
        _refuse(function, buffers, total, chip)
    _set_shared_bytes(function, total)
    _declare(function)
    first = entry.first_op
    if first is None:
        return
    base = LocatedBuilder.before(first).insert(llvm_ext.AddressOfOp(SYMBOL, SHARED))
    base.result.name_hint = SYMBOL
    for buffer in buffers:
        _replace(buffer.alloc, base.result, offsets[buffer.alloc])


def place(buffers: Sequence[Buffer], lifetimes: Lifetimes) -> Mapping[AllocOp, int]:
    """
    The offset of each buffer, in bytes.

    The widest alignment comes first, so that there is no padding; each buffer takes the
    lowest place that no buffer holds which needs memory of its own.
    """
    offsets: dict[AllocOp, int] = {}
    placed: list[Buffer] = []
    for buffer in sorted(buffers, key=lambda b: (-b.alignment, -b.bytes)):
        taken = sorted(
            (offsets[other.alloc], offsets[other.alloc] + other.bytes)
            for other in placed
            if lifetimes.interfere(buffer.alloc, other.alloc)
        )
        offset = 0
        for begin, end in taken:
            if offset + buffer.bytes > begin and offset < end:
                offset = -(-end // buffer.alignment) * buffer.alignment
        offsets[buffer.alloc] = offset
        placed.append(buffer)
    return offsets


def _buffer(alloc: AllocOp) -> Buffer:
    try:
        unit = alignment(alloc.tile_type)
        return Buffer(alloc, buffer_bytes(alloc.tile_type), unit)
    except LayoutError as error:
        fail(alloc, str(error), hint="--infer-layouts gives every buffer a layout")


def _refuse(
    function: llvm_ext.FuncOp,
    buffers: Sequence[Buffer],
    total: int,
    chip: Architecture,
) -> None:
    limit = chip.shared_bytes_per_block
    fail(
        location_of(function),
        f"shared buffers of kernel @{function.sym_name.data} must fit in {limit} bytes "
        f"({limit // 1024} KiB, the limit of a block on {chip.name}), got {total}",
        hint="use fewer stages or smaller tiles",
        notes=[
            (buffer.alloc, f"{buffer.bytes} bytes: {buffer.alloc.tile_type}")
            for buffer in sorted(buffers, key=lambda b: -b.bytes)
        ],
    )


def _set_shared_bytes(function: llvm_ext.FuncOp, total: int) -> None:
    stated = function.attributes.get(ATTRIBUTE)
    if stated is None:
        return
    try:
        plan = LaunchPlan.from_attr(stated)
    except LaunchPlanError as error:
        fail(function, str(error))
    function.attributes[ATTRIBUTE] = replace(plan, shared_bytes=total).to_attr()


def _declare(function: llvm_ext.FuncOp) -> None:
    """Declare the dynamic shared memory in the module of a function."""
    module = function.parent_op()
    if not isinstance(module, gpu_ext.ModuleOp):
        fail(function, "must be in a gpu.module")
    for op in module.body.block.ops:
        if isinstance(op, llvm_ext.GlobalOp) and op.sym_name.data == SYMBOL:
            return
    LocatedBuilder.at_start(module.body.block, function.location).insert(
        llvm_ext.GlobalOp(
            SYMBOL,
            llvm_ext.LLVMArrayType(0, i8),
            addr_space=SHARED,
            alignment=BASE_ALIGNMENT,
        )
    )


def _replace(alloc: AllocOp, base: SSAValue, offset: int) -> None:
    """Replace the addresses of a buffer."""
    addresses: list[AddressOp] = []
    for use in alloc.tile.uses:
        op: Operation = use.operation
        if not isinstance(op, AddressOp) or any(op.index_values):
            fail(
                op,
                "must not use a shared buffer but for its address at --allocate-shared",
                hint="run --lower-views",
            )
        addresses.append(op)
    place = base
    if addresses and offset:
        gep = llvm_ext.GEPOp(base, [offset], i8, inbounds=True)
        place = LocatedBuilder.before(alloc).insert(gep).result
        place.name_hint = alloc.tile.name_hint
    for op in addresses:
        replace_values(op, (place,))
    alloc.detach()
    alloc.erase()
