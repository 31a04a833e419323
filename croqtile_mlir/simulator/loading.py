"""From a source or a module to a kernel that the simulator can run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.compiler import Source
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.launch.plan import (
    ATTRIBUTE,
    LaunchPlan,
    LaunchPlanError,
    ScalarArg,
)
from croqtile_mlir.lowering.parallel_host import host_side
from croqtile_mlir.lowering.parallel_params import (
    Parameters,
    argument_names,
    plan_args,
    plan_checks,
    reference_of,
)
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.pipeline import VERIFIER, Lowering

if TYPE_CHECKING:
    from croqtile_mlir.simulator.state import Executable

AS_GIVEN = "as given"
"""The level of a module that is executed without any pass."""

DEFAULT_LEVEL = "nvvm"

PTX_TEXT = "ptx"
"""The level of the printed text, whose values are computed and nothing else checked."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A kernel, its ops made steps, and what a launch of it needs."""

    executable: Executable
    plan: LaunchPlan
    """At tile level without parameters, and with a grid that has no meaning: the
    executable knows it."""

    level: str


@lru_cache(maxsize=64)
def load_source(source: Source, level: str = DEFAULT_LEVEL) -> Loaded:
    """
    The kernel of a source at a level: `croq`, `nvvm`, `ptx`, or the name of a pass.

    `croq` is the input as it is written, with its parameters, layouts and engines
    chosen; `ptx` is the printed text. What the passes that verify synchronisation would
    refuse is executed.
    """
    return _descent(source).load(level)


@dataclass(eq=False)
class _Descent:
    """A kernel on its way down: levels in order are loaded by one lowering."""

    source: Source
    lowering: Lowering | None = None
    lock: Lock = field(default_factory=Lock)

    def load(self, level: str) -> Loaded:
        """The kernel at a level."""
        with self.lock:
            # Left behind by a pass that failed, a lowering is of no use.
            lowering, self.lowering = self.lowering, None
            until = _end_of_tile_level() if level == "croq" else level
            if lowering is None or lowering.is_beyond(until):
                lowering = Lowering(self.source, verify_sync=False)
            if level == PTX_TEXT or lowering.level == PTX_TEXT:
                lowering.run()
                return _text_level(lowering)
            lowering.run(until)
            if lowering.level == PTX_TEXT:
                fail(
                    lowering.module,
                    f"must be at level croq, nvvm or ptx to be simulated, got {level}",
                    hint="level ptx is the printed text",
                )
            self.lowering = lowering
            return load_module(lowering.module.clone(), level)


@lru_cache(maxsize=8)
def _descent(source: Source) -> _Descent:
    return _Descent(source)


def _text_level(lowering: Lowering) -> Loaded:
    from croqtile_mlir.simulator.ptx.kernel import executable

    _, plan = lowering.launch()
    return Loaded(executable(lowering.ptx(), plan), plan, PTX_TEXT)


def _end_of_tile_level() -> str:
    names = [each.split("{")[0] for each in lowering_stages()[0].passes]
    return [name for name in names if name != VERIFIER][-1]


def load_module(module: ModuleOp, level: str = AS_GIVEN) -> Loaded:
    """The only kernel of a module, as it is."""
    kernels = [
        op
        for op in module.walk()
        if isinstance(op, croq.KernelOp)
        or (isinstance(op, FuncOp) and ATTRIBUTE in op.attributes)
    ]
    if len(kernels) != 1:
        fail(
            kernels[1] if kernels else module,
            f"must hold one kernel to be simulated, got {len(kernels)}",
        )
    match kernels[0]:
        case croq.KernelOp() as kernel:
            plan = replace(tile_plan(kernel), target=target_of(module).name)
            return Loaded(_tile_level(kernel), plan, level)
        case op:
            plan = _hardware_plan(op)
            return Loaded(_hardware_level(op, plan), plan, level)


def _tile_level(kernel: croq.KernelOp) -> Executable:
    from croqtile_mlir.simulator.tiles import executable

    return executable(kernel)


def _hardware_level(function: Operation, plan: LaunchPlan) -> Executable:
    from croqtile_mlir.simulator.hardware import executable

    assert isinstance(function, FuncOp)
    return executable(function, plan)


def _hardware_plan(function: Operation) -> LaunchPlan:
    try:
        return LaunchPlan.from_attr(function.attributes[ATTRIBUTE])
    except LaunchPlanError as error:
        fail(function, str(error))


def tile_plan(kernel: croq.KernelOp) -> LaunchPlan:
    """The launch plan of a kernel that has not been lowered: arguments and checks."""
    block, outputs = host_side(kernel)
    params = Parameters(kernel, argument_names(kernel, outputs))
    for op in block.body.walk():
        params.add(op)
    stored = {
        name
        for value, name in params.names.items()
        if isinstance(value.type, croq.TileType) and _is_stored_to(value)
    }
    args = tuple(
        arg
        if isinstance(arg, ScalarArg)
        else replace(arg, written=arg.written or arg.name in stored)
        for arg in plan_args(kernel, params, outputs)
    )
    try:
        return LaunchPlan(
            args=args,
            dims=kernel.dim_names,
            params=(),
            grid=AffineMap(len(kernel.dim_names), 0, (AffineExpr.constant(1),) * 3),
            block=1,
            checks=plan_checks(params),
            reference=reference_of(kernel),
        )
    except LaunchPlanError as error:
        fail(kernel, str(error))


def _is_stored_to(tile: SSAValue) -> bool:
    """Whether a tile is the destination of an op, itself or through views."""
    for use in tile.uses:
        match use.operation:
            case croq.ViewOp() as view:
                if any(_is_stored_to(result) for result in view.results):
                    return True
            case croq.CopyOp() | croq.CopyAsyncOp() as copy:
                if copy.destination is tile:
                    return True
            case croq.ElementwiseOp() | croq.ReduceOp() as computation:
                if computation.destination is tile:
                    return True
            case (
                croq.BarrierOp()
                | croq.AddressOp()
                | croq.AtomicOp()
                | croq.FillOp()
                | croq.MmaStoreOp()
                | croq.StoreOp()
            ):
                return True
            case _:
                pass
    return False
