"""Epilogues that overlap with the next tile: proved, run, assembled."""

from __future__ import annotations

import numpy as np
import pytest
from support.covering import pairwise

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import instructions, lower, parse, printed, run
from pipeline.test_scheduled import (
    PERSISTENT,
    PLAIN,
    SINGLE_WARPGROUP,
    STATIC,
    Shape,
    by_threads,
    check,
    scheduled,
)

PROVE = "infer-layouts,select-engines,verify-sync{undecided=error}"
STAGES = 3

ROAD = "persist{blocks=3},warp-specialize{stages=3 in_flight=1}"

PANELS = {
    "as-many-panels-as-buffers": ("BM=128 BN=32 BK=16", "cols=16"),
    "three-panels": ("BM=128 BN=48 BK=16", "cols=16"),
    "narrow-last-panel": ("BM=128 BN=48 BK=16", "cols=32"),
    "one-panel": ("BM=128 BN=32 BK=16", "cols=64"),
    "one-buffer": ("BM=128 BN=48 BK=16", "cols=16 buffers=1"),
    "more-buffers-than-panels": ("BM=128 BN=32 BK=16", "cols=16 buffers=3"),
}


def overlapped(panels: str, road: str = ROAD, text: str = PLAIN) -> str:
    """The scheduled kernel; it is proved."""
    tile, options = PANELS[panels]
    return scheduled(
        text, f"bind-params{{{tile}}},{road},overlap-epilogue{{{options}}}"
    )


@pytest.mark.parametrize(
    ("panels", "level", "trips"),
    pairwise(
        *(list(PANELS), ["croq", "nvvm"]),
        [0, 1, STAGES - 1, STAGES, STAGES + 1],
    ),
)
def test_trip_counts(level: str, panels: str, trips: int):
    """Three tiles and more for each block, and rows and columns beyond the output."""
    check(overlapped(panels), level, (400, 104, 16 * trips))


@pytest.mark.parametrize(
    ("panels", "level", "shape"),
    pairwise(
        *(list(PANELS), ["croq", "nvvm"]),
        [(128, 32, 40), (64, 8, 40), (700, 72, 16), (130, 200, 24)],
    ),
    ids=str,
)
def test_tiles(level: str, panels: str, shape: Shape):
    """Blocks without a tile, with one, with many and short loops."""
    check(overlapped(panels), level, shape)


@pytest.mark.parametrize("policy", ["late", "early", "random:1", "random:2"])
@pytest.mark.parametrize("panels", PANELS)
def test_schedules(panels: str, policy: str):
    """Stores that land late, or early."""
    check(overlapped(panels), "nvvm", (400, 104, 16), policy=policy)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("order", ["last", "grouped"])
def test_orders_of_tiles(level: str, order: str):
    road = f"persist{{blocks=3 order={order} group=2}},warp-specialize{{stages=3}}"
    check(overlapped("three-panels", road), level, (700, 104, 40))


@pytest.mark.parametrize(
    ("panels", "level", "road"),
    pairwise(list(PANELS), ["croq", "nvvm"], ["", "warp-specialize{stages=3}"]),
)
def test_a_tile_for_each_block(level: str, panels: str, road: str):
    tile, options = PANELS[panels]
    passes = [f"bind-params{{{tile}}}", road, f"overlap-epilogue{{{options}}}"]
    check(scheduled(PLAIN, ",".join(p for p in passes if p)), level, (130, 72, 40))


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("panels", PANELS)
def test_rows_that_tma_cannot_store(level: str, panels: str):
    """The threads store the panels then, and nothing is left in flight."""
    text = overlapped(panels, text=by_threads(PLAIN))
    check(text, level, (300, 101, 37))
    if level == "nvvm":
        assert "cp.async.bulk.wait_group" not in lower(text)


@pytest.mark.parametrize(
    ("cols", "level", "shape"),
    pairwise([16, 32], ["croq", "nvvm"], [(400, 72, 16), (700, 72, 56), (64, 32, 72)]),
    ids=str,
)
def test_turns(level: str, cols: int, shape: Shape):
    """Consumers that take turns have a ring of panels each."""
    module = parse(SINGLE_WARPGROUP)
    run(
        module,
        "warp-specialize{mode=pingpong stages=3 in_flight=1},"
        f"overlap-epilogue{{{cols=}}}",
    )
    for policy in ("rr", "random:1", "random:2"):
        check(printed(module), level, shape, policy=policy)


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_turns_of_a_known_shape_are_proved(buffers: int):
    road = "warp-specialize{mode=pingpong stages=3 in_flight=1}"
    text = scheduled(STATIC, f"{road},overlap-epilogue{{cols=16 {buffers=}}}")
    check(text, "croq", (400, 72, 72))


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32], ids=["f16", "f32"])
def test_other_element_types(level: str, dtype: type[np.float16] | type[np.float32]):
    """f16 accumulators, and f32 outputs, which are stored without stmatrix."""
    text = PERSISTENT
    if dtype is np.float16:
        text = text.replace("128x32xf32>", "128x32xf16>")
    else:
        text = text.replace("128x32xf16, shared", "128x32xf32, shared")
        text = text.replace(
            "%out: !croq.tile<[M]x[N]xf16", "%out: !croq.tile<[M]x[N]xf32"
        )
    text = scheduled(text, "warp-specialize{stages=3},overlap-epilogue{cols=16}")
    rng = np.random.default_rng(5)
    lhs = (rng.standard_normal((300, 72)) / 8).astype(np.float16)
    rhs = (rng.standard_normal((104, 72)) / 8).astype(np.float16)
    out = np.full((300, 104), np.nan).astype(dtype)
    simulate(text, lhs, rhs, out, level=level).check()
    wanted = lhs.astype(np.float32) @ rhs.astype(np.float32).T
    np.testing.assert_allclose(out.astype(np.float32), wanted, rtol=1e-2, atol=1e-2)


WRONG = {
    "one-store-too-many": ("in_flight 0 read", "in_flight 1 read"),
    "one-store-too-many-later": ("in_flight 1 read", "in_flight 2 read"),
    "no-wait-for-the-first": ("croq.await_stores in_flight 0 read\n", ""),
    "nothing-at-the-end": ("croq.await_stores in_flight 0\n", ""),
}


def edited(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_waits_are_refuted(wrong: str):
    text = edited(overlapped("three-panels"), *WRONG[wrong])
    with pytest.raises(CompileError, match=r"overwrite|in flight"):
        run(parse(text), PROVE)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_wrong_waits_are_seen_by_the_simulator(wrong: str, level: str):
    text = edited(overlapped("three-panels"), *WRONG[wrong])
    out = np.zeros((400, 104), np.float16)
    rng = np.random.default_rng(0)
    lhs, rhs = (rng.standard_normal((n, 24)).astype(np.float16) for n in (400, 104))
    assert simulate(text, lhs, rhs, out, level=level).faults


WINDOW = "%out [128, 48] tile (%bm_1, %bn_1)"

OVERLAPPING = {
    "elements": (f"subspan {WINDOW}", "view %out [128, 48] from (%bm_1, %bn_1)"),
    "another-remainder": (
        "arith.remui %tile_1, %m_tiles",
        "arith.remui %tile_1, %n_tiles",
    ),
    "no-column": (WINDOW, "%out [128, 48] tile (%bm_1, 0)"),
    "no-row": (WINDOW, "%out [128, 48] tile (%bm_1, %bm_1)"),
    "same-panel": ("%o [128, 16] from (0, 16)", "%o [128, 16] from (0, 0)"),
}


@pytest.mark.parametrize("how", OVERLAPPING)
def test_tiles_that_may_overlap_are_not_proved(how: str):
    """Stores of two tiles are in flight together: which must not meet."""
    text = edited(overlapped("three-panels"), *OVERLAPPING[how])
    with pytest.raises(CompileError, match="write conflict"):
        run(parse(text), PROVE)


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("columns", "options", "panels"),
    [
        (256, "consumers=2 stages=4 in_flight=1", 64),
        (128, "mode=pingpong stages=6 in_flight=1", 32),
        (192, "mode=pingpong stages=4 in_flight=1", 64),
        (176, "consumers=2 stages=5 in_flight=1", 64),
    ],
)
def test_assembled(columns: int, options: str, panels: int):
    """Four stages beside a tile of 128x256; nothing spills, no product waits."""
    module = parse(PLAIN)
    run(
        module,
        f"bind-params{{BN={columns}}},persist,warp-specialize{{{options}}},"
        f"overlap-epilogue{{cols={panels}}}",
    )
    text = printed(module)
    ptx = lower(text)
    if "pingpong" not in options:
        run(module, PROVE)
    made = assemble(ptx, "sm_90a")
    assert made.spill_bytes == 0
    assert made.warnings == ()
    assert made.registers == 168
    found = instructions(ptx)
    assert found["cp.async.bulk.wait_group"] == (2 if "pingpong" in options else 1)
    assert found["cp.async.bulk.wait_group.read"] > 1
