"""What `croq-run` prints of the resources of a kernel."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from croqtile_mlir.tools.run_output import print_line, text_of
from croqtile_mlir.tools.waiting import waiting

if TYPE_CHECKING:
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.resources import Resources

_TOLD = {
    "driver": "the driver of the device",
    "ptxas": "ptxas",
    "plan": "nobody: there is no device, and ptxas was not found",
}


def print_resources(resources: Resources) -> None:
    """The line of a run, with the assembler's warnings."""
    parts = [f"{resources.shared_bytes} bytes of shared memory"]
    if resources.registers is not None:
        parts.insert(0, f"{resources.registers} registers")
    if resources.spill_bytes is not None:
        parts.insert(1, f"{resources.spill_bytes} bytes spilled")
    if resources.blocks_per_multiprocessor is not None:
        parts.append(
            f"blocks per multiprocessor: {resources.blocks_per_multiprocessor}"
        )
    told = {"plan": " (ptxas not found)", "ptxas": " (ptxas)", "driver": ""}
    print_line("resources", ", ".join(parts) + told[resources.source])
    for message in resources.messages:
        print_line("", message)


def report_resources(kernel: Kernel) -> None:
    """All that is known, a fact a line."""
    with waiting("assembling"):
        found = kernel.resources
    print(f"{kernel.name}: target {kernel.plan.target}")
    print_line("told by", _TOLD[found.source])
    print_line("block", f"{found.threads} threads, {-(-found.threads // 32)} warps")
    if found.registers is not None:
        spills = found.spill_bytes
        spilled = f"{spills} bytes spilled" if spills else "no spills"
        print_line("registers", f"{found.registers} of a thread, {spilled}")
    for role in kernel.roles:
        own = "as at the start" if role.registers is None else f"{role.registers}"
        last = role.first_thread + role.threads - 1
        threads = f"threads {role.first_thread} to {last}"
        print_line("role", f"{role.name}: {threads}, registers: {own}")
    print_line(
        "shared",
        f"{found.dynamic_shared_bytes} bytes dynamic, {found.static_shared_bytes} "
        f"static{_shared_limit(found)}",
    )
    if found.source != "plan":
        print_line("barriers", f"{found.barriers}")
    if found.cluster_blocks > 1:
        at_a_time = "" if found.clusters is None else f", {found.clusters} at a time"
        print_line("cluster", f"{found.cluster_blocks} blocks{at_a_time}")
    _print_occupancy(found)
    for message in found.messages:
        print_line("", message)


def tell_spills(kernel: Kernel, resources: Resources) -> None:
    """A warning at the kernel for spilled registers, on stderr."""
    from croqtile_mlir.diagnostics import render
    from croqtile_mlir.storage.source_facts import spill_diagnostic

    found = spill_diagnostic(kernel.source, resources)
    if found is not None:
        print(render(found, text_of(found.location.file)), file=sys.stderr)


def _print_occupancy(found: Resources) -> None:
    occupancy = found.occupancy
    if occupancy is not None:
        print_line("occupancy", f"{occupancy}, on {occupancy.target}")
        scarcest_first = sorted(occupancy.limits.items(), key=lambda each: each[1])
        admitted = ", ".join(f"{name} {most}" for name, most in scarcest_first)
        print_line("", f"blocks that each resource admits: {admitted}")
    blocks = found.blocks_per_multiprocessor
    if blocks is not None and (occupancy is None or blocks != occupancy.blocks):
        print_line("occupancy", f"blocks per multiprocessor by the driver: {blocks}")
    elif occupancy is None:
        print_line("occupancy", "not known: the registers are not")


def _shared_limit(found: Resources) -> str:
    from croqtile_mlir.targets.architecture import architecture

    if found.target is None:
        return ""
    arch = architecture(found.target)
    return (
        f", of at most {arch.shared_bytes_per_block}; a block takes "
        f"{arch.shared_bytes_reserved} more"
    )
