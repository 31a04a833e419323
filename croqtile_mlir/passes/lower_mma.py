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
from itertools import accumulate

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.accumulators import check_progress
from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.products import instruction_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
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
)
from croqtile_mlir.lowering.mma_sync import WarpProducts
from croqtile_mlir.lowering.mma_wgmma import WarpgroupProducts
from croqtile_mlir.lowering.rewriting import LocatedBuilder, loop_like


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
    parts: dict[SSAValue, Sequence[SSAValue]] = field(
        default_factory=dict[SSAValue, Sequence[SSAValue]]
    )
    # Ops that are replaced stay in place to the end: what uses an accumulator is
    # judged by the ops that made it.
    dead_ops: list[Operation] = field(default_factory=list[Operation])
    dead_args: list[BlockArgument] = field(default_factory=list[BlockArgument])

    def run(self, kernel: KernelOp) -> None:
        """Lower a kernel."""
        for op in kernel.walk():
            if isinstance(op, MmaWaitOp | MmaStoreOp):
                check_progress(op)
        self._lower_block(kernel.body.block)
        for op in reversed(self.dead_ops):
            op.detach()
            op.erase()
        for arg in self.dead_args:
            arg.block.erase_arg(arg)

    def _lower_block(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case MmaFillOp():
                    self._replace(op, [self.products.fill(op)])
                case MmaExecOp():
                    parts = self.products.multiply(op, self.parts[op.acc])
                    self._replace(op, [parts])
                case MmaCommitOp() | MmaWaitOp():
                    self.products.order(op)
                    self._replace(op, [self.parts[op.acc]])
                case MmaStoreOp():
                    self.products.store(op, self.parts[op.acc])
                    self._replace(op, [])
                case ForeachOp() | scf.ForOp() if _carries(op):
                    self._lower_loop(op)
                case scf.IfOp() if _carries(op):
                    self._lower_if(op)
                case _:
                    self._lower_other(op)

    def _replace(self, op: Operation, results: Sequence[Sequence[SSAValue]]) -> None:
        for old, new in zip(op.results, results, strict=True):
            self._stand_in(old, new)
        self.dead_ops.append(op)

    def _stand_in(self, old: SSAValue, new: Sequence[SSAValue]) -> None:
        """Let parts stand for an accumulator; any other value is replaced."""
        for part in new:
            part.name_hint = part.name_hint or old.name_hint
        if isinstance(old.type, AccType):
            self.parts[old] = new
        else:
            old.replace_all_uses_with(new[0])

    def _expand(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The values, with its parts in the place of each accumulator."""
        return [part for value in values for part in self.parts.get(value, (value,))]

    def _regroup(
        self, like: Sequence[SSAValue], new: Sequence[SSAValue]
    ) -> list[Sequence[SSAValue]]:
        """Cut values in groups, as many and as large as stand for those of `like`."""
        sizes = [len(self._expand([value])) for value in like]
        ends = list(accumulate(sizes))
        return [new[end - size : end] for size, end in zip(sizes, ends, strict=True)]

    def _lower_loop(self, op: ForeachOp | scf.ForOp) -> None:
        block, initial = op.body.block, self._expand(op.iter_args)
        old_args = block.args[1:]
        inside = [
            block.insert_arg(value.type, len(block.args), op.location)
            for value in initial
        ]
        groups = self._regroup(op.iter_args, inside)
        for old, new in zip(old_args, groups, strict=True):
            self._stand_in(old, new)
        self.dead_args += old_args
        self._lower_block(block)
        self._lower_yield(block)
        body = Region()
        op.body.move_blocks(body)
        loop = LocatedBuilder.before(op).insert(loop_like(op, initial, body))
        self._replace(op, self._regroup(op.iter_args, loop.res))

    def _lower_if(self, op: scf.IfOp) -> None:
        for region in op.regions:
            self._lower_block(region.block)
        models = list(yielded(op.true_region.block))
        types = [value.type for value in self._expand(models)]
        moved = (Region(), Region())
        for region, new_region in zip(op.regions, moved, strict=True):
            self._lower_yield(region.block)
            region.move_blocks(new_region)
        branch = scf.IfOp(op.cond, types, *moved, dict(op.attributes))
        LocatedBuilder.before(op).insert(branch)
        self._replace(op, self._regroup(models, branch.output))

    def _lower_yield(self, block: Block) -> None:
        last = block.last_op
        if isinstance(last, YieldOp | scf.YieldOp):
            values = self._expand(last.operands)
            LocatedBuilder.before(last).insert(
                YieldOp(values) if isinstance(last, YieldOp) else scf.YieldOp(*values)
            )
            self.dead_ops.append(last)

    def _lower_other(self, op: Operation) -> None:
        for value in (*op.operands, *op.results):
            if isinstance(value.type, AccType) and not isinstance(
                op, YieldOp | scf.YieldOp
            ):
                fail(op, f"must not use or define an accumulator, got {value.type}")
        for region in op.regions:
            for block in region.blocks:
                self._lower_block(block)


def _carries(op: Operation) -> bool:
    """Whether an accumulator is among the results of an op."""
    return any(isinstance(result.type, AccType) for result in op.results)
