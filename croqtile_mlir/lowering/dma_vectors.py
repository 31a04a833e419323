"""
What copies by the vectors of threads have in common, with loads or with `cp.async`.

The vectors of a tile are counted along its rows; thread t of n takes every n-th from t
on. Which of their elements are in range, and how wide an access the argument's address
and pitches allow, is tested at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd, prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES
from croqtile_mlir.analysis.row_alignment import row_alignment as alignment_of_rows
from croqtile_mlir.analysis.view_scales import Scales
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    PointerOp,
    Space,
    StrideOp,
    known_extent,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import PtrToIntOp
from croqtile_mlir.lowering.global_windows import GlobalWindow, Limit, global_window
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_index = IndexType()


@dataclass(frozen=True)
class Guard:
    """What of a global tile may be touched: see `GlobalWindow`."""

    limits: tuple[tuple[Limit, SSAValue], ...]
    """The ends that matter, and their values of type index."""

    origin: tuple[Value, ...]
    scales: Scales
    aligned: Mapping[int, SSAValue]
    """
    Whether addresses and pitches allow accesses of so many bytes; nothing for those of
    one element.
    """

    def inside(
        self, builder: LocatedBuilder, at: Sequence[Value], count: int, outer: bool
    ) -> list[SSAValue]:
        """
        The tests of the outer dims, or else of `count` elements of the inner one.

        `at` is the element in the tile.
        """
        last = len(self.origin) - 1
        tests: list[SSAValue] = []
        for limit, end in self.limits:
            if (limit.dim != last) != outer:
                continue
            where = self._where(builder, limit, at)
            if limit.dim == last:
                where = add(builder, where, count - 1)
            tests.append(builder.cmp("ult", as_value(builder, where), end))
        return tests

    def whole(self, builder: LocatedBuilder, dims: Sequence[int]) -> list[SSAValue]:
        """The tests that all of a tile of these extents is in range."""
        first, last = [0] * len(dims), [extent - 1 for extent in dims]
        return [
            test
            for at in (first, last)
            for outer in (True, False)
            for test in self.inside(builder, at, 1, outer=outer)
        ]

    def left(self, builder: LocatedBuilder, at: Sequence[Value]) -> list[SSAValue]:
        """How many elements of the inner dim come before each of its ends."""
        last = len(self.origin) - 1
        return [
            builder.sub(end, as_value(builder, self._where(builder, limit, at)))
            for limit, end in self.limits
            if limit.dim == last
        ]

    def _where(
        self, builder: LocatedBuilder, limit: Limit, at: Sequence[Value]
    ) -> Value:
        """The position of an element of the tile in a dim of the argument."""
        where = self.origin[limit.dim]
        for position, scale in zip(at, self.scales[limit.dim], strict=True):
            if scale:
                where = add(builder, where, scaled(builder, position, scale))
        return where


def guard_of(
    memo: MemoBuilder,
    op: Operation,
    tile: SSAValue,
    dims: tuple[int, ...],
    widths: Sequence[int],
) -> Guard | None:
    """
    What to test for a tile of an op, of these extents; None for a shared tile.

    `widths` are the bytes of accesses, the widest first.
    """
    if tile_type(tile).memory_space is not Space.Global:
        return None
    window = global_window(op, tile, dims, memo)
    limits = [
        (limit, memo.materialize(memo.sum(limit.end, _index), _index))
        for limit in window.limits(op, memo)
    ]
    origin = tuple(memo.sum(start, _index) for start in window.origin)
    widths = [w for w in widths if w > window.root_type.element_bytes]
    aligned = _aligned(memo, window, origin, widths)
    return Guard(tuple(limits), origin, window.scales, aligned)


def is_aligned(
    memo: MemoBuilder, op: Operation, tile: SSAValue, width: int
) -> SSAValue:
    """Whether accesses of so many bytes to a global tile are aligned, at run time."""
    dims = tuple(d for d in tile_type(tile).dims if isinstance(d, int))
    window = global_window(op, tile, dims, memo)
    origin = tuple(memo.sum(start, _index) for start in window.origin)
    return _aligned(memo, window, origin, [width])[width]


def _aligned(
    memo: MemoBuilder,
    window: GlobalWindow,
    origin: Sequence[Value],
    widths: Sequence[int],
) -> dict[int, SSAValue]:
    """The tests of accesses of some widths, the widest first."""
    found: dict[int, SSAValue] = {}
    if not widths:
        return found
    builder = memo.builder
    bits = _address_bits(memo, window, origin, widths[0])
    for width in widths:
        test = builder.cmp("eq", builder.and_(bits, width - 1), 0)
        test.name_hint = "aligned"
        found[width] = test
    return found


def _address_bits(
    memo: MemoBuilder, window: GlobalWindow, origin: Sequence[Value], vector: int
) -> SSAValue:
    """A number whose multiples of up to `vector` the addresses of all vectors share."""
    builder, size = memo.builder, window.root_type.element_bytes
    pointer = memo.once(
        ("pointer", window.root), lambda b: b.insert(PointerOp(window.root)).result
    )
    bits = builder.insert(PtrToIntOp(pointer, i64)).result
    for dim in range(window.root_type.rank - 1):
        stride = builder.insert(StrideOp(window.root, dim)).result
        bits = builder.or_(bits, builder.mul(stride, size))
    if window.origin[-1].multiple * size % vector:
        start = memo.materialize(origin[-1], _index)
        bits = builder.or_(bits, builder.mul(builder.cast(start, i64), size))
    return bits


def add(builder: LocatedBuilder, a: Value, b: Value) -> Value:
    """A sum, of integers where both are known."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return builder.add(a, b)


def as_value(builder: LocatedBuilder, value: Value) -> SSAValue:
    """An SSA value of type index."""
    return builder.index(value) if isinstance(value, int) else value


def all_of(builder: LocatedBuilder, tests: Sequence[SSAValue]) -> SSAValue:
    """Whether all of one or more tests hold."""
    return reduce(builder.and_, tests)


def extents_of(copy: CopyOp | CopyAsyncOp) -> tuple[int, ...]:
    """The extents of what a copy fills, each from the side where it is known."""
    source, destination = tile_type(copy.source), tile_type(copy.destination)
    for kind in (destination, source):
        if kind.memory_space is Space.Shared and kind.static_dims is None:
            fail(
                copy,
                f"shared tile must have constant extents, got {kind}",
                hint="run --bind-params first",
            )
    extents = copy.rearrangement.destination_extents(
        source.dims, destination.dims, known_extent
    )
    if extents is None:
        fail(
            copy,
            "must copy tiles of constant extents between arguments, got "
            f"{source} and {destination}",
            hint="copy tiles by croq.subspan",
        )
    return extents


def vector_bytes(copy: CopyOp | CopyAsyncOp, dims: Sequence[int]) -> int:
    """
    Bytes of the vectors that the rows of a copied tile are divided into.

    A vector is whole in the source, or whole in the padding.
    """
    by, size = copy.rearrangement, tile_type(copy.source).element_bytes
    last = len(dims) - 1
    if by.source_dim(last) != last or by.interior[last]:
        return size
    return gcd(
        VECTOR_BYTES,
        dims[-1] * size,
        by.low[last] * size,
        by.high[last] * size,
        *(row_alignment(copy, t) for t in (copy.source, copy.destination)),
    )


def row_alignment(copy: Operation, tile: SSAValue) -> int:
    """What the address of every row of a tile is a multiple of, up to 16 bytes."""
    kind = tile_type(tile)
    if kind.memory_space is not Space.Global:
        if not isinstance(root_of(tile).owner, AllocOp):
            fail(copy, "must use views of a croq.alloc, got another shared tile")
        if kind.layout is None:
            fail(
                copy,
                f"shared tile must have a layout, got {kind}",
                hint="run --infer-layouts first",
                notes=[(tile, "the tile is defined here")],
            )
    return alignment_of_rows(copy, tile)


def split_index(
    builder: LocatedBuilder, index: SSAValue, extents: Sequence[int]
) -> list[Value]:
    """The coordinates that a running number has, the last one fastest."""
    at: list[Value] = []
    rest: SSAValue | None = index
    for number, extent in reversed(list(enumerate(extents))):
        if extent == 1 or rest is None:
            at.append(0)
            continue
        outermost = prod(extents[:number]) == 1
        at.append(rest if outermost else builder.urem(rest, extent))
        rest = None if outermost else builder.udiv(rest, extent)
    return at[::-1]


def scaled(builder: LocatedBuilder, value: Value, by: int) -> Value:
    """A product with an integer."""
    return value * by if isinstance(value, int) else builder.mul(value, by)


def chosen(
    b: LocatedBuilder,
    tests: Sequence[SSAValue],
    kind: Attribute,
    then: Callable[[LocatedBuilder], SSAValue],
    otherwise: Callable[[LocatedBuilder], SSAValue],
) -> SSAValue:
    """What one side emits where all tests hold, else what the other does."""
    if not tests:
        return then(b)
    regions: list[Region] = []
    for emit in (then, otherwise):
        block = Block()
        side = LocatedBuilder.at_end(block, b.location)
        side.insert(scf.YieldOp(emit(side)))
        regions.append(Region(block))
    branch = scf.IfOp(all_of(b, tests), [kind], regions[0], regions[1])
    return b.insert(branch).output[0]
