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
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, UnitAttr, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.grain import COOPERATIVE
from croqtile_mlir.analysis.scopes import block_of, kernel_of, scope_parallel
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AtomicKind,
    AtomicOp,
    BarrierOp,
    DimOp,
    LoadOp,
    MemoryOrder,
    MemoryScope,
    ParallelOp,
    WorkspaceOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.elected import elect_of
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
    block = block_of(op)
    if block.extents_in_cluster is not None or scope_parallel(block) is not None:
        fail(op, "must be in a grid without clusters", notes=[(block, "it is here")])
    kernel_of(op).attributes[COOPERATIVE] = UnitAttr()
    count = _workspace(op) if op.count is None else op.count
    leader = elect_of(op)
    build = LocatedBuilder.before(op)
    build.insert(BarrierOp())
    with build.if_(leader) as inside:
        step = _step(inside, block)
        update = AtomicOp(
            AtomicKind.Add,
            step,
            count,
            [0],
            order=MemoryOrder.Release,
            scope=MemoryScope.Gpu,
            result=True,
        )
        old = inside.insert(update).results[0]
        inside.insert(_spin(inside, count, old))
    build.insert(BarrierOp())
    replace_values(op, [])


def _workspace(op: BarrierOp) -> SSAValue:
    """The count that a launch provides, the same for all barriers of a kernel."""
    body = kernel_of(op).body.block
    for other in body.ops:
        if isinstance(other, WorkspaceOp):
            return other.result
    first = body.first_op
    assert first is not None
    build = LocatedBuilder.before(first)
    return build.insert(WorkspaceOp()).result


def _step(build: LocatedBuilder, block: ParallelOp) -> SSAValue:
    """What a block adds: 1, the first one what all others leave to the highest bit."""
    blocks: SSAValue = build.index(1)
    first: SSAValue = build.i1(True)
    zero = build.index(0)
    for index, extent in zip(block.body.block.args, block.extent_values, strict=True):
        here = build.insert(arith.CmpiOp(index, zero, "eq")).result
        first = build.insert(arith.AndIOp(first, here)).result
        blocks = build.mul(blocks, _value(build, extent))
    others = build.sub(build.cast(blocks, i32), build.i32(1))
    rest = build.sub(build.i32(_HIGHEST), others)
    return build.select(first, rest, build.i32(1))


def _value(build: LocatedBuilder, extent: Index) -> SSAValue:
    if isinstance(extent, int):
        return build.index(extent)
    if isinstance(extent, str):
        return build.insert(DimOp(extent)).result
    return build.cast(extent, IndexType())


def _spin(build: LocatedBuilder, count: SSAValue, old: SSAValue) -> scf.WhileOp:
    """Wait until the highest bit is another one than it was."""
    before, after = Block(), Block([scf.YieldOp()])
    test = LocatedBuilder.at_end(before, build.location)
    load = LoadOp(count, [0], MemoryOrder.Acquire, MemoryScope.Gpu)
    changed = test.xor(old, test.insert(load).value)
    same = test.insert(arith.CmpiOp(changed, test.i32(0), "sge")).result
    test.insert(scf.ConditionOp(same))
    return scf.WhileOp([], [], Region(before), Region(after))
