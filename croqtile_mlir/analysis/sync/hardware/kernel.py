"""
The model of a kernel of hardware level: its agents are the warps of a block.

Shared memory is one buffer, and a region an interval of its bytes. Proxy fences are in
the IR. Global memory is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.clusters import of_cluster
from croqtile_mlir.analysis.sync.hardware.accumulators import misused_accumulator
from croqtile_mlir.analysis.sync.hardware.agents import (
    Warp,
    Wrong,
    agent_name,
)
from croqtile_mlir.analysis.sync.hardware.barriers import (
    Rings,
    hidden_initialisation,
)
from croqtile_mlir.analysis.sync.hardware.clusters import (
    check_relaxed,
    reaches_peers,
)
from croqtile_mlir.analysis.sync.hardware.events import (
    Event,
    For,
    If,
    Step,
    rewritten,
    walk,
)
from croqtile_mlir.analysis.sync.hardware.first_uses import first_uses
from croqtile_mlir.analysis.sync.hardware.idle import without_idle
from croqtile_mlir.analysis.sync.hardware.lanes import Lanes
from croqtile_mlir.analysis.sync.hardware.launch import (
    Launch,
    Outcome,
    outcomes,
    with_trips,
)
from croqtile_mlir.analysis.sync.hardware.lockstep import Lockstep
from croqtile_mlir.analysis.sync.hardware.matrices import Matrices
from croqtile_mlir.analysis.sync.hardware.memory import Memory
from croqtile_mlir.analysis.sync.hardware.ops import Ops
from croqtile_mlir.analysis.sync.hardware.representatives import (
    with_representatives,
)
from croqtile_mlir.analysis.sync.hardware.values import WARP_LANES, Values
from croqtile_mlir.analysis.sync.hardware.walk import Reader
from croqtile_mlir.analysis.sync.hardware.ways import left_out
from croqtile_mlir.analysis.sync.model import Agent, Buffer, Constant, Expr, Program
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.verdicts import Refuted, Undecided
from croqtile_mlir.dialects.llvm_ext import FuncOp

SHARED_BYTES = 1 << 20
"""More than a block has."""

Model = Program | Refuted | Undecided


def programs(root: Operation) -> list[Model]:
    """
    The models of the kernels in an op, or why there is none.

    A kernel has several where a launch decides on conditions: one for each outcome.
    """
    return [
        model
        for op in root.walk()
        if isinstance(op, FuncOp) and op.is_kernel
        for model in programs_of(op)
    ]


def programs_of(function: FuncOp) -> list[Model]:
    """The models of a kernel: one for each outcome of what a launch decides."""
    try:
        if (early := misused_accumulator(function)) is not None:
            return [early]
        return [*_programs(function)]
    except Wrong as wrong:
        return [wrong.what]
    except NotModelled as what:
        return [Undecided(what.place, f"{what.reason} is not modelled", what.hint)]


def _programs(function: FuncOp) -> list[Model]:
    values = Values(function)
    read = Reader(values, Ops(values)).kernel()
    launch = Launch(values)
    trips: set[Expr] = set()
    used = used_variables(read, values.make)
    steps = with_trips(without_unused(read, used), launch, trips)
    lanes = Lanes(values)
    rings = Rings(values, lanes)
    rings.read(steps)
    if (unseen := check_relaxed(steps)) is not None:
        raise Wrong(unseen)
    if (hidden := hidden_initialisation(steps, values)) is not None:
        raise Wrong(hidden)
    maker = _Maker(values, lanes, rings, Matrices(values), used, Lockstep())
    decided = outcomes(launch, steps, trips)
    found: list[Model] = [maker.program(steps, outcome) for outcome in decided]
    if (skipped := left_out(steps, decided[0].choices, values.make)) is not None:
        found.append(skipped)
    return [*found, *maker.lockstep.doubts[:1]]


@dataclass(frozen=True)
class _Maker:
    """Makes the program of each outcome."""

    values: Values
    lanes: Lanes
    rings: Rings
    matrices: Matrices
    used: set[Expr]
    lockstep: Lockstep

    def program(self, steps: Sequence[Step], outcome: Outcome) -> Program:
        """The model of one outcome of what a launch decides."""
        function, make = self.values.function, self.values.make
        memo: dict[Expr, Expr] = {}
        decided = rewritten(
            steps, lambda expr: make.substitute(expr, outcome.values, memo)
        )
        memory = Memory(
            Buffer("shared memory", 1, function, extents=(SHARED_BYTES,)),
            Buffer("mbarriers", 1, function),
        )
        agents: list[Agent] = []
        blocks = self.values.cluster.blocks
        everyone = Constant((1 << blocks) - 1)
        ranks = everyone if reaches_peers(steps) else None
        for warp in range(self.values.threads // WARP_LANES):
            maker = Warp(
                self.values,
                self.lanes,
                self.rings,
                self.matrices,
                memory,
                warp,
                self.used,
                Lockstep(doubts=self.lockstep.doubts),
            )
            body = first_uses(maker.body(decided), self.rings, memory.mbarriers, ranks)
            body = without_idle(body, make)
            agents.append(Agent(agent_name(warp), WARP_LANES, body, function))
        program = Program(
            function,
            with_representatives(agents, memory.data, make),
            outcome.counts,
            barriers=tuple(ring for _, ring in self.rings.rings),
            buffers=(memory.data, memory.mbarriers),
            explicit_fences=True,
        )
        if blocks == 1:
            return program
        return of_cluster(program, make, self.values.cluster.places)


def used_variables(steps: Sequence[Step], make: Expressions) -> set[Expr]:
    """The variables that what a kernel does depends on."""
    carried: dict[Expr, tuple[Expr, ...]] = {}
    roots: list[Expr] = []
    for step in walk(steps):
        match step:
            case Event():
                roots += step.exprs
            case For():
                roots += (step.lower, step.upper, step.step)
                for (variable, first, following), result in zip(
                    step.carried, step.results, strict=True
                ):
                    carried[variable] = (first, following)
                    carried[result] = (variable, first)
            case If():
                roots.append(step.condition)
                for variable, yes, no in step.results:
                    carried[variable] = (yes, no)
    used: set[Expr] = set()
    while roots:
        for variable in make.variables(roots.pop()):
            if variable not in used:
                used.add(variable)
                roots += carried.get(variable, ())
    return used


def without_unused(steps: Sequence[Step], used: set[Expr]) -> tuple[Step, ...]:
    """The same steps without the carried values that nothing depends on."""
    made: list[Step] = []
    for step in steps:
        match step:
            case Event():
                made.append(step)
            case For():
                kept = [
                    (carried, result)
                    for carried, result in zip(step.carried, step.results, strict=True)
                    if carried[0] in used
                ]
                made.append(
                    replace(
                        step,
                        body=without_unused(step.body, used),
                        carried=tuple(carried for carried, _ in kept),
                        results=tuple(result for _, result in kept),
                    )
                )
            case If():
                made.append(
                    replace(
                        step,
                        then=without_unused(step.then, used),
                        otherwise=without_unused(step.otherwise, used),
                        results=tuple(r for r in step.results if r[0] in used),
                    )
                )
    return tuple(made)
