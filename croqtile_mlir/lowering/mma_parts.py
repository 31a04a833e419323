"""
What stands for accumulators while they are lowered: several registers for each.

Part of `--lower-mma`. Loops and conditions hand on the parts in place of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from croqtile_mlir.dialects.croq import AccType, YieldOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder


@dataclass
class Parts:
    """
    The parts of each accumulator so far.

    Ops that are replaced stay in place to the end: what uses an accumulator is judged
    by the ops that made it.
    """

    known: dict[SSAValue, Sequence[SSAValue]] = field(
        default_factory=dict[SSAValue, Sequence[SSAValue]]
    )
    dead_ops: list[Operation] = field(default_factory=list[Operation])
    dead_args: list[BlockArgument] = field(default_factory=list[BlockArgument])

    def erase_dead(self) -> None:
        """Erase what was replaced."""
        for op in reversed(self.dead_ops):
            op.detach()
            op.erase()
        for arg in self.dead_args:
            arg.block.erase_arg(arg)

    def stand_in(self, old: SSAValue, new: Sequence[SSAValue]) -> None:
        """Let parts stand for an accumulator; any other value is replaced."""
        for part in new:
            part.name_hint = part.name_hint or old.name_hint
        if isinstance(old.type, AccType):
            self.known[old] = new
        else:
            old.replace_all_uses_with(new[0])

    def expand(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The values, with its parts in the place of each accumulator."""
        return [part for value in values for part in self.known.get(value, (value,))]

    def regroup(
        self, like: Sequence[SSAValue], new: Sequence[SSAValue]
    ) -> list[Sequence[SSAValue]]:
        """Cut values in groups, as many and as large as stand for those of `like`."""
        sizes = [len(self.expand([value])) for value in like]
        ends = list(accumulate(sizes))
        return [new[end - size : end] for size, end in zip(sizes, ends, strict=True)]

    def take(
        self, op: Operation, names: Sequence[BlockArgument], values: Sequence[SSAValue]
    ) -> None:
        """Let arguments of a block stand for the parts of values, under their names."""
        if not names:
            return
        block = names[0].block
        inside = [
            block.insert_arg(value.type, len(block.args), op.location)
            for value in self.expand(values)
        ]
        for old, new in zip(names, self.regroup(values, inside), strict=True):
            self.stand_in(old, new)
        self.dead_args += names

    def moved(self, *regions: Region) -> list[Region]:
        """New regions with the blocks of lowered ones, which hand on all parts."""
        moved: list[Region] = []
        for region in regions:
            self.lower_yield(region.block)
            moved.append(Region())
            region.move_blocks(moved[-1])
        return moved

    def lower_yield(self, block: Block) -> None:
        """Let the terminator of a block hand on all parts."""
        last = block.last_op
        match last:
            case YieldOp():
                new: Operation = YieldOp(self.expand(last.operands))
            case scf.YieldOp():
                new = scf.YieldOp(*self.expand(last.operands))
            case scf.ConditionOp():
                new = scf.ConditionOp(last.condition, *self.expand(last.args))
            case _:
                return
        LocatedBuilder.before(last).insert(new)
        self.dead_ops.append(last)
