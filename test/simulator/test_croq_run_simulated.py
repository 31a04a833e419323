"""`croq-run` in the simulator: what it prints, traces, faults, progress, options."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.ampere_kernels import Ring

from croqtile_mlir.runtime.device import Availability
from croqtile_mlir.simulator.simulate import Position
from croqtile_mlir.tools import croq_run
from croqtile_mlir.tools.simulated_run import ProgressLine

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SEED = EXAMPLES / "matmul_1p1c.mlir"
SMALL = ("--size", "M=128,N=128,K=192")


def run(monkeypatch: pytest.MonkeyPatch, *args: str | Path) -> object:
    """The exit status of the tool, or its message."""
    monkeypatch.setattr(sys, "argv", ["croq-run", *map(str, args)])
    with pytest.raises(SystemExit) as exit:
        croq_run.main()
    return exit.value.code


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "croqtile_mlir.runtime.device.available",
        lambda: Availability(False, "no device: the NVIDIA driver is not installed"),
    )


@pytest.fixture
def no_credits(tmp_path: Path) -> Path:
    """The seed kernel without the first generation of `empty`."""
    text = SEED.read_text()
    credits = "croq.foreach %s in S {\n        croq.trigger %empty at %s\n      }\n"
    assert credits in text
    file = tmp_path / "no_credits.mlir"
    file.write_text(text.replace(credits, ""))
    return file


@pytest.mark.usefixtures("no_device")
def test_without_a_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run(monkeypatch, SEED, *SMALL, "--check", "--param", "S=3") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == ("matmul_1p1c: M = 128, N = 128, K = 192, S = 3, target sm_90a")
    assert lines[1] == "  device    none: the NVIDIA driver is not installed"
    assert "  simulator level nvvm, policy rr" in lines
    (result,) = [line for line in lines if line.startswith("  result")]
    assert result.endswith(": ok")
    (took,) = [line for line in lines if line.startswith("  run ")]
    assert "1 of 1 blocks, 8 agents" in took
    assert "the time on a device is not simulated" in took
    assert lines[-1] == "  faults    none"
    assert "median" not in captured.out
    assert captured.err == ""


@pytest.mark.parametrize("level", ["croq", "lower-events", "nvvm"])
@pytest.mark.parametrize("policy", ["late", "random:5"])
def test_levels_and_policies(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    level: str,
    policy: str,
):
    options = ("--level", level, "--policy", policy, "--check", "--simulate")
    assert run(monkeypatch, SEED, *SMALL, *options) == 0
    output = capsys.readouterr().out
    assert f"simulator level {level}, policy {policy}\n" in output
    assert ": ok\n" in output
    assert "  device" not in output
    assert "  ptx" not in output


def test_a_trace(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
):
    file = tmp_path / "out.json"
    assert run(monkeypatch, SEED, *SMALL, "--level", "croq", "--trace", file) == 0
    content = json.loads(file.read_text())
    names = {
        event["args"]["name"]
        for event in content["traceEvents"]
        if event["name"] == "thread_name"
    }
    assert {'role "producer"', 'role "consumer"', "TMA", "wgmma"} <= names
    assert content["otherData"]["kernel"] == "matmul_1p1c"
    count = len(content["traceEvents"])
    assert f"trace     {file}: {count} events of 1 block\n" in capsys.readouterr().out


def test_sizes_are_chosen_where_none_are_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run(monkeypatch, SEED, "--level", "croq", "--size", "K=64", "--check") == 0
    assert "M = 256, N = 256, K = 64, target" in capsys.readouterr().out


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_faults_are_located(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    no_credits: Path,
    tmp_path: Path,
    level: str,
):
    trace = tmp_path / "out.json"
    options = ("--level", level, "--trace", trace)
    assert run(monkeypatch, no_credits, *SMALL, *options) == 1
    captured = capsys.readouterr()
    wait = no_credits.read_text()[: no_credits.read_text().index("croq.wait %empty")]
    line = wait.count("\n") + 1
    assert captured.err.startswith(f"{no_credits}:{line}:9: error: ")
    assert "deadlock in block 0, 0, 0: " in captured.err
    assert "\n        croq.wait %empty at %k\n        ^\n" in captured.err
    assert "note: " in captured.err
    assert "Traceback" not in captured.err
    assert "  faults    1, see above\n" in captured.out
    assert "for ever: waits for phase 0 of" in trace.read_text()


def test_a_wrong_result(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
):
    file = tmp_path / "wrong.mlir"
    file.write_text(SEED.read_text().replace("+= lhs", "+= 2 * lhs"))
    assert run(monkeypatch, file, *SMALL, "--level", "croq", "--check") == 1
    captured = capsys.readouterr()
    assert ": WRONG\n" in captured.out
    assert "  faults    none\n" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--policy", "fast"],
            "croq-run: error: --policy must be one of rr, late, early, random:SEED, "
            "got 'fast'",
        ),
        (["--policy", "random:x"], "got 'random:x'"),
        (["--level", "llvm"], "error: level must be one of croq, nvvm, "),
        (["--level", "convert-to-ptx"], "to be simulated, got convert-to-ptx"),
        (["--simulate", "--size", "Q=1"], "--size must name dims of the kernel"),
        (["--trace", "/nowhere/x.json"], "--trace must be a file in a folder that"),
    ],
)
def test_bad_options(
    monkeypatch: pytest.MonkeyPatch, options: Sequence[str], message: str
):
    answer = run(monkeypatch, SEED, *options)
    assert isinstance(answer, str)
    assert message in answer


def test_the_printed_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run(monkeypatch, SEED, *SMALL, "--level", "ptx", "--check") == 0
    output = capsys.readouterr().out
    assert "level ptx" in output
    assert ": ok" in output


def test_a_kernel_at_level_ptx_is_run_as_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    scale = EXAMPLES.parent / "test" / "unit" / "Inputs" / "scale.mlir"
    assert run(monkeypatch, scale, "--simulate") == 0
    assert "level ptx" in capsys.readouterr().out


def test_an_interrupted_run(monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("croqtile_mlir.simulator.simulate.run_loaded", interrupt)
    answer = run(monkeypatch, SEED, *SMALL, "--level", "croq")
    assert answer == "croq-run: interrupted"


def test_progress_is_one_line_that_goes_away():
    now = 0.0
    text = io.StringIO()
    line = ProgressLine(text, lambda: now)
    for done, now in enumerate((0.5, 0.9, 2.0, 2.1, 3.4)):
        line(Position(done, 9, 100 * done))
    assert text.getvalue() == (
        "\r  simulated 2 of 9 blocks, 200 steps, 2 s\x1b[K"
        "\r  simulated 4 of 9 blocks, 400 steps, 3 s\x1b[K"
    )
    line.clear()
    assert text.getvalue().endswith("\r\x1b[K")


def test_a_short_run_shows_no_progress():
    text = io.StringIO()
    line = ProgressLine(text, lambda: 0.0)
    line(Position(1, 9, 100))
    line.clear()
    assert text.getvalue() == ""


@pytest.mark.parametrize("target", ["sm_80", "sm_89"])
@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.usefixtures("no_device")
def test_targets_before_hopper(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    target: str,
    level: str,
):
    """From the source to a checked result; register budgets are dropped, and told."""
    file = tmp_path / "ring.mlir"
    text = Ring(
        producers="warpgroups [0, 1)", consumers="warpgroups [1, 2)", budgets=(40, 232)
    ).text()
    reference = ' attributes {reference = "sums[m] += in[m, k]"} {'
    head = "%sums: !croq.tile<[M]xf32, global>)"
    assert text.count(f"{head} {{") == 1
    file.write_text(text.replace(f"{head} {{", head + reference))
    size = ("--size", "M=70,K=100", "--check", "--target", target, "--level", level)
    assert run(monkeypatch, file, *size) == 0
    captured = capsys.readouterr()
    assert f"target {target}" in captured.out
    assert "  faults    none" in captured.out.splitlines()
    assert run(monkeypatch, file, "--resources", "--target", target) == 0
    captured = capsys.readouterr()
    assert captured.err.count(f"has no register budget on {target}") == 2
    assert "consumer: threads 128 to 255, registers: as at the start" in captured.out


def test_products_of_f32_have_a_hint(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
):
    """They are products of tf32, which the limit for f32 does not suit."""
    file = tmp_path / "product.mlir"
    text = (EXAMPLES / "matmul.mlir").read_text()
    file.write_text(text.replace("xf16", "xf32"))
    args = (file, "--level", "croq", "--size", "M=8,N=8,K=64", "--check")
    assert run(monkeypatch, *args) == 1
    assert "--tolerance 2e-3 is a limit" in capsys.readouterr().out
    assert run(monkeypatch, *args, "--tolerance", "2e-3") == 0
    assert "--tolerance" not in capsys.readouterr().out


def test_several_results_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    args = ("--level", "croq", "--size", "M=3,N=70", "--check")
    assert run(monkeypatch, EXAMPLES / "layer_norm.mlir", *args) == 0
    output = capsys.readouterr().out
    assert all(f"result    {n}: relative" in output for n in ("out", "mean", "rstd"))
    wrong = ("--tolerance", "1e-7")
    assert run(monkeypatch, EXAMPLES / "layer_norm.mlir", *args, *wrong) == 1
