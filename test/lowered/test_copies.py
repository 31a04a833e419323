"""Copies, lowered and executed: every element arrives, and no other is touched."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from lowered.copy_machine import Array, CopyMachine
from lowered.machine import block_of, lower

PASSES = "lower-futures,lower-events,lower-dma"
SHARED_BYTES = 1 << 18
BYTES = {"i8": 1, "f16": 2, "f32": 4, "i64": 8}


def launch(text: str, arrays: dict[str, Array], dims: dict[str, int], threads: int):
    """Run a kernel of two parallel indices; the machine, and memory as it was."""
    block = block_of(lower(text, PASSES))
    parallel = block.parent_op()
    assert isinstance(parallel, croq.ParallelOp)
    rng = np.random.default_rng(7)
    memory = rng.integers(0, 256, SHARED_BYTES + (1 << 17), dtype=np.uint8)
    machine = CopyMachine(arrays, dims, threads, memory)
    before = memory.copy()
    grid = [machine_extent(extent, dims) for extent in parallel.extent_values]
    for at in product(*map(range, grid)):
        machine.top = 0
        machine.run(block, dict(zip(block.args, at, strict=True)))
        assert machine.waiting == 0
    return machine, before


def machine_extent(extent: SSAValue | int | str, dims: dict[str, int]) -> int:
    assert not isinstance(extent, SSAValue)
    return dims[extent] if isinstance(extent, str) else extent


COPY = """
croq.kernel @copy dims(M, N) (
    %src: !croq.tile<[M]x[N]x{element}, global>,
    %dst: !croq.tile<[M]x[N]x{element}, global>) {{
  croq.parallel (%i, %j) in (2, 2) : block threads {threads} {{
    %ring = croq.alloc : !croq.tile<2x{rows}x{cols}x{element}, shared, {layout}>
    %stage = croq.slot %ring at %j + 1
    %from = croq.subspan %src [{rows}, {cols}] tile (%i, %j)
    %to = croq.subspan %dst [{rows}, {cols}] tile (%i, %j)
    croq.copy %from => %stage engine({engine})
    croq.copy %stage => %to engine({engine})
  }}
}}"""


def check_copy(
    element: str,
    layout: str,
    tile: tuple[int, int],
    extents: tuple[int, int],
    *,
    engine: str,
    threads: int = 32,
    pitch: tuple[int, int] = (0, 0),
    shift: int = 0,
) -> CopyMachine:
    size = BYTES[element]
    rows, cols = extents
    src = Array(SHARED_BYTES + shift, extents, (cols + pitch[0], 1))
    dst = Array(SHARED_BYTES + (1 << 16) + shift, extents, (cols + pitch[1], 1))
    text = COPY.format(
        element=element,
        layout=layout,
        rows=tile[0],
        cols=tile[1],
        engine=engine,
        threads=threads,
    )
    machine, before = launch(
        text, {"src": src, "dst": dst}, {"M": rows, "N": cols}, threads
    )
    expected = before.copy()
    covered = Array(
        dst.base, (min(rows, 2 * tile[0]), min(cols, 2 * tile[1])), dst.strides
    )
    for i, j in np.ndindex(covered.extents):
        here = size * (i * dst.strides[0] + j) + dst.base
        there = size * (i * src.strides[0] + j) + src.base
        expected[here : here + size] = before[there : there + size]
    np.testing.assert_array_equal(
        machine.memory[SHARED_BYTES:], expected[SHARED_BYTES:]
    )
    return machine


@settings(deadline=None, max_examples=10)
@given(st.data())
def test_threads_copy_every_element(data: st.DataObject):
    element = data.draw(st.sampled_from(["f16", "f32", "i8", "i64"]))
    size = BYTES[element]
    swizzles = {128: "swizzle<128>", 64: "swizzle<64>", 16: "swizzle<none>"}
    width = data.draw(st.sampled_from([0, 128, 64, 16]))
    unit = width // size if width else data.draw(st.sampled_from([1, 2, 3, 8]))
    tile = (8, unit * data.draw(st.integers(1, 2)))
    check_copy(
        element,
        swizzles.get(width, "row_major"),
        tile,
        (
            data.draw(st.integers(1, 2 * tile[0] + 1)),
            data.draw(st.integers(1, 2 * tile[1] + 1)),
        ),
        engine="threads",
        threads=data.draw(st.sampled_from([32, 96])),
        pitch=(data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))),
        shift=size * data.draw(st.integers(0, 4)),
    )


@pytest.mark.parametrize(
    ("element", "layout", "tile", "pitch", "shift", "wide"),
    [
        ("f16", "swizzle<128>", (8, 64), 0, 0, True),
        ("f16", "row_major", (8, 24), 8, 32, True),
        ("f16", "row_major", (8, 24), 4, 0, False),
        ("f16", "row_major", (8, 24), 8, 8, False),
        ("f16", "row_major", (8, 4), 4, 8, True),
        ("f16", "row_major", (8, 3), 8, 0, False),
    ],
)
def test_vectors_where_the_argument_is_aligned(
    element: str,
    layout: str,
    tile: tuple[int, int],
    pitch: int,
    shift: int,
    wide: bool,
):
    machine = check_copy(
        element,
        layout,
        tile,
        (2 * tile[0], 2 * tile[1]),
        engine="threads",
        pitch=(pitch, pitch),
        shift=shift,
    )
    assert (machine.wide > 0) == wide


@pytest.mark.parametrize(
    ("element", "layout", "tile"),
    [
        ("f16", "swizzle<128>", (16, 128)),
        ("f16", "swizzle<64>", (16, 64)),
        ("f32", "swizzle<32>", (8, 8)),
        ("f32", "swizzle<none>", (24, 12)),
        ("f16", "row_major", (8, 40)),
        ("i8", "swizzle<128>", (264, 128)),
    ],
)
@pytest.mark.parametrize("short", [(0, 0), (3, 5)])
def test_tma_moves_every_element(
    element: str, layout: str, tile: tuple[int, int], short: tuple[int, int]
):
    rows = 17 if tile[0] > 200 else 2 * tile[0]
    extents = (rows - short[0], 2 * tile[1] - short[1])
    check_copy(element, layout, tile, extents, engine="tma", pitch=(16, 32))


VIEWS = """
croq.kernel @views dims(M, N) (%src: !croq.tile<2x[M]x[N]xf16, global>) {{
  croq.parallel (%i, %j) in (3, 2) : block threads 32 {{
    %buffer = croq.alloc : !croq.tile<24x40xf16, shared, row_major>
    {views}
    %part = croq.view %buffer [{rows}, {cols}] from ({at})
    croq.copy %{last} => %part engine(threads)
    %copy = croq.alloc : !croq.tile<{rows}x{cols}xf16, shared, row_major>
    croq.copy %part => %copy engine(threads)
  }}
}}"""

CHAINS = {
    "overhang of a window": (
        ["croq.slot %src at %j + 3", "croq.view %v0 [11, 13] from (%i, 3)"],
        "croq.subspan %v1 [8, 8] tile (1, %j)",
        (8, 8),
    ),
    "a window in a tile": (
        ["croq.slot %src[1]", "croq.subspan %v0 [16, 24] tile (%i, 0)"],
        "croq.view %v1 [8, 16] from (%j, 8)",
        (8, 16),
    ),
    "chunks of a symbolic dim": (
        ["croq.slot %src[1]", "croq.chunkat %v0 [3, _] at (%i, _)"],
        "croq.subspan %v1 [4, 24] tile (1, %j)",
        (4, 24),
    ),
    "chunks of a window": (
        ["croq.slot %src[0]", "croq.view %v0 [12, 20] from (2, %i)"],
        "croq.chunkat %v1 [2, 2] at (%j, 1)",
        (6, 10),
    ),
    "tiles that divide": (
        ["croq.slot %src[0]", "croq.subspan %v0 [16, 16] tile (%i, 1)"],
        "croq.subspan %v1 [8, 8] tile (%j, 1)",
        (8, 8),
    ),
}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("extents", [(18, 31), (24, 48), (5, 9)])
@pytest.mark.parametrize("at", ["0, 0", "3, 8", "1, 5"])
def test_chains_of_views(name: str, extents: tuple[int, int], at: str):
    chain, last, tile = CHAINS[name]
    views = [*chain, last]
    text = VIEWS.format(
        views="\n    ".join(f"%v{i} = {view}" for i, view in enumerate(views)),
        last=f"v{len(views) - 1}",
        rows=tile[0],
        cols=tile[1],
        at=at,
    )
    rows, cols = extents
    src = Array(SHARED_BYTES, (2, rows, cols), (rows * (cols + 1), cols + 1, 1))
    machine, before = launch(text, {"src": src}, {"M": rows, "N": cols}, threads=32)
    np.testing.assert_array_equal(machine.memory[SHARED_BYTES:], before[SHARED_BYTES:])
    tiles = {view.name_hint: view for view in machine.views}
    for i, j in np.ndindex(tile):
        place, _ = machine.locate(tiles["copy"], [i, j], 0)
        source, exists = machine.locate(tiles[f"v{len(views) - 1}"], [i, j], 0)
        expected = before[source : source + 2] if exists else np.zeros(2, "u1")
        assert (machine.memory[place : place + 2] == expected).all(), (i, j)
