"""
Accesses of single threads to neighbours of a row, as accesses of several elements.

A run is loads, or stores, of one row of a tile at constant columns that follow each
other. Loads go to the place of the first of them, stores to that of the last: nothing
in between may touch the same memory the other way, nor order threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    LoadOp,
    Space,
    StoreOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.elementwise import computes_with
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.dma_vectors import (
    is_aligned,
    row_alignment,
)
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder, constant_value

Access = LoadOp | StoreOp
Run = list[Access]


def runs_in(root: Operation) -> Iterator[Run]:
    """The runs of two or more accesses in an op, block by block."""
    for op in list(root.walk()):
        for region in op.regions:
            for block in region.blocks:
                yield from _Runs().of(block)


@dataclass
class _Runs:
    """Follows the accesses of a block."""

    open: dict[object, Run] = field(default_factory=dict[object, "Run"])

    def of(self, block: Block) -> Iterator[Run]:
        for op in block.ops:
            match op:
                case LoadOp() | StoreOp() if _space(op) is Space.Register:
                    continue
                case LoadOp() | StoreOp() if op.order is None:
                    yield from self._access(op)
                case _ if not has_no_effect(op):
                    yield from self._closed(list(self.open))
                case _:
                    continue
        yield from self._closed(list(self.open))

    def _access(self, op: Access) -> Iterator[Run]:
        key, col = _row(op), _column(op)
        run = self.open.get(key)
        follows = run is not None and col is not None and _column(run[-1]) == col - 1
        for other, known in list(self.open.items()):
            reads = isinstance(op, LoadOp) and isinstance(known[0], LoadOp)
            if other == key and follows:
                continue
            if other == key or (_space(known[0]) is _space(op) and not reads):
                yield from self._closed([other])
        if run is not None and follows:
            run.append(op)
        elif col is not None and _is_candidate(op):
            self.open[key] = [op]

    def _closed(self, keys: Sequence[object]) -> Iterator[Run]:
        for key in keys:
            run = self.open.pop(key)
            if len(run) > 1:
                yield run


def _is_candidate(op: Access) -> bool:
    kind = tile_type(op.tile)
    known = all(isinstance(dim, int) and dim > 0 for dim in kind.dims)
    return known and computes_with(kind.element_type) and scope_of(op).per_thread


def _space(op: Access) -> Space:
    return tile_type(op.tile).memory_space


def _known(index: Index) -> Index:
    if isinstance(index, SSAValue):
        value = constant_value(index)
        return index if value is None else value
    return index


def _row(op: Access) -> object:
    """Equal for accesses of one kind to one row."""
    return type(op), op.tile, tuple(map(_known, op.index_values[:-1]))


def _column(op: Access) -> int | None:
    col = _known(op.index_values[-1])
    return col if isinstance(col, int) else None


def merge(run: Run, memo: MemoBuilder) -> None:
    """
    Make a run accesses of up to 16 bytes, as far as the tile is known to be aligned; in
    global memory where a test at run time says so, else element by element.
    """
    first, size = run[0], tile_type(run[0].tile).element_bytes
    parts = _cut(run, row_alignment(first, first.tile))
    widest = max(map(len, parts))
    if widest == 1:
        return
    anchor = first if isinstance(first, LoadOp) else run[-1]
    memo.move_before(anchor)
    if _space(first) is Space.Shared:
        values = _emit(memo.builder, parts)
    else:
        aligned = is_aligned(memo, anchor, first.tile, widest * size)
        values = _either(memo.builder, aligned, run, parts)
    for op, value in zip(run, values or [None] * len(run), strict=True):
        if value is not None:
            value.name_hint = op.results[0].name_hint
            op.results[0].replace_all_uses_with(value)
        op.detach()
        op.erase()


def _cut(run: Run, alignment: int) -> list[Run]:
    """Parts, each as wide an access as its first column and the alignment allow."""
    size = tile_type(run[0].tile).element_bytes
    parts: list[Run] = []
    rest = run
    while rest:
        col, lanes = _column(rest[0]) or 0, VECTOR_BYTES // size
        while lanes > 1 and (
            lanes > len(rest) or col % lanes or alignment % (lanes * size)
        ):
            lanes //= 2
        parts.append(rest[:lanes])
        rest = rest[lanes:]
    return parts


def _either(
    b: LocatedBuilder, aligned: SSAValue, run: Run, parts: Sequence[Run]
) -> list[SSAValue]:
    """The parts where they are aligned, else the accesses one by one."""
    regions: list[Region] = []
    for each in (parts, [[op] for op in run]):
        block = Block()
        side = LocatedBuilder.at_end(block, b.location)
        side.insert(scf.YieldOp(*_emit(side, each)))
        regions.append(Region(block))
    types = [op.value.type for op in run if isinstance(op, LoadOp)]
    branch = scf.IfOp(aligned, types, regions[0], regions[1])
    return list(b.insert(branch).output)


def _emit(b: LocatedBuilder, parts: Sequence[Run]) -> list[SSAValue]:
    """Accesses of whole parts; the values that are loaded."""
    values: list[SSAValue] = []
    for part in parts:
        # A constant may be defined between the accesses: its number is used.
        first, at = part[0], tuple(map(_known, part[0].index_values))
        if len(part) == 1:
            if isinstance(first, LoadOp):
                values.append(b.insert(LoadOp(first.tile, at)).value)
            else:
                b.insert(StoreOp(first.value, first.tile, at))
            continue
        element = tile_type(first.tile).element_type
        kind = VectorType(element, [len(part)])
        size = tile_type(first.tile).element_bytes * len(part)
        pointer = b.insert(AddressOp(first.tile, at)).pointer
        if isinstance(first, LoadOp):
            value = b.insert(llvm.LoadOp(pointer, kind, alignment=size)).result
            values += [
                b.insert(llvm.ExtractElementOp(value, b.i32(lane))).result
                for lane in range(len(part))
            ]
            continue
        value = b.insert(llvm.UndefOp(kind)).result
        for lane, op in enumerate(part):
            if isinstance(op, StoreOp):
                insert = llvm.InsertElementOp(value, op.value, b.i32(lane))
                value = b.insert(insert).result
        b.insert(llvm.StoreOp(value, pointer, alignment=size))
    return values
