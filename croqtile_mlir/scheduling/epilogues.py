"""
Epilogues: an accumulator goes to a shared tile, and that to the output.

Such a pair can be made panel by panel, by stores that run on while the scope does what
comes next, when the tile is a buffer of its own and nothing reads the output meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.tma_rules import why_not_known
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    LoadOp,
    MmaStoreOp,
    ParallelOp,
    RoleOp,
    Space,
    acc_type,
    root_of,
    tile_type,
)
from croqtile_mlir.scheduling.counts import loops_around
from croqtile_mlir.scheduling.needed_ops import has_effect


@dataclass(frozen=True)
class Epilogue:
    """The ops of one epilogue."""

    store: MmaStoreOp
    copy: CopyOp
    buffer: AllocOp


def find_epilogues(block: ParallelOp) -> list[Epilogue]:
    """
    The epilogues of a block, in order.

    One that can't be made panel by panel is a located error.
    """
    found = [
        Epilogue(op, copy, buffer)
        for op in block.walk()
        if isinstance(op, MmaStoreOp)
        and isinstance(buffer := op.tile.owner, AllocOp)
        and (copy := _copy_out(op, buffer)) is not None
    ]
    for epilogue in found:
        _check_extents(epilogue)
        _check_order(epilogue)
        _check_nest(epilogue)
        _check_output(epilogue, block)
    return found


def _copy_out(store: MmaStoreOp, buffer: AllocOp) -> CopyOp | None:
    """The copy that is the only other use of the tile that is stored to."""
    others = [u.operation for u in buffer.tile.uses if u.operation is not store]
    match others:
        case [CopyOp() as copy] if (
            tile_type(copy.destination).memory_space is Space.Global
            and not copy.rearranges
        ):
            return copy
        case _:
            return None


def _check_extents(epilogue: Epilogue) -> None:
    dims = acc_type(epilogue.store.acc).dims
    if not all(isinstance(dim, int) for dim in dims):
        fail(
            epilogue.store,
            "must store an accumulator of constant extents to be cut in panels, got "
            f"{epilogue.store.acc.type}",
            hint="run --bind-params first",
        )


def _check_order(epilogue: Epilogue) -> None:
    """Nothing but arithmetic between the two ops."""
    store, copy = epilogue.store, epilogue.copy
    op = store.next_op
    while op is not None and op is not copy:
        if has_effect(op) or op.regions:
            fail(
                op,
                "must not be between the store of an accumulator and the copy to the "
                "output, which have to be one",
                notes=[(store, "the store is here"), (copy, "the copy is here")],
            )
        op = op.next_op
    if op is None:
        fail(
            copy,
            "must come after the store of the accumulator, in its block",
            notes=[(store, "the store is here")],
        )
    engine = copy.engine.data
    if engine is Engine.Tma and (reason := why_not_known(copy)) is not None:
        fail(
            copy,
            "with engine tma must store to rows that are known to end at 16 bytes: "
            f"{reason}",
            hint="declare the inner dim with multiple_of, or leave the engine open",
        )


def _check_nest(epilogue: Epilogue) -> None:
    loops = loops_around(epilogue.copy)
    around = (loops[0] if loops else epilogue.copy).parent_op()
    if not isinstance(around, RoleOp | ParallelOp):
        fail(
            epilogue.copy,
            "must be inside loops of its role or block only, got it inside "
            f"{'nothing' if around is None else around.name}",
            notes=[] if around is None else [(around, "that is here")],
        )


def _check_output(epilogue: Epilogue, block: ParallelOp) -> None:
    """Nothing reads what is stored: it would have to wait for it."""
    output = root_of(epilogue.copy.destination)
    for op in block.walk():
        if any(root_of(tile) is output for tile in _read(op)):
            fail(
                op,
                "must not read the output, which is stored while the block goes on",
                notes=[(epilogue.copy, "it is stored here")],
            )


def _read(op: Operation) -> list[SSAValue]:
    match op:
        case CopyOp() | CopyAsyncOp():
            return [op.source]
        case LoadOp():
            return [op.tile]
        case _:
            return []
