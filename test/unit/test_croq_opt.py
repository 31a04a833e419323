"""The driver as a function: flags, chunks, outputs, exit codes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.tools.croq_opt import run
from croqtile_mlir.tools.expectations import Expectation, parse_expectations
from croqtile_mlir.tools.pass_flags import fold_pass_flags

EXAMPLES = Path(__file__).parents[2] / "examples"
PASSES = {"cse", "lower-events"}
GOOD = "func.func @f() {\n  func.return\n}\n"
BAD = "func.func @g() {\n  foo.bar\n}\n"


@pytest.mark.parametrize(
    ("argv", "pipeline", "rest"),
    [
        (["--lower-events", "a.mlir"], ["lower-events"], ["a.mlir"]),
        (["a.mlir", "-cse"], ["cse"], ["a.mlir"]),
        (["--cse", "-p", "dce,x{a=1}", "--cse"], ["cse", "dce,x{a=1}", "cse"], []),
        (["--lower-events{prefix=x}"], ["lower-events{prefix=x}"], []),
        (["--lower-events=a=1 b=2"], ["lower-events{a=1 b=2}"], []),
        (["--passes=cse"], ["cse"], []),
        (["-t", "ptx"], [], ["-t", "ptx"]),
        (["-o", "--cse", "--cse"], ["cse"], ["-o", "--cse"]),
        (["--", "--cse"], [], ["--", "--cse"]),
        (["-p"], [], ["-p"]),
    ],
)
def test_fold_pass_flags(argv: list[str], pipeline: list[str], rest: list[str]):
    assert fold_pass_flags(argv, PASSES) == (pipeline, rest)


def write(folder: Path, text: str) -> str:
    path = folder / "in.mlir"
    path.write_text(text)
    return str(path)


def test_good_input_prints_and_returns_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run([write(tmp_path, GOOD)]) == 0
    assert "func.func @f" in capsys.readouterr().out


def test_bad_input_names_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    name = write(tmp_path, BAD)
    assert run([name]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{name}:2:")
    assert "error: " in captured.err
    assert "Traceback" not in captured.err


def test_bad_input_leaves_the_output_file_alone(tmp_path: Path):
    output = tmp_path / "out.mlir"
    output.write_text("precious")
    assert run([write(tmp_path, BAD), "-o", str(output)]) == 1
    assert output.read_text() == "precious"
    assert run([write(tmp_path, GOOD), "-o", str(output)]) == 0
    assert "func.func @f" in output.read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.mlir", "out.mlir"]


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert run([]) == 0
    assert "func.func @f" in capsys.readouterr().out


def test_lines_of_later_chunks_count_from_the_start_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    name = write(tmp_path, f"{GOOD}// -----\n{BAD}// -----\n{GOOD}")
    assert run([name, "--split-input-file"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{name}:6:")
    assert captured.out.count("func.func @f") == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-p", "lower-evnts"], "unknown pass 'lower-evnts'"),
        (["-p", "lower-evnts"], "did you mean lower-events"),
        (["-p", "check-level{depth=3}"], "its options are level"),
        (["-p", "check-level{level=3"], "malformed pass pipeline"),
        (["--check-level{level=asm}"], "level must be one of croq, nvvm, ptx"),
        (["-t", "cuda"], "target must be one of mlir, ptx, got 'cuda'"),
    ],
)
def test_wrong_passes_options_and_targets(
    argv: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert run([write(tmp_path, GOOD), *argv]) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_missing_input_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run([str(tmp_path / "none.mlir")]) == 1
    assert "none.mlir: No such file" in capsys.readouterr().err


def test_input_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "in.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    assert run([str(path)]) == 1
    assert "not UTF-8" in capsys.readouterr().err


def test_print_ir_after_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run([write(tmp_path, GOOD), "--cse", "--dce", "--print-ir-after-all"]) == 0
    err = capsys.readouterr().err
    assert err.index("IR Dump After cse") < err.index("IR Dump After dce")


def test_a_pipeline_shows_its_passes_one_by_one(capsys: pytest.CaptureFixture[str]):
    assert run([str(EXAMPLES / "copy.mlir"), "--croq-to-ptx", "--time-passes"]) == 0
    names = [line.split()[-1] for line in capsys.readouterr().err.splitlines()]
    passes = [p.partition("{")[0] for s in lowering_stages() for p in s.passes]
    assert names == ["set-target", *passes]


def test_a_pipeline_keeps_the_target_of_the_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text = (EXAMPLES / "copy.mlir").read_text()
    name = write(tmp_path, f'module attributes {{croq.target = "sm_80"}} {{ {text} }}')
    assert run([name, "--croq-to-ptx", "-t", "ptx"]) == 0
    assert ".target sm_80" in capsys.readouterr().out
    assert run([name, "--croq-to-ptx{target=sm_90a}", "-t", "ptx"]) == 0
    assert ".target sm_90a" in capsys.readouterr().out
    assert run([name, "--croq-to-ptx{target=sm_70}"]) == 1
    assert "target must be one of sm_80, sm_90a" in capsys.readouterr().err


def test_time_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run([write(tmp_path, GOOD), "--cse", "--time-passes"]) == 0
    assert "ms  cse" in capsys.readouterr().err


def test_show_passes(capsys: pytest.CaptureFixture[str]):
    assert run(["--show-passes"]) == 0
    assert "--lower-events" in capsys.readouterr().out


def test_expectations_name_lines():
    source = "\n".join(
        (
            "op // expected-error {{here}}",
            "// expected-warning@+1 {{next}}",
            "op",
            "// expected-note@above {{back}}",
            "// expected-remark@below {{on}}",
            "op",
            "// expected-error@unknown {{nowhere}}",
        )
    )
    assert parse_expectations(source) == [
        Expectation(1, "error", "here"),
        Expectation(3, "warning", "next"),
        Expectation(3, "note", "back"),
        Expectation(6, "remark", "on"),
        Expectation(0, "error", "nowhere"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (BAD.replace("bar", "bar // expected-error {{foo.bar}}"), 0, ""),
        (BAD, 1, "unexpected error"),
        (GOOD + "// expected-error {{x}}\n", 1, 'expected error "x" was not produced'),
        (BAD.replace("bar", "bar // expected-error {{baz}}"), 1, "was not produced"),
        (BAD.replace("bar", "bar // expected-error {{}}"), 0, ""),
    ],
)
def test_verify_diagnostics(
    text: str,
    code: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert run([write(tmp_path, text), "--verify-diagnostics"]) == code
    assert message in capsys.readouterr().err
