"""Our canonicalisation of integer and address arithmetic; xDSL's folds little of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from croqtile_mlir.lowering.fold_rules import RULES
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    constant_value,
    replace_values,
)


def _fold_region(region: Region) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            op = _fold_op(op)


def _fold_op(op: Operation) -> Operation | None:
    """Fold an op and what is inside it; returns the op to go on with."""
    rule = RULES.get(type(op))
    if rule is not None:
        before = op.prev_op
        block = op.parent
        result = rule(LocatedBuilder.before(op), op)
        if result is not None:
            replace_values(op, [result])
            # What the rule built may fold further.
            first = None if block is None else block.first_op
            return first if before is None else before.next_op
        return op.next_op
    for region in op.regions:
        _fold_region(region)
    if isinstance(op, scf.IfOp):
        return _fold_if(op)
    return op.next_op


def _fold_if(op: scf.IfOp) -> Operation | None:
    """Inline a branch that is known to be taken; join neighbours of one condition."""
    following = op.next_op
    known = constant_value(op.cond)
    if known is not None:
        taken = op.true_region if known else op.false_region
        values: tuple[SSAValue, ...] = ()
        if taken.blocks:
            values = _inline(taken.block, op)
        replace_values(op, values)
        return following
    if not _is_plain(op):
        return following
    between: list[Operation] = []
    later = following
    while later is not None and not later.regions and is_side_effect_free(later):
        between.append(later)
        later = later.next_op
    if isinstance(later, scf.IfOp) and later.cond is op.cond and _is_plain(later):
        # What stands between is pure and uses nothing of the first: it moves up.
        for each in between:
            each.detach()
            LocatedBuilder.before(op).insert(each)
        end = op.true_region.block.last_op
        if end is not None:
            end.detach()
            end.erase()
        last = later.true_region.block
        for each in tuple(last.ops):
            each.detach()
            op.true_region.block.add_op(each)
        later.detach()
        later.erase()
        return op
    return following


def _is_plain(op: scf.IfOp) -> bool:
    return not op.results and not op.false_region.blocks


def _inline(block: Block, op: Operation) -> tuple[SSAValue, ...]:
    builder = LocatedBuilder.before(op)
    values: tuple[SSAValue, ...] = ()
    for each in tuple(block.ops):
        if isinstance(each, scf.YieldOp):
            values = tuple(each.arguments)
        each.detach()
        if isinstance(each, scf.YieldOp):
            each.erase()
        else:
            builder.insert(each)
    return values


def _remove_dead(region: Region) -> None:
    for block in region.blocks:
        op = block.last_op
        while op is not None:
            before = op.prev_op
            if is_trivially_dead(op):
                op.detach()
                op.erase()
            else:
                for inner in op.regions:
                    _remove_dead(inner)
            op = before


@dataclass(frozen=True)
class FoldArithPass(ModulePass):
    """
    Fold integer and address arithmetic, known branches and dead pure ops, in one walk.

    Unsigned division, remainder and product by powers of two become shifts and masks;
    constants of sums and of byte addresses are gathered at the end of the chain, where
    they become immediates; neighbouring `scf.if` of one condition become one.
    """

    name = "fold-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _fold_region(op.body)
        _remove_dead(op.body)
