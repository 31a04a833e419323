"""
Bounds of loops and conditions, and what stands for those that a launch decides.

Block indices and products of dims have no place in the model: how often a loop runs
that depends on them is a count of its own, and a condition on them is a choice, unless
it compares bounds of a loop. Equal bounds in two roles are one count.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.sync.model import (
    Constant,
    Expr,
    Unknown,
    Variable,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.counts import in_counts, of_counts, stands
from croqtile_mlir.analysis.sync.tiles.drafts import LoopDraft
from croqtile_mlir.analysis.sync.tiles.values import Guarded, Values
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.analysis.uniformity import inner_level
from croqtile_mlir.diagnostics import location_of
from croqtile_mlir.dialects.croq import (
    AwaitLoadsOp,
    AwaitOp,
    AwaitStoresOp,
    BarrierOp,
    CDivOp,
    CommitLoadsOp,
    CopyAsyncOp,
    DimOp,
    ForeachOp,
    Level,
    MmaCommitOp,
    MmaExecOp,
    MmaStoreOp,
    MmaWaitOp,
    ParallelOp,
    TriggerOp,
    WaitOp,
)

ZERO = Constant(0)
ONE = Constant(1)
WAYS = ("always", "never", "even", "odd")
"""In which iterations a condition holds that the launch decides."""

_ORDERED = (
    WaitOp,
    TriggerOp,
    AwaitOp,
    AwaitStoresOp,
    AwaitLoadsOp,
    CommitLoadsOp,
    CopyAsyncOp,
    MmaExecOp,
    MmaCommitOp,
    MmaWaitOp,
    MmaStoreOp,
)


def is_hidden(op: Operation) -> bool:
    """Whether an op is no more than reads and writes that are over when it is."""
    if isinstance(op, BarrierOp) and op.cluster is not None:
        return False
    return not isinstance(op, _ORDERED)


def is_plain(op: Operation) -> bool:
    """Whether all that is in an op is no more than that."""
    return all(is_hidden(inner) for inner in op.walk())


def loop_draft(op: ForeachOp | scf.ForOp, values: Values) -> LoopDraft | None:
    """
    The loop, without its body.

    None for one that only reads and writes, for the thread that runs it: it is one
    access to all that it touches.
    """
    if isinstance(op, ForeachOp):
        bounds = [values.index(b, op) for b in (op.lower, op.upper, op.step)]
        bounds[1] = values.in_general(bounds[1])
    else:
        bounds = [values.value(b) for b in (op.lb, op.ub, op.step)]
    if is_plain(op) and _is_of_threads(op, bounds, values):
        if (of_lanes := _of_lanes(op, bounds, values)) is not None:
            return of_lanes
        low, high = (values.make.range(bound) for bound in bounds[:2])
        values.local_variable(op.body.block.args[0], (low[0], high[1] - 1))
        return None
    for bound in bounds:
        if isinstance(bound, Unknown):
            raise NotModelled(op, f"the bound of a loop is {bound.reason}")
        if values.make.variables(bound) & (values.local | values.lanes):
            raise NotModelled(op, "a loop of which threads make different parts")
    lower, upper, step = bounds
    block, make = op.body.block, values.make
    counter = make.variable(block.args[0].name_hint or "i", (0, math.inf))

    def draft(lower: Expr, upper: Expr, step: Expr, induction: Expr) -> LoopDraft:
        return LoopDraft(
            op, counter, lower, upper, step, induction, block, op.iter_args, make
        )

    scaled = make.apply("mul", counter, step)
    if isinstance(step, Constant) and lower == ZERO and step != ONE:
        tiles = values.dim_in_tiles(upper, step.value)
        if tiles is not None:
            return draft(ZERO, tiles, ONE, scaled)
    if all(stands(bound, values) for bound in bounds) and isinstance(step, Constant):
        return draft(lower, upper, step, counter)
    count = count_of(op, lower, upper, step, values)
    if isinstance(lower, Constant) and isinstance(step, Constant):
        return draft(lower, count, step, counter)
    return draft(ZERO, count, ONE, make.apply("add", lower, scaled))


def count_of(
    op: Operation, lower: Expr, upper: Expr, step: Expr, values: Values
) -> Expr:
    """
    What stands for the upper bound of a loop, or for its trips where another bound is
    no constant; kept for the conditions whether the loop runs at all.
    """
    make = values.make
    if isinstance(lower, Constant) and isinstance(step, Constant):
        # A name for the bound: loops over its even and odd numbers share it.
        first, expr = lower, upper
    else:
        length = make.apply("sub", upper, lower)
        first, expr = ZERO, make.apply("ceildiv", length, step)
    count = _trips(expr, op, values)
    if make.range(first)[0] >= 0 and make.range(step)[0] > 0:
        values.runs.setdefault((lower, upper), make.apply("lt", first, count))
    return count


def name_bounds(block: ParallelOp, values: Values) -> None:
    """
    Find what stands for the bounds of loops that arithmetic of the launch computes.

    Conditions ahead of these loops are then in terms of the same counts.
    """
    named: list[tuple[Expr, Expr, Expr, ForeachOp]] = []
    for op in block.walk():
        if not isinstance(op, ForeachOp) or is_plain(op):
            continue
        if not all(_of_launch(operand) for operand in op.bounds):
            continue
        lower, upper, step = (
            values.index(bound, op) for bound in (op.lower, op.upper, op.step)
        )
        upper = values.in_general(upper)
        bounds = lower, upper, step
        if isinstance(step, Constant) and lower == ZERO and step != ONE:
            if values.dim_in_tiles(upper, step.value) is not None:
                continue
        if any(
            isinstance(bound, Unknown) or _is_own(bound, values, ()) for bound in bounds
        ):
            continue
        if not all(stands(b, values) for b in bounds) or not isinstance(step, Constant):
            named.append((lower, upper, step, op))
    # A bound that follows from another one comes after it: `min(2, n)` after `n`.
    named.sort(key=lambda each: sum(1 for _ in parts_of(each[1])))
    for lower, upper, step, op in named:
        count_of(op, lower, upper, step, values)


def _of_launch(value: SSAValue) -> bool:
    """Whether a value follows from dims and indices of the block by arithmetic."""
    owner = value.owner
    if isinstance(owner, Block):
        around = owner.parent_op()
        return isinstance(around, ParallelOp) and around.level.data is Level.Block
    if not isinstance(owner, CDivOp | DimOp) and owner.dialect_name() != "arith":
        return False
    return all(_of_launch(operand) for operand in owner.operands)


def _of_lanes(
    op: ForeachOp | scf.ForOp, bounds: list[Expr], values: Values
) -> LoopDraft | None:
    """
    A loop that lanes run over numbers of their own; None where that is not known.

    All lanes go through the most iterations that one of them makes.
    """
    lower, upper, step = bounds
    make = values.make
    if values.warp is None or not isinstance(step, Constant):
        return None
    trips = make.apply("ceildiv", make.apply("sub", upper, lower), step)
    least, most = make.range(trips)
    if isinstance(trips, Unknown) or not 0 <= most < math.inf:
        return None
    block = op.body.block
    counter = make.variable(block.args[0].name_hint or "i", (0, most))
    index = make.apply("add", lower, make.apply("mul", counter, step))
    guard = None if least == most else make.apply("lt", index, upper)
    end = Constant(int(most))
    return LoopDraft(
        op, counter, ZERO, end, ONE, index, block, op.iter_args, make, guard
    )


def _is_of_threads(op: Operation, bounds: list[Expr], values: Values) -> bool:
    """Whether each thread runs a loop on its own, or each lane of a warp."""
    if values.warp is None:
        return inner_level(op) is not None
    return any(
        isinstance(bound, Unknown) or bool(values.make.variables(bound) & values.lanes)
        for bound in bounds
    )


def condition_of(op: scf.IfOp, values: Values) -> Expr | None:
    """
    The condition of an `if`.

    None when it differs between threads and what is inside can be taken for accesses
    of either side.
    """
    condition = values.value(op.cond)
    differs = bool(values.make.variables(condition) & values.local)
    if differs or isinstance(condition, Unknown):
        if is_plain(op):
            return None
        reason = condition.reason if isinstance(condition, Unknown) else "the thread"
        raise NotModelled(op, f"a condition depends on {reason}")
    if stands(condition, values):
        return condition
    if (runs := of_counts(condition, values)) is not None:
        return runs
    name = f"choice of line {location_of(op).line}"
    draft = _changing(condition, values)
    if draft is None:
        if is_plain(op) and _is_own(condition, values, ()):
            return None
        _refuse_own(condition, op, values, set())

        def chosen(condition: Expr, _: int) -> Expr:
            choice = values.make.variable(name)
            choice = values.choices.setdefault(id(condition), choice)
            return values.make.apply("ne", choice, ZERO)

        return values.by_rank(condition, chosen)
    own = {draft.counter, *(v for pair in draft.carried.values() for v in pair)}
    if is_plain(op) and _is_own(condition, values, own):
        return None
    _refuse_own(condition, op, values, own)
    return values.by_rank(
        condition, lambda own, rank: _way(op, own, rank, draft, values)
    )


def _changing(condition: Expr, values: Values) -> LoopDraft | None:
    """The innermost loop that a condition depends on."""
    parts = set(parts_of(condition))
    for draft in reversed(values.drafts.values()):
        if isinstance(draft, LoopDraft):
            carried = {v for pair in draft.carried.values() for v in pair}
            if parts & {draft.counter, *carried}:
                return draft
    return None


def _way(
    op: scf.IfOp, condition: Expr, rank: int, draft: LoopDraft, values: Values
) -> Expr:
    """
    A condition that the launch decides anew in each iteration.

    The ways to look at are: always, never, and by turns, so that every two iterations
    in sequence are seen with each pair of outcomes. Conditions of several roles that
    say the same of the number of an iteration hold in the same ones.
    """
    make = values.make
    first = values.alike.first(condition, draft, (op.cond, rank), make)
    values.alike.guarded.append(Guarded(op, draft, values))
    way = values.ways.setdefault(first, WAYS[0])
    turn = make.apply("floordiv", draft.counter, draft.step)
    even = make.apply("mod", turn, Constant(2))
    match way:
        case "always":
            return ONE
        case "never":
            return ZERO
        case "even":
            return make.apply("eq", even, ZERO)
        case _:
            return make.apply("ne", even, ZERO)


def _refuse_own(
    expr: Expr, op: Operation, values: Values, allowed: Collection[Expr]
) -> None:
    """Refuse an expression of the launch that changes while the block runs."""
    if own := _is_own(expr, values, allowed):
        raise NotModelled(op, f"what the launch decides depends on {own.name} as well")


def _is_own(expr: Expr, values: Values, allowed: Collection[Expr]) -> Variable | None:
    """What an expression depends on that changes while the block runs."""
    own = values.changing()
    for part in parts_of(expr):
        if isinstance(part, Variable) and part in own and part not in allowed:
            return part
    return None


def _trips(expr: Expr, op: Operation, values: Values) -> Expr:
    """The count that stands for how often a loop runs, whatever that is."""
    _refuse_own(expr, op, values, ())
    name = f"trips of line {location_of(op).line}"

    def count(own: Expr, _: int) -> Expr:
        known = in_counts(own, values)
        return values.free_variable(own, name) if known is None else known

    return values.by_rank(expr, count)
