"""What of `benchmarks/ladder.py` needs no device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import ladder
import pytest
from gemm_bench.cases import Case
from gemm_bench.ladder_results import Ladder, read_ladder, write_ladder
from gemm_bench.ladder_tables import BEGIN, EMPTY, END, placed, tables
from gemm_bench.partial_lowering import compile_without
from gemm_bench.profiler import (
    CYCLES,
    L2_SECTORS,
    TENSOR,
)
from gemm_bench.records import Outcome, Record, Results, Store
from gemm_bench.rungs import (
    SHAPES,
    Facts,
    KLoops,
    Rung,
    even_cycles,
    facts_of,
    k_loops,
    rungs,
    whole_tile_cycles,
)
from gemm_bench.schedules import PLAIN, compile_schedule, parse_schedule, scheduled_ir
from gemm_bench.session import decode, encode
from gemm_bench.shapes import Shape
from gemm_bench.tables import TORCH

from croqtile_mlir.ptx_tools import assemble, find_ptxas

ROOT = Path(__file__).resolve().parents[2]
ROAD = ROOT / "docs" / "performance.md"
RESULTS = ROOT / "benchmarks" / "results" / "ladder-h200.json"
CUBE, FLAT = SHAPES


# Rungs


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_rung_is_scheduled(shape: Shape):
    names = [each.name for each in rungs(shape)]
    assert len(set(names)) == len(names)
    texts = [scheduled_ir(each.schedule, shape) for each in rungs(shape)]
    # Rungs that leave a pass of the lowering out are scheduled as one before.
    kept = [
        text
        for each, text in zip(rungs(shape), texts, strict=True)
        if not each.schedule.without
    ]
    assert len(set(kept)) >= len(kept) - 1


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize("rung", rungs(FLAT), ids=lambda each: each.name)
def test_every_rung_is_assembled(rung: Rung):
    kernel = compile_schedule(rung.schedule, FLAT)
    made = assemble(kernel.ptx, kernel.plan.target)
    assert made.spill_bytes == 0
    assert made.warnings == ()
    facts = facts_of(rung, FLAT, kernel, "")
    assert facts.products is not None
    assert (facts.loads is None) == (rung.name in ("plain", "one role"))
    assert facts.threads == (256 if facts.loads is None else 384)


def test_a_pass_that_is_left_out():
    schedule = "bind-params{BM=64 BN=32 BK=16},warp-specialize{consumers=1}"
    whole = compile_schedule(parse_schedule(schedule)).ptx
    part = compile_without(PLAIN, schedule, ("unswitch-loops",)).ptx
    before, after = k_loops(part), k_loops(whole)
    assert before.products == after.products
    assert before.loads is not None
    assert after.loads is not None
    assert after.loads == before.loads - 1, "the branch left the loop"
    with pytest.raises(ValueError, match="has no pass 'unswitch'"):
        compile_without(PLAIN, schedule, ("unswitch",))


def test_what_is_left_out_reaches_a_worker(tmp_path: Path):
    case = Case(CUBE, 0, ("graph",), tuple(each.schedule for each in rungs(CUBE)))
    assert any(each.without for each in case.schedules)
    assert decode(encode([case], tmp_path, True)) == ([case], tmp_path, True)


# Cycles and instructions


@pytest.mark.parametrize(
    ("shape", "tile", "cluster", "waves"),
    [
        (CUBE, (128, 256), (1, 1), 4),
        (CUBE, (128, 192), (1, 1), 6),
        (FLAT, (128, 256), (1, 1), 16),
        (FLAT, (128, 192), (2, 1), 21),
        (Shape(128 * 133, 256, 64), (128, 256), (1, 1), 2),
        (Shape(128 * 131 + 1, 256, 64), (128, 256), (1, 1), 1),
        # 67 pairs of tiles, of which 66 run at a time.
        (Shape(128 * 133, 256, 64), (128, 256), (2, 1), 2),
        (Shape(128 * 131, 256, 64), (128, 256), (2, 1), 1),
    ],
)
def test_whole_tiles(
    shape: Shape, tile: tuple[int, int], cluster: tuple[int, int], waves: int
):
    cycles = tile[0] * tile[1] * shape.k // 2048
    assert whole_tile_cycles(shape, tile, cluster) == waves * cycles


def test_parts_of_stages_count_whole():
    shapes = [Shape(128, 256, k) for k in (1, 64, 65)]
    counts = [whole_tile_cycles(shape, (128, 256)) for shape in shapes]
    assert counts == [1024, 1024, 2048]


def test_an_even_division():
    assert even_cycles(CUBE) == even_cycles(FLAT) == 254201


LOOPS = """
.visible .entry k(
	.param .u64 a
)
{
	mov.b32 %r0, 0;
$L_loop_1:
	mov.b32 %r1, 0;
$L_while_1:
	mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;
	@!%p1 bra $L_while_1;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier [%r1], [%rd1, {%r2, %r3}];
	@%p9 bra $L_loop_1;
	bra $L_end;
$L_tiles:
	add.s32 %r4, %r4, 1;
$L_loop_2:
$L_while_2:
	@!%p1 bra $L_while_2;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0}, %rd9, %rd7, 1, 1, 1, 0, 0;
	@%p3 bra $L_loop_2;
	cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd5, {%r1, %r2}], [%r1];
	@%p4 bra $L_tiles;
$L_loop_3:
	add.s32 %r4, %r4, 1;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0}, %rd9, %rd7, 1, 1, 1, 0, 0;
	add.s32 %r4, %r4, 1;
	@%p3 bra $L_loop_3;
$L_end:
	ret;
}
"""


def test_instructions_of_the_loops_over_k():
    assert k_loops(LOOPS) == KLoops(products=4, loads=5)


def test_products_and_loads_in_one_loop():
    one = LOOPS.replace(
        "$L_loop_3:\n",
        "$L_loop_3:\n\tcp.async.bulk.tensor.2d.shared::cluster.global;\n",
    )
    assert k_loops(one) == KLoops(products=5, loads=None)
    assert k_loops("ret;") == KLoops(None, None)


# Results and tables


FACTS = (
    Facts("plain", "as it is", "", (), 262144, 114704, 256, 34, None),
    Facts("roles", "two roles", "warp-specialize", (), 262144, 213056, 384, 45, 28),
    Facts(
        "gone", "refused", "x", ("unswitch-loops",), 262144, refusal="error: no\nhint"
    ),
)


def record(measure: str, times: dict[str, float]) -> Record:
    outcomes = {
        name: Outcome(name, (us, us + 1, us - 1), 2e-4, True, {}, {"registers": 168.0})
        for name, us in times.items()
    }
    return Record(CUBE, 0, measure, "2026-11-30", 0, outcomes, {})


LADDER = Ladder(
    Results(
        ({"device": "H200", "driver": "580", "numpy": "2"},),
        (
            record("graph", {"ours:plain": 400.0, "ours:roles": 250.0, TORCH: 200.0}),
            record("do_bench", {"ours:plain": 410.0, TORCH: 205.0}),
        ),
    ),
    {CUBE: FACTS},
    {CUBE: {"plain": {CYCLES: 462144, TENSOR: 55.5, L2_SECTORS: 1e6}}},
)


def test_results_come_back(tmp_path: Path):
    path = tmp_path / "ladder.json"
    assert read_ladder(path) == Ladder()
    write_ladder(path, LADDER)
    assert read_ladder(path) == LADDER


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_tables():
    text = tables(LADDER)
    found = rows(text)
    assert found[2] == (
        "1;plain: as it is;400.0;344;0.500;410.0;335;0.500;168;112;34".split(";")
    )
    assert found[3][2:] == "250.0;550;0.800;-;-;-;168;208;45 + 28".split(";")
    assert found[4][2:] == ["-"] * 9
    assert found[5][1:8] == f"{TORCH};200.0;687;1.000;205.0;670;1.000".split(";")
    assert found[8] == "1;plain;262.1;462.1;200.0;55.5%;32;-;-".split(";")
    assert found[9] == "2;roles;262.1;-;-;-;-;-;-".split(";")
    assert "device H200, driver 580." in text
    assert "254.2 thousand cycles" in text
    assert "- 4096x4096x4096, gone: error: no hint" in text
    plain = rows(tables(replace(LADDER, profiles={})))
    assert plain[6] == ["", "step", "whole tiles, kcycles"]


def test_times_do_not_lose_what_else_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "ladder.json"
    write_ladder(path, replace(LADDER, results=Results(), facts={}))

    def alone(cases: Sequence[object], out: Path, quick: bool) -> bool:
        assert quick
        assert len(cases) == 1
        Store(out).add(LADDER.results.records[0])
        return True

    def compiled(shapes: Sequence[Shape]) -> dict[Shape, tuple[Facts, ...]]:
        return dict.fromkeys(shapes, FACTS)

    monkeypatch.setattr(ladder, "alone", alone)
    monkeypatch.setattr(ladder, "compiled", compiled)
    options = ladder.arguments().parse_args(["--out", str(path), "--quick"])
    assert ladder.time_rungs(options, [CUBE])
    found = read_ladder(path)
    assert found.results.records == LADDER.results.records[:1]
    assert found.facts == LADDER.facts
    assert found.profiles == LADDER.profiles


def test_files_that_are_missing_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert ladder.main(["--table", str(tmp_path / "none.json")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert ladder.main(["--shapes", "4096"]) == 2
    assert "a shape is MxNxK" in capsys.readouterr().err


# The documentation


def test_tables_are_put_between_the_markers(tmp_path: Path):
    document, results = tmp_path / "doc.md", tmp_path / "ladder.json"
    document.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n")
    write_ladder(results, LADDER)
    for _ in range(2):
        assert ladder.main(["--table", str(results), "--doc", str(document)]) == 0
        text = document.read_text()
        assert text == f"before\n\n{BEGIN}\n\n{tables(LADDER)}\n{END}\n\nafter\n"
    for wrong in ("none", END + BEGIN, BEGIN, BEGIN + END + END):
        with pytest.raises(ValueError, match="once, in order"):
            placed(wrong, "text")


def test_the_documented_tables_are_those_of_the_results():
    text = ROAD.read_text(encoding="utf-8")
    expected = tables(read_ladder(RESULTS)) if RESULTS.exists() else f"{EMPTY}\n"
    assert placed(text, expected) == text
