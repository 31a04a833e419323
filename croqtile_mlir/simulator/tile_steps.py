"""What handlers of tile level share: the kernel, and meetings of one scope."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import Scope, scope_parallel
from croqtile_mlir.dialects import croq
from croqtile_mlir.simulator.actors import Actor, Progress
from croqtile_mlir.simulator.barriers import BarrierWait, NamedBarrier
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.program import (
    Frame,
    Made,
    Maker,
    Step,
    Suspending,
    SuspendingStep,
)
from croqtile_mlir.simulator.tile_kernel import TileKernel
from croqtile_mlir.simulator.tile_values import (
    Elements,
    PrivateTile,
    SharedTile,
    Tile,
)
from croqtile_mlir.simulator.tile_windows import Rows, Windows

_Element = croq.LoadOp | croq.StoreOp | croq.AtomicOp


def _is_inside_level(op: Operation) -> bool:
    """Whether an op is inside a `parallel` below level block."""
    around = scope_parallel(op)
    return around is not None and around.level.data is not croq.Level.Block


@dataclass(eq=False)
class Steps:
    """The kernel that steps are made for, and what they use to access memory."""

    kernel: TileKernel
    windows: Windows = field(init=False)

    def __post_init__(self) -> None:
        self.windows = Windows(self.kernel.granule)

    def read(
        self,
        frame: Frame,
        actor: Actor,
        op: Operation,
        tile: Tile,
        *,
        rows: Rows = None,
        through_async: bool = False,
    ) -> Elements:
        """The elements of a tile."""
        return self.windows.read(
            frame.block.shared, actor, op, tile, rows=rows, through_async=through_async
        )

    def write(
        self,
        frame: Frame,
        actor: Actor,
        op: Operation,
        tile: Tile,
        values: Elements,
        *,
        rows: Rows = None,
        through_async: bool = False,
    ) -> None:
        """Store the elements of a tile."""
        self.windows.write(
            frame.block.shared,
            actor,
            op,
            tile,
            values,
            rows=rows,
            through_async=through_async,
        )

    def collective(self, op: Operation, made: Made, maker: Maker) -> Made:
        """
        A step that a scope executes together, before and after which its threads meet.

        At warp grain only barriers order warps: they do not meet. An access to an
        element inside a level below the block is each thread's own.
        """
        del maker
        if self.kernel.warp_grain or made is None:
            return made
        scope = self.kernel.scope(op)
        if scope.per_thread or (isinstance(op, _Element) and _is_inside_level(op)):
            return made
        if not self.kernel.is_shared(scope):
            return _sequential(made)
        suspends: SuspendingStep | None = None
        step: Step | None = None
        if isinstance(made, Suspending):
            suspends = made.step
        else:
            step = made

        def meeting(frame: Frame) -> Progress:
            yield from meet(frame, op, scope)
            if step is not None:
                step(frame)
            elif suspends is not None:
                yield from suspends(frame)
            yield from meet(frame, op, scope)

        return Suspending(meeting)


def _sequential(made: Step | Suspending) -> Made:
    """The ops of a scope of one agent come one after the other, for all its lanes."""
    if isinstance(made, Suspending):
        suspends = made.step

        def resume(frame: Frame) -> Progress:
            frame.agent.lanes_meet()
            yield from suspends(frame)
            frame.agent.lanes_meet()

        return Suspending(resume)
    step = made

    def run(frame: Frame) -> None:
        frame.agent.lanes_meet()
        step(frame)
        frame.agent.lanes_meet()

    return run


def meet(frame: Frame, op: Operation, scope: Scope) -> Progress:
    """Wait until all threads of a scope have come here."""
    agent, engine = frame.agent, frame.block.engine
    if agent.threads == scope.num_threads:
        agent.lanes_meet()
        return
    key = ("scope", scope.root)
    barrier = engine.named_barriers.get(key)
    if barrier is None:
        barrier = engine.named_barriers[key] = NamedBarrier(
            "the barrier of the block" if scope.is_block else "the barrier of the role",
            scope.num_threads,
            op,
        )
    generation = barrier.arrive(agent, op, scope.num_threads)
    yield BarrierWait(barrier, generation, op)
    barrier.leave(agent)


def out_of_bounds(
    frame: Frame, op: Operation, what: str, got: int, extent: int, size: int
) -> None:
    """Report an index that leaves its tile."""
    frame.block.engine.fault(
        FaultKind.OUT_OF_BOUNDS,
        op,
        f"{frame.agent.name} uses elements [{got}, {got + extent}) of {what}, which "
        f"has {size}",
    )


def memory_of(frame: Frame, tile: Tile) -> Memory:
    """The memory that a tile is in."""
    if isinstance(tile, PrivateTile):
        return tile.memory
    if isinstance(tile, SharedTile):
        return frame.block.shared
    return tile.tile.buffer
