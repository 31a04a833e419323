"""
Rules for control flow (`scf`, `cf`): loops and conditionals become blocks and branches.

A loop tests at its end, so that one turn takes one branch; before it stands a test
whether it runs at all, unless that is known. A `scf.while` without a body, as around
`nvvm.mbarrier.try_wait`, is the test and a branch back to it. A `scf.if` around a few
instructions that can be guarded becomes these with guards.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.dialects.llvm_ext import ReturnOp, TrapOp
from croqtile_mlir.dialects.nvvm.attributes import WgmmaScaleOut
from croqtile_mlir.dialects.nvvm.wgmma import WgmmaMmaAsyncOp
from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    ConditionalBranchOp,
    FallthroughOp,
)
from croqtile_mlir.dialects.ptx.control import ReturnOp as RetOp
from croqtile_mlir.dialects.ptx.control import TrapOp as PtxTrapOp
from croqtile_mlir.dialects.ptx.matrix import WgmmaWaitGroupOp
from croqtile_mlir.dialects.ptx.registers import UndefOp
from croqtile_mlir.dialects.ptx.types import InstructionType
from croqtile_mlir.lowering.ptx_conversion.branching import (
    branch,
    convert_body,
    last_op,
    registers,
)
from croqtile_mlir.lowering.ptx_conversion.conditionals import convert_if
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
    RuleTable,
    is_used,
    rule,
)
from croqtile_mlir.lowering.ptx_conversion.integers import compare, wrapped
from croqtile_mlir.lowering.ptx_conversion.lowered import integer_bits


def _for(e: Emitter, op: scf.ForOp) -> None:
    bits = integer_bits(op.lb.type)
    if bits not in (32, 64):
        e.refuse(f"is not supported by convert-to-ptx on type {op.lb.type}")
    type = InstructionType(f"s{bits}")
    lower, upper, step = (
        wrapped(e.source_of(v), type) for v in (op.lb, op.ub, op.step)
    )
    known = isinstance(lower, int) and isinstance(upper, int)
    if isinstance(lower, int) and isinstance(upper, int):
        if lower >= upper:
            for result, value in zip(op.res, op.iter_args, strict=True):
                e.bind(result, e.get(value))
            return
        if isinstance(step, int) and lower + step >= upper:
            _inline_once(e, op)
            return
    # Only results that are used need to leave the loop.
    kept = [index for index, result in enumerate(op.res) if is_used(result)]
    overwritten = _overwritten(e, op)
    start = [
        e.register(op.lb),
        *(
            e.emit(UndefOp(e.type_of(value))).result
            if index in overwritten
            else e.register(value)
            for index, value in enumerate(op.iter_args)
        ),
    ]
    loop = e.labelled("loop", [e.type_of(arg) for arg in op.body.block.args])
    left = [e.type_of(op.res[index]) for index in kept]
    done = Block(arg_types=left) if known else e.labelled("done", left)
    if known:
        e.emit(FallthroughOp(loop, start))
    else:
        empty = compare(e, type, "ge", lower, upper)
        if overwritten.isdisjoint(kept):
            skipped = [start[index + 1] for index in kept]
            e.emit(ConditionalBranchOp(empty, done, skipped, loop, start))
        else:
            initial = [op.iter_args[index] for index in kept]
            _go_around(e, empty, loop, start, done, initial)
    e.start(loop)
    for argument, value in zip(op.body.block.args, loop.args, strict=True):
        e.bind(argument, value)
    if overwritten:
        later = compare(e, type, "ne", loop.args[0], lower)
        for index in overwritten:
            e.started[op.body.block.args[index + 1]] = later
    carried = registers(e, convert_body(e, op.body.block).operands)
    more = _goes_on(e, op, type, loop.args[0])
    index = e.emit(ptx.AddOp(type, loop.args[0], step)).result
    more = more or compare(e, type, "lt", index, upper)
    leaving = [carried[index] for index in kept]
    if known or overwritten.isdisjoint(kept):
        e.emit(ConditionalBranchOp(more, loop, [index, *carried], done, leaving))
    else:
        _leave_settled(e, more, loop, [index, *carried], done, leaving)
    e.start(done)
    for at, value in zip(kept, done.args, strict=True):
        e.bind(op.res[at], value)


def _go_around(
    e: Emitter,
    empty: SSAValue,
    loop: Block,
    start: Sequence[SSAValue],
    done: Block,
    initial: Sequence[SSAValue],
) -> None:
    """Enter a loop unless it is empty; only then its initial values are needed."""
    around = Block()
    e.emit(ConditionalBranchOp(empty, loop, start, around, [], negated=True))
    e.start(around)
    e.emit(BranchOp(done, registers(e, initial)))


def _leave_settled(
    e: Emitter,
    more: SSAValue,
    loop: Block,
    carried: Sequence[SSAValue],
    done: Block,
    leaving: Sequence[SSAValue],
) -> None:
    """Go round, or wait for all products and leave the loop."""
    # ptxas serialises products in flight whose accumulators meet others (C7515).
    end = Block()
    e.emit(ConditionalBranchOp(more, loop, carried, end, []))
    e.start(end)
    e.emit(WgmmaWaitGroupOp(0))
    e.emit(FallthroughOp(done, leaving))


def _goes_on(
    e: Emitter, op: scf.ForOp, type: InstructionType, index: SSAValue
) -> SSAValue | None:
    """
    Whether another turn follows, where the next index may not fit its type.

    An index is below the bound, so that their difference is an unsigned number. None:
    the next index fits.
    """
    upper, step = (wrapped(e.source_of(value), type) for value in (op.ub, op.step))
    limit = 1 << (type.bits - 1)
    if step == 1:
        return None
    if isinstance(upper, int) and isinstance(step, int):
        if upper + step <= limit:
            return None
        if upper >= 0:
            return compare(e, type, "lt", index, upper - step)
    left = e.emit(ptx.SubOp(type, e.register(op.ub), index)).result
    return compare(e, InstructionType(f"u{type.bits}"), "gt", left, step)


def _overwritten(e: Emitter, op: scf.ForOp) -> frozenset[int]:
    """
    The iteration arguments that are accumulators of zeros and go to a product only:
    that of the first turn overwrites them, and nothing has to be set to zero.
    """
    return frozenset(
        index
        for index, (value, argument) in enumerate(
            zip(op.iter_args, op.body.block.args[1:], strict=True)
        )
        if e.constant(value) == 0 and _starts_product(argument)
    )


def _starts_product(argument: SSAValue) -> bool:
    match [use.operation for use in argument.uses]:
        case [WgmmaMmaAsyncOp() as product]:
            return (
                product.parent is argument.owner
                and product.accumulator is argument
                and product.scale_d.data is WgmmaScaleOut.One
            )
        case _:
            return False


def _inline_once(e: Emitter, op: scf.ForOp) -> None:
    """A loop of one turn is its body."""
    block = op.body.block
    for argument, value in zip(block.args, (op.lb, *op.iter_args), strict=True):
        e.bind(argument, e.get(value))
    last = convert_body(e, block)
    for result, value in zip(op.res, last.operands, strict=True):
        e.bind(result, e.get(value))


def _while(e: Emitter, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    start = registers(e, op.arguments)
    head = e.labelled("while", [e.type_of(argument) for argument in before.args])
    e.emit(FallthroughOp(head, start))
    e.start(head)
    for argument, value in zip(before.args, head.args, strict=True):
        e.bind(argument, value)
    last = convert_body(e, before)
    assert isinstance(last, scf.ConditionOp)
    passed = registers(e, last.args)
    known = e.constant(last.condition)
    if known is not None:
        e.bind(last.condition, e.materialize(known, e.type_of(last.condition)))
    yielded = last_op(after)
    left = [e.type_of(result) for result in op.res]
    if after.first_op is yielded and tuple(yielded.operands) == tuple(after.args):
        done = Block(arg_types=left)
        branch(e, last.condition, True, head, passed, done, passed)
    else:
        done = e.labelled("done", left)
        body = Block(arg_types=[e.type_of(argument) for argument in after.args])
        branch(e, last.condition, False, done, passed, body, passed)
        e.start(body)
        for argument, value in zip(after.args, body.args, strict=True):
            e.bind(argument, value)
        back = convert_body(e, after)
        e.emit(BranchOp(head, registers(e, back.operands)))
    e.start(done)
    for result, value in zip(op.res, done.args, strict=True):
        e.bind(result, value)


def _jump(e: Emitter, op: cf.BranchOp) -> None:
    target, values = e.blocks[op.successor], registers(e, op.arguments)
    if _comes_next(op, op.successor):
        e.emit(FallthroughOp(target, values))
    else:
        e.emit(BranchOp(target, values))


def _comes_next(op: Operation, block: Block) -> bool:
    return op.parent is not None and op.parent.next_block is block


def _conditional_jump(e: Emitter, op: cf.ConditionalBranchOp) -> None:
    """One way must be the next block; if neither is, a jump is put there."""
    then, otherwise = e.blocks[op.then_block], e.blocks[op.else_block]
    then_values = registers(e, op.then_arguments)
    else_values = registers(e, op.else_arguments)
    known = e.constant(op.cond)
    if known is not None:
        values = then_values if known else else_values
        e.emit(BranchOp(then if known else otherwise, values))
    elif _comes_next(op, op.else_block):
        branch(e, op.cond, True, then, then_values, otherwise, else_values)
    elif _comes_next(op, op.then_block):
        branch(e, op.cond, False, otherwise, else_values, then, then_values)
    else:
        away = Block()
        branch(e, op.cond, True, then, then_values, away, [])
        e.start(away)
        e.emit(BranchOp(otherwise, else_values))


def _return(e: Emitter, op: ReturnOp) -> None:
    e.emit(RetOp())


def _trap(e: Emitter, op: TrapOp) -> None:
    e.emit(PtxTrapOp())


RULES: RuleTable = dict(
    [
        rule(scf.ForOp, _for),
        rule(scf.WhileOp, _while),
        rule(scf.IfOp, convert_if),
        rule(cf.BranchOp, _jump),
        rule(cf.ConditionalBranchOp, _conditional_jump),
        rule(ReturnOp, _return),
        rule(TrapOp, _trap),
    ]
)
