"""Whether the lanes that a mask names execute an op together, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import (
    WARP_THREADS,
    block_of,
    inner_threads,
    scope_of,
    scope_parallel,
    threads_around,
)
from croqtile_mlir.analysis.uniformity import Uniformity, divergent_control
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    LaneOp,
    Level,
    ParallelOp,
    WarpgroupBarrierOp,
)
from croqtile_mlir.lowering.rewriting import constant_value
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

_ALL = (1 << WARP_THREADS) - 1


def mask_of(op: LaneOp) -> int | None:
    """The lanes that an op names, a bit each; None when it is not a constant."""
    if op.mask is None:
        return _ALL
    value = constant_value(op.mask)
    return None if value is None else value & _ALL


def check_lanes(op: LaneOp) -> None:
    """
    Refuse a mask that names lanes which do not execute the op.

    Raises:
        CompileError: at the op, with the lanes, or with what makes them part.
    """
    mask = mask_of(op)
    if mask is None:
        return
    if mask == 0:
        fail(op, "must name at least one lane, got a mask of 0")
    threads = _threads_around(op)
    there = (1 << min(threads.count, WARP_THREADS)) - 1
    last = threads.count % WARP_THREADS
    if threads.count > WARP_THREADS and last:
        there = (1 << last) - 1
    if missing := mask & ~there:
        fail(
            op,
            f"must name lanes that execute it, got lane {_lowest(missing)} of a warp "
            f"of which {there.bit_count()} do",
            hint="give the lanes as a mask, or let whole warps execute it",
            notes=[(threads.place, f"it has {threads.count} threads")],
        )
    chain = divergent_control(op, block_of(op), Uniformity.WARP)
    if mask == _ALL and chain:
        fail(
            op,
            "must be executed by all lanes of its warp, got it where they part",
            hint="give the lanes that come here as a mask",
            notes=[(cause, "they part because of this") for cause in chain[:2]],
        )


def check_warpgroups(op: WarpgroupBarrierOp) -> None:
    """
    Refuse a barrier of warpgroups that not all threads of one execute.

    Raises:
        CompileError: at the op, with the threads, or with what makes them part.
    """
    scope = scope_of(op)
    if scope.first_thread % WARPGROUP_THREADS or scope.num_threads % WARPGROUP_THREADS:
        last = scope.first_thread + scope.num_threads
        fail(
            op,
            f"must be in a scope of whole warpgroups of {WARPGROUP_THREADS} threads, "
            f"got threads [{scope.first_thread}, {last})",
            notes=[(scope.root, "the threads are those of this op")],
        )
    level = scope_parallel(op)
    while level is not None and level.level.data.divides_block:
        count = inner_threads(level)
        if count % WARPGROUP_THREADS and count < threads_around(level):
            fail(
                op,
                "must be executed by all threads of its warpgroup, got it inside a "
                f"level of {count} of {threads_around(level)} threads",
                notes=[(level, "the level is here")],
            )
        level = scope_parallel(level)
    if chain := divergent_control(op, scope.root, Uniformity.WARPGROUP):
        fail(
            op,
            "must be executed by all threads of its warpgroup, got it where they part",
            hint="take it out, or use a condition that the warpgroup shares",
            notes=[(cause, "they part because of this") for cause in chain[:2]],
        )


@dataclass(frozen=True)
class _Threads:
    """So many threads execute what is in an op."""

    count: int
    place: Operation


def _threads_around(op: Operation) -> _Threads:
    """The threads of the `parallel : thread` around an op."""
    around = scope_parallel(op)
    while around is not None and around.level.data is Level.Thread:
        outer = scope_parallel(around)
        if not isinstance(outer, ParallelOp) or outer.level.data is not Level.Thread:
            return _Threads(inner_threads(around), around)
        around = outer
    return _Threads(scope_of(op).num_threads, op)


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
