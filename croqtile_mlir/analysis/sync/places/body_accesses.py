"""
The accesses of a body of threads, between the places where the threads meet.

A *run* is what nothing orders between two threads: each access in it may come before or
after each other one. A loop with a barrier gives a run from its last barrier around to
its first, in which the accesses at the end are of an iteration before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    BarrierOp,
    ForeachOp,
    LoadOp,
    ParallelOp,
    Space,
    StoreOp,
    WarpBarrierOp,
    WarpgroupBarrierOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import constant_value
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

Element = LoadOp | StoreOp | AtomicOp
Loop = ForeachOp | scf.ForOp


@dataclass(frozen=True)
class Visit:
    """An access in a run."""

    op: Element
    turned: frozenset[Operation] = frozenset()
    """The loops of which it is in the next iteration."""

    in_step: frozenset[Operation] = frozenset()
    """The loops around it in which the threads meet: they share the iteration."""


Run = list[Visit]


def is_write(op: Element) -> bool:
    """Whether memory changes."""
    return not isinstance(op, LoadOp)


class Group(IntEnum):
    """Threads that meet: the fewer, the more often."""

    WARP = WARP_THREADS
    WARPGROUP = WARPGROUP_THREADS
    SCOPE = 1 << 16
    """All of them; more than there are."""


def runs_of(ops: Iterable[Operation], group: Group) -> list[Run]:
    """The runs of a body between the places where all threads of a group meet."""
    found = _Walk(group)
    found.ops(ops)
    runs = [*found.closed, *(each.run for each in found.open)]
    return [run for run in runs if any(is_write(v.op) for v in run)]


@dataclass
class _Open:
    """What was accessed since the last barrier, on one way through the loops."""

    run: Run = field(default_factory=list["Visit"])
    from_start: bool = False
    """There was none yet."""


@dataclass
class _Walk:
    """Takes a sequence apart where threads meet."""

    group: Group
    open: list[_Open] = field(default_factory=lambda: [_Open(from_start=True)])
    closed: list[Run] = field(default_factory=list["Run"])
    first: list[Run] = field(default_factory=list["Run"])
    """Closed ones from the start on."""

    def ops(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if self._meets(op):
                self._close([[]])
                self.open = [_Open()]
            elif isinstance(op, Element):
                if tile_type(op.tile).memory_space is not Space.Register:
                    self._add([Visit(op)])
            elif isinstance(op, ParallelOp):
                self.ops(op.body.block.ops)
            elif isinstance(op, Loop):
                if not never_runs(op):
                    self._loop(op)
            else:
                for region in op.regions:
                    for block in region.blocks:
                        self._branch(block)

    def _add(self, run: Run) -> None:
        for each in self.open:
            each.run += run

    def _close(self, following: list[Run]) -> None:
        """A barrier comes after what is open and one of these."""
        for each in self.open:
            runs = [[*each.run, *run] for run in following]
            self.closed += runs
            if each.from_start:
                self.first += runs

    def _branch(self, block: Block) -> None:
        """What orders threads in a branch is left out."""
        inner = _Walk(self.group)
        inner.ops(block.ops)
        for run in (*inner.closed, *(each.run for each in inner.open)):
            self._add(run)

    def _loop(self, loop: Loop) -> None:
        inner = _Walk(self.group)
        inner.ops(loop.body.block.ops)
        if not inner.closed:
            self._add(inner.open[0].run)
            return
        through = [each.run for each in inner.open if each.from_start]
        first = [_in_step(run, loop) for run in (*inner.first, *through)]
        last = [_in_step(each.run, loop) for each in inner.open]
        self.closed += [_in_step(run, loop) for run in inner.closed]
        for end in last:
            for run in first:
                turned = [replace(v, turned=v.turned | {loop}) for v in run]
                self.closed.append([*end, *turned])
        before = self.open
        self._close(first)
        # Without an iteration what is before the loop meets what is after it.
        skipped = [] if surely_runs(loop) else before
        self.open = [*skipped, *(_Open(list(run)) for run in last)]

    def _meets(self, op: Operation) -> bool:
        """Whether an op orders all threads of a group."""
        meeting = meeting_of(op)
        return meeting is not None and self.group <= meeting


def meeting_of(op: Operation) -> Group | None:
    """The threads that an op orders; None: it does not order all of any group."""
    match op:
        case BarrierOp():
            return Group.SCOPE
        case WarpgroupBarrierOp():
            return Group.WARPGROUP
        case WarpBarrierOp() if op.mask is None or constant_value(op.mask) == -1:
            return Group.WARP
        case _:
            return None


def _in_step(run: Run, loop: Loop) -> Run:
    return [replace(v, in_step=v.in_step | {loop}) for v in run]


def turns_of(loop: Loop) -> range | None:
    """The values of the counter of a loop with constant bounds."""
    lower, upper, step = _bounds(loop)
    if lower is None or upper is None or step is None or step < 1:
        return None
    return range(lower, upper, step)


def most_turns_of(loop: Loop) -> range | None:
    """
    The values of a counter as if it began at 0, where only that is no constant.

    There are no more turns where it begins at no less.
    """
    _, upper, step = _bounds(loop)
    if upper is None or upper < 1 or step is None or step < 1:
        return None
    return range(0, upper, step)


MOST_LISTED = 64
"""Values of a counter around a body that are gone through."""


def listed(symbol: SSAValue | str, root: Operation) -> range | None:
    """The values of a counter of a loop around a body, if they are constant and few."""
    if isinstance(symbol, str) or isinstance(symbol.owner, Operation):
        return None
    loop = symbol.owner.parent_op()
    if not isinstance(loop, Loop) or symbol is not loop.body.block.args[0]:
        return None
    turns = None if root.is_ancestor(loop) else turns_of(loop)
    return turns if turns is not None and 0 < len(turns) <= MOST_LISTED else None


def _bounds(loop: Loop) -> tuple[int | None, int | None, int | None]:
    def known(bound: Index) -> int | None:
        if isinstance(bound, SSAValue):
            return constant_value(bound)
        return bound if isinstance(bound, int) else None

    lower, upper, step = bounds_of(loop)
    return known(lower), known(upper), known(step)


def bounds_of(loop: Loop) -> tuple[Index, Index, Index]:
    """The lower and upper bound of a loop, and its step."""
    if isinstance(loop, scf.ForOp):
        return loop.lb, loop.ub, loop.step
    return loop.lower, loop.upper, loop.step


def surely_runs(loop: Loop) -> bool:
    """Whether a loop has an iteration, whatever a launch decides."""
    turns = turns_of(loop)
    return turns is not None and len(turns) > 0


def never_runs(op: Operation) -> bool:
    """Whether an op is a loop without iterations in any launch."""
    turns = turns_of(op) if isinstance(op, Loop) else None
    return turns is not None and not turns


def outermost_levels(block: ParallelOp) -> Iterator[ParallelOp]:
    """The bodies of a block that are each thread's own and run: those in no other."""
    todo: list[Operation] = [*block.body.block.ops]
    while todo:
        op = todo.pop(0)
        if isinstance(op, ParallelOp):
            yield op
        elif not never_runs(op):
            todo += [i for r in op.regions for b in r.blocks for i in b.ops]


def around(op: Operation, root: Operation) -> list[Operation]:
    """The ops between an op and one around it, the outermost first."""
    found: list[Operation] = []
    parent = op.parent_op()
    while parent is not None and parent is not root:
        found.append(parent)
        parent = parent.parent_op()
    return found[::-1]


def defined_inside(value: SSAValue, root: Operation) -> bool:
    """Whether a value is of an op inside another, or of an argument there."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    if op is root:
        return not isinstance(owner, Operation)
    return op is not None and root.is_ancestor(op)
