"""Tensor maps: what a TMA descriptor says of an argument."""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir.simulator.global_memory import GlobalTile


@dataclass(frozen=True, eq=False)
class TensorMap:
    """A tensor map as a register holds it: the argument, the box and the swizzle."""

    tile: GlobalTile
    box: tuple[int, ...]
    """Extents in elements, outermost dim first."""

    swizzle: int
    """Width of the swizzle in bytes: 0, 32, 64 or 128."""
