"""Lower kernels, levels of parallelism, roles and loops to functions for a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from croqtile_mlir.analysis.grain import is_cooperative
from croqtile_mlir.analysis.scopes import block_threads
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq, gpu_ext, llvm_ext
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.launch.plan import (
    ATTRIBUTE,
    DimParam,
    LaunchPlan,
    LaunchPlanError,
    ScalarParam,
    TensorMapParam,
)
from croqtile_mlir.lowering.launch_bounds import LaunchBounds, launch_bounds
from croqtile_mlir.lowering.parallel_host import (
    check_cluster,
    check_lowered,
    cluster_of,
    host_side,
    needed,
)
from croqtile_mlir.lowering.parallel_indices import bind_block_indices
from croqtile_mlir.lowering.parallel_params import (
    Parameters,
    argument_names,
    by_value_map,
    cluster_extents,
    grid_map,
    parameter_name,
    plan_args,
    plan_checks,
    reference_of,
)
from croqtile_mlir.lowering.parallel_roles import entry_registers, lower_roles
from croqtile_mlir.lowering.parallel_threads import ThreadLowering
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace, replace_values
from croqtile_mlir.targets.architecture import Architecture

CONTAINER = "gpu.container_module"
"""The attribute of a module that holds `gpu.module`s."""

_index = IndexType()


@dataclass(frozen=True)
class LowerParallelPass(ModulePass):
    """
    Turn each `croq.kernel` into an `llvm.func` in a `gpu.module`.

    Levels and roles become thread indices and warp-uniform branches, loops `scf.for`,
    tile arguments the parameters that are used. The launch plan goes on the function.
    """

    name = "lower-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = target_of(op)
        kernels = [k for k in op.body.block.ops if isinstance(k, croq.KernelOp)]
        for kernel in kernels:
            _KernelLowering(kernel, chip).lower(ctx)
        if kernels:
            op.attributes[CONTAINER] = UnitAttr()


class _KernelLowering:
    """Lowers one kernel."""

    def __init__(self, kernel: croq.KernelOp, chip: Architecture):
        self.kernel = kernel
        self.chip = chip
        self.block, outputs = host_side(kernel)
        self.cluster = cluster_of(self.block)
        check_lowered(self.block)
        check_cluster(self.block, chip)
        self.threads = block_threads(self.block)
        self.params = Parameters(kernel, argument_names(kernel, outputs))
        self.host = needed(self.block)
        for op in (*self.host, *self.block.body.walk()):
            self.params.add(op)
        self.plan = self._launch_plan(outputs)
        self.prologue = LocatedBuilder.at_end(Block(), kernel.location)
        self.dims: dict[str, SSAValue] = {}

    def _launch_plan(self, outputs: Sequence[SSAValue]) -> LaunchPlan:
        kernel = self.kernel
        try:
            return LaunchPlan(
                args=plan_args(kernel, self.params, outputs),
                dims=kernel.dim_names,
                params=self.params.ordered,
                grid=grid_map(kernel, self.block, self.cluster),
                block=self.threads,
                cluster=cluster_extents(self.block),
                cooperative=is_cooperative(kernel),
                checks=plan_checks(self.params),
                target=self.chip.name,
                reference=reference_of(kernel),
            )
        except LaunchPlanError as error:
            fail(kernel, str(error))

    def lower(self, ctx: Context) -> None:
        """Replace the kernel by its function."""
        body = self.block.body.block
        registers = entry_registers(ctx, body, self.threads, self.chip)
        bounds = launch_bounds(self.kernel, self.threads, registers, self.chip)
        values = self._bind_parameters()
        bind_block_indices(self.block, self.cluster, self.plan.cluster, self.prologue)
        for op in self.host:
            op.detach()
            self.prologue.insert(op)
        for op in tuple(self.block.body.walk()):
            if isinstance(op, croq.AllocOp):
                op.detach()
                self.prologue.insert(op)
        lowering = ThreadLowering(self.block, self.chip, self.prologue)
        lowering.lower()
        for op in (*self.host, *self.block.body.walk()):
            self._lower_op(op)
        lower_roles(body, self.threads, registers, lowering.block)
        Rewriter.inline_block(self.prologue.point.block, InsertPoint.at_start(body))
        body.add_op(end := llvm_ext.ReturnOp())
        end.location = self.kernel.location
        self._wrap(body, values, bounds)

    def _bind_parameters(self) -> list[SSAValue]:
        """Make the parameters, for now those of a block of their own."""
        block = Block(arg_types=[self.params.type_of(p) for p in self.plan.params])
        for argument, param in zip(block.args, self.plan.params, strict=True):
            argument.name_hint = parameter_name(param)
            match param:
                case DimParam():
                    self.dims[param.dim] = self.prologue.cast(argument, _index)
                    self.dims[param.dim].name_hint = param.dim
                case ScalarParam():
                    scalar = self.params.value_named(param.arg)
                    value: SSAValue = argument
                    if isinstance(scalar.type, IndexType):
                        value = self.prologue.cast(argument, _index)
                    elif scalar.type == i1:
                        byte = self.prologue.cast(argument, i32)
                        value = self.prologue.cmp("ne", byte, 0)
                    scalar.replace_all_uses_with(value)
                case _:
                    for user in self.params.users[param]:
                        replace_values(user, (argument,))
        return list(block.args)

    def _lower_op(self, op: Operation) -> None:
        match op:
            case croq.DimOp():
                replace_values(op, (self.dims[op.dim.data],))
            case croq.CDivOp():
                self._lower_cdiv(op)
            case croq.WorkspaceOp():
                op.detach()
                op.erase()
            case croq.ForeachOp():
                builder = LocatedBuilder.before(op)
                bounds = (op.lower, op.upper, op.step)
                lower, upper, step = (self._value(builder, i) for i in bounds)
                end = op.yielded
                replace(end, [scf.YieldOp(*end.arguments)], ())
                body = op.detach_region(op.body)
                loop = scf.ForOp(lower, upper, step, op.iter_args, body)
                replace(op, [loop], loop.results)
            case _:
                pass

    def _lower_cdiv(self, op: croq.CDivOp) -> None:
        """Ceiling division of unsigned numbers: (n + d - 1) div d."""
        builder = LocatedBuilder.before(op)
        dividend = self._value(builder, op.numerator)
        divisor = op.denominator
        if isinstance(divisor, int):
            rounded = builder.add(dividend, divisor - 1)
        else:
            divisor = self._value(builder, divisor)
            rounded = builder.add(dividend, builder.sub(divisor, 1))
        replace_values(op, (builder.udiv(rounded, divisor),))

    def _value(self, builder: LocatedBuilder, index: Index) -> SSAValue:
        """An index operand as a value."""
        if isinstance(index, str):
            return self.dims[index]
        return builder.index(index) if isinstance(index, int) else index

    def _wrap(
        self, body: Block, values: Sequence[SSAValue], bounds: LaunchBounds
    ) -> None:
        kernel = self.kernel
        for number, old in enumerate(values):
            argument = body.insert_arg(old.type, number)
            argument.name_hint = old.name_hint
            argument.location = kernel.location
            old.replace_all_uses_with(argument)
        self.block.body.detach_block(body)
        function = llvm_ext.FuncOp(
            kernel.sym_name.data,
            [argument.type for argument in body.args],
            Region(body),
            arg_attrs=[
                by_value_map() if isinstance(param, TensorMapParam) else {}
                for param in self.plan.params
            ],
            attributes={
                llvm_ext.KERNEL: UnitAttr(),
                "nvvm.reqntid": DenseArrayBase.from_list(i32, [self.threads, 1, 1]),
                "nvvm.minctasm": IntegerAttr(bounds.blocks, i32),
            },
        )
        if self.plan.is_clustered:
            function.attributes["nvvm.cluster_dim"] = DenseArrayBase.from_list(
                i32, list(self.plan.cluster)
            )
        if bounds.registers is not None:
            function.attributes["nvvm.maxnreg"] = IntegerAttr(bounds.registers, i32)
        function.attributes[ATTRIBUTE] = self.plan.to_attr()
        function.location = kernel.location
        module = gpu_ext.ModuleOp(f"{kernel.sym_name.data}_module", [function])
        replace(kernel, [module], ())
