"""
What is under a condition that may hold in any iterations of a loop.

A few ways in which it holds are looked at (`loops.py`). They stand for all others where
what is under it goes on from where it was, however many iterations were left out:

    %next = scf.if %is_row -> (index) {
      croq.wait %full at %order          // not `at %k`
      ..
      scf.yield %order + 1
    } else {
      scf.yield %order
    }

Where nobody waits or arrives under it, all is ordered by what is done in all
iterations, and is looked at in each of these ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.sync.model import Expr, Variable
from croqtile_mlir.analysis.sync.tiles.drafts import LoopDraft
from croqtile_mlir.analysis.sync.tiles.regions import Regions, tiles_of
from croqtile_mlir.analysis.sync.tiles.values import Guarded
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.analysis.sync.verdicts import Undecided
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    LoadOp,
    Space,
    StoreOp,
    TriggerOp,
    WaitOp,
    event_type,
    tile_type,
)


def left_out(guarded: Guarded, regions: Regions) -> Undecided | None:
    """What under a condition may be somewhere else after iterations without it."""
    own = regions.anew(guarded.values)
    for region in guarded.op.regions:
        for block in region.blocks:
            branch = _Branch(guarded, block)
            if not any(map(_is_of_event, block.walk())):
                continue
            for op in block.walk():
                if any(branch.skips(at) for at in _positions(op, own)):
                    return Undecided(
                        op,
                        "where it is follows from the number of an iteration, and the "
                        "launch decides in which iterations it is; all else is proved",
                        "count the iterations in which the condition holds",
                    )
    return None


def _is_of_event(op: Operation) -> bool:
    """Whether an op waits for, or arrives at, what other scopes do."""
    if isinstance(op, WaitOp | TriggerOp):
        return not event_type(op.event).is_of_grid
    return op.name.startswith("nvvm.mbarrier.")


def _positions(op: Operation, regions: Regions) -> Iterator[Expr]:
    """The orders and slots, and the places in shared memory, of an op itself."""
    values = regions.values
    if isinstance(op, WaitOp | TriggerOp):
        position = op.position
        if not event_type(op.event).is_of_grid:
            yield from (values.index(v, op) for v in (position.base, position.offset))
        return
    if op.dialect_name() == "nvvm":
        numbers = (
            v for v in op.operands if isinstance(v.type, IndexType | IntegerType)
        )
        yield from map(values.value, numbers)
    for tile, _ in tiles_of(op):
        if tile_type(tile).memory_space is Space.Shared:
            window = regions.window(tile)
            if isinstance(op, LoadOp | StoreOp | AtomicOp):
                regions.narrow_to_element(window, op)
            yield from window.origins


@dataclass(frozen=True)
class _Branch:
    """A branch of a condition."""

    guarded: Guarded
    block: Block

    def skips(self, expr: Expr) -> bool:
        """Whether a value also changes in iterations without this branch."""
        around = self.guarded.draft
        seen: set[Expr] = set()
        todo = [expr]
        while todo:
            for part in parts_of(todo.pop()):
                if not isinstance(part, Variable) or part in seen:
                    continue
                seen.add(part)
                if part is around.counter:
                    return True
                for number, (inside, _) in around.carried.items():
                    if part is inside and not self._is_counted(number):
                        return True
                todo += self._sources(part)
        return False

    def _sources(self, variable: Variable) -> Iterator[Expr]:
        """What a value is made of that the body of the loop around computes."""
        values, around = self.guarded.values, self.guarded.draft
        for place, draft in values.drafts.items():
            if draft is around or not around.place.is_ancestor(place):
                continue
            if isinstance(draft, LoopDraft) and draft.counter is variable:
                yield draft.lower
            for number, names in draft.carried.items():
                if variable is names or (
                    isinstance(names, tuple) and variable in names
                ):
                    yield from map(values.value, draft.sources(number))

    def _is_counted(self, number: int) -> bool:
        """Whether what the loop carries stays as it is where the branch is left out."""
        values, condition = self.guarded.values, self.guarded.op.cond
        around = self.guarded.draft
        own = around.body_block.args[number + 1]
        following = around.sources(number)[1]
        if following is own:
            return True
        match choice := following.owner:
            case scf.IfOp():
                at = choice.results.index(following)
                regions = choice.true_region, choice.false_region
                then, other = (yielded(region.block)[at] for region in regions)
            case arith.SelectOp():
                then, other = choice.lhs, choice.rhs
            case _:
                return False
        if values.value(choice.cond) is not values.value(condition):
            return False
        is_then = self.block is self.guarded.op.true_region.first_block
        return (other if is_then else then) is own
