"""
`--lower-mma`: accumulators become registers, products become wgmma.

    %c1 = croq.mma.exec row.row %c, %a, %b       nvvm.wgmma.fence.aligned
    %c2 = croq.mma.commit %c1                    %da = croq.descriptor %a[0, 0] major(k)
    %c3 = croq.mma.wait %c2 in_flight 0    ->    %db = croq.descriptor %b[0, 0] major(k)
                                                 %r1 = nvvm.wgmma.mma_async %da, %db, ..
                                                 ..

An accumulator is one struct of registers for each 64 rows of a warpgroup; loops and
conditionals carry them in its place. See `docs/levels.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.accumulators import check_progress
from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AccType,
    ForeachOp,
    KernelOp,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    YieldOp,
    acc_type,
)
from croqtile_mlir.lowering.mma_fragments import (
    Fragments,
    Warpgroups,
    check_scope,
    fill,
    fragments_of,
)
from croqtile_mlir.lowering.mma_parts import Parts
from croqtile_mlir.lowering.mma_store import lower_store
from croqtile_mlir.lowering.mma_wgmma import lower_exec
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like
from croqtile_mlir.targets.architecture import Architecture


@dataclass(frozen=True)
class LowerMmaPass(ModulePass):
    """Turn accumulators into registers and products into wgmma."""

    name = "lower-mma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in list(op.body.block.ops):
            if isinstance(kernel, KernelOp):
                _Lowering(ctx, target).run(kernel)


@dataclass
class _Lowering:
    """The state of the lowering of one kernel: what stands for each accumulator."""

    ctx: Context
    target: Architecture
    parts: Parts = field(default_factory=Parts)
    spread: dict[tuple[Operation, AccType], Fragments] = field(
        default_factory=dict[tuple[Operation, AccType], Fragments]
    )
    warpgroups: Warpgroups = field(default_factory=lambda: Warpgroups({}))

    def run(self, kernel: KernelOp) -> None:
        """Lower a kernel."""
        for op in kernel.walk():
            if isinstance(op, MmaWaitOp | MmaStoreOp):
                check_progress(op)
        self._lower_block(kernel.body.block)
        self.parts.erase_dead()

    def _fragments(self, op: Operation, acc: SSAValue) -> Fragments:
        key = (scope_of(op).root, acc_type(acc))
        if (found := self.spread.get(key)) is None:
            found = fragments_of(op, acc_type(acc), self.target, self.ctx)
            self.spread[key] = found
        return found

    def _lower_block(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case MmaFillOp():
                    found = self._fragments(op, op.acc)
                    self._replace(op, [[fill(op, found)] * found.blocks])
                case MmaExecOp():
                    self._replace(op, [self._exec(op)])
                case MmaCommitOp():
                    check_scope(op)
                    LocatedBuilder.before(op).insert(nvvm.WgmmaCommitGroupOp())
                    self._replace(op, [self.parts.known[op.acc]])
                case MmaWaitOp():
                    check_scope(op)
                    wait = nvvm.WgmmaWaitGroupOp(op.in_flight.data)
                    LocatedBuilder.before(op).insert(wait)
                    self._replace(op, [self.parts.known[op.acc]])
                case MmaStoreOp():
                    self._store(op)
                    self._replace(op, [])
                case ForeachOp() | scf.ForOp() if _carries(op):
                    self._lower_loop(op)
                case scf.IfOp() if _carries(op):
                    self._lower_if(op)
                case scf.WhileOp() if _carries(op):
                    self._lower_while(op)
                case _:
                    self._lower_other(op)

    def _replace(self, op: Operation, results: Sequence[Sequence[SSAValue]]) -> None:
        for old, new in zip(op.results, results, strict=True):
            self.parts.stand_in(old, new)
        self.parts.dead_ops.append(op)

    def _exec(self, op: MmaExecOp) -> Sequence[SSAValue]:
        check_scope(op)
        found = self._fragments(op, op.acc)
        first_row = self.warpgroups.first_row(op, found)
        return lower_exec(op, self.parts.known[op.acc], found, first_row, self.target)

    def _store(self, op: MmaStoreOp) -> None:
        check_scope(op)
        found = self._fragments(op, op.acc)
        first_row = self.warpgroups.first_row(op, found)
        lower_store(op, self.parts.known[op.acc], found, first_row, self.target)

    def _lower_loop(self, op: ForeachOp | scf.ForOp) -> None:
        block, initial = op.body.block, self.parts.expand(op.iter_args)
        self.parts.take(op, block.args[1:], op.iter_args)
        self._lower_block(block)
        self.parts.lower_yield(block)
        body = Region()
        op.body.move_blocks(body)
        loop = LocatedBuilder.before(op).insert(loop_like(op, initial, body))
        self._replace(op, self.parts.regroup(op.iter_args, loop.res))

    def _lower_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region, op.after_region
        initial = self.parts.expand(op.arguments)
        self.parts.take(op, before.block.args, op.arguments)
        self._lower_block(before.block)
        handed = list(yielded(before.block))
        types = [value.type for value in self.parts.expand(handed)]
        self.parts.take(op, after.block.args, handed)
        self._lower_block(after.block)
        first, second = self.parts.moved(before, after)
        loop = LocatedBuilder.before(op).insert(
            scf.WhileOp(initial, types, first, second)
        )
        self._replace(op, self.parts.regroup(handed, loop.res))

    def _lower_if(self, op: scf.IfOp) -> None:
        for region in op.regions:
            self._lower_block(region.block)
        models = list(yielded(op.true_region.block))
        types = [value.type for value in self.parts.expand(models)]
        then, other = self.parts.moved(*op.regions)
        branch = scf.IfOp(op.cond, types, then, other, dict(op.attributes))
        LocatedBuilder.before(op).insert(branch)
        self._replace(op, self.parts.regroup(models, branch.output))

    def _lower_other(self, op: Operation) -> None:
        for value in (*op.operands, *op.results):
            if isinstance(value.type, AccType) and not isinstance(
                op, YieldOp | scf.YieldOp | scf.ConditionOp
            ):
                fail(op, f"must not use or define an accumulator, got {value.type}")
        for region in op.regions:
            for block in region.blocks:
                self._lower_block(block)


def _carries(op: Operation) -> bool:
    """Whether an accumulator is among what an op takes or gives."""
    values = (*op.operands, *op.results)
    return any(isinstance(value.type, AccType) for value in values)
