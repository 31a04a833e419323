"""What each supported GPU architecture has: limits, features, legal MMA shapes.

Passes read this through `architecture(name)`; nothing else in the compiler holds
a hardware limit. Limits of a multiprocessor: CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability"; units of allocation, and the barriers of a
multiprocessor: `cuda_occupancy.h` of the CUDA toolkit 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

WARPGROUP_THREADS = 128
"""Of four warps that multiply together (PTX ISA, "wgmma")."""

Feature = Literal[
    "cluster",
    "cp_async",
    "elect",
    "ldmatrix",
    "mbarrier",
    "mbarrier_tx",
    "mma_sync",
    "setmaxnreg",
    "stmatrix",
    "tma",
    "wgmma",
]
"""A hardware ability that a pass or a verifier asks for by name.

`mbarrier`: objects that count single arrivals, and `test_wait`. `mbarrier_tx`: what
came with bulk copies, which are `try_wait`, bytes to expect, arrivals of more than one
that may complete a phase, and the fence of an initialisation.
"""


@dataclass(frozen=True)
class MmaShape:
    """The shapes one MMA instruction takes for one combination of element types.

    `m` and `k` are fixed, `n` is any multiple of `n_step` from `n_min` to `n_max`.
    """

    instruction: Literal["wgmma", "mma.sync"]
    operand: str
    """Element type of A and B, in MLIR's spelling."""

    accumulator: str
    """Element type of the accumulator, in MLIR's spelling."""

    m: int
    k: int
    n_min: int
    n_max: int
    n_step: int

    def admits_n(self, n: int) -> bool:
        """Whether the instruction has a form of width `n`."""
        return self.n_min <= n <= self.n_max and n % self.n_step == 0


@dataclass(frozen=True)
class Architecture:
    """Limits and features of one architecture."""

    name: str
    """The name of the target in PTX, `sm_90a`."""

    compute_capability: tuple[int, int]
    """Major and minor version that a device reports."""

    exact: bool
    """Whether PTX for it runs on exactly this compute capability (`a` targets)."""

    ptx_version: str
    """The lowest PTX ISA version that has all the listed features."""

    features: frozenset[Feature]
    warp_size: int
    max_threads_per_block: int
    max_grid: tuple[int, int, int]
    """Largest number of blocks along x, y and z."""

    registers_per_multiprocessor: int
    max_registers_per_thread: int
    register_granularity: int
    """A thread gets registers, and `setmaxnreg` counts them, in multiples of it."""

    shared_bytes_per_block: int
    """Most shared memory of a block, with the opt-in for dynamic shared memory."""

    shared_bytes_per_multiprocessor: int
    """Shared memory of a multiprocessor; each resident block takes
    `shared_bytes_reserved` more than it asks for."""

    shared_bytes_reserved: int
    max_threads_per_multiprocessor: int
    """Threads that a multiprocessor holds at a time, of any number of blocks."""

    max_blocks_per_multiprocessor: int
    named_barriers: int
    """Hardware barriers of a block, barrier 0 included."""

    barriers_per_multiprocessor: int | None
    """Hardware barriers of all blocks on a multiprocessor; None where they never are
    what keeps a block from it."""

    max_cluster: int
    """Most blocks in a cluster that every device of the architecture admits."""

    mma: tuple[MmaShape, ...]

    register_allocation_unit: int = 256
    """A warp gets registers in multiples of it (all of 8.x and 9.0)."""

    register_partitions: int = 4
    """Equal parts of the register file; all registers of a warp lie in one."""

    shared_allocation_unit: int = 128
    """A block gets shared memory in multiples of so many bytes."""

    @property
    def max_warps_per_multiprocessor(self) -> int:
        """Warps that a multiprocessor holds at a time."""
        return self.max_threads_per_multiprocessor // self.warp_size

    def runs_on(self, compute_capability: tuple[int, int]) -> bool:
        """
        Whether a device runs PTX for it: that for a target runs on all later devices,
        that for an `a` target on no other (PTX ISA, "PTX Module Directives: .target").
        """
        own = self.compute_capability
        return own == compute_capability or (
            not self.exact and own < compute_capability
        )

    def has(self, feature: Feature) -> bool:
        """Whether the architecture has `feature`."""
        return feature in self.features

    def max_registers(self, threads: int) -> int:
        """Most registers per thread with which a block of `threads` can start.

        A launch is checked as if the warps filled all partitions of the register file.
        """
        granularity = self.register_granularity
        row = self.warp_size * self.register_partitions
        rounded = -(-max(threads, 1) // row) * row
        share = self.registers_per_multiprocessor // rounded
        return min(share // granularity * granularity, self.max_registers_per_thread)

    def mma_shapes(
        self,
        instruction: Literal["wgmma", "mma.sync"],
        operand: str,
        accumulator: str,
    ) -> tuple[MmaShape, ...]:
        """The legal shapes of `instruction` for these element types, deepest first."""
        return tuple(
            shape
            for shape in self.mma
            if shape.instruction == instruction
            and shape.operand == operand
            and shape.accumulator == accumulator
        )


def _mma_sync(operand: str, accumulator: str, k: int) -> MmaShape:
    return MmaShape("mma.sync", operand, accumulator, 16, k, 8, 8, 8)


def _wgmma(operand: str, accumulator: str, k: int) -> MmaShape:
    return MmaShape("wgmma", operand, accumulator, 64, k, 8, 256, 8)


_MMA_SYNC = (
    _mma_sync("f16", "f32", 16),
    _mma_sync("f16", "f32", 8),
    _mma_sync("f16", "f16", 16),
    _mma_sync("f16", "f16", 8),
    _mma_sync("bf16", "f32", 16),
    _mma_sync("bf16", "f32", 8),
    _mma_sync("tf32", "f32", 8),
    _mma_sync("tf32", "f32", 4),
    _mma_sync("i8", "i32", 32),
    _mma_sync("i8", "i32", 16),
)
"""PTX ISA, "mma"; of each combination the deepest first. `i8` is signed or not."""

# PTX ISA, "Asynchronous warpgroup level matrix operation shape".
_WGMMA = (
    _wgmma("f16", "f32", 16),
    _wgmma("f16", "f16", 16),
    _wgmma("bf16", "f32", 16),
    _wgmma("tf32", "f32", 8),
    _wgmma("f8E4M3FN", "f32", 32),
    _wgmma("f8E5M2", "f32", 32),
    _wgmma("f8E4M3FN", "f16", 32),
    _wgmma("f8E5M2", "f16", 32),
)

SM_80 = Architecture(
    name="sm_80",
    compute_capability=(8, 0),
    exact=False,
    ptx_version="7.0",
    features=frozenset({"cp_async", "ldmatrix", "mbarrier", "mma_sync"}),
    warp_size=32,
    max_threads_per_block=1024,
    max_grid=(2**31 - 1, 65535, 65535),
    registers_per_multiprocessor=65536,
    max_registers_per_thread=255,
    register_granularity=8,
    shared_bytes_per_block=166912,
    shared_bytes_per_multiprocessor=167936,
    shared_bytes_reserved=1024,
    max_threads_per_multiprocessor=2048,
    max_blocks_per_multiprocessor=32,
    named_barriers=16,
    barriers_per_multiprocessor=None,
    max_cluster=1,
    mma=_MMA_SYNC,
)

SM_86 = replace(
    SM_80,
    name="sm_86",
    compute_capability=(8, 6),
    ptx_version="7.1",
    shared_bytes_per_block=101376,
    shared_bytes_per_multiprocessor=102400,
    max_threads_per_multiprocessor=1536,
    max_blocks_per_multiprocessor=16,
)

SM_89 = replace(
    SM_86,
    name="sm_89",
    compute_capability=(8, 9),
    ptx_version="7.8",
    max_blocks_per_multiprocessor=24,
)

SM_90A = Architecture(
    name="sm_90a",
    compute_capability=(9, 0),
    exact=True,
    ptx_version="8.0",
    features=frozenset(
        {
            "cluster",
            "cp_async",
            "elect",
            "ldmatrix",
            "mbarrier",
            "mbarrier_tx",
            "mma_sync",
            "setmaxnreg",
            "stmatrix",
            "tma",
            "wgmma",
        }
    ),
    warp_size=32,
    max_threads_per_block=1024,
    max_grid=(2**31 - 1, 65535, 65535),
    registers_per_multiprocessor=65536,
    max_registers_per_thread=255,
    register_granularity=8,
    shared_bytes_per_block=232448,
    shared_bytes_per_multiprocessor=233472,
    shared_bytes_reserved=1024,
    max_threads_per_multiprocessor=2048,
    max_blocks_per_multiprocessor=32,
    named_barriers=16,
    barriers_per_multiprocessor=64,
    max_cluster=8,
    mma=(*_MMA_SYNC, *_WGMMA),
)

ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {each.name: each for each in (SM_80, SM_86, SM_89, SM_90A)}
)
"""Every architecture that a module can name as its target."""

MAX_CLUSTER_BLOCKS = max(each.max_cluster for each in ARCHITECTURES.values())
"""Most blocks of a cluster on any target."""

DEFAULT_TARGET = SM_90A.name
"""The target of a module that names none."""


class UnknownArchitectureError(ValueError):
    """A target name that is not in `ARCHITECTURES`."""


def architecture(name: str) -> Architecture:
    """The architecture called `name`; the error lists the known ones."""
    found = ARCHITECTURES.get(name)
    if found is None:
        known = ", ".join(ARCHITECTURES)
        raise UnknownArchitectureError(f"target must be one of {known}, got '{name}'")
    return found


def architecture_of(compute_capability: tuple[int, int]) -> Architecture | None:
    """The architecture of a device; None for one that is not in `ARCHITECTURES`."""
    for found in ARCHITECTURES.values():
        if found.compute_capability == compute_capability:
            return found
    return None


def latest_for(compute_capability: tuple[int, int]) -> Architecture | None:
    """The latest architecture whose code a device runs; None where it runs none's."""
    able = [a for a in ARCHITECTURES.values() if a.runs_on(compute_capability)]
    return able[-1] if able else None
