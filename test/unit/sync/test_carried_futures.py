"""Kernels whose loops carry futures are decided, with slots in their place."""

from __future__ import annotations

import pytest
from support.future_kernels import RowSums
from support.tile_runs import example
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.analysis.sync.verdicts import (
    Proved,
    Refuted,
    Rule,
    Undecided,
)
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import BarrierOp, ForeachOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts

CHOSEN = "infer-layouts,select-engines"
WITH_BARRIERS = f"{CHOSEN},lower-futures,insert-barriers"
KERNELS = {
    "product": example("matmul_swap"),
    **{
        f"{stages} buffers, {ahead} ahead, {engine}": RowSums(
            stages, ahead, engine
        ).text
        for stages, ahead in ((2, 1), (3, 1), (3, 2), (4, 3))
        for engine in ("auto", "threads")
    },
}


def after(text: str, passes: str) -> ModuleOp:
    """The module of a text after some passes."""
    ctx = new_context()
    module = parse_text(ctx, text, "kernel.mlir")
    if passes:
        run_passes(ctx, module, parse_passes(passes))
    return module


@pytest.mark.parametrize("passes", ["", CHOSEN, WITH_BARRIERS])
@pytest.mark.parametrize("name", KERNELS)
def test_proved(name: str, passes: str) -> None:
    module = after(KERNELS[name], passes)
    before = str(module)
    (verdict,) = verdicts(module)
    assert isinstance(verdict, Proved), verdict
    assert str(module) == before


@pytest.mark.parametrize("name", KERNELS)
def test_the_barrier_in_the_loop_is_needed(name: str) -> None:
    module = after(KERNELS[name], WITH_BARRIERS)
    inside = [
        op
        for op in module.walk()
        if isinstance(op, BarrierOp) and isinstance(op.parent_op(), ForeachOp)
    ]
    assert len(inside) == 1
    inside[0].detach()
    inside[0].erase()
    (verdict,) = verdicts(module)
    assert isinstance(verdict, Refuted)
    assert verdict.rule in (Rule.OVERWRITE, Rule.READ_BEFORE_WRITE)


@pytest.mark.parametrize("passes", ["", CHOSEN])
@pytest.mark.parametrize("stages", [2, 3])
def test_read_before_the_wait(stages: int, passes: str) -> None:
    kernel = RowSums(stages, stages - 1, "tma", late=True)
    (verdict,) = verdicts(after(kernel.text, passes))
    assert isinstance(verdict, Refuted)
    assert verdict.rule is Rule.READ_BEFORE_WRITE


def test_misuse_is_refuted_with_a_story() -> None:
    text = RowSums(2, 1).text.replace("croq.await %c0\n", "")
    (verdict,) = verdicts(after(text, ""))
    assert isinstance(verdict, Refuted)
    assert verdict.rule is Rule.FUTURE
    assert "must leave carried future 1 as it was" in verdict.message
    assert verdict.hint
    told = [step.text for step in verdict.trace]
    assert told[0] == "start a copy"
    assert told[-1] == "go on with the next iteration"


def test_a_pass_refuses_misuse() -> None:
    text = RowSums(2, 1).text.replace("croq.await %c0\n", "")
    with pytest.raises(CompileError, match="must leave carried future 1 as it was"):
        after(text, WITH_BARRIERS)


def test_what_has_no_slots_is_undecided() -> None:
    text = """
croq.kernel @part (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %s = croq.slot %a[1]
    %f = croq.copy_async %p => %s engine(tma)
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}
"""
    (verdict,) = verdicts(after(text, ""))
    assert isinstance(verdict, Undecided)
    assert "fill a whole shared buffer" in verdict.reason
