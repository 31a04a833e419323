"""
Loops whose loads can run ahead of what reads them, and what in them is what.

Such a loop copies global tiles to shared buffers, and `mma.exec` in it reads one of
them, or its threads do. Its loads may be made earlier by others when the buffers hold
nothing but what each iteration loads, and when nothing that the block writes is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from croqtile_mlir.analysis.tma_rules import (
    why_not_global,
    why_not_in_order,
    why_not_known,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Engine,
    ForeachOp,
    LoadOp,
    MmaExecOp,
    MmaStoreOp,
    MmaWaitOp,
    ParallelOp,
    StoreOp,
    ViewOp,
    root_of,
)
from croqtile_mlir.lowering.future_completions import is_load


@dataclass(frozen=True)
class PipelinedLoop:
    """A loop whose loads can run ahead of its products."""

    loop: ForeachOp
    loads: tuple[CopyOp, ...]
    """The copies from global memory, in order; they are directly in the loop."""

    last_read: Operation
    """The op of the body after which no buffer of the loads is read any more."""


def buffer_of(load: CopyOp) -> AllocOp:
    """The buffer that a load fills."""
    owner = load.destination.owner
    if not isinstance(owner, AllocOp):
        fail(load, "must fill a whole buffer to run ahead")
    return owner


def is_by_threads(load: CopyOp) -> bool:
    """Whether threads make a load, as far as is known before layouts are."""
    engine = load.engine.data
    if engine is not Engine.Auto:
        return engine is not Engine.Tma
    return (
        why_not_in_order(load) or why_not_global(load.source) or why_not_known(load)
    ) is not None


def find_pipelined_loops(block: ParallelOp) -> list[PipelinedLoop]:
    """
    The loops of a block whose products can be pipelined, in order; of nested ones the
    inner.

    One that cannot be, though it loads what it multiplies, is a located error.
    """
    return _find(block, products=True)


def find_loops_of_threads(block: ParallelOp) -> list[PipelinedLoop]:
    """The loops whose loads threads read, likewise; with products there are none."""
    return _find(block, products=False)


def _find(block: ParallelOp, *, products: bool) -> list[PipelinedLoop]:
    found: list[ForeachOp] = []
    for op in block.body.walk(region_first=True):
        if isinstance(op, ForeachOp) and _reads_loads(op, products):
            if not any(op.is_ancestor(inner) for inner in found):
                found.append(op)
    _check_filled_once(found)
    return [_analysed(loop, block) for loop in found]


def _check_filled_once(loops: Sequence[ForeachOp]) -> None:
    filled: dict[SSAValue, Operation] = {}
    for load in (op for loop in loops for op in loop.body.block.ops if is_load(op)):
        other = filled.setdefault(root_of(load.operands[1]), load)
        if other is not load:
            fail(
                load,
                "must be the only load of its buffer to run ahead",
                hint="give each loop buffers of its own",
                notes=[(other, "it is filled here too")],
            )


def _reads_loads(loop: ForeachOp, products: bool) -> bool:
    """Whether products in a loop, or its threads, read what it loads directly."""
    filled = {root_of(op.operands[1]) for op in loop.body.block.ops if is_load(op)}
    return any(
        root_of(tile) in filled
        for op in loop.body.walk()
        for tile in _read(op, products)
    )


def _read(op: Operation, products: bool) -> Sequence[SSAValue]:
    match op:
        case MmaExecOp():
            return (op.a, op.b) if products else ()
        case LoadOp():
            return () if products else (op.tile,)
        case _:
            return ()


def _analysed(loop: ForeachOp, block: ParallelOp) -> PipelinedLoop:
    loads: list[CopyOp] = []
    for op in loop.body.block.ops:
        if not is_load(op):
            continue
        if not isinstance(op, CopyOp):
            fail(
                op,
                "in a loop to be pipelined must be croq.copy, got croq.copy_async",
                hint="the pass makes the copies asynchronous itself",
            )
        _check_load(op, block)
        loads.append(op)
    reads = [_check_uses(load, loop) for load in loads]
    last_read = _last_read([op for some in reads for op in some], loop)
    _check_nest(loop, block)
    return PipelinedLoop(loop, tuple(loads), last_read)


def _check_load(load: CopyOp, block: ParallelOp) -> None:
    buffer = load.destination.owner
    if not isinstance(buffer, AllocOp):
        fail(
            load,
            "must fill a whole buffer to run ahead, got a part of one",
            hint="alloc a buffer of the shape of the copied tile",
            notes=[(root_of(load.destination).owner, "the buffer is here")],
        )
    if buffer.parent_op() is not block:
        fail(buffer, "that a load fills ahead must be directly in the block")
    source = root_of(load.source)
    for op in block.body.walk():
        written = _written(op)
        if written is not None and root_of(written) is source:
            fail(
                load,
                "must read what the block does not write to run ahead of its products",
                notes=[(op, "it is written here")],
            )


def _written(op: Operation) -> SSAValue | None:
    match op:
        case CopyOp() | CopyAsyncOp():
            return op.destination
        case StoreOp() | MmaStoreOp():
            return op.tile
        case _:
            return None


def _users(tile: SSAValue) -> Iterator[Operation]:
    """The ops that use a tile or a view of it, views left out."""
    for use in tile.uses:
        if isinstance(use.operation, ViewOp | DataOp):
            yield from _users(use.operation.results[0])
        else:
            yield use.operation


def _check_uses(load: CopyOp, loop: ForeachOp) -> list[Operation]:
    """The ops that read what a load loads; all in the loop and after the load."""
    body = loop.body.block
    reads: list[Operation] = []
    notes = [(load, "it is filled here")]
    for op in _users(load.destination):
        if op is load:
            continue
        top = body.find_ancestor_op_in_block(op)
        if top is None:
            fail(
                op,
                "must be in the loop that fills its buffer, for the loads to run ahead",
                hint="copy what is needed later to another buffer in the loop",
                notes=notes,
            )
        if not load.is_before_in_block(top):
            fail(
                op,
                "must come after the load of its buffer, got a use of what the "
                "iteration before has loaded",
                notes=notes,
            )
        if op.has_trait(IsTerminator) or isinstance(op, ForeachOp):
            fail(op, "must not hand on a buffer that is loaded ahead", notes=notes)
        if _writes(op, load):
            fail(
                op,
                "must not write a buffer that is loaded ahead",
                hint="write the result to a buffer of its own",
                notes=notes,
            )
        if isinstance(op, CopyAsyncOp):
            fail(
                op,
                "must be croq.copy where it reads a buffer that is loaded ahead",
                notes=notes,
            )
        reads.append(op)
    return reads


def _writes(op: Operation, load: CopyOp) -> bool:
    written = op.operands[1] if op.name == "croq.mma.store" else _written(op)
    return written is not None and root_of(written) is load.destination


def _last_read(reads: list[Operation], loop: ForeachOp) -> Operation:
    body = loop.body.block
    last: Operation | None = None
    for op in reads:
        over = body.find_ancestor_op_in_block(op)
        if isinstance(op, MmaExecOp):
            over = _settled(op, body)
        if over is not None and (last is None or last.is_before_in_block(over)):
            last = over
    if last is None:
        fail(loop, "must read what it loads, to be pipelined")
    return last


def _settled(product: MmaExecOp, body: Block) -> MmaWaitOp:
    """The first op of a body that waits for a product in it."""
    op = body.find_ancestor_op_in_block(product)
    while op is not None:
        op = op.next_op
        if isinstance(op, MmaWaitOp) and op.in_flight.data == 0:
            return op
    fail(
        product,
        "must be waited for in the loop that loads its operands",
        hint="put croq.mma.commit and croq.mma.wait .. in_flight 0 after it; "
        "in_flight=1 of the pass keeps one group in flight",
    )


def _check_nest(loop: ForeachOp, block: ParallelOp) -> None:
    parent = loop.parent_op()
    while parent is not block:
        if not isinstance(parent, ForeachOp):
            fail(
                loop,
                "to be pipelined must be inside loops of its block only, got it "
                f"inside {'nothing' if parent is None else parent.name}",
                notes=[] if parent is None else [(parent, "that is here")],
            )
        parent = parent.parent_op()
