"""What of `benchmarks/gemm.py` needs no device."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from gemm_bench.cases import Case, with_best_of_ours
from gemm_bench.compile_pool import compile_all
from gemm_bench.library import LIBRARY, chosen, for_shape, named
from gemm_bench.numbers import Spread, geometric_mean, over_runs
from gemm_bench.power import Sample, Sampler, figures
from gemm_bench.records import (
    Outcome,
    Record,
    Results,
    Store,
    read_results,
    write_results,
)
from gemm_bench.schedules import (
    NAMED,
    Schedule,
    compile_schedule,
    parse_schedule,
    read_schedules,
    scheduled_ir,
)
from gemm_bench.search import ranking, search_report
from gemm_bench.session import (
    Task,
    culprit_of,
    decode,
    encode,
    isolated,
    search_cases,
    wanted,
)
from gemm_bench.shapes import NINE, ROTATED_BYTES, SUSTAINED, Shape, parse_shapes
from gemm_bench.tables import (
    CONTENDERS,
    CUBLASLT,
    OURS,
    TORCH,
    TRITON,
    failure_lines,
    lines_of,
    means,
    summary,
    timing_table,
)
from gemm_bench.workers import Ending, supervise

from croqtile_mlir import CompileError
from croqtile_mlir.passes.running import parse_passes

ROOT = Path(__file__).resolve().parents[2]
SMALL = Shape(64, 128, 256)
BIG = Shape(4096, 4096, 4096)


def outcome(*rounds: float, choice: str = "one", correct: bool = True) -> Outcome:
    return Outcome(choice, rounds, 2e-4, correct)


def record(
    outcomes: Mapping[str, Outcome],
    shape: Shape = BIG,
    run: int = 0,
    measure: str = "graph",
    failures: Mapping[str, str] | None = None,
) -> Record:
    return Record(shape, run, measure, "2026-01-02", 0, outcomes, failures or {})


# Shapes and numbers


@pytest.mark.parametrize("text", ["64x128x256", "64,128,256", " 64x128x256 "])
def test_shapes_are_read(text: str):
    assert Shape.parse(text) == SMALL


def test_cubes_and_groups_are_read():
    assert parse_shapes(["4096^3", "large", "64x128x256"]) == (*SUSTAINED, SMALL)


@pytest.mark.parametrize("text", ["64x128", "64xax3", "0x1x1", "", "4096^2"])
def test_what_is_no_shape_is_refused(text: str):
    with pytest.raises(ValueError, match=r"shape is|positive"):
        Shape.parse(text)


@pytest.mark.parametrize("shape", NINE, ids=str)
def test_operands_rotate_over_more_than_the_cache(shape: Shape):
    assert shape.sets >= 2
    assert shape.sets * shape.bytes >= ROTATED_BYTES


def test_rates():
    assert SMALL.flops == 2 * 64 * 128 * 256
    assert SMALL.bytes == 2 * (64 * 256 + 128 * 256 + 64 * 128)
    assert BIG.teraflops(200.0) == pytest.approx(687.19, rel=1e-4)


def test_the_median_of_runs_is_not_that_of_all_rounds():
    spread = over_runs([[1.0, 1.0, 1.0, 1.0, 9.0], [5.0], [6.0]])
    assert spread == Spread(median=5.0, least=1.0, most=9.0)


def test_geometric_means():
    rng = np.random.default_rng(3)
    values = [float(each) for each in rng.uniform(0.5, 2, 9)]
    expected = float(np.prod(values)) ** (1 / 9)
    assert geometric_mean(values) == pytest.approx(expected)
    assert geometric_mean([]) is None


# Schedules


def test_a_schedule_has_its_name_and_passes():
    schedule = parse_schedule("fast: persist{order=first},overlap-epilogue")
    assert schedule.name == "fast"
    assert schedule.pipeline() == "persist{order=first},overlap-epilogue"


def test_flags_are_a_schedule():
    text = "f: --bind-params{BM=64 BN=128} --warp-specialize{stages=3} --persist"
    expected = "bind-params{BM=64 BN=128},warp-specialize{stages=3},persist"
    assert parse_schedule(text).pipeline() == expected


def test_an_unknown_flag_is_refused():
    with pytest.raises(ValueError, match="unknown pass '--persits'"):
        parse_schedule("--persits")


def test_extents_are_filled_in():
    schedule = parse_schedule("bind-dims{M=$M N=$N K=$K},persist")
    assert schedule.depends_on_shape
    assert schedule.pipeline(SMALL) == "bind-dims{M=64 N=128 K=256},persist"
    assert not NAMED[0].depends_on_shape


def test_params_come_first():
    schedule = Schedule("x", ("persist",), (("BM", 64), ("BN", 96)))
    assert schedule.pipeline() == "bind-params{BM=64 BN=96},persist"


def test_files_of_schedules():
    found = read_schedules(["# all", "", "a: persist", "  b: warp-specialize "])
    assert [each.name for each in found] == ["a", "b"]
    with pytest.raises(ValueError, match="two schedules have the name 'a'"):
        read_schedules(["a: persist", "a: warp-specialize"])


@pytest.mark.parametrize("schedule", NAMED, ids=lambda each: each.name)
def test_what_is_printed_of_a_schedule_is_read_back(schedule: Schedule):
    again = parse_schedule(str(schedule))
    assert again.name == schedule.name
    assert again.pipeline() == schedule.pipeline()
    assert len(parse_passes(schedule.pipeline())) == len(schedule.passes) + 1


def test_passes_make_the_scheduled_kernel():
    text = scheduled_ir(parse_schedule("bind-params{BM=128 BN=96},warp-specialize"))
    assert 'croq.role "producer"' in text
    assert "croq.event" in text
    assert "4x96x64xf16, shared" in text


def test_a_scheduled_kernel_for_one_shape():
    bound = "bind-dims{M=$M N=$N K=$K},bind-params{BM=64 BN=64}"
    schedule = parse_schedule(f"one: {bound},warp-specialize{{consumers=1}}")
    kernel = compile_schedule(schedule, SMALL)
    assert kernel.plan.grid_extents({}) == (1, 2, 1)
    assert "wgmma.mma_async" in kernel.ptx


def test_refusals_of_schedules_are_compile_errors():
    with pytest.raises(CompileError, match="unknown pass 'persits'"):
        scheduled_ir(parse_schedule("persits"))
    with pytest.raises(CompileError, match="must fit in 232448"):
        compile_schedule(parse_schedule("bind-params,warp-specialize{stages=40}"))


def test_names_stand_for_schedules():
    assert named("croq.matmul") == (LIBRARY,)
    assert named("named") == NAMED
    assert named(NAMED[1].name) == NAMED[1:2]
    assert named("persist") == ()


def test_the_cost_model_proposes_schedules_for_each_shape():
    asked = (*named("model:3"), NAMED[0])
    large, small = for_shape(asked, BIG), for_shape(asked, SMALL)
    assert len(large) == len(small) == 4
    assert large[3] == small[3] == NAMED[0]
    assert len({each.name for each in large}) == 4
    assert large[0].pipeline(BIG).startswith("bind-dims{M=4096 N=4096 K=4096},bind-")
    assert "persist{" in large[0].pipeline()
    assert "persist{" not in small[0].pipeline()
    assert chosen(BIG, 132)


def test_schedules_are_compiled_beside_each_other():
    good = parse_schedule("good: bind-params{BM=64 BN=64},warp-specialize{consumers=1}")
    bad = parse_schedule("bad: persits")
    seen: list[str] = []
    first, second = compile_all([bad, good], SMALL, seen.append)
    assert sorted(seen) == ["bad", "good"]
    assert first.kernel is None
    assert "unknown pass" in first.refusal
    assert second.kernel is not None
    alone = compile_schedule(good)
    assert (second.kernel.ptx, second.kernel.plan) == (alone.ptx, alone.plan)


# Results


def test_results_come_back_as_they_were(tmp_path: Path):
    path = tmp_path / "folder" / "results.json"
    one = Outcome("a", (1.5, 2.5), 2.1e-4, True, {"a": 1.0, "b": 2.0}, {"watts": 690.0})
    store = Store(path)
    assert store.add_environment({"date": "1", "device": "x"}) == 0
    assert store.add_environment({"date": "2", "device": "x"}) == 0
    assert store.add_environment({"date": "2", "device": "y"}) == 1
    store.add(record({OURS: one}, failures={"Triton": "not there"}))
    store.add_failure({"shape": "1x1x1", "run": 0, "reason": "hung"})
    results = read_results(path)
    assert results.records == (record({OURS: one}, failures={"Triton": "not there"}),)
    assert [each["device"] for each in results.environments] == ["x", "y"]
    assert results.failures == ({"shape": "1x1x1", "run": 0, "reason": "hung"},)
    assert [each.name for each in path.parent.iterdir()] == ["results.json"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "results.json"
    Store(path).add(record({OURS: outcome(1.0)}))
    before = path.read_text()
    not_json = replace(record({}), outcomes={"x": replace(outcome(1.0), extra={1j: 2})})
    with pytest.raises(TypeError):
        write_results(path, Results(records=(not_json,)))
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"version": 0}))
    with pytest.raises(ValueError, match="not a results file"):
        read_results(path)


def task(out: Path, **changes: object) -> Task:
    asked = Task(out, (BIG, SMALL), ("graph", "do_bench"), 2, NAMED, CONTENDERS)
    return replace(asked, **changes)


def test_a_rerun_does_what_is_left(tmp_path: Path):
    out = tmp_path / "results.json"
    asked = task(out)
    keys = [(case.shape, case.run) for case in asked.cases()]
    assert keys == [(BIG, 0), (SMALL, 0), (BIG, 1), (SMALL, 1)]
    store = Store(out)
    store.add(record({}, BIG, 0, "graph"))
    store.add(record({}, SMALL, 0, "graph"))
    store.add(record({}, SMALL, 0, "do_bench"))
    left = [(case.shape, case.run, case.measures) for case in asked.cases()]
    assert left == [
        (BIG, 0, ("do_bench",)),
        (BIG, 1, ("graph", "do_bench")),
        (SMALL, 1, ("graph", "do_bench")),
    ]


def test_few_of_the_known_shapes_are_sustained():
    assert [each for each in NINE if wanted(each, "sustained")] == [
        each for each in NINE if each in SUSTAINED
    ]
    assert wanted(SMALL, "sustained")
    assert wanted(NINE[2], "graph")


def test_a_search_is_done_in_batches(tmp_path: Path):
    many = tuple(Schedule(f"s{number}", ("persist",)) for number in range(30))
    asked = task(tmp_path / "r", schedules=many, measures=("search graph",))
    cases = search_cases(replace(asked, shapes=(SMALL,)))
    assert sorted(len(case.schedules) for case in cases) == [6, 24]
    assert [s for case in cases for s in case.schedules] == list(many)
    Store(asked.out).add(record({}, SMALL, 0, "search graph"))
    assert len(search_cases(replace(asked, shapes=(SMALL,)))) == 1


# Tables


def test_ratios_are_those_of_right_outcomes():
    runs = [
        {OURS: outcome(2.0, 4.0, 3.0), TORCH: outcome(6.0), CUBLASLT: outcome(4.5)},
        {OURS: outcome(5.0), TORCH: outcome(6.0), CUBLASLT: outcome(5.5)},
        {
            OURS: outcome(4.0),
            TORCH: outcome(8.0),
            CUBLASLT: outcome(1.0, correct=False),
        },
    ]
    records = [record(outcomes, run=run) for run, outcomes in enumerate(runs)]
    (line,) = lines_of(Results(records=tuple(records)), "graph")
    assert line.ratio([TORCH]) == pytest.approx(6 / 4)
    assert line.ratio([TORCH, CUBLASLT]) == pytest.approx(5 / 4)
    assert line.ratio([TRITON]) is None
    assert line.ratios_of_runs([TORCH, CUBLASLT]) == pytest.approx([1.5, 1.1, 2.0])
    assert line.runs(OURS) == [3.0, 5.0, 4.0]


def test_means_are_of_the_nine():
    ratios = dict(zip([*NINE, SMALL], np.linspace(0.9, 1.4, 10), strict=True))
    records = [
        record({OURS: outcome(1.0), TORCH: outcome(float(ratio))}, shape)
        for shape, ratio in ratios.items()
    ]
    results = Results(records=tuple(records))
    expected = math.prod(list(ratios.values())[:9]) ** (1 / 9)
    assert means(lines_of(results, "graph"))["vs torch"] == pytest.approx(expected)
    last = timing_table(results, "graph").splitlines()[-1]
    assert last.startswith("| geometric mean of the nine |")
    assert f" {expected:.3f} " in last


def test_the_summary_shows_every_run_and_what_failed():
    failures = {"ours:a": "refused\nby a pass", "ours:b": "refused\nby a pass"}
    records = [
        record({OURS: outcome(8.5 + run), TORCH: outcome(9.25)}, run=run)
        for run in range(3)
    ]
    wrong = {OURS: outcome(1.0, correct=False)}
    records.append(record(wrong, SMALL, measure="sustained", failures=failures))
    text = summary(Results(({"device": "H"},), tuple(records)))
    assert "8.50, 9.50, 10.5" in text
    assert "9.50 [8.50-10.50] / 14467" in text
    assert "1.088, 0.974, 0.881" in text
    assert "- 64x128x256, ours: refused by a pass (a, b)" in text
    assert "wrong, relative error 2.0e-04" in text


def test_cases_without_a_record_are_listed():
    results = Results(failures=({"shape": "1x2x3", "run": 0, "reason": "hung"},))
    assert failure_lines(results) == ["1x2x3, the case: hung"]


def test_rows_of_tables_are_as_long_as_their_header():
    records = [
        record({OURS: outcome(8.5), TORCH: outcome(9.25)}, measure=measure)
        for measure in ("graph", "do_bench", "sustained")
    ]
    widths: set[int] = set()
    for line in summary(Results(records=tuple(records))).splitlines():
        if line.startswith("|"):
            widths.add(line.count("|"))
        elif widths:
            assert len(widths) == 1
            widths = set()


def test_a_search_ranks_what_is_right():
    first = {"ours:a": outcome(9.0), "ours:b": outcome(7.0), TORCH: outcome(8.0)}
    second = {"ours:c": outcome(1.0, correct=False), TORCH: outcome(7.5)}
    records = [
        record(outcomes, run=batch, measure="search graph")
        for batch, outcomes in enumerate((first, second))
    ]
    results = Results(records=tuple(records))
    ranked = ranking(results, BIG, "search graph")
    assert list(ranked) == ["ours:b", TORCH, "ours:a"]
    assert ranked[TORCH].rounds == (7.5,)
    rows = search_report(results).splitlines()
    assert [row.split(" | ")[0] for row in rows[4:7]] == [
        "| b",
        "| torch.matmul",
        "| a",
    ]
    assert " 1.071 " in rows[4]


def test_the_best_of_all_schedules_is_ours():
    outcomes = {"ours:a": outcome(3.0), "ours:b": outcome(2.0), TORCH: outcome(1.0)}
    assert with_best_of_ours(outcomes)[OURS] == outcomes["ours:b"]
    assert OURS not in with_best_of_ours({TORCH: outcome(1.0)})


# Power


def test_power_is_that_of_the_time_asked_for():
    samples = [
        Sample(seconds / 10, 1400.0 + seconds, 600.0 + seconds, 65.0 * seconds)
        for seconds in range(20)
    ]
    sampler = Sampler(None, samples=samples)
    found = figures(sampler.between(0.45, 1.45))
    assert found == pytest.approx(
        {"sm_mhz": 1409.5, "watts": 609.5, "samples": 10, "watts_by_energy": 650.0}
    )
    assert figures([]) == {}
    assert "watts" not in figures([Sample(0.0, 1400.0, math.nan, math.nan)])


# Workers

WORKER = """
import json, sys, time
say = lambda *event: print("@@ " + json.dumps(event), flush=True)
for case in json.load(sys.stdin)["cases"]:
    say("stage", "ours:fine check")
    if case["shape"] == "1x1x1" and "ours:bad" not in case["excluded"]:
        say("stage", "ours:bad check")
        time.sleep(60)
    if case["shape"] == "2x2x2":
        say("stage", "all graph")
        sys.exit(75)
    print("measured", case["shape"], case["excluded"], flush=True)
    say("done", case["shape"])
say("finished", "")
"""


def worker_command(tmp_path: Path) -> Sequence[str]:
    path = tmp_path / "worker.py"
    path.write_text(WORKER)
    return [sys.executable, str(path)]


def test_a_hang_loses_one_candidate_and_a_crash_one_case(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    out = tmp_path / "results.json"
    shapes = [Shape(3, 3, 3), Shape(1, 1, 1), Shape(2, 2, 2), Shape(4, 4, 4)]
    cases = [Case(shape, 0, ("graph",), ()) for shape in shapes]
    isolated(cases, out, True, worker_command(tmp_path), seconds=2)
    printed = capfd.readouterr().out
    measured = [
        line.removeprefix("measured ")
        for line in printed.splitlines()
        if line.startswith("measured")
    ]
    assert measured == ["3x3x3 []", "1x1x1 ['ours:bad']", "4x4x4 []"]
    reasons = [(each["shape"], each["reason"]) for each in read_results(out).failures]
    assert reasons == [
        ("1x1x1", "hung: no word for 2 s at ours:bad check"),
        ("2x2x2", "ended with status 75 at all graph"),
    ]


def test_a_worker_that_does_everything(tmp_path: Path):
    text = encode([Case(SMALL, 0, ("graph",), ())], tmp_path / "r", True)
    ending = supervise(worker_command(tmp_path), text, 20)
    assert ending == Ending("", "ours:fine check")


def test_who_is_to_blame():
    assert culprit_of(Ending("hung", "ours:a b check")) == "ours:a b"
    assert culprit_of(Ending("hung", "Triton:128x64 s3 capture")) == "Triton:128x64 s3"
    assert culprit_of(Ending("hung", "all graph")) == ""
    assert culprit_of(Ending("hung", "operands")) == ""


def test_cases_reach_the_worker_as_they_are(tmp_path: Path):
    case = Case(BIG, 2, ("graph",), NAMED[:2], (OURS, TORCH), ("ours:x",), True)
    assert decode(encode([case], tmp_path, False)) == ([case], tmp_path, False)


# The program


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "benchmarks/gemm.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_nothing_is_measured(tmp_path: Path):
    done = run("--out", str(tmp_path / "r.json"))
    assert (done.returncode, done.stdout) == (0, "skipped: torch is not installed\n")
    assert not (tmp_path / "r.json").exists()


def test_the_tables_of_a_file_are_printed(tmp_path: Path):
    path = tmp_path / "r.json"
    Store(path).add(record({OURS: outcome(200.0), TORCH: outcome(210.0)}))
    done = run("--summary", str(path))
    assert done.returncode == 0
    assert "| 4096x4096x4096 | 200.0 [200.0-200.0] / 687 |" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shapes", "12"), "a shape is MxNxK"),
        (("--measures", "graph,quick"), "measures are"),
        (("--contenders", "cutlass"), "contenders are"),
        (("--search", "/nowhere/file"), "No such file"),
    ],
)
def test_bad_arguments_are_explained(arguments: Sequence[str], message: str):
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
