"""
Blocks of a grid that take turns by an event that all of them have.

    croq.foreach %c in %b to %chunks step B {
      scf.if %c_is_above_0 { croq.wait %done at %c_less_1 }
      ...                                    // the section
      croq.trigger %done at %c
    }

Each number `c` from 0 on is one turn of one block. It triggers order `c`, once, after
it has waited for `c - 1`, which the turn before triggers: by induction over `c` all
waits end, and the sections of all turns are one after the other, in all blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import kernel_of
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown
from croqtile_mlir.analysis.sync.places.block_places import Blocks
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.analysis.sync.verdicts import Undecided
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    BarrierOp,
    CopyOp,
    Engine,
    EventOp,
    ForeachOp,
    LoadOp,
    ParallelOp,
    RoleOp,
    StoreOp,
    TriggerOp,
    WaitOp,
    event_type,
)

_ZERO, _ONE = Constant(0), Constant(1)


@dataclass(frozen=True)
class Sections:
    """What is in each turn between its wait and its trigger."""

    wait: Operation
    """The condition around it, in the body of the loop."""

    trigger: TriggerOp

    def hold(self, op: Operation) -> bool:
        """Whether an access is over before the trigger, and begins after the wait."""
        match op:
            case LoadOp() | StoreOp() | AtomicOp():
                pass
            case CopyOp() if op.engine.data is Engine.Threads:
                pass
            case _:
                return False
        body = self.trigger.parent
        outer = None if body is None else body.find_ancestor_op_in_block(op)
        return (
            outer is not None
            and self.wait.is_before_in_block(outer)
            and outer.is_before_in_block(self.trigger)
        )


def sections_of(block: ParallelOp, values: Values) -> Sections | None:
    """The sections of a block, if its waits for other blocks are of that form."""
    waits = list(_waits(block))
    if len(waits) != 1 or not _is_plain(block):
        return None
    (wait,) = waits
    event = wait.event.owner
    users = [use.operation for use in wait.event.uses]
    triggers = [user for user in users if isinstance(user, TriggerOp)]
    if len(users) != 2 or len(triggers) != 1 or not isinstance(event, EventOp):
        return None
    (trigger,) = triggers
    turn = _turn(trigger, block, values)
    if turn is None or not _is_of_one_arrival(event):
        return None
    before = values.make.apply("add", turn, Constant(-1))
    if _order(trigger, values) is not turn or _order(wait, values) is not before:
        return None
    # The first turn waits for nothing: nobody triggers an order below 0.
    condition = wait.parent_op()
    if (
        not isinstance(condition, scf.IfOp)
        or condition.parent is not trigger.parent
        or wait.parent is not condition.true_region.first_block
        or not _is_above_zero(values.value(condition.cond), turn)
        or not condition.is_before_in_block(trigger)
    ):
        return None
    return Sections(condition, trigger)


def waits_for_blocks(block: ParallelOp, values: Values) -> Undecided | None:
    """Why it is not told whether waits for other blocks end."""
    wait = next(_waits(block), None)
    if wait is None or sections_of(block, values) is not None:
        return None
    return Undecided(
        wait,
        "it waits for arrivals of other blocks of the grid, which are not "
        "followed; all else is proved",
        "blocks that take turns are followed: the simulator runs all blocks, and tells "
        "when they wait for ever",
    )


def _waits(block: ParallelOp) -> Iterator[WaitOp]:
    for op in block.walk():
        if isinstance(op, WaitOp) and event_type(op.event).is_of_grid:
            yield op


def _is_plain(block: ParallelOp) -> bool:
    """Whether nothing else in the kernel waits for other blocks or roles."""
    kernel = kernel_of(block)
    if any(isinstance(op, RoleOp) for op in block.walk()):
        return False
    return sum(_is_of_grid(op) for op in kernel.walk()) == 1


def _is_of_grid(op: Operation) -> bool:
    match op:
        case EventOp():
            return event_type(op.event).is_of_grid
        case BarrierOp():
            return op.grid is not None
        case _:
            return False


def _is_of_one_arrival(event: EventOp) -> bool:
    arrivals = event.arrivals
    if event.ready is not None or not isinstance(arrivals, IntAttr):
        return False
    return arrivals.data == 1


def _turn(trigger: TriggerOp, block: ParallelOp, values: Values) -> Expr | None:
    """The number of a turn: each is one of one block, from 0 on without gaps."""
    loop = trigger.parent_op()
    if not isinstance(loop, ForeachOp) or loop.parent is not block.body.first_block:
        return None
    blocks = Blocks.of(block, values)
    parent = block.parent_op()
    if isinstance(parent, ParallelOp) or len(block.body.block.args) != 1:
        return None
    index = values.index(loop.lower, loop)
    if index not in blocks.own or values.value(block.body.block.args[0]) is not index:
        return None
    if values.index(loop.step, loop) != blocks.own[index]:
        return None
    # All blocks have the same last turn.
    last = set(parts_of(values.index(loop.upper, loop)))
    if any(isinstance(part, Unknown) for part in last):
        return None
    differ = {*blocks.own, *blocks.changing}
    if not last.isdisjoint(differ):
        return None
    return values.value(loop.body.block.args[0])


def _order(op: WaitOp | TriggerOp, values: Values) -> Expr | None:
    position = op.position
    if position.by_slot or position.every or position.column is not None:
        return None
    base, offset = (values.index(v, op) for v in (position.base, position.offset))
    return values.make.apply("add", base, offset)


def _is_above_zero(condition: Expr, turn: Expr) -> bool:
    match condition:
        case Apply("gt" | "ne", (a, b)):
            return a is turn and b == _ZERO
        case Apply("ge", (a, b)):
            return a is turn and b == _ONE
        case Apply("lt", (a, b)):
            return b is turn and a == _ZERO
        case _:
            return False
