"""What the tools say of the cache of compiled kernels, and how they empty it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import croqtile_mlir as croq
from croqtile_mlir.compiler import compile_source
from croqtile_mlir.tools import croq_opt, croq_run

EXAMPLES = Path(__file__).parents[2] / "examples"
TOOLS = pytest.mark.parametrize("tool", [croq_opt.run, croq_run.run])
Tool = Callable[[list[str]], int]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with two kernels, and a file of somebody else's."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("CROQ_CACHE_DIR", str(folder))
    monkeypatch.setenv("CROQ_CACHE", "1")
    compile_source.cache_clear()
    for name in ("add", "copy"):
        croq.compile(EXAMPLES / f"{name}.mlir")
    (folder / "notes.txt").write_text("mine")
    return folder


@TOOLS
def test_what_it_holds(tool: Tool, folder: Path, capsys: pytest.CaptureFixture[str]):
    size = sum(file.stat().st_size for file in folder.glob("*.kernel"))
    assert tool(["--cache-info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"folder   {folder}",
        "kernels  2 of at most 1024",
        f"size     {size / 1024:.1f} KiB of at most 128.0 MiB",
    ]


@TOOLS
def test_emptying_it(tool: Tool, folder: Path, capsys: pytest.CaptureFixture[str]):
    assert tool(["--cache-clear", "--cache-info"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 kernels deleted, ")
    assert "kernels  0 of" in said
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    assert tool(["--cache-clear"]) == 0
    assert capsys.readouterr().out.startswith("0 kernels deleted, 0.0 KiB")


@TOOLS
def test_no_folder_and_no_cache(
    tool: Tool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("CROQ_CACHE", "1")
    monkeypatch.setenv("CROQ_CACHE_DIR", str(tmp_path / "none"))
    assert tool(["--cache-info"]) == 0
    assert "kernels  0 of" in capsys.readouterr().out
    assert not (tmp_path / "none").exists()
    monkeypatch.setenv("CROQ_CACHE", "0")
    assert tool(["--cache-clear"]) == 0
    assert "is off" in capsys.readouterr().out


def test_a_folder_that_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CROQ_CACHE", "1")
    monkeypatch.setenv("CROQ_CACHE_DIR", str(tmp_path / "file"))
    assert croq_opt.run(["--cache-info"]) == 1
    assert "Not a directory" in capsys.readouterr().err
