"""
Running a kernel in the simulator.

```python
import croqtile_mlir as croq

croq.simulate("examples/matmul_1p1c.mlir", a, b, out, params={"S": 3}, policy="late")

from croqtile_mlir import simulator

report = simulator.run("examples/matmul_1p1c.mlir", a, b, out, level="croq")
report.faults, report.steps
```
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.compiler import (
    HasPipeline,
    ModuleBuilder,
    Source,
    Values,
    source_of,
)
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.simulator.arguments import Array, BoundLaunch, bind_launch
from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.faults import (
    Fault,
    FaultKind,
    FaultLog,
    SimulationError,
    StopSimulation,
)
from croqtile_mlir.simulator.loading import (
    AS_GIVEN,
    DEFAULT_LEVEL,
    Loaded,
    load_module,
    load_source,
)
from croqtile_mlir.simulator.machine import Machine
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.options import Options, Position, Progress
from croqtile_mlir.simulator.policies import Policy, Watched, policy_named
from croqtile_mlir.simulator.state import (
    BlocksMeet,
    BlockState,
    Cluster,
    Extents,
)
from croqtile_mlir.simulator.trace import Trace

_STEPS_BETWEEN_CALLS = 1024
_NONE: Values = MappingProxyType({})


@dataclass(frozen=True)
class Report:
    """What happened in a run."""

    name: str
    """Of the kernel."""

    level: str
    policy: str
    grid: Extents
    blocks: int
    """Blocks that ran to their end."""

    agents: int
    """The most agents of a block."""

    steps: int
    """Of all blocks."""

    seconds: float
    """Of this machine, for all blocks; says nothing about a device."""

    faults: tuple[Fault, ...]
    results: tuple[Array, ...]
    """The tiles that the kernel returns."""

    @property
    def result(self) -> Any:
        """None, the returned tile, or a tuple of several."""
        several = len(self.results) > 1
        return self.results if several else next(iter(self.results), None)

    def check(self) -> None:
        """Raise `SimulationError` if there are faults."""
        if self.faults:
            raise SimulationError(self.faults)


def simulate(
    kernel: str | os.PathLike[str] | ModuleBuilder | Source | ModuleOp,
    *args: Any,
    target: str | None = None,
    params: Values = _NONE,
    dims: Values = _NONE,
    schedule: str | Sequence[str] | HasPipeline = "",
    level: str | None = None,
    policy: str = "rr",
    trace: str | os.PathLike[str] | None = None,
    checks: bool = True,
    keep_strides: bool = False,
    progress: Progress | None = None,
    name: str | None = None,
    defines: Mapping[str, str | int] = MappingProxyType({}),
    strict_names: bool = False,
    strict_init: bool = False,
) -> Any:
    """
    Run a kernel on numpy arrays in the simulator; what it returns comes back.

    `kernel` is IR text, a path or what builds a module, as `compile` takes it, or a
    module, which is run as it is. `target`, `params`, `dims`, `schedule`, `name`,
    `defines`, `strict_names` and `strict_init` are those of `compile`; a module has no
    use for them.
    `level` says where text is run: `croq` (as written, and scheduled), `nvvm` (the
    default, after the whole lowering), or the name of the last pass. Tiles that the
    kernel writes are written in place. `trace` names a file for a Chrome trace.

    Raises:
        SimulationError: the run had faults (`docs/simulator.md`); `faults` are all.
        ArgumentError: an argument breaks a rule, or there is no such policy.
        CompileError: the kernel is refused.
    """
    recorded = None if trace is None else Trace()
    if not isinstance(kernel, ModuleOp | Source):
        kernel = source_of(
            kernel,
            target=target,
            params=params,
            dims=dims,
            schedule=schedule,
            name=name,
            defines=defines,
            strict_names=strict_names,
            strict_init=strict_init,
        )
    elif any(
        (target, params, dims, schedule, name, defines, strict_names, strict_init)
    ):
        raise ArgumentError(
            "target, params, dims, schedule, name and what Croqtile source takes must "
            f"be those of text or a path, got them for a {type(kernel).__name__}"
        )
    report = run(
        kernel,
        *args,
        level=level,
        options=Options(policy, recorded, checks, keep_strides, progress),
    )
    if recorded is not None and trace is not None:
        recorded.write(trace, kernel=report.name, policy=policy)
    report.check()
    return report.result


def run(
    kernel: str | os.PathLike[str] | Source | ModuleOp | Loaded,
    *args: Any,
    params: Mapping[str, int] = MappingProxyType({}),
    level: str | None = None,
    name: str | None = None,
    defines: Mapping[str, str | int] = MappingProxyType({}),
    options: Options = Options(),
) -> Report:
    """Like `simulate`, but faults are part of what comes back."""
    if not isinstance(kernel, Loaded):
        kernel = load(kernel, params, level, name, defines)
    return run_loaded(kernel, args, options)


def load(
    kernel: str | os.PathLike[str] | Source | ModuleOp,
    params: Mapping[str, int] = MappingProxyType({}),
    level: str | None = None,
    name: str | None = None,
    defines: Mapping[str, str | int] = MappingProxyType({}),
) -> Loaded:
    """Make a kernel ready to run, any number of times."""
    if isinstance(kernel, ModuleOp):
        return load_module(kernel, level or AS_GIVEN)
    if not isinstance(kernel, Source):
        kernel = source_of(kernel, params=params, name=name, defines=defines)
    return load_source(kernel, level or DEFAULT_LEVEL)


def run_loaded(loaded: Loaded, args: Sequence[Any], options: Options) -> Report:
    """Run a kernel that was loaded."""
    policy = _policy(options.policy)
    bound = bind_launch(
        loaded.plan,
        loaded.executable,
        args,
        keep_strides=options.keep_strides,
        checks=options.checks,
    )
    launch = _Run(loaded, bound, options, policy)
    began = perf_counter()
    launch.run()
    bound.store()
    return Report(
        name=loaded.executable.name,
        level=loaded.level,
        policy=options.policy,
        grid=bound.state.grid,
        blocks=launch.blocks_done,
        agents=launch.agents,
        steps=launch.steps,
        seconds=perf_counter() - began,
        faults=tuple(launch.log.faults),
        results=bound.results,
    )


def _policy(name: str) -> Policy:
    try:
        return policy_named(name)
    except ValueError as error:
        raise ArgumentError(str(error)) from None


@dataclass(eq=False)
class _Run:
    """One run: the blocks of a grid, or its clusters, one after the other."""

    loaded: Loaded
    bound: BoundLaunch
    options: Options
    policy: Policy
    log: FaultLog = field(default_factory=FaultLog)
    blocks_done: int = 0
    agents: int = 0
    done_steps: int = 0
    """Of the blocks that have ended."""

    machine: Machine | None = None
    """Of the blocks that run."""

    @property
    def steps(self) -> int:
        """Of all blocks."""
        return self.done_steps + (self.machine.ticks if self.machine else 0)

    def run(self) -> None:
        if self.options.progress is not None:
            self.policy = Watched(self.policy, self._tell, _STEPS_BETWEEN_CALLS)
        meet = self.loaded.executable.blocks_meet
        try:
            if meet is BlocksMeet.AtBarrier:
                self._run_clusters(self._order(), self._machine(0, "grid"))
                return
            machine = None
            if meet is BlocksMeet.InMemory:
                machine = self._machine(0, "grid")
            for number in self._order():
                self._run_clusters([number], machine or self._machine(number))
        except StopSimulation:
            pass

    def _clusters(self) -> Extents:
        """The number of clusters along x, y and z."""
        x, y, z = (
            -(-blocks // size)
            for blocks, size in zip(
                self.bound.state.grid, self.loaded.executable.cluster, strict=True
            )
        )
        return x, y, z

    def _order(self) -> list[int]:
        """The clusters, by linear index; a random policy shuffles them too."""
        x, y, z = self._clusters()
        order = np.arange(x * y * z)
        if self.options.policy.startswith("random"):
            _, _, seed = self.options.policy.partition(":")
            np.random.default_rng(int(seed or 0)).shuffle(order)
        return order.tolist()

    def _machine(self, number: int, unit: str | None = None) -> Machine:
        """What runs a cluster, or clusters that know of each other."""
        alone = prod(self.loaded.executable.cluster) == 1
        for buffer in self.bound.state.memory.buffers:
            buffer.enter_block(number, unit or ("block" if alone else "cluster"))
        machine = Machine(self.policy)
        if self.options.max_steps is not None:
            machine.max_steps = self.options.max_steps
        return machine

    def _run_clusters(self, numbers: Sequence[int], machine: Machine) -> None:
        """Run the blocks of clusters together; without clusters they are blocks."""
        before, self.machine = machine.ticks, machine
        trace = self.options.trace
        recorded = None if trace is None or trace.is_full else trace
        extents = self.loaded.executable.cluster
        size = prod(extents) * len(numbers)
        try:
            for number in numbers:
                self._add_cluster(machine, number, recorded)
            self.agents = max(self.agents, len(machine.agents) // max(1, size))
            machine.run()
        finally:
            self.done_steps, self.machine = self.steps - before, None
            if recorded is not None:
                for engine in machine.engines:
                    recorded.finish(engine)
        self.blocks_done += size
        if self.options.checks and machine.engines:
            self._check_gaps(machine.engines[0])
        machine.retire()
        self._tell()

    def _add_cluster(self, machine: Machine, number: int, trace: Trace | None) -> None:
        cluster = Cluster(self.loaded.executable.cluster)
        x, y, _ = self._clusters()
        at = number % x, number // x % y, number // (x * y)
        for rank in range(prod(cluster.extents)):
            i, j, k = (
                where * extent + inside
                for where, extent, inside in zip(
                    at, cluster.extents, cluster.index_of(rank), strict=True
                )
            )
            self._add_block(machine, cluster, (i, j, k), trace)

    def _add_block(
        self, machine: Machine, cluster: Cluster, index: Extents, trace: Trace | None
    ) -> None:
        """Add a block to those that run together; its rank is the next."""
        executable = self.loaded.executable
        alone = prod(cluster.extents) == 1
        suffix = "" if alone else f" of rank {len(cluster.blocks)}"
        if executable.blocks_meet is BlocksMeet.AtBarrier:
            suffix += f" of block {', '.join(map(str, index))}"
        engine = Engine(machine, self.log, index, trace, suffix)
        engine.cluster = cluster
        shared = Memory(
            f"shared memory{suffix}",
            np.zeros(executable.shared_bytes, np.uint8),
            granule=executable.granule,
            proxies=executable.explicit_fences,
            checked=self.options.checks,
        )
        executable.start(
            BlockState(
                self.bound.state,
                engine,
                index,
                executable.threads,
                shared,
                cluster=cluster,
            )
        )

    def _check_gaps(self, engine: Engine) -> None:
        """Nothing may be written between the rows of a tile."""
        for bound in self.bound.tiles:
            if bound.gaps is None:
                continue
            buffer = bound.tile.buffer
            hit = bound.gaps[buffer.writer_slot[bound.gaps] > 0]
            if not len(hit):
                continue
            slot, epoch = buffer.writer_slot[hit[0]], buffer.writer_epoch[hit[0]]
            op, who = engine.history.at(int(slot), int(epoch))
            engine.fault(
                FaultKind.OUT_OF_BOUNDS,
                op,
                f"{who} writes byte {hit[0] * buffer.granule} of {buffer.name}, which "
                "is not one of its elements",
            )

    def _tell(self) -> None:
        if self.options.progress is not None:
            x, y, z = self.bound.state.grid
            self.options.progress(Position(self.blocks_done, x * y * z, self.steps))
