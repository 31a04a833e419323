"""Additions to several neighbours at once, at every level."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from support.vector_atomics import CASES, vector_adds

import croqtile_mlir as croq
from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

DTYPES: dict[str, Any] = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32}
CHECKED = ("croq", "insert-barriers", "lower-views", "nvvm")


@lru_cache(maxsize=32)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize(("type", "count"), CASES)
def test_sums(type: str, count: int, level: str) -> None:
    """Whole numbers, so that the order of the additions does not matter."""
    random, dtype = np.random.default_rng(count), DTYPES[type]
    for blocks, policy in ((0, "rr"), (1, "rr"), (5, "random:1")):
        x = random.integers(-8, 8, (blocks, 128)).astype(dtype)
        y = random.integers(-8, 8, 128).astype(dtype)
        expected = y.astype("f8") + x.astype("f8").sum(axis=0)
        report = run(
            loaded(vector_adds(type, count), level), x, y, options=Options(policy)
        )
        assert not report.faults
        assert (y.astype("f8") == expected).all()


@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_each_addition_is_rounded(type: str, level: str) -> None:
    """To the type of the elements, one after the other: blocks run in order here."""
    random, dtype = np.random.default_rng(7), DTYPES[type]
    x = random.standard_normal((3, 128)).astype(dtype)
    y = random.standard_normal(128).astype(dtype)
    expected = y.copy()
    for row in x:
        expected = expected + row
    assert expected.dtype == dtype
    assert not run(loaded(vector_adds(type, 2), level), x, y).faults
    assert (y == expected).all()


@pytest.mark.parametrize("level", CHECKED)
def test_an_address_between_vectors(level: str) -> None:
    text = vector_adds("f32", 4).replace("%y[%base]", "%y[%j1]")
    x, y = np.ones((1, 128), "f4"), np.zeros(128, "f4")
    kinds = {fault.kind for fault in run(loaded(text, level), x, y).faults}
    assert FaultKind.MISUSE in kinds


@pytest.mark.parametrize("level", CHECKED)
def test_a_plain_store_to_the_second_element_is_a_race(level: str) -> None:
    """All elements count as updated, not only the first."""
    text = vector_adds("f32", 2).replace(
        "croq.atomic add (%v0, %v1), %y[%base]",
        "%one = arith.constant 1 : index\n"
        "%none = arith.constant 0 : index\n"
        "%odd = arith.cmpi ugt, %b, %none : index\n"
        "scf.if %odd { croq.atomic add (%v0, %v1), %y[%base] }\n"
        "else { croq.store %v1, %y[%j1] }",
    )
    x, y = np.ones((2, 128), "f4"), np.zeros(128, "f4")
    assert run(loaded(text, level), x, y).faults


@pytest.mark.parametrize(("type", "count"), CASES)
def test_it_is_proved(type: str, count: int) -> None:
    for level in ("select-engines", "nvvm"):
        lowering = Lowering(source_of(vector_adds(type, count)), verify_sync=False)
        lowering.run(until=level)
        (verdict,) = verdicts(lowering.module)
        assert isinstance(verdict, Proved)


PTX = {
    ("f16", 2): "red.relaxed.gpu.global.add.noftz.f16x2",
    ("bf16", 2): "red.relaxed.gpu.global.add.noftz.bf16x2",
    ("f32", 2): "red.relaxed.gpu.global.add.v2.f32",
    ("f32", 4): "red.relaxed.gpu.global.add.v4.f32",
}


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(("type", "count"), CASES)
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_one_instruction(type: str, count: int, target: str) -> None:
    text = vector_adds(type, count)
    if target == "sm_80" and type != "f16":
        with pytest.raises(croq.CompileError, match="is not supported by convert-to"):
            croq.compile(text, target=target)
        return
    kernel = croq.compile(text, target=target)
    assert kernel.ptx.count(PTX[type, count]) == 1
    assert assemble(kernel.ptx, target).warnings == ()
