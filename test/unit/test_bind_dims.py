"""Kernels for one shape: `dims` of `compile`, and `--dim` of croq-run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.tools.croq_run import run
from croqtile_mlir.tools.run_arguments import UsageError

EXAMPLES = Path(__file__).parents[2] / "examples"
MATMUL = EXAMPLES / "matmul.mlir"
Array = np.ndarray[Any, Any]
SCHEDULE = (
    "bind-params{BM=128 BN=64},persist{order=grouped blocks=3},"
    "warp-specialize{stages=3 in_flight=1},overlap-epilogue"
)


def _operands(m: int, n: int, k: int) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(7)
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((n, k)).astype(np.float16)
    return a, b, np.full((m, n), np.nan, np.float16)


def _right(a: Array, b: Array, out: Array) -> bool:
    wanted = a.astype(np.float64) @ b.astype(np.float64).T
    error = np.linalg.norm(out.astype(np.float64) - wanted) / np.linalg.norm(wanted)
    return bool(error < 1e-3)


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
def test_scheduled_kernel_of_one_shape(level: str):
    kernel = croq.compile(MATMUL, dims={"M": 200, "N": 328}, schedule=SCHEDULE)
    a, b, out = _operands(200, 328, 136)
    kernel.simulate(a, b, out, level=level)
    assert _right(a, b, out)


def test_dims_are_gone_from_plan_and_ptx():
    dims = {"M": 4000, "N": 4096, "K": 4096}
    kernel = croq.compile(MATMUL, dims=dims, schedule=SCHEDULE)
    assert kernel.plan.dims == ()
    assert kernel.plan.tiles["out"].shape == (4000, 4096)
    assert kernel.plan.grid_extents({}) == (3, 1, 1)
    for line in kernel.ptx.splitlines():
        words = line.replace(",", " ").replace(";", " ").split()
        if words and words[0].split(".")[0] in ("div", "rem"):
            assert words[-1].isdigit(), line


def test_some_dims_stay_open():
    kernel = croq.compile(MATMUL, dims={"K": 64})
    assert kernel.plan.dims == ("M", "N")
    for m, n in ((8, 16), (136, 264)):
        a, b, out = _operands(m, n, 64)
        kernel.simulate(a, b, out, level="croq")
        assert _right(a, b, out)


def test_addresses_beyond_32_bits_stay_wide():
    text = """
    croq.kernel @k dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>) {
      croq.parallel (%b) in (M) : block threads 32 {
        croq.parallel (%t) in (32) : thread {
          %v = croq.load %x[%b, %t]
          %c40 = arith.constant 40 : index
          %far = arith.addi %t, %c40 : index
          croq.store %v, %x[%b, %far]
        }
      }
    }
    """
    ptx = croq.compile(text, dims={"M": 1 << 20, "N": 1 << 14}).ptx
    assert "mul.wide" in ptx or "mul.lo.s64" in ptx or "shl.b64" in ptx
    assert "mul.lo.u32" not in ptx


def test_other_extents_are_refused():
    kernel = croq.compile(MATMUL, dims={"M": 64, "N": 64})
    a, b, out = _operands(64, 72, 64)
    message = "argument 'rhs': extent of dim 0 must be 64, got 72"
    with pytest.raises(croq.ArgumentError, match=message):
        kernel.simulate(a, b, out)
    shapes = {"lhs": a.shape, "rhs": b.shape, "out": out.shape}
    with pytest.raises(croq.ArgumentError, match=message):
        kernel.plan.bind(shapes)


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({"N": 12}, "dim N must be a multiple of 8, got 12"),
        ({"Q": 12}, "must have a dim of the name that is bound, got Q = 12"),
        ({"M": 0}, "dim M must be a positive integer, got 0"),
    ],
)
def test_bad_dims_are_located(dims: dict[str, int], message: str):
    with pytest.raises(croq.CompileError) as error:
        croq.compile(MATMUL, dims=dims)
    assert message in str(error.value)


def test_equal_choices_give_one_kernel():
    dims = {"N": 64, "M": 64}
    kernel = croq.compile(MATMUL, dims=dims, schedule="persist")
    again = croq.compile(MATMUL, dims={"M": 64, "N": 64}, schedule="persist")
    assert kernel is again
    assert kernel is not croq.compile(MATMUL, dims=dims)
    assert kernel is not croq.compile(MATMUL, schedule="persist")


def test_schedule_sees_the_parameters():
    text = Lowering(source_of(MATMUL, params={"BN": 48}, schedule="persist"))
    text.run(until="persist")
    assert "[48, 64]" in str(text.module)


def test_schedule_of_lowered_input_is_refused():
    lowered = croq.compile(MATMUL).ir("nvvm")
    with pytest.raises(croq.CompileError, match=r"croq\.kernel to be scheduled"):
        croq.compile(lowered, schedule="persist")
    with pytest.raises(croq.CompileError, match=r"croq\.kernel to bind M"):
        croq.compile(lowered, dims={"M": 64})


def test_croq_run(capsys: pytest.CaptureFixture[str]):
    options = ["--simulate", "--level", "croq", "--check"]
    arguments = ["--dim", "M=72,N=136", "--schedule", SCHEDULE]
    assert run([str(MATMUL), *arguments, *options, "--size", "K=64,M=72"]) == 0
    out = capsys.readouterr().out
    assert "matmul: M = 72, N = 136, K = 64, target sm_90a" in out
    assert ": ok" in out


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.mlir")), ids=lambda f: f.stem)
def test_examples_of_one_shape(file: Path):
    """Ragged against every tile, and right; returned tiles and threads among them."""
    plan = croq.compile(file).plan
    if file.stem == "histogram":
        pytest.skip("its values must be numbers of bins, which random ones are not")
    text = file.read_text()
    # A block that runs until its data says so takes long to simulate; so do four dims.
    small = "scf.while" in text or len(plan.dims) > 3
    # Tiles of products on tensor cores are 64 and more wide, others 16 and 32.
    size = 2 if small else 136 if "croq.mma" in text else 40
    # Heads of attention do not know of each other.
    sizes = {name: 2 if name == "H" else size for name in plan.dims}
    listed = ",".join(f"{name}={size}" for name, size in sizes.items())
    # What a few compute is no sum of products: their own tests look at that.
    check = [] if plan.reference is None else ["--check"]
    assert run([str(file), "--dim", listed, "--simulate", *check]) == 0


def test_croq_run_sizes_must_agree():
    with pytest.raises(UsageError, match="must agree on M, got 8 and 72"):
        run([str(MATMUL), "--dim", "M=72", "--size", "M=8", "--simulate"])
