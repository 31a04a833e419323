"""
Webs: values that can share registers, and do where a move would be needed otherwise.

Candidates are an accumulator and the result that overwrites it, an argument of a block
and the values passed to it, and the lanes of a group and the registers that are split
from it or joined to it. Two values go into one web unless they interfere: one is live
where the other is defined, and they aren't the same value. A web is as wide as its
groups; a single register can sit in one lane of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, OpResult, SSAValue

from croqtile_mlir.analysis.ptx_liveness import Liveness, tied_operand
from croqtile_mlir.dialects.ptx.matrix import WgmmaMmaAsyncOp
from croqtile_mlir.dialects.ptx.operands import type_of
from croqtile_mlir.dialects.ptx.registers import JoinOp, SplitOp
from croqtile_mlir.dialects.ptx.types import GroupType, RegisterKind


@dataclass(eq=False)
class Web:
    """Values that are held in the same registers."""

    kind: RegisterKind
    lanes: int
    members: list[SSAValue]
    """The values that fill all lanes."""

    parts: dict[int, list[SSAValue]] = field(default_factory=dict[int, list[SSAValue]])
    """The single registers that sit in a lane."""

    overwritten: bool = False
    """Whether an instruction overwrites the registers in place, as `wgmma` does."""


@dataclass(frozen=True)
class Place:
    """The registers of a value: all of a web, or one lane of it."""

    web: Web
    lane: int | None = None


@dataclass
class Webs:
    """The web of every value of a kernel."""

    liveness: Liveness
    places: dict[SSAValue, Place] = field(default_factory=dict[SSAValue, Place])
    _others: dict[SSAValue, frozenset[SSAValue]] = field(
        default_factory=dict[SSAValue, frozenset[SSAValue]]
    )
    _identities: dict[tuple[SSAValue, int], tuple[SSAValue, int]] = field(
        default_factory=dict[tuple[SSAValue, int], tuple[SSAValue, int]]
    )

    def __post_init__(self) -> None:
        for value in self.values():
            value_type = type_of(value)
            web = Web(value_type.kind, value_type.lanes, [value])
            self.places[value] = Place(web)
        # The deepest first: what cannot share is moved, and better outside of a loop.
        ties = sorted(self._ties(), key=lambda tie: -tie[0])
        for _, kept, joined in ties:
            self._merge(kept, joined)
        for op in self.liveness.position:
            if isinstance(op, SplitOp):
                for index, lane in enumerate(op.lanes):
                    self._attach(lane, op.group, index)
            elif isinstance(op, JoinOp) and op.group in self.places:
                for index, lane in enumerate(op.lanes):
                    self._attach(lane, op.group, index)

    def values(self) -> Iterator[SSAValue]:
        """The values that need registers, in the order of the text."""
        for block in self.liveness.blocks:
            yield from block.args
            for op in block.ops:
                for result in op.results:
                    if result not in self.liveness.views:
                        yield result

    def _ties(self) -> Iterator[tuple[float, SSAValue, SSAValue]]:
        """Pairs that should share registers, each with its loop depth."""
        for op in self.liveness.position:
            index = tied_operand(op)
            if index is not None and op.parent is not None:
                # Before the edges of the same depth.
                depth = self.liveness.depth[op.parent] + 0.5
                yield depth, op.operands[index], op.results[0]
                if isinstance(op, WgmmaMmaAsyncOp):
                    self.places[op.results[0]].web.overwritten = True
        for edge in self.liveness.edges:
            depth = self.liveness.edge_depth(edge)
            for value, argument in zip(edge.values, edge.target.args, strict=True):
                yield depth, argument, value

    def share(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether two values are in the same registers."""
        return self.places[a] == self.places[b]

    def _merge(self, a: SSAValue, b: SSAValue) -> None:
        first, second = self.places[a].web, self.places[b].web
        if first is second or any(
            self._interfere(x, y) for x in first.members for y in second.members
        ):
            return
        if len(first.members) < len(second.members):
            first, second = second, first
        first.members += second.members
        first.overwritten |= second.overwritten
        for value in second.members:
            self.places[value] = Place(first)

    def _attach(self, value: SSAValue, group: SSAValue, lane: int) -> None:
        """Let a single register, with all that share it, be a lane of a group."""
        place, web = self.places[value], self.places[group].web
        if place.lane is not None or place.web is web:
            return
        singles = place.web.members
        others = [*web.members, *web.parts.get(lane, ())]
        if any(self._interfere(x, y, lane) for x in singles for y in others):
            return
        web.parts.setdefault(lane, []).extend(singles)
        for single in singles:
            self.places[single] = Place(web, lane)

    def _identity(self, value: SSAValue, lane: int) -> tuple[SSAValue, int]:
        """What a register holds: two with one identity hold the same value."""
        known = self._identities.get((value, lane))
        if known is not None:
            return known
        owner = value.owner
        if isinstance(owner, SplitOp) and isinstance(value, OpResult):
            found = self._identity(owner.group, value.index)
        elif isinstance(owner, JoinOp):
            found = self._identity(owner.lanes[lane], 0)
        else:
            found = value, lane if isinstance(value.type, GroupType) else 0
        self._identities[value, lane] = found
        return found

    def _interfere(self, a: SSAValue, b: SSAValue, lane: int | None = None) -> bool:
        """Whether two values cannot be in one register; `lane` is that of a group."""
        if lane is not None and self._identity(a, lane) == self._identity(b, lane):
            return False
        return self._clobbers(a, b) or self._clobbers(b, a)

    def _clobbers(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether `b` must be kept where `a` is defined."""
        block, position = self.liveness.definition(a)
        home, defined = self.liveness.definition(b)
        if home is block and defined == position:
            return True
        if self.liveness.live_after(b, block, position):
            return True
        return b in self._reads_after_tie(a)

    def _reads_after_tie(self, value: SSAValue) -> frozenset[SSAValue]:
        """
        What is read when a result has its registers already: the accumulator may be
        copied before the op, whose other operands are read after that.
        """
        found = self._others.get(value)
        if found is None:
            op = value.owner
            tied = tied_operand(op) if isinstance(op, Operation) else None
            operands = () if tied is None or isinstance(op, Block) else op.operands
            found = self._others[value] = frozenset(
                read
                for index, operand in enumerate(operands)
                if index != tied
                for read in self.liveness.reads_of(operand)
            )
        return found
