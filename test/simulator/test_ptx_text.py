"""The printed PTX text computes what the kernel says: printer and `convert-to-ptx`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.tables import Table, tables
from support.warp_tables import warp_tables

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.simulator.faults import SimulationError
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.ptx.kernel import executable
from croqtile_mlir.simulator.ptx.tensors import swizzled
from croqtile_mlir.simulator.ptx.text import Address, parse
from croqtile_mlir.simulator.simulate import Options, load, run_loaded

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECORDED = json.loads((Path(__file__).parent / "hopper_tables.json").read_text())


def execute(kernel: Kernel, *arrays: np.ndarray, text: str | None = None) -> None:
    loaded = Loaded(executable(text or kernel.ptx, kernel.plan), kernel.plan, "ptx")
    run_loaded(loaded, arrays, Options(checks=False)).check()


def normal(seed: int, *shape: int, dtype: str = "f4") -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (63, 31), (64, 32), (70, 45), (130, 64)])
def test_copy_and_add(m: int, n: int):
    a, b = normal(1, m, n), normal(2, m, n)
    out = np.full((m, n), np.nan, "f4")
    execute(croq.compile(EXAMPLES / "copy.mlir"), a, out)
    np.testing.assert_array_equal(out, a)
    execute(croq.compile(EXAMPLES / "add.mlir"), a, b, out)
    np.testing.assert_array_equal(out, a + b)


@pytest.mark.parametrize(("m", "k"), [(1, 0), (64, 31), (65, 32), (100, 97)])
def test_row_sums(m: int, k: int):
    a, out = normal(3, m, k), np.full(m, np.nan, "f4")
    execute(croq.compile(EXAMPLES / "row_sums.mlir"), a, out)
    np.testing.assert_allclose(out, a.astype(float).sum(1), rtol=1e-5, atol=1e-5)


MATMULS = [
    "matmul_1p1c",
    "matmul_1p1c_cp_async",
    "matmul_1p1c_f16acc",
    "matmul_1p1c_threads",
]


@pytest.mark.parametrize("name", MATMULS)
@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (100, 72, 320), (8, 8, 0)])
def test_products(name: str, m: int, n: int, k: int):
    kernel = croq.compile(EXAMPLES / f"{name}.mlir", params={"S": 2})
    a, b = normal(4, m, k, dtype="f2"), normal(5, n, k, dtype="f2")
    out = np.full((m, n), np.nan, "f2")
    execute(kernel, a, b, out)
    expected = a.astype(float) @ b.astype(float).T
    error = np.linalg.norm(out - expected) / max(np.linalg.norm(expected), 1.0)
    assert error < (1e-2 if "f16acc" in name else 1e-3)


@pytest.mark.parametrize(
    "table", [*tables(), *warp_tables()], ids=lambda table: table.name
)
def test_layouts_are_those_of_an_h200(table: Table):
    arrays = table.inputs()
    execute(croq.compile(table.text), *arrays)
    digest = table.digest(arrays)
    if table.name in RECORDED:
        assert digest == RECORDED[table.name]
        return
    # Not recorded on a device yet: the two levels agree.
    arrays = table.inputs()
    run_loaded(load(source_of(table.text)), arrays, Options("late")).check()
    assert table.digest(arrays) == digest


def test_swizzles_permute_their_period():
    for width in (16, 32, 64, 128):
        addresses = np.arange(1024)
        places = swizzled(addresses, width)
        assert sorted(places) == list(addresses)
        assert bool((places // width == addresses // width).all())
        assert bool((places == addresses).all()) == (width == 16)


def test_parsing():
    entry = parse(
        ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .align 64 .b8 "
        "k_param_1[128]\n)\n{\n\t.reg .b32 %r<3>;\n$L_a:\n"
        "\t@!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+16];\n\tbra $L_a;\n}\n"
    )
    assert entry.parameters == ("k_param_0", "k_param_1")
    assert entry.registers == {"%r": ("b32", 3)}
    assert entry.labels == {"$L_a": 0}
    load = entry.instructions[0]
    assert (load.guard, load.negated, load.line) == ("%p1", True, 8)
    assert load.operands == (("%r1", "%r2"), Address("%rd1", 16))


def test_what_is_not_known_is_refused_with_its_line():
    kernel = croq.compile(EXAMPLES / "copy.mlir")
    text = kernel.ptx.replace("shl.b32", "bfind.u32", 1)
    line = 1 + text[: text.index("bfind")].count("\n")
    with pytest.raises(CompileError, match=rf"PTX line {line}: bfind.u32: has no"):
        executable(text, kernel.plan)


def test_wrong_text_gives_wrong_results():
    kernel = croq.compile(EXAMPLES / "add.mlir")
    a, b = normal(6, 64, 32), normal(7, 64, 32)
    out = np.full((64, 32), np.nan, "f4")
    wrong = kernel.ptx.replace("add.rn.f32", "sub.rn.f32")
    assert wrong != kernel.ptx
    execute(kernel, a, b, out, text=wrong)
    np.testing.assert_array_equal(out, a - b)


def test_threads_that_wait_for_ever_are_reported():
    kernel = croq.compile(EXAMPLES / "add.mlir")
    wrong = kernel.ptx.replace("bar.sync 0", "bar.sync 0, 512")
    assert wrong != kernel.ptx
    arrays = [normal(8, 64, 32) for _ in range(3)]
    with pytest.raises(SimulationError, match="256 threads that wait for ever at PTX"):
        execute(kernel, *arrays, text=wrong)
