"""A kernel of PTX text as something that the simulator runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.launch.plan import (
    DimParam,
    LaunchPlan,
    PointerParam,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    WorkspaceParam,
)
from croqtile_mlir.simulator.ptx.arithmetic import SCALAR, TensorMap
from croqtile_mlir.simulator.ptx.atomics import ATOMICS
from croqtile_mlir.simulator.ptx.conversions import CONVERSIONS
from croqtile_mlir.simulator.ptx.machine import Machine, Run, Threads, unknown
from croqtile_mlir.simulator.ptx.matrices import MATRICES
from croqtile_mlir.simulator.ptx.progress import changes
from croqtile_mlir.simulator.ptx.tensors import TENSORS
from croqtile_mlir.simulator.ptx.text import Entry, Instruction, parse
from croqtile_mlir.simulator.ptx.warps import WARPS
from croqtile_mlir.simulator.state import BlocksMeet, BlockState, Extents, LaunchState

_MAKERS = {
    **SCALAR,
    **ATOMICS,
    **CONVERSIONS,
    **WARPS,
    **MATRICES,
    **TENSORS,
}


@dataclass(frozen=True)
class PtxKernel:
    """
    Executes PTX text; see `state.Executable`.

    One agent is the whole block. Values are those of the device; races are not looked
    for.
    """

    entry: Entry
    steps: tuple[Run, ...]
    plan: LaunchPlan

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.entry.name

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.plan.block

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory of a block."""
        return self.plan.shared_bytes

    @property
    def granule(self) -> int:
        """Nothing is checked, so the largest."""
        return 16

    @property
    def explicit_fences(self) -> bool:
        """Proxies are not told apart."""
        return False

    @property
    def cluster(self) -> Extents:
        """The number of blocks of a cluster along x, y and z."""
        return self.entry.cluster

    @property
    def blocks_meet(self) -> BlocksMeet:
        """Blocks that meet at a barrier run at once."""
        if self.plan.cooperative:
            return BlocksMeet.AtBarrier
        return BlocksMeet.Never

    def grid(self, launch: LaunchState) -> Extents:
        """The number of blocks along x, y and z."""
        return self.plan.grid_extents(launch.dims)

    def start(self, block: BlockState) -> None:
        """Add the one agent of a block."""
        agent = block.engine.add_agent("PTX text", 0, block.threads)
        machine = Machine(
            self.entry, self.steps, block, _parameters(self.plan, block.launch)
        )
        block.engine.start(agent, machine.run())


def executable(text: str, plan: LaunchPlan) -> PtxKernel:
    """The kernel of a PTX module; an error names the line of what has no meaning."""
    entry = parse(text)
    if len(entry.parameters) != len(plan.params):
        fail(
            None,
            f"the entry must have the {len(plan.params)} parameters of the launch "
            f"plan, got {len(entry.parameters)}",
        )
    if entry.cluster != plan.cluster:
        fail(
            None,
            f"the entry must have the cluster of the launch plan, "
            f"{list(plan.cluster)}, got {list(entry.cluster)}",
        )
    return PtxKernel(entry, tuple(_step(ins) for ins in entry.instructions), plan)


def _step(ins: Instruction) -> Run:
    maker = _MAKERS.get(ins.name)
    run = unknown(ins) if maker is None else maker(ins)
    if not changes(ins):
        return run

    def counted(machine: Machine, threads: Threads) -> None:
        run(machine, threads)
        machine.changes.count += 1

    return counted


def _bits(scalar: Any) -> int:
    """The bits of an argument; those of a negative integer go on for ever."""
    value = np.asarray(scalar)
    if value.dtype.kind in "biu":
        return int(scalar)
    return int(value.view(f"u{value.dtype.itemsize}"))


def _parameters(plan: LaunchPlan, launch: LaunchState) -> tuple[Any, ...]:
    values: list[Any] = []
    for param in plan.params:
        match param:
            case TensorMapParam():
                values.append(TensorMap(launch.tiles[param.arg], param))
            case PointerParam():
                values.append(launch.tiles[param.arg].address)
            case WorkspaceParam():
                values.append(launch.workspace(param.bytes // 4).address)
            case StrideParam():
                values.append(launch.tiles[param.arg].strides[param.dim])
            case DimParam():
                values.append(launch.dims[param.dim])
            case ScalarParam():
                values.append(_bits(launch.scalars[param.arg]))
    return tuple(values)
