"""
Accesses to shared memory that no barrier has ordered yet, and what becomes of them.

A state is a set of accesses. These functions say what ops, loops and barriers make of
it; walking the program is up to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.carried import entering
from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.linear import linear
from croqtile_mlir.analysis.shared_accesses import (
    Access,
    Counted,
    Flight,
    Grouped,
    Kind,
    is_inside,
)
from croqtile_mlir.dialects.croq import (
    AwaitLoadsOp,
    AwaitOp,
    AwaitStoresOp,
    CommitLoadsOp,
    CopyAsyncOp,
    ForeachOp,
    MmaCommitOp,
    MmaWaitOp,
)

State = frozenset[Access]
"""The accesses that other threads of the scope may not have seen the end of."""

_OLDEST = 8
"""The age at which all groups, or stores, count alike: no wait asks for more."""


def conflicts(before: Access, after: Access) -> bool:
    """Whether a barrier must come between two accesses, the first of them complete."""
    if before.flight is not None or not before.may_touch(after):
        return False
    if not (before.kind.is_write or after.kind.is_write):
        return False
    if before.strong and after.strong:
        return False
    return not before.same_thread(after)


def after_barrier(state: State) -> State:
    """A barrier orders what is complete, not what is in flight."""
    return frozenset(access for access in state if access.flight is not None)


def _change_flights(state: State, change: Callable[[Flight], Flight | None]) -> State:
    return frozenset(
        access
        if access.flight is None
        else replace(access, flight=change(access.flight))
        for access in state
    )


def after_op(op: Operation, state: State) -> State:
    """The effect of an op that completes accesses, or closes a group of them."""
    match op:
        case MmaCommitOp():
            return _change_flights(
                state, lambda f: min(f + 1, _OLDEST) if isinstance(f, int) else f
            )
        case MmaWaitOp():
            left = op.in_flight.data
            return _change_flights(
                state, lambda f: None if isinstance(f, int) and f >= left else f
            )
        case CopyAsyncOp() if is_counted(op):
            return _change_flights(
                state,
                lambda f: (
                    Counted(min(f.later + 1, _OLDEST)) if isinstance(f, Counted) else f
                ),
            )
        case AwaitStoresOp():
            left = op.in_flight.data
            return _change_flights(
                state,
                lambda f: None if isinstance(f, Counted) and f.later >= left else f,
            )
        case CommitLoadsOp():
            return _change_flights(
                state,
                lambda f: (
                    Grouped(min(f.later + 1, _OLDEST)) if isinstance(f, Grouped) else f
                ),
            )
        case AwaitLoadsOp():
            left = op.in_flight.data
            return _change_flights(
                state,
                lambda f: None if isinstance(f, Grouped) and f.later >= left else f,
            )
        case AwaitOp():
            return _change_flights(state, lambda f: None if f is op.future else f)
        case _:
            return state


def with_accesses(state: State, accesses: Iterable[Access]) -> State:
    """The state after more accesses."""
    # What TMA has loaded is ordered by the event that says so.
    loaded = {True: Kind.ELECTED_READ, False: Kind.ELECTED_WRITE}
    return state | {a for a in accesses if a.kind is not loaded[a.is_global]}


def after_regions(op: Operation, state: State) -> State:
    """Outside an op its own values name no stage any more."""
    return frozenset(
        replace(access, slot=None)
        if access.slot is not None and is_inside(access.slot.base, op)
        else access
        for access in state
    )


def next_iteration(op: Operation, state: State) -> State:
    """What the accesses of an iteration are in terms of the values of the next."""
    steps: dict[SSAValue, int] = {}
    if isinstance(op, ForeachOp) and isinstance(op.step, int):
        steps[op.induction] = op.step
    for carried in entering(op):
        inside, following = carried.names[0], carried.others[0]
        form = linear(following)
        if form.terms == ((inside, 1),):
            steps[inside] = form.constant

    def move(access: Access) -> Access:
        slot = access.slot
        if slot is None or not is_inside(slot.base, op):
            return access
        if isinstance(slot.base, SSAValue) and slot.base in steps:
            return replace(access, slot=slot.moved(-steps[slot.base]))
        return replace(access, slot=None)

    return frozenset(move(access) for access in state)
