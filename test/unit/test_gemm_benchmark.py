"""What of `benchmarks/gemm.py` needs no device."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from gemm_bench.cases import Case
from gemm_bench.compile_cost import compile_once, source_of
from gemm_bench.compile_pool import compile_all
from gemm_bench.library import LIBRARY, chosen, for_shape, named
from gemm_bench.numbers import Spread, geometric_mean, over_runs
from gemm_bench.records import (
    read_results,
)
from gemm_bench.schedules import (
    NAMED,
    PLAIN,
    Schedule,
    compile_schedule,
    parse_schedule,
    read_schedules,
    scheduled_ir,
)
from gemm_bench.session import (
    culprit_of,
    decode,
    encode,
    isolated,
)
from gemm_bench.shapes import NINE, ROTATED_BYTES, SUSTAINED, Shape, parse_shapes
from gemm_bench.tables import (
    OURS,
    TORCH,
)
from gemm_bench.workers import Ending, supervise

from croqtile_mlir import CompileError
from croqtile_mlir.pass_manager.running import parse_passes

ROOT = Path(__file__).resolve().parents[2]
SMALL = Shape(64, 128, 256)
BIG = Shape(4096, 4096, 4096)


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


def test_where_compile_time_goes():
    schedule = parse_schedule("bind-params{BM=64 BN=64},warp-specialize{consumers=1}")
    source = source_of(PLAIN, schedule)
    compilation = compile_once(source)
    assert compilation.kernel.ptx == compile_schedule(schedule).ptx
    assert {"parsing", "warp-specialize", "verify-sync"} <= compilation.parts.keys()
    assert sum(compilation.parts.values()) <= compilation.seconds


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
