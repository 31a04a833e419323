"""
Roles in which one thread does everything: their other threads need not wait.

They must not, even: nobody waits for them, so that a phase could complete twice before
a slow one of them has tested it, and it would wait for ever.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from croqtile_mlir.dialects.croq import (
    AwaitOp,
    AwaitStoresOp,
    BarrierOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    ForeachOp,
    ReturnOp,
    RoleOp,
    TriggerOp,
    WaitOp,
    YieldOp,
    event_type,
)

_STRUCTURE = (ForeachOp, YieldOp, scf.ForOp, scf.IfOp, scf.YieldOp)


def is_elected_only(role: RoleOp) -> bool:
    """
    Whether only the elected thread of a role issues anything, or accesses memory.

    That is: its ops are TMA copies, waits, triggers and arithmetic, and nothing after
    it in the block relies on what the role has waited for. Its thread makes all of its
    arrivals, too.
    """
    ops = list(role.body.walk())
    return (
        any(isinstance(op, CopyOp | CopyAsyncOp) for op in ops)
        and all(_is_elected(op) for op in ops)
        and _is_last(role)
    )


def _is_elected(op: Operation) -> bool:
    match op:
        case WaitOp() | TriggerOp():
            # All threads learn of what other blocks did, or have to be done.
            return not event_type(op.event).is_of_grid
        case AwaitOp() | AwaitStoresOp():
            return True
        case CopyOp() | CopyAsyncOp():
            return op.engine.data is Engine.Tma
        case _:
            # Not all of arith is marked as free of effects.
            return (
                isinstance(op, _STRUCTURE)
                or op.name.startswith("arith.")
                or is_side_effect_free(op)
            )


def _is_last(role: RoleOp) -> bool:
    """
    Whether nothing but other roles follows in the block, and the barrier of the cluster
    that keeps it alive for its peers.
    """
    following = role.next_op
    while following is not None:
        if not isinstance(following, RoleOp | ReturnOp | YieldOp):
            keeps_alive = isinstance(following, BarrierOp) and following.cluster
            if not keeps_alive and not is_side_effect_free(following):
                return False
        following = following.next_op
    return True
