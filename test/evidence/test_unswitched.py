"""
The pass of the hardware level that moves code around loops leaves the kernels right and
proved; what they compute stays the same, bit for bit.
"""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, passes, printed, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.arguments import Array, random_arguments, signature
from evidence.corpus import CASES, Case
from evidence.judge import verdict_of

MOVES = "unswitch-loops"
BEFORE = ",".join(
    name
    for name in passes()[: passes().index(MOVES)]
    if not name.startswith(("verify-sync", "prefetch-tensor-maps"))
)
LATER = "prefetch-tensor-maps,cse,check-level{level=nvvm}"

UNCHANGED = {
    *("ahead_by_two", "block_copies", "exchange", "handshake", "mixed_engines"),
    *("persistent_orders", "persistent_slots", "persistent_store_reused"),
    *("rotated_futures", "slot_loops", "swapped_buffers"),
    *("thread_level_stencil", "threads_double_buffer", "waits_in_branches"),
}
"""Whose threads all have something to do in every loop, or carry a count out of it."""

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def results(module: ModuleOp, case: Case, policy: str, steps: int) -> dict[str, Array]:
    """What a run of a module makes of random arguments."""
    kernel = signature(module)
    tiles = random_arguments(kernel, case.sizes(steps, ragged=True), seed=steps)
    loaded = load_module(module, AS_GIVEN)
    run_loaded(loaded, tuple(tiles.values()), Options(policy=policy)).check()
    return tiles


@EVERY
def test_same_results_and_proved(case: Case):
    module = parse(case.text)
    run(module, BEFORE)
    moved = module.clone()
    run(moved, MOVES)
    assert (printed(moved) == printed(module)) == (case.name in UNCHANGED)
    run(moved, LATER)
    assert verdict_of(moved) == "proved"
    if case.name in UNCHANGED:
        # The same text does the same.
        return
    for policy, steps in (("rr", case.default_stages + 2), ("random:3", 1)):
        before = results(module, case, policy, steps)
        for name, tile in results(moved, case, policy, steps).items():
            np.testing.assert_array_equal(tile, before[name])
