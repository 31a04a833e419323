"""The line that says what takes long."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from croqtile_mlir.runtime.device import Availability
from croqtile_mlir.tools import croq_opt, croq_run
from croqtile_mlir.tools.croq_opt import run
from croqtile_mlir.tools.waiting import Waiting, waiting

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        return True


def until(stream: io.StringIO, text: str) -> None:
    """Wait for what another thread writes."""
    deadline = time.monotonic() + 20
    while text not in stream.getvalue():
        assert time.monotonic() < deadline, stream.getvalue()
        time.sleep(0.005)


def test_it_says_what_is_done_and_goes_away():
    stream = io.StringIO()
    line = Waiting(stream, "lower-dma", silent=0.0)
    line.start()
    until(stream, "\r  lower-dma, 0 s")
    line.text = "lower-mma"
    until(stream, "\r  lower-mma, ")
    line.clear()
    line.stop()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_nothing_is_said_of_what_is_short(monkeypatch: pytest.MonkeyPatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with waiting("compiling") as line:
        assert line is not None
    assert stream.getvalue() == ""


def test_nothing_is_said_to_a_file(monkeypatch: pytest.MonkeyPatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with waiting("compiling", silent=0.0) as line:
        assert line is None
        time.sleep(0.01)
    assert stream.getvalue() == ""


def test_passes_are_named_and_messages_stand_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The line would be written at once; what is said of the input is still whole."""
    monkeypatch.setattr(croq_opt, "waiting", partial(waiting, silent=0.0))
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    source = str(EXAMPLES / "matmul_1p1c.mlir")
    target = tmp_path / "out.mlir"
    assert run([source, "--croq-to-ptx", "-o", str(target)]) == 0
    assert "ptx.entry" in target.read_text()
    assert run([source, "--bind-params=Q=1", "-o", str(target)]) == 1
    shown = stream.getvalue()
    assert re.search(r"\r  [a-z-]+, \d+ s\x1b", shown)
    assert "error: " in shown


@pytest.mark.parametrize("options", [[], ["--simulate"], ["--resources"]], ids=str)
def test_all_that_may_take_long_is_told(
    options: list[str], monkeypatch: pytest.MonkeyPatch
):
    """Each part of a run without a device says what it is."""
    told: list[str] = []

    @contextmanager
    def record(text: str) -> Generator[None]:
        told.append(text)
        yield

    nothing = Availability(False, "no device: none in this test")
    monkeypatch.setattr("croqtile_mlir.runtime.device.available", lambda: nothing)
    for module in ("croq_run", "simulated_run", "run_output", "resource_report"):
        monkeypatch.setattr(f"croqtile_mlir.tools.{module}.waiting", record)
    copy = str(EXAMPLES / "copy.mlir")
    assert croq_run.run([copy, "--size", "M=8,N=8", "--check", *options]) == 0
    run = ["making random inputs", "comparing with the reference in float64"]
    assert (
        told
        == {
            "": ["compiling", "assembling", "compiling", *run],
            "--simulate": ["compiling", *run],
            "--resources": ["compiling", "assembling"],
        }["".join(options)]
    )
