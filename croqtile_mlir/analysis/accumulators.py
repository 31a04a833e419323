"""
How far the products of an accumulator are: read it, or wait for it first.

`mma.exec` leaves them open, `mma.commit` puts them in a group that is in flight, and
`mma.wait in_flight 0` settles them. Loops and conditionals hand all that on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    ForeachOp,
    MmaCommitOp,
    MmaExecOp,
    MmaStoreOp,
    MmaWaitOp,
)


class Progress(IntEnum):
    """The stages of an accumulator; the larger, the more is still to be done."""

    SETTLED = 0
    """No product is in flight: it may be read."""

    IN_FLIGHT = 1
    """Every product is in a group that was committed."""

    OPEN = 2
    """Some product is in no group yet."""


@dataclass(frozen=True)
class Standing:
    """The progress of an accumulator, and the op because of which it isn't further."""

    progress: Progress
    because: Operation | None = None


_SETTLED = Standing(Progress.SETTLED)


def standing(value: SSAValue) -> Standing:
    """
    Where an accumulator stands at worst.

    What comes out of a loop is what the body yields, or the initial value.
    """
    worst = _SETTLED
    seen: set[SSAValue] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        owner = current.owner
        match owner:
            case MmaExecOp():
                found = Standing(Progress.OPEN, owner)
            case MmaCommitOp():
                found = Standing(Progress.IN_FLIGHT, owner)
            case MmaWaitOp() if owner.in_flight.data:
                found = Standing(Progress.IN_FLIGHT, owner)
            case _:
                todo += _incoming(current)
                continue
        if found.progress > worst.progress:
            worst = found
    return worst


def _incoming(value: SSAValue) -> Sequence[SSAValue]:
    """The values that a loop or conditional hands on under this name."""
    owner = value.owner
    if isinstance(owner, Block):
        loop, number = owner.parent_op(), -1
        if isinstance(value, BlockArgument):
            number = value.index - 1
    else:
        loop, number = owner, owner.results.index(value)
    if isinstance(loop, ForeachOp | scf.ForOp) and number >= 0:
        return loop.iter_args[number], yielded(loop.body.block)[number]
    if isinstance(loop, scf.WhileOp):
        before, after = loop.before_region.block, loop.after_region.block
        if owner is before and isinstance(value, BlockArgument):
            return loop.arguments[value.index], yielded(after)[value.index]
        index = value.index if isinstance(value, BlockArgument) else number
        return (yielded(before)[index],)
    if isinstance(loop, scf.IfOp):
        return [yielded(region.block)[number] for region in loop.regions]
    return ()


def check_progress(op: MmaWaitOp | MmaStoreOp) -> None:
    """Refuse a wait for products in no group, and a store while they are in flight."""
    worst = standing(op.acc)
    notes = [(worst.because, "the product is here")]
    if isinstance(op, MmaWaitOp):
        if worst.progress is Progress.OPEN:
            fail(
                op,
                "must wait for products that are in a group, got one that is not",
                hint="put croq.mma.commit between the product and the wait",
                notes=notes,
            )
    elif worst.progress is not Progress.SETTLED:
        if worst.progress is Progress.IN_FLIGHT:
            notes = [(worst.because, "it is in flight after this")]
        fail(
            op,
            "must store an accumulator that is complete, got one with products in "
            "flight",
            hint="store the result of croq.mma.wait .. in_flight 0",
            notes=notes,
        )
