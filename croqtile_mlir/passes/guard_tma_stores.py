"""
`--guard-tma-stores`: keep TMA stores inside rows that do not end at 16 bytes.

    croq.copy %t => %o engine(tma)   ->   %whole = ..
                                          scf.if %whole {
                                            croq.copy %t => %o engine(tma)
                                          } else {
                                            croq.copy %t => %o engine(threads)
                                          }

TMA clips the columns of a store at 16 bytes, not at elements: where a row of the
argument ends inside 16 bytes, it would write beyond it (seen on an H200). The store is
left to TMA where the row ends at 16 bytes or the tile does not reach its end, which all
threads of the block agree on; else the threads make it. Where tiles begin at multiples
of their columns, each element is always stored in the same way: the `scf.if` says that
its branches are `apart`, so that `--insert-fences` orders nothing between them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.global_proxies import APART
from croqtile_mlir.analysis.tma_rules import PITCH_BYTES, why_not_known
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    CopyOp,
    Engine,
    Space,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.addresses import extent_of
from croqtile_mlir.lowering.global_windows import GlobalWindow, global_window
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_index = IndexType()


def _may_write_beyond(copy: CopyOp | CopyAsyncOp) -> bool:
    """Whether a copy is a TMA store to rows that may not end at 16 bytes."""
    destination = tile_type(copy.destination)
    if (
        copy.engine.data is not Engine.Tma
        or destination.memory_space is not Space.Global
    ):
        return False
    return why_not_known(copy) is not None


def _extents(copy: CopyOp) -> tuple[int, ...]:
    """The extents of the tile that is stored."""
    dims = tile_type(copy.source).static_dims
    if dims is None:
        fail(
            copy,
            f"must have a source of constant extents, got {tile_type(copy.source)}",
            hint="run --bind-params first",
        )
    return dims


def _stays_inside(
    copy: CopyOp, window: GlobalWindow, columns: int, memo: MemoBuilder
) -> SSAValue:
    """The condition under which TMA may make a store; arithmetic goes before it."""
    build = memo.builder
    last = window.root_type.rank - 1
    elements = PITCH_BYTES // window.root_type.element_bytes
    end = extent_of(copy, root_of(copy.destination), last, memo)
    extent = memo.materialize(memo.sum(end, _index), _index)
    reach = memo.materialize(memo.sum(window.origin[last] + columns, _index), _index)
    rest = memo.materialize(memo.urem(extent, elements), _index)
    whole = build.or_(build.cmp("eq", rest, 0), build.cmp("ule", reach, extent))
    whole.name_hint = "whole"
    return whole


def _branch(copy: CopyOp, engine: Engine) -> Region:
    body = Block()
    builder = LocatedBuilder.at_end(body, copy.location)
    builder.insert(CopyOp(copy.source, copy.destination, engine))
    builder.insert(scf.YieldOp())
    return Region(body)


def _guard(copy: CopyOp) -> None:
    memo = MemoBuilder()
    memo.move_before(copy)
    dims = _extents(copy)
    window = global_window(copy, copy.destination, dims, memo)
    condition = _stays_inside(copy, window, dims[-1], memo)
    yes, no = _branch(copy, Engine.Tma), _branch(copy, Engine.Threads)
    divides = window.origin[-1].multiple % window.extents[-1] == 0
    branches = scf.IfOp(condition, [], yes, no)
    if divides:
        branches.attributes[APART] = UnitAttr()
    LocatedBuilder.before(copy).insert(branches)
    copy.detach()
    copy.erase()


@dataclass(frozen=True)
class GuardTmaStoresPass(ModulePass):
    """
    Let threads make a TMA store where the rows of its argument end inside 16 bytes.

    Nothing changes where the inner extent is known to be a multiple of 16 bytes.
    """

    name = "guard-tma-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for copy in list(op.walk()):
            if isinstance(copy, CopyOp) and _may_write_beyond(copy):
                _guard(copy)
            elif isinstance(copy, CopyAsyncOp) and _may_write_beyond(copy):
                fail(
                    copy,
                    "with engine tma must store to rows that are known to end at "
                    f"{PITCH_BYTES} bytes, got {why_not_known(copy)}",
                    hint="declare the inner dim with multiple_of, or use croq.copy",
                )
