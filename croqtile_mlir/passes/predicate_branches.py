"""
`--predicate-branches`: short branches at which lanes part become predicated.

    %r = scf.if %odd -> (f32) {             %a = arith.mulf %x, %two : f32
      %a = arith.mulf %x, %two : f32        %b = arith.addf %x, %one : f32
      scf.yield %a : f32                    %r = arith.select %odd, %a, %b : f32
    } else {                          ->    scf.if %odd {
      %b = arith.addf %x, %one : f32          llvm.store %x, %p : f32, !llvm.ptr<1>
      llvm.store %x, %p : ..                } else {
      scf.yield %b : f32                    }
    }

A branch at which lanes of a warp part runs one side after the other, with jumps and
a place where they meet again. Without it both sides are one straight piece of code, of
which ptxas overlaps the parts: `arith.select` is `selp`, and a `scf.if` of one load or
store is that instruction under `@p`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.predication import (
    can_choose,
    cost_of,
    is_predicated,
    zero_of,
)
from croqtile_mlir.analysis.uniformity import Uniformity, uniformity
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

LIMIT = 7
"""Instructions of a side; the compilers of the vendor draw the line about there."""


@dataclass(frozen=True)
class PredicateBranchesPass(ModulePass):
    """
    Predicate the `scf.if`s of a kernel at which the lanes of a warp may part, where
    each side is at most `limit` instructions without barriers, loops, ops of a whole
    warp, copies by engines and divisions.

    Computations move out of the branch, loads and stores get a condition of their own,
    `arith.select` chooses results. Inner branches first, so that nests of them follow.
    A branch that a whole warp takes alike stays: it skips the other side. `limit=0`
    leaves all as they are.
    """

    name = "predicate-branches"

    limit: int = LIMIT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.limit < 0:
            fail(None, f"limit must be 0 or more, got {self.limit}")
        for function in op.walk():
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                branches = [op for op in function.walk() if isinstance(op, scf.IfOp)]
                for branch in reversed(branches):
                    if self._is_short(branch):
                        _predicate(branch)

    def _is_short(self, branch: scf.IfOp) -> bool:
        if is_predicated(branch) or not all(
            can_choose(result.type) for result in branch.output
        ):
            return False
        for block in _sides(branch):
            cost = cost_of(block)
            if cost is None or cost > self.limit:
                return False
        return uniformity(branch.cond) is Uniformity.THREAD


def _sides(branch: scf.IfOp) -> list[Block]:
    return [region.block for region in branch.regions if region.blocks]


def _predicate(branch: scf.IfOp) -> None:
    moved: list[Operation] = []
    yielded = [_Side(branch, block, moved).move_out() for block in _sides(branch)]
    before = LocatedBuilder.before(branch)
    results: list[SSAValue] = []
    for ours, theirs in zip(*yielded, strict=True) if branch.output else ():
        value = ours
        if ours is not theirs:
            value = before.insert(arith.SelectOp(branch.cond, ours, theirs)).result
        results.append(value)
    replace_values(branch, results)


@dataclass
class _Side:
    """Moves the ops of one side of a branch before it."""

    branch: scf.IfOp
    block: Block
    moved: list[Operation]
    """The computations that are there already, of both sides."""

    _condition: SSAValue | None = None

    def move_out(self) -> Sequence[SSAValue]:
        """What the side yields, once all of it is before the branch."""
        for op in tuple(self.block.ops):
            if isinstance(op, scf.YieldOp):
                return tuple(op.arguments)
            before = LocatedBuilder.before(self.branch)
            before.location = op.location
            op.detach()
            match op:
                case llvm_ext.LoadOp():
                    self._load(before, op)
                case llvm_ext.StoreOp():
                    before.insert(_guarded(self.condition(before), (), op))
                case scf.IfOp():
                    both = arith.AndIOp(self.condition(before), op.cond)
                    op.operands = [before.insert(both).result]
                    before.insert(op)
                case _:
                    self._compute(before, op)
        return ()

    def condition(self, before: LocatedBuilder) -> SSAValue:
        """In which lanes the side is executed."""
        if self.block is self.branch.true_region.block:
            return self.branch.cond
        if self._condition is None:
            inverse = arith.XOrIOp(self.branch.cond, before.i1(True))
            self._condition = before.insert(inverse).result
        return self._condition

    def _compute(self, before: LocatedBuilder, op: Operation) -> None:
        """Sides often compute the same addresses: once is enough."""
        before.insert(op)
        for other in self.moved:
            if _is_twin(op, other):
                replace_values(op, other.results)
                return
        self.moved.append(op)

    def _load(self, before: LocatedBuilder, load: llvm_ext.LoadOp) -> None:
        zero = zero_of(load.result.type)
        assert zero is not None
        otherwise = before.insert(zero).results[0]
        guarded = _guarded(self.condition(before), (otherwise,), load)
        guarded.results[0].name_hint = load.result.name_hint
        load.result.replace_uses_with_if(
            guarded.results[0], lambda use: use.operation.parent_op() is not guarded
        )
        before.insert(guarded)


def _guarded(
    condition: SSAValue, otherwise: Sequence[SSAValue], op: Operation
) -> scf.IfOp:
    """A `scf.if` of one op, or else a value."""
    then = Block([op, scf.YieldOp(*op.results)])
    other = Region(Block([scf.YieldOp(*otherwise)]) if otherwise else ())
    types = [value.type for value in otherwise]
    made = scf.IfOp(condition, types, Region(then), other)
    made.location = op.location
    return made


def _is_twin(op: Operation, other: Operation) -> bool:
    return (
        type(op) is type(other)
        and tuple(op.operands) == tuple(other.operands)
        and op.properties == other.properties
        and op.attributes == other.attributes
        and [r.type for r in op.results] == [r.type for r in other.results]
    )
