"""Bad input as a user meets it: `file:line:col: error: ...`, exit code 1, no traceback.

A `<!>` in the text of a test marks the place that the message must name.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline.kernels import Matmul

import croqtile_mlir as croq
from croqtile_mlir.tools import croq_opt, croq_run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

REFUSED = {
    "unknown op": ("<!>croq.copi %x", "croq.copi"),
    "unknown dialect": ("<!>nodialect.op", "nodialect.op"),
    "undefined value": (
        "%s = croq.alloc : !croq.tile<64x64xf16, shared>\n"
        "    croq.copy <!>%nowhere => %s",
        "use of undefined value %nowhere",
    ),
    "wrong operand type": (
        "%n = arith.constant 3 : i32\n    %c = croq.cdiv <!>%n, 3",
        "an index operand must have type index, got i32",
    ),
    "wrong number of operands": (
        '%n = arith.constant 3 : i32\n    <!>"croq.commit_loads"(%n) : (i32) -> ()',
        "'croq.commit_loads' op Expected 0 operands, but got 1",
    ),
    "missing attribute": (
        "%z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>\n    "
        '<!>%c = "croq.mma.wait"(%z) : (!croq.acc<64x64xf32>) -> !croq.acc<64x64xf32>',
        "'croq.mma.wait' op property 'in_flight' expected",
    ),
    "region past the buffer": (
        "%s = croq.alloc : !croq.tile<8x64xf16, shared>\n"
        "    <!>%v = croq.view %s [6, 64] from (6, 0)",
        "'croq.view' op region must be inside the source: "
        "dim 0 has 8 elements, got offset 6 and extent 6",
    ),
    "more after an op": (
        "croq.barrier <!>: f32",
        "expected an op, a block label or the end of the region",
    ),
}
"""Lines of a kernel, and the message."""


def kernel(body: str) -> tuple[str, str]:
    """A kernel with this body, and `line:col` of the mark in it."""
    (
        before,
        mark,
        after,
    ) = f"""croq.kernel @k dims(M) (%x: !croq.tile<[M]x64xf16, global>) {{
  croq.parallel (%b) in (1) : block threads 128 {{
    {body}
  }}
}}
""".partition("<!>")
    assert mark
    lines = before.split("\n")
    return before + after, f"{len(lines)}:{len(lines[-1]) + 1}"


Tool = Callable[[Path, dict[str, int]], str]


@pytest.fixture(params=["croq-opt", "croq.compile", "croq-run"])
def message_of(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Tool:
    """What each way to compile a file says when it refuses the file."""

    def optimizer(file: Path, params: dict[str, int]) -> str:
        bound = [f"--bind-params={name}={value}" for name, value in params.items()]
        assert croq_opt.run([str(file), *bound, "--croq-to-ptx"]) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        return captured.err

    def api(file: Path, params: dict[str, int]) -> str:
        with pytest.raises(croq.CompileError) as caught:
            croq.compile(file, params=params)
        return str(caught.value)

    def runner(file: Path, params: dict[str, int]) -> str:
        bound = [f"--param={name}={value}" for name, value in params.items()]
        monkeypatch.setattr(sys, "argv", ["croq-run", str(file), *bound])
        with pytest.raises(SystemExit) as caught:
            croq_run.main()
        assert isinstance(caught.value.code, str), (
            "the message, so that the status is 1"
        )
        return caught.value.code

    return {"croq-opt": optimizer, "croq.compile": api, "croq-run": runner}[
        str(request.param)
    ]


@pytest.mark.parametrize("name", REFUSED)
def test_refused_text(message_of: Tool, tmp_path: Path, name: str):
    """Parse and verify errors name the place, the undefined value that of its use."""
    body, message = REFUSED[name]
    text, place = kernel(body)
    file = tmp_path / "in.mlir"
    file.write_text(text)
    said = message_of(file, {})
    headline = said.splitlines()[0]
    assert headline.startswith(f"{file}:{place}: error: ")
    assert message in headline
    assert said.count("\n") <= 4, "the line, not the whole module"


def test_shared_memory_over_the_limit(message_of: Tool):
    """Too many stages: the bytes needed, the limit, and what each buffer takes."""
    file = EXAMPLES / "matmul_1p1c.mlir"
    lines = message_of(file, {"S": 9}).splitlines()
    source = file.read_text().splitlines()
    place = next(n for n, line in enumerate(source, 1) if "croq.kernel" in line)
    assert lines[0] == (
        f"{file}:{place}:1: error: shared buffers of kernel @matmul_1p1c must fit "
        "in 232448 bytes (227 KiB, the limit of a block on sm_90a), got 327840"
    )
    notes = [line.split(": note: ") for line in lines if ": note: " in line]
    sizes = [int(note.split()[0]) for _, note in notes]
    assert sizes == [147456, 147456, 32768, 80, 80]
    assert sum(sizes) == 327840
    assert all(where.startswith(f"{file}:") for where, _ in notes)
    assert lines[-1] == "hint: use fewer stages or smaller tiles"


def test_five_large_stages(message_of: Tool, tmp_path: Path):
    """Five stages of 128x256x64 do not fit; each buffer is named with its bytes."""
    file = tmp_path / "in.mlir"
    file.write_text(Matmul(cols=256, stages=5, consumers=2).text())
    said = message_of(file, {})
    assert "got 311392" in said
    for size, tile in ((81920, "5x128x64"), (163840, "5x256x64"), (65536, "128x256")):
        assert f"note: {size} bytes: !croq.tile<{tile}xf16" in said


def run_tool(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "croqtile_mlir.tools.croq_opt", *args],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_input():
    text, place = kernel(REFUSED["undefined value"][0])
    done = run_tool("-", stdin=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"<stdin>:{place}: error: use of undefined value")
    assert "Traceback" not in done.stderr


def test_a_long_file(tmp_path: Path):
    """In 300 lines the message shows the one that is wrong, and nothing else."""
    ops = "\n    ".join(["croq.barrier"] * 290)
    text, place = kernel(f"{ops}\n    croq.copy <!>%nowhere => %x\n    {ops}")
    file = tmp_path / "long.mlir"
    file.write_text(text)
    done = run_tool(str(file))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"{file}:{place}: error: use of undefined value %nowhere",
        "    croq.copy %nowhere => %x",
        "              ^",
    ]


@pytest.mark.parametrize(
    ("target", "body", "message"),
    [
        (
            "sm_80",
            "%s = croq.alloc : !croq.tile<64x64xf16, shared>\n"
            "    %t = croq.subspan %x [64, 64] tile (%b, 0)\n"
            "    <!>croq.copy %t => %s engine(tma)",
            "target must have TMA, got sm_80",
        ),
    ],
)
def test_what_a_target_does_not_have(
    target: str,
    body: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    """Through the option of the pipeline, and through the API."""
    text, place = kernel(body)
    file = tmp_path / "in.mlir"
    file.write_text(text)
    assert croq_opt.run([str(file), f"--croq-to-ptx{{target={target}}}"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{file}:{place}: error: 'croq.")
    assert message in said
    with pytest.raises(croq.CompileError) as caught:
        croq.compile(file, target=target)
    assert caught.value.diagnostic.location.line == int(place.split(":")[0])


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        (
            "--croq-to-ptx{target=sm_70}",
            "FILE:5:1: error: 'builtin.module' op target must be one of sm_80, sm_86, "
            "sm_89, sm_90a, got 'sm_70'",
        ),
        (
            "--croq-to-ptx{tarket=sm_90a}",
            "error: bad options for pass 'croq-to-ptx': it has no option 'tarket'",
        ),
        ("--verify-sync{events=-1}", "error: events must be at least 1, got -1"),
        ("--passes=croq-to-ptq", "error: unknown pass 'croq-to-ptq'"),
        ("--croq-to-ptq", "error: unknown pass or option '--croq-to-ptq'"),
        (
            "--bind-params{Q=3}",
            "FILE:5:1: error: 'croq.kernel' op must have a parameter of the name that "
            "is bound, got Q = 3 (parameters: none)",
        ),
        (
            "--bind-params{S=x}",
            "error: bind-params: parameter S must be a positive integer, got x",
        ),
    ],
)
def test_wrong_flags(flag: str, message: str):
    file = str(EXAMPLES / "copy.mlir")
    done = run_tool(file, flag)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(message.replace("FILE", file))
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Q", 3, "must have a parameter of the name that is bound, got Q = 3"),
        ("S", 0, "parameter S must be a positive integer, got 0"),
    ],
)
def test_wrong_parameters(message_of: Tool, name: str, value: int, message: str):
    assert message in message_of(EXAMPLES / "matmul_1p1c.mlir", {name: value})


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PTX text", "//\n.version 8.7\n.target sm_90a\n"),
        ("CUDA C++", '\nextern "C" __global__ void f(float *x) {\n}\n'),
        ("Python", "# {}\nimport torch\n"),
    ],
)
def test_text_of_another_language(
    message_of: Tool, tmp_path: Path, kind: str, text: str
):
    file = tmp_path / "in"
    file.write_text(text)
    assert message_of(file, {}).startswith(
        f"{file}:2:1: error: the input must be MLIR text or Croqtile source, got {kind}"
    )
