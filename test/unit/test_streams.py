"""What the tools do where their output has no place to go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from croqtile_mlir.storage.whole_files import write_whole

COPY = Path(__file__).resolve().parents[2] / "examples" / "copy.mlir"
RUN = ("croqtile_mlir.tools.croq_run", "--simulate", "--size", "M=3,N=5")
OPT = ("croqtile_mlir.tools.croq_opt",)


def closed(tool: tuple[str, ...], how: str) -> tuple[int, str]:
    """The status and the errors of a tool whose standard output is closed somehow."""
    module, *options = tool
    done = subprocess.run(
        [
            "sh",
            "-c",
            f'exec "$0" -m "$@" {how}',
            sys.executable,
            module,
            COPY,
            *options,
        ],
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("tool", [RUN, OPT], ids=["croq-run", "croq-opt"])
def test_a_reader_that_is_gone(tool: tuple[str, ...]):
    reader, writer = os.pipe()
    os.close(reader)
    module, *options = tool
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, COPY, *options],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_no_standard_output():
    assert closed(RUN, ">&-") == (0, "")
    assert closed(OPT, ">&-") == (1, "error: the standard output: it is closed\n")


@pytest.mark.parametrize("tool", [RUN, OPT], ids=["croq-run", "croq-opt"])
def test_a_full_device(tool: tuple[str, ...]):
    status, errors = closed(tool, "> /dev/full")
    assert status == 1
    assert "error: the standard output: No space left on device" in errors


def test_what_is_no_file_is_not_replaced(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"text")
        assert os.read(reader, 8) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    (tmp_path / "file").write_bytes(b"old")
    write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("place", ["nowhere/file", "folder"])
def test_errors_name_the_file_that_was_asked_for(tmp_path: Path, place: str):
    """Not the one that is written before it gets its name."""
    (tmp_path / "folder").mkdir()
    path = tmp_path / place
    with pytest.raises(OSError, match=r"No such file|Is a directory") as caught:
        write_whole(path, b"text")
    assert caught.value.filename == str(path)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
