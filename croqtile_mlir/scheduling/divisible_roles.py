"""
What a role may do for each of its warpgroups to do it alone, for its part of the rows.

The accumulators are divided by rows, and with them the first operands of products and
what the results pass through. Everything else is the same for all rows: waits, second
operands, arithmetic. Whatever the role does once, for all its warpgroups together, is
refused: loads, copies between buffers, its threads one by one.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    AccType,
    AllocOp,
    CopyOp,
    ElementwiseOp,
    EventOp,
    ForeachOp,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    RoleOp,
    Space,
    TriggerOp,
    WaitOp,
    YieldOp,
    acc_type,
    tile_type,
)

_WGMMA_ROWS = 64
"""Rows that a warpgroup multiplies at a time."""

_KEPT = (
    ForeachOp,
    YieldOp,
    scf.IfOp,
    scf.YieldOp,
    MmaExecOp,
    MmaCommitOp,
    MmaWaitOp,
    MmaStoreOp,
    WaitOp,
)
"""Ops that mean the same for a part of the rows."""


def check_divisible(role: RoleOp, parts: int) -> list[AllocOp]:
    """
    The buffers that the results of a role pass through, in the order of its stores.

    A located error for what its `parts` warpgroups can't do each for itself.
    """
    stores = [op for op in role.walk() if isinstance(op, MmaStoreOp)]
    buffers = [_buffer(store, role) for store in stores]
    for op in role.walk():
        if op is role:
            continue
        for operand in op.operands:
            if isinstance(operand.type, AccType):
                _check_accumulator(op, operand, role)
        match op:
            case MmaFillOp():
                _check_rows(op, parts)
            case TriggerOp() if not op.after:
                _check_arrivals(op)
            case ElementwiseOp() if op.result is not None and op.positions is None:
                pass
            case CopyOp() if op.source.owner in buffers:
                _check_output(op)
            case _ if isinstance(op, _KEPT) or (has_no_effect(op) and not op.regions):
                pass
            case _:
                fail(
                    op,
                    "must not be in a role whose warpgroups become roles of their own: "
                    "all of them together do it once",
                    notes=[(role, "the role is here")],
                    hint="leave out --split-consumers",
                )
    return buffers


def _check_accumulator(op: Operation, acc: SSAValue, role: RoleOp) -> None:
    owner = acc.owner
    inside = owner if isinstance(owner, Operation) else owner.parent_op()
    if inside is None or not role.is_ancestor(inside):
        fail(
            op,
            "must not use an accumulator from outside its role for the role to be "
            "split",
            notes=[(role, "the role is here")],
        )


def _check_rows(fill: MmaFillOp, parts: int) -> None:
    rows = acc_type(fill.results[0]).dims[0]
    if not isinstance(rows, int):
        fail(
            fill,
            f"must have a constant number of rows to be split, got {rows}",
            hint="run --bind-params first",
        )
    if rows % (_WGMMA_ROWS * parts):
        fail(
            fill,
            f"must have a multiple of {_WGMMA_ROWS * parts} rows to be split among "
            f"{parts} warpgroups, got {rows}",
        )


def _check_arrivals(trigger: TriggerOp) -> None:
    event = trigger.event.owner
    if isinstance(event, EventOp) and event.arrivals is not None:
        fail(
            event,
            "must not state its arrivals where the role that triggers it is split",
            notes=[(trigger, "it is triggered here")],
        )


def _check_output(copy: CopyOp) -> None:
    if tile_type(copy.destination).dims[0] == DYNAMIC:
        fail(copy, "must write a constant number of rows to be split, got ?")
    if copy.rearranges:
        words = copy.rearrangement.words
        fail(copy, f"must copy elements in their order to be split, got {words}")


def _buffer(store: MmaStoreOp, role: RoleOp) -> AllocOp:
    """The buffer that a store fills, which nothing else uses but copies to outputs."""
    buffer = store.tile.owner
    if not isinstance(buffer, AllocOp):
        fail(
            store,
            "must fill a whole buffer for its role to be split",
            hint="run --split-consumers before --overlap-epilogue",
        )
    for use in buffer.tile.uses:
        op = use.operation
        if op is not store and not (
            isinstance(op, CopyOp)
            and tile_type(op.destination).memory_space is Space.Global
            and role.is_ancestor(op)
        ):
            fail(
                op,
                "must not use the buffer that the accumulators of a split role pass "
                "through: each warpgroup gets its own part of it",
                notes=[(store, "they are stored here")],
            )
    return buffer
