"""
Keeping of a body what some ops need: the rest of it goes, carried values included.

A role starts as a copy of a whole body. What it is for are its roots; they need their
operands, the loops and conditionals around them, and the bounds of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator, is_side_effect_free

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.dialects.croq import ForeachOp, YieldOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like

Loop = ForeachOp | scf.ForOp


def has_effect(op: Operation) -> bool:
    """Whether an op itself does more than compute and hand on values."""
    return (
        not isinstance(op, Loop | scf.IfOp)
        and not op.has_trait(IsTerminator)
        and not op.name.startswith("arith.")  # not all of them say that they are pure
        and not is_side_effect_free(op)
    )


class Needed:
    """The ops and the carried values inside a body that its roots need."""

    def __init__(self, body: Block, roots: Iterable[Operation]):
        self._inside = set(body.walk())
        self.ops: set[Operation] = set()
        self.carried: set[tuple[Operation, int]] = set()
        """A loop or conditional, and the number of a result of it."""

        self._todo: list[Operation] = []
        for root in roots:
            self._need(root)
        while self._todo:
            self._follow(self._todo.pop())

    def effects(self) -> list[Operation]:
        """The ops among them that do more than compute, in no order."""
        return [op for op in self.ops if has_effect(op)]

    def _need(self, op: Operation) -> None:
        if op in self._inside and op not in self.ops:
            self.ops.add(op)
            self._todo.append(op)

    def _follow(self, op: Operation) -> None:
        if (parent := op.parent_op()) is not None:
            self._need(parent)
        if isinstance(op, Loop):
            bounds = op.bounds if isinstance(op, ForeachOp) else op.operands[:3]
            for value in bounds:
                self._need_value(value)
        elif isinstance(op, scf.IfOp):
            self._need_value(op.cond)
        elif not _hands_on(op):
            for value in op.operands:
                self._need_value(value)
            for region in op.regions:
                for inner in region.walk():
                    self._need(inner)

    def _need_value(self, value: SSAValue) -> None:
        owner, number = value.owner, -1
        if isinstance(value, BlockArgument):
            owner, number = value.block.parent_op(), value.index - 1
        elif isinstance(value, OpResult):
            number = value.index
        if not isinstance(owner, Operation) or owner not in self._inside:
            return
        self._need(owner)
        if number >= 0 and isinstance(owner, Loop | scf.IfOp):
            self._need_carried(owner, number)

    def _need_carried(self, op: Loop | scf.IfOp, number: int) -> None:
        if (op, number) in self.carried:
            return
        self.carried.add((op, number))
        if not isinstance(op, scf.IfOp):
            self._need_value(op.iter_args[number])
        for region in op.regions:
            if region.blocks:
                self._need_value(yielded(region.block)[number])


def _hands_on(op: Operation) -> bool:
    """Whether an op is the end of a body whose loop or conditional is looked at."""
    return isinstance(op, YieldOp | scf.YieldOp) and isinstance(
        op.parent_op(), Loop | scf.IfOp
    )


def keep_needed(body: Block, needed: Needed) -> None:
    """Erase what is not needed."""
    kept = [op for op in body.walk() if op in needed.ops]
    for op in kept:
        if isinstance(op, Loop | scf.IfOp):
            numbers = _numbers(op, needed)
            for region in op.regions:
                last = region.block.last_op if region.blocks else None
                if last is not None:
                    last.operands = [last.operands[number] for number in numbers]
    _erase_others(body, needed)
    # What a loop starts to carry may be what one before it no longer has as a result.
    for op in reversed(kept):
        if isinstance(op, Loop | scf.IfOp):
            _drop_results(op, _numbers(op, needed))


def _numbers(op: Operation, needed: Needed) -> list[int]:
    return [n for n in range(len(op.results)) if (op, n) in needed.carried]


def _erase_others(body: Block, needed: Needed) -> None:
    for op in reversed(list(body.ops)):
        if op in needed.ops:
            for region in op.regions:
                for block in region.blocks:
                    _erase_others(block, needed)
        elif not op.has_trait(IsTerminator):
            op.detach()
            # Loops still name what they start to carry; those operands go next.
            op.erase(safe_erase=False)


def _drop_results(op: Loop | scf.IfOp, numbers: Sequence[int]) -> None:
    if len(numbers) == len(op.results):
        return
    builder = LocatedBuilder.before(op)
    if isinstance(op, scf.IfOp):
        then, other = (op.detach_region(region) for region in list(op.regions))
        types = [op.results[n].type for n in numbers]
        new: Operation = scf.IfOp(op.cond, types, then, other)
        new.attributes |= op.attributes
    else:
        iter_args = [op.iter_args[n] for n in numbers]
        body = op.body.block
        for number in reversed(range(len(op.results))):
            if number not in numbers:
                body.erase_arg(body.args[number + 1])
        new = loop_like(op, iter_args, op.detach_region(op.body))
    builder.insert(new)
    for number, result in zip(numbers, new.results, strict=True):
        result.name_hint = op.results[number].name_hint
        op.results[number].replace_all_uses_with(result)
    Rewriter.erase_op(op)
