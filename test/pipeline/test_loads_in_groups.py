"""Loops that load ahead in groups, for targets without TMA and with."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from support.covering import in_turn, pairwise

from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text
from pipeline.lowering import instructions, parse, passes, printed, run
from pipeline.warp_products import Product

LEVELS = ["croq", "insert-barriers", "nvvm", "ptx"]
STAGES = 3
SMALL = Product(rows=32, cols=32, depth=16, threads=64)


@cache
def ahead(product: Product, road: str = "pipeline-loop{stages=3}") -> str:
    """The kernel after scheduling passes, which the verifier has proved."""
    module = parse(product.text, product.target)
    run(module, f"{road},infer-layouts,select-engines")
    (verdict,) = verdicts(module)
    assert isinstance(verdict, Proved), verdict
    return printed(module)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trips", [0, 1, STAGES - 1, STAGES, STAGES + 1, 7])
def test_trip_counts(level: str, trips: int):
    """Rings that are not filled, that are filled, that wrap; a last step in part."""
    text = ahead(SMALL)
    SMALL.check((35, 33, 16 * trips), level=level, text=text)
    SMALL.check((32, 30, max(16 * trips - 5, 0)), level=level, text=text)


@pytest.mark.parametrize(
    ("ring", "level", "trips"),
    pairwise([(2, 0), (3, 1), (4, 0), (8, 0)], ["croq", "nvvm"], [0, 1, 4, 9]),
    ids=str,
)
def test_stages(level: str, ring: tuple[int, int], trips: int):
    stages, in_flight = ring
    text = ahead(SMALL, f"pipeline-loop{{stages={stages} in_flight={in_flight}}}")
    SMALL.check((40, 31, 16 * trips), level=level, text=text)


@pytest.mark.parametrize(
    ("order", "level", "depth"),
    pairwise(["first", "grouped"], ["insert-barriers", "nvvm", "ptx"], [0, 16, 40, 80]),
)
def test_several_tiles_of_a_block(level: str, order: str, depth: int):
    """Groups are counted on from tile to tile; the last ones of a tile are empty."""
    road = f"persist{{blocks=2 order={order}}},pipeline-loop{{stages=3}}"
    text = ahead(SMALL, road)
    SMALL.check((100, 70, depth), level=level, text=text)


ROADS = {
    "events": "pipeline-loop{stages=3 loads=events}",
    "roles": "warp-specialize{stages=3 consumers=1}",
    "persistent roles": "persist{blocks=3},warp-specialize{stages=3 consumers=1}",
}


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm", "ptx"])
@pytest.mark.parametrize("road", ROADS)
def test_loads_on_mbarriers(level: str, road: str):
    """The other schedules, on a target whose mbarriers count arrivals only."""
    product = Product(rows=64, cols=32, depth=16, threads=128)
    text = ahead(product, ROADS[road])
    for depth in (0, 16, 48, 77):
        product.check((70, 40, depth), level=level, text=text)


@pytest.mark.parametrize("policy", ["late", "early", "random:1", "random:2"])
def test_orders_of_warps(policy: str):
    SMALL.check((70, 33, 115), policy=policy, text=ahead(SMALL))


TYPES = [
    Product(rows=32, cols=32, threads=64, operand="bf16", out="f32"),
    Product(rows=32, cols=32, threads=64, operand="f32", out="f32", depth=16),
    Product(
        rows=32, cols=32, threads=64, operand="i8", acc="i32", out="i32", start="0"
    ),
    Product(rows=32, cols=32, threads=64, form="col.col"),
]


@pytest.mark.parametrize("product", TYPES, ids=lambda p: f"{p.operand}-{p.form}")
@pytest.mark.parametrize("shape", [(64, 64, 96), (33, 35, 67), (40, 36, 100)], ids=str)
def test_types_and_pitches(product: Product, shape: tuple[int, int, int]):
    """Rows that allow 16 bytes at a time, 8 or 4, or single elements."""
    product.check(shape, text=ahead(product))


def test_on_a_target_with_tma():
    """Groups are for any target; wgmma reads what the threads have fenced."""
    product = Product(rows=64, cols=32, depth=32, threads=128, target="sm_90a")
    text = ahead(product, "pipeline-loop{stages=3 loads=groups}")
    assert "engine(cp_async)" in text
    for depth in (0, 32, 150):
        product.check((70, 33, depth), text=text)


def test_one_barrier_an_iteration():
    """One after the loop and one for the results; an iteration closes one group."""
    module = parse(ahead(SMALL), SMALL.target)
    run(module, ",".join(passes()))
    counts = instructions(ptx_text(module))
    assert counts["bar.sync"] == 3
    assert counts["cp.async.commit_group"] == 2
    assert counts["cp.async.wait_group"] == 2
    assert not any("mbarrier" in name for name in counts)


BENCHMARKED = [
    (128, 128, 32, 128, 4),
    (128, 128, 64, 128, 3),
    (128, 256, 32, 256, 3),
    (128, 256, 32, 256, 4),
    (256, 128, 32, 256, 3),
]


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("kernel", "target"),
    in_turn(BENCHMARKED[:3], ["sm_80", "sm_86", "sm_89"], each=1),
    ids=str,
)
def test_no_spills(kernel: tuple[int, int, int, int, int], target: str):
    """Each kernel on a target, in turn."""
    rows, cols, depth, threads, stages = kernel
    product = Product(rows=rows, cols=cols, depth=depth, threads=threads, target=target)
    if target != "sm_80":
        # Their blocks have 99 KiB of shared memory.
        product = replace(product, rows=rows // 2)
    module = parse(product.text, target)
    run(module, ",".join((f"pipeline-loop{{stages={stages}}}", *passes())))
    result = assemble(ptx_text(module), target)
    assert result.spill_bytes == 0
    assert result.warnings == ()
