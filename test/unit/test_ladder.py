"""What of `benchmarks/ladder.py` needs no device, and the road in the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import ladder
import pytest
from gemm_bench.cases import Case
from gemm_bench.ladder_results import Ladder, read_ladder, write_ladder
from gemm_bench.ladder_tables import BEGIN, EMPTY, END, placed, tables
from gemm_bench.partial_lowering import compile_without
from gemm_bench.profiler import (
    CYCLES,
    DRAM_BYTES,
    L2_SECTORS,
    METRICS,
    TENSOR,
    Launched,
    by_rung,
    entry_name,
    parse_report,
    renamed,
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

from croqtile_mlir.compiler import ir_after, source_of
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


# Nsight Compute

REPORT = """\
==PROF== Connected to process 71 (/usr/bin/python3.12)
==PROF== Profiling "rung0_4096x4096x4096" - 0: 0%....50%....100% - 3 passes
==PROF== Disconnected from process 71
[71] python3.12@127.0.0.1
  rung0_4096x4096x4096 (32, 16, 1)x(256, 1, 1), Context 1, Stream 13, Device 0, CC 9.0
    Section: Command line profiler metrics
    ---------------------------------------------------------------- ----- -----------
    Metric Name                                                Metric Unit Metric Value
    ---------------------------------------------------------------- ----- -----------
    dram__bytes_read.sum                                              byte  134,217,728
    lts__t_sectors_op_read.sum                                      sector   12,345,678
    sm__cycles_elapsed.max                                           cycle      412,001
    sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active % 62.50
    smsp__inst_executed.sum                                           inst    5,000,000
    ---------------------------------------------------------------- ----- -----------

  rung1_4096x4096x4096, 2026-Nov-30 08:14:50, Context 1, Stream 13
    Section: Command line profiler metrics
    ---------------------------------------------------------------- ----- -----------
    dram__bytes_read.sum                                             Mbyte       134.22
    lts__t_sectors_op_read.sum                                             (!) n/a
    sm__cycles_elapsed.max                                           cycle      300,000
    ---------------------------------------------------------------- ----- -----------

  void cutlass::K<(int)3, float>(P<T2, T3>) (4, 1, 1)x(8, 1, 1), Context 1, Stream 7
    Section: Command line profiler metrics
    sm__cycles_elapsed.max                                           cycle      290,000

"""


def test_a_report_is_read():
    first, second, third = parse_report(REPORT)
    assert first.kernel == "rung0_4096x4096x4096"
    assert first.metrics == {
        DRAM_BYTES: 134217728,
        L2_SECTORS: 12345678,
        CYCLES: 412001,
        TENSOR: 62.5,
        "smsp__inst_executed.sum": 5e6,
    }
    assert set(first.metrics) == set(METRICS)
    assert second.kernel == "rung1_4096x4096x4096"
    assert second.metrics == {DRAM_BYTES: pytest.approx(134.22e6), CYCLES: 300000}
    assert third.kernel == "void cutlass::K<(int)3, float>(P<T2, T3>)"
    assert third.metrics == {CYCLES: 290000}
    assert parse_report("==ERROR== no permission\n") == []


def test_reports_by_rung():
    def ran(kernel: str, cycles: float) -> Launched:
        return Launched(kernel, {CYCLES: cycles})

    ours = [ran(entry_name(1, CUBE), each) for each in (5.0, 9.0, 6.0)]
    flat = [ran(entry_name(0, FLAT), 7.0)]
    theirs = [ran("nvjet", 4.0), ran("memset", 1.0), ran("nvjet", 2.0)]
    found = by_rung([ran("before", 1.0), *ours, *theirs, *flat, ran("nvjet", 8.0)])
    assert found == {
        CUBE: {"one role": {CYCLES: 6.0}, TORCH: {CYCLES: 3.0}},
        FLAT: {"plain": {CYCLES: 7.0}, TORCH: {CYCLES: 8.0}},
    }


def test_an_entry_is_renamed():
    kernel = compile_schedule(
        parse_schedule("bind-params{BM=64 BN=16 BK=16},warp-specialize{consumers=1}")
    )
    other = renamed(kernel, entry_name(3, CUBE))
    assert other.name == "rung3_4096x4096x4096"
    assert kernel.name == "matmul"
    assert other.ptx.count(".entry rung3_4096x4096x4096(") == 1
    assert ".entry matmul" not in other.ptx
    assert len(other.ptx.splitlines()) == len(kernel.ptx.splitlines())


# Results and tables


FACTS = (
    Facts("plain", "as it is", "", (), 262144, 114704, 256, 34, None),
    Facts("roles", "two roles", "warp-specialize", (), 262144, 213056, 384, 45, 28),
    Facts("gone", "refused", "x", ("sink-arith",), 262144, refusal="error: no\nhint"),
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


EXCERPT = re.compile(
    r"<!-- croq-opt: (?P<passes>[^;\n]*)(?:; (?P<after>[\w-]+))? -->\n"
    r"\s*```mlir\n(?P<text>.*?)```",
    re.DOTALL,
)


def excerpts() -> list[re.Match[str]]:
    return list(EXCERPT.finditer(ROAD.read_text(encoding="utf-8")))


@lru_cache
def printed(passes: str, after: str | None) -> str:
    """The plain kernel after scheduling passes, and the lowering as far as a pass."""
    if after is None:
        return scheduled_ir(parse_schedule(passes))
    return ir_after(source_of(PLAIN, schedule=passes), after)


def plain_lines(text: str) -> list[str]:
    """Lines without indentation and without the numbers of values."""
    stripped = (line.strip() for line in text.strip().splitlines())
    return [re.sub(r"%(\d+|[a-z]\w*?)(_\d+)?\b", _named, line) for line in stripped]


def _named(value: re.Match[str]) -> str:
    return "%number" if value[1].isdigit() else f"%{value[1]}"


def occurs(excerpt: str, text: str) -> bool:
    """Whether lines are there, one after the other but for `...`."""
    lines, at = plain_lines(text), 0
    for part in _parts(plain_lines(excerpt)):
        places = range(at, len(lines) - len(part) + 1)
        found = [i for i in places if lines[i : i + len(part)] == part]
        if not found:
            return False
        at = found[0] + len(part)
    return True


def _parts(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in [*lines, "..."]:
        if line != "...":
            part.append(line)
        elif part:
            yield part
            part = []


def test_excerpts_are_found_or_not():
    text = "a {\n  %1 = b %x_2\n  c\n  d\n}"
    assert occurs("%7 = b %x\nc", text)
    assert occurs("a {\n...\nd", text)
    assert not occurs("a {\nc", text)
    assert not occurs("d\n...\nc", text)
    assert not occurs("%7 = b %y", text)


def test_each_step_has_an_excerpt():
    made = [r for r in rungs(CUBE) if r.name != "chosen" and not r.schedule.without]
    scheduled = [each for each in excerpts() if each["after"] is None]
    assert len(scheduled) == len(made)
    text = ROAD.read_text(encoding="utf-8")
    assert text.count("```mlir") == len(excerpts())


@pytest.mark.parametrize("excerpt", excerpts(), ids=lambda each: each["passes"])
def test_excerpts_are_what_croq_opt_prints(excerpt: re.Match[str]):
    assert occurs(excerpt["text"], printed(excerpt["passes"], excerpt["after"]))
