"""What of `benchmarks/launch_overhead.py` needs no device."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gemm_bench.environment import why_no_device
from launch_bench import variants as ways
from launch_bench.measures import Call, Contender, Failures, measure, ready
from launch_overhead import main
from many_arguments import sum_of

import croqtile_mlir as croq


def test_contenders_take_turns_and_making_ready_is_off_the_clock():
    order: list[str] = []
    waits: list[None] = []

    def contender(name: str, seconds: float) -> Contender:
        def batch(count: int) -> Call:
            order.append(name)
            time.sleep(0.02)
            return lambda number: time.sleep(seconds * (number < count))

        return Contender(name, batch)

    every = [contender("slow", 0.004), contender("fast", 0.0)]
    slow, fast = measure(every, 2, 3, lambda: waits.append(None))
    assert order == ["slow", "fast", "fast", "slow", "slow", "fast"]
    assert len(waits) == 12
    assert (slow.contender, fast.contender) == ("slow", "fast")
    assert slow.fastest >= 4000, "microseconds of one call"
    assert slow.fastest <= slow.median <= slow.slowest
    assert fast.fastest < 4000


@pytest.mark.skipif(not why_no_device(), reason="there is a device")
def test_nothing_is_measured_without_a_device(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("skipped: ")


def test_what_fails_is_told_and_stops_no_other(capsys: pytest.CaptureFixture[str]):
    def fails(number: int) -> None:
        raise ValueError("no")

    def broken() -> Iterator[Contender]:
        yield Contender("never seen", ready(fails))
        raise OSError("gone")

    failures = Failures()
    every = failures.made("a group", broken)
    every += [Contender("bad", ready(fails)), Contender("good", ready(lambda n: n))]
    results = measure(every, 3, 2, lambda: None, failures)
    assert [each.contender for each in results] == ["good"]
    assert failures.reasons == {"a group": "OSError: gone", "bad": "ValueError: no"}
    assert capsys.readouterr().out.count("failed: ") == 2
    with pytest.raises(ValueError, match="no"):
        measure(every, 1, 1, lambda: None)
    assert measure([], 1, 1, lambda: None) == []


def test_no_round_begins_after_the_time():
    calls: list[int] = []
    slow = Contender("slow", ready(calls.append))
    (result,) = measure([slow], 100, 1, lambda: time.sleep(0.01), seconds=0.0)
    assert len(calls) == 2
    assert result.median > 0


@pytest.mark.parametrize(("tensors", "scalars"), [(18, 0), (2, 16)])
def test_the_bare_launch_has_as_many_parameters(tensors: int, scalars: int):
    kernel = croq.compile(sum_of(tensors, scalars))
    assert len(kernel.plan.params) == tensors + scalars + 1 == 19


def test_pieces(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """They need tensors of torch, but no device."""
    pytest.importorskip("torch")
    file = tmp_path / "pieces.json"
    assert main(["--pieces", "--rounds=2", "--calls=3", f"--json={file}"]) == 0
    report = json.loads(file.read_text())
    names = [each["contender"] for each in report["pieces"]]
    assert "19 tensors: guard" in names
    assert "3 tensors: call with no launch" in names
    assert report["failed"] == {}
    assert "| 19 tensors: addresses |" in capsys.readouterr().out


@pytest.mark.parametrize("count", [3, 19])
def test_variants(count: int, monkeypatch: pytest.MonkeyPatch):
    """Each launches what was prepared, and all but one see another address."""
    torch: Any = pytest.importorskip("torch")

    def current(device: int) -> int:
        return 5

    def current_stream_of(torch: Any) -> Any:
        return current

    monkeypatch.setattr(ways, "current_stream_of", current_stream_of)
    tensors = [torch.randn(256) for _ in range(count)]
    launched: list[tuple[int, int]] = []

    class Enqueue:
        launches: dict[int, Any]

        def __init__(self) -> None:
            self.launches = {}

        def __call__(self, stream: int, parameters: int) -> None:
            self.launches[stream] = self.launch

        def launch(self, parameters: int, extra: int) -> tuple[int]:
            launched.append((parameters, extra))
            return (0,)

    prepared: Any = SimpleNamespace(
        parameters=SimpleNamespace(address=77),
        enqueue=Enqueue(),
        kernel=SimpleNamespace(device=SimpleNamespace(ordinal=0)),
    )
    names: list[str] = []
    for name, make in ways.variants(torch, prepared, tensors):
        launch = make()
        launch(*tensors)
        assert launched.pop() == (77, 0)
        names.append(name)
        if name == "nothing checked":
            continue
        for other in (torch.randn(256), torch.randn(128)):
            with pytest.raises(LookupError):
                launch(*tensors[:-1], other)
        assert not launched
    assert len(names) == 6
