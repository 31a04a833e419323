"""
Barriers of blocks, roles, names, warpgroups and clusters, and their numbers.

Part of `--lower-parallel`. Barrier 0 is that of the block; PTX ISA, "bar".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.lane_masks import check_warpgroups
from croqtile_mlir.analysis.scopes import (
    WARP_THREADS,
    inner_threads,
    scope_of,
    scope_parallel,
    threads_around,
)
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.lowering.cluster_reach import blocks_in_cluster
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS, Architecture

ALL_LANES = -1
"""The mask of a whole warp."""

Barrier = (
    croq.BarrierOp | croq.BarrierArriveOp | croq.BarrierWaitOp | croq.WarpgroupBarrierOp
)


@dataclass
class BarrierLowering:
    """Lowers the barriers of one block."""

    parallel: croq.ParallelOp
    architecture: Architecture
    warp_in_scope: Callable[[Operation], SSAValue]
    """The index of the warp in the scope of an op."""

    _numbers: dict[object, int] = field(default_factory=dict[object, int])
    """The number of the barrier of a role, of a name, or of the first warpgroup of a
    scope, which those of the others follow."""

    _next: int = 1

    def lower(self, op: Barrier) -> None:
        """Replace a barrier by that of the hardware."""
        match op:
            case croq.BarrierOp():
                self._lower_barrier(op)
            case croq.WarpgroupBarrierOp():
                self._lower_of_warpgroup(op)
            case _:
                self._lower_split(op)

    def _lower_barrier(self, op: croq.BarrierOp) -> None:
        for level in _levels_around(op, self.parallel):
            around = scope_parallel(level)
            whole = around is not None and threads_around(level) == inner_threads(level)
            if not whole:
                fail(
                    op,
                    "must be executed by all threads of its scope, got it inside a "
                    f"level of {inner_threads(level)} of {threads_around(level)} "
                    "threads",
                    notes=[(level, "the level is here")],
                )
        builder = LocatedBuilder.before(op)
        if op.cluster is not None and blocks_in_cluster(self.parallel) > 1:
            _meet_cluster(builder, op)
        else:
            self._meet_scope(builder, op)
        op.detach()
        op.erase()

    def _meet_scope(self, builder: LocatedBuilder, op: Operation) -> None:
        """The barrier of the scope of an op."""
        scope = scope_of(op)
        if scope.is_block:
            builder.insert(nvvm.BarrierOp())
        elif scope.num_threads == WARP_THREADS:
            builder.insert(nvvm.BarWarpSyncOp(builder.i32(ALL_LANES)))
        else:
            number = self._number(op, scope.root)
            builder.insert(
                nvvm.BarrierOp(builder.i32(number), builder.i32(scope.num_threads))
            )

    def _lower_of_warpgroup(self, op: croq.WarpgroupBarrierOp) -> None:
        """The barrier of the warpgroup: that of the scope where it is all of it."""
        check_warpgroups(op)
        builder, scope = LocatedBuilder.before(op), scope_of(op)
        groups = scope.num_threads // WARPGROUP_THREADS
        if groups == 1:
            self._meet_scope(builder, op)
        else:
            key = ("warpgroups", scope.root)
            first = self._number(op, key, groups)
            warps = WARPGROUP_THREADS // WARP_THREADS
            group = builder.cast(builder.udiv(self.warp_in_scope(op), warps), i32)
            number = builder.add(group, first)
            builder.insert(nvvm.BarrierOp(number, builder.i32(WARPGROUP_THREADS)))
        replace_values(op, ())

    def _number(self, op: Operation, key: object, count: int = 1) -> int:
        """The number of the barrier of a key, the first of `count`."""
        if key not in self._numbers:
            self._numbers[key] = self._next
            self._next += count
        number, limit = self._numbers[key], self.architecture.named_barriers
        if number + count > limit:
            fail(
                op,
                f"must be one of at most {limit - 1} barriers of roles, of names and "
                f"of warpgroups (the hardware has {limit}, one is that of the block), "
                f"got {number + count - 1}",
            )
        return number

    def _lower_split(self, op: croq.BarrierArriveOp | croq.BarrierWaitOp) -> None:
        require_whole_scope(op, "arrive and wait in the body of the role")
        builder = LocatedBuilder.before(op)
        number = builder.i32(self._number(op, op.identity.data))
        threads = builder.i32(op.threads.value.data)
        if isinstance(op, croq.BarrierArriveOp):
            builder.insert(nvvm.BarrierArriveOp(number, threads))
        else:
            builder.insert(nvvm.BarrierOp(number, threads))
        replace_values(op, ())


def _meet_cluster(builder: LocatedBuilder, op: croq.BarrierOp) -> None:
    """
    The barrier of the cluster.

    Where only the initialisation of mbarriers comes before it, their fence orders
    memory, and the arrival need not: that would be a fence of the whole device.
    """
    if _follows_initialisation(op):
        builder.insert(nvvm.ClusterArriveRelaxedOp(aligned=True))
    else:
        # The elected thread of a role may be the last of its warp.
        builder.insert(nvvm.BarWarpSyncOp(builder.i32(ALL_LANES)))
        builder.insert(nvvm.ClusterArriveOp(aligned=True))
    builder.insert(nvvm.ClusterWaitOp(aligned=True))


def _follows_initialisation(op: croq.BarrierOp) -> bool:
    """Whether nothing else than initialised mbarriers is to be published."""
    previous = op.prev_op
    while previous is not None and is_side_effect_free(previous):
        previous = previous.prev_op
    if not isinstance(previous, scf.IfOp):
        return False
    inits = list(previous.true_region.block.ops)[:-1]
    if not inits or not isinstance(inits[-1], nvvm.FenceMbarrierInitOp):
        return False
    fresh = all(
        isinstance(init, nvvm.MbarrierInitOp | nvvm.FenceMbarrierInitOp)
        or is_side_effect_free(init)
        for init in inits
    )
    before = previous.prev_op
    while before is not None and is_side_effect_free(before):
        before = before.prev_op
    return fresh and before is None


def _levels_around(op: Operation, block: croq.ParallelOp) -> list[croq.ParallelOp]:
    levels: list[croq.ParallelOp] = []
    level = scope_parallel(op)
    while level is not None and level is not block:
        levels.append(level)
        level = scope_parallel(level)
    return levels
