"""A kernel without IR: blocks of two agents that copy or misbehave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.dialects.test import TestOp
from xdsl.ir.affine import AffineExpr, AffineMap

from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    LaunchPlan,
    MultipleCheck,
    PitchCheck,
    ScalarArg,
    TileArg,
)
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.barriers import Mbarrier, PhaseWait
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.state import BlocksMeet, BlockState, LaunchState


def op_at(line: int) -> TestOp:
    """An op with a place in a file."""
    op = TestOp()
    op.location = FileLineColLoc(StringAttr("fake.mlir"), IntAttr(line), IntAttr(3))
    return op


COPY, SIGNAL, WAIT = op_at(10), op_at(11), op_at(12)

Program = Callable[[BlockState, Agent, Mbarrier], Progress]


def copy_row(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    """y[b, :] = alpha * x[b, :], as a transfer that signals when it has landed."""
    source, target = (block.launch.tiles[name] for name in ("x", "y"))
    row, columns = block.index[0], source.shape[1]
    size = source.dtype.itemsize
    alpha = block.launch.scalars["alpha"]

    def land(transfer: object) -> None:
        memory, to = source.buffer, target.buffer
        assert transfer is flight
        at = np.array([(source.offset + row * source.strides[0]) * size])
        data = memory.load(flight, COPY, at, columns * size)
        scaled = data.view(source.dtype) * source.dtype.type(alpha)
        at = np.array([(target.offset + row * target.strides[0]) * size])
        to.store(flight, COPY, at, scaled.view(np.uint8).reshape(1, -1))
        done.deliver(flight, COPY, columns * size)

    yield None
    done.arrive(agent, SIGNAL, announced=columns * size)
    flight = block.engine.launch([agent], COPY, land, track="TMA")
    yield None


def await_copy(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    """Wait until the row has been copied."""
    wait = PhaseWait(done, agent, 0, WAIT)
    while not wait.ready():
        yield wait
    done.acquire(agent, WAIT, 0)


@dataclass(eq=False)
class FakeKernel:
    """An executable; agents run `programs`."""

    programs: tuple[Program, ...] = (copy_row, await_copy)
    order: list[tuple[int, int, int]] = field(
        default_factory=list[tuple[int, int, int]]
    )
    name: str = "fake"
    threads: int = 64
    shared_bytes: int = 0
    granule: int = 2
    explicit_fences: bool = False

    @property
    def blocks_meet(self) -> BlocksMeet:
        return BlocksMeet.Never

    @property
    def cluster(self) -> tuple[int, int, int]:
        """No clusters."""
        return 1, 1, 1

    def grid(self, launch: LaunchState) -> tuple[int, int, int]:
        """A block for each row."""
        return launch.dims["M"], 1, 1

    def start(self, block: BlockState) -> None:
        """One agent for each program."""
        self.order.append(block.index)
        done = Mbarrier("done", 1, SIGNAL)
        for number, program in enumerate(self.programs):
            agent = block.engine.add_agent(f"warp {number}", 32 * number, 32)
            block.engine.start(agent, program(block, agent, done))


def plan(*, returned: bool = False, dtype: str = "f16") -> LaunchPlan:
    """y = alpha * x, row by row."""
    return LaunchPlan(
        args=(
            TileArg("x", dtype, ("M", "N"), written=False),
            ScalarArg("alpha", "f32"),
            TileArg("y", dtype, ("M", "N"), output=returned),
        ),
        dims=("M", "N"),
        params=(),
        grid=AffineMap(2, 0, (AffineExpr.dimension(0), *[AffineExpr.constant(1)] * 2)),
        block=64,
        checks=(
            MultipleCheck("N", 4),
            AlignmentCheck("x", 16),
            PitchCheck("x", 0, 16),
        ),
    )


def loaded(kernel: FakeKernel | None = None, **choices: bool | str) -> Loaded:
    """The kernel, ready to run."""
    returned = choices.get("returned") is True
    dtype = str(choices.get("dtype", "f16"))
    return Loaded(kernel or FakeKernel(), plan(returned=returned, dtype=dtype), "fake")
