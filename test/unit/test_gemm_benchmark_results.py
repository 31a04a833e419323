"""Results, tables and searches of `benchmarks/gemm.py`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gemm import main
from gemm_bench.cases import with_best_of_ours
from gemm_bench.library import for_shape, named
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
)
from gemm_bench.search import best_of, ranking, search_report
from gemm_bench.session import (
    Task,
    search_cases,
    wanted,
)
from gemm_bench.shapes import NINE, SUSTAINED, Shape
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

from croqtile_mlir.kernels.matmul_schedules import from_record

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


def test_the_best_of_a_search_is_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    first, second, third = for_shape(named("model:3"), BIG)
    times = {"search graph": (9.0, 8.0, 7.5), "search do_bench": (9.0, 8.0, 9.9)}
    names = [f"ours:{each.name}" for each in (first, second, third)]
    for measure, taken in times.items():
        each = dict(zip(names, map(outcome, taken), strict=True))
        fast = {TORCH: outcome(1.0), "ours:wrong": outcome(2.0, correct=False)}
        found = record({**each, **fast}, measure=measure)
        Store(tmp_path / "found.json").add(found)
    results = read_results(tmp_path / "found.json")
    assert best_of(results, BIG) == second.name
    assert best_of(results, SMALL) is None
    assert main(["--best", str(tmp_path / "found.json")]) == 0
    (key, saved), *others = json.loads(capsys.readouterr().out).items()
    assert not others
    assert key == "f16-f16-row.row 4096x4096x4096 on 132"
    assert ",".join(from_record(saved).passes) in second.pipeline()


def test_the_best_of_all_schedules_is_ours():
    outcomes = {"ours:a": outcome(3.0), "ours:b": outcome(2.0), TORCH: outcome(1.0)}
    assert with_best_of_ours(outcomes)[OURS] == outcomes["ours:b"]
    assert OURS not in with_best_of_ours({TORCH: outcome(1.0)})


def test_the_tables_of_a_file_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "r.json"
    Store(path).add(record({OURS: outcome(200.0), TORCH: outcome(210.0)}))
    assert main(["--summary", str(path)]) == 0
    assert "| 4096x4096x4096 | 200.0 [200.0-200.0] / 687 |" in capsys.readouterr().out


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
