"""Occupancy from tables: published cases, and the vendor's own header."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pytest

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.occupancy import Resource, best_block, compute
from croqtile_mlir.targets.architecture import (
    ARCHITECTURES,
    UnknownArchitectureError,
    architecture,
    architecture_of,
)

PUBLISHED = {
    # CUDA C++ Programming Guide, "Technical Specifications per Compute Capability":
    # threads, blocks and warps of a multiprocessor; KiB of shared memory of a
    # multiprocessor and of a block.
    "sm_80": ((8, 0), 2048, 32, 64, 164, 163),
    "sm_86": ((8, 6), 1536, 16, 48, 100, 99),
    "sm_89": ((8, 9), 1536, 24, 48, 100, 99),
    "sm_90a": ((9, 0), 2048, 32, 64, 228, 227),
}


def test_every_target_has_the_published_limits():
    assert set(PUBLISHED) == set(ARCHITECTURES)
    for name, (capability, threads, blocks, warps, shared, block) in PUBLISHED.items():
        arch = architecture(name)
        assert architecture_of(capability) is arch
        assert arch.max_threads_per_multiprocessor == threads
        assert arch.max_blocks_per_multiprocessor == blocks
        assert arch.max_warps_per_multiprocessor == warps
        assert arch.shared_bytes_per_multiprocessor == shared * 1024
        assert arch.shared_bytes_per_block == block * 1024
        assert shared * 1024 - arch.shared_bytes_reserved == block * 1024
        assert arch.registers_per_multiprocessor == 65536
    assert architecture_of((7, 5)) is None


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks"),
    [
        # Columns: sm_80, sm_86, sm_89, sm_90a.
        (32, 16, 0, (32, 16, 24, 32)),
        (256, 32, 0, (8, 6, 6, 8)),
        # 33 registers are 1280 of a warp, not 1056: 12 warps in each of 4 partitions.
        (256, 33, 0, (6, 6, 6, 6)),
        (256, 41, 0, (5, 5, 5, 5)),
        # 24 warps of 65 registers: 7 in a partition, 28 in all, 3 blocks of 8 warps.
        (256, 65, 0, (3, 3, 3, 3)),
        # 5 warps: 10 in a partition, 40 in all.
        (160, 48, 0, (8, 8, 8, 8)),
        # A block of 9 warps is checked as one of 12: 12 * 6144 registers are too many.
        (288, 192, 0, (0, 0, 0, 0)),
        (256, 192, 0, (1, 1, 1, 1)),
        (1024, 64, 0, (1, 1, 1, 1)),
        (1024, 65, 0, (0, 0, 0, 0)),
        (1024, 32, 0, (2, 1, 1, 2)),
        (1025, 16, 0, (0, 0, 0, 0)),
        (128, 255, 0, (2, 2, 2, 2)),
        # Two blocks of half the shared memory do not fit: each takes 1 KiB more.
        (128, 32, 50 * 1024, (3, 1, 1, 4)),
        (128, 32, 49 * 1024, (3, 2, 2, 4)),
        (128, 32, 99 * 1024, (1, 1, 1, 2)),
        (128, 32, 99 * 1024 + 1, (1, 0, 0, 2)),
        (128, 32, 113 * 1024, (1, 0, 0, 2)),
        (128, 32, 113 * 1024 + 1, (1, 0, 0, 1)),
        (128, 32, 163 * 1024 + 1, (0, 0, 0, 1)),
        (128, 32, 227 * 1024, (0, 0, 0, 1)),
        (128, 32, 227 * 1024 + 1, (0, 0, 0, 0)),
        # Memory comes in 128 bytes.
        (32, 16, 7 * 1024 - 128, (20, 12, 12, 28)),
        (128, 88, 32 * 1024, (4, 3, 3, 5)),
        (384, 168, 200 * 1024, (0, 0, 0, 1)),
    ],
)
def test_known_cases(
    threads: int, registers: int, shared: int, blocks: tuple[int, ...]
):
    found = tuple(
        compute(name, threads=threads, registers=registers, shared_bytes=shared).blocks
        for name in PUBLISHED
    )
    assert found == blocks


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "barriers", "limiting", "fraction"),
    [
        (256, 64, 0, 1, ("registers",), 0.5),
        (256, 32, 0, 1, ("warps", "registers"), 1.0),
        (256, 24, 0, 1, ("warps",), 1.0),
        (32, 16, 0, 1, ("blocks",), 0.5),
        (256, 64, 100 * 1024, 1, ("shared memory",), 0.25),
        (256, 224, 163904, 2, ("registers", "shared memory"), 0.125),
        # 64 barriers of a multiprocessor; a block of 16 shares it with three others.
        (128, 32, 0, 16, ("barriers",), 0.25),
        (128, 32, 0, 3, ("warps", "registers"), 1.0),
        (128, 32, 0, 17, ("barriers",), 0.0),
        (1024, 128, 0, 1, ("registers",), 0.0),
    ],
)
def test_what_limits(
    threads: int,
    registers: int,
    shared: int,
    barriers: int,
    limiting: tuple[Resource, ...],
    fraction: float,
):
    found = compute(
        "sm_90a",
        threads=threads,
        registers=registers,
        shared_bytes=shared,
        barriers=barriers,
    )
    assert (found.limiting, found.fraction) == (limiting, fraction)


def test_as_text():
    found = compute("sm_90a", threads=256, registers=224, shared_bytes=163904)
    assert str(found) == (
        "1 block per multiprocessor, 8 of 64 warps (12.5%), limited by registers and "
        "shared memory"
    )
    assert "2 blocks per" in str(compute("sm_86", threads=768, registers=24))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"threads": 0, "registers": 8}, "threads must be 1 or more, got 0"),
        ({"threads": 32, "registers": -1}, "registers must be 0 or more, got -1"),
        (
            {"threads": 32, "registers": 1, "shared_bytes": -8},
            "shared_bytes must be 0 or more, got -8",
        ),
        (
            {"threads": 128.5, "registers": 8},
            "threads must be an integer, got 128.5",
        ),
        ({"threads": 32, "registers": "8"}, "registers must be an integer, got '8'"),
    ],
)
def test_refused_numbers(values: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        compute("sm_90a", **values)
    with pytest.raises(UnknownArchitectureError, match="got 'sm_70'"):
        compute("sm_70", threads=32, registers=8)
    with pytest.raises(UnknownArchitectureError, match="got '90'"):
        compute(cast(Any, 90), threads=32, registers=8)


def test_best_block():
    best = croq.occupancy.best_block
    assert best("sm_90a", registers=32).threads == 1024
    # 48 warps fit, in blocks of 8, 12, 16 or 24; the largest is taken.
    assert best("sm_90a", registers=40).threads == 768
    assert best("sm_86", registers=16).threads == 768
    assert best("sm_90a", registers=40, max_threads=352).threads == 256
    # Memory that grows with the block: all sizes hold as much, the largest is taken.
    grows = best("sm_90a", registers=32, shared_bytes=lambda threads: 100 * threads)
    assert (grows.threads, grows.blocks) == (1024, 2)
    none = best("sm_86", registers=32, shared_bytes=100 * 1024)
    assert (none.threads, none.blocks) == (32, 0)
    with pytest.raises(ValueError, match="max_threads must be between 32 and 1024"):
        best("sm_86", registers=32, max_threads=16)
    with pytest.raises(ArgumentError, match=r"must be an integer, got 64\.5"):
        best("sm_86", registers=32, max_threads=cast(Any, 64.5))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_block_starts_with_the_most_registers(name: str):
    arch = architecture(name)
    for threads in range(1, 1025):
        most = arch.max_registers(threads)
        assert compute(name, threads=threads, registers=most).blocks > 0
        more = most + arch.register_granularity
        assert compute(name, threads=threads, registers=more).blocks == 0
    assert [arch.max_registers(threads) for threads in (256, 257, 288, 384)] == [
        255,
        168,
        168,
        168,
    ]


def vendor_header() -> Path | None:
    """The folder of the vendor's header, from a wheel or a toolkit."""
    spec = find_spec("nvidia")
    wheels = (spec.submodule_search_locations if spec is not None else None) or ()
    folders = [folder for root in wheels for folder in Path(root).glob("*/include")]
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for folder in (*folders, Path(home) / "include"):
        header = folder / "cuda_occupancy.h"
        # Older ones know fewer architectures and other barriers.
        if header.is_file() and "case 12" in header.read_text():
            return folder
    return None


def test_the_vendors_header_says_the_same(tmp_path: Path):
    """Random configurations: blocks, limiting resources, best block size."""
    include, compiler = vendor_header(), shutil.which("cc")
    if include is None or compiler is None:
        pytest.skip("needs a C compiler and cuda_occupancy.h")
    source = Path(__file__).parent / "Inputs" / "vendor_occupancy.c"
    program = tmp_path / "vendor_occupancy"
    subprocess.run(
        [compiler, "-O1", f"-I{include}", source, "-o", program], check=True, timeout=60
    )
    rng = random.Random(7)
    cases = [
        (
            rng.choice(list(PUBLISHED)),
            rng.randint(1, 1024),
            rng.randint(1, 255),
            rng.choice([0, rng.randint(0, 4096), rng.randint(0, 228 * 1024)]),
            rng.choice([1, 1, rng.randint(0, 16)]),
        )
        for _ in range(1500)
    ]
    lines: list[str] = []
    for name, *rest in cases:
        (major, minor), threads, _, _, shared, block = PUBLISHED[name]
        numbers = [major, minor, threads, shared * 1024, block * 1024, *rest]
        lines.append(" ".join(map(str, numbers)))
    done = subprocess.run(
        [program],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    bits: dict[Resource, int] = {
        "warps": 1,
        "registers": 2,
        "shared memory": 4,
        "blocks": 8,
        "barriers": 16,
    }
    answers = done.stdout.splitlines()
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers, strict=True):
        name, threads, registers, shared, barriers = case
        blocks, factors, best = map(int, answer.split())
        found = compute(
            name,
            threads=threads,
            registers=registers,
            shared_bytes=shared,
            barriers=barriers,
        )
        assert found.blocks == blocks, case
        ours = sum(bits[each] for each in found.limiting)
        # The header keeps what limited the blocks before it looked at barriers.
        assert ours & factors == ours if factors & bits["barriers"] else ours == factors
        chosen = best_block(
            name, registers=registers, shared_bytes=shared, barriers=barriers
        )
        assert best == (chosen.threads if chosen.blocks else 0), case
