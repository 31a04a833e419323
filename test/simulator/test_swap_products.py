"""Products whose buffers take turns: right results and no faults at every level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pipeline.lowering import printed
from support.covering import EVERY_CASE, pairwise
from support.swap_kernels import SwapProduct
from support.tile_runs import kinds, told

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.croq import BarrierOp, ForeachOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded

from .test_futures import at

KERNELS = [
    SwapProduct("i32", 2, asynchronous=False),
    SwapProduct("f32", 2, asynchronous=False),
    SwapProduct("f16", 2, asynchronous=False),
    SwapProduct("i32", 3),
    SwapProduct("f32", 2),
    SwapProduct("f16", 3),
    SwapProduct("f32", 2, multiple=4),
    SwapProduct("f16", 3, multiple=8),
    SwapProduct("f32", 3, engine="cp_async"),
    SwapProduct("f16", 4, engine="threads"),
]

SINGLE = [
    SwapProduct("i32", 1),
    SwapProduct("f32", 1, multiple=4),
    SwapProduct("f16", 1),
    SwapProduct("f32", 1, engine="cp_async"),
]

LEVELS = ("croq", "lower-futures", "lower-dma", "nvvm", "ptx")
BARRIERS = "infer-layouts,select-engines,lower-futures,insert-barriers"


def after(text: str, passes: str) -> Any:
    """The module of a text after some passes."""
    ctx = new_context()
    module = parse_text(ctx, text, "kernel.mlir")
    run_passes(ctx, module, parse_passes(passes))
    return module


def pipelined(kernel: SwapProduct, stages: int) -> str:
    return printed(after(kernel.text, f"pipeline-loop{{stages={stages}}}"))


def operands(
    kernel: SwapProduct, size: tuple[int, int, int]
) -> tuple[NDArray[Any], NDArray[Any]]:
    m, n, k = size
    rng = np.random.default_rng(m * 10007 + n * 101 + k)
    if kernel.element == "i32":
        draw = [
            rng.integers(-(2**31), 2**31, shape, dtype=np.int32)
            for shape in ((m, k), (k, n))
        ]
    else:
        kind = np.float16 if kernel.element == "f16" else np.float32
        draw = [rng.standard_normal(s).astype(kind) for s in ((m, k), (k, n))]
    return draw[0], draw[1]


def check(
    kernel: SwapProduct,
    loaded: Loaded,
    size: tuple[int, int, int],
    policy: str = "late",
) -> None:
    """A run of a kernel whose extents are rounded up to what it can take."""
    unit = kernel.multiple or 1
    m, n, k = (-(-extent // unit) * unit for extent in size)
    lhs, rhs = operands(kernel, (m, n, k))
    options = Options(policy, checks=loaded.level != "ptx")
    report = run_loaded(loaded, (lhs, rhs), options)
    assert not report.faults, told(report)
    if kernel.element == "i32":
        # Sums of 32 bits: what is beyond them is gone.
        exact = (lhs.astype(np.int64) @ rhs.astype(np.int64)).astype(np.int32)
        np.testing.assert_array_equal(report.result, exact)
        return
    wide = lhs.astype(np.float64) @ rhs.astype(np.float64)
    limit = 2e-3 if kernel.element == "f16" else 1e-5
    scale = np.sqrt(k)
    np.testing.assert_allclose(report.result, wide, rtol=limit, atol=limit * scale)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_products(kernel: SwapProduct, level: str) -> None:
    """No step, fewer than buffers, as many, more, and many; ragged edges."""
    loaded = at(kernel.text, level)
    check(kernel, loaded, (17, 9, 16 * (kernel.stages - 2) + 3))
    # Levels take turns: a loop that is right for no step and many is for those between.
    turn = KERNELS.index(kernel) + LEVELS.index(level)
    if EVERY_CASE or turn % 2:
        check(kernel, loaded, (1, 1, 16 * kernel.stages))
        check(kernel, loaded, (16, 16, 16 * (kernel.stages + 1)))
    check(kernel, loaded, (9, 5, 16 * 6 + 5))
    if EVERY_CASE:
        check(kernel, loaded, (1, 1, 1))
        for depth in (16 * kernel.stages, 16 * 6 + 5):
            check(kernel, loaded, (17, 9, depth))


@pytest.mark.parametrize(
    ("kernel", "stages", "level"),
    pairwise(SINGLE, [2, 3], ["croq", "lower-dma", "nvvm", "ptx"]),
    ids=str,
)
def test_pipelined(kernel: SwapProduct, stages: int, level: str) -> None:
    loaded = at(pipelined(kernel, stages), level)
    for trips in sorted({1, stages - 1, stages, stages + 1, 2 * stages + 1}):
        check(kernel, loaded, (17, 9, 16 * trips - (trips % 2) * 5))


@pytest.mark.parametrize("policy", ["rr", "early", "random:3"])
def test_policies(policy: str) -> None:
    for kernel in (KERNELS[0], KERNELS[7]):
        check(kernel, at(kernel.text, "nvvm"), (18, 20, 70), policy)
    loaded = at(pipelined(SINGLE[1], 3), "nvvm")
    check(SINGLE[1], loaded, (18, 20, 70), policy)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_no_step_at_all(level: str) -> None:
    for stages in (2, 3):
        check(SINGLE[0], at(pipelined(SINGLE[0], stages), level), (17, 20, 0))
    check(KERNELS[3], at(KERNELS[3].text, level), (17, 20, 0))


WRITTEN = {str(kernel): kernel.text for kernel in KERNELS}
MADE = {
    f"{kernel}, pipelined with {stages}": pipelined(kernel, stages)
    for kernel in SINGLE
    for stages in (2, 3)
}


@pytest.mark.parametrize(
    "text", [*WRITTEN.values(), *MADE.values()], ids=[*WRITTEN, *MADE]
)
def test_the_barrier_of_a_refill_is_there_and_needed(text: str) -> None:
    for passes in ("bind-params", BARRIERS):
        (verdict,) = verdicts(after(text, passes))
        assert isinstance(verdict, Proved), passes
    module = after(text, BARRIERS)
    inside = [
        op for op in module.walk() if isinstance(op, BarrierOp) and _is_in_loop(op)
    ]
    assert inside
    for op in inside:
        op.detach()
        op.erase()
    (verdict,) = verdicts(module)
    assert isinstance(verdict, Refuted)
    assert verdict.rule in (Rule.OVERWRITE, Rule.READ_BEFORE_WRITE)
    assert verdict.trace
    kernel = next(k for k in (*KERNELS, *SINGLE) if text in (k.text, *_made(k)))
    args = operands(kernel, (16, 16, 96))
    report = run_loaded(load_module(module, "insert-barriers"), args, Options("late"))
    assert FaultKind.RACE in kinds(report)


def _made(kernel: SwapProduct) -> tuple[str, ...]:
    own = (f"{kernel}, pipelined with {stages}" for stages in (2, 3))
    return tuple(MADE[name] for name in own if name in MADE)


def _is_in_loop(op: BarrierOp) -> bool:
    around = op.parent_op()
    while around is not None and not isinstance(around, ForeachOp):
        around = around.parent_op()
    return around is not None
