"""What the documentation shows is true: its Python runs, its commands succeed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from croqtile_mlir.analysis.sync.verdicts import Rule
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.tools import croq_opt, croq_run

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"((?:<!--.*?-->\n)?)```(\w*)\n(.*?)```", re.DOTALL)
_SEED = ROOT / "examples" / "matmul_1p1c.mlir"


@dataclass(frozen=True)
class Block:
    """A block of code."""

    page: str
    line: int
    note: str
    """A comment right before it: `<!-- needs torch -->` excuses it from being run."""

    language: str
    text: str

    @property
    def needs(self) -> str | None:
        """What it needs that may not be here."""
        found = re.search(r"needs ([\w ]+)", self.note)
        return found.group(1).strip() if found else None


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start(3)) + 1
        yield Block(page, line, *found.groups())


PYTHON = [
    page for page in PAGES if any(block.language == "python" for block in blocks(page))
]
COMMANDS = [
    pytest.param(line, id=f"{block.page}:{block.line}-{number}")
    for page in PAGES
    for block in blocks(page)
    if block.language == "" and block.needs is None
    for number, line in enumerate(re.sub(r"\\\n", " ", block.text).splitlines())
    if re.match(r"(\$ )?croq-(opt|run) ", line)
]


@cache
def _fast(*arguments: str) -> str:
    """What `croq-opt` makes of the plain product."""
    output = StringIO()
    with redirect_stdout(output):
        example = str(ROOT / "examples" / "matmul.mlir")
        assert croq_opt.run([example, *arguments]) == 0
    return output.getvalue()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what commands name: the examples, and files that they left."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = _SEED.read_text()
    broken = re.sub(
        r" *croq.foreach %s in S \{\n.*?\n *\}\n", "", text, flags=re.DOTALL
    )
    assert broken != text
    (tmp_path / "no_credits.mlir").write_text(broken)
    arguments = [
        *("--bind-params", "--persist{order=grouped}"),
        *("--warp-specialize{stages=4 in_flight=1}", "--split-consumers"),
        "--overlap-epilogue",
    ]
    (tmp_path / "fast.mlir").write_text(_fast(*arguments))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PYTHON)
def test_python(page: str, repository: Path):
    """The blocks of a page run one after the other, on arrays in the simulator."""
    rng = np.random.default_rng(2)
    a, b, w = (rng.normal(size=(m, 72)).astype("f2") for m in (40, 24, 24))
    names: dict[str, Any] = {"a": a, "b": b, "w": w, "out": np.zeros((40, 24), "f2")}
    exec("import numpy as np\nimport croqtile_mlir as croq", names)
    ran = 0
    for block in blocks(page):
        if block.language == "python" and block.needs is None:
            # Errors name the line of the page.
            code = "\n" * (block.line - 1) + block.text
            exec(compile(code, str(ROOT / page), "exec"), names)
            ran += 1
    assert ran
    if page == "README.md":
        expected = a.astype("f8") @ b.T.astype("f8")
        assert np.abs(names["out"] - expected).max() < 1e-2 * np.abs(expected).max()


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line: str, repository: Path, capsys: pytest.CaptureFixture[str]):
    """Commands do what the text says; sizes are less, for the simulator's sake."""
    program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
    arguments = [re.sub(r"=4096\b", "=128", each) for each in arguments]
    run = croq_opt.run if program == "croq-opt" else croq_run.run
    status = run(arguments)
    captured = capsys.readouterr()
    refused = "no_credits.mlir" in arguments
    assert status == refused, captured.err
    if refused:
        said = " ".join(captured.err.split())
        shown = next(b.text for b in blocks("README.md") if "no_credits" in b.text)
        for part in shown.split("...\n"):
            wanted = " ".join(
                part.partition(".mlir\n")[2 if "$ " in part else 0].split()
            )
            assert wanted in said


KERNELS = [
    pytest.param(block.text, id=f"{block.page}:{block.line}")
    for page in PAGES
    for block in blocks(page)
    if block.language == "mlir" and "croq.kernel" in block.text
    if "..." not in block.text
]


@pytest.mark.parametrize("text", KERNELS)
@pytest.mark.parametrize("size", [1, 130])
def test_kernels(
    text: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Whole kernels are proved, and run in the simulator with what they compute."""
    file = tmp_path / "kernel.mlir"
    file.write_text(text)
    dims = re.search(r"dims\((.*?)\)", text)
    names = dims.group(1).split(", ") if dims is not None else []
    sizes = ",".join(f"{name}={size + 3 * n}" for n, name in enumerate(names))
    check = ["--check"] if "reference" in text else []
    assert croq_run.run([str(file), "--size", sizes, *check]) == 0
    captured = capsys.readouterr()
    assert "undecided" not in captured.err
    assert "ok" in captured.out or not check


def test_blocks_are_excused_by_name():
    known = {"torch", "a device", "CUDA"}
    needs = {block.needs for page in PAGES for block in blocks(page)}
    assert needs <= {None, *known}


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Rules of proofs", list(Rule)),
        ("Faults of the simulator", list(FaultKind)),
        ("Messages about Croqtile source", list(Kind)),
    ],
)
def test_every_named_error_is_explained(title: str, names: list[StrEnum]):
    """The page for what is wrong has a line for each: what to do about it."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| (`.*?) \| (.+) \|$", section)
    explained = [name for row, _ in rows for name in re.findall("`(.*?)`", row)]
    assert sorted(explained) == sorted(names)
    assert all(len(text) > 8 for _, text in rows)
