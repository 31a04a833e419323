"""Copies by `cp.async`: right at every level, late to land, reported if misused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.tile_runs import example, kinds, levels, run_at, told

from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, Report, run

POLICIES = ("rr", "late", "early", "random:5")
TYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "i8": np.int8}

_COPIES = """
croq.kernel @copies dims(M, N) (
    %x: !croq.tile<[M]x[N]xTYPE, global>, %y: !croq.tile<[M]x[N]xTYPE, global>,
    %out: !croq.tile<[M]x[N]xTYPE, global>, %out2: !croq.tile<[M]x[N]xTYPE, global>) {
  %m = croq.cdiv M, 32
  %n = croq.cdiv N, 32
  croq.parallel (%i, %j) in (%m, %n) : block {
    %a = croq.alloc : !croq.tile<32x32xTYPE, shared>
    %b = croq.alloc : !croq.tile<32x32xTYPE, shared, swizzle<32>>
    %from = croq.subspan %x [32, 32] tile (%i, %j)
    %from2 = croq.subspan %y [32, 32] tile (%i, %j)
    %to = croq.subspan %out [32, 32] tile (%i, %j)
    %to2 = croq.subspan %out2 [32, 32] tile (%i, %j)
    %f = croq.copy_async %from => %a engine(cp_async)
    %g = croq.copy_async %from2 => %b engine(cp_async)
    croq.await %f
    croq.copy %a => %to engine(threads)
    croq.await %g
    croq.copy %b => %to2 engine(threads)
  }
}
"""

_NARROW = """
croq.kernel @narrow dims(M) (%x: !croq.tile<[M]x7xTYPE, global>,
    %out: !croq.tile<40x5xTYPE, global>) {
  croq.parallel (%i) in (1) : block threads 64 {
    %a = croq.alloc : !croq.tile<40x5xTYPE, shared>
    %from = croq.view %x [40, 5] from (0, 1)
    %f = croq.copy_async %from => %a engine(cp_async)
    croq.await %f
    croq.copy %a => %out engine(threads)
  }
}
"""

_AWAIT = "    croq.await %g\n"
_READ = "    croq.copy %b => %to2 engine(threads)\n"


def inputs(kind: str, cols: int) -> list[NDArray[Any]]:
    rng = np.random.default_rng(cols)
    made = [rng.integers(-99, 99, (41, cols)).astype(TYPES[kind]) for _ in range(2)]
    return [*made, *(np.full((41, cols), 77, TYPES[kind]) for _ in range(2))]


def run_copies(
    text: str, level: str, arrays: list[NDArray[Any]], policy: str
) -> Report:
    if level in ("nvvm", "ptx"):
        return run(text, *arrays, level=level, options=Options(policy))
    return run_at(text, level, *arrays, policy=policy)


@pytest.mark.parametrize("level", [*levels(), "nvvm", "ptx"])
@pytest.mark.parametrize("kind", TYPES)
def test_any_pitch(kind: str, level: str) -> None:
    """Rows of 16, 8, 4 bytes and of single elements, whole and cut off."""
    text = _COPIES.replace("TYPE", kind)
    for cols, policy in zip((64, 44, 42, 33), POLICIES, strict=True):
        arrays = inputs(kind, cols)
        report = run_copies(text, level, arrays, policy)
        assert not report.faults, told(report)
        np.testing.assert_array_equal(arrays[2], arrays[0])
        np.testing.assert_array_equal(arrays[3], arrays[1])


@pytest.mark.parametrize("level", ["croq", "lower-dma", "nvvm", "ptx"])
@pytest.mark.parametrize("kind", TYPES)
def test_rows_that_no_copy_divides(kind: str, level: str) -> None:
    """Elements of less than 4 bytes go through registers, one by one."""
    x = np.random.default_rng(6).integers(-99, 99, (37, 7)).astype(TYPES[kind])
    out = np.full((40, 5), 77, TYPES[kind])
    report = run_copies(_NARROW.replace("TYPE", kind), level, [x, out], "late")
    assert not report.faults, told(report)
    np.testing.assert_array_equal(out, np.pad(x[:, 1:6], ((0, 3), (0, 0))))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_read_before_the_await_is_reported(policy: str) -> None:
    text = _COPIES.replace("TYPE", "f32").replace(_AWAIT, "")
    text = text.replace(_READ, _READ + _AWAIT)
    arrays = inputs("f32", 64)
    report = run(text, *arrays, level="croq", options=Options(policy))
    assert kinds(report) & {FaultKind.RACE, FaultKind.UNINITIALISED}, told(report)


def test_a_read_before_the_await_is_refused() -> None:
    text = _COPIES.replace("TYPE", "f32").replace(_AWAIT, "")
    text = text.replace(_READ, _READ + _AWAIT)
    with pytest.raises(CompileError, match=r"read before write|not ordered|may come"):
        Lowering(source_of(text)).run(until="verify-sync")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_product_before_its_operands_have_landed_is_reported(policy: str) -> None:
    wait = "        croq.wait %full at %k\n"
    text = example("matmul_1p1c_cp_async")
    assert text.count(wait) == 1
    rng = np.random.default_rng(3)
    lhs, rhs = (rng.standard_normal((128, 320)).astype(np.float16) for _ in range(2))
    out = np.zeros((128, 128), np.float16)
    text = text.replace(wait, "")
    report = run(text, lhs, rhs, out, level="croq", options=Options(policy))
    assert kinds(report) & {FaultKind.RACE, FaultKind.UNINITIALISED}, told(report)
