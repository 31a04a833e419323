"""The values of a kernel in one of its warps."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation

from croqtile_mlir.analysis.scopes import (
    THREADS_OF,
    WARP_THREADS,
    block_threads,
    scope_of,
    scope_parallel,
)
from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.dialects.croq import ElectOp, Level, ParallelOp, ThreadIdOp

_LANE_BITS = WARP_THREADS - 1


@dataclass
class WarpValues(Values):
    """Values in terms of the warp in the block, and of the lane in the warp."""

    lane: Variable | None = None

    @staticmethod
    def of(values: Values, block: ParallelOp) -> WarpValues:
        """The same, with agents that are warps."""
        warps = -(-block_threads(block) // WARP_THREADS)
        make = values.make
        lane = make.variable("lane", (0, _LANE_BITS), lanes=True)
        return WarpValues(
            values.kernel,
            values.units,
            make,
            values.leaves,
            values.blocks,
            values.free,
            values.choices,
            values.ways,
            values.alike,
            warp=make.variable("warp", (0, warps - 1)),
            lanes=frozenset({lane}),
            cluster=values.cluster,
            runs=values.runs,
            lane=lane,
        )

    def anew(self) -> WarpValues:
        """The same for another warp: loops and what they carry are others."""
        return WarpValues(
            self.kernel,
            self.units,
            self.make,
            self.leaves,
            self.blocks,
            self.free,
            self.choices,
            self.ways,
            self.alike,
            warp=self.warp,
            lanes=self.lanes,
            cluster=self.cluster,
            runs=self.runs,
            lane=self.lane,
        )

    def thread_id(self, op: ThreadIdOp) -> Expr:
        return self.thread_of(op)

    def thread_of(self, op: Operation) -> Expr:
        """The index of a thread in the scope of an op."""
        make, scope = self.make, scope_of(op)
        if self.warp is None or self.lane is None:
            return Unknown("the index of a thread", op)
        first = Constant(-(scope.first_thread // WARP_THREADS))
        warp = make.apply("add", self.warp, first)
        return make.apply(
            "add", make.apply("mul", warp, Constant(WARP_THREADS)), self.lane
        )

    def within(self, level: ParallelOp) -> Expr:
        """The index of a thread in what a level divides: its scope, or a level."""
        around = scope_parallel(level)
        if around is None or around.level.data is Level.Block:
            return self.thread_of(level)
        unit = Constant(THREADS_OF.get(around.level.data, 1))
        return self.make.apply("mod", self.within(around), unit)

    def thread_index(self, level: ParallelOp, index: BlockArgument) -> Expr:
        unit = Constant(THREADS_OF.get(level.level.data, 1))
        found = self.make.apply("floordiv", self.within(level), unit)
        extents = [e if isinstance(e, int) else 1 for e in level.extent_values]
        for extent in reversed(extents[index.index + 1 :]):
            found = self.make.apply("floordiv", found, Constant(extent))
        if index.index == 0:
            return found
        return self.make.apply("mod", found, Constant(extents[index.index]))

    def elected(self, op: Operation) -> Expr:
        if self.lane is None or self.warp is None:
            return Unknown(f"the result of {op.name}", op)
        lane = self.make.apply("eq", self.lane, Constant(0))
        if not isinstance(op, ElectOp):
            return lane
        return self.leader(op)

    def leader(self, op: Operation) -> Expr:
        """Whether a thread is the one that the scope of an op elects."""
        first = Constant(scope_of(op).first_thread // WARP_THREADS)
        if self.lane is None or self.warp is None:
            return Unknown("the elected thread", op)
        return self.make.apply(
            "and",
            self.make.apply("eq", self.warp, first),
            self.make.apply("eq", self.lane, Constant(0)),
        )
