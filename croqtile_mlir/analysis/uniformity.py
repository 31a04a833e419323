"""
Which values the threads of a scope share, and which ops they execute together.

The one analysis of divergence, for tile level and hardware level. Facts are safe: a
value that is called uniform is, one that is not may be the same everywhere. Arrivals,
barriers and elected ops are only right where the whole scope comes along, and a branch
at which the lanes of a warp part costs both of its sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity_sources import (
    Varies,
    divides_threads,
    gathered,
    index_varies,
    varies,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AxisOp,
    ForeachOp,
    ParallelOp,
    RoleOp,
    SpanOp,
)
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS


class Uniformity(IntEnum):
    """Which threads certainly have the same value: of a greater one, more of them."""

    THREAD = 0
    """Each its own, as of `thread_id`."""

    WARP = 1
    """The threads of a warp have one, as of `thread_id` divided by 32."""

    WARPGROUP = 2
    """The threads of a warpgroup have one, as of `thread_id` divided by 128."""

    BLOCK = 3
    """All threads of the scope have one: of the block, or of the role."""


def uniformity(value: SSAValue) -> Uniformity:
    """Which threads certainly have the same of a value."""
    if divergence_chain(value, Uniformity.WARP):
        return Uniformity.THREAD
    if divergence_chain(value, Uniformity.WARPGROUP):
        return Uniformity.WARP
    if divergence_chain(value, Uniformity.BLOCK):
        return Uniformity.WARPGROUP
    return Uniformity.BLOCK


_PARTS: Mapping[Uniformity, Varies] = MappingProxyType(
    {
        Uniformity.BLOCK: Varies.WARPGROUPS,
        Uniformity.WARPGROUP: Varies.WARPS,
        Uniformity.WARP: Varies.LANES,
    }
)
"""The least that makes threads differ which are together at a level."""


def divergence_chain(
    value: SSAValue, level: Uniformity = Uniformity.BLOCK
) -> tuple[Operation, ...]:
    """
    Why a value may differ between threads that are together at a level.

    The ops from the one that computes it back to the one of which threads get different
    results: an `elect`, a `thread_id`, a `parallel` below level block. Empty when the
    value is the same in all of them: it follows from constants, extents, loop indices,
    what is read at such indices and, at level warp, from what a whole warp shares.
    """
    # What each value was reached from, so that the way back is the chain.
    reached: dict[SSAValue, SSAValue | None] = {value: None}
    todo = [value]
    while todo:
        current = todo.pop()
        source = _source(current)
        if source is not None and source[1] >= _PARTS.get(level, Varies.WARPGROUPS):
            return _chain(reached, current, source[0])
        if source is not None:
            continue
        for each in dependences(current, level):
            if each not in reached:
                reached[each] = current
                todo.append(each)
    return ()


def _source(value: SSAValue) -> tuple[Operation, Varies] | None:
    """The op that makes a value differ by itself, and between whom."""
    owner = value.owner
    if isinstance(owner, Operation):
        found = varies(owner)
        return None if found is None else (owner, found)
    parent = owner.parent_op()
    if isinstance(parent, ParallelOp) and isinstance(value, BlockArgument):
        found = index_varies(parent, value.index)
        return None if found is None else (parent, found)
    return None


def _chain(
    reached: dict[SSAValue, SSAValue | None], last: SSAValue, source: Operation
) -> tuple[Operation, ...]:
    chain = [source]
    value = reached[last]
    while value is not None:
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        if op is not None and op is not chain[-1]:
            chain.append(op)
        value = reached[value]
    return tuple(reversed(chain))


def dependences(
    value: SSAValue, level: Uniformity = Uniformity.BLOCK
) -> Iterable[SSAValue]:
    """The values that decide whether a value is uniform, unless it varies by itself."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        if parent is None or isinstance(parent, ParallelOp):
            return ()
        if isinstance(parent, FuncOp) and owner is parent.body.blocks[0]:
            return ()
        assert isinstance(value, BlockArgument)
        return incoming(parent, value)
    if isinstance(owner, AxisOp | SpanOp):
        # Extents are the same for all, whatever the index or the part.
        return ()
    if level is Uniformity.WARP and (shared := gathered(owner)) is not None:
        return shared
    if level is Uniformity.WARPGROUP and divides_threads(owner, WARPGROUP_THREADS):
        return ()
    if not owner.regions:
        return owner.operands
    return _of_regions(owner, value)


def _of_regions(owner: Operation, value: SSAValue) -> list[SSAValue]:
    """What a result of an op with regions depends on."""
    if not isinstance(value, OpResult) or not isinstance(
        owner, scf.IfOp | ForeachOp | scf.ForOp
    ):
        found = list(owner.operands)
        for region in owner.regions:
            for block in region.blocks:
                if block.last_op is not None:
                    found += block.last_op.operands
        return found
    found = controls(owner)
    if not isinstance(owner, scf.IfOp):
        found.append(owner.iter_args[value.index])
    for region in owner.regions:
        if region.blocks and region.block.last_op is not None:
            found.append(region.block.last_op.operands[value.index])
    return found


def inner_level(op: Operation) -> ParallelOp | None:
    """The innermost `parallel` below level block around an op."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, RoleOp):
        if isinstance(parent, ParallelOp):
            return parent if parent.level.data.divides_block else None
        parent = parent.parent_op()
    return None


def divergence(op: Operation) -> Operation | None:
    """
    What keeps some threads of the scope from executing an op with the others.

    An inner `parallel`, or the op that makes a condition or a loop bound around `op`
    differ between threads; None when all of the scope execute it together.
    """
    if (inner := inner_level(op)) is not None:
        return inner
    chain = divergent_control(op, scope_of(op).root)
    return chain[-1] if chain else None


def divergent_control(
    op: Operation, root: Operation | None, level: Uniformity = Uniformity.BLOCK
) -> tuple[Operation, ...]:
    """
    The innermost `if` or loop between `op` and `root` at which threads may part, then
    why: what its condition or bound follows from. Empty when there is none.
    """
    parent = op.parent_op()
    while parent is not None and parent is not root:
        for value in controls(parent):
            if chain := divergence_chain(value, level):
                return (parent, *chain)
        parent = parent.parent_op()
    return ()


def require_whole_scope(op: Operation, hint: str) -> None:
    """
    Check that all threads of the scope execute an op together.

    Raises:
        CompileError: at the op, with the reason and the hint.
    """
    if (cause := divergence(op)) is not None:
        fail(
            op,
            "must be executed by all threads of its scope, got it where they part",
            hint=hint,
            notes=[(cause, "they part because of this")],
        )


def controls(op: Operation) -> list[SSAValue]:
    """The values that decide whether and how often the regions of an op run."""
    match op:
        case scf.IfOp():
            return [op.cond]
        case ForeachOp():
            return list(op.bounds)
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.WhileOp():
            condition = op.before_region.block.last_op
            return [] if condition is None else [condition.operands[0]]
        case _:
            return list(op.operands)


def divergent_source(value: SSAValue) -> Operation | None:
    """
    The op because of which a value may differ between the threads of a scope.

    None when it is the same in all of them.
    """
    chain = divergence_chain(value)
    return chain[-1] if chain else None


def incoming(parent: Operation, arg: BlockArgument) -> list[SSAValue]:
    """The values that a block argument of an op takes, and what decides on them."""
    if isinstance(parent, ForeachOp | scf.ForOp):
        bounds = controls(parent)
        if arg.index == 0:
            return bounds
        last = arg.block.last_op
        yielded = [] if last is None else [last.operands[arg.index - 1]]
        return [*bounds, parent.iter_args[arg.index - 1], *yielded]
    found = list(parent.operands)
    for region in parent.regions:
        for inner in region.blocks:
            if inner.last_op is not None:
                found += inner.last_op.operands
    return found
