"""
`--lower-grid-barriers`: a barrier of the grid becomes a count in global memory.

        croq.barrier grid count %count
    ->  croq.barrier
        scf.if %leader {
          %old = croq.atomic add %n, %count[0] release, gpu
          repeat %now = croq.load %count[0] acquire, gpu
            while the highest bits of %old and %now agree
        }
        croq.barrier

Each block adds 1, and one of them what is missing to the highest bit: the sum of all
flips that bit, and leaves the others as they were. So the count needs no reset, neither
for the next barrier nor for the next launch. Without `%count` it is `croq.workspace`,
memory of the launch. The leader's release covers what its block did before, by the
barrier; its acquire holds for the block by the barrier after it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.grain import COOPERATIVE
from croqtile_mlir.analysis.scopes import kernel_of
from croqtile_mlir.dialects.croq import (
    AtomicKind,
    AtomicOp,
    BarrierOp,
    MemoryOrder,
    MemoryScope,
    ParallelOp,
)
from croqtile_mlir.lowering.elected import elect_of
from croqtile_mlir.lowering.grid_counts import (
    BARRIER_COUNT,
    block_without_cluster,
    number_of_blocks,
    spin,
    workspace_of,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_HIGHEST = -(1 << 31)


@dataclass(frozen=True)
class LowerGridBarriersPass(ModulePass):
    """Lower barriers of all blocks of a grid to updates of a count."""

    name = "lower-grid-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, BarrierOp) and inner.grid is not None:
                _lower(inner)


def _lower(op: BarrierOp) -> None:
    block = block_without_cluster(op)
    kernel_of(op).attributes[COOPERATIVE] = UnitAttr()
    count = workspace_of(op) if op.count is None else op.count
    leader = elect_of(op)
    build = LocatedBuilder.before(op)
    build.insert(BarrierOp())
    with build.if_(leader) as inside:
        step = _step(inside, block)
        update = AtomicOp(
            AtomicKind.Add,
            step,
            count,
            [BARRIER_COUNT],
            order=MemoryOrder.Release,
            scope=MemoryScope.Gpu,
            result=True,
        )
        old = inside.insert(update).results[0]
        inside.insert(spin(inside, count, BARRIER_COUNT, old, flips=True))
    build.insert(BarrierOp())
    replace_values(op, [])


def _step(build: LocatedBuilder, block: ParallelOp) -> SSAValue:
    """What a block adds: 1, the first one what all others leave to the highest bit."""
    first: SSAValue = build.i1(True)
    zero = build.index(0)
    for index in block.body.block.args:
        here = build.insert(arith.CmpiOp(index, zero, "eq")).result
        first = build.insert(arith.AndIOp(first, here)).result
    blocks = number_of_blocks(build, block)
    others = build.sub(build.cast(blocks, i32), build.i32(1))
    rest = build.sub(build.i32(_HIGHEST), others)
    return build.select(first, rest, build.i32(1))
