"""
`--infer-layouts`: every shared tile gets the layout that its consumers need.

An operand of `mma.exec` gets the widest swizzle whose panels divide its rows and that
lets wgmma, or the `ldmatrix` of mma.sync, read every part that is used. What
`mma.store` writes and a TMA store may read gets the widest swizzle that divides the
rows of every part that is stored. What a copy transposes gets the widest swizzle that
divides its rows, so that a column is in many banks. All other tiles are row-major. A
layout that the user wrote stays, and is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir import layouts
from croqtile_mlir.analysis.handle_groups import handle_groups
from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.products import Instruction, instruction_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AnyOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    FutureType,
    KernelOp,
    Layout,
    Major,
    MmaExecOp,
    MmaStoreOp,
    Space,
    TileType,
    tile_type,
)
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.layouts.warp_grid import check_operand
from croqtile_mlir.lowering.retyping import refresh_types, retype
from croqtile_mlir.targets.architecture import Architecture

SWIZZLES = (Layout.Swizzle128, Layout.Swizzle64, Layout.Swizzle32)
"""The swizzled layouts, the widest first."""


@dataclass(frozen=True)
class Operand:
    """A use of a tile as an operand of `mma.exec`."""

    op: MmaExecOp
    tile: SSAValue
    major: Major

    @property
    def origin(self) -> tuple[int, int]:
        """What the row and column of its first element are multiples of."""
        row, col = origin_in_buffer(self.tile)
        return row.multiple, col.multiple


@dataclass
class Buffer:
    """Shared buffers that take turns, so must have one layout, and what uses them."""

    allocs: list[AllocOp | AnyOp] = field(default_factory=list[AllocOp | AnyOp])
    operands: list[Operand] = field(default_factory=list[Operand])
    is_mma_stored: bool = False
    copied_out: list[SSAValue] = field(default_factory=list[SSAValue])
    """Parts of it that TMA may store to global memory."""
    is_transposed: bool = False
    """Whether a copy reads or writes it along its columns."""

    @property
    def stated(self) -> Layout | None:
        """The layout that the user wrote; one for all, as their types are equal."""
        return self.allocs[0].tile_type.layout


def _is_shared(tile: SSAValue) -> bool:
    return tile_type(tile).memory_space is Space.Shared


def buffers(kernel: KernelOp) -> Iterator[Buffer]:
    """The shared buffers of a kernel with their uses, in order of allocation."""
    groups = handle_groups(kernel)
    found: dict[SSAValue, Buffer] = {}

    def of(tile: SSAValue) -> Buffer:
        return found.setdefault(groups.find(tile), Buffer())

    for op in kernel.walk():
        if isinstance(op, AllocOp) and _is_shared(op.tile):
            of(op.tile).allocs.append(op)
        elif isinstance(op, AnyOp):
            of(op.future).allocs.append(op)
        elif isinstance(op, MmaExecOp):
            of(op.a).operands.append(Operand(op, op.a, op.a_major))
            of(op.b).operands.append(Operand(op, op.b, op.b_major))
        elif isinstance(op, MmaStoreOp):
            of(op.tile).is_mma_stored = True
        elif isinstance(op, CopyOp | CopyAsyncOp) and _is_shared(op.source):
            if not _is_shared(op.destination) and _may_be_tma(op):
                of(op.source).copied_out.append(op.source)
        if isinstance(op, CopyOp | CopyAsyncOp):
            for tile in (op.source, op.destination):
                if _is_shared(tile) and _changes_rows(op):
                    of(tile).is_transposed = True
    yield from (buffer for buffer in found.values() if buffer.allocs)


def _changes_rows(op: CopyOp | CopyAsyncOp) -> bool:
    """Whether a row of the source is no row of the destination."""
    order = op.rearrangement.permutation
    return order[-1] != len(order) - 1


def _may_be_tma(op: CopyOp | CopyAsyncOp) -> bool:
    return op.engine.data in (Engine.Auto, Engine.Tma)


def choose_layout(buffer: Buffer, by: Instruction) -> Layout:
    """The layout for a buffer without one; a located error when none will do."""
    open_type = buffer.allocs[0].tile_type
    if buffer.operands:
        reasons: list[tuple[Operand, str]] = []
        for layout in (*SWIZZLES, Layout.SwizzleNone):
            refused = _refusal(buffer, open_type.with_layout(layout), by)
            if refused is None:
                return layout
            reasons.append(refused)
        operand, reason = reasons[-1]
        _refuse(buffer, operand, reason)
    if buffer.is_mma_stored and buffer.copied_out:
        rows, _ = layouts.matrix_shape(open_type)
        parts = [tile_type(tile) for tile in buffer.copied_out]
        for layout in SWIZZLES:
            fits = all(
                tile.static_dims is None
                or layouts.check_layout(tile.with_layout(layout)) is None
                for tile in (open_type, *parts)
            )
            if fits and rows % layouts.CORE_ROWS == 0:
                return layout
    if buffer.is_transposed:
        for layout in SWIZZLES:
            if layouts.check_layout(open_type.with_layout(layout)) is None:
                return layout
    return Layout.RowMajor


def check_layout(buffer: Buffer, layout: Layout, by: Instruction) -> None:
    """A located error when a layout that the user wrote does not fit its uses."""
    for alloc in buffer.allocs:
        reason = layouts.check_layout(alloc.tile_type.with_layout(layout))
        if reason is not None:
            fail(alloc, reason)
        refused = _refusal(buffer, alloc.tile_type.with_layout(layout), by)
        if refused is not None:
            _refuse(buffer, *refused)


def _refusal(
    buffer: Buffer, tile: TileType, by: Instruction
) -> tuple[Operand, str] | None:
    """The first operand that cannot be read from a buffer of a type, and why."""
    check = wgmma.check_wgmma_operand if by == "wgmma" else check_operand
    for operand in buffer.operands:
        reason = check(tile, operand.major, operand.origin)
        if reason is not None:
            return operand, reason
    return None


def _refuse(buffer: Buffer, operand: Operand, reason: str) -> None:
    stated = buffer.stated is not None
    fail(
        operand.op,
        reason,
        hint="leave out the layout: --infer-layouts chooses it" if stated else None,
        notes=[(alloc, "the buffer is allocated here") for alloc in buffer.allocs],
    )


def _check_size(alloc: AllocOp | AnyOp, layout: Layout, chip: Architecture) -> None:
    """Refuse a buffer that no block can have, before others count its stages."""
    tile = alloc.tile_type.with_layout(layout)
    size, limit = layouts.buffer_bytes(tile), chip.shared_bytes_per_block
    if size > limit:
        fail(
            alloc,
            f"shared buffer must fit in {limit} bytes ({limit // 1024} KiB, the limit "
            f"of a block on {chip.name}), got {size}: {tile}",
            hint="use fewer stages or smaller tiles",
        )


def infer_layouts(kernel: KernelOp, chip: Architecture) -> None:
    """Give every shared tile of a kernel a layout."""
    by = instruction_of(kernel, chip)
    for buffer in buffers(kernel):
        for alloc in buffer.allocs:
            tile = alloc.tile_type
            if tile.static_dims is None:
                fail(
                    alloc,
                    f"must have constant extents to get a layout, got {tile}",
                    hint="run --bind-params first",
                )
        layout = buffer.stated or choose_layout(buffer, by)
        check_layout(buffer, layout, by)
        for alloc in buffer.allocs:
            _check_size(alloc, layout, chip)
            tile = alloc.tile_type.with_layout(layout)
            kind = FutureType(tile) if isinstance(alloc, AnyOp) else tile
            retype(alloc.results[0], kind)
    refresh_types(kernel)


@dataclass(frozen=True)
class InferLayoutsPass(ModulePass):
    """Choose the layout of every shared tile from what reads and writes it."""

    name = "infer-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.walk() if isinstance(k, KernelOp)]:
            infer_layouts(kernel, target_of(op))
