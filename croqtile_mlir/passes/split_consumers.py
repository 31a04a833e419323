"""
`--split-consumers`: warpgroups that share the rows of a tile become roles of their own.

    croq.role "consumer" warpgroups [1, 3) {     croq.role "consumer0" warpgroups [1, 2) {
      .. croq.mma.exec row.row %c, %a, %b          %a0 = croq.chunkat %a [2, _] at (0, _)
         : acc<128x256xf32>                        .. croq.mma.exec row.row %c, %a0, %b
      croq.mma.store %acc => %o_s           ->          : acc<64x256xf32>
      croq.copy %o_s => %o                         croq.mma.store %acc => %o_s0
    }                                              %o0 = croq.chunkat %o [2, _] at (0, _)
                                                   croq.copy %o_s0 => %o0
                                                 }
                                                 croq.role "consumer1" warpgroups [2, 3) {..}

Each has its own part of the buffer that its results pass through, so that neither waits
for the other before it stores: the barriers of an epilogue are those of one warpgroup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.analysis.scopes import WARPGROUP_THREADS, blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AccType,
    AllocOp,
    ChunkAtOp,
    CopyOp,
    EventOp,
    ForeachOp,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    ParallelOp,
    RoleOp,
    Space,
    TriggerOp,
    WaitOp,
    YieldOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_WGMMA_ROWS = 64
"""Rows that a warpgroup multiplies at a time."""

_KEPT = (
    ForeachOp,
    YieldOp,
    scf.IfOp,
    scf.YieldOp,
    MmaFillOp,
    MmaCommitOp,
    MmaWaitOp,
    WaitOp,
)
"""Ops that mean the same for a part of the rows."""


@dataclass(frozen=True)
class SplitConsumersPass(ModulePass):
    """
    Make a role of each warpgroup of the roles that multiply by several.

    Such a role may do nothing but wait, multiply, release, and store its accumulators
    through a buffer of its own. After `--warp-specialize`, before `--overlap-epilogue`.
    """

    name = "split-consumers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        blocks = blocks_in(op)
        roles = [role for block in blocks for role in _shared_roles(block)]
        if blocks and not roles:
            fail(
                blocks[0],
                "must have a role of several warpgroups that multiplies, got none",
                hint="run --warp-specialize{mode=cooperative} first",
            )
        for role in roles:
            _split(role)


def _shared_roles(block: ParallelOp) -> list[RoleOp]:
    return [
        op
        for op in block.body.block.ops
        if isinstance(op, RoleOp)
        and op.warps is None
        and op.num_threads > WARPGROUP_THREADS
        and any(isinstance(inner, MmaExecOp) for inner in op.walk())
    ]


def _split(role: RoleOp) -> None:
    parts = role.num_threads // WARPGROUP_THREADS
    buffers = _check(role, parts)
    first = role.first.data
    for part in range(parts):
        body = role.body.clone()
        made = RoleOp(
            f"{role.role_name.data}{part}",
            first + part,
            first + part + 1,
            body,
            registers=None if role.registers is None else role.registers.data,
        )
        made.attributes |= role.attributes
        LocatedBuilder.before(role).insert(made)
        made.location = role.location
        _take_rows(made, part, parts, [_part_of(buffer, parts) for buffer in buffers])
    role.detach()
    role.erase()
    for buffer in buffers:
        buffer.detach()
        buffer.erase()


def _check(role: RoleOp, parts: int) -> list[AllocOp]:
    """The buffers of the results; an error for what no part of the rows can do."""
    buffers: list[AllocOp] = []
    for op in role.walk():
        match op:
            case MmaStoreOp():
                buffers.append(_buffer(op, role))
            case MmaExecOp():
                _check_rows(op, parts)
            case TriggerOp() if not op.after:
                _check_arrivals(op)
            case CopyOp() if isinstance(op.source.owner, AllocOp) and (
                tile_type(op.destination).memory_space is Space.Global
            ):
                pass
            case _ if op is role or isinstance(op, _KEPT) or has_no_effect(op):
                pass
            case _:
                fail(
                    op,
                    "must not be in a role whose warpgroups become roles of their own: "
                    "it is done once by all of them",
                    notes=[(role, "the role is here")],
                    hint="leave out --split-consumers",
                )
    for op in role.walk():
        if isinstance(op, CopyOp) and op.source.owner not in buffers:
            fail(op, "must copy the accumulators of its role to be split")
    return buffers


def _check_rows(product: MmaExecOp, parts: int) -> None:
    rows = product.acc.type.dims[0] if isinstance(product.acc.type, AccType) else 0
    if not isinstance(rows, int):
        fail(
            product,
            f"must have a constant number of rows to be split, got {rows}",
            hint="run --bind-params first",
        )
    if rows % (_WGMMA_ROWS * parts):
        fail(
            product,
            f"must have a multiple of {_WGMMA_ROWS * parts} rows to be split among "
            f"{parts} warpgroups, got {rows}",
        )


def _check_arrivals(trigger: TriggerOp) -> None:
    event = trigger.event.owner
    if isinstance(event, EventOp) and event.arrivals is not None:
        fail(
            event,
            "must not state its arrivals where the role that triggers it is split",
            notes=[(trigger, "it is triggered here")],
        )


def _buffer(store: MmaStoreOp, role: RoleOp) -> AllocOp:
    buffer = store.tile.owner
    if not isinstance(buffer, AllocOp):
        fail(
            store,
            "must fill a whole buffer for its role to be split",
            hint="run --split-consumers before --overlap-epilogue",
        )
    for use in buffer.tile.uses:
        if use.operation is not store and (
            not isinstance(use.operation, CopyOp) or not role.is_ancestor(use.operation)
        ):
            fail(
                use.operation,
                "must not use the buffer that the accumulators of a split role pass "
                "through",
                notes=[(store, "they are stored here")],
            )
    return buffer


def _part_of(buffer: AllocOp, parts: int) -> SSAValue:
    """A buffer for the rows of a part, in place of that for all rows."""
    rows, *others = buffer.tile_type.dims
    if not isinstance(rows, int):
        fail(
            buffer,
            f"must have a constant number of rows to be split, got {rows}",
            hint="run --bind-params first",
        )
    made = LocatedBuilder.before(buffer).insert(
        AllocOp(buffer.tile_type.with_shape([rows // parts, *others]))
    )
    made.attributes |= buffer.attributes
    made.tile.name_hint = buffer.tile.name_hint
    return made.tile


def _take_rows(
    role: RoleOp, part: int, parts: int, buffers: Sequence[SSAValue]
) -> None:
    """Let a copy of a role do part `part` of the rows."""
    stores = [op for op in role.walk() if isinstance(op, MmaStoreOp)]
    for store, buffer in zip(stores, buffers, strict=True):
        for use in tuple(store.tile.uses):
            if role.is_ancestor(use.operation):
                use.operation.operands[use.index] = buffer
    for op in tuple(role.walk()):
        match op:
            case MmaExecOp():
                rows_first = op.form.data.startswith("row")
                op.operands[1] = _rows(op, op.a, 0 if rows_first else 1, part, parts)
            case CopyOp():
                op.operands[1] = _rows(op, op.destination, 0, part, parts)
            case _:
                pass
        for value in (*op.results, *(a for r in op.regions for a in r.block.args)):
            if isinstance(value.type, AccType):
                rows, cols = value.type.shape
                Rewriter.replace_value_with_new_type(
                    value, AccType(rows // parts, cols, value.type.element_type)
                )


def _rows(op: Operation, tile: SSAValue, dim: int, part: int, parts: int) -> SSAValue:
    """Rows of a tile that are along `dim` of it."""
    rank = tile_type(tile).rank
    chunks, at = [1] * rank, list[Index]([WHOLE] * rank)
    chunks[dim], at[dim] = parts, part
    return LocatedBuilder.before(op).insert(ChunkAtOp(tile, chunks, at)).result
