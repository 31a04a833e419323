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
from croqtile_mlir.analysis.reached import ends
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AccType,
    ElementwiseOp,
    ForeachOp,
    MmaCommitOp,
    MmaExecOp,
    MmaStoreOp,
    MmaWaitOp,
    ReduceOp,
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
    for end in ends(value, _incoming):
        found = _left_by(end.owner)
        if found.progress > worst.progress:
            worst = found
    return worst


def _left_by(owner: Operation | Block) -> Standing:
    """How an op leaves the accumulator that it gives."""
    match owner:
        case MmaExecOp():
            return Standing(Progress.OPEN, owner)
        case MmaCommitOp():
            return Standing(Progress.IN_FLIGHT, owner)
        case MmaWaitOp() if owner.in_flight.data:
            return Standing(Progress.IN_FLIGHT, owner)
        case _:
            return _SETTLED


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


Reader = MmaStoreOp | ElementwiseOp | ReduceOp
"""What reads the elements of accumulators."""


def accumulators_of(op: MmaWaitOp | Reader) -> tuple[SSAValue, ...]:
    """The accumulators that an op waits for, or reads."""
    match op:
        case MmaWaitOp() | MmaStoreOp():
            return (op.acc,)
        case ElementwiseOp():
            return tuple(v for v in op.inputs if isinstance(v.type, AccType))
        case ReduceOp():
            return (op.source,) if isinstance(op.source.type, AccType) else ()


def check_progress(op: MmaWaitOp | Reader) -> None:
    """Refuse a wait for products in no group, and a read while they are in flight."""
    for acc in accumulators_of(op):
        _check_progress(op, acc)


def _check_progress(op: MmaWaitOp | Reader, acc: SSAValue) -> None:
    worst = standing(acc)
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
            f"must {verb_of(op)} an accumulator that is complete, got one with "
            "products in flight",
            hint=f"{verb_of(op)} the result of croq.mma.wait .. in_flight 0",
            notes=notes,
        )


def verb_of(op: Operation) -> str:
    """What an op that reads an accumulator does with it."""
    if isinstance(op, MmaStoreOp):
        return "store"
    return "reduce" if isinstance(op, ReduceOp) else "compute with"
