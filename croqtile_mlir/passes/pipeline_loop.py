"""
`--pipeline-loop`: a loop loads ahead of what reads the loads, in the same scope.

Of products (`mma.exec`):

    croq.foreach %k in %n {              croq.foreach %k in min(S, %n) {
      croq.copy %a => %a_s                 %f = croq.copy_async %a => %slot
      %c1 = croq.mma.exec .. %a_s          croq.trigger %full at %k after %f
      %c2 = croq.mma.commit %c1          }
      %c3 = croq.mma.wait %c2      ->    croq.foreach %k in %n {
      croq.yield %c3                       croq.wait %full at %k
    }                                      .. (the products)
                                           scf.if %k + S < %n {
                                             .. (the loads of iteration %k + S)
                                           }
                                           croq.yield %c3
                                         }

The buffers that a loop of products loads get `stages` slots, and as many iterations
are loaded ahead; with `in_flight=1`, where the products of an iteration run on into
the next, one less. All threads have read a slot before it is filled again: what keeps
them together is the barrier that `--insert-barriers` puts there.

With `loads=groups`, which is what a target without TMA gets, the loads complete in
groups instead, and run one iteration less ahead:

    croq.foreach %k in %n {
      croq.await_loads in_flight S - 2
      croq.barrier
      scf.if %k + S - 1 < %n {
        .. (the loads of iteration %k + S - 1)
      }
      croq.commit_loads
      .. (the products)
    }

Where threads compute from what is loaded, the loop carries the futures of the loads:

    croq.foreach %k in %n {              %f = scf.if 0 < %n { .. the first load }
      croq.copy %a => %a_s               croq.foreach %k in %n iter(%c = %f, %e = ..) {
      croq.parallel .. : thread {          %m = scf.if %k + 1 < %n {
        .. %a_s                              croq.copy_async .. => data of %e
      }                            ->      } else { %e }
    }                                      croq.await %c
                                           croq.parallel .. : thread { .. data of %c }
                                           %x, %y = croq.swap %c, %m
                                           croq.yield %x, %y
                                         }

`stages` buffers take turns, and one less iterations are loaded ahead: a buffer that all
are through with is filled before the threads compute, not after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.grain import EXPLICIT_BARRIERS
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ParallelOp, RoleOp
from croqtile_mlir.lowering.bounded_indices import lower_indices_in
from croqtile_mlir.scheduling.loads_ahead import load_ahead
from croqtile_mlir.scheduling.loads_in_groups import load_in_groups
from croqtile_mlir.scheduling.pipelined_loops import (
    PipelinedLoop,
    find_loops_of_threads,
    find_pipelined_loops,
)
from croqtile_mlir.scheduling.rotating_futures import rotate_ahead

_LOADS = ("auto", "events", "groups")


class Load(Protocol):
    """Lets a loop load ahead, in place."""

    def __call__(
        self, pipelined: PipelinedLoop, stages: int, *, in_flight: int
    ) -> None: ...


@dataclass(frozen=True)
class PipelineLoopPass(ModulePass):
    """
    Let loops that load what they multiply, or what their threads read, load ahead.

    `stages` slots hold what is loaded; `in_flight` groups of products run on into the
    next iteration (0 or 1). `loads` says what completes the loads: `events`, `groups`
    or, by the target of the module, `auto`.
    """

    name = "pipeline-loop"

    stages: int = 4
    in_flight: int = 0
    loads: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.in_flight not in (0, 1):
            fail(None, f"in_flight must be 0 or 1, got {self.in_flight}")
        if self.loads not in _LOADS:
            fail(None, f"loads must be one of {', '.join(_LOADS)}, got {self.loads}")
        in_groups = self.loads == "groups" or (
            self.loads == "auto" and not target_of(op).has("tma")
        )
        least = 1 + self.in_flight + in_groups
        if self.stages < least:
            fail(
                None,
                f"stages must be at least {least} with in_flight={self.in_flight}"
                f"{' and loads in groups' if in_groups else ''}, got {self.stages}",
            )
        lower_indices_in(op)
        load = load_in_groups if in_groups else load_ahead
        blocks = blocks_in(op)
        if not any([self._pipeline(block, load) for block in blocks]) and blocks:
            fail(
                blocks[0],
                "must have a loop that copies global tiles to shared buffers and "
                "multiplies them by croq.mma.exec, or whose threads load from them, "
                "got none",
                hint="the loads of such a loop can run ahead",
            )

    def _pipeline(self, block: ParallelOp, load: Load) -> int:
        """Pipeline the loops of a block; their number."""
        if EXPLICIT_BARRIERS in kernel_of(block).attributes:
            fail(block, "must have no explicit barriers yet")
        for role in block.body.block.ops:
            if isinstance(role, RoleOp):
                fail(
                    role,
                    "must not be there: all threads of the block load and multiply",
                    hint="--warp-specialize lets loads run ahead in a role",
                )
        loops = find_pipelined_loops(block)
        for loop in loops:
            load(loop, self.stages, in_flight=self.in_flight)
        return len(loops) if loops else self._rotate(block)

    def _rotate(self, block: ParallelOp) -> int:
        """Pipeline the loops of a block in which threads compute; their number."""
        loops = find_loops_of_threads(block)
        for pipelined in loops:
            if self.stages < 2:
                fail(
                    pipelined.loop,
                    "to load ahead of its threads must have 2 stages or more, got "
                    f"{self.stages}",
                )
            if self.in_flight:
                fail(
                    pipelined.loop,
                    "must have products of croq.mma.exec for in_flight=1, got none",
                )
            rotate_ahead(pipelined, self.stages)
        return len(loops)
