"""
`--lower-lanes`: what the lanes of a warp exchange becomes ops of hardware level.

    %y = croq.shuffle xor %x by %d : f16 -> f16

        %v = llvm.insertelement .. : vector<2xf16>
    ->  %i = llvm.bitcast %v : vector<2xf16> to i32
        %s = nvvm.shfl.sync bfly %all, %i, %d, %clamp : i32 -> i32
        ..

Shuffles are of 32 bits: smaller values are widened, larger ones take two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.lane_masks import check_lanes
from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import (
    LaneReduction,
    MatchKind,
    ShuffleKind,
    VoteKind,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_ALL_LANES = -1

SHUFFLES: Mapping[ShuffleKind, tuple[nvvm.ShflKind, int]] = MappingProxyType(
    {
        ShuffleKind.Idx: (nvvm.ShflKind.Idx, WARP_THREADS - 1),
        ShuffleKind.Up: (nvvm.ShflKind.Up, 0),
        ShuffleKind.Down: (nvvm.ShflKind.Down, WARP_THREADS - 1),
        ShuffleKind.Xor: (nvvm.ShflKind.Bfly, WARP_THREADS - 1),
    }
)
"""What the hardware calls each shuffle, and the last lane that it may read."""

VOTES: Mapping[VoteKind, nvvm.VoteSyncKind] = MappingProxyType(
    {kind: nvvm.VoteSyncKind(kind.value) for kind in VoteKind}
)
MATCHES: Mapping[MatchKind, nvvm.MatchSyncKind] = MappingProxyType(
    {kind: nvvm.MatchSyncKind(kind.value) for kind in MatchKind}
)
REDUCTIONS: Mapping[LaneReduction, nvvm.ReduxKind] = MappingProxyType(
    {kind: nvvm.ReduxKind(kind.value) for kind in LaneReduction}
)


@dataclass(frozen=True)
class LowerLanesPass(ModulePass):
    """Lower what the lanes of a warp exchange, and what each knows of its place."""

    name = "lower-lanes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, croq.LANE_OPS):
                check_lanes(inner)
                _lower(inner)
            elif isinstance(inner, croq.LaneIdOp | croq.WarpIdOp | croq.ActiveMaskOp):
                _lower_own(inner)


def _lower(op: croq.LaneOp) -> None:
    build = LocatedBuilder.before(op)
    mask = build.i32(_ALL_LANES) if op.mask is None else op.mask
    match op:
        case croq.ShuffleOp():
            replace_values(op, [_shuffled(build, op, mask)])
        case croq.VoteOp():
            vote = nvvm.VoteSyncOp(VOTES[op.kind.data], mask, op.predicate)
            replace_values(op, [build.insert(vote).result])
        case croq.MatchOp():
            match_ = nvvm.MatchSyncOp(MATCHES[op.kind.data], mask, op.value)
            found = build.insert(match_).result
            if op.same is None:
                replace_values(op, [found])
            else:
                parts = (llvm.ExtractValueOp(found, [part]) for part in range(2))
                replace_values(op, [build.insert(part).result for part in parts])
        case croq.ReduxOp():
            redux = nvvm.ReduxSyncOp(REDUCTIONS[op.kind.data], op.value, mask)
            replace_values(op, [build.insert(redux).result])
        case croq.ElectLaneOp():
            replace_values(op, [build.insert(nvvm.ElectSyncOp(mask)).result])
        case croq.WarpBarrierOp():
            build.insert(nvvm.BarWarpSyncOp(mask))
            replace_values(op, [])


def _lower_own(op: croq.LaneIdOp | croq.WarpIdOp | croq.ActiveMaskOp) -> None:
    """What a thread has without the others: its place, and who is there."""
    build = LocatedBuilder.before(op)
    match op:
        case croq.LaneIdOp():
            lane = build.insert(nvvm.LaneIdOp()).result
            replace_values(op, [build.cast(lane, IndexType())])
        case croq.WarpIdOp():
            # Scopes begin with a whole warp; %warpid is not the place in the block.
            thread = build.insert(croq.ThreadIdOp()).result
            replace_values(op, [build.udiv(thread, WARP_THREADS)])
        case croq.ActiveMaskOp():
            call = llvm.CallIntrinsicOp(nvvm.ACTIVE_MASK, [], [i32])
            replace_values(op, list(build.insert(call).results))


def _shuffled(build: LocatedBuilder, op: croq.ShuffleOp, mask: SSAValue) -> SSAValue:
    """The value of the other lane, in as many pieces of 32 bits as it has."""
    kind, last = SHUFFLES[op.kind.data]
    clamp = build.i32(last)

    def shuffle(value: SSAValue) -> SSAValue:
        made = nvvm.ShflSyncOp(kind, mask, value, op.offset, clamp)
        return build.insert(made).result

    value = op.value
    match value.type:
        case Float16Type() | BFloat16Type() as half:
            pair = VectorType(half, [2])
            zero = build.i32(0)
            empty = build.insert(llvm.UndefOp(pair)).result
            filled = build.insert(llvm.InsertElementOp(empty, value, zero)).result
            moved = shuffle(build.insert(llvm.BitcastOp(filled, i32)).result)
            both = build.insert(llvm.BitcastOp(moved, pair)).result
            return build.insert(llvm.ExtractElementOp(both, zero)).result
        case IntegerType(width=width) if width.data == 64:
            half_width = build.constant(32, i64)
            low = build.insert(arith.TruncIOp(value, i32)).result
            shifted = build.insert(arith.ShRUIOp(value, half_width)).result
            high = build.insert(arith.TruncIOp(shifted, i32)).result
            wide = [
                build.insert(arith.ExtUIOp(shuffle(part), i64)).result
                for part in (low, high)
            ]
            above = build.insert(arith.ShLIOp(wide[1], half_width)).result
            return build.insert(arith.OrIOp(wide[0], above)).result
        case _:
            return shuffle(value)
