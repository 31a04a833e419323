"""
Moves that happen all at once, as a sequence: no register is written before the other
moves have read it. A cycle goes through registers of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects.ptx.arithmetic import MovOp
from croqtile_mlir.dialects.ptx.operands import type_of
from croqtile_mlir.dialects.ptx.registers import MoveGroupOp
from croqtile_mlir.dialects.ptx.types import GroupType, InstructionType, RegisterKind

Names = tuple[str, ...]
"""The registers of a value, in order."""


@dataclass(frozen=True)
class Move:
    """A value, where it is now, and the registers it goes to."""

    source: SSAValue
    read: Names
    written: Names


def move_op(source: SSAValue, target: Names) -> Operation:
    """The op that moves a value into the registers `target`."""
    source_type = type_of(source)
    result_type = source_type.assign(target)
    if isinstance(result_type, GroupType):
        return MoveGroupOp(source, result_type)
    move_type = InstructionType(source_type.kind.value)
    return MovOp(move_type, source, result_type=result_type)


def in_sequence(
    moves: Sequence[Move], new_registers: Callable[[RegisterKind, int], Names]
) -> tuple[list[Operation], list[SSAValue]]:
    """The ops that do all the moves, and for each move the value where it went."""
    pending = dict(enumerate(moves))
    ops: list[Operation] = []
    results: dict[int, SSAValue] = {}
    while pending:
        free = next((index for index in pending if _is_free(index, pending)), None)
        if free is None:
            # Every target is still to be read: take one source out of the way.
            index, blocked = next(iter(pending.items()))
            kind = type_of(blocked.source).kind
            aside = new_registers(kind, len(blocked.read))
            ops.append(move_op(blocked.source, aside))
            pending[index] = Move(ops[-1].results[0], aside, blocked.written)
            continue
        ready = pending.pop(free)
        ops.append(move_op(ready.source, ready.written))
        results[free] = ops[-1].results[0]
    return ops, [results[index] for index in range(len(moves))]


def _is_free(index: int, pending: dict[int, Move]) -> bool:
    written = set(pending[index].written)
    return not any(
        written.intersection(other.read) for at, other in pending.items() if at != index
    )
