"""
`--lower-mma`: accumulators become registers, products become wgmma or mma.sync.

    %c1 = croq.mma.exec row.row %c, %a, %b       nvvm.wgmma.fence.aligned
    %c2 = croq.mma.commit %c1                    %da = croq.descriptor %a[0, 0] major(k)
    %c3 = croq.mma.wait %c2 in_flight 0    ->    %db = croq.descriptor %b[0, 0] major(k)
                                                 %r1 = nvvm.wgmma.mma_async %da, %db, ..
                                                 ..

An accumulator is one struct of registers for each 64 rows of a warpgroup, or for each
16 x 8 elements of a warp where products are made by `mma.sync`; loops and conditionals
carry them in its place. See `docs/levels.md`.
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
from croqtile_mlir.analysis.products import instruction_of
from croqtile_mlir.analysis.scopes import blocks_in
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AccType,
    ElementwiseOp,
    ForeachOp,
    KernelOp,
    MmaCommitOp,
    MmaExecOp,
    MmaFillOp,
    MmaStoreOp,
    MmaWaitOp,
    ReduceOp,
    YieldOp,
)
from croqtile_mlir.lowering.acc_elementwise import lower_elementwise
from croqtile_mlir.lowering.acc_reduce import lower_reduce
from croqtile_mlir.lowering.mma_parts import Parts
from croqtile_mlir.lowering.mma_sync import WarpProducts
from croqtile_mlir.lowering.mma_wgmma import WarpgroupProducts
from croqtile_mlir.lowering.reduce_threads import meet_at
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like, while_like


@dataclass(frozen=True)
class LowerMmaPass(ModulePass):
    """Turn accumulators into registers and products into wgmma or mma.sync."""

    name = "lower-mma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in list(op.body.block.ops):
            if isinstance(kernel, KernelOp):
                if instruction_of(kernel, target) == "wgmma":
                    products = WarpgroupProducts(ctx, target)
                else:
                    products = WarpProducts(ctx, target)
                _Lowering(products).run(kernel)


@dataclass
class _Lowering:
    """The state of the lowering of one kernel: what stands for each accumulator."""

    products: WarpgroupProducts | WarpProducts
    parts: Parts = field(default_factory=Parts)
    partials: set[SSAValue] = field(default_factory=set[SSAValue])
    """Where warps leave what they have of columns."""

    def run(self, kernel: KernelOp) -> None:
        """Lower a kernel."""
        for op in kernel.walk():
            if isinstance(op, MmaWaitOp | MmaStoreOp | ElementwiseOp | ReduceOp):
                check_progress(op)
        self._lower_block(kernel.body.block)
        self.parts.erase_dead()
        if self.partials:
            for block in blocks_in(kernel):
                meet_at(block, self.partials)

    def _lower_block(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case MmaFillOp():
                    self._replace(op, [self.products.fill(op)])
                case MmaExecOp():
                    parts = self.products.multiply(op, self.parts.known[op.acc])
                    self._replace(op, [parts])
                case MmaCommitOp() | MmaWaitOp():
                    self.products.order(op)
                    self._replace(op, [self.parts.known[op.acc]])
                case MmaStoreOp():
                    self.products.store(op, self.parts.known[op.acc])
                    self._replace(op, [])
                case ElementwiseOp() if op.result is not None:
                    self._replace(op, [self._elementwise(op, op.result)])
                case ReduceOp() if isinstance(op.source.type, AccType):
                    self._reduce(op)
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

    def _elementwise(self, op: ElementwiseOp, result: SSAValue) -> list[SSAValue]:
        places = self.products.places(op, result)
        return lower_elementwise(op, places, self.parts.known)

    def _reduce(self, op: ReduceOp) -> None:
        places = self.products.places(op, op.source)
        partials = lower_reduce(op, places, self.parts.known[op.source])
        if partials is not None:
            self.partials.add(partials)
        self._replace(op, [])

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
        moved = self.parts.moved(before, after)
        loop = LocatedBuilder.before(op).insert(while_like(op, initial, types, moved))
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
