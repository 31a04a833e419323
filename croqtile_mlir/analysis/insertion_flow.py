"""
Where to insert barriers or fences: a forward data flow over structured control flow.

The state is a set of facts about what was done and is not yet settled. An op may need
something before it that settles them. The flow finds places for it: through loops,
which may run zero times, and branches; outside of a loop or branch where what was
before it is the reason; and none that the others make spare.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from croqtile_mlir.analysis.program_order import is_loop
from croqtile_mlir.dialects.croq import ElementwiseOp

FactT = TypeVar("FactT")


class InsertionFlow(ABC, Generic[FactT]):
    """One kind of op to insert; `needed` are the ops that get one before them."""

    def __init__(self) -> None:
        self.needed: set[Operation] = set()
        self.only_check = False
        """Whether to note a missing op in `found` instead of adding it."""
        self.found = False
        self._steps: dict[
            tuple[Operation, frozenset[FactT]], tuple[bool, frozenset[FactT]]
        ] = {}
        """For ops without regions in a state: whether they must not run in it, and the
        state after. The flow comes to most of them many times."""

    @abstractmethod
    def settled(self, state: frozenset[FactT]) -> frozenset[FactT]:
        """What is left of a state after the op that is inserted."""

    @abstractmethod
    def needs(self, op: Operation, state: frozenset[FactT]) -> bool:
        """Whether an op, as a whole, must not run in a state."""

    @abstractmethod
    def after(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after an op, but for what `block` and `regions` take care of."""

    def next_iteration(
        self, op: Operation, state: frozenset[FactT]
    ) -> frozenset[FactT]:
        """The state after an iteration of a loop, as the next sees it."""
        return state

    def leave(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after the regions of an op, as seen from outside."""
        return state

    @contextmanager
    def checking(self) -> Generator[None]:
        """Only look for what is missing, starting with nothing found."""
        saved = self.only_check, self.found
        self.only_check, self.found = True, False
        yield
        self.only_check, self.found = saved

    def block(self, block: Block, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after the ops of a block."""
        for op in block.ops:
            if self.found:
                # That is all that a check asks for.
                break
            # The body of a computation for each element has no effects of its own.
            if op.regions and not isinstance(op, ElementwiseOp):
                state = self.regions(op, state)
            else:
                state = self._step(op, state)
        return state

    def _step(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after an op without regions, as `before` and `after` make it."""
        state = self.here(op, state)
        step = self._steps.get((op, state))
        if step is None:
            needed = self.needs(op, state)
            settled = self.settled(state) if needed else state
            step = self._steps[op, state] = needed, self.after(op, settled)
        if step[0]:
            self._require(op)
        return step[1]

    def _require(self, op: Operation) -> None:
        """Make a place before an op, or note that one is missing."""
        if self.only_check:
            self.found = True
        else:
            self.needed.add(op)

    def before(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state in which an op runs; makes a place before it if it needs one."""
        state = self.here(op, state)
        if not self.needs(op, state):
            return state
        self._require(op)
        return self.settled(state)

    def here(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state before an op, settled if the op has its place already."""
        return self.settled(state) if op in self.needed else state

    def regions(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after an op with regions."""
        if is_loop(op):
            return self.hoisting(op, state)
        return self.inside(op, self.here(op, state))

    def hoisting(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """
        Like `inside`, but what only the state before an op calls for goes before it.
        """
        if not self.only_check:
            self.inside(op, frozenset())
            with self.checking():
                self.inside(op, self.here(op, state))
                late = self.found
            if late:
                self.needed.add(op)
        return self.inside(op, self.here(op, state))

    def inside(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state after the regions of an op that is entered in a state."""
        if is_loop(op):
            return self.leave(op, self._iterate(op, state))
        ends = [
            self.block(region.block, state) for region in op.regions if region.blocks
        ]
        if not _always_enters(op):
            ends.append(state)
        return self.leave(op, frozenset[FactT]().union(*ends))

    def _iterate(self, op: Operation, state: frozenset[FactT]) -> frozenset[FactT]:
        """The state in which a loop ends: after any number of iterations."""
        while True:
            after = state
            for region in op.regions:
                after = self.block(region.block, after)
            joined = state | self.next_iteration(op, after)
            if joined == state:
                break
            state = joined
        if isinstance(op, scf.WhileOp):
            # It ends between its regions.
            return self.block(op.before_region.block, state)
        return state

    def places(self, root: Operation) -> list[Operation]:
        """The ops inside an op that need something before them, in program order."""
        self._run(root)
        order = [op for op in root.walk() if op in self.needed]
        # One place may do for what another was made for: the inner ones go first.
        for op in sorted(order, key=_depth, reverse=True):
            self.needed.discard(op)
            with self.checking():
                self._run(root)
                spare = not self.found
            if not spare:
                self.needed.add(op)
        return [op for op in order if op in self.needed]

    def _run(self, root: Operation) -> None:
        for region in root.regions:
            self.block(region.block, frozenset())


def _always_enters(op: Operation) -> bool:
    """Whether one of the regions of an op always runs."""
    if isinstance(op, scf.IfOp):
        return bool(op.false_region.blocks)
    return False


def _depth(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else 1 + _depth(parent)
