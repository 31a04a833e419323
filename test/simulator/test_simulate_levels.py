"""`croqtile_mlir.simulate` and kernels that are called without a device."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import croqtile_mlir as croq
from croqtile_mlir import simulator
from croqtile_mlir.compiler import Source
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.runtime.device import Availability
from croqtile_mlir.simulator.loading import load_source, tile_plan

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SEED = EXAMPLES / "matmul_1p1c.mlir"
THREADS = EXAMPLES / "matmul_1p1c_threads.mlir"
RETURNED = EXAMPLES / "matmul_returned.mlir"
COPY = EXAMPLES / "copy.mlir"
SCALE = ROOT / "test" / "unit" / "Inputs" / "scale.mlir"


def operands(m: int, n: int, k: int) -> tuple[Any, Any, Any, Any]:
    """a, b, a place for the product, and the product."""
    random = np.random.default_rng(k)
    a, b = (
        (random.standard_normal((rows, k)) / max(k, 1) ** 0.25).astype(np.float16)
        for rows in (m, n)
    )
    out = np.full((m, n), np.nan, np.float16)
    return a, b, out, a.astype(np.float64) @ b.astype(np.float64).T


def assert_close(got: Any, wanted: Any) -> None:
    error = np.linalg.norm(got.astype(np.float64) - wanted)
    assert error <= 1e-3 * np.linalg.norm(wanted)


def module_after(file: Path, until: str, **params: int) -> ModuleOp:
    lowering = Lowering(Source(file.read_text(), str(file), None, (*params.items(),)))
    lowering.run(until=until)
    return lowering.module


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "croqtile_mlir.runtime.device.available", lambda: Availability(False, "none")
    )


@pytest.mark.parametrize("k", [0, 40, 64, 328])
def test_a_ragged_product_as_it_is_written(k: int):
    a, b, out, wanted = operands(136, 72, k)
    assert croq.simulate(SEED, a, b, out, params={"S": 2}, level="croq") is None
    assert_close(out, wanted)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_a_schedule_and_extents_as_compile_takes_them(level: str):
    plain = EXAMPLES / "matmul.mlir"
    tiles = {"BM": 128, "BN": 64}
    a, b, out, wanted = operands(72, 64, 136)
    with pytest.raises(croq.CompileError, match="unknown pass 'no-such-pass'"):
        croq.simulate(plain, a, b, out, schedule="no-such-pass", level=level)
    croq.simulate(
        plain,
        a,
        b,
        out,
        params=tiles,
        dims={"K": 136},
        schedule=["warp-specialize{stages=2}"],
        level=level,
    )
    assert_close(out, wanted)
    with pytest.raises(croq.ArgumentError, match="136"):
        croq.simulate(plain, a[:, :64], b[:, :64], out, params=tiles, dims={"K": 136})


def test_a_module_takes_no_choices():
    module = module_after(SEED, "select-engines", S=3)
    with pytest.raises(croq.ArgumentError, match="got them for a ModuleOp"):
        croq.simulate(module, *operands(8, 8, 8)[:3], dims={"K": 8})


@pytest.mark.parametrize("level", ["lower-dma", "nvvm"])
def test_a_product_after_lowering(level: str):
    a, b, out, wanted = operands(72, 64, 136)
    croq.simulate(THREADS, a, b, out, level=level, policy="late")
    assert_close(out, wanted)


def test_text_is_run_after_the_whole_lowering_by_default():
    assert simulator.load(COPY.read_text()).level == "nvvm"
    assert (
        simulator.load(COPY).executable.threads
        == simulator.load(COPY, level="croq").executable.threads
    )


def test_a_module_is_run_as_it_is():
    module = module_after(SEED, "select-engines", S=3)
    before = str(module)
    a, b, out, wanted = operands(128, 128, 192)
    croq.simulate(module, a, b, out)
    assert_close(out, wanted)
    assert str(module) == before


def test_a_returned_tile():
    a, b, _, wanted = operands(64, 136, 72)
    assert_close(croq.simulate(RETURNED, a, b, level="croq"), wanted)


def test_a_trace_file(tmp_path: Path):
    file = tmp_path / "trace.json"
    a, b, out, _ = operands(128, 128, 64)
    croq.simulate(SEED, a, b, out, level="croq", policy="early", trace=file)
    content = json.loads(file.read_text())
    assert content["otherData"]["policy"] == "early"
    assert any(event["name"] == "croq.mma.exec" for event in content["traceEvents"])


def test_faults_are_raised_after_the_trace(tmp_path: Path):
    file = tmp_path / "trace.json"
    text = SEED.read_text().replace("in_flight 0", "in_flight 1")
    a, b, out, _ = operands(128, 128, 512)
    with pytest.raises(croq.SimulationError) as caught:
        croq.simulate(text, a, b, out, level="croq", trace=file)
    kinds = {fault.kind for fault in caught.value.faults}
    assert simulator.FaultKind.RACE in kinds
    assert str(caught.value).startswith("<string>:")
    assert file.exists()


def test_the_same_source_is_loaded_once():
    source = Source(COPY.read_text(), str(COPY))
    assert load_source(source, "croq") is load_source(source, "croq")
    assert load_source(source, "croq") is not load_source(source, "nvvm")


# Kernels


@pytest.mark.usefixtures("no_device")
def test_a_kernel_without_a_device_is_simulated():
    kernel = croq.compile(THREADS)
    a, b, out, wanted = operands(72, 64, 72)
    assert kernel(a, b, out) is None
    assert_close(out, wanted)
    with pytest.raises(croq.ArgumentError, match="'rhs': rank must be 2"):
        kernel(a, b[0], out)


@pytest.mark.usefixtures("no_device")
def test_a_kernel_at_level_ptx_is_run_as_text():
    assert croq.compile(SCALE).level == "ptx"
    x = np.random.default_rng(3).standard_normal(1000).astype(np.float32)
    scaled = croq.compile(SCALE)(x, 2.5)
    np.testing.assert_array_equal(scaled, x * np.float32(2.5))


def test_a_kernel_is_simulated_when_asked():
    kernel = croq.compile(RETURNED, params={"S": 2})
    a, b, _, wanted = operands(128, 64, 128)
    assert_close(kernel.simulate(a, b, level="croq", policy="random:3"), wanted)


# Loading


def test_the_plan_of_tile_level_is_that_of_the_lowered_kernel():
    for file in (SEED, RETURNED, COPY, EXAMPLES / "add.mlir"):
        lowered = croq.compile(file).plan
        module = module_after(file, "select-engines")
        kernel = next(op for op in module.walk() if isinstance(op, KernelOp))
        plan = tile_plan(kernel)
        assert plan.args == lowered.args
        assert (plan.dims, plan.reference) == (lowered.dims, lowered.reference)


@pytest.mark.parametrize(
    ("text", "level", "message"),
    [
        ("module {\n}", "croq", "must hold a croq.kernel"),
        (COPY.read_text(), "nothing", "level must be one of croq, nvvm, "),
        (COPY.read_text(), "assign-registers", "must be at level croq, nvvm or ptx"),
        (
            "croq.kernel @k () {\n  croq.parallel (%i) in (1) : block {\n"
            "    %e = croq.event : !croq.event<30000000>\n    croq.trigger %e at 0\n"
            "  }\n}",
            "croq",
            "must have at most 1024 slots, got 30000000",
        ),
    ],
)
def test_what_cannot_be_loaded(text: str, level: str, message: str):
    with pytest.raises(croq.CompileError, match=message):
        simulator.load(text, level=level)


def test_a_module_without_a_kernel():
    with pytest.raises(croq.CompileError, match="to be simulated, got 0"):
        simulator.load(ModuleOp([]))


def test_the_simulator_is_loaded_when_it_is_used():
    code = (
        "import sys, croqtile_mlir as croq\n"
        "croq.simulator, croq.SimulationError.__name__\n"
        f"croq.compile({str(COPY)!r})\n"
        "print([m for m in sys.modules if m.endswith('simulator.simulate')])\n"
        "print('numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "False"]
