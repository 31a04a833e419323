"""The unusual kernels for sm_80: `cp.async`, and waits and arrivals as it has them."""

from __future__ import annotations

import pytest
from pipeline.lowering import passes, run

from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.passes.set_target import set_target
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from croqtile_mlir.targets.ptx import ptx_text
from evidence.arguments import random_arguments, signature, wrong_tiles
from evidence.corpus import CASES, Case
from evidence.levels import Level, pipeline_to

TARGET = "sm_80"
TMA = " engine(tma)"
PLAIN = {
    name: case
    for name, case in CASES.items()
    if "croq.mma" not in case.text and ": cluster" not in case.text
}
"""Those that need neither products nor clusters."""


@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
def test_for_an_earlier_target(case: Case):
    """Proved, without faults, right, assembled."""
    module = parse_text(new_context(), case.text.replace(TMA, ""), "kernel.mlir")
    set_target(module, TARGET)
    run(module, pipeline_to(Level.HARDWARE))
    found = verdicts(module)
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found
    kernel, loaded = signature(module), load_module(module, AS_GIVEN)
    sizes = [(0, "rr"), (case.default_stages + 1, "late"), (1, "early")]
    for steps, policy in sizes:
        dims = case.sizes(steps, ragged=steps > 1)
        given = random_arguments(kernel, dims, seed=steps)
        after = {name: tile.copy() for name, tile in given.items()}
        report = run_loaded(loaded, tuple(after.values()), Options(policy))
        assert not report.faults, "\n".join(str(f.diagnostic()) for f in report.faults)
        assert wrong_tiles(kernel, given, after) == {}
    if find_ptxas() is not None:
        names = passes()
        rest = names[names.index("check-level{level=nvvm}") + 1 :]
        run(module, ",".join(rest))
        assert assemble(ptx_text(module), TARGET).warnings == ()
