"""What one thread of a scope does for all of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import ElectOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def elect_of(op: Operation) -> SSAValue:
    """The `croq.elect` at the head of the scope that executes an op."""
    root = scope_of(op).root
    body = root.body.block
    for first in body.ops:
        if isinstance(first, ElectOp):
            return first.result
        if not is_side_effect_free(first):
            break
    elected = LocatedBuilder.at_start(body, root.location).insert(ElectOp()).result
    elected.name_hint = "leader"
    return elected


@contextmanager
def when_elected(
    op: Operation, leader: SSAValue | None = None
) -> Generator[LocatedBuilder]:
    """
    A builder for what the elected thread does right before an op.

    `leader` is `elect_of` the op, where it is known already. It goes to the end of the
    elected `scf.if` before the op when only pure ops are between, else to a new one.
    """
    leader = elect_of(op) if leader is None else leader
    between: list[Operation] = []
    before = op.prev_op
    while before is not None and is_side_effect_free(before):
        between.append(before)
        before = before.prev_op
    if isinstance(before, scf.IfOp) and before.cond is leader and not before.results:
        for pure in reversed(between):
            pure.detach()
            LocatedBuilder.before(before).insert(pure)
        last = before.true_region.block.last_op
        if last is not None and not before.false_region.blocks:
            yield LocatedBuilder(InsertPoint.before(last), op.location)
            return
    with LocatedBuilder.before(op).if_(leader) as builder:
        yield builder
