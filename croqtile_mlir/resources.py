"""What a kernel takes of a multiprocessor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Literal

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.occupancy import Occupancy, compute
from croqtile_mlir.targets.architecture import architecture_of

if TYPE_CHECKING:
    from croqtile_mlir.runtime.launch import Launcher

_MOST_BARRIERS = 16
"""Of a block, on every architecture (PTX ISA, `barrier`)."""

_BARRIER = re.compile(
    r"\bbar(?:rier)?(?:\.cta)?\.(sync|arrive|red)[.\w]*\s+([^;]*);", re.MULTILINE
)


@dataclass(frozen=True)
class Resources:
    """Registers and shared memory of a kernel; None is what nobody here could tell."""

    threads: int
    """Per block."""

    dynamic_shared_bytes: int
    """Per block, asked for at the launch; all that the compiler itself lays out."""

    static_shared_bytes: int = 0
    """Per block, declared in the PTX text."""

    registers: int | None = None
    """Per thread, at the start of the kernel; roles may have other budgets later."""

    spill_bytes: int | None = None
    """Per thread, stored to and loaded from local memory for want of registers."""

    barriers: int = 1
    """Hardware barriers of a block, barrier 0 included."""

    target: str | None = None
    """The architecture on whose multiprocessors blocks are counted: the device's, else
    the kernel's; None of a device that is not a target."""

    blocks_per_multiprocessor: int | None = None
    """Blocks that fit on a multiprocessor at a time: as the driver says, without a
    device as the tables say (`occupancy`)."""

    cluster_blocks: int = 1
    """Blocks per cluster."""

    clusters: int | None = None
    """Clusters that fit on the device at a time; None without clusters, too."""

    source: Literal["driver", "ptxas", "plan"] = "plan"
    """Who told: the driver of a device, the assembler, or nobody but the plan."""

    messages: tuple[str, ...] = ()
    """Warnings of the assembler, and its notes on serialised WGMMA (`C75..`)."""

    @property
    def shared_bytes(self) -> int:
        """Per block, static and dynamic."""
        return self.dynamic_shared_bytes + self.static_shared_bytes

    @property
    def threads_per_multiprocessor(self) -> int | None:
        """The occupancy in threads."""
        blocks = self.blocks_per_multiprocessor
        return None if blocks is None else blocks * self.threads

    @property
    def occupancy(self) -> Occupancy | None:
        """The occupancy from the tables of the target, with what limits it."""
        if self.registers is None or self.target is None:
            return None
        return compute(
            self.target,
            threads=self.threads,
            registers=self.registers,
            shared_bytes=self.shared_bytes,
            barriers=self.barriers,
        )


def resources_of(launcher: Launcher) -> Resources:
    """The resources of a kernel, from a device when there is one, else from ptxas."""
    try:
        return device_resources(launcher)
    except DeviceError:
        return assembler_resources(launcher)


def device_resources(launcher: Launcher) -> Resources:
    """What the driver says after loading the kernel; `DeviceError` without a device."""
    from croqtile_mlir.runtime.device import current_ordinal, open_device

    driver = launcher.driver()
    kernel = launcher.loaded(open_device(driver, current_ordinal(driver)))
    target = architecture_of(kernel.device.compute_capability)
    return Resources(
        threads=launcher.plan.block,
        dynamic_shared_bytes=launcher.plan.shared_bytes,
        static_shared_bytes=kernel.static_shared_bytes,
        registers=kernel.registers,
        spill_bytes=kernel.spill_bytes,
        barriers=barriers_of(launcher.ptx),
        target=None if target is None else target.name,
        blocks_per_multiprocessor=kernel.blocks_per_multiprocessor,
        cluster_blocks=prod(launcher.plan.cluster),
        clusters=kernel.clusters,
        source="driver",
        messages=kernel.warnings,
    )


def assembler_resources(launcher: Launcher) -> Resources:
    """What ptxas says; where it is not installed, what the plan says.

    Raises `ptx_tools.AssemblerError` when ptxas refuses the text.
    """
    from croqtile_mlir.ptx_tools import assemble, find_ptxas

    plan = launcher.plan
    if find_ptxas() is None:
        return Resources(
            plan.block,
            plan.shared_bytes,
            barriers=barriers_of(launcher.ptx),
            target=plan.target,
            cluster_blocks=prod(plan.cluster),
        )
    result = assemble(launcher.ptx, plan.target)
    occupancy = compute(
        plan.target,
        threads=plan.block,
        registers=result.registers,
        shared_bytes=plan.shared_bytes + result.shared_bytes,
        barriers=result.barriers,
    )
    return Resources(
        threads=plan.block,
        dynamic_shared_bytes=plan.shared_bytes,
        static_shared_bytes=result.shared_bytes,
        registers=result.registers,
        spill_bytes=result.spill_bytes,
        barriers=result.barriers,
        target=plan.target,
        blocks_per_multiprocessor=occupancy.blocks,
        cluster_blocks=prod(plan.cluster),
        source="ptxas",
        messages=result.warnings,
    )


def barriers_of(ptx: str) -> int:
    """
    The hardware barriers that ptxas gives the blocks of a PTX text.

    Those up to the highest that is named, or all of a block where a register names one.
    """
    most = 0
    for kind, text in _BARRIER.findall(ptx):
        operands = [operand.strip() for operand in text.split(",")]
        # A reduction has its result first: `bar.red.popc.u32 %r1, 2, %p1`.
        name = operands[1 if kind == "red" else 0]
        named = int(name) + 1 if name.isdecimal() else _MOST_BARRIERS
        most = max(most, named)
    return most
