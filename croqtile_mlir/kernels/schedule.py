"""Schedules of a matrix product: which passes make the plain kernel fast, and how."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, SupportsIndex, get_args

from croqtile_mlir.targets.architecture import SM_90A, WARPGROUP_THREADS

SHARED_BYTES = SM_90A.shared_bytes_per_block
"""Most shared memory of a block."""

_MBARRIER_BYTES = 8
_TILE_ALIGNMENT = 1024
_BUDGETED_CONSUMERS = 3
"""From so many on, a thread has 160 registers or fewer."""

_MOST_CONSUMERS = SM_90A.max_threads_per_block // WARPGROUP_THREADS - 1
"""One warpgroup of the block is the producer."""

_MOST_BUFFERS = 8
"""`--overlap-epilogue` counts one store less in flight."""

_STEP = 16
"""Of columns of a panel, and of K of one wgmma of f16 or bf16 (PTX ISA)."""

Mode = Literal["cooperative", "pingpong"]
Order = Literal["first", "last", "grouped"]

_ANY = 2**31 - 1
_RANGES: tuple[tuple[str, int, int, int], ...] = (
    ("bm", 64, _ANY, 64),
    ("bn", 16, 256, 16),
    ("bk", _STEP, _ANY, _STEP),
    ("stages", 1, _ANY, 1),
    ("consumers", 1, _MOST_CONSUMERS, 1),
    ("in_flight", 0, 1, 1),
    ("blocks", 1, SM_90A.max_grid[0], 1),
    ("group", 1, _ANY, 1),
    ("epilogue_cols", _STEP, _ANY, _STEP),
    ("epilogue_buffers", 1, _MOST_BUFFERS, 1),
)
"""Fields, the least and the most of each, and steps."""


@dataclass(frozen=True)
class Schedule:
    """
    A choice for each scheduling pass. What a field does: `docs/levels.md`.

    ```python
    schedule = croq.Schedule(bn=192, stages=5, mode="pingpong", epilogue_cols=16)
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
        # One mbarrier of each slot says that it is full, one that it is empty, for each
        # operand if other blocks share it; each consumer that takes turns has one more.
        empty = 2 if min(self.cluster) > 1 else 1
        events = [self.stages] * (1 + empty) + [turns]
        return (
            sum(_aligned(size * element_bytes, _TILE_ALIGNMENT) for size in tiles)
            + parts * _aligned(panel, _TILE_ALIGNMENT)
            + sum(_event_bytes(slots) for slots in events)
        )

    def why_not(self, element_bytes: int = 2, out_bytes: int = 2) -> str | None:
        """The rule that the schedule breaks; None when it can be compiled."""
        if (reason := self._out_of_range()) is not None:
            return reason
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

    def _out_of_range(self) -> str | None:
        """Which field can be in no schedule, whatever the others are."""
        choices = {"mode": get_args(Mode), "order": get_args(Order)}
        choices |= {"persistent": (False, True), "split": (False, True)}
        for name, allowed in choices.items():
            chosen: object = getattr(self, name)
            if chosen not in allowed:
                return f"{name} must be one of {allowed}, got {chosen!r}"
        for name, least, most, step in _RANGES:
            value: int = getattr(self, name)
            if not _is_integer(value) or value % step or not least <= value <= most:
                steps = f" in steps of {step}" if step > 1 else ""
                return f"{name} must be in {least}..{most}{steps}, got {value!r}"
        if self.stages <= self.in_flight:
            return (
                f"stages must be at least {self.in_flight + 1} with "
                f"in_flight={self.in_flight}, got {self.stages}"
            )
        return _why_no_cluster(self.cluster)


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _is_integer(value: object) -> bool:
    """Of any integer type but bool."""
    return isinstance(value, SupportsIndex) and not isinstance(value, bool)


def _why_no_cluster(cluster: object) -> str | None:
    match cluster:
        # Others cannot be looked up.
        case tuple((int(along_m), int(along_n))) if (
            min(along_m, along_n) > 0 and along_m * along_n <= SM_90A.max_cluster
        ):
            return None
        case _:
            pass
    return (
        "cluster must be a tuple of two positive integers, at most "
        f"{SM_90A.max_cluster} blocks, got {cluster!r}"
    )


def _event_bytes(slots: int) -> int:
    """Of the mbarriers of an event, aligned as `layouts.alignment` says."""
    size = slots * _MBARRIER_BYTES
    return _aligned(size, 16 if size < 128 else 128)


def _most_accumulators(consumers: int) -> int:
    """Of the 160 or 232 registers of a thread, so many are left for other values."""
    return 96 if consumers >= _BUDGETED_CONSUMERS else 192
