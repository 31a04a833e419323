"""Lowers examples to hardware level and runs them, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.compiler import Lowering, Source
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.frontends.located import LocatedParser
from croqtile_mlir.launch_plan import ATTRIBUTE, LaunchPlan
from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.faults import Fault, FaultLog, StopSimulation
from croqtile_mlir.simulator.global_memory import GlobalMemory, GlobalTile
from croqtile_mlir.simulator.hardware import HardwareKernel, executable
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.policies import policy_named
from croqtile_mlir.simulator.state import BlockState, LaunchState

POLICIES = ("rr", "late", "early", "random:7")
EXAMPLES = Path(__file__).parents[2] / "examples"
Array = NDArray[Any]


@dataclass(frozen=True)
class Result:
    """The arrays of a launch after it, and what was wrong."""

    arrays: Mapping[str, Array]
    faults: tuple[Fault, ...]

    @property
    def kinds(self) -> set[str]:
        return {fault.kind.name for fault in self.faults}


@lru_cache(maxsize=32)
def text_of(example: str, params: tuple[tuple[str, int], ...] = ()) -> str:
    """The text of an example at hardware level."""
    path = EXAMPLES / f"{example}.mlir"
    lowering = Lowering(Source(path.read_text(), str(path), None, params))
    lowering.run(until="nvvm")
    return str(lowering.module)


@lru_cache(maxsize=64)
def kernel_of(text: str) -> tuple[HardwareKernel, ModuleOp]:
    """The kernel in a text at hardware level."""
    module = LocatedParser(new_context(), text, "test.mlir").parse_module()
    module.verify()
    (func,) = (op for op in module.walk() if isinstance(op, llvm.FuncOp))
    plan = LaunchPlan.from_attr(func.attributes[ATTRIBUTE])
    return executable(func, plan), module


def run(
    text: str,
    arrays: Mapping[str, Array],
    dims: Mapping[str, int],
    policy: str = "rr",
    *,
    checked: bool = True,
) -> Result:
    """Run a kernel on C-contiguous rows, or views whose inner stride is 1."""
    kernel, _ = kernel_of(text)
    memory = GlobalMemory(kernel.granule, checked=checked)
    tiles: dict[str, GlobalTile] = {}
    for arg in kernel.plan.tiles.values():
        array = arrays[arg.name]
        base = array if array.base is None else array.base
        data = np.ascontiguousarray(base).view(np.uint8).ravel().copy()
        buffer = memory.add(arg.name, data, written=True)
        strides = tuple(each // array.itemsize for each in array.strides)
        start = array.ctypes.data - base.ctypes.data
        tiles[arg.name] = GlobalTile(
            arg.name,
            buffer,
            array.dtype,
            array.shape,
            strides,
            start // array.itemsize,
        )
    launch = LaunchState(memory, tiles, {}, dims, kernel.plan.grid_extents(dims))
    log = FaultLog()
    try:
        for number, (z, y, x) in enumerate(product(*map(range, launch.grid[::-1]))):
            for buffer in memory.buffers:
                buffer.enter_block(number)
            engine = Engine(policy_named(policy), log, (x, y, z))
            shared = Memory(
                "shared memory",
                np.zeros(kernel.shared_bytes, np.uint8),
                granule=kernel.granule,
                checked=checked,
            )
            block = BlockState(launch, engine, (x, y, z), kernel.threads, shared)
            kernel.start(block)
            engine.run()
    except StopSimulation:
        pass
    found = {
        name: np.ndarray(
            tile.shape,
            tile.dtype,
            tile.buffer.data.data,
            tile.offset * tile.dtype.itemsize,
            [s * tile.dtype.itemsize for s in tile.strides],
        )
        for name, tile in tiles.items()
    }
    return Result(found, tuple(log.faults))
