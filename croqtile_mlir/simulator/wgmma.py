"""
wgmma: operations of the four warps of a warpgroup.

The k-th wgmma that each warp issues is one operation; it starts when the last warp has
issued it. Operations of a warpgroup land in order. PTX ISA, "Asynchronous Warpgroup
Level Matrix Operations".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.layouts.wgmma import WGMMA_ROWS
from croqtile_mlir.simulator.accumulators import (
    WARPGROUP,
    Accumulator,
    Matrix,
    put_fragment,
)
from croqtile_mlir.simulator.actors import Agent, Progress, Transfer
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import Watched, watch
from croqtile_mlir.simulator.program import (
    Frame,
    Handlers,
    Made,
    Maker,
    Suspending,
    waiting_until,
)
from croqtile_mlir.simulator.state import BlockState
from croqtile_mlir.simulator.values import WARP, Array, spread
from croqtile_mlir.simulator.wgmma_product import Product


@dataclass(eq=False)
class Issue:
    """One wgmma of a warpgroup, while and after its warps issue it."""

    op: nvvm.WgmmaMmaAsyncOp
    descriptors: tuple[int, int]
    before: Array | Matrix
    matrix: Matrix
    agents: list[Agent] = field(default_factory=list[Agent])
    warps: int = 0


@dataclass(eq=False)
class Issued:
    """What one agent has issued of the operations of one warpgroup."""

    count: int = 0
    open: list[Issue] = field(default_factory=list[Issue])
    groups: list[list[Issue]] = field(default_factory=list[list[Issue]])


@dataclass(eq=False)
class Warpgroup:
    """Four warps of a block, and the operations that they issue together."""

    number: int
    pending: dict[int, Issue] = field(default_factory=dict[int, Issue])
    """By their place in the order of issue; those that miss a warp."""

    by_agent: dict[Agent, Issued] = field(default_factory=dict[Agent, Issued])

    def of(self, agent: Agent) -> Issued:
        """The agent's part."""
        return self.by_agent.setdefault(agent, Issued())


def warpgroups_of(frame: Frame) -> list[Warpgroup]:
    """The warpgroups that an agent belongs to, or consists of."""
    agent = frame.agent
    first = agent.first_thread // WARPGROUP
    last = (agent.first_thread + agent.threads - 1) // WARPGROUP
    return [_warpgroup(frame.block, number) for number in range(first, last + 1)]


def _warpgroup(block: BlockState, number: int) -> Warpgroup:
    key = ("warpgroup", number)
    if key not in block.objects:
        block.objects[key] = Warpgroup(number)
    return block.objects[key]


def whole_warps(frame: Frame, op: Operation) -> None:
    """A fault when only some lanes execute an op of whole warps."""
    if frame.mask is not None and not frame.mask.all():
        frame.agent.engine.fault(
            FaultKind.PARTICIPATION,
            op,
            f"{frame.active} of {frame.agent.threads} threads of {frame.agent.name} "
            f"execute it, which must be all",
        )


@dataclass(frozen=True)
class IssueWait:
    """A warp waits for the others of its warpgroup to issue an operation."""

    issue: Issue
    number: int
    op: Operation

    def ready(self) -> bool:
        """Whether all have."""
        return self.issue.matrix.operation is not None

    def describe(self) -> str:
        """For the report of a deadlock."""
        names = ", ".join(agent.name for agent in self.issue.agents)
        return f"waits for a wgmma that only {names} of warpgroup {self.number} issued"


@dataclass(frozen=True)
class _Mma:
    """One `nvvm.wgmma.mma_async` of the kernel, for all warps that issue it."""

    op: nvvm.WgmmaMmaAsyncOp
    product: Product
    cols: int
    """Of the accumulator."""

    def issue_in(
        self,
        frame: Frame,
        group: Warpgroup,
        warps: range,
        value: Any,
        at: tuple[int, int],
    ) -> Matrix:
        """Issue by some warps of a warpgroup; `warps` count in the block."""
        agent, engine = frame.agent, frame.agent.engine
        part = group.of(agent)
        number = part.count
        part.count += 1
        is_chained = isinstance(value, Accumulator)
        if frame.wrote_registers and not is_chained:
            engine.fault(
                FaultKind.MISUSE,
                self.op,
                f"{agent.name} has written registers of the accumulator since its last "
                f"`nvvm.wgmma.fence.aligned`, or executed none",
            )
        issue = group.pending.get(number)
        if issue is None:
            issue = group.pending[number] = self._new_issue(agent, group, value, at)
        self._check(frame, group, issue, at, value)
        if not is_chained and not isinstance(issue.before, Matrix):
            _put_registers(agent, issue.before, warps, value)
        issue.agents.append(agent)
        issue.warps += len(warps)
        part.open.append(issue)
        if issue.warps == WARPGROUP // WARP:
            del group.pending[number]
            issue.matrix.operation = engine.launch(
                issue.agents,
                self.op,
                self._run_of(issue, frame.block, watch(frame, self.op, "a wgmma")),
                track="wgmma",
                queue=("wgmma", frame.block.rank, group.number),
                name=f"wgmma of warpgroup {group.number}{engine.suffix}",
            )
        return issue.matrix

    def _new_issue(
        self, agent: Agent, group: Warpgroup, value: Any, at: tuple[int, int]
    ) -> Issue:
        """An operation that no other warp of its warpgroup has issued so far."""
        before: Array | Matrix
        if isinstance(value, Accumulator):
            first_group = agent.first_thread // WARPGROUP
            before = value.matrices[group.number - first_group]
        else:
            before = np.zeros((WGMMA_ROWS, self.cols), self.product.dtype)
        matrix = Matrix(self.cols, self.product.dtype, self.op)
        return Issue(self.op, at, before, matrix)

    def _run_of(
        self, issue: Issue, block: BlockState, watched: Watched
    ) -> Callable[[Transfer], None]:
        """What the operation does when it lands."""

        def run(transfer: Transfer) -> None:
            before = issue.before
            if isinstance(before, Matrix):
                before = before.values
            if before is None:
                before = np.zeros((WGMMA_ROWS, self.cols), self.product.dtype)
            a, b = issue.descriptors
            issue.matrix.values = self.product.apply(
                block.shared, transfer, a, b, before
            )
            watched.landed(transfer)
            issue.matrix.epoch = watched.epoch or 0

        return run

    def _check(
        self,
        frame: Frame,
        group: Warpgroup,
        issue: Issue,
        at: tuple[int, int],
        value: Any,
    ) -> None:
        engine = frame.agent.engine
        if issue.op is not self.op:
            engine.fault(
                FaultKind.PARTICIPATION,
                self.op,
                f"the warps of warpgroup {group.number} issue different wgmma",
                notes=[(issue.op, "another warp is here")],
            )
        elif issue.descriptors != at:
            engine.fault(
                FaultKind.MISUSE,
                self.op,
                f"the warps of warpgroup {group.number} have different descriptors",
            )
        elif isinstance(issue.before, Matrix) != isinstance(value, Accumulator):
            engine.fault(
                FaultKind.MISUSE,
                self.op,
                f"the warps of warpgroup {group.number} have different accumulators",
            )

    def check_descriptors(self, frame: Frame, at: tuple[int, int]) -> None:
        """The simulator knows no base offset."""
        if any(bits >> 49 & 7 for bits in at):
            frame.agent.engine.fault(
                FaultKind.MISUSE, self.op, "descriptors must have base offset 0"
            )

    def descriptor(self, frame: Frame, value: Any, lane: int) -> int:
        """A descriptor in the lanes of a warpgroup, which must agree."""
        if value.__class__ is not np.ndarray:
            return value
        part = value[lane : lane + WARPGROUP]
        if (part != part[0]).any():
            frame.agent.engine.fault(
                FaultKind.MISUSE,
                self.op,
                f"the lanes of {frame.agent.name} have different descriptors",
            )
        return int(part[0])


def _put_registers(agent: Agent, matrix: Array, warps: range, registers: Any) -> None:
    """Put what some warps of an agent hold of an accumulator into its matrix."""
    for warp in warps:
        first = warp * WARP - agent.first_thread
        lanes = slice(first, first + WARP)
        fragment = [
            spread(each, agent.threads, np.dtype(np.float32))[lanes]
            if each.__class__ is np.ndarray
            else each
            for each in registers
        ]
        put_fragment(matrix, warp % 4, fragment)


def make_mma(op: nvvm.WgmmaMmaAsyncOp, maker: Maker) -> Made:
    """`nvvm.wgmma.mma_async`."""
    product = Product.of(op)
    if product is None:
        fail(op, f"must not have operands of type {op.type_a.data} in the simulator")
    mma = _Mma(op, product, op.shape.n.data)
    accumulator = maker.register(op.accumulator)
    first, second = maker.register(op.descriptor_a), maker.register(op.descriptor_b)
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        values, agent = frame.values, frame.agent
        value, a, b = values[accumulator], values[first], values[second]
        groups = warpgroups_of(frame)
        matrices: list[Matrix] = []
        first_warp, end = agent.first_thread // WARP, 0
        end = first_warp + agent.threads // WARP
        for group in groups:
            low = max(first_warp, group.number * 4)
            warps = range(low, min(end, group.number * 4 + 4))
            lane = low * WARP - agent.first_thread
            at = (mma.descriptor(frame, a, lane), mma.descriptor(frame, b, lane))
            mma.check_descriptors(frame, at)
            matrices.append(mma.issue_in(frame, group, warps, value, at))
        values[result] = Accumulator(
            tuple(matrices), first_warp % 4, agent.threads // WARP
        )

    return step


def make_fence(op: nvvm.WgmmaFenceAlignedOp, maker: Maker) -> Made:
    """`nvvm.wgmma.fence.aligned`."""

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        frame.wrote_registers = False

    return step


def make_commit(op: nvvm.WgmmaCommitGroupOp, maker: Maker) -> Made:
    """`nvvm.wgmma.commit.group.sync.aligned`."""

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        for group in warpgroups_of(frame):
            part = group.of(frame.agent)
            part.groups.append(part.open)
            part.open = []

    return step


def make_wait(op: nvvm.WgmmaWaitGroupOp, maker: Maker) -> Made:
    """`nvvm.wgmma.wait.group.sync.aligned`: lands all but the newest groups."""
    kept = op.group.value.data

    def resume(frame: Frame) -> Progress:
        whole_warps(frame, op)
        agent = frame.agent
        for group in warpgroups_of(frame):
            part = group.of(agent)
            count = max(0, len(part.groups) - kept)
            done, part.groups = part.groups[:count], part.groups[count:]
            for issue in (issue for issues in done for issue in issues):
                if issue.matrix.operation is None:
                    yield from waiting_until(IssueWait(issue, group.number, op))
                operation = issue.matrix.operation
                assert operation is not None
                agent.engine.land(operation)
                agent.clock.join(operation.clock)
        yield None

    return Suspending(resume)


HANDLERS: Final[Handlers] = {
    nvvm.WgmmaMmaAsyncOp: make_mma,
    nvvm.WgmmaFenceAlignedOp: make_fence,
    nvvm.WgmmaCommitGroupOp: make_commit,
    nvvm.WgmmaWaitGroupOp: make_wait,
}
