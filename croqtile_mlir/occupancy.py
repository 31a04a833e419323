"""How many blocks of a kernel a multiprocessor holds at a time, from tables.

```python
from croqtile_mlir import occupancy

found = occupancy.compute("sm_90a", threads=256, registers=64, shared_bytes=65536)
found.blocks, found.fraction, found.limiting   # (3, 0.375, ("shared memory",))
occupancy.best_block("sm_90a", registers=40).threads   # 768
```

The rules are those of the vendor's `cuda_occupancy.h` (CUDA toolkit 13), for kernels
that opt in to as much shared memory as they ask for; no device is needed. Registers are
those with which a thread starts, whatever `setmaxnreg` makes of them later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index
from types import MappingProxyType
from typing import Literal, SupportsIndex, TypeAlias

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.targets.architecture import Architecture, architecture

Resource = Literal["registers", "shared memory", "warps", "blocks", "barriers"]
"""What a multiprocessor can run out of; `warps` stands for threads, too."""

SharedBytes: TypeAlias = int | Callable[[int], int]
"""Bytes of a block, or those of a block of so many threads."""


@dataclass(frozen=True)
class Occupancy:
    """The blocks of one kernel on a multiprocessor that runs nothing else."""

    target: str
    threads: int
    """Per block."""

    limits: Mapping[Resource, int]
    """The blocks that each resource admits; one that is not used is not listed. Zero:
    a block does not start."""

    max_warps: int
    """Warps that a multiprocessor holds."""

    warp_size: int = 32

    @property
    def blocks(self) -> int:
        """Blocks on a multiprocessor at a time."""
        return min(self.limits.values())

    @property
    def warps(self) -> int:
        """Warps on a multiprocessor at a time."""
        return self.blocks * -(-self.threads // self.warp_size)

    @property
    def fraction(self) -> float:
        """The occupancy: warps by those that a multiprocessor can hold."""
        return self.warps / self.max_warps

    @property
    def limiting(self) -> tuple[Resource, ...]:
        """The resources that admit no more blocks than these."""
        return tuple(name for name, most in self.limits.items() if most == self.blocks)

    def __str__(self) -> str:
        plural = "" if self.blocks == 1 else "s"
        return (
            f"{self.blocks} block{plural} per multiprocessor, {self.warps} of "
            f"{self.max_warps} warps ({self.fraction:.1%}), limited by "
            f"{' and '.join(self.limiting)}"
        )


def compute(
    target: str | Architecture,
    *,
    threads: int,
    registers: int,
    shared_bytes: int = 0,
    barriers: int = 1,
) -> Occupancy:
    """
    The occupancy of a kernel.

    Args:
        target: the name of an architecture, `sm_90a`.
        threads: per block.
        registers: per thread.
        shared_bytes: per block, static and dynamic.
        barriers: hardware barriers of a block.

    Raises:
        UnknownArchitectureError: there is no such target.
        ArgumentError: a number is negative or no integer, or there are no threads.
    """
    arch = _architecture(target)
    for name, value, least in (
        ("threads", threads, 1),
        ("registers", registers, 0),
        ("shared_bytes", shared_bytes, 0),
        ("barriers", barriers, 0),
    ):
        _check_integer(name, value)
        if value < least:
            raise ArgumentError(f"{name} must be {least} or more, got {value}")
    warps = -(-threads // arch.warp_size)
    limits: dict[Resource, int] = {
        "warps": arch.max_warps_per_multiprocessor // warps,
        "blocks": arch.max_blocks_per_multiprocessor,
    }
    if threads > arch.max_threads_per_block:
        limits["warps"] = 0
    if registers:
        limits["registers"] = _by_registers(arch, warps, registers)
    limits["shared memory"] = _by_shared_memory(arch, shared_bytes)
    if barriers and arch.barriers_per_multiprocessor is not None:
        limits["barriers"] = arch.barriers_per_multiprocessor // barriers
    if barriers > arch.named_barriers:
        limits["barriers"] = 0
    return Occupancy(
        arch.name,
        threads,
        MappingProxyType(limits),
        arch.max_warps_per_multiprocessor,
        arch.warp_size,
    )


def best_block(
    target: str | Architecture,
    *,
    registers: int,
    shared_bytes: SharedBytes = 0,
    barriers: int = 1,
    max_threads: int | None = None,
) -> Occupancy:
    """
    The largest block, in whole warps, that has the highest occupancy.

    `max_threads` is what the kernel admits; by default what the target does. Where no
    block starts, the result is that of the smallest block, with no `blocks`.
    """
    arch = _architecture(target)
    most = arch.max_threads_per_block if max_threads is None else max_threads
    _check_integer("max_threads", most)
    if not arch.warp_size <= most <= arch.max_threads_per_block:
        raise ArgumentError(
            f"max_threads must be between {arch.warp_size} and "
            f"{arch.max_threads_per_block}, got {most}"
        )
    found = [
        compute(
            arch,
            threads=threads,
            registers=registers,
            shared_bytes=shared_bytes(threads)
            if callable(shared_bytes)
            else shared_bytes,
            barriers=barriers,
        )
        for threads in range(arch.warp_size, most + 1, arch.warp_size)
    ]
    if not any(each.blocks for each in found):
        return found[0]
    return max(found, key=lambda each: (each.warps, each.threads))


def _architecture(target: str | Architecture) -> Architecture:
    if isinstance(target, Architecture):
        return target
    return architecture(str(target))


def _check_integer(name: str, value: SupportsIndex) -> None:
    """A fraction would be counted as if it were there; any integer type is fine."""
    try:
        index(value)
    except TypeError:
        raise ArgumentError(f"{name} must be an integer, got {value!r}") from None


def _by_registers(arch: Architecture, warps: int, registers: int) -> int:
    """A warp's registers lie in one partition; none is spread over two."""
    per_warp = _up(registers * arch.warp_size, arch.register_allocation_unit)
    partitions = arch.register_partitions
    # The launch is checked as if all partitions held the same number of warps.
    assumed = per_warp * _up(warps, partitions)
    if (
        registers > arch.max_registers_per_thread
        or assumed > arch.registers_per_multiprocessor
    ):
        return 0
    in_partition = arch.registers_per_multiprocessor // partitions // per_warp
    return in_partition * partitions // warps


def _by_shared_memory(arch: Architecture, shared_bytes: int) -> int:
    if shared_bytes > arch.shared_bytes_per_block:
        return 0
    taken = _up(shared_bytes + arch.shared_bytes_reserved, arch.shared_allocation_unit)
    return arch.shared_bytes_per_multiprocessor // taken


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
