"""
Whether registers of accumulators are touched while `wgmma` may still write them.

PTX ISA, "wgmma.fence", "wgmma.wait_group": the registers of a product are in use until
its group is waited for, and what else wrote them is ordered by a fence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from xdsl.dialects import scf
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.llvm_ext import FuncOp

_Ops = frozenset[Operation]
_NONE: _Ops = frozenset()
_MOST_GROUPS = 8
_PASSES_ON = (scf.YieldOp, scf.ForOp, scf.IfOp, scf.WhileOp, scf.ConditionOp)


@dataclass(frozen=True)
class _State:
    """What is going on at a place, at worst."""

    written: _Ops = _NONE
    """What wrote registers since the last fence."""

    open: _Ops = _NONE
    """Products in no group."""

    groups: tuple[_Ops, ...] = ()
    """Products in flight by group, the newest first."""

    def joined(self, other: _State) -> _State:
        """Either of two."""
        pairs = zip_longest(self.groups, other.groups, fillvalue=_NONE)
        groups = tuple(a | b for a, b in pairs)
        return _State(self.written | other.written, self.open | other.open, groups)

    def committed(self) -> _State:
        """With the open products in a group."""
        groups = (self.open, *self.groups)
        if len(groups) > _MOST_GROUPS:
            oldest = _NONE.union(*groups[_MOST_GROUPS - 1 :])
            groups = (*groups[: _MOST_GROUPS - 1], oldest)
        return replace(self, open=_NONE, groups=groups)

    def in_flight(self) -> _Ops:
        """All products that are not surely over."""
        return self.open.union(*self.groups)


@dataclass
class _Check:
    sources: dict[SSAValue, _Ops] = field(default_factory=dict[SSAValue, _Ops])

    def block(self, block: Block, state: _State) -> _State:
        for op in block.ops:
            state = self._op(op, state)
        return state

    def _op(self, op: Operation, state: _State) -> _State:
        match op:
            case nvvm.WgmmaFenceAlignedOp():
                return replace(state, written=_NONE)
            case nvvm.WgmmaCommitGroupOp():
                return state.committed()
            case nvvm.WgmmaWaitGroupOp():
                return replace(state, groups=state.groups[: op.group.value.data])
            case nvvm.WgmmaMmaAsyncOp():
                self._check_fence(op, state)
                return replace(state, open=state.open | {op})
            case scf.ForOp() | scf.WhileOp():
                return self._loop(op, state)
            case scf.IfOp():
                outcomes = [
                    self.block(region.block, state) if region.blocks else state
                    for region in op.regions
                ]
                return outcomes[0].joined(outcomes[1])
            case _:
                if not isinstance(op, _PASSES_ON):
                    self._check_use(op, state)
                if any(isinstance(r.type, LLVMStructType) for r in op.results):
                    return replace(state, written=state.written | {op})
                return state

    def _loop(self, op: scf.ForOp | scf.WhileOp, state: _State) -> _State:
        while True:
            after = state
            for region in op.regions:
                after = self.block(region.block, after)
            joined = state.joined(after)
            if joined == state:
                return state
            state = joined

    def _check_use(self, op: Operation, state: _State) -> None:
        if not (flying := state.in_flight()):
            return
        for operand in op.operands:
            if not isinstance(operand.type, LLVMStructType):
                continue
            for product in self.made_by(operand) & flying:
                raise _Found(
                    Refuted(
                        Rule.ACCUMULATOR,
                        op,
                        f"{Rule.ACCUMULATOR}: must use registers whose products are "
                        "waited for, got ones that a product may still write",
                        notes=((product, "the product is here"),),
                        hint="put nvvm.wgmma.wait.group.sync.aligned before",
                    )
                )

    def _check_fence(self, op: nvvm.WgmmaMmaAsyncOp, state: _State) -> None:
        for writer in self.made_by(op.accumulator) & state.written:
            raise _Found(
                Refuted(
                    Rule.ACCUMULATOR,
                    op,
                    f"{Rule.ACCUMULATOR}: must have nvvm.wgmma.fence.aligned between "
                    "other writes of its registers and itself, got none",
                    notes=((writer, "the registers are written here"),),
                    hint="put nvvm.wgmma.fence.aligned before the first product",
                )
            )

    def made_by(self, value: SSAValue) -> _Ops:
        """The ops that may have made a value, through loops and conditionals."""
        known = self.sources.get(value)
        if known is not None:
            return known
        found: set[Operation] = set()
        seen: set[SSAValue] = set()
        todo = [value]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            incoming = _incoming(current)
            todo += incoming
            if not incoming and isinstance(current.owner, Operation):
                found.add(current.owner)
        self.sources[value] = frozenset(found)
        return self.sources[value]


def _incoming(value: SSAValue) -> list[SSAValue]:
    """The values that a loop or conditional hands on under this name."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        number = value.index - 1
    else:
        loop, number = owner, getattr(value, "index", 0)
    if isinstance(loop, scf.ForOp) and number >= 0:
        last = loop.body.block.last_op
        return [loop.iter_args[number], *_operand(last, number)]
    if isinstance(loop, scf.IfOp) and not isinstance(value, BlockArgument):
        ends = [region.block.last_op for region in loop.regions if region.blocks]
        return [operand for end in ends for operand in _operand(end, number)]
    return []


def _operand(op: Operation | None, number: int) -> Iterable[SSAValue]:
    return [] if op is None else [op.operands[number]]


class _Found(Exception):
    def __init__(self, what: Refuted):
        super().__init__(what.message)
        self.what = what


def misused_accumulator(function: FuncOp) -> Refuted | None:
    """The first use of an accumulator that comes too early."""
    check, state = _Check(), _State()
    try:
        for block in function.body.blocks:
            state = check.block(block, state)
    except _Found as found:
        return found.what
    return None
