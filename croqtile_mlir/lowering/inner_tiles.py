"""
Ops on tiles inside `parallel` of threads, warps and warpgroups, element by element.

In a thread they are loops of that thread. The threads of a warp or a warpgroup share
the elements, thread t of n takes every n-th from t on, and meet before and after: the
op is complete and visible to all of them on return. Part of `--expand-inner-tiles`, and
of what looks at a kernel before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.element_vectors import static_dims
from croqtile_mlir.analysis.register_elements import is_private
from croqtile_mlir.analysis.scopes import THREADS_OF, scope_of
from croqtile_mlir.analysis.uniformity import (
    Uniformity,
    divergence_chain,
    divergent_control,
    inner_level,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyOp,
    ElementwiseOp,
    Engine,
    FillOp,
    ForeachOp,
    KernelOp,
    Level,
    ParallelOp,
    ReduceOp,
    StoreOp,
    TileType,
    YieldOp,
    tile_type,
)
from croqtile_mlir.lowering.bind_names import bind_names
from croqtile_mlir.lowering.dma_vectors import all_of, extents_of, split_index
from croqtile_mlir.lowering.element_bodies import emit_body
from croqtile_mlir.lowering.element_constants import element_constant
from croqtile_mlir.lowering.inner_elements import Elements, Emit, each_element
from croqtile_mlir.lowering.inner_meetings import InnerOp, Meetings, barrier_of
from croqtile_mlir.lowering.inner_reductions import InnerReduction
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

MOST_UNROLLED = 256
"""Elements of an op on registers up to which its loops are unrolled."""


def inner_ops(root: Operation) -> Iterator[tuple[InnerOp, ParallelOp]]:
    """The ops on tiles of inner levels, each with its level."""
    for op in root.walk():
        if isinstance(op, InnerOp) and (level := _level_of(op)) is not None:
            yield op, level


def _level_of(op: InnerOp) -> ParallelOp | None:
    if not all(isinstance(value.type, TileType) for value in op.operands):
        return None
    return inner_level(op)


def _is_shared(op: Operation) -> bool:
    """Whether the threads of a warp or a warpgroup share an op on tiles."""
    if not isinstance(op, InnerOp):
        return False
    level = _level_of(op)
    return level is not None and level.level.data is not Level.Thread


def expand_inner_tiles(root: Operation) -> None:
    """Make loops over elements of the ops on tiles of inner levels."""
    expansion = _Expansion()
    for op, level in list(inner_ops(root)):
        expansion.expand(op, level)
        op.detach()
        op.erase()


def with_inner_tiles_expanded(root: Operation) -> Operation:
    """An op, or a copy of it with values for its parameters and without such ops."""
    if next(inner_ops(root), None) is None:
        return root
    root = root.clone()
    for kernel in [k for k in root.walk() if isinstance(k, KernelOp)]:
        bind_names(kernel, kernel.param_values)
    expand_inner_tiles(root)
    return root


@dataclass(frozen=True)
class _Expansion:
    """Emits the loops of ops before them."""

    memo: MemoBuilder = field(default_factory=MemoBuilder)
    meetings: Meetings = field(default_factory=lambda: Meetings(_is_shared))

    def expand(self, op: InnerOp, level: ParallelOp) -> None:
        """Emit the loops of one op."""
        _check(op, level)
        self.memo.move_before(op)
        b = self.memo.builder
        unroll = any(map(is_private, op.operands)) and _elements(op) <= MOST_UNROLLED
        if level.level.data is Level.Thread:
            if isinstance(op, ReduceOp):
                InnerReduction.of(op, 1, self.memo).by_thread(b, unroll=unroll)
            elif isinstance(op, CopyOp) and unroll and not op.rearranges:
                self._copy_rows(b, op)
            else:
                each_element(b, _dims(op), self._emit(op), unroll=unroll)
            return
        threads = THREADS_OF[level.level.data]
        body = Block(arg_types=[IndexType()])
        lane = body.args[0]
        lane.name_hint = "lane" if level.level.data is Level.Warp else "thread"
        inner = LocatedBuilder.at_end(body, b.location)
        met = self.meetings.before(op)
        if met:
            inner.insert(barrier_of(level))
        if isinstance(op, ReduceOp):
            reduction = InnerReduction.of(op, threads, self.memo)
            reduction.by_level(inner, level, lane, met=met)
        else:
            _share(inner, lane, threads, _dims(op), self._emit(op))
        lanes = b.insert(ParallelOp([threads], Level.Thread, Region(body)))
        if self.meetings.after(op, lanes):
            inner.insert(barrier_of(level))

    def _emit(self, op: CopyOp | ElementwiseOp | FillOp) -> Emit:
        """What makes an element."""
        match op:
            case FillOp():
                return self._fill(op)
            case CopyOp():
                return self._copy(op)
            case ElementwiseOp():
                return self._elementwise(op)

    def _fill(self, op: FillOp) -> Emit:
        target = Elements.of(op, op.tile, _dims(op), self.memo)

        def emit(b: LocatedBuilder, at: Sequence[Value]) -> None:
            target.store(
                b,
                at,
                lambda inner: element_constant(inner, target.element, op.number, op),
            )

        return emit

    def _copy(self, op: CopyOp) -> Emit:
        dims, by = extents_of(op), op.rearrangement
        source = Elements.of(op, op.source, by.source_extents(dims), self.memo)
        target = Elements.of(op, op.destination, dims, self.memo)

        def emit(b: LocatedBuilder, at: Sequence[Value]) -> None:
            where = list(at)
            for dim, index in enumerate(at):
                where[by.source_dim(dim)] = index
            target.store(b, at, lambda inner: source.load(inner, where))

        return emit

    def _copy_rows(self, b: LocatedBuilder, op: CopyOp) -> None:
        """
        A copy from or to registers. A row that is all in range needs no other test: its
        elements are accesses that follow each other (`--vectorize-accesses`).
        """
        *outer, cols = dims = extents_of(op)
        source = Elements.of(op, op.source, dims, self.memo)
        target = Elements.of(op, op.destination, dims, self.memo)
        emit = self._copy(op)
        guards = [each.guard for each in (source, target) if each.guard is not None]
        if cols == 1 or not guards:
            each_element(b, dims, emit, unroll=True)
            return

        def plain(inner: LocatedBuilder, at: Sequence[Value]) -> None:
            inner.insert(StoreOp(source.load_inside(inner, at), target.tile, at))

        def row(inner: LocatedBuilder, at: Sequence[Value]) -> None:
            tests: list[SSAValue] = []
            for guard in guards:
                tests += guard.inside(inner, (*at, 0), 1, outer=True)
                for col in (0, cols - 1):
                    tests += guard.inside(inner, (*at, col), 1, outer=False)
            if not tests:
                each_element(inner, (cols,), emit, unroll=True, at=at)
                return
            test = all_of(inner, list(dict.fromkeys(tests)))
            with inner.if_else(test) as (whole, pieces):
                each_element(whole, (cols,), plain, unroll=True, at=at)
                each_element(pieces, (cols,), emit, unroll=True, at=at)

        each_element(b, outer, row, unroll=True)

    def _elementwise(self, op: ElementwiseOp) -> Emit:
        assert op.destination is not None
        dims = static_dims(op)
        sources = [
            Elements.of(op, value, [dims[dim] for dim in along], self.memo)
            for value, along in zip(op.inputs, op.along_dims, strict=True)
        ]
        target = Elements.of(op, op.destination, dims, self.memo)

        def made(b: LocatedBuilder, at: Sequence[Value]) -> SSAValue:
            elements = [
                source.load(b, [at[dim] for dim in along])
                for source, along in zip(sources, op.along_dims, strict=True)
            ]
            return emit_body(op, b, elements, at)

        return lambda b, at: target.store(b, at, lambda inner: made(inner, at))


def _dims(op: CopyOp | ElementwiseOp | FillOp) -> tuple[int, ...]:
    """The extents of what an op writes."""
    match op:
        case CopyOp():
            return extents_of(op)
        case ElementwiseOp():
            return static_dims(op)
        case FillOp():
            kind = tile_type(op.tile)
            if (dims := kind.static_dims) is None:
                fail(
                    op,
                    f"must fill a tile of constant extents, got {kind}",
                    hint="fill tiles by croq.subspan, or run --bind-params first",
                )
            return dims


def _elements(op: InnerOp) -> int:
    if isinstance(op, ReduceOp):
        return prod(d for d in tile_type(op.source).dims if isinstance(d, int))
    return prod(_dims(op))


def _share(
    b: LocatedBuilder, thread: SSAValue, step: int, dims: Sequence[int], emit: Emit
) -> None:
    """Every so many-th element, from that of the thread on."""
    body = Block(arg_types=[IndexType()])
    inner = LocatedBuilder.at_end(body, b.location)
    emit(inner, split_index(inner, body.args[0], dims))
    inner.insert(YieldOp([]))
    b.insert(ForeachOp(prod(dims), Region(body), lower=thread, step=step))


def _check(op: InnerOp, level: ParallelOp) -> None:
    """Refuse what only a whole scope does."""
    if isinstance(op, CopyOp):
        if op.engine.data not in (Engine.Auto, Engine.Threads):
            fail(
                op,
                "inside parallel : thread, : warp or : warpgroup must have engine "
                f"threads, got {op.engine.data.value}",
                hint="move the copy out of parallel levels",
            )
        if op.rearrangement.pads:
            fail(
                op,
                "inside parallel : thread, : warp or : warpgroup must not pad",
                hint="croq.fill the destination, and copy to a part of it",
            )
    if level.level.data is Level.Thread:
        return
    together, whom, who = Uniformity.WARP, "lanes of its warp", "lanes"
    if level.level.data is Level.Warpgroup:
        together = Uniformity.WARPGROUP
        whom, who = "threads of its warpgroup", "threads"
        _check_scope(op)
    if cause := divergent_control(op, scope_of(op).root, together):
        fail(
            op,
            f"must be executed by all {whom}, got it where they part",
            notes=[(cause[-1], "they part because of this")],
        )
    for value in _captured(op):
        if cause := divergence_chain(value, together):
            fail(
                op,
                f"must use numbers that are the same in all {whom}, got one that is "
                "not",
                hint="take the indices of the element: at (%i, ..)",
                notes=[(cause[-1], f"this differs between {who}")],
            )


def _check_scope(op: InnerOp) -> None:
    """Warpgroups meet where they are those of the block."""
    scope = scope_of(op)
    last = scope.first_thread + scope.num_threads
    if scope.first_thread % WARPGROUP_THREADS or last % WARPGROUP_THREADS:
        fail(
            op,
            f"inside parallel : warpgroup must be in a scope of whole warpgroups of "
            f"{WARPGROUP_THREADS} threads, got threads [{scope.first_thread}, {last})",
            notes=[(scope.root, "the threads are those of this op")],
        )


def _captured(op: InnerOp) -> Iterator[SSAValue]:
    """The numbers from outside that the body of a computation uses."""
    if not isinstance(op, ElementwiseOp):
        return
    inside: set[SSAValue] = set(op.body.block.args)
    for inner in op.body.block.ops:
        yield from (value for value in inner.operands if value not in inside)
        inside.update(inner.results)
