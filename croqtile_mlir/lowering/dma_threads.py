"""
Copies by the threads of a scope: vectors of up to 16 bytes, predicated at the edges.

Each thread takes every n-th vector of the tile. A vector goes in one piece when all of
it is in range and the argument allows: its address and its pitches are multiples of
the vector, which is tested once, at run time. Otherwise it goes element by element;
what is out of range reads as zero and is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd, prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AddressOp,
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    Layout,
    PointerOp,
    Space,
    StrideOp,
    ThreadIdOp,
    TileType,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import LoadOp, PtrToIntOp, StoreOp, ZeroOp
from croqtile_mlir.lowering.global_windows import GlobalWindow, Limit, global_window
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

VECTOR_BYTES = 16
"""The widest access of a thread."""

_index = IndexType()


Scalar = IntegerType | Float16Type
"""What one element is moved as: bits of its size."""


def element_type(size: int) -> Scalar:
    """The type to move an element of so many bytes with."""
    return Float16Type() if size == 2 else IntegerType(size * 8)


def vector_type(size: int) -> Attribute:
    """The type to move so many bytes with in one access."""
    return element_type(size) if size < 8 else VectorType(i32, [size // 4])


def _zero(builder: LocatedBuilder, kind: Scalar) -> SSAValue:
    if isinstance(kind, Float16Type):
        return builder.float(FloatAttr(0.0, kind))
    if kind.bitwidth < 32:
        # There is no arithmetic on bytes, nor a constant.
        return builder.insert(ZeroOp(kind)).result
    return builder.constant(0, kind)


@dataclass(frozen=True)
class _Guard:
    """What of a global tile may be touched: see `GlobalWindow`."""

    window: GlobalWindow
    limits: tuple[tuple[Limit, SSAValue], ...]
    """The ends that matter, and their values of type index."""
    origin: tuple[Value, ...]
    aligned: SSAValue | None
    """Whether addresses and pitches allow vectors; None for vectors of one element."""

    def inside(
        self, builder: LocatedBuilder, at: Sequence[Value], count: int, outer: bool
    ) -> list[SSAValue]:
        """
        The tests of the outer dims, or else of `count` elements of the inner one.

        `at` is the element in the tile.
        """
        last = len(self.origin) - 1
        dropped = len(self.origin) - len(at)
        tests: list[SSAValue] = []
        for limit, end in self.limits:
            if (limit.dim != last) != outer:
                continue
            start = self.origin[limit.dim]
            position = at[limit.dim - dropped] if limit.dim >= dropped else 0
            if limit.dim == last:
                position = _add(builder, position, count - 1)
            where = _add(builder, start, position)
            tests.append(builder.cmp("ult", _as_value(builder, where), end))
        return tests


def _add(builder: LocatedBuilder, a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return builder.add(a, b)


def _as_value(builder: LocatedBuilder, value: Value) -> SSAValue:
    return builder.index(value) if isinstance(value, int) else value


def _all(builder: LocatedBuilder, tests: Sequence[SSAValue]) -> SSAValue:
    return reduce(builder.and_, tests)


@dataclass(frozen=True)
class ThreadCopies:
    """Lowers copies with engine threads."""

    memo: MemoBuilder

    def lower(self, copy: CopyOp | CopyAsyncOp) -> None:
        """Emit the loop of a copy before it."""
        require_whole_scope(
            copy, "move the copy out of parallel levels and of conditions on the thread"
        )
        dims = _extents(copy)
        size = tile_type(copy.source).element_bytes
        vector = gcd(
            VECTOR_BYTES,
            dims[-1] * size,
            *(_row_alignment(copy, t) for t in (copy.source, copy.destination)),
        )
        self.memo.move_before(copy)
        guard = self._guard(copy, dims, vector)
        builder = self.memo.builder
        thread = builder.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        lanes = vector // size
        count = prod(dims) // lanes
        with builder.for_(thread, count, scope_of(copy).num_threads) as (body, index):
            at = _split(body, index, (*dims[:-1], dims[-1] // lanes))
            at[-1] = _scaled(body, at[-1], lanes)
            _move(copy, body, at, guard, vector, lanes)

    def _guard(
        self, copy: CopyOp | CopyAsyncOp, dims: tuple[int, ...], vector: int
    ) -> _Guard | None:
        """What to test for the global side of a copy; None when there is none."""
        for tile in (copy.source, copy.destination):
            if tile_type(tile).memory_space is Space.Global:
                break
        else:
            return None
        memo = self.memo
        window = global_window(copy, tile, dims, memo)
        limits = [
            (limit, memo.materialize(memo.sum(limit.end, _index), _index))
            for limit in window.limits(copy, memo)
        ]
        origin = tuple(memo.sum(start, _index) for start in window.origin)
        aligned = None
        if vector > window.root_type.element_bytes:
            aligned = _aligned(memo, window, origin, vector)
            aligned.name_hint = "aligned"
        return _Guard(window, tuple(limits), origin, aligned)


def _extents(copy: CopyOp | CopyAsyncOp) -> tuple[int, ...]:
    """The extents of the copied tile, from its shared side."""
    for tile in (copy.destination, copy.source):
        kind = tile_type(tile)
        if kind.memory_space is Space.Shared:
            if kind.static_dims:
                return kind.static_dims
            fail(
                copy,
                f"shared tile must have constant extents, got {kind}",
                hint="run --bind-params first",
            )
    fail(copy, "must have a shared tile on one side at least, got none")


def _row_alignment(copy: CopyOp | CopyAsyncOp, tile: SSAValue) -> int:
    """What the address of every row of a tile is a multiple of, up to 16 bytes."""
    kind = tile_type(tile)
    if kind.memory_space is Space.Global:
        return VECTOR_BYTES
    buffer = root_of(tile)
    if not isinstance(buffer.owner, AllocOp):
        fail(copy, "must use views of a croq.alloc, got another shared tile")
    if kind.layout is None:
        fail(
            copy,
            f"shared tile must have a layout, got {kind}",
            hint="run --infer-layouts first",
            notes=[(tile, "the tile is defined here")],
        )
    _, col = origin_in_buffer(tile)
    start = col.multiple * kind.element_bytes
    if kind.layout is not Layout.RowMajor:
        return gcd(VECTOR_BYTES, start)
    whole: TileType = tile_type(buffer)
    rows, cols = layouts.matrix_shape(whole)
    pitch = cols * kind.element_bytes if rows > 1 else 0
    return gcd(VECTOR_BYTES, start, pitch)


def _aligned(
    memo: MemoBuilder, window: GlobalWindow, origin: Sequence[Value], vector: int
) -> SSAValue:
    """Whether every vector of a global tile starts at a multiple of its bytes."""
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
    return builder.cmp("eq", builder.and_(bits, vector - 1), 0)


def _split(
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


def _scaled(builder: LocatedBuilder, value: Value, by: int) -> Value:
    return value * by if isinstance(value, int) else builder.mul(value, by)


def _move(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    guard: _Guard | None,
    vector: int,
    lanes: int,
) -> None:
    """Move the vector at an element of the tile."""
    size = vector // lanes
    kind = element_type(size) if lanes == 1 else vector_type(vector)
    if guard is None:
        _transfer(copy, builder, at, kind, vector)
        return
    rows = guard.inside(builder, at, 1, outer=True)
    cols = guard.inside(builder, at, lanes, outer=False)
    if lanes == 1:
        _predicated(copy, builder, at, size, [*rows, *cols])
        return
    row = [_all(builder, rows)] if rows else []
    aligned = [] if guard.aligned is None else [guard.aligned]
    whole, pieces = Block(), Block()
    fast = LocatedBuilder.at_end(whole, copy.location)
    _transfer(copy, fast, at, kind, vector)
    fast.insert(scf.YieldOp())
    slow = LocatedBuilder.at_end(pieces, copy.location)
    with slow.for_(0, lanes) as (each, number):
        element = [*at[:-1], _add(each, at[-1], number)]
        tests = [*row, *guard.inside(each, element, 1, outer=False)]
        _predicated(copy, each, element, size, tests)
    slow.insert(scf.YieldOp())
    builder.insert(
        scf.IfOp(
            _all(builder, [*aligned, *row, *cols]), [], Region(whole), Region(pieces)
        )
    )


def _predicated(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    size: int,
    tests: Sequence[SSAValue],
) -> None:
    """Move one element if all tests hold; else store a zero in shared memory."""
    kind = element_type(size)
    if not tests:
        _transfer(copy, builder, at, kind, size)
        return
    yes, no = Block(), Block()
    then = LocatedBuilder.at_end(yes, copy.location)
    _transfer(copy, then, at, kind, size)
    then.insert(scf.YieldOp())
    rest = None
    if tile_type(copy.destination).memory_space is Space.Shared:
        otherwise = LocatedBuilder.at_end(no, copy.location)
        target = otherwise.insert(AddressOp(copy.destination, at)).pointer
        zero = _zero(otherwise, kind)
        otherwise.insert(StoreOp(zero, target, alignment=size))
        otherwise.insert(scf.YieldOp())
        rest = Region(no)
    builder.insert(scf.IfOp(_all(builder, tests), [], Region(yes), rest))


def _transfer(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    kind: Attribute,
    size: int,
) -> None:
    source = builder.insert(AddressOp(copy.source, at)).pointer
    value = builder.insert(LoadOp(source, kind, alignment=size))
    target = builder.insert(AddressOp(copy.destination, at)).pointer
    builder.insert(StoreOp(value, target, alignment=size))
