"""
`--warp-specialize`: one warpgroup loads, others multiply.

    croq.foreach %k in %n {              croq.role "producer" warpgroups [0, 1) {
      croq.copy %a => %a_s                 croq.foreach %k in %n {
      %c1 = croq.mma.exec .. %a_s            croq.wait %empty at %k
      ..                                     %f = croq.copy_async %a => %slot
    }                               ->       croq.trigger %full at %k after %f
    croq.mma.store %acc => %o_s            } }
                                         croq.role "consumer" warpgroups [1, 3) {
                                           ..
                                         }

The buffers that a loop of products loads get `stages` slots. The producer is what of
the block the loads need, the consumer is the block without the loads: its `consumers`
warpgroups share the rows of every tile. With `in_flight=1` the products of an iteration
run on into the next. With `mode=pingpong` each of them is a role and has every other
tile of the loop over tiles: one multiplies while another stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.products import target_around
from croqtile_mlir.analysis.scopes import WARPGROUP_THREADS, block_threads, blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    Level,
    MmaExecOp,
    ParallelOp,
    RoleOp,
    ThreadIdOp,
    acc_type,
)
from croqtile_mlir.lowering.bounded_indices import lower_indices_in
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.counts import count_from_zero, running_count
from croqtile_mlir.scheduling.pipelined_loops import (
    PipelinedLoop,
    find_pipelined_loops,
    is_by_threads,
)
from croqtile_mlir.scheduling.rings import Ring, make_ring
from croqtile_mlir.scheduling.roles import (
    consumer_body,
    erase_originals,
    producer_body,
)
from croqtile_mlir.scheduling.turns import consumer_of_turns, make_turns

_BUDGETS: Mapping[int, tuple[int, int]] = MappingProxyType(
    {1: (40, 232), 2: (40, 232), 3: (32, 160)}
)
"""Registers of a thread of the producer and of a consumer, by the warpgroups of the
consumer: together they fit in the 64 Ki registers of a multiprocessor."""

MODES = ("cooperative", "pingpong")


@dataclass(frozen=True)
class WarpSpecializePass(ModulePass):
    """
    Divide blocks that load what they multiply into a producer and a consumer.

    `stages` slots are loaded ahead; `consumers` warpgroups share each tile, or take
    turns at tiles (`mode=pingpong`); `in_flight` groups of products run on into the
    next iteration (0 or 1). The registers of a thread follow from the number of
    warpgroups when they are left out.
    """

    name = "warp-specialize"

    consumers: int = 2
    stages: int = 4
    mode: str = "cooperative"
    in_flight: int = 0
    producer_registers: int | None = None
    consumer_registers: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self._check_options()
        done = 0
        lower_indices_in(op)
        blocks = blocks_in(op)
        for block in blocks:
            for role in block.body.block.ops:
                if isinstance(role, RoleOp):
                    fail(role, "must not be there yet: the pass makes the roles")
            loops = find_pipelined_loops(block)
            if loops:
                self._check_block(block, loops)
                self._specialize(block, loops)
                done += 1
        if blocks and not done:
            fail(
                blocks[0],
                "must have a loop that copies global tiles to shared buffers and "
                "multiplies them by croq.mma.exec, got none",
                hint="the loads of such a loop are what a producer takes over",
            )

    def _check_options(self) -> None:
        if self.mode not in MODES:
            fail(None, f"mode must be {' or '.join(MODES)}, got {self.mode}")
        least = 2 if self.mode == "pingpong" else 1
        if self.consumers < least:
            fail(None, f"consumers must be at least {least}, got {self.consumers}")
        if self.in_flight not in (0, 1):
            fail(None, f"in_flight must be 0 or 1, got {self.in_flight}")
        if self.stages < 1 + self.in_flight:
            fail(
                None,
                f"stages must be at least {1 + self.in_flight} with "
                f"in_flight={self.in_flight}, got {self.stages}",
            )

    def _check_block(self, block: ParallelOp, loops: Sequence[PipelinedLoop]) -> None:
        ops = list(block.body.walk())
        threads = self._warpgroups * WARPGROUP_THREADS
        before = block_threads(block)
        for op in ops:
            depends = isinstance(op, ThreadIdOp) or (
                isinstance(op, ParallelOp) and op.level.data is not Level.Block
            )
            if depends and before != threads:
                fail(
                    op,
                    f"divides the {before} threads of the block, which the consumer "
                    f"must have too, got {threads}",
                )
            if isinstance(op, MmaExecOp):
                rows = acc_type(op.acc).dims[0]
                multiple = 64 * self._warpgroups
                if isinstance(rows, int) and rows % multiple:
                    fail(
                        op,
                        f"must have a multiple of {multiple} rows for "
                        f"{self._warpgroups} consumer warpgroups, got {rows}",
                        hint="each warpgroup multiplies 64 rows or a multiple of them",
                    )

    def _specialize(self, block: ParallelOp, loops: Sequence[PipelinedLoop]) -> None:
        few, many = self._budgets(loops)
        if self.mode == "pingpong":
            turns = make_turns(loops, block, self.stages, self.consumers)
            producer = producer_body(block, [turns.ring])
            consumers = [
                consumer_of_turns(block, turns, number, in_flight=self.in_flight)
                for number in range(self.consumers)
            ]
        else:
            rings = [_ring(loop, self.stages) for loop in loops]
            producer = producer_body(block, rings)
            consumers = [consumer_body(block, rings, in_flight=self.in_flight)]
        erase_originals(block)
        block.properties.pop("threads", None)
        builder = LocatedBuilder.at_end(block.body.block, block.location)
        builder.insert(_role("producer", 0, 1, producer, few))
        for number, body in enumerate(consumers):
            name = f"consumer{number}" if len(consumers) > 1 else "consumer"
            first = 1 + number * self._warpgroups
            last = first + self._warpgroups
            builder.insert(_role(name, first, last, body, many))

    @property
    def _warpgroups(self) -> int:
        """The warpgroups that share a tile."""
        return 1 if self.mode == "pingpong" else self.consumers

    def _budgets(self, loops: Sequence[PipelinedLoop]) -> tuple[int | None, int | None]:
        """
        Registers of a thread of the producer and of the consumer, as the options say.

        Without them a producer that copies by its threads keeps its share, and so do
        all where a thread cannot give registers to others.
        """
        few, many = _BUDGETS.get(self.consumers, (None, None))
        fixed = not target_around(loops[0].loop).has("setmaxnreg")
        if fixed or any(is_by_threads(load) for loop in loops for load in loop.loads):
            few = many = None
        return self.producer_registers or few, self.consumer_registers or many


def _ring(pipelined: PipelinedLoop, stages: int) -> Ring:
    loop = count_from_zero(pipelined.loop)
    return make_ring(pipelined, loop, running_count(loop), stages)


def _role(
    name: str, first: int, last: int, body: Block, registers: int | None
) -> RoleOp:
    return RoleOp(name, first, last, Region(body), registers=registers)
