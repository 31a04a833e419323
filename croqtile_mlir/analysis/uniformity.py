"""
Which ops all threads of a scope execute together.

Arrivals, barriers and elected ops are only right where the whole scope comes along.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AxisOp,
    ElectOp,
    ForeachOp,
    ParallelOp,
    RoleOp,
    SpanOp,
    ThreadIdOp,
)

_THREAD_VALUES = frozenset(
    {
        "nvvm.elect.sync",
        "nvvm.read.ptx.sreg.laneid",
        "nvvm.read.ptx.sreg.tid.x",
        "nvvm.read.ptx.sreg.tid.y",
        "nvvm.read.ptx.sreg.tid.z",
        "nvvm.read.ptx.sreg.warpid",
    }
)


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
    root = scope_of(op).root
    parent = op.parent_op()
    while parent is not None and parent is not root:
        for value in controls(parent):
            if (cause := divergent_source(value)) is not None:
                return cause
        parent = parent.parent_op()
    return None


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

    None when it is the same in all of them: it follows from constants, extents, loop
    indices, and what is read at such indices.
    """
    seen: set[SSAValue] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        owner = current.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if isinstance(parent, ParallelOp):
                if parent.level.data.divides_block:
                    return parent
            elif parent is not None and isinstance(current, BlockArgument):
                todo += incoming(parent, current)
        elif isinstance(owner, AxisOp | SpanOp):
            # Extents are the same for all, whatever the index or the part.
            continue
        elif isinstance(owner, ThreadIdOp | ElectOp) or owner.name in _THREAD_VALUES:
            return owner
        else:
            todo += owner.operands
            for region in owner.regions:
                for block in region.blocks:
                    if block.last_op is not None:
                        todo += block.last_op.operands
    return None


def incoming(parent: Operation, arg: BlockArgument) -> list[SSAValue]:
    """The values that a block argument of an op takes, and what decides on them."""
    if isinstance(parent, ForeachOp | scf.ForOp):
        bounds = controls(parent)
        if arg.index == 0:
            return bounds
        last = arg.block.last_op
        yielded = [] if last is None else [last.operands[arg.index - 1]]
        return [*bounds, parent.iter_args[arg.index - 1], *yielded]
    incoming = list(parent.operands)
    for region in parent.regions:
        for inner in region.blocks:
            if inner.last_op is not None:
                incoming += inner.last_op.operands
    return incoming
