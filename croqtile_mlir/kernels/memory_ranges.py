"""The memory that a tensor reaches, and whether two tensors share any."""

from __future__ import annotations

from croqtile_mlir.launch.records import TileValue

Range = tuple[int, int]
"""The address of the first byte, and of the one after the last."""


def memory_range(value: TileValue) -> Range:
    """The bytes from the first to the last element; none where there are none."""
    if 0 in value.shape:
        return value.address, value.address
    reach = [(n - 1) * s for n, s in zip(value.shape, value.strides, strict=True)]
    low, high = (sum(f(each, 0) for each in reach) for f in (min, max))
    size = value.element_bits // 8
    return value.address + low * size, value.address + (high + 1) * size


def overlap(one: Range, other: Range) -> bool:
    """Whether some byte is in both."""
    return max(one[0], other[0]) < min(one[1], other[1])
