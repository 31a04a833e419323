"""Clusters whose blocks share their loads: proved, run, assembled."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest
from support.covering import pairwise

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import SimulationError
from pipeline.lowering import lower, parse, printed, run
from pipeline.test_scheduled import (
    PLAIN,
    Shape,
    check,
    product_of,
    rewritten,
    scheduled,
)

STAGES = 3
ODD: Shape = (300, 72, 40)
"""Three tiles along M and N, no multiple of a cluster, and rests of tiles."""

CLUSTERS = ["2x1", "1x2", "2x2"]
LEVELS = ["croq", "nvvm"]

MODES = {
    "cooperative": ("BM=128 BN=32 BK=16", "in_flight=0"),
    "late": ("BM=128 BN=32 BK=16", "in_flight=1"),
    "pingpong": ("BM=64 BN=32 BK=16", "mode=pingpong in_flight=0"),
    "late-pingpong": ("BM=64 BN=32 BK=16", "mode=pingpong in_flight=1"),
}

MODES_AT = [
    *(("croq", mode) for mode in MODES),
    ("nvvm", "late"),
    ("nvvm", "late-pingpong"),
]

PERSISTENT = "persist{blocks=8}"
FEW = "persist{blocks=4 order=grouped group=2}"
"""One or two clusters, for many tiles."""

OVERLAP = "overlap-epilogue{cols=16}"


def road(
    cluster: str, mode: str, persist: str = "", *after: str, dims: str = ""
) -> str:
    """The passes from the plain kernel to one whose clusters share loads."""
    tile, options = MODES[mode]
    passes = [
        dims,
        f"bind-params{{{tile}}}",
        f"make-clusters{{{cluster=!s}}}",
        persist,
        f"warp-specialize{{stages={STAGES} {options}}}",
        "multicast",
        *after,
    ]
    return ",".join(p for p in passes if p)


@lru_cache
def made(pipeline: str, text: str = PLAIN) -> str:
    """
    What passes make of a kernel, without a proof.

    The verifier does not decide consumers that take turns at tiles of any shape.
    """
    module = parse(text)
    run(module, pipeline)
    return printed(module)


TRIPS = [0, 1, STAGES - 1, STAGES, STAGES + 1]


@pytest.mark.parametrize(
    ("cluster", "mode", "level", "trips"),
    pairwise(CLUSTERS, ["cooperative", "late"], LEVELS, TRIPS),
)
def test_trip_counts(level: str, cluster: str, mode: str, trips: int):
    """Rings that are not filled, that are filled, that wrap; a tile for each block."""
    text = scheduled(PLAIN, road(cluster, mode))
    check(text, level, (ODD[0], ODD[1], 16 * trips))


@pytest.mark.parametrize(
    ("cluster", "at", "trips"), pairwise(CLUSTERS, MODES_AT, TRIPS), ids=str
)
def test_trip_counts_over_tiles(at: tuple[str, str], cluster: str, trips: int):
    """Orders run on from tile to tile, and stores beside the next tile."""
    level, mode = at
    text = made(road(cluster, mode, FEW, OVERLAP))
    check(text, level, (ODD[0], ODD[1], 16 * trips))


@pytest.mark.parametrize(
    ("cluster", "at", "shape"),
    pairwise(CLUSTERS, MODES_AT, [ODD, (64, 8, 24), (256, 64, 32), (520, 200, 24)]),
    ids=str,
)
def test_tiles(at: tuple[str, str], cluster: str, shape: Shape):
    """Clusters without a tile, with one, with many; whole and partial ones."""
    level, mode = at
    check(made(road(cluster, mode, PERSISTENT)), level, shape)


@pytest.mark.parametrize(
    ("cluster", "mode", "policy"),
    pairwise(
        *(CLUSTERS, ["late", "late-pingpong"]),
        ["late", "early", "random:1", "random:2"],
    ),
)
def test_schedules(cluster: str, mode: str, policy: str):
    """Whatever order blocks and roles come in, and whenever copies land."""
    text = made(road(cluster, mode, FEW, OVERLAP))
    for level in LEVELS:
        check(text, level, (300, 72, 72), policy=policy)


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("mode", MODES)
def test_ptx(cluster: str, mode: str):
    check(made(road(cluster, mode, FEW, OVERLAP)), "ptx", ODD)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cluster", ["4x1", "1x4", "2x4", "1x8"])
def test_larger_clusters(level: str, cluster: str):
    check(scheduled(PLAIN, road(cluster, "late")), level, ODD)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_clusters_that_share_nothing(level: str, cluster: str):
    """Without --multicast each block loads for itself."""
    pipeline = road(cluster, "late", PERSISTENT).replace(",multicast", "")
    check(scheduled(PLAIN, pipeline), level, ODD)


@pytest.mark.parametrize(
    ("cluster", "overlap", "level"),
    pairwise(CLUSTERS, [(), (OVERLAP,)], LEVELS),
    ids=str,
)
def test_rows_that_tma_cannot_store(level: str, cluster: str, overlap: tuple[str, ...]):
    """The threads store them, and nothing of the tiles beyond the end."""
    any_columns = rewritten(PLAIN, ("N multiple_of 8", "N"))
    text = scheduled(any_columns, road(cluster, "late", "", *overlap))
    check(text, level, (300, 69, 40))


_LOOP = PLAIN[
    PLAIN.index("    %acc = croq.foreach") : PLAIN.index("    croq.mma.store")
]

TWICE = rewritten(
    PLAIN,
    (
        "    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {",
        _LOOP.replace("%acc", "%once").replace("_s", "_t")
        + "    %acc = croq.foreach %k in %k_tiles iter(%c = %once) {",
    ),
    (
        "    %o_s =",
        """    %a_t = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    %b_t = croq.alloc : !croq.tile<[BN]x[BK]xf16, shared>
    %o_s =""",
    ),
)
"""The product is added twice, by loops with rings of their own."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_two_rings(level: str, cluster: str):
    text = made(road(cluster, "late", FEW), TWICE)
    assert text.count(" after ") == 2
    check(text, level, ODD, product=lambda lhs, rhs: 2 * product_of(lhs, rhs))


@pytest.mark.parametrize(
    ("cluster", "mode", "overlap"),
    pairwise(CLUSTERS, ["cooperative", "late"], [(), (OVERLAP,)]),
    ids=str,
)
def test_proved(cluster: str, mode: str, overlap: tuple[str, ...]):
    """Whatever the extents."""
    scheduled(PLAIN, road(cluster, mode, PERSISTENT, *overlap))


@pytest.mark.parametrize("mode", ["pingpong", "late-pingpong"])
@pytest.mark.parametrize("cluster", ["2x1", "1x2"])
def test_turns_of_a_known_shape_are_proved(cluster: str, mode: str):
    """Along N the tile of a turn is the remainder of a sum."""
    dims = "bind-dims{M=300 N=72 K=72}"
    scheduled(PLAIN, road(cluster, mode, FEW, OVERLAP, dims=dims))


_OTHERS = r"\n.* %empty_1 (=|at) .*"
"""What is done for the blocks along the second index."""

WRONG = {
    "own-slots-only": ("2x1", {r"(%empty at .*) multicast.*": r"\1"}, "race"),
    "own-credits-only": ("2x1", {r"(%empty at %s) multicast.*": r"\1"}, "deadlock"),
    "to-all": (
        "2x2",
        {_OTHERS: "", r"(%empty at .*) multicast .*": r"\1 multicast [0, 1]"},
        "ambiguous arrival",
    ),
    "along-one-only": ("2x2", {_OTHERS: ""}, "race"),
    "leaves-early": ("2x1", {r"croq.barrier cluster": ""}, "exit"),
}
"""A cluster, what is changed in its kernel, and what the simulator says of it."""


@pytest.mark.parametrize("change", WRONG)
def test_everything_is_needed(change: str):
    """Releases to too few blocks and too many, a block that does not stay."""
    cluster, changes, said = WRONG[change]
    text = made(road(cluster, "cooperative"))
    for pattern, new in changes.items():
        text, count = re.subn(pattern, new, text)
        assert count
    with pytest.raises((SimulationError, CompileError), match=said):
        check(text, "croq", (256, 64, 96))
    with pytest.raises(CompileError):
        scheduled(text, "fold-arith")


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("cluster", "options"),
    [
        ("2x1", "stages=4 in_flight=1"),
        ("2x2", "stages=4 in_flight=1"),
        ("2x1", "stages=3 mode=pingpong in_flight=1"),
    ],
)
def test_assembled(cluster: str, options: str):
    """Nothing spills, and no product waits for another."""
    columns = "BN=128" if "pingpong" in options else "BN=256"
    module = parse(PLAIN)
    run(
        module,
        f"bind-params{{{columns}}},make-clusters{{{cluster=!s}}},persist,"
        f"warp-specialize{{{options}}},multicast,overlap-epilogue",
    )
    found = assemble(lower(printed(module)), "sm_90a")
    assert found.spill_bytes == 0
    assert found.warnings == ()
    assert found.registers == 168
