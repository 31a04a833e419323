"""Consumers of one warpgroup each that share a tile: proved, run, assembled."""

from __future__ import annotations

import re
from itertools import takewhile

import numpy as np
import pytest
from support.covering import pairwise

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import RoleOp
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import TARGET, lower, parse, passes, printed, run
from pipeline.test_scheduled import (
    PLAIN,
    Shape,
    by_threads,
    check,
    rewritten,
    scheduled,
)

LEVELS = ["croq", "nvvm", "ptx"]
STAGES = 3

TILES = {2: "BM=128 BN=32 BK=16", 3: "BM=192 BN=32 BK=16"}
"""By the number of consumers, two panels of 16 columns."""

PERSISTENT = "persist{blocks=2}"
OVERLAP = "overlap-epilogue{cols=16}"

PROVE = "infer-layouts,select-engines,verify-sync{undecided=error}"
HARDWARE = (
    *takewhile(lambda name: not name.startswith("check-level"), passes()),
    "verify-sync{undecided=error}",
)
"""Passes down to the hardware level, whose synchronisation is proved."""


def road(
    *after: str, consumers: int = 2, in_flight: int = 1, persist: str = PERSISTENT
) -> str:
    """The passes from a plain kernel to one with consumers of one warpgroup."""
    made = [
        f"bind-params{{{TILES[consumers]}}}",
        persist,
        f"warp-specialize{{{consumers=} stages={STAGES} {in_flight=}}}",
        "split-consumers",
        *after,
    ]
    return ",".join(p for p in made if p)


def shape_of(trips: int, consumers: int = 2) -> Shape:
    """Three rows of tiles and two columns, the last ones in part; `trips` slices."""
    return 64 * consumers * 2 + 40, 56, 16 * trips


@pytest.mark.parametrize(
    ("consumers", "in_flight", "level", "trips"),
    pairwise([2, 3], [0, 1], LEVELS, [0, 1, STAGES - 1, STAGES, STAGES + 1]),
)
def test_trip_counts(level: str, consumers: int, in_flight: int, trips: int):
    """Rings that are not filled, that are filled, that wrap; three tiles of a block."""
    text = scheduled(PLAIN, road(OVERLAP, consumers=consumers, in_flight=in_flight))
    check(text, level, shape_of(trips, consumers))


@pytest.mark.parametrize(
    ("in_flight", "overlap", "level", "trips"),
    pairwise([0, 1], [(), (OVERLAP,)], LEVELS, [0, 1, STAGES, STAGES + 2]),
    ids=str,
)
def test_a_tile_for_each_block(
    level: str, in_flight: int, overlap: tuple[str, ...], trips: int
):
    m, n, k = shape_of(trips)
    text = scheduled(PLAIN, road(*overlap, in_flight=in_flight, persist=""))
    check(text, level, (m, n, max(k - 8, 0)))


@pytest.mark.parametrize(
    ("shape", "overlap", "level"),
    pairwise(
        [(64, 8, 24), (63, 32, 40), (65, 40, 8), (700, 72, 24)],
        [(), (OVERLAP,)],
        LEVELS,
    ),
    ids=str,
)
def test_tiles(level: str, overlap: tuple[str, ...], shape: Shape):
    """A consumer whose rows are all beyond the output, or all but one; many tiles."""
    check(scheduled(PLAIN, road(*overlap)), level, shape)


@pytest.mark.parametrize(
    ("overlap", "in_flight", "level"),
    pairwise([(), (OVERLAP,)], [0, 1], LEVELS),
    ids=str,
)
def test_rows_of_any_pitch(level: str, overlap: tuple[str, ...], in_flight: int):
    """Loads and stores by threads: each consumer stores with its own."""
    text = scheduled(by_threads(PLAIN), road(*overlap, in_flight=in_flight))
    check(text, level, (300, 37, 45))


@pytest.mark.parametrize(
    ("order", "buffers", "level"), pairwise(["last", "grouped"], [1, 3], LEVELS)
)
def test_orders_of_tiles(level: str, order: str, buffers: int):
    """Two panels and one buffer, and three buffers."""
    persist = f"persist{{blocks=3 order={order} group=2}}"
    overlap = f"overlap-epilogue{{cols=16 buffers={buffers}}}"
    check(scheduled(PLAIN, road(overlap, persist=persist)), level, (520, 104, 40))


@pytest.mark.parametrize(
    ("consumers", "level", "policy"),
    pairwise([2, 3], ["nvvm", "ptx"], ["late", "early", "random:1", "random:2"]),
)
def test_schedules(level: str, policy: str, consumers: int):
    """Consumers that run far apart, copies that land late."""
    text = scheduled(PLAIN, road(OVERLAP, consumers=consumers))
    check(text, level, shape_of(STAGES + 1, consumers), policy=policy)


def stored(form: str, accumulator: str) -> str:
    """The plain kernel with an operand transposed, or with f16 sums."""
    lhs, rhs = form.split(".")
    text = PLAIN.replace("M, N multiple_of", "M multiple_of 8, N multiple_of")
    text = text.replace("mma.exec row.row", f"mma.exec {form}")
    text = text.replace("[BM]x[BN]xf32>", f"[BM]x[BN]x{accumulator}>")
    for name, short, way, dim, extent, tile in (
        ("%lhs", "a", lhs, "M", "BM", "%bm"),
        ("%rhs", "b", rhs, "N", "BN", "%bn"),
    ):
        if way == "col":
            for old, new in (
                (f"{name}: !croq.tile<[{dim}]x[K]", f"{name}: !croq.tile<[K]x[{dim}]"),
                (
                    f"%{short}_s = croq.alloc : !croq.tile<[{extent}]x[BK]",
                    f"%{short}_s = croq.alloc : !croq.tile<[BK]x[{extent}]",
                ),
                (
                    f"{name} [{extent}, BK] tile ({tile}, %k)",
                    f"{name} [BK, {extent}] tile (%k, {tile})",
                ),
            ):
                assert old in text
                text = text.replace(old, new)
    return text


FORMS = ["row.row", "row.col", "col.row", "col.col"]


@pytest.mark.parametrize(
    ("consumers", "form", "accumulator", "level"),
    pairwise([2, 3], FORMS, ["f32", "f16"], LEVELS),
)
def test_operands(level: str, accumulator: str, form: str, consumers: int):
    """Rows of a consumer are along the other dim of an operand that is K x M."""
    text = stored(form, accumulator)
    text = scheduled(text, road(OVERLAP, consumers=consumers))
    m, n, k = 64 * consumers + 72, 40, 56
    rng = np.random.default_rng(m + k)
    lhs = (rng.standard_normal((m, k)) / 8).astype(np.float16)
    rhs = (rng.standard_normal((n, k)) / 8).astype(np.float16)
    out = np.full((m, n), np.nan, np.float16)
    a = np.ascontiguousarray(lhs.T) if form.startswith("col") else lhs
    b = np.ascontiguousarray(rhs.T) if form.endswith("col") else rhs
    simulate(text, a, b, out, level=level).check()
    wanted = lhs.astype(np.float32) @ rhs.astype(np.float32).T
    tolerance = 1e-2 if accumulator == "f16" else 2e-3
    np.testing.assert_allclose(
        out.astype(np.float32), wanted, rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize(
    ("persist", "in_flight", "consumers"), pairwise(["", PERSISTENT], [0, 1], [2, 3])
)
def test_proved(consumers: int, in_flight: int, persist: str):
    """Before and after each pass, and at hardware level."""
    module = parse(PLAIN)
    steps = road(OVERLAP, consumers=consumers, in_flight=in_flight, persist=persist)
    for step in steps.split(","):
        run(module, step)
        if not step.startswith("bind-params"):
            run(module.clone(), PROVE)
    run(module, ",".join(HARDWARE))


@pytest.mark.parametrize(
    ("first", "cluster", "level"),
    pairwise(["split-consumers", "multicast"], ["2x1", "1x2"], LEVELS),
)
def test_clusters(cluster: str, level: str, first: str):
    """Each consumer releases the slots of all blocks; the passes come in any order."""
    last = "multicast" if first == "split-consumers" else "split-consumers"
    text = scheduled(
        PLAIN,
        f"bind-params{{{TILES[2]}}},make-clusters{{{cluster=!s}}},"
        f"warp-specialize{{stages={STAGES} in_flight=1}},{first},{last},{OVERLAP}",
    )
    assert "multicast [" in text
    check(text, level, (300, 72, 72))


WRONG = {
    "released-too-early": (
        "overwrite",
        [("croq.mma.wait %c2_1 in_flight 1", "croq.mma.wait %c2_1 in_flight 2")],
    ),
    "released-by-one": (
        "overwrite",
        [
            ("croq.trigger %empty at %order_2 + 2\n", ""),
            ("croq.trigger %empty at %s_1\n", ""),
        ],
    ),
    "same-rows": (
        "write conflict",
        [("%o_1 [2, _] at (1, _)", "%o_1 [2, _] at (0, _)")],
    ),
    "one-buffer": ("read before write", [("croq.copy %o_s_1 =>", "croq.copy %o_s =>")]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_roles_are_refuted(wrong: str):
    """The verifier sees what one of the consumers does wrong."""
    message, changes = WRONG[wrong]
    text = rewritten(scheduled(PLAIN, road()), *changes)
    with pytest.raises(CompileError, match=message):
        run(parse(text), PROVE)


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("consumers", "tile", "stages", "panels"),
    [
        (2, "BM=128 BN=256", 4, 64),
        (2, "BM=128 BN=256", 4, 32),
        (2, "BM=256 BN=128", 3, 64),
        (2, "BM=128 BN=176", 5, 64),
        (3, "BM=192 BN=160", 3, 32),
    ],
)
@pytest.mark.parametrize("persist", ["", "persist"], ids=["plain", "persistent"])
def test_assembled(consumers: int, tile: str, stages: int, panels: int, persist: str):
    """Nothing spills, no product waits, and no barrier is of more than a warpgroup."""
    steps = [
        f"bind-params{{{tile}}}",
        persist,
        f"warp-specialize{{{consumers=} {stages=} in_flight=1}}",
        "split-consumers",
        f"overlap-epilogue{{cols={panels}}}",
    ]
    module = parse(PLAIN)
    run(module, ",".join(step for step in steps if step))
    roles = [op for op in module.walk() if isinstance(op, RoleOp)]
    assert [role.num_threads for role in roles] == [128] * (1 + consumers)
    ptx = lower(printed(module))
    made = assemble(ptx, TARGET)
    assert made.spill_bytes == 0
    assert made.warnings == ()
    assert made.registers == (168 if consumers == 2 else 128)
    barriers = re.findall(r"bar\.sync (\d+)(?:, (\d+))?;", ptx)
    assert {number for number, _ in barriers} == {str(n) for n in range(consumers + 1)}
    assert all(threads == "128" for number, threads in barriers if number != "0")
