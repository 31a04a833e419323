"""`croq-run` with and without a device, and its messages."""

from __future__ import annotations

import ctypes
import io
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.fake_driver import FakeApi, Launch

import croqtile_mlir as croq
from croqtile_mlir.pass_manager.running import PassCrash
from croqtile_mlir.runtime.device import Availability
from croqtile_mlir.tools import croq_opt, croq_run
from croqtile_mlir.tools.run_options import make_parser

pytest.importorskip("cuda.bindings.driver")

SCALE = Path(__file__).parent / "Inputs" / "scale.mlir"
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(monkeypatch: pytest.MonkeyPatch, args: Sequence[str]) -> object:
    """The exit status of the tool, or its message."""
    monkeypatch.setattr(sys, "argv", ["croq-run", *args])
    with pytest.raises(SystemExit) as exit:
        croq_run.main()
    return exit.value.code


def scale(launch: Launch) -> None:
    """What the kernel `scale` does, in host memory."""
    count = launch.read(2, ctypes.c_int32)
    x, y = (
        np.ctypeslib.as_array(
            (ctypes.c_float * count).from_address(launch.read(n, ctypes.c_uint64))
        )
        for n in (0, 1)
    )
    y[...] = x * np.float32(launch.read(3, ctypes.c_float))


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    api = FakeApi(parameter_count=4, kernel=scale)
    driver = api.driver()
    for module in ("driver", "device", "launch"):
        monkeypatch.setattr(
            f"croqtile_mlir.runtime.{module}.load_driver", lambda: driver
        )
    # Kernels that are compiled remember the device that they were loaded on.
    from croqtile_mlir.compiler import compile_source

    compile_source.cache_clear()
    return api


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "croqtile_mlir.runtime.device.available",
        lambda: Availability(False, "no device: the NVIDIA driver is not installed"),
    )


ARGS = [str(SCALE), "--size", "N=1000", "--scalar", "alpha=2.5", "--check"]


def test_on_a_device(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    device: FakeApi,
):
    assert run(monkeypatch, [*ARGS, "--repeat", "5"]) == 0
    assert len(device.launches) == 1 + 3 + 5
    assert device.launches[0].grid == (8, 1, 1)
    assert not device.contexts
    output = capsys.readouterr().out
    assert "scale: N = 1000, alpha = 2.5, target sm_90a" in output
    assert ": ok\n" in output
    assert "blocks per multiprocessor: 1\n" in output
    assert "Fake 0 (compute capability 9.0)" in output
    assert "(limit 1e-05), largest difference " in output
    assert "500.0 us (median of 5), 0.016 GB/s" in output
    assert "90 registers, 8 bytes spilled, 0 bytes of shared memory, " in output


def test_a_wrong_result(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    device: FakeApi,
):
    def wrong(launch: Launch) -> None:
        scale(launch)
        address = launch.read(1, ctypes.c_uint64)
        ctypes.c_float.from_address(address + 4 * 999).value = float("nan")

    device.kernel = wrong
    assert run(monkeypatch, [*ARGS, "--repeat", "0"]) == 1
    output = capsys.readouterr().out
    assert "relative error nan" in output
    assert "WRONG" in output
    assert "median" not in output


@pytest.mark.usefixtures("nowhere")
def test_without_a_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run(monkeypatch, ARGS) == 0
    output = capsys.readouterr().out
    assert "device    none: the NVIDIA driver is not installed" in output
    assert "simulator level ptx" in output
    assert "(limit 1e-05)" in output
    assert ": ok" in output


@pytest.mark.usefixtures("nowhere")
def test_ptx_to_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    target = tmp_path / "scale.ptx"
    assert run(monkeypatch, [*ARGS, "--ptx", str(target)]) == 0
    assert ".visible .entry scale(" in target.read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--size", "N"], "--size must be like M=4096,N=1024, got 'N'"),
        (["--size", "N=1.5"], "--size must be like M=4096,N=1024, got 'N=1.5'"),
        (
            ["--size", "N=1,Q=2"],
            "--size must name dims of the kernel (N), got Q; parameters are given by "
            "--param",
        ),
        (["--size", "N=-1"], "--size must not be negative, got N=-1"),
        (["--size", "N=1,N=2"], "--size must give N once"),
        (
            ["--size", "N=2", "--scalar", "beta=1"],
            "--scalar must name scalar arguments (alpha), got beta",
        ),
        (["--size", "N=2", "--repeat", "-1"], "--repeat must not be negative, got -1"),
        (["--size", "N=2", "--seed", "-1"], "--seed must not be negative, got -1"),
        (
            ["--size", "N=2", "--tolerance", "nan"],
            "--tolerance must be at least 0, got nan",
        ),
        (["--size", "\u00e9=2"], "--size must be like M=4096,N=1024, got '\u00e9=2'"),
        (
            ["--bogus"],
            "unrecognized arguments: --bogus (croq-run --help lists the options)",
        ),
        (["--param", "S=x"], "--param must be like M=4096,N=1024, got 'S=x'"),
    ],
)
def test_bad_options(monkeypatch: pytest.MonkeyPatch, args: list[str], message: str):
    assert run(monkeypatch, [str(SCALE), *args]) == f"croq-run: error: {message}"


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", target =", ', reference_ = "", target =', "must not have the key 'refere"),
        (
            "y[i] = alpha * x[i]",
            "y[i] = alpha *",
            "reference: column 15: must be a name",
        ),
        ("y[i] = alpha * x[i]", "y[i] += x[i, j]", "'x' must have 1 indices, got 2"),
    ],
)
def test_bad_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, message: str
):
    file = tmp_path / "bad.mlir"
    text = SCALE.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    answer = run(monkeypatch, [str(file), "--size", "N=8", "--check"])
    assert isinstance(answer, str)
    assert message in answer


@pytest.mark.usefixtures("nowhere")
def test_a_check_without_a_reference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "plain.mlir"
    lines = SCALE.read_text().splitlines()
    text = "\n".join(line for line in lines if "reference" not in line)
    file.write_text(text.replace('target = "sm_90a",', 'target = "sm_90a"'))
    assert run(monkeypatch, [str(file), "--size", "N=8"]) == 0
    answer = run(monkeypatch, [str(file), "--size", "N=8", "--check"])
    assert "the kernel has no attribute reference" in str(answer)


def test_errors_show_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "bad.mlir"
    file.write_text("module {\n  croq.nothing\n}\n")
    answer = str(run(monkeypatch, [str(file)]))
    assert answer.startswith(f"{file}:2:3: error: ")
    assert "\n  croq.nothing\n  ^" in answer


def test_a_missing_file(monkeypatch: pytest.MonkeyPatch):
    answer = run(monkeypatch, ["missing.mlir"])
    assert answer == "croq-run: error: missing.mlir: No such file or directory"


def test_help_is_for_who_reads_it_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Options by what they are for, and examples that are none of another version."""
    assert run(monkeypatch, ["--help"]) == 0
    said = capsys.readouterr().out
    for title in ("the kernel", "its arguments", "in the simulator", "without a run"):
        assert f"\n{title}:\n" in said
    examples = re.findall(r"(?m)^  croq-run (.*)$", said)
    assert len(examples) >= 4
    parser = make_parser()
    for line in examples:
        file = parser.parse_args(line.split()).file
        assert (EXAMPLES.parent / file).is_file()


@pytest.mark.usefixtures("nowhere")
def test_the_first_example_of_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A kernel and nothing else: the sizes are ones that the simulator can do."""
    assert run(monkeypatch, [str(EXAMPLES / "copy.mlir"), "--check"]) == 0
    assert capsys.readouterr().out.count(": ok") == 1


def test_versions(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    assert run(monkeypatch, ["--version"]) == 0
    assert croq_opt.run(["--version"]) == 0
    ran, opted = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"croq-run \S+, on xDSL [\d.]+", ran)
    assert opted == ran.replace("run", "opt")
    assert ran.split()[1].rstrip(",") == croq.__version__


@pytest.mark.usefixtures("nowhere")
def test_sizes_that_no_memory_has(monkeypatch: pytest.MonkeyPatch):
    copy = str(EXAMPLES / "copy.mlir")
    said = run(monkeypatch, [copy, "--size", "M=2000000000,N=2000000000"])
    assert said == (
        "croq-run: error: the memory must suffice, --size asks for it: "
        "4000000000000000000 elements of src"
    )


@pytest.mark.usefixtures("nowhere")
def test_a_mark_before_the_text_of_the_standard_input(monkeypatch: pytest.MonkeyPatch):
    text = b"\xef\xbb\xbf" + (EXAMPLES / "copy.mlir").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run(monkeypatch, ["-", "--size", "M=8,N=8"]) == 0


def test_bugs_are_told_from_what_the_user_wrote(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise PassCrash("lower-dma", ValueError("it broke"))

    monkeypatch.setattr("croqtile_mlir.pipeline.Lowering.run", broken)
    said = run(monkeypatch, [str(EXAMPLES / "copy.mlir"), "--dim", "M=77"])
    assert str(said).startswith("croq-run: error: internal error in pass 'lower-dma'")
    assert "note: this is a bug in the compiler" in str(said)


def test_warnings_are_lines_of_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(warnings, "filters", [])
    monkeypatch.setattr(croq_run, "_status", lambda: warnings.warn("so so"))
    assert run(monkeypatch, []) is None
    assert capsys.readouterr().err == "croq-run: warning: so so\n"
