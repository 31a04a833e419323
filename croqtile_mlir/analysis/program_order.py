"""
What runs before what, as far as the structure of the IR tells.

Every region of a kernel has one block, so that the order of ops in a block and the
nesting of regions say it all.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from croqtile_mlir.dialects.croq import ForeachOp


def block_around(op: Operation) -> Block:
    """The block that an op is in."""
    block = op.parent_block()
    if block is None:
        raise ValueError(f"{op.name} is in no block")
    return block


def common_block(a: Operation, b: Operation) -> Block | None:
    """The innermost block that has both ops, or ops around them."""
    block = a.parent_block()
    while block is not None and block.find_ancestor_op_in_block(b) is None:
        block = block.parent_block()
    return block


def always_before(a: Operation, b: Operation) -> bool:
    """Whether whenever `b` runs, `a` has run since its block was entered."""
    ancestor = block_around(a).find_ancestor_op_in_block(b)
    return ancestor is not None and a.is_before_in_block(ancestor)


def loops_around(op: Operation, outermost: Operation) -> list[Operation]:
    """The loops around an op and inside another op, innermost first."""
    loops: list[Operation] = []
    parent = op.parent_op()
    while parent is not None and parent is not outermost:
        if is_loop(parent):
            loops.append(parent)
        parent = parent.parent_op()
    return loops


def is_loop(op: Operation) -> bool:
    """Whether an op runs its region any number of times."""
    return isinstance(op, ForeachOp | scf.ForOp | scf.WhileOp)
