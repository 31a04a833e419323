"""Attention, layer norm and split K: as written and scheduled, at every level."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.kernel import Kernel
from pipeline.lowering import parse, printed, run

EXAMPLES = Path(__file__).parents[2] / "examples"

ATTENTION = {
    "as written": "bind-params",
    "specialized": "bind-params,warp-specialize{consumers=1 stages=2}",
    "two warpgroups": "bind-params{BM=128},warp-specialize{consumers=2 stages=2}",
    "pingpong": "bind-params,persist{blocks=2},"
    "warp-specialize{consumers=2 stages=3 mode=pingpong}",
    "pipelined": "bind-params,pipeline-loop{stages=2}",
}

SPLIT_K = {
    "as written": "bind-params{BM=64 BN=64 P=3}",
    "specialized": "bind-params{BM=64 BN=64 P=3},warp-specialize{consumers=1 stages=2}",
    "pipelined": "bind-params{BM=64 BN=64 P=3},pipeline-loop{stages=2}",
    "in flight": "bind-params{BM=64 BN=64 P=3},pipeline-loop{stages=3 in_flight=1}",
}


@cache
def compiled(name: str, schedule: str) -> Kernel:
    """A kernel whose synchronisation is proved."""
    kernel = croq.compile(EXAMPLES / f"{name}.mlir", schedule=schedule)
    assert kernel.diagnostics == ()
    return kernel


def attention(
    heads: int, m: int, n: int, width: int = 64
) -> tuple[tuple[Any, ...], Any]:
    """The arguments of attention, its result last; what it must be."""
    rng = np.random.default_rng(heads + m + n)
    q, k, v = (
        rng.standard_normal((heads, rows, width)).astype("f2") for rows in (m, n, n)
    )
    scores = 0.5 * q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    weights /= weights.sum(2, keepdims=True)
    out = np.full((heads, m, width), np.nan, "f2")
    return (0.5, q, k, v, out), weights @ v.astype(np.float64)


def check(got: Any, wanted: Any, limit: float = 1e-3) -> None:
    error = np.linalg.norm(got.astype(np.float64) - wanted)
    assert error <= limit * np.linalg.norm(wanted)


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize(("heads", "m", "n"), [(1, 1, 1), (2, 70, 64), (1, 64, 190)])
def test_attention(heads: int, m: int, n: int, level: str) -> None:
    """One key, whole tiles of keys, and tiles and a part."""
    arguments, wanted = attention(heads, m, n)
    compiled("attention", "bind-params").simulate(*arguments, level=level)
    check(arguments[-1], wanted)


@pytest.mark.parametrize("schedule", [s for s in ATTENTION if s != "as written"])
def test_scheduled_attention(schedule: str) -> None:
    kernel = compiled("attention", ATTENTION[schedule])
    for n in (64, 300):
        arguments, wanted = attention(1, 140, n)
        kernel.simulate(*arguments, policy="late")
        check(arguments[-1], wanted)


def test_wider_heads() -> None:
    """The width of a head is a parameter, which is an extent of arguments, too."""
    kernel = croq.compile(EXAMPLES / "attention.mlir", params={"D": 128})
    arguments, wanted = attention(1, 20, 100, 128)
    kernel.simulate(*arguments)
    check(arguments[-1], wanted)
    with pytest.raises(croq.ArgumentError, match=r"'q': extent of dim 2 must be 128"):
        kernel.simulate(*attention(1, 20, 100)[0])


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 33), (2, 1024), (2, 1300)])
def test_layer_norm(m: int, n: int, level: str) -> None:
    rng = np.random.default_rng(m + n)
    # Far from zero: squares would lose the digits of the variance.
    x = (rng.standard_normal((m, n)) + 30).astype("f2")
    weight, bias = (rng.standard_normal(n).astype("f2") for _ in range(2))
    out = np.full((m, n), np.nan, "f2")
    mean, rstd = (np.full(m, np.nan, "f4") for _ in range(2))
    kernel = compiled("layer_norm", "")
    kernel.simulate(x, weight, bias, out, mean, rstd, level=level)
    wide = x.astype(np.float64)
    wanted_rstd = 1 / np.sqrt(wide.var(1) + 1e-5)
    np.testing.assert_allclose(mean, wide.mean(1), rtol=1e-6)
    np.testing.assert_allclose(rstd, wanted_rstd, rtol=1e-4)
    normal = (wide - wide.mean(1, keepdims=True)) * wanted_rstd[:, None]
    check(out, normal * weight + bias)


@pytest.mark.parametrize("schedule", SPLIT_K)
@pytest.mark.parametrize("k", [0, 64, 136, 400])
def test_split_k(schedule: str, k: int) -> None:
    """No steps, fewer steps than parts, and parts of different lengths."""
    rng = np.random.default_rng(k)
    a, b = (rng.standard_normal((rows, k)).astype("f2") for rows in (17, 66))
    out = rng.standard_normal((17, 66)).astype("f4")
    wanted = out + a.astype(np.float64) @ b.astype(np.float64).T
    compiled("matmul_split_k", SPLIT_K[schedule]).simulate(a, b, out)
    check(out, wanted, 1e-6)


def test_loads_too_far_ahead_are_refuted() -> None:
    """The loads before the loop follow from its trips, which depend on the block."""
    module = parse((EXAMPLES / "matmul_split_k.mlir").read_text())
    run(module, "bind-params,pipeline-loop{stages=3 in_flight=1}")
    run(module, "infer-layouts,select-engines")
    run(module, "verify-sync")
    wrong, edits = re.subn(
        r"constant 2( : index\s+%\w+ = arith.minui)", r"constant 4\1", printed(module)
    )
    assert edits == 1
    with pytest.raises(croq.CompileError, match=r"race|too early|generation"):
        run(parse(wrong), "verify-sync")
