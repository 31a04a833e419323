"""
Registers and local memory: arrays of which each lane of an agent has its own.

No other thread comes there, so that nothing is to be ordered. Those of `llvm.alloca`
have addresses, between those of shared memory and those of arguments: a range for each
array of an agent, in which the lanes follow one another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.simulator.actors import Actor
from croqtile_mlir.simulator.granules import Granules
from croqtile_mlir.simulator.memory import Bytes, Memory
from croqtile_mlir.simulator.peers import SHARED_END
from croqtile_mlir.simulator.program import Frame

LOCAL_START = 32 * SHARED_END
"""Addresses from here on are in local memory."""

SPACING = 1 << 22
"""Bytes from one array to the next: more than those of all lanes of an agent."""

LOCAL_END = LOCAL_START + 64 * SPACING


class PrivateMemory(Memory):
    """An array of each lane: who reads an element must have written it."""

    def __init__(self, name: str, size: int, base: int = 0):
        data = np.zeros(size, np.uint8)
        super().__init__(name, data, base=base, granule=1, proxies=False)

    def load(
        self,
        actor: Actor,
        op: Operation,
        offsets: Granules,
        width: int,
        lanes: Granules | None = None,
    ) -> Bytes:
        del lanes
        if not self.contains(actor, op, offsets, width):
            return np.zeros((len(offsets), width), np.uint8)
        where = offsets[:, None] + np.arange(width)
        if self.checked and not self.is_written[where].all():
            self.report_uninitialised(actor, op, where.ravel())
        return self.data[where]

    def store(
        self,
        actor: Actor,
        op: Operation,
        offsets: Granules,
        data: Bytes,
        lanes: Granules | None = None,
    ) -> None:
        del lanes
        width = data.shape[1]
        if self.contains(actor, op, offsets, width):
            self.is_written[offsets[:, None] + np.arange(width)] = True
            self.data[offsets[:, None] + np.arange(width)] = data


@dataclass(eq=False)
class PrivateMemories:
    """The arrays of an agent."""

    numbers: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The place of the array of an op among all."""

    arrays: list[Memory] = field(default_factory=list[Memory])

    def add(self, op: Operation, name: str, size: int, lanes: int) -> int:
        """Make an array of so many bytes for each lane, without values; its address."""
        number = self.numbers.get(op, len(self.arrays))
        base = LOCAL_START + number * SPACING
        if size * lanes > SPACING or base >= LOCAL_END:
            fail(op, f"must have less local memory in the simulator, got {size} bytes")
        array = PrivateMemory(name, size * lanes, base)
        if op in self.numbers:
            # A run of the op makes it anew.
            self.arrays[number] = array
        else:
            self.numbers[op] = number
            self.arrays.append(array)
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
        return self.arrays[number] if number < len(self.arrays) else None
