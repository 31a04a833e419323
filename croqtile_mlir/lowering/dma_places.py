"""
Where a copy by threads takes an element from, and in which order elements are moved.

A copy that changes the inner dim reads along one dim and writes along another. The
threads of a warp then take patches of both: 32 bytes along the inner dim of global
memory, so that whole sectors are moved, and as much as is left along the inner dim of
the other side. In a swizzled shared tile the rows of a patch are in different banks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    CopyOp,
    Rearrangement,
    Space,
    tile_type,
)
from croqtile_mlir.lowering.dma_vectors import (
    add,
    scaled,
    split_index,
)
from croqtile_mlir.lowering.memo_builder import Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

SECTOR_BYTES = 32
"""What global memory is moved in."""

WARP_THREADS = 32


@dataclass(frozen=True)
class Walk:
    """The order in which the vectors of the destination are taken."""

    extents: tuple[int, ...]
    """Of the destination in vectors."""

    outer: int
    """The dim along which neighbouring patches follow each other first."""

    inner: int
    """The dim along which the lanes of a patch follow each other first."""

    patch: tuple[int, int]
    """How many vectors a patch has along `outer` and along `inner`."""

    def at(self, builder: LocatedBuilder, index: SSAValue) -> list[Value]:
        """The vector of a running number, as a position in the destination."""
        if self.outer == self.inner:
            return split_index(builder, index, self.extents)
        high, wide = self.patch
        rest = list(self.extents)
        rest[self.outer] //= high
        rest[self.inner] //= wide
        order = [d for d in range(len(rest)) if d not in (self.outer, self.inner)]
        order += [self.outer, self.inner]
        *places, down, across = split_index(
            builder, index, (*(rest[d] for d in order), high, wide)
        )
        at: list[Value] = [0] * len(rest)
        for dim, place in zip(order, places, strict=True):
            at[dim] = place
        at[self.outer] = _sum(builder, scaled(builder, at[self.outer], high), down)
        at[self.inner] = _sum(builder, scaled(builder, at[self.inner], wide), across)
        return at


def _sum(builder: LocatedBuilder, a: Value, b: Value) -> Value:
    if b == 0:
        return a
    return b if a == 0 else add(builder, a, b)


def walk_of(copy: CopyOp | CopyAsyncOp, extents: Sequence[int]) -> Walk:
    """The order in which a copy takes its vectors; `extents` are counted in them."""
    last = len(extents) - 1
    by = copy.rearrangement
    if by.source_dim(last) == last:
        return Walk(tuple(extents), last, last, (1, 1))
    along_source = by.permutation.index(last)
    inner, outer = last, along_source
    if tile_type(copy.destination).memory_space is Space.Shared:
        inner, outer = outer, inner
    size = tile_type(copy.source).element_bytes
    wide = gcd(extents[inner], SECTOR_BYTES // size)
    high = gcd(extents[outer], WARP_THREADS // wide)
    return Walk(tuple(extents), outer, inner, (high, wide))


@dataclass(frozen=True)
class Origin:
    """Where an element comes from: a place in the source, if all tests hold."""

    at: list[Value]
    tests: list[SSAValue]
    """Whether it is an element of the source, and not padding."""


def origin_of(
    builder: LocatedBuilder,
    by: Rearrangement,
    extents: Sequence[int],
    at: Sequence[Value],
) -> Origin:
    """Where the element at a place of the destination comes from."""
    if by.is_identity:
        return Origin(list(at), [])
    source = by.source_extents(extents)
    found: list[Value] = [0] * len(at)
    tests: list[SSAValue] = []
    for dim, place in enumerate(at):
        own, low, step = by.source_dim(dim), by.low[dim], by.interior[dim] + 1
        if isinstance(place, int):
            # A dim of one element.
            number, rest = divmod(place - low, step)
            if rest or not 0 <= number < source[own]:
                tests.append(builder.i1(False))
            found[own] = min(max(number, 0), source[own] - 1)
            continue
        if low:
            # Before the first element it wraps to a number above all others.
            place = builder.add(place, -low)
        if low or by.high[dim]:
            end = (source[own] - 1) * step + 1
            tests.append(builder.cmp("ult", place, end))
        if step > 1:
            tests.append(builder.cmp("eq", builder.urem(place, step), 0))
            place = builder.udiv(place, step)
        found[own] = place
    return Origin(found, tests)
