"""Croqtile source by way of the tools and the Python API."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.storage.disk_cache import key_of
from croqtile_mlir.tools import croq_opt, croq_run

_TEXT = """\
#ifndef OFFSET
#define OFFSET 1
#endif
__co__ auto shifted(s32 [8] a) {
  s32 [8] r;
  parallel b by 1 : block, t by 8 : thread
    r.at(t) = a.at(t) + OFFSET;
  return r;
}
"""
_INPUT = np.arange(8, dtype=np.int32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shifted.co"
    path.write_text(_TEXT)
    return path


def test_compile(file: Path):
    """A path, and text; macros are part of what a kernel is."""
    plain, other = croq.compile(file), croq.compile(file, defines={"OFFSET": 3})
    assert plain.name == "shifted"
    assert (plain.simulate(_INPUT) == _INPUT + 1).all()
    assert (other.simulate(_INPUT) == _INPUT + 3).all()
    assert croq.compile(file, defines={"OFFSET": "3"}) is other
    assert (croq.simulate(_TEXT, _INPUT, defines={"OFFSET": 2}) == _INPUT + 2).all()


def test_keys(file: Path):
    """What is kept on disk is found by the text and all options."""
    sources = (
        source_of(file),
        source_of(file, defines={"A": 1}),
        source_of(file, strict_names=True),
        source_of(file, strict_init=True),
    )
    assert len({key_of(each) for each in sources}) == len(sources)


@pytest.mark.parametrize(
    ("defines", "message"),
    [
        ({"1x": 1}, "the name of a macro must be an identifier, got '1x'"),
        ({"X": 1.5}, "macro X must be a text or an integer, got 1.5"),
    ],
)
def test_defines_are_checked(file: Path, defines: dict[str, int], message: str):
    with pytest.raises(CompileError, match=message):
        croq.compile(file, defines=defines)


def test_all_errors_are_told(tmp_path: Path):
    text = "__co__ void f() {\n  a = ;\n  b = ;\n}\n"
    with pytest.raises(CompileError) as caught:
        croq.compile(text)
    assert len(caught.value.others) == 1
    assert "<string>:2:7: error: " in str(caught.value)
    assert "<string>:3:7: error: " in str(caught.value)


def test_croq_opt(file: Path, capsys: pytest.CaptureFixture[str]):
    assert croq_opt.run([str(file), "-DOFFSET=5"]) == 0
    printed = capsys.readouterr().out
    assert "croq.kernel @shifted" in printed
    assert "5 : i32" in printed
    assert croq_opt.run([str(file), "-D", "OFFSET=5", "--print-debuginfo"]) == 0
    assert (
        f'croq.return %r : !croq.tile<8xi32, global> loc("{file}":8:3)'
        in capsys.readouterr().out
    )


def test_croq_run(file: Path, capsys: pytest.CaptureFixture[str]):
    assert croq_run.run([str(file), "-DOFFSET=5", "--simulate"]) == 0
    assert "faults    none" in capsys.readouterr().out


def test_ir_has_no_macros(capsys: pytest.CaptureFixture[str]):
    examples = Path(__file__).parents[2] / "examples"
    assert croq_opt.run([str(examples / "copy.mlir"), "-DN=1"]) == 1
    assert "got MLIR text" in capsys.readouterr().err


def test_xdsl_frontend(file: Path, capsys: pytest.CaptureFixture[str]):
    """xDSL's own driver finds the front end by the extension of the file."""
    from xdsl.xdsl_opt_main import xDSLOptMain

    xDSLOptMain(args=[str(file)]).run()
    assert "croq.kernel @shifted" in capsys.readouterr().out
