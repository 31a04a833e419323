"""Levels, loops and conditions with ops of tiles inside: right at every level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import (
    TARGET,
    lower_through_text,
    parse,
    passes,
    printed,
    run,
)

Array = NDArray[Any]
LEVELS = (*("croq", "insert-barriers", "lower-events", "lower-views", "nvvm", "ptx"),)
MOST = 2**31 - 1
INPUTS = Path(__file__).parent / "Inputs" / "control"


def text(name: str) -> str:
    """The kernel in a file."""
    return (INPUTS / f"{name}.mlir").read_text()


def check(
    kernel: str, level: str, args: Sequence[Array | int], expected: Array
) -> None:
    """Run a kernel that writes the last array of its arguments, and compare."""
    found = [arg for arg in args if not isinstance(arg, int)][-1]
    report = simulate(kernel, *args, level=level)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    np.testing.assert_array_equal(found, expected)


LEVELS_OF_PARALLELISM = text("levels_of_parallelism")


@pytest.mark.parametrize("level", LEVELS)
def test_levels_of_parallelism(level: str):
    """Warpgroups, warps and threads of several indices, one nest after the other."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(-1000, 1000, (2, 3, 256)).astype(np.int32)
    expected: Array = 2 * x
    expected[:, :48] += np.arange(48, dtype=np.int32) + 3
    check(LEVELS_OF_PARALLELISM, level, (x, y), expected)


WALK = text("copies_in_while")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rows", [1, 8, 9, 50])
def test_copies_in_a_while_loop(rows: int, level: str):
    """Tiles are taken until there are none; half of them are stored."""
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, rows, 64)).astype(np.float32)
    expected = y.copy()
    for tile in range(0, rows, 8):
        if not tile // 8 & 2:
            expected[tile : tile + 8] = 2 * x[tile : tile + 8]
    check(WALK, level, (x, y), expected)


ROLES = text("events_in_while")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("by_slot", [True, False])
@pytest.mark.parametrize("rows", [1, 16, 17, 40, 75])
def test_events_in_a_while_loop(rows: int, by_slot: bool, level: str):
    """A ring of two slots, turned by loops that end on a condition."""
    kernel = ROLES if by_slot else ROLES.replace("[%slot]\n", " at %k\n")
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, rows, 64)).astype(np.float32)
    check(kernel, level, (x, y), x.copy())


PRODUCTS = text("accumulators_in_while")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("depth", [64, 200])
def test_accumulators_in_a_while_loop(depth: int, level: str):
    """Every other step of a product, which a condition in the loop picks."""
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((2, 64, depth)).astype(np.float16)
    z = rng.standard_normal((64, 64)).astype(np.float32)
    report = simulate(PRODUCTS, x, y, z, level=level)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    picked = np.arange(depth) // 64 % 2 == 0
    expected = x[:, picked].astype(np.float64) @ y[:, picked].T.astype(np.float64)
    np.testing.assert_allclose(z, expected, atol=1e-3)


COUNTING = text("indices_near_the_limit")


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize(
    ("first", "end", "step"),
    [
        *((MOST - 20, MOST, 3), (MOST - 5000, MOST, MOST), (MOST - 1, MOST, 5)),
        *((MOST - 5000, MOST - 1, 4999), (MOST - 5000, MOST - 1, 2500)),
    ],
)
def test_indices_do_not_overflow(first: int, end: int, step: int, level: str):
    """The index after the last one may not fit in 31 bits."""
    y = np.random.default_rng(5).integers(1, 99, 4).astype(np.int32)

    def trips(end: int, step: int) -> int:
        return -(-(end - first) // step)

    counts = (trips(end, step), trips(end, 1000), trips(MOST, 7), MOST - first)
    expected = np.array(counts, np.int32)
    check(COUNTING, level, (y, first, end, step), expected)


UNROLLED = text("unrolled_by_three")


@pytest.mark.parametrize("level", ["croq", "unroll-loops", "nvvm", "ptx"])
@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize("first", [0, 5])
def test_unrolled_by_three(first: int, step: int, level: str):
    """All numbers of iterations around the factor, empty and backward ranges too."""
    for length in (-2, -1, *range(10), 23, 24, 25):
        end = max(0, first + length)
        y = np.random.default_rng(6).integers(1, 99, 64).astype(np.int32)
        expected = y.copy()
        value = first
        for index in range(first, end, step):
            value = (value * step + index) % 10007
        expected[0] = value
        expected[1 : 1 + 3 * step] = np.arange(1, 1 + 3 * step)
        expected[63] = first + 3 * sum(range(step))
        check(UNROLLED, level, (y, first, end, step), expected)


@pytest.mark.parametrize("path", sorted(INPUTS.glob("*.mlir")), ids=lambda p: p.stem)
def test_every_pass(path: Path):
    """The text between passes is all there is, and the PTX assembles."""
    ptx = lower_through_text(path.read_text())
    if find_ptxas() is not None:
        result = assemble(ptx, TARGET)
        assert result.warnings == ()
        assert result.spill_bytes == 0


EXAMPLES = INPUTS.parents[3] / "examples"


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 64), (17, 70)])
def test_box_blur(m: int, n: int, level: str):
    rng = np.random.default_rng(8)
    x = rng.standard_normal((m + 2, n + 2)).astype(np.float32)
    y = rng.standard_normal((m, n)).astype(np.float32)
    report = simulate((EXAMPLES / "box_blur.mlir").read_text(), x, y, level=level)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    moved = [x[i : i + m, j : j + n] for i in range(3) for j in range(3)]
    np.testing.assert_allclose(y, np.mean(moved, axis=0, dtype=np.float64), atol=1e-5)


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
def test_sort_rows(level: str):
    """A row in random order, one with two elements apart, one that is sorted."""
    x = np.random.default_rng(9).standard_normal((3, 128)).astype(np.float32)
    x[1:].sort()
    x[1, [5, 90]] = x[1, [90, 5]]
    check((EXAMPLES / "sort_rows.mlir").read_text(), level, (x,), np.sort(x))


def test_strided_views_need_barriers():
    """Without most of them a race is reported; one comes where a loop may not run."""
    module = parse((EXAMPLES / "sort_rows.mlir").read_text())
    run(module, "lower-indices,infer-layouts,select-engines,insert-barriers")
    lines = printed(module).splitlines()
    places = [n for n, line in enumerate(lines) if "croq.barrier" in line]
    needed = 0
    for place in places:
        x = np.random.default_rng(9).standard_normal((1, 128)).astype(np.float32)
        left = "\n".join(line for n, line in enumerate(lines) if n != place)
        report = run_loaded(load_module(parse(left)), (x,), Options())
        needed += bool(report.faults)
    assert len(places) - 1 <= needed
    assert needed >= 3


FLAG = """
croq.kernel @k dims(M) (%x: !croq.tile<[M]xf32, global>, %flag: i1) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      scf.if %flag {
        %z = arith.constant 2.5 : f32
        croq.store %z, %x[%t]
      }
    }
  }
}
"""


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
def test_a_flag_as_an_argument(level: str):
    """An i1 is a byte at launch."""
    before = np.random.default_rng(9).standard_normal(64).astype(np.float32)
    for flag in (False, True):
        x = before.copy()
        report = simulate(FLAG, x, flag, level=level)
        assert not report.faults
        np.testing.assert_array_equal(x, 2.5 if flag else before)


CARRIED = text("registers_and_futures_in_while")


@pytest.mark.parametrize("level", ["croq", "lower-futures", "nvvm", "ptx"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_futures_and_registers_in_a_while_loop(rows: int, level: str):
    x = np.random.default_rng(11).integers(-999, 999, (rows, 64)).astype(np.int32)
    y = np.full(64, 7, np.int32)
    check(CARRIED, level, (x, y), x.sum(axis=0).astype(np.int32))


@pytest.mark.parametrize("kernel", [PRODUCTS, ROLES, CARRIED])
def test_a_while_loop_keeps_its_attributes(kernel: str):
    """Passes that let a loop carry something else make it anew."""
    module = parse(kernel)
    loops = [op for op in module.walk() if isinstance(op, scf.WhileOp)]
    for number, loop in enumerate(loops):
        loop.attributes["kept"] = IntegerAttr(number, i32)
    names = [name for name in passes() if not name.startswith("verify")]
    run(module, ",".join(names[: names.index("promote-registers") + 1]))
    left = [op.attributes["kept"] for op in module.walk() if "kept" in op.attributes]
    assert left == [IntegerAttr(number, i32) for number in range(len(loops))]
