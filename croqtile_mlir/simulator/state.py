"""What a launch and a block consist of, and what runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.global_memory import GlobalMemory, GlobalTile
from croqtile_mlir.simulator.memory import Memory


@dataclass(eq=False)
class LaunchState:
    """The arguments of a launch, bound: the same for every level of IR."""

    memory: GlobalMemory
    tiles: Mapping[str, GlobalTile]
    """Tile arguments and returned tiles, by name."""

    scalars: Mapping[str, Any]
    dims: Mapping[str, int]
    grid: tuple[int, int, int] = (1, 1, 1)


@dataclass(eq=False)
class BlockState:
    """A thread block that runs."""

    launch: LaunchState
    engine: Engine
    index: tuple[int, int, int]
    threads: int
    shared: Memory
    objects: dict[object, Any] = field(default_factory=dict[object, Any])
    """What handlers keep for the block: buffers and events by op, queues by agent."""


class Executable(Protocol):
    """A kernel whose ops have been made steps, at whatever level."""

    @property
    def name(self) -> str:
        """The kernel's name."""
        ...

    @property
    def threads(self) -> int:
        """Threads of a block."""
        ...

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory of a block."""
        ...

    @property
    def granule(self) -> int:
        """Bytes of the smallest access to shared or global memory."""
        ...

    @property
    def explicit_fences(self) -> bool:
        """Whether proxy fences are in the IR, so that a missing one is a fault."""
        ...

    def grid(self, launch: LaunchState) -> tuple[int, int, int]:
        """The number of blocks along x, y and z."""
        ...

    def start(self, block: BlockState) -> None:
        """Add the agents of a block to its engine, and give them their programs."""
        ...
