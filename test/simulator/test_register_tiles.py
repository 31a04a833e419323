"""Tiles of threads and of warps: at every level, of every type, ragged, and refuted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pipeline.lowering import TARGET, lower, parse, passes, printed, run
from support.register_kernels import OPS, running_sums, warp_rows

from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module, load_source
from croqtile_mlir.simulator.simulate import Options, run_loaded

LEVELS = ("lower-indices", "croq", "insert-barriers", "lower-views", "nvvm", "ptx")
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i64": np.int64,
}


@lru_cache(maxsize=128)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def execute(text: str, level: str, *args: Any) -> None:
    report = run_loaded(loaded(text, level), args, Options())
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]


def random(dtype: str, *shape: int) -> Any:
    rng = np.random.default_rng(3)
    if dtype.startswith("i"):
        return rng.integers(-1000, 1000, shape).astype(DTYPES[dtype])
    return rng.standard_normal(shape).astype(DTYPES[dtype])


def summed(x: Any) -> Any:
    """What `running_sums` computes, in its order."""
    sums = np.zeros(x.shape[1:], x.dtype)
    for k, step in enumerate(x):
        sums = sums + step
        if k % 2 == 0:
            sums[:, [0, 1]] = sums[:, [1, 0]]
    return sums


def check_sums(text: str, level: str, dtype: str, k: int, m: int) -> None:
    x, y = random(dtype, k, m, 8), random(dtype, m, 8)
    execute(text, level, x, y)
    np.testing.assert_array_equal(y, summed(x))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["registers", "local"])
def test_sums_that_outlive_barriers(dynamic: bool, level: str):
    """Loops of 0 to 3 steps, a ragged last block, fewer threads than the block has."""
    text = running_sums(dynamic=dynamic)
    for k, m in ((0, 40), (1, 41), (2, 3), (3, 50)):
        check_sums(text, level, "f32", k, m)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i32", "i64"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["registers", "local"])
def test_types(dynamic: bool, dtype: str):
    text = running_sums(dtype, dynamic=dynamic)
    for level in ("croq", "nvvm", "ptx"):
        check_sums(text, level, dtype, 3, 41)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("m", "n"), [(64, 5), (67, 4)])
def test_ops_of_threads(m: int, n: int, level: str):
    x = random("f32", m, n)
    new, y, z = x.copy(), random("f32", n, m), random("f32", m)
    execute(OPS, level, new, y, z)
    added = x + np.float32(1.5) + np.float32(1.5) + np.float32(1.5)
    np.testing.assert_array_equal(y, added.T)
    np.testing.assert_array_equal(z, x.max(axis=1))
    row = (np.arange(m) % 2).astype(np.float32)
    np.testing.assert_array_equal(new, added - x + row[:, None])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("m", "n"), [(32, 44), (19, 41)])
def test_ops_of_warps(m: int, n: int, level: str):
    check_warps("f32", m, n, level)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i32"])
def test_types_of_warps(dtype: str):
    for level in ("croq", "nvvm", "ptx"):
        check_warps(dtype, 19, 44, level)


def check_warps(dtype: str, m: int, n: int, level: str) -> None:
    x = random(dtype, m, n)
    y, z = random(dtype, m, n), random(dtype, m)
    execute(warp_rows(dtype), level, x, y, z)
    padded = np.zeros((m, 44), x.dtype)
    padded[:, :n] = x
    number = (np.arange(m) % 16 // 4).astype(x.dtype)
    padded = padded + number[:, None]
    wide = padded if dtype == "i32" else padded.astype(np.float64)
    sums = wide.sum(axis=1)
    tolerance = 2**-8 if dtype == "bf16" else 2**-11 if dtype == "f16" else 1e-6
    scale = np.abs(wide).sum(axis=1).max()
    np.testing.assert_allclose(
        z.astype(np.float64), sums, rtol=tolerance, atol=1e-6 * scale
    )
    expected = padded - z[:, None]
    np.testing.assert_array_equal(y, expected[:, :n])


def test_an_element_without_a_value():
    text = running_sums().replace("croq.fill %sums, 0.0", "")
    x, y = random("f32", 1, 40, 8), random("f32", 40, 8)
    report = run_loaded(loaded(text, "croq"), (x, y), Options())
    assert {fault.kind for fault in report.faults} == {FaultKind.UNINITIALISED}
    local = running_sums(dynamic=True).replace("croq.fill %sums, 0.0", "")
    report = run_loaded(loaded(local, "nvvm"), (x, y), Options())
    assert {fault.kind for fault in report.faults} == {FaultKind.UNINITIALISED}


SOMETIMES = """
croq.kernel @k (%o: !croq.tile<64xf32, global>, %n: i32) {
  croq.parallel (%b) in (1) : block threads 64 {
    %zero = arith.constant 0 : i32
    %some = arith.cmpi sgt, %n, %zero : i32
    croq.parallel (%t) in (64) : thread {
      %r = croq.alloc : !croq.tile<4xf32, register>
      scf.if %some {
        croq.fill %r, 2.5
      }
      %x = croq.load %r[3]
      croq.store %x, %o[%t]
    }
  }
}
"""


@pytest.mark.parametrize("level", ["croq", "lower-views", "nvvm", "ptx"])
def test_an_element_that_some_paths_give_a_value(level: str):
    """Until it is an SSA value the others are told; then they carry a zero."""
    y = random("f32", 64)
    execute(SOMETIMES, level, y, 1)
    np.testing.assert_array_equal(y, np.float32(2.5))
    report = run_loaded(loaded(SOMETIMES, level), (y, 0), Options())
    kinds = {fault.kind for fault in report.faults}
    if level in ("nvvm", "ptx"):
        assert not kinds
        np.testing.assert_array_equal(y, np.float32(0))
    else:
        assert kinds == {FaultKind.UNINITIALISED}


def test_an_element_that_nothing_stores_is_refused():
    text = OPS.replace("croq.fill %q, 1.5", "")
    with pytest.raises(CompileError, match="must load an element that was stored"):
        lower(text)


@pytest.mark.parametrize(
    "text", [running_sums(), running_sums(dynamic=True), OPS, warp_rows()]
)
def test_they_are_proved(text: str):
    """As they are written, with barriers in place, and at hardware level."""
    module = parse(text)
    done = 0
    for stop in ("bind-params", "insert-barriers", "check-level{level=nvvm}"):
        end = passes().index(stop) + 1
        run(module, ",".join(passes()[done:end]))
        done = end
        assert [type(v).__name__ for v in verdicts(module)] == ["Proved"], stop


def test_lanes_meet_between_the_ops_of_a_warp():
    """
    Before the sums, and before they are used: without either lanes race. Elements that
    each lane has itself written need none.
    """
    module = parse(warp_rows())
    run(module, ",".join(passes()[: passes().index("lower-events")]))
    lines = printed(module).splitlines()
    places = [n for n, line in enumerate(lines) if "croq.warp_barrier" in line]
    assert len(places) == 2
    raced: list[bool] = []
    for place in places:
        left = "\n".join(line for n, line in enumerate(lines) if n != place)
        args = random("f32", 16, 44), random("f32", 16, 44), random("f32", 16)
        report = run_loaded(load_module(parse(left)), args, Options())
        raced.append(FaultKind.RACE in {fault.kind for fault in report.faults})
    assert raced == [True, True]


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", [TARGET, "sm_80"])
def test_registers_have_no_stack(target: str):
    for dynamic in (False, True):
        module = parse(running_sums(dynamic=dynamic), target)
        run(module, ",".join(passes()))
        from croqtile_mlir.targets.ptx import ptx_text

        result = assemble(ptx_text(module), target)
        assert result.warnings == ()
        assert result.spill_bytes == 0
        assert result.stack_bytes == (32 if dynamic else 0)
