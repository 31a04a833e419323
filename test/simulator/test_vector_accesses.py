"""Transfers between memory and tiles of registers: as wide as rows are aligned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pipeline.lowering import TARGET, instructions, lower, parse, passes, run
from support.register_kernels import vector_rows

from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import Loaded, load_source
from croqtile_mlir.simulator.simulate import Options, run_loaded

LEVELS = ("croq", "vectorize-accesses", "nvvm", "ptx")
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i64": np.int64,
}


@lru_cache(maxsize=64)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def random(element: str, *shape: int) -> Any:
    rng = np.random.default_rng(17)
    if element.startswith("i"):
        return rng.integers(-1000, 1000, shape).astype(DTYPES[element])
    return rng.standard_normal(shape).astype(DTYPES[element])


def check(text: str, level: str, x: Any, y: Any) -> None:
    options = Options(keep_strides=True)
    report = run_loaded(loaded(text, level), (x, y), options)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    np.testing.assert_array_equal(y, x + x)


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("cols", [1, 2, 3, 4, 7, 8])
def test_rows(cols: int, element: str):
    for level in LEVELS if element == "f32" else ("vectorize-accesses", "ptx"):
        x, y = random(element, 64, cols), random(element, 64, cols)
        check(vector_rows(element, cols), level, x, y)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("offset", [0, 1, 2])
def test_rows_in_larger_arrays(offset: int, level: str):
    """Addresses and pitches of arguments decide at run time."""
    for pitch in (8, 10, 11, 12):
        x = random("f32", 64 * pitch + offset)[offset:].reshape(64, pitch)[:, :8]
        whole = np.zeros(64 * pitch + offset, np.float32)
        y = whole[offset:].reshape(64, pitch)
        before = y[:, 8:].copy()
        check(vector_rows(), level, x, y[:, :8])
        np.testing.assert_array_equal(y[:, 8:], before)


@pytest.mark.parametrize(
    ("element", "cols", "pitch", "wide"),
    [
        *(("f32", 8, 8, "v4.b32"), ("f32", 8, 10, "v2.b32"), ("f32", 8, 9, None)),
        *(("f32", 6, 6, "v2.b32"), ("f16", 8, 8, "v4.b32"), ("f16", 8, 9, None)),
        *(("i64", 4, 4, "v2.b64"), ("f32", 7, 8, "v4.b32")),
    ],
)
def test_accesses_are_as_wide_as_rows_allow(
    element: str, cols: int, pitch: int, wide: str | None
):
    found = instructions(lower(vector_rows(element, cols, pitch)))
    shared = {name for name in found if name.startswith(("ld.shared", "st.shared"))}
    vectors = {name for name in shared if ".v" in name}
    if wide is None:
        assert not vectors
    else:
        assert {wide[:2]} <= {name.split(".")[2] for name in vectors}, found


@pytest.mark.parametrize("cols", [7, 8])
def test_they_are_proved(cols: int):
    """As they are written, with barriers in place, and at hardware level."""
    module, done = parse(vector_rows("f32", cols)), 0
    for stop in ("bind-params", "insert-barriers", "check-level{level=nvvm}"):
        end = passes().index(stop) + 1
        run(module, ",".join(passes()[done:end]))
        done = end
        assert [type(v).__name__ for v in verdicts(module)] == ["Proved"], stop


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("element", DTYPES)
def test_they_are_assembled(element: str):
    result = assemble(lower(vector_rows(element)), TARGET)
    assert result.warnings == ()
    assert result.stack_bytes == result.spill_bytes == 0
