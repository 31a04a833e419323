"""What a kernel takes of a multiprocessor."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Literal

from croqtile_mlir.errors import DeviceError

if TYPE_CHECKING:
    from croqtile_mlir.runtime.launch import Launcher


@dataclass(frozen=True)
class Resources:
    """Registers and shared memory of a kernel; None is what nobody here could tell."""

    threads: int
    """Per block."""

    shared_bytes: int
    """Per block."""

    registers: int | None = None
    """Per thread, at the start of the kernel."""

    spill_bytes: int | None = None
    """Per thread, stored to and loaded from local memory for want of registers."""

    blocks_per_multiprocessor: int | None = None
    """Blocks that fit on a multiprocessor at a time."""

    cluster_blocks: int = 1
    """Blocks per cluster."""

    clusters: int | None = None
    """Clusters that fit on the device at a time; None without clusters, too."""

    source: Literal["driver", "ptxas", "plan"] = "plan"
    """Who told: the driver of a device, the assembler, or nobody but the plan."""

    messages: tuple[str, ...] = ()
    """Warnings of the assembler, and its notes on serialised WGMMA (`C75..`)."""

    @property
    def threads_per_multiprocessor(self) -> int | None:
        """The occupancy in threads."""
        blocks = self.blocks_per_multiprocessor
        return None if blocks is None else blocks * self.threads


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
    return Resources(
        threads=launcher.plan.block,
        shared_bytes=launcher.plan.shared_bytes + kernel.static_shared_bytes,
        registers=kernel.registers,
        spill_bytes=kernel.spill_bytes,
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
            plan.block, plan.shared_bytes, cluster_blocks=prod(plan.cluster)
        )
    result = assemble(launcher.ptx, plan.target)
    return Resources(
        threads=plan.block,
        shared_bytes=plan.shared_bytes + result.shared_bytes,
        registers=result.registers,
        spill_bytes=result.spill_bytes,
        cluster_blocks=prod(plan.cluster),
        source="ptxas",
        messages=result.warnings,
    )
