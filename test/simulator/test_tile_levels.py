"""Every example at tile level and after each pass that keeps `croq.kernel`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.simulator.faults import Fault, FaultKind
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.simulate import Options, Report, load, run_loaded

EXAMPLES = Path(__file__).parents[2] / "examples"
POLICIES = ("rr", "late", "early", "random:5")
MATMULS = (
    "matmul_1p1c",
    "matmul_1p1c_f16acc",
    "matmul_1p1c_slices",
    "matmul_1p1c_threads",
    "matmul_returned",
)
STAGES = 4


def levels() -> tuple[str, ...]:
    names = [p for s in lowering_stages() if s.level == "nvvm" for p in s.passes]
    return ("croq", *names[: names.index("lower-views") + 1])


@lru_cache(maxsize=128)
def loaded(name: str, level: str, warps: bool = False) -> Loaded:
    text = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")
    if warps:
        for old in ("[0, 1) registers 40 {", "[0, 1) {"):
            text = text.replace(
                f'"producer" warpgroups {old}', '"producer" warps [0, 1) {'
            )
        text = text.replace("registers 232 ", "")
        assert "warps [0, 1)" in text
    return load(source_of(text), level=level)


def run_matmul(
    kernel: Loaded, policy: str, size: tuple[int, int, int], half_sums: bool = False
) -> Report:
    rows, cols, depth = size
    rng = np.random.default_rng(rows + cols + depth)
    lhs = rng.standard_normal((rows, depth)).astype(np.float16)
    rhs = rng.standard_normal((cols, depth)).astype(np.float16)
    out: NDArray[np.float16] = np.full((rows, cols), np.nan, np.float16)
    returned = bool(kernel.plan.outputs)
    args = (lhs, rhs) if returned else (lhs, rhs, out)
    report = run_loaded(kernel, args, Options(policy))
    result = report.result if returned else out
    exact = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    limit = 2e-2 if half_sums else 1e-3
    bound = limit * max(1.0, float(np.abs(exact).max(initial=0)))
    assert np.abs(result - exact).max(initial=0) <= bound
    return report


def kinds(faults: tuple[Fault, ...]) -> set[FaultKind]:
    return {fault.kind for fault in faults}


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", MATMULS)
def test_matmul_of_a_producer_warp(name: str, level: str) -> None:
    kernel = loaded(name, level, warps=True)
    for policy in POLICIES:
        report = run_matmul(kernel, policy, (136, 200, 328), name.endswith("f16acc"))
        assert not report.faults, [f.diagnostic() for f in report.faults]


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", MATMULS)
def test_matmul_of_a_producer_warpgroup(name: str, level: str) -> None:
    kernel = loaded(name, level)
    report = run_matmul(kernel, "late", (136, 200, 328), name.endswith("f16acc"))
    # Warps of the producer that only wait may fall behind by more than a phase, where
    # its ops have become those of single warps: nothing waits for them.
    allowed: set[FaultKind] = set()
    if report.agents > 2 and not name.endswith("threads"):
        allowed = {FaultKind.PHASE_OVERRUN}
    assert kinds(report.faults) <= allowed, [f.diagnostic() for f in report.faults]


@pytest.mark.parametrize("level", ("croq", "insert-barriers", "lower-views"))
@pytest.mark.parametrize(
    "steps", (0, 1, STAGES - 1, STAGES, STAGES + 1, 2 * STAGES + 1)
)
def test_trip_counts(steps: int, level: str) -> None:
    kernel = loaded("matmul_1p1c", level, warps=True)
    for policy in POLICIES:
        report = run_matmul(kernel, policy, (8, 16, 64 * steps))
        assert not report.faults, [f.diagnostic() for f in report.faults]


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", ("add", "copy"))
@pytest.mark.parametrize("shape", ((64, 32), (100, 77), (1, 1), (129, 33)))
def test_elementwise(name: str, level: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape[0])
    tiles = [rng.standard_normal(shape).astype(np.float32) for _ in range(3)]
    args = tiles if name == "add" else tiles[1:]
    kernel = loaded(name, level)
    for policy in ("rr", "random:2"):
        args[-1].fill(np.nan)
        report = run_loaded(kernel, args, Options(policy))
        assert not report.faults, [f.diagnostic() for f in report.faults]
        expected = args[0] + args[1] if name == "add" else args[0]
        assert (args[-1] == expected).all()


def test_a_block_of_matmul_takes_milliseconds() -> None:
    kernel = loaded("matmul_1p1c", "croq")
    run_matmul(kernel, "rr", (256, 256, 512))
    report = run_matmul(kernel, "rr", (256, 256, 512))
    assert report.blocks == 4
    assert report.seconds < 1
