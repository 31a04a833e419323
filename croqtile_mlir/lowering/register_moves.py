"""The moves that are left when values could not share registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.ptx_liveness import Edge, Liveness, edges_from, tied_operand
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.ptx.control import (
    BranchOp,
    ConditionalBranchOp,
    FallthroughOp,
    LabelOp,
)
from croqtile_mlir.dialects.ptx.registers import JoinOp, SplitOp
from croqtile_mlir.dialects.ptx.types import RegisterKind
from croqtile_mlir.lowering.parallel_moves import Move, Names, in_sequence, move_op
from croqtile_mlir.lowering.register_webs import Web, Webs

PREFIXES = {
    RegisterKind.Predicate: "%p",
    RegisterKind.B16: "%rs",
    RegisterKind.B32: "%r",
    RegisterKind.B64: "%rd",
    RegisterKind.F32: "%f",
    RegisterKind.F64: "%fd",
}
"""The names of registers, as NVIDIA's compilers write them; no special register's."""


@dataclass
class RegisterNames:
    """Names given out so far, and the registers of each value."""

    webs: Webs
    names: dict[SSAValue, Names] = field(default_factory=dict[SSAValue, Names])
    _counts: dict[RegisterKind, int] = field(default_factory=dict[RegisterKind, int])

    def __post_init__(self) -> None:
        of_web: dict[Web, Names] = {}
        for value in self.webs.values():
            place = self.webs.places[value]
            if place.web not in of_web:
                of_web[place.web] = self.new(place.web.kind, place.web.lanes)
            names = of_web[place.web]
            self.names[value] = names if place.lane is None else (names[place.lane],)
        for group, view in self.webs.liveness.views.items():
            self.names[group] = tuple(self.names[lane][0] for lane in view.lanes)

    def new(self, kind: RegisterKind, count: int) -> Names:
        """Registers that no value is in."""
        first = self._counts.get(kind, 0)
        self._counts[kind] = first + count
        return tuple(f"{PREFIXES[kind]}{first + i}" for i in range(count))


@dataclass
class MoveInserter:
    """Makes the ops of a kernel agree with the registers of their values."""

    registers: RegisterNames
    liveness: Liveness
    lanes: dict[SSAValue, Names] = field(default_factory=dict[SSAValue, Names])
    """The results of splits that are moved on at once: their lane of the group."""

    _labels: set[str] = field(default_factory=set[str])

    def insert_all(self) -> None:
        """
        Insert every move.

        Raises:
            CompileError: an accumulator would be moved in a loop.
        """
        for op in list(self.liveness.position):
            if isinstance(op, LabelOp):
                self._labels.add(op.label.data)
            elif isinstance(op, SplitOp):
                self._after_split(op)
            elif isinstance(op, JoinOp):
                self._before_join(op)
            elif (tied := tied_operand(op)) is not None:
                self._before_tied(op, tied)
        for block in self.liveness.blocks:
            self._before_branch(block)

    def _names(self, value: SSAValue) -> Names:
        return self.registers.names[value]

    def _record(self, op: Operation, names: Names) -> SSAValue:
        self.registers.names[op.results[0]] = names
        return op.results[0]

    def _after_split(self, op: SplitOp) -> None:
        last: Operation = op
        for lane, name in zip(op.lanes, self._names(op.group), strict=True):
            own = self._names(lane)
            if own == (name,):
                continue
            moved = move_op(lane, own)
            lane.replace_all_uses_with(self._record(moved, own))
            # The move itself goes on reading the lane.
            moved.operands = [lane]
            self.lanes[lane] = (name,)
            _insert_after(last, moved)
            last = moved

    def _before_join(self, op: JoinOp) -> None:
        names = self._names(op.group)
        moves = {
            index: Move(lane, self._names(lane), (name,))
            for index, (lane, name) in enumerate(zip(op.lanes, names, strict=True))
            if self._names(lane) != (name,)
        }
        _set_operands(op, self._before(op, moves))

    def _before_tied(self, op: Operation, index: int) -> None:
        accumulator, target = op.operands[index], self._names(op.results[0])
        if self._names(accumulator) == target:
            return
        assert op.parent is not None
        accumulates = self.registers.webs.places[op.results[0]].web.overwritten
        if accumulates and self.liveness.depth[op.parent]:
            _refuse(op, "is needed again after it is overwritten")
        moves = {index: Move(accumulator, self._names(accumulator), target)}
        _set_operands(op, self._before(op, moves))

    def _before(self, op: Operation, moves: Mapping[int, Move]) -> dict[int, SSAValue]:
        """Do all moves before an op; the moved values by the keys of the moves."""
        new_ops, values = in_sequence(list(moves.values()), self.registers.new)
        for new_op in new_ops:
            _insert_before(op, new_op)
        for each, value in zip(moves.values(), values, strict=True):
            self.registers.names[value] = each.written
        return dict(zip(moves, values, strict=True))

    def _before_branch(self, block: Block) -> None:
        branch = block.last_op
        edges = edges_from(block)
        if isinstance(branch, BranchOp | FallthroughOp):
            _set_operands(branch, self._before(branch, self._moves_on(edges[0])))
        elif isinstance(branch, ConditionalBranchOp):
            jump, fall = edges
            jump_moves, fall_moves = self._moves_on(jump), self._moves_on(fall)
            if jump_moves and self._spoils(branch, jump_moves, fall):
                branch = self._split_jump(branch, jump, jump_moves)
            elif jump_moves:
                moved = self._before(branch, jump_moves)
                _set_operands(branch, {i + 1: value for i, value in moved.items()})
            if fall_moves:
                self._split_fall(branch, fall, fall_moves)

    def _moves_on(self, edge: Edge) -> dict[int, Move]:
        moves: dict[int, Move] = {}
        for index, (value, argument) in enumerate(
            zip(edge.values, edge.target.args, strict=True)
        ):
            read, written = self._names(value), self._names(argument)
            if read == written:
                continue
            web = self.registers.webs.places[argument].web
            if web.overwritten and self.liveness.edge_depth(edge):
                _refuse(edge.branch, "goes to another place each time round")
            moves[index] = Move(value, read, written)
        return moves

    def _spoils(
        self, branch: ConditionalBranchOp, moves: Mapping[int, Move], other: Edge
    ) -> bool:
        """Whether moves before a branch would spoil what its other edge needs."""
        needed = {branch.predicate, *other.values, *self.liveness.live_in[other.target]}
        kept = {name for value in needed for name in self._names(value)}
        return any(kept.intersection(each.written) for each in moves.values())

    def _moving(
        self,
        branch: ConditionalBranchOp,
        end: BranchOp | FallthroughOp,
        moves: Mapping[int, Move],
    ) -> Block:
        """A block of moves, and where it goes on to."""
        end.location = branch.location
        block = Block([end])
        _set_operands(end, self._before(end, moves))
        return block

    def _split_jump(
        self, branch: ConditionalBranchOp, edge: Edge, moves: Mapping[int, Move]
    ) -> ConditionalBranchOp:
        """Jump around a block of moves that goes on to the target of the jump."""
        block = self._moving(branch, BranchOp(edge.target, edge.values), moves)
        self._label(branch.next, branch.location)
        inverted = ConditionalBranchOp(
            branch.predicate,
            branch.next,
            branch.next_arguments,
            block,
            (),
            negated=branch.negated is None,
        )
        _replace_last(branch, inverted)
        _place_after(edge.source, block)
        return inverted

    def _split_fall(
        self, branch: ConditionalBranchOp, edge: Edge, moves: Mapping[int, Move]
    ) -> None:
        """Put a block of moves before the next block."""
        block = self._moving(branch, FallthroughOp(edge.target, edge.values), moves)
        if branch.next is edge.target:
            after, target, values = edge.source, branch.target, branch.target_arguments
            changed = ConditionalBranchOp(
                branch.predicate,
                target,
                values,
                block,
                (),
                negated=branch.negated is not None,
            )
        else:
            # The jump was inverted: it goes to the next block, around its own moves.
            after = branch.next
            self._label(block, branch.location)
            changed = ConditionalBranchOp(
                branch.predicate,
                block,
                (),
                branch.next,
                (),
                negated=branch.negated is not None,
            )
        _replace_last(branch, changed)
        _place_after(after, block)

    def _label(self, block: Block, location: LocationAttr) -> None:
        """Make sure that a block can be jumped to."""
        if isinstance(block.first_op, LabelOp):
            return
        number = 1
        while f"moves_{number}" in self._labels:
            number += 1
        self._labels.add(f"moves_{number}")
        label = LabelOp(f"moves_{number}")
        label.location = location
        assert block.first_op is not None
        block.insert_op_before(label, block.first_op)


def _refuse(op: Operation, reason: str) -> NoReturn:
    fail(
        op,
        f"must not need a move of an accumulator in a loop, got one that {reason}",
        hint="such a move makes the hardware wait for every wgmma; use an accumulator "
        "once, and carry it around the loop in the same place",
    )


def _insert_before(op: Operation, new_op: Operation) -> None:
    new_op.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(new_op, op)


def _insert_after(op: Operation, new_op: Operation) -> None:
    new_op.location = op.location
    assert op.parent is not None
    op.parent.insert_op_after(new_op, op)


def _set_operands(op: Operation, values: Mapping[int, SSAValue]) -> None:
    if values:
        op.operands = [
            values.get(index, operand) for index, operand in enumerate(op.operands)
        ]


def _replace_last(old: Operation, new: Operation) -> None:
    _insert_before(old, new)
    old.detach()
    old.erase()


def _place_after(block: Block, new_block: Block) -> None:
    region = block.parent_region()
    assert region is not None
    region.insert_block_after(new_block, block)
