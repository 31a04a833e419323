"""What is wrong where things meet in memory is never called proved."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to
from evidence.wrong_meetings import WRONG

UNDECIDED = frozenset(
    {
        "blocks_barrier_of_the_block",
        "blocks_count_without_order",
        "blocks_half_of_the_blocks",
        "blocks_index_of_one_bit",
        "blocks_in_place_with_a_halo",
        "blocks_some_updates_of_narrow_scope",
        "blocks_turns_too_short",
        "blocks_windows_overlap",
        "body_loop_from_below_zero",
        "body_place_from_a_turn",
        "body_place_from_data",
        "body_product_too_long",
        "body_shared_index_below_zero",
        "body_shared_index_counted_down",
        "body_shared_index_of_a_branch",
        "body_shifted_out",
        "body_sum_past_the_largest",
        "body_sum_too_long",
        "body_while_others_store",
    }
)
"""What they do depends on data, or is not told apart: the rest is refuted."""


@pytest.mark.parametrize("name", WRONG)
def test_is_not_proved(name: str) -> None:
    module = parse(WRONG[name])
    run(module, pipeline_to(Level.TILE))
    wanted = "undecided" if name in UNDECIDED else "refuted"
    assert verdict_of(module).startswith(wanted)
    loaded = load_module(module, AS_GIVEN)
    given = np.random.default_rng(7)
    for policy in ("late", "random:1", "random:2"):
        x, y = (given.standard_normal(64).astype(np.float32) for _ in range(2))
        counts = np.zeros(64, np.int32)
        if run_loaded(loaded, (x, y, counts), Options(policy=policy)).faults:
            return
    pytest.fail("no run shows anything")
