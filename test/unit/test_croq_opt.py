"""The driver as a function: flags, chunks, outputs, exit codes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.c_programs import nowhere
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.pass_manager.running import PassCrash
from croqtile_mlir.passes.check_level import CheckLevelPass
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.ptx_tools import disassemble, find_nvdisasm, find_ptxas
from croqtile_mlir.tools.croq_opt import run
from croqtile_mlir.tools.expectations import Expectation, parse_expectations
from croqtile_mlir.tools.pass_flags import fold_pass_flags

needs_ptxas = pytest.mark.skipif(
    find_ptxas() is None or find_nvdisasm() is None,
    reason="needs ptxas and nvdisasm",
)
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
        (["--pass-pipeline=builtin.module(cse,dce)"], ["cse,dce"], []),
        (["--pass-pipeline", "cse{a=1}"], ["cse{a=1}"], []),
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
        (["--lower-evnts"], "unknown pass or option '--lower-evnts'"),
        (["--lower-evnts=a=1"], "did you mean --lower-events"),
        (["--print-ir-aftr-all"], "did you mean --print-ir-after-all"),
        (["--xyzzy"], "--show-passes lists the passes"),
        (["-p"], "-p takes a list of passes, got nothing"),
        (["-p", ","], "malformed pass pipeline: Expected pass name"),
        (["-p", "check-level{depth=3}"], "it has no option 'depth'"),
        (["-p", "check-level{levle=ptx}"], "did you mean level? its options are level"),
        (["-p", "check-level{level=3"], "malformed pass pipeline"),
        (["-p", "check-level{level}"], "level must be a word, got nothing"),
        (["-p", "dce{fast=true}"], "it has no options"),
        (["--check-level{level=asm}"], "level must be one of croq, nvvm, ptx"),
        (["--check-level", "other.mlir"], "one input file is processed at a time"),
        (["-t", "cuda"], "target must be one of mlir, ptx, cubin, fatbin, got 'cuda'"),
        (["-t", "ptx{fast=true}"], "bad options for target 'ptx'"),
        (["-t", "mlir{fast=true}"], "target 'mlir' has no options, got fast"),
        (["-t"], "expected one argument"),
        (["-o"], "expected one argument"),
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
    assert captured.out == ""


@pytest.mark.parametrize("text", ["", "\n\n", "// only a comment\n"])
def test_an_empty_module(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run([write(tmp_path, text)]) == 0
    assert capsys.readouterr().out == "builtin.module {\n}\n"


def test_byte_order_marks_and_carriage_returns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "in.mlir"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert run([str(path)]) == 0
    path.write_bytes(BAD.replace("\n", "\r\n").encode())
    assert run([str(path)]) == 1
    lines = capsys.readouterr().err.split("\n")
    assert lines[1:3] == ["  foo.bar", "  ^"]


def test_a_file_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "none" / "out.mlir"
    assert run([write(tmp_path, GOOD), "-o", str(output)]) == 1
    assert capsys.readouterr().err == f"error: {output}: No such file or directory\n"


def test_only_lines_of_their_own_separate_chunks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    op = '"test.op"() {a = "// -----"} : () -> ()'
    text = f"{GOOD}// -----// IR Dump //----- //\n{op}"
    assert run([write(tmp_path, text), "--split-input-file"]) == 0
    assert capsys.readouterr().out.count("builtin.module") == 1


def test_deep_nesting_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    depth = 3000
    name = write(tmp_path, "builtin.module {" * depth + "}" * depth)
    assert run([name]) == 1
    assert capsys.readouterr().err == (
        f"{name}: error: regions are nested too deeply to process\n"
    )


def test_a_bug_in_a_pass_is_told_from_wrong_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def crash(self: CheckLevelPass, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("slot")

    monkeypatch.setattr(CheckLevelPass, "apply", crash)
    name = write(tmp_path, GOOD)
    assert run([name, "--check-level", "--print-ir-after-all"]) == 1
    err = capsys.readouterr().err
    assert "IR Dump After check-level Failed" in err
    assert "error: internal error in pass 'check-level': KeyError: 'slot'" in err
    assert "Traceback" not in err
    with pytest.raises(PassCrash):
        run([name, "--check-level", "--traceback"])


def test_the_culprit_of_a_pass_that_makes_invalid_ir_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def spoil(self: CheckLevelPass, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, func.ReturnOp):
                inner.detach()

    monkeypatch.setattr(CheckLevelPass, "apply", spoil)
    name = write(tmp_path, GOOD + "func.func private @ext()\n")
    assert run([name, "--check-level"]) == 1
    assert capsys.readouterr().err.startswith(
        f"{name}:1:1: error: 'func.func' op contains empty block"
    )


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
    assert (
        "target must be one of sm_80, sm_86, sm_89, sm_90a" in capsys.readouterr().err
    )


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
        (BAD.replace("bar", "bar // expected-error-re {{foo{{..}}ar}}"), 0, ""),
        (BAD.replace("bar", "bar // expected-error-re {{o{{[xy]}}}}"), 1, "unexpected"),
        (BAD.replace("bar", "bar // expected-eror {{foo}}"), 1, "cannot read this"),
        (BAD.replace("bar", "bar // expected-error {foo}"), 1, "cannot read this"),
        (GOOD + "// expected-error@below {{x}}", 1, "was not produced"),
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


@needs_ptxas
@pytest.mark.parametrize("passes", [[], ["--lower-events"], ["--croq-to-ptx"]])
def test_code_for_the_driver(passes: list[str], tmp_path: Path):
    made: dict[str, bytes] = {}
    for form in ("cubin", "fatbin"):
        file = tmp_path / f"add.{form}"
        arguments = [str(EXAMPLES / "add.mlir"), *passes, "-t", form]
        assert run([*arguments, "-o", str(file)]) == 0
        made[form] = file.read_bytes()
    assert made["cubin"][:4] == b"\x7fELF"
    assert "add" in disassemble(made["cubin"])
    # The machine code, and the text, which is packed.
    assert made["fatbin"][:4].hex() == "50ed55ba"
    assert made["cubin"] in made["fatbin"]
    assert len(made["fatbin"]) > len(made["cubin"]) + 500


@needs_ptxas
def test_code_for_another_target(tmp_path: Path):
    made = tmp_path / "add.cubin"
    arguments = [
        str(EXAMPLES / "add.mlir"),
        "--set-target{target=sm_80}",
        "-t",
        "cubin",
    ]
    assert run([*arguments, "-o", str(made)]) == 0
    assert ".target\tsm_80" in disassemble(made.read_bytes())


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["--split-input-file"], GOOD, "target 'cubin' needs one module"),
        ([], GOOD, "must hold a croq.kernel"),
    ],
)
def test_modules_without_code_leave_no_file(
    arguments: list[str],
    text: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    source, made = tmp_path / "in.mlir", tmp_path / "out.cubin"
    source.write_text(text)
    assert run([str(source), *arguments, "-t", "cubin", "-o", str(made)]) == 1
    assert message in capsys.readouterr().err
    assert not made.exists()


def test_a_missing_assembler_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("croqtile_mlir.ptx_tools.find_program", nowhere)
    made = tmp_path / "add.cubin"
    assert run([str(EXAMPLES / "add.mlir"), "-t", "cubin", "-o", str(made)]) == 1
    assert "error: ptxas must be on PATH" in capsys.readouterr().err
    assert not made.exists()
