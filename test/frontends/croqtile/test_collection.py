"""
Every kernel in `examples/croqtile`, and the second seed kernel: compiled, proved,
assembled, and run in the simulator on random data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from support.croqtile_sources import KERNELS, ROOT, check, source
from xdsl.dialects.builtin import ModuleOp

import croqtile_mlir
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import diagnostics_of
from croqtile_mlir.frontends.croqtile import parse_module
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.passes.set_target import set_target
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import load, run
from croqtile_mlir.targets.ptx import ptx_text

TARGET = "sm_90a"


VERIFIER = "verify-sync{"


@dataclass(frozen=True)
class Lowered:
    """A kernel at each level, and what the verifier could not decide."""

    tile: ModuleOp
    hardware: ModuleOp
    ptx: str
    undecided: str


@cache
def lowered(name: str) -> Lowered:
    """A kernel as the compiler makes it, in one go."""
    path, kernel = source(name), KERNELS[name]
    ctx = new_context()
    options = FrontendOptions(tuple(kernel.defines.items()))
    module = parse_module(ctx, path.read_text(), path.name, options)
    set_target(module, TARGET)
    found: list[ModuleOp] = []
    for stage in lowering_stages():
        passes = ",".join(stage.passes)
        if stage.level == "croq" and kernel.undecided is None:
            assert VERIFIER in passes
            passes = passes.replace(VERIFIER, f"{VERIFIER}undecided=error ")
        run_passes(ctx, module, parse_passes(passes))
        if stage.level != "ptx":
            found.append(module.clone())
    said = [str(each) for each in diagnostics_of(ctx).collected]
    undecided = "\n".join(each for each in said if "not decided" in each)
    tile, hardware = found
    return Lowered(tile, hardware, ptx_text(module), undecided)


def test_all_sources_are_listed():
    files = sorted(path.stem for path in (ROOT / "croqtile").glob("*.co"))
    named = [name for name, kernel in KERNELS.items() if kernel.folder == "croqtile"]
    assert sorted(named) == files
    assert len(files) >= 20


@pytest.mark.parametrize("name", KERNELS)
def test_sources(name: str):
    """At tile level and at hardware level; the PTX assembles."""
    found, kernel = lowered(name), KERNELS[name]
    assert (kernel.undecided or "") in found.undecided
    # The last two sizes have ragged edges, and slots that are used again.
    for module, sizes in (
        (found.tile, kernel.sizes),
        (found.hardware, kernel.sizes[-2:]),
    ):
        loaded = load(module)
        for number, size in enumerate(sizes):
            launch = kernel.launch(np.random.default_rng(number), size)
            report = run(loaded, *launch.args)
            report.check()
            check(launch, report.result, launch.args)
    if find_ptxas() is not None:
        result = assemble(found.ptx, TARGET)
        assert result.warnings == ()
        assert result.spill_bytes == 0


def test_parameters_of_the_seed_kernel_give_what_macros_give():
    """Names that nothing defines become parameters, whose values may come later."""
    values = {key: int(text) for key, text in KERNELS["matmul_events"].defines.items()}
    path = source("matmul_events")
    by_parameters = croqtile_mlir.compile(path, params=values)
    assert by_parameters.ptx == croqtile_mlir.compile(path, defines=values).ptx
    assert "[MATMUL_STAGES]" in by_parameters.ir("croq")
