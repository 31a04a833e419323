"""What a launch and a block consist of, and what runs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import auto
from typing import Any, Protocol

import numpy as np
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.simulator.cluster_barrier import ClusterBarrier
from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.global_memory import GlobalMemory, GlobalTile
from croqtile_mlir.simulator.memory import Memory

Extents = tuple[int, int, int]


@dataclass(eq=False)
class LaunchState:
    """The arguments of a launch, bound: the same for every level of IR."""

    memory: GlobalMemory
    tiles: Mapping[str, GlobalTile]
    """Tile arguments and returned tiles, by name."""

    scalars: Mapping[str, Any]
    dims: Mapping[str, int]
    grid: Extents = (1, 1, 1)
    objects: dict[object, Any] = field(default_factory=dict[object, Any])
    """What handlers keep for the launch."""

    def workspace(self, elements: int) -> GlobalTile:
        """The memory that a launch provides, as a first one does: zeros, of 4 bytes."""
        found = self.objects.get("workspace")
        if found is None:
            data = np.zeros(-(-elements // 4) * 16, np.uint8)
            buffer = self.memory.add("workspace", data, written=True)
            dtype = np.dtype(np.int32)
            found = GlobalTile("workspace", buffer, dtype, (elements,), (1,))
            self.objects["workspace"] = found
        return found


@dataclass(eq=False)
class Cluster:
    """Blocks that run together and reach each other's shared memory, by rank."""

    extents: Extents = (1, 1, 1)
    """How many blocks there are along x, y and z of the grid."""

    blocks: list[BlockState] = field(default_factory=list["BlockState"])
    barrier: ClusterBarrier = field(default_factory=ClusterBarrier)

    def index_of(self, rank: int) -> Extents:
        """Where the block of a rank is in the cluster: x is the fastest."""
        x, y, _ = self.extents
        return rank % x, rank // x % y, rank // (x * y)

    def along(self, block: BlockState, dims: Iterable[int]) -> list[BlockState]:
        """The blocks that differ from one in these indices at most, by rank."""
        free, mine = set(dims), self.index_of(block.rank)
        return [
            other
            for other in self.blocks
            if all(
                at == own or dim in free
                for dim, (at, own) in enumerate(
                    zip(self.index_of(other.rank), mine, strict=True)
                )
            )
        ]


@dataclass(eq=False)
class BlockState:
    """A thread block that runs."""

    launch: LaunchState
    engine: Engine
    index: Extents
    """In the grid."""

    threads: int
    shared: Memory
    objects: dict[object, Any] = field(default_factory=dict[object, Any])
    """What handlers keep for the block: buffers and events by op, queues by agent."""

    cluster: Cluster = field(default_factory=Cluster)
    rank: int = field(init=False)
    """In the cluster."""

    def __post_init__(self) -> None:
        self.rank = len(self.cluster.blocks)
        self.cluster.blocks.append(self)


class BlocksMeet(StrEnum):
    """What the blocks of a grid, or its clusters, have to do with each other."""

    Never = auto()
    """They are not ordered."""

    InMemory = auto()
    """They synchronise through global memory, and may run one after the other."""

    AtBarrier = auto()
    """They wait for each other: all run at once."""


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

    @property
    def cluster(self) -> Extents:
        """The number of blocks of a cluster along x, y and z."""
        ...

    @property
    def blocks_meet(self) -> BlocksMeet:
        """What blocks have to do with each other."""
        ...

    def grid(self, launch: LaunchState) -> Extents:
        """The number of blocks along x, y and z."""
        ...

    def start(self, block: BlockState) -> None:
        """Add the agents of a block to its engine, and give them their programs."""
        ...
