"""What a report tells of a kernel that its compiled form does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from croqtile_mlir.messages import Diagnostic, Severity

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from croqtile_mlir.compiler import Source
    from croqtile_mlir.dialects.croq import RoleOp
    from croqtile_mlir.pipeline import Lowering
    from croqtile_mlir.resources import Resources

_SCHEDULED = "bind-params"
"""The first pass of the lowering: roles that a schedule makes are there after it."""


@dataclass(frozen=True)
class RoleBudget:
    """A role of a kernel's blocks and its registers."""

    name: str
    first_thread: int
    """Index in the block."""

    threads: int
    registers: int | None = None
    """Per thread, set by `setmaxnreg`; None: those that the kernel starts with."""


def role_budgets(source: Source) -> tuple[RoleBudget, ...]:
    """
    The roles of a kernel after its schedule, by their first thread; none of a kernel
    whose source is below level `croq`.

    Dims and parameters are bound and the schedule runs again for it.
    """
    found = _budgets(_scheduled(source))
    return tuple(
        RoleBudget(role.role_name.data, role.first_thread, role.num_threads, registers)
        for role, registers in sorted(found, key=lambda each: each[0].first_thread)
    )


def spill_diagnostic(
    source: Source, resources: Resources, severity: Severity = Severity.Warning
) -> Diagnostic | None:
    """
    A warning or an error at the kernel when its threads spill registers; None when they
    do not, and when nobody could tell.
    """
    from croqtile_mlir.diagnostics import diagnostic

    if not resources.spill_bytes:
        return None
    lowering = _scheduled(source)
    return diagnostic(
        severity,
        _kernel(lowering),
        f"registers must suffice, got {resources.spill_bytes} bytes of local memory "
        f"stored and loaded by each thread with {resources.registers} registers",
        hint="give a thread less of the tile, or more registers: fewer threads in the "
        "block, or a larger budget of its role",
        notes=[
            (role, f"the threads of this role have {registers} registers")
            for role, registers in _budgets(lowering)
            if registers is not None
        ],
    )


def refuse_spills(source: Source, resources: Resources) -> None:
    """
    Refuse a kernel whose threads spill registers.

    Raises:
        CompileError: they do; it is located at the kernel.
        DeviceError: nobody could tell.
    """
    from croqtile_mlir.diagnostics import CompileError
    from croqtile_mlir.errors import DeviceError

    if resources.spill_bytes is None:
        raise DeviceError(
            "whether registers are spilled must be told by a device or by ptxas, "
            "found neither"
        )
    found = spill_diagnostic(source, resources, Severity.Error)
    if found is not None:
        raise CompileError(found)


def _scheduled(source: Source) -> Lowering:
    """The module after its schedule, or as it is where there is nothing to schedule."""
    from croqtile_mlir.pipeline import Lowering

    lowering = Lowering(source)
    if lowering.level == "croq":
        lowering.run(until=_SCHEDULED)
    return lowering


def _budgets(lowering: Lowering) -> Iterator[tuple[RoleOp, int | None]]:
    """The roles with their registers; None where the target cannot set them."""
    from croqtile_mlir.analysis.target import target_of
    from croqtile_mlir.dialects.croq import RoleOp

    can_set = target_of(lowering.module).has("setmaxnreg")
    for op in lowering.module.walk():
        if isinstance(op, RoleOp):
            budget = op.registers if can_set else None
            yield op, None if budget is None else budget.data


def _kernel(lowering: Lowering) -> Operation:
    """The op that is the kernel, at any level."""
    from croqtile_mlir.dialects.croq import KernelOp
    from croqtile_mlir.launch.plan import ATTRIBUTE

    for op in lowering.module.walk():
        if isinstance(op, KernelOp) or ATTRIBUTE in op.attributes:
            return op
    return lowering.module
