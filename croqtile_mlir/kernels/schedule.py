"""Schedules of a matrix product: which passes make the plain kernel fast, and how."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

WARPGROUP_THREADS = 128
SHARED_BYTES = 232448
"""Most shared memory of a block: 227 KiB (PTX ISA, sm_90)."""

_MBARRIER_BYTES = 8
_EVENT_ALIGNMENT = 16
_TILE_ALIGNMENT = 1024
_MOST_CONSUMERS = 3

Mode = Literal["cooperative", "pingpong"]
Order = Literal["first", "last", "grouped"]


@dataclass(frozen=True)
class Schedule:
    """
    A choice for each scheduling pass. What a field does: `docs/levels.md`.

    ```python
    schedule = croq.Schedule(bm=128, bn=192, stages=5, mode="pingpong")
    croq.compile("examples/matmul.mlir", schedule=schedule)
    schedule.pipeline  # what `croq-opt -p` takes
    ```
    """

    bm: int = 128
    bn: int = 256
    bk: int = 64
    """Tile of the result, and the depth of one stage, in elements."""

    stages: int = 4
    consumers: int = 2
    """Warpgroups that multiply: they share each tile, or take turns at tiles."""

    mode: Mode = "cooperative"
    in_flight: int = 1
    cluster: tuple[int, int] = (1, 1)
    """Blocks of a cluster along M and N."""

    persistent: bool = True
    blocks: int = 132
    """Of a persistent kernel: one for each multiprocessor."""

    order: Order = "grouped"
    group: int = 8
    """Rows of tiles (of clusters) in a group, of order `grouped`."""

    epilogue_cols: int = 64
    epilogue_buffers: int = 2
    """Panels of the result in shared memory, for each scope that stores."""

    split: bool = False
    """Consumers that share a tile are roles of their own, each with its rows."""

    @property
    def passes(self) -> tuple[str, ...]:
        """The scheduling passes in order, each as `croq-opt -p` takes it."""
        passes = [f"bind-params{{BM={self.bm} BN={self.bn} BK={self.bk}}}"]
        if self.is_clustered:
            along_m, along_n = self.cluster
            passes.append(f"make-clusters{{cluster={along_m}x{along_n}}}")
        if self.persistent:
            group = f" group={self.group}" if self.order == "grouped" else ""
            passes.append(f"persist{{blocks={self.blocks} order={self.order}{group}}}")
        passes.append(
            f"warp-specialize{{consumers={self.consumers} stages={self.stages} "
            f"mode={self.mode} in_flight={self.in_flight}}}"
        )
        if self.split:
            passes.append("split-consumers")
        if self.is_clustered:
            passes.append("multicast")
        passes.append(
            f"overlap-epilogue{{cols={self.epilogue_cols} "
            f"buffers={self.epilogue_buffers}}}"
        )
        return tuple(passes)

    @property
    def pipeline(self) -> str:
        """The passes as one text."""
        return ",".join(self.passes)

    @property
    def is_clustered(self) -> bool:
        """Whether blocks run in clusters."""
        return prod(self.cluster) > 1

    @property
    def sharing(self) -> int:
        """Warpgroups that share a tile."""
        return 1 if self.mode == "pingpong" else self.consumers

    @property
    def accumulators(self) -> int:
        """Registers of a consumer's thread that hold sums."""
        return self.bm * self.bn // (self.sharing * WARPGROUP_THREADS)

    def shared_bytes(self, element_bytes: int = 2, out_bytes: int = 2) -> int:
        """Shared memory of a block in bytes, as `--allocate-shared` lays it out."""
        width = min(self.epilogue_cols, self.bn)
        buffers = min(self.epilogue_buffers, -(-self.bn // width))
        turns = self.consumers if self.mode == "pingpong" else 0
        tiles = [self.stages * rows * self.bk for rows in (self.bm, self.bn)]
        parts = self.consumers if self.split else max(turns, 1)
        rows = self.bm // self.consumers if self.split else self.bm
        panel = buffers * rows * width * out_bytes
        # One mbarrier of each slot says that it is full, one that it is empty; each
        # consumer that takes turns has one more.
        events = [self.stages, self.stages, turns]
        return (
            sum(_aligned(size * element_bytes, _TILE_ALIGNMENT) for size in tiles)
            + parts * _aligned(panel, _TILE_ALIGNMENT)
            + sum(_aligned(n * _MBARRIER_BYTES, _EVENT_ALIGNMENT) for n in events)
        )

    def why_not(self, element_bytes: int = 2, out_bytes: int = 2) -> str | None:
        """The rule that the schedule breaks; None when it can be compiled."""
        if self.bm % (64 * self.sharing) or self.bn % 16 or not 16 <= self.bn <= 256:
            return "a warpgroup multiplies 64 rows, 16 to 256 columns in steps of 16"
        if self.mode == "pingpong" and not (self.persistent and self.consumers > 1):
            return "consumers that take turns need a persistent kernel"
        if self.split and self.sharing == 1:
            return "only consumers that share a tile can be split"
        if self.accumulators > _most_accumulators(self.consumers):
            return f"{self.accumulators} registers of sums leave none for the rest"
        if (needed := self.shared_bytes(element_bytes, out_bytes)) > SHARED_BYTES:
            return f"shared memory must be at most {SHARED_BYTES} bytes, got {needed}"
        if self.persistent and self.blocks % prod(self.cluster):
            return "blocks of a persistent kernel must make whole clusters"
        return None


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _most_accumulators(consumers: int) -> int:
    """Of the 160 or 232 registers of a thread, so many are left for other values."""
    return 96 if consumers >= _MOST_CONSUMERS else 192
