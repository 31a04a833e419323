"""
`--unroll-loops`: unrolling of loops, on request and around wgmma and registers.

`foreach .. unroll` is unrolled fully, `foreach .. unroll n` by n iterations, with a
loop for what is left over. A loop of at most 32 iterations that slices an operand of
`mma.exec` by its index, or names elements of a register tile by it, and has neither
`wait` nor `trigger` is unrolled fully without being marked: the slices then start at
constants, the products of a tile become one group of wgmma, and each element a register
of its own. The index becomes an integer in the index operands of the copies of the
body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.reached import reached
from croqtile_mlir.analysis.register_elements import is_private
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    ForeachOp,
    KernelOp,
    LoadOp,
    MmaExecOp,
    SlotOp,
    StoreOp,
    TriggerOp,
    ViewOp,
    WaitOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.index_operands import fold_indices
from croqtile_mlir.lowering.partial_unrolling import unroll_by
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

MAX_SLICES = 32
"""Most iterations of a loop that is unrolled without being marked."""

MAX_UNROLLED = 1024
"""Most iterations of a loop that is marked."""

MAX_OPS = 1 << 16
"""Most ops that the unrolling of a kernel writes."""


def depends_on(value: SSAValue, source: SSAValue) -> bool:
    """Whether a value is computed from another by ops without regions."""
    return any(each is source for each in reached(value, _operands))


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def _slices(op: Operation, index: SSAValue) -> bool:
    """
    Whether an index says which part of a tile an operand of products is (not: which
    stage), or which element of a register tile is accessed.
    """
    match op:
        case MmaExecOp():
            return _slices_tiles((op.a, op.b), index)
        case LoadOp() | StoreOp() if is_private(op.tile):
            return any(depends_on(i, index) for i in op.indices) or _slices_tiles(
                (op.tile,), index
            )
        case _:
            return False


def _slices_tiles(tiles: Sequence[SSAValue], index: SSAValue) -> bool:
    for tile in tiles:
        view = tile.owner
        while isinstance(view, ViewOp):
            if (not isinstance(view, SlotOp) or is_private(tile)) and any(
                depends_on(position, index) for position in view.operands[1:]
            ):
                return True
            view = view.viewed.owner
    return False


def is_slice_loop(loop: ForeachOp) -> bool:
    """
    Whether a loop is a short one over slices of operands or elements of registers, to
    be unrolled.
    """
    trips = loop.trip_count
    if trips is None or trips > MAX_SLICES:
        return False
    ops = list(loop.body.walk())
    if any(isinstance(op, WaitOp | TriggerOp) for op in ops):
        return False
    return any(_slices(op, loop.induction) for op in ops)


def unroll(loop: ForeachOp) -> None:
    """Replace a loop of constant bounds by copies of its body."""
    lower, step, trips = loop.lower, loop.step, loop.trip_count
    if not (isinstance(lower, int) and isinstance(step, int)) or trips is None:
        fail(loop, "must have constant bounds to be unrolled")
    if trips > MAX_UNROLLED:
        fail(
            loop,
            f"must have at most {MAX_UNROLLED} iterations to be unrolled, got {trips}",
        )
    builder = LocatedBuilder.before(loop)
    induction, *names = loop.body.block.args
    carried = list(loop.iter_args)
    yielded = loop.yielded
    for trip in range(trips):
        mapper: dict[SSAValue, SSAValue] = dict(zip(names, carried, strict=True))
        mapper[induction] = builder.index(lower + trip * step)
        for op in loop.body.block.ops:
            if op is not yielded:
                builder.insert(op.clone(mapper))
        carried = [mapper.get(value, value) for value in yielded.arguments]
    replace_values(loop, carried)


def _bounds(loop: ForeachOp) -> str:
    def text(index: Index) -> str:
        if not isinstance(index, SSAValue):
            return str(index)
        return f"%{index.name_hint}" if index.name_hint else "a value"

    return f"{text(loop.lower)} to {text(loop.upper)} step {text(loop.step)}"


def _ready(loops: Sequence[ForeachOp]) -> list[ForeachOp]:
    """The loops to unroll now; of nested ones the outer, which may bind the inner."""
    found: list[ForeachOp] = []
    inside: set[Operation] = set()
    for loop in loops:
        trips, by = loop.trip_count, loop.unrolling
        marked = trips is not None and (by is True or (by and trips <= by))
        slices = by is False and is_slice_loop(loop)
        if loop not in inside and (marked or slices):
            found.append(loop)
            inside.update(loop.body.walk())
    return found


def unroll_loops(kernel: KernelOp) -> None:
    """Unroll the loops of a kernel that are marked or slice operands."""
    written = 0
    while True:
        fold_indices(kernel)
        loops = [op for op in kernel.walk() if isinstance(op, ForeachOp)]
        ready = _ready(loops)
        if not ready:
            break
        for loop in ready:
            written = _counted(loop, loop.trip_count or 0, written)
            unroll(loop)
    for loop in loops:
        if loop.unrolling is True:
            fail(
                loop,
                f"marked unroll must have constant bounds, got {_bounds(loop)}",
                hint="bounds that a dim of the kernel gives are known at launch only; "
                "unroll n takes any",
            )
    # The outer ones first: what is left over of them holds the inner ones, too.
    while loop := next(_marked_by(kernel), None):
        factor = int(loop.unrolling)
        if factor == 1:
            loop.properties.pop("unroll")
            continue
        written = _counted(loop, factor, written)
        unroll_by(loop, factor)
        fold_indices(kernel)


def _marked_by(kernel: KernelOp) -> Iterator[ForeachOp]:
    """The loops that are unrolled by a number of iterations."""
    for op in kernel.walk():
        if isinstance(op, ForeachOp) and op.unrolling:
            yield op


def _counted(loop: ForeachOp, copies: int, written: int) -> int:
    """What was written with so many copies of a body; a located error: too much."""
    written += copies * sum(1 for _ in loop.body.walk())
    if written > MAX_OPS:
        fail(
            loop,
            f"must leave at most {MAX_OPS} ops in the kernel when unrolled, got "
            f"{written}",
            hint="unroll the inner loop only",
        )
    return written


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """
    Unroll loops that are marked `unroll`, and short ones over slices of operands or
    elements of registers.
    """

    name = "unroll-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.walk() if isinstance(k, KernelOp)]:
            unroll_loops(kernel)
