"""Special registers (`nvvm.read.ptx.sreg.*`). A block is one row of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import WARP, Array, collapse


def _reads(read: Callable[[Frame], Any]) -> Callable[[Any, Maker], Made]:
    def make(op: Operation, maker: Maker) -> Made:
        result = maker.register(op.results[0])

        def step(frame: Frame) -> None:
            frame.values[result] = read(frame)

        return step

    return make


def _threads(frame: Frame) -> Array:
    agent = frame.agent
    first = agent.first_thread
    return np.arange(first, first + agent.threads, dtype=np.int32)


def _lanes(frame: Frame) -> Array:
    return _threads(frame) % np.int32(WARP)


def _lane_bits(bits: Callable[[int], int]) -> Callable[[Frame], Any]:
    table = np.array([bits(lane) & 0xFFFFFFFF for lane in range(WARP)], np.uint32)
    signed = table.view(np.int32)
    return lambda frame: signed[_lanes(frame)]


def _block(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: frame.block.index[dim]


def _grid(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: frame.block.launch.grid[dim]


def _cluster(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: frame.block.index[dim] // frame.block.cluster.extents[dim]


def _clusters(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: (
        frame.block.launch.grid[dim] // frame.block.cluster.extents[dim]
    )


def _in_cluster(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: frame.block.cluster.index_of(frame.block.rank)[dim]


def _cluster_extent(dim: int) -> Callable[[Frame], Any]:
    return lambda frame: frame.block.cluster.extents[dim]


def _always(value: int) -> Callable[[Frame], Any]:
    return lambda frame: value


def _ticks(frame: Frame) -> int:
    return frame.agent.engine.ticks


def _shared_bytes(frame: Frame) -> int:
    return frame.block.shared.size


_READERS: Final[dict[type[Operation], Callable[[Frame], Any]]] = {
    nvvm.TidXOp: _threads,
    nvvm.TidYOp: _always(0),
    nvvm.TidZOp: _always(0),
    nvvm.NTidXOp: lambda frame: frame.block.threads,
    nvvm.NTidYOp: _always(1),
    nvvm.NTidZOp: _always(1),
    nvvm.CtaIdXOp: _block(0),
    nvvm.CtaIdYOp: _block(1),
    nvvm.CtaIdZOp: _block(2),
    nvvm.NCtaIdXOp: _grid(0),
    nvvm.NCtaIdYOp: _grid(1),
    nvvm.NCtaIdZOp: _grid(2),
    nvvm.LaneIdOp: _lanes,
    nvvm.WarpIdOp: lambda frame: collapse(_threads(frame) // np.int32(WARP)),
    nvvm.WarpSizeOp: _always(WARP),
    nvvm.NWarpIdOp: lambda frame: -(-frame.block.threads // WARP),
    nvvm.LaneMaskEqOp: _lane_bits(lambda lane: 1 << lane),
    nvvm.LaneMaskLeOp: _lane_bits(lambda lane: (2 << lane) - 1),
    nvvm.LaneMaskLtOp: _lane_bits(lambda lane: (1 << lane) - 1),
    nvvm.LaneMaskGeOp: _lane_bits(lambda lane: -(1 << lane)),
    nvvm.LaneMaskGtOp: _lane_bits(lambda lane: -(2 << lane)),
    nvvm.ClusterIdXOp: _cluster(0),
    nvvm.ClusterIdYOp: _cluster(1),
    nvvm.ClusterIdZOp: _cluster(2),
    nvvm.NClusterIdXOp: _clusters(0),
    nvvm.NClusterIdYOp: _clusters(1),
    nvvm.NClusterIdZOp: _clusters(2),
    nvvm.ClusterCtaIdXOp: _in_cluster(0),
    nvvm.ClusterCtaIdYOp: _in_cluster(1),
    nvvm.ClusterCtaIdZOp: _in_cluster(2),
    nvvm.ClusterCtaRankOp: lambda frame: frame.block.rank,
    nvvm.ClusterNCtaIdXOp: _cluster_extent(0),
    nvvm.ClusterNCtaIdYOp: _cluster_extent(1),
    nvvm.ClusterNCtaIdZOp: _cluster_extent(2),
    nvvm.ClusterNCtaRankOp: lambda frame: len(frame.block.cluster.blocks),
    nvvm.DynamicSmemSizeOp: _shared_bytes,
    nvvm.TotalSmemSizeOp: _shared_bytes,
    nvvm.SmIdOp: _always(0),
    nvvm.NSmIdOp: _always(1),
    nvvm.GridIdOp: _always(0),
    nvvm.Clock64Op: _ticks,
    nvvm.GlobalTimerOp: _ticks,
}

HANDLERS: Final[Handlers] = {
    register: _reads(read) for register, read in _READERS.items()
}
