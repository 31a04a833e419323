"""
Local memory (`llvm.alloca`): arrays of which each lane of an agent has its own.

Their addresses are between those of shared memory and those of arguments, a range for
each array of an agent, in which the lanes follow one another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.peers import SHARED_END
from croqtile_mlir.simulator.program import Frame

LOCAL_START = 32 * SHARED_END
"""Addresses from here on are in local memory."""

SPACING = 1 << 22
"""Bytes from one array to the next: more than those of all lanes of an agent."""

LOCAL_END = LOCAL_START + 64 * SPACING


@dataclass(eq=False)
class PrivateMemories:
    """The arrays of an agent."""

    of_op: dict[Operation, Memory] = field(default_factory=dict[Operation, Memory])

    def add(self, op: Operation, name: str, size: int, lanes: int) -> int:
        """Make an array of so many bytes for each lane, without values; its address."""
        if op in self.of_op:
            number = list(self.of_op).index(op)
        else:
            number = len(self.of_op)
        base = LOCAL_START + number * SPACING
        if size * lanes > SPACING or base >= LOCAL_END:
            fail(op, f"must have less local memory in the simulator, got {size} bytes")
        data = np.zeros(size * lanes, np.uint8)
        self.of_op[op] = Memory(name, data, base=base, granule=1, proxies=False)
        return base

    @classmethod
    def of(cls, frame: Frame) -> PrivateMemories:
        """Those of the agent of a frame."""
        objects = frame.block.objects
        key = cls, frame.agent
        if key not in objects:
            objects[key] = cls()
        return objects[key]

    def at(self, address: int) -> Memory | None:
        """The array that an address is in."""
        number = (address - LOCAL_START) // SPACING
        arrays = list(self.of_op.values())
        return arrays[number] if number < len(arrays) else None
