"""Values that loops and conditionals hand on: one value under several names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.dialects.croq import ForeachOp


@dataclass(frozen=True)
class Carried:
    """A value that enters or leaves a region."""

    source: SSAValue
    """What comes first: the initial value, or what a region yields."""

    names: tuple[SSAValue, ...]
    """Block arguments and results that stand for it."""

    others: tuple[SSAValue, ...]
    """What else may come in its place: the next iteration's, another branch's."""

    @property
    def all(self) -> tuple[SSAValue, ...]:
        """Every value that is one with the others."""
        return (self.source, *self.names, *self.others)


def yielded(block: Block) -> Sequence[SSAValue]:
    """The values that the terminator of a block hands on."""
    last = block.last_op
    if isinstance(last, scf.ConditionOp):
        return last.args
    return () if last is None else last.operands


def entering(op: Operation) -> list[Carried]:
    """What an op carries into its regions."""
    if isinstance(op, ForeachOp | scf.ForOp):
        body = op.body.block
        return [
            Carried(initial, (inside, result), (following,))
            for initial, inside, result, following in zip(
                op.iter_args, body.args[1:], op.res, yielded(body), strict=False
            )
        ]
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        return [
            Carried(initial, (inside,), (following,))
            for initial, inside, following in zip(
                op.arguments, before.args, yielded(after), strict=False
            )
        ]
    return []


def leaving(op: Operation) -> list[Carried]:
    """The results of an op whose types follow from what its regions yield."""
    if isinstance(op, scf.IfOp) and op.output:
        then, other = op.true_region.block, op.false_region.block
        return [
            Carried(first, (result,), (second,))
            for first, second, result in zip(
                yielded(then), yielded(other), op.output, strict=False
            )
        ]
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        return [
            Carried(value, (inside, result), ())
            for value, inside, result in zip(
                yielded(before), after.args, op.res, strict=False
            )
        ]
    return []
