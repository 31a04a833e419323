"""Examples at hardware level, as text to change and to run."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.compiler import ir_after, source_of
from croqtile_mlir.simulator.faults import Fault
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.simulate import Options, Report, load, run_loaded

EXAMPLES = Path(__file__).parents[2] / "examples"
POLICIES = ("rr", "late", "early", "random:7")
STAGES = 4
DTYPES = {"f16": np.float16, "f32": np.float32}


def source_text(example: str) -> str:
    """The text of an example."""
    return (EXAMPLES / f"{example}.mlir").read_text(encoding="utf-8")


@lru_cache(maxsize=32)
def hardware_text(text: str) -> str:
    """Text at tile level, lowered to hardware level."""
    return ir_after(source_of(text), "nvvm")


@lru_cache(maxsize=128)
def loaded(text: str) -> Loaded:
    """A kernel at either level, ready to run at hardware level."""
    return load(source_of(text), level="nvvm")


def product_arrays(rows: int, cols: int, depth: int) -> list[NDArray[Any]]:
    """Random operands, and an output that holds something else."""
    rng = np.random.default_rng(rows + 3 * cols + 7 * depth)
    return [
        rng.standard_normal((rows, depth)).astype(np.float16),
        rng.standard_normal((cols, depth)).astype(np.float16),
        np.full((rows, cols), np.nan, np.float16),
    ]


def run_product(
    text: str, size: tuple[int, int, int], policy: str, *, checks: bool = True
) -> tuple[Report, NDArray[Any], NDArray[Any]]:
    """The report, the result, and the product in f64."""
    kernel = loaded(text)
    lhs, rhs, out = product_arrays(*size)
    args = (lhs, rhs) if kernel.plan.outputs else (lhs, rhs, out)
    report = run_loaded(kernel, args, Options(policy, checks=checks))
    result = report.result if kernel.plan.outputs else out
    return report, result, lhs.astype(np.float64) @ rhs.astype(np.float64).T


def names(faults: tuple[Fault, ...]) -> set[str]:
    """The kinds of faults."""
    return {fault.kind.name for fault in faults}


def texts(faults: tuple[Fault, ...]) -> str:
    """All faults, for a message."""
    return "\n".join(str(fault.diagnostic()) for fault in faults)
