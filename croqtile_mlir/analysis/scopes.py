"""
Who executes an op: the block, a role, or each single thread.

A croq op outside `parallel : thread` is executed once by its scope, collectively: by
the enclosing role, else by the whole block. Inside `parallel : thread` every thread
executes it for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import KernelOp, Level, ParallelOp, RoleOp
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

WARP_THREADS = 32

THREADS_OF: Mapping[Level, int] = MappingProxyType(
    {Level.Warpgroup: WARPGROUP_THREADS, Level.Warp: WARP_THREADS}
)
"""The threads of an instance of a level that has several."""

DEFAULT_THREADS = 128
"""Threads of a block that says nothing about them."""


@dataclass(frozen=True)
class Scope:
    """
    The threads that execute an op together.

    `root` is the role, or the block-level `croq.parallel`. `per_thread` is set inside
    `parallel : thread`, where each of them executes the op for itself.
    """

    root: RoleOp | ParallelOp
    first_thread: int
    num_threads: int
    per_thread: bool = False

    @property
    def num_warps(self) -> int:
        """Number of whole warps."""
        return self.num_threads // WARP_THREADS

    @property
    def is_block(self) -> bool:
        """Whether the whole block is the scope."""
        return isinstance(self.root, ParallelOp)


def kernel_of(op: Operation) -> KernelOp:
    """The kernel around an op; a located error when there is none."""
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, KernelOp):
        parent = parent.parent_op()
    if parent is None:
        fail(op, "must be inside croq.kernel")
    return parent


def block_of(op: Operation) -> ParallelOp:
    """The `parallel : block` around an op; a located error when there is none."""
    parent: Operation | None = op
    while parent is not None:
        if isinstance(parent, ParallelOp) and parent.level.data is Level.Block:
            return parent
        parent = parent.parent_op()
    fail(op, "must be inside croq.parallel of level block")


def blocks_in(root: Operation) -> list[ParallelOp]:
    """The `parallel : block` ops inside an op."""
    return [
        op
        for op in root.walk()
        if isinstance(op, ParallelOp) and op.level.data is Level.Block
    ]


def scope_of(op: Operation) -> Scope:
    """
    The scope that executes an op.

    For a role or block-level `croq.parallel` itself: the scope of its body.
    """
    root, per_thread = _root_of(op)
    if isinstance(root, RoleOp):
        return Scope(root, root.first_thread, root.num_threads, per_thread=per_thread)
    return Scope(root, 0, _threads_of(root), per_thread=per_thread)


def scope_root(op: Operation) -> RoleOp | ParallelOp:
    """The root of the scope that executes an op; its threads are not counted."""
    return _root_of(op)[0]


def _root_of(op: Operation) -> tuple[RoleOp | ParallelOp, bool]:
    """The root of a scope, and whether each thread executes the op for itself."""
    per_thread = False
    parent: Operation | None = op
    while parent is not None:
        if isinstance(parent, RoleOp):
            return parent, per_thread
        if isinstance(parent, ParallelOp):
            if parent.level.data is Level.Block:
                return parent, per_thread
            if parent is not op and parent.level.data is Level.Thread:
                per_thread = True
        parent = parent.parent_op()
    fail(op, "must be inside croq.parallel of level block")


def block_threads(block: ParallelOp) -> int:
    """
    The number of threads of a block.

    From its roles and inner levels, else from `threads`, else `DEFAULT_THREADS`. A
    located error when roles and inner levels disagree with `threads` or each other.
    """
    stated = None if block.threads is None else block.threads.value.data
    needed = _needed_threads(block)
    for op in needed.values():
        if isinstance(op, ParallelOp):
            _check_nested(op)
    if stated is not None:
        for threads, op in needed.items():
            if threads > stated:
                fail(
                    op,
                    f"must fit in the {stated} threads of the block, got {threads}",
                    notes=[(block, "the block is here")],
                )
    threads = _threads_of(block)
    if stated is None and threads > 1024:
        most = max(needed)
        fail(needed[most], f"must have at most 1024 threads in a block, got {most}")
    return threads


def _threads_of(block: ParallelOp) -> int:
    """The number of threads of a block, without any check."""
    if block.threads is not None:
        return block.threads.value.data
    needed = _needed_threads(block)
    if not needed:
        return DEFAULT_THREADS
    return -(-max(needed) // WARP_THREADS) * WARP_THREADS


def _needed_threads(block: ParallelOp) -> dict[int, Operation]:
    """The threads that roles and inner levels take, each with an op that takes them."""
    # Most ops have no regions, and this is asked for very often.
    around = [op for op in block.body.block.ops if op.regions]
    roles = [op for op in around if isinstance(op, RoleOp)]
    needed: dict[int, Operation] = {}
    if roles:
        last = max(roles, key=lambda role: role.first_thread + role.num_threads)
        needed[last.first_thread + last.num_threads] = last
    for op in around:
        for inner in _outermost_levels(op) if not isinstance(op, RoleOp) else ():
            needed.setdefault(inner_threads(inner), inner)
    return needed


def _outermost_levels(op: Operation) -> Iterator[ParallelOp]:
    """The `croq.parallel` ops of an op that no other one inside it is around."""
    if isinstance(op, ParallelOp):
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    yield from _outermost_levels(inner)


def scope_parallel(op: Operation) -> ParallelOp | None:
    """The nearest `croq.parallel` around an op."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ParallelOp):
        parent = parent.parent_op()
    return parent


def threads_around(level: ParallelOp) -> int:
    """The threads that a `parallel` below level block divides."""
    around = scope_parallel(level)
    if around is None or around.level.data is Level.Block:
        return scope_of(level).num_threads
    instances = 1
    for extent in around.extent_values:
        instances *= extent if isinstance(extent, int) else 1
    return inner_threads(around) // instances


def inner_threads(parallel: ParallelOp) -> int:
    """The threads that a `parallel` below level block takes, nested ones included."""
    instances = 1
    for extent in parallel.extent_values:
        if isinstance(extent, SSAValue | str):
            fail(parallel, "must have constant extents below level block")
        instances *= extent
    return instances * THREADS_OF.get(parallel.level.data, 1)


def _check_nested(parallel: ParallelOp) -> None:
    """A located error where levels do not fit in the instances of those around them."""
    unit = THREADS_OF.get(parallel.level.data, 1)
    for inner in parallel.body.block.ops:
        for op in _outermost_levels(inner):
            _check_nested(op)
            nested = inner_threads(op)
            if nested > unit:
                fail(
                    op,
                    f"must fit in the {unit} threads of a {parallel.level.data.value}, "
                    f"got {nested}",
                    notes=[(parallel, f"the {parallel.level.data.value} is here")],
                )
