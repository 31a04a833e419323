"""
What completes a copy: the one use of its future, and what its engine can do.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.counted_loads import commits_loads, is_grouped
from croqtile_mlir.analysis.counted_stores import waits_for_stores
from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.analysis.uniformity import inner_level
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AwaitOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    Space,
    TriggerOp,
    tile_type,
)


def is_load(op: Operation) -> bool:
    """Whether an op is a copy from global to shared memory."""
    return (
        isinstance(op, CopyOp | CopyAsyncOp)
        and tile_type(op.source).memory_space is Space.Global
        and tile_type(op.destination).memory_space is Space.Shared
    )


def is_store(op: CopyOp | CopyAsyncOp) -> bool:
    """Whether a copy goes to global memory."""
    return tile_type(op.destination).memory_space is Space.Global


def check_engine(op: CopyOp | CopyAsyncOp) -> None:
    """Refuse a copy whose engine is open, or can't do what it is asked to."""
    engine = op.engine.data
    if engine is Engine.Auto:
        fail(op, "must have an engine, got auto", hint="run --select-engines first")
    if engine is Engine.CpAsync:
        if not is_load(op):
            spaces = (tile_type(t).memory_space for t in (op.source, op.destination))
            fail(
                op,
                "with engine cp_async must copy global to shared memory, got "
                + " to ".join(space.value for space in spaces),
                hint="use engine(threads)",
            )
    if engine is Engine.Tma:
        if not (is_load(op) or is_store(op)):
            fail(
                op,
                "with engine tma must copy between global and shared memory, got "
                "shared to shared",
                hint="use engine(threads)",
            )
        if (inner := inner_level(op)) is not None:
            fail(
                op,
                "with engine tma must be executed by the whole scope, got it inside "
                f"parallel : {inner.level.data.value}",
                notes=[(inner, "the level is here")],
            )


def start_of(future: SSAValue, user: Operation) -> CopyAsyncOp:
    """The copy that a future stands for."""
    if not isinstance(future.owner, CopyAsyncOp):
        fail(
            user,
            "future must be the result of croq.copy_async, got a value that is "
            "carried by a loop or a condition",
            hint="await it, or bind it to an event, in the block that starts the copy",
        )
    return future.owner


def completion_of(copy: CopyAsyncOp) -> AwaitOp | TriggerOp | None:
    """
    What the future of a copy is used for; a located error unless it is one thing.

    None for a store that the scope counts, and for a load of a group.
    """
    users: list[AwaitOp | TriggerOp] = []
    for use in copy.future.uses:
        user = use.operation
        if not isinstance(user, AwaitOp | TriggerOp):
            fail(
                user,
                "must not carry a future, got the one of a copy",
                hint="await it, or bind it to an event, in the block of the copy",
                notes=[(copy, "the copy is started here")],
            )
        users.append(user)
    if not users:
        if is_store(copy) and waits_for_stores(copy):
            return None
        if is_grouped(copy) and commits_loads(copy):
            return None
        fail(
            copy,
            "must be awaited or bound to an event, got a future that is dropped",
            hint="croq.await %f, or croq.trigger %event at %order after %f",
        )
    if len(users) > 1:
        place = {op: number for number, op in enumerate(block_of(copy).walk())}
        users.sort(key=lambda user: place.get(user, 0))
    first, *more = users
    for user in more:
        fail(
            user,
            "must be the only completion of its future, got a second one",
            notes=[
                (copy, "the copy is started here"),
                (first, "its future is used here"),
            ],
        )
    if first.parent_block() is not copy.parent_block():
        fail(
            first,
            "must be in the block of its copy, got it in another region",
            notes=[(copy, "the copy is started here")],
        )
    if isinstance(first, TriggerOp) and copy.engine.data is Engine.Tma:
        if not is_load(copy):
            fail(
                first,
                "must come after loads to shared memory, got a TMA store",
                hint="croq.await the store, then trigger",
                notes=[(copy, "the store is started here")],
            )
    return first
