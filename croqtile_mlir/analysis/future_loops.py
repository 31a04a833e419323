"""
Loops that carry futures, seen alike: counted ones, and `scf.while`.

The first region of a `scf.while` decides whether there is another iteration. It hands
the futures on as they came, and has no other use for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ForeachOp, FutureType

Loop = ForeachOp | scf.ForOp | scf.WhileOp


def initial_values(loop: Loop) -> Sequence[SSAValue]:
    """The values that a loop begins with."""
    return loop.arguments if isinstance(loop, scf.WhileOp) else loop.iter_args


def carried_futures(loop: Loop) -> list[int]:
    """The numbers of the futures among the values that a loop carries."""
    return [
        number
        for number, value in enumerate(initial_values(loop))
        if isinstance(value.type, FutureType)
    ]


def future_results(op: scf.IfOp) -> list[int]:
    """The numbers of the futures among the results of a condition."""
    return [i for i, r in enumerate(op.results) if isinstance(r.type, FutureType)]


def body_of(loop: Loop) -> Block:
    """What an iteration does; of a `scf.while` its second region."""
    if isinstance(loop, scf.WhileOp):
        return loop.after_region.block
    return loop.body.block


def next_values(loop: Loop) -> Sequence[SSAValue]:
    """What the body of a loop yields."""
    last = body_of(loop).last_op
    return () if last is None else last.operands


def names_inside(loop: Loop, number: int) -> tuple[SSAValue, ...]:
    """What a carried future is called in the loop; the last one in its body."""
    if isinstance(loop, scf.WhileOp):
        first = loop.before_region.block.args[number]
        return first, loop.after_region.block.args[handed_on(loop, number)]
    return (loop.body.block.args[number + 1],)


def name_after(loop: Loop, number: int) -> SSAValue:
    """The result that a carried future is after the loop."""
    if isinstance(loop, scf.WhileOp):
        return loop.results[handed_on(loop, number)]
    return loop.results[number]


def handed_on(loop: scf.WhileOp, number: int) -> int:
    """
    The number under which the first region hands on a carried future.

    Raises:
        CompileError: where it does something else with it.
    """
    before = loop.before_region.block
    future, last = before.args[number], before.last_op
    uses = [(use.operation, use.index) for use in future.uses]
    values = yielded(before)
    if len(uses) == 1 and uses[0][0] is last and future in values:
        return list(values).index(future)
    other: Operation = next((op for op, _ in uses if op is not last), loop)
    fail(
        other,
        "must hand on each future that a scf.while carries once, from its first region "
        f"to the second, and not use it there, got {len(uses)} uses",
        hint="await copies and use their buffers in the second region",
        notes=[(loop, "the loop is here")],
    )
