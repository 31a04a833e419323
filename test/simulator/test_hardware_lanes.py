"""Random scalar kernels in the lanes of a warp do in each lane what one thread does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support.scalar_machines import HardwareMachine
from support.scalar_programs import Program
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.utils.hints import isa

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.simulator.branches import Graph
from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.faults import FaultLog
from croqtile_mlir.simulator.global_memory import GlobalMemory
from croqtile_mlir.simulator.hardware import handlers
from croqtile_mlir.simulator.machine import Machine
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.policies import RoundRobin
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.state import BlockState, LaunchState
from croqtile_mlir.simulator.values import lanes_of

LANES = 32
Traces = list[list[int]]


def lanes_that_store(func: llvm.FuncOp, arguments: list[Any]) -> Traces:
    """What each lane stores, in order, as bit patterns."""
    traces: Traces = [list[int]() for _ in range(LANES)]

    def make_store(op: llvm.StoreOp, maker: Maker) -> Made:
        source = maker.register(op.value)
        assert isa(op.value.type, IntegerType)
        ones = (1 << op.value.type.bitwidth) - 1

        def step(frame: Frame) -> None:
            values = lanes_of(frame.values[source], LANES)
            for lane in map(int, frame.lanes):
                traces[lane].append(int(values[lane]) & ones)

        return step

    maker = Maker({**handlers(), llvm.StoreOp: make_store})
    graph = Graph.of(func.body, maker)
    registers = maker.registers(func.body.blocks[0].args)
    engine = Engine(Machine(RoundRobin()), FaultLog())
    shared = Memory("shared memory", np.zeros(16, np.uint8))
    launch = LaunchState(GlobalMemory(), {}, {}, {})
    block = BlockState(launch, engine, (0, 0, 0), LANES, shared)
    agent = engine.add_agent("warp 0", 0, LANES)
    frame = maker.frame(agent, block)
    for register, value in zip(registers, arguments, strict=True):
        frame.values[register] = value
    engine.start(agent, graph.run(frame))
    engine.machine.run()
    assert not engine.log.faults
    assert frame.mask is None
    return traces


def numbers(chance: random.Random, bits: int) -> np.ndarray:
    few = (0, 1, 2, 3, -1, 2 ** (bits - 1) - 1)
    drawn = [
        chance.choice((*few, chance.getrandbits(bits) - 2 ** (bits - 1)))
        for _ in range(LANES)
    ]
    return np.array(drawn, f"i{bits // 8}")


@pytest.mark.parametrize("uniform", ["none", "first", "both"])
@pytest.mark.parametrize("size", [4, 12, 24])
def test_random_kernels(size: int, uniform: str) -> None:
    for seed in range(40):
        chance = random.Random(seed)
        text = Program(chance).text(size)
        module: ModuleOp = parse_text(new_context(), text, "random.mlir")
        func = next(op for op in module.walk() if isinstance(op, llvm.FuncOp))
        first, second = numbers(chance, 32), numbers(chance, 64)
        arguments: list[Any] = [first, second, 0]
        if uniform != "none":
            first = np.full_like(first, first[0])
            arguments[0] = int(first[0])
        if uniform == "both":
            second = np.full_like(second, second[0])
            arguments[1] = int(second[0])
        found = lanes_that_store(func, arguments)
        for lane in range(LANES):
            machine = HardwareMachine()
            machine.run(func, [int(first[lane]) % 2**32, int(second[lane]) % 2**64, 0])
            assert found[lane] == machine.trace, f"seed {seed}, lane {lane}"
