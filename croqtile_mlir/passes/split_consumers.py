"""
`--split-consumers`: warpgroups that share the rows of a tile become roles of their own.

    croq.role "consumer" warpgroups [1, 3) {
      .. croq.mma.exec row.row %c, %a, %b : acc<128x256xf32>
      croq.mma.store %acc => %o_s
      croq.copy %o_s => %o
    }
          ->
    croq.role "consumer0" warpgroups [1, 2) {
      %a0 = croq.chunkat %a [2, _] at (0, _)
      .. croq.mma.exec row.row %c, %a0, %b : acc<64x256xf32>
      croq.mma.store %acc => %o_s0
      %o0 = croq.chunkat %o [2, _] at (0, _)
      croq.copy %o_s0 => %o0
    }
    croq.role "consumer1" warpgroups [2, 3) { .. (1, _) .. %o_s1 .. }

Each has its own part of the buffer that its results pass through, so that neither waits
for the other before it stores: the barriers of an epilogue are those of one warpgroup.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from croqtile_mlir.analysis.scopes import WARPGROUP_THREADS, blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AccType,
    AllocOp,
    ChunkAtOp,
    CopyOp,
    ElementwiseOp,
    MmaExecOp,
    ParallelOp,
    RoleOp,
    TileType,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.divisible_roles import check_divisible


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
    buffers = check_divisible(role, parts)
    for part in range(parts):
        first = role.first.data + part
        made = RoleOp(
            f"{role.role_name.data}{part}",
            first,
            first + 1,
            role.body.clone(),
            registers=None if role.registers is None else role.registers.data,
        )
        made.attributes |= role.attributes
        LocatedBuilder.before(role).insert(made)
        for buffer in buffers:
            own = _part_of(buffer, parts)
            buffer.tile.replace_uses_with_if(
                own, lambda use, made=made: made.is_ancestor(use.operation)
            )
        _take_rows(made, part, parts)
    for op in (role, *buffers):
        op.detach()
        op.erase()


def _part_of(buffer: AllocOp, parts: int) -> SSAValue:
    """A buffer for the rows of a part."""
    rows, *others = buffer.tile_type.dims
    assert isinstance(rows, int)  # those of the accumulator
    made = LocatedBuilder.before(buffer).insert(
        AllocOp(buffer.tile_type.with_shape([rows // parts, *others]))
    )
    made.attributes |= buffer.attributes
    made.tile.name_hint = buffer.tile.name_hint
    return made.tile


def _take_rows(role: RoleOp, part: int, parts: int) -> None:
    """Let a copy of a role do part `part` of the rows."""
    for op in tuple(role.walk()):
        match op:
            case MmaExecOp():
                rows_first = op.form.data.startswith("row")
                op.operands[1] = _rows(op, op.a, 0 if rows_first else 1, part, parts)
            case ElementwiseOp():
                for number, along in enumerate(op.along_dims):
                    tile = op.inputs[number]
                    if 0 in along and isinstance(tile.type, TileType):
                        op.operands[number] = _rows(op, tile, 0, part, parts)
            case CopyOp():
                op.operands[1] = _rows(op, op.destination, 0, part, parts)
            case _:
                pass
        for value in (*op.results, *(a for r in op.regions for a in r.block.args)):
            if isinstance(value.type, AccType):
                rows, cols = value.type.dims
                assert isinstance(rows, int)  # _check_rows
                Rewriter.replace_value_with_new_type(
                    value, AccType(rows // parts, cols, value.type.element_type)
                )


def _rows(op: Operation, tile: SSAValue, dim: int, part: int, parts: int) -> SSAValue:
    """Rows of a tile that are along `dim` of it."""
    rank = tile_type(tile).rank
    chunks, at = [1] * rank, list[Index]([WHOLE] * rank)
    chunks[dim], at[dim] = parts, part
    return LocatedBuilder.before(op).insert(ChunkAtOp(tile, chunks, at)).result
