"""Tiles of views of arguments are clipped where the view ends, at every level."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import lower, parse, printed, run

LEVELS = ["croq", "nvvm", "ptx"]
ROWS, COLS = 384, 128
"""Of the view, the upper half of the destination: three tiles by two."""

KERNEL = """
croq.kernel @upper_half (
    %src: !croq.tile<512x128xf16, global>, %dst: !croq.tile<768x128xf16, global>) {{
  croq.parallel (%m, %n) in ({blocks}, 2) : block threads 128 {{
    %one = arith.constant 1 : index
    %at = {at} : index
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %from = croq.subspan %src [128, 64] tile (%m, %n)
    croq.copy %from => %t engine({load})
    %top = croq.chunkat %dst [2, _] at (0, _)
    %to = croq.subspan %top [128, 64] tile ({tile}, %n)
    croq.copy %t => %to engine({store})
  }}
}}
"""


def kernel(
    *,
    blocks: int = 3,
    at: str = "arith.muli %m, %one",
    tile: str = "%m",
    load: str = "auto",
    store: str = "auto",
) -> str:
    return KERNEL.format(blocks=blocks, at=at, tile=tile, load=load, store=store)


def clustered(text: str, cluster: str = "2x1") -> str:
    module = parse(text)
    run(module, f"make-clusters{{{cluster=!s}}}")
    return printed(module)


def check(text: str, level: str, first_row: int = 0) -> None:
    """The rows of the source are in the view from a row on; nothing else changes."""
    rng = np.random.default_rng(11)
    source = rng.standard_normal((512, COLS)).astype(np.float16)
    before = rng.standard_normal((2 * ROWS, COLS)).astype(np.float16)
    expected: NDArray[np.float16] = before.copy()
    expected[first_row:ROWS] = source[: ROWS - first_row]
    found = before.copy()
    report = simulate(text, source, found, level=level)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("store", ["auto", "threads"])
def test_last_cluster_reaches_beyond_a_view(level: str, store: str):
    """The second block of the second cluster has a tile of the other half."""
    check(clustered(kernel(store=store)), level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("store", ["auto", "threads"])
def test_index_reaches_beyond_a_view(level: str, store: str):
    text = kernel(at="arith.addi %m, %one", tile="%at", store=store)
    check(text, level, first_row=128)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cluster", ["3x1", "1x2"])
def test_whole_clusters(level: str, cluster: str):
    text = clustered(kernel(store="tma"), cluster)
    check(text, level)


@pytest.mark.parametrize(
    "text",
    [
        clustered(kernel(store="tma")),
        kernel(at="arith.addi %m, %one", tile="%at", store="tma"),
    ],
    ids=["cluster", "index"],
)
def test_tma_is_refused_where_a_tile_may_reach_beyond(text: str):
    with pytest.raises(CompileError, match=r"index 3 of 384 elements"):
        lower(text)


def test_tiles_known_to_be_inside_are_stored_by_tma():
    """As before, and with no test of where they end."""
    assert "cp.async.bulk.tensor.2d.global.shared" in lower(kernel())
    inside = lower(kernel(store="threads"))
    assert inside.count("setp.lt.u32") < lower(
        kernel(at="arith.addi %m, %one", tile="%at", store="threads")
    ).count("setp.lt.u32")


@pytest.mark.parametrize("level", LEVELS)
def test_whole_dim_of_a_view_is_clipped_by_the_tensor_map(level: str):
    """Columns of the view end where those of the argument do, whatever the index."""
    text = kernel(at="arith.muli %n, %n", store="tma").replace(
        "tile (%m, %n)\n    croq.copy %t", "tile (%m, %at)\n    croq.copy %t"
    )
    assert "(%m, %at)" in text
    check(text, level)


@pytest.mark.parametrize("order", ["first", "last", "grouped group=3"])
def test_persistent_blocks(order: str):
    """The index is a part of the number of a tile, and known to be inside the view."""
    module = parse(kernel(store="tma"))
    run(module, f"persist{{blocks=2 order={order}}}")
    for level in LEVELS:
        check(printed(module), level)
