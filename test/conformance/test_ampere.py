"""
Kernels for sm_80 through two code generators, as `test_examples` has them for Hopper.

Both must load and multiply as many fragments, and synchronise alike.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from support.ampere_kernels import RINGS
from xdsl.printer import Printer

from conformance import upstream
from conformance.lit_runs import ROOT
from conformance.ptx_sequence import instruction_sequence
from croqtile_mlir.compiler import source_of
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text

TARGET, FEATURES = "sm_80", "+ptx71"
WARP_OPS = re.compile(
    r"\b((?:mma\.sync|ldmatrix|nanosleep|mbarrier\.test_wait|cp\.async)[.:\w]*)"
)


def _example(name: str) -> str:
    return Path(ROOT / "examples" / f"{name}.mlir").read_text(encoding="utf-8")


KERNELS = {
    "ring": RINGS[0].text(TARGET),
    "ring of threads": RINGS[1].text(TARGET),
    **{
        name: f'builtin.module attributes {{croq.target = "{TARGET}"}} '
        f"{{{_example(name)}}}"
        for name in ("matmul_ampere", "matmul_1p1c_cp_async", "row_sums")
    },
}

pytestmark = [
    pytest.mark.skipif(upstream.missing() is not None, reason=str(upstream.missing())),
    pytest.mark.parametrize("name", KERNELS),
]


@cache
def hardware_text(name: str) -> str:
    """The text of a kernel at the hardware level."""
    lowering = Lowering(source_of(KERNELS[name]), verify_sync=False)
    lowering.run(until="nvvm")
    text = StringIO()
    Printer(stream=text).print_op(lowering.module)
    return text.getvalue()


@cache
def their_ptx(name: str, level: int = 0) -> str:
    """What upstream makes of it; unoptimised it keeps the order of the IR."""
    return upstream.to_ptx(
        hardware_text(name), chip=TARGET, features=FEATURES, level=level
    )


@cache
def our_ptx(name: str) -> str:
    """What our own code generator makes of the same text."""
    ctx = new_context()
    module = parse_text(ctx, hardware_text(name), name)
    stage = next(stage for stage in lowering_stages() if stage.level == "ptx")
    run_passes(ctx, module, parse_passes(",".join(stage.passes)))
    return ptx_text(module)


def test_upstream_reads_it(name: str):
    assert upstream.check_upstream(hardware_text(name), name) == []


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
def test_both_assemble(name: str):
    for ptx in (their_ptx(name, 1), our_ptx(name)):
        result = assemble(ptx, TARGET)
        assert result.spill_bytes == 0
        assert result.warnings == ()


def warp_ops(ptx: str) -> Counter[str]:
    """How often each instruction on fragments, or that waits, is there."""
    return Counter(WARP_OPS.findall(ptx))


def test_same_instructions(name: str):
    theirs, ours = warp_ops(their_ptx(name)), warp_ops(our_ptx(name))
    assert ours
    assert theirs == ours


def test_same_order_of_synchronisation(name: str):
    theirs = instruction_sequence(their_ptx(name))
    ours = instruction_sequence(our_ptx(name))
    assert theirs == ours
