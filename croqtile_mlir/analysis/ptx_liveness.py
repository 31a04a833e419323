"""
Where the values of a kernel at the ptx level are live, and which blocks are in loops.

A value is live from its definition to its last use on every path. An edge between
blocks reads the values that the branch passes; the arguments of a block are defined,
all at once, at its start. A `ptx.join` that only instructions read is another spelling
of its lanes: what uses the group uses the lanes (`is_view`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    ConditionalBranchOp,
    FallthroughOp,
)
from croqtile_mlir.dialects.ptx.matrix import WgmmaMmaAsyncOp
from croqtile_mlir.dialects.ptx.memory import LoadOp
from croqtile_mlir.dialects.ptx.registers import JoinOp, SplitOp
from croqtile_mlir.dialects.ptx.structure import EntryOp


@dataclass(frozen=True, eq=False)
class Edge:
    """A way from a block to another, and the values that it passes."""

    source: Block
    target: Block
    values: tuple[SSAValue, ...]
    branch: Operation


def edges_from(block: Block) -> tuple[Edge, ...]:
    """The edges that leave a block, the jump of a conditional branch first."""
    branch = block.last_op
    match branch:
        case BranchOp():
            return (Edge(block, branch.target, tuple(branch.arguments), branch),)
        case FallthroughOp():
            return (Edge(block, branch.next, tuple(branch.arguments), branch),)
        case ConditionalBranchOp():
            taken = tuple(branch.target_arguments)
            other = tuple(branch.next_arguments)
            return (
                Edge(block, branch.target, taken, branch),
                Edge(block, branch.next, other, branch),
            )
        case _:
            return ()


BRANCHES = (BranchOp, ConditionalBranchOp, FallthroughOp)


def is_view(op: Operation) -> bool:
    """
    Whether an op is a join that has no registers of its own: instructions only read it,
    none overwrites it, no branch passes it, and it isn't split again.
    """
    return isinstance(op, JoinOp) and not any(
        isinstance(use.operation, (*BRANCHES, SplitOp))
        or use.index == tied_operand(use.operation)
        for use in op.group.uses
    )


def tied_operand(op: Operation) -> int | None:
    """The operand of an op whose registers its result takes over, if there is one."""
    if isinstance(op, LoadOp) and op.otherwise is not None:
        return 1
    return 0 if isinstance(op, WgmmaMmaAsyncOp) else None


@dataclass
class Liveness:
    """
    Positions and live ranges of the values of a kernel. A position counts ops through
    the text; a block's arguments have the position before its first op.
    """

    entry: EntryOp
    edges: list[Edge] = field(default_factory=list[Edge])
    start: dict[Block, int] = field(default_factory=dict[Block, int])
    position: dict[Operation, int] = field(default_factory=dict[Operation, int])
    live_in: dict[Block, set[SSAValue]] = field(
        default_factory=dict[Block, set[SSAValue]]
    )
    live_out: dict[Block, set[SSAValue]] = field(
        default_factory=dict[Block, set[SSAValue]]
    )
    last_use: dict[Block, dict[SSAValue, int]] = field(
        default_factory=dict[Block, dict[SSAValue, int]]
    )
    depth: dict[Block, int] = field(default_factory=dict[Block, int])
    """How many loops a block is in."""

    loops: list[set[Block]] = field(default_factory=list[set[Block]])
    _defined: dict[SSAValue, tuple[Block, int]] = field(
        default_factory=dict[SSAValue, tuple[Block, int]]
    )
    views: dict[SSAValue, JoinOp] = field(default_factory=dict[SSAValue, JoinOp])
    """The groups that are only another spelling of their lanes."""

    def __post_init__(self) -> None:
        self._number()
        self._find_ranges()
        self._find_loops()

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the kernel in the order of the text."""
        return list(self.start)

    def _number(self) -> None:
        count = 0
        for block in self.entry.body.blocks:
            self.start[block] = count
            self.live_in[block] = set()
            self.live_out[block] = set()
            self.last_use[block] = {}
            for op in block.ops:
                count += 1
                self.position[op] = count
                if isinstance(op, JoinOp) and is_view(op):
                    self.views[op.group] = op
            self.edges += edges_from(block)
            count += 1

    def _find_ranges(self) -> None:
        predecessors: dict[Block, list[Block]] = {block: [] for block in self.start}
        for edge in self.edges:
            predecessors[edge.target].append(edge.source)
        for block in self.start:
            uses = self.last_use[block]
            for op in block.ops:
                position = self.position[op]
                for value in op.operands:
                    for read in self.reads_of(value):
                        uses[read] = position
            for value in uses:
                if _home(value) is not block:
                    self._extend(value, block, predecessors)

    def reads_of(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose registers an operand names: itself, or a view's lanes."""
        view = self.views.get(value)
        return (value,) if view is None else view.lanes

    def _extend(
        self, value: SSAValue, block: Block, predecessors: dict[Block, list[Block]]
    ) -> None:
        """Mark a value live into a block, and on all ways there from its definition."""
        home = _home(value)
        pending = [block]
        while pending:
            current = pending.pop()
            if value in self.live_in[current]:
                continue
            self.live_in[current].add(value)
            for predecessor in predecessors[current]:
                self.live_out[predecessor].add(value)
                if predecessor is not home:
                    pending.append(predecessor)

    def _find_loops(self) -> None:
        successors: dict[Block, list[Block]] = {block: [] for block in self.start}
        predecessors: dict[Block, list[Block]] = {block: [] for block in self.start}
        for edge in self.edges:
            successors[edge.source].append(edge.target)
            predecessors[edge.target].append(edge.source)
        for tail, head in _retreating(self.entry.body.blocks[0], successors):
            body = {head}
            pending = [tail]
            while pending:
                block = pending.pop()
                if block not in body:
                    body.add(block)
                    pending += predecessors[block]
            self.loops.append(body)
        self.depth = {
            block: sum(block in body for body in self.loops) for block in self.start
        }

    def definition(self, value: SSAValue) -> tuple[Block, int]:
        """The block and the position where a value is defined."""
        found = self._defined.get(value)
        if found is None:
            block = _home(value)
            op = value.owner
            if isinstance(op, Operation):
                found = block, self.position[op]
            else:
                found = block, self.start[block]
            self._defined[value] = found
        return found

    def live_after(self, value: SSAValue, block: Block, position: int) -> bool:
        """Whether a value is still read after a position in a block, or on from it."""
        home, defined = self.definition(value)
        if home is block:
            if defined > position:
                return False
        elif value not in self.live_in[block]:
            return False
        if value in self.live_out[block]:
            return True
        return self.last_use[block].get(value, -1) > position

    def edge_depth(self, edge: Edge) -> int:
        """How many loops an edge is in."""
        return sum(edge.source in body and edge.target in body for body in self.loops)


def _home(value: SSAValue) -> Block:
    if isinstance(value, BlockArgument):
        return value.block
    op = value.owner
    assert isinstance(op, Operation)
    assert op.parent is not None
    return op.parent


def _retreating(
    root: Block, successors: dict[Block, list[Block]]
) -> Iterator[tuple[Block, Block]]:
    """The edges, as (tail, head), that go back on a depth-first walk."""
    active: set[Block] = set()
    done: set[Block] = set()
    stack: list[tuple[Block, Iterator[Block]]] = [(root, iter(successors[root]))]
    active.add(root)
    while stack:
        block, rest = stack[-1]
        target = next(rest, None)
        if target is None:
            stack.pop()
            active.discard(block)
            done.add(block)
        elif target in active:
            yield block, target
        elif target not in done:
            active.add(target)
            stack.append((target, iter(successors[target])))
