"""The trace of a run: valid, ordered, and it shows who waits for what."""

from __future__ import annotations

import json
import stat
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from croqtile_mlir import simulator
from croqtile_mlir.simulator import Options, Trace
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.barriers import Mbarrier, PhaseWait
from croqtile_mlir.simulator.state import BlockState
from simulator.fake_kernel import COPY, WAIT, FakeKernel, await_copy, copy_row, loaded

Event = dict[str, Any]


def copy_twice(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    """Two operations of one engine that are in flight at a time."""
    yield from copy_row(block, agent, done)
    block.engine.launch([agent], COPY, lambda _: None, track="TMA")
    block.engine.launch([agent], COPY, lambda _: None, track="TMA")
    for _ in range(4):
        yield None


def wait_for_ever(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    wait = PhaseWait(done, agent, 5, WAIT, exact=True)
    while not wait.ready():
        yield wait


def traced(*programs: Any, rows: int = 3, policy: str = "rr") -> list[Event]:
    """The events of a run, through a file's text."""
    trace = Trace()
    x = np.random.default_rng(0).standard_normal((rows, 8)).astype(np.float16)
    kernel = FakeKernel(programs or (copy_row, await_copy))
    simulator.run(
        loaded(kernel), x, 1, np.zeros_like(x), options=Options(policy, trace)
    )
    return json.loads(json.dumps(trace.events))


def tracks(events: list[Event]) -> dict[tuple[int, str], list[Event]]:
    """The slices of each track, by block and name."""
    names = {
        (e["pid"], e["tid"]): str(e["args"]["name"])
        for e in events
        if e["name"] == "thread_name"
    }
    found: dict[tuple[int, str], list[Event]] = {}
    for event in events:
        if event["ph"] == "X":
            track = names[event["pid"], event["tid"]]
            found.setdefault((event["pid"], track), []).append(event)
    return found


@pytest.mark.parametrize("policy", ["rr", "late", "early", "random:3"])
def test_slices_of_a_track_do_not_overlap(policy: str):
    found = tracks(traced(copy_twice, await_copy, policy=policy))
    assert {name for _, name in found} >= {"warp 0", "warp 1", "TMA"}
    assert {block for block, _ in found} == {1, 2, 3}
    for slices in found.values():
        for one, next_one in pairwise(slices):
            assert one["ts"] + one["dur"] <= next_one["ts"]
        assert all(each["dur"] > 0 for each in slices)


def test_operations_in_flight_at_a_time_have_tracks_of_their_own():
    found = tracks(traced(copy_twice, await_copy, policy="late"))
    assert {"TMA", "TMA 2", "TMA 3"} <= {name for _, name in found}


def test_a_wait_is_a_slice_and_an_arrow_from_what_ends_it():
    events = traced(rows=1, policy="late")
    found = tracks(events)
    (wait,) = [e for e in found[1, "warp 1"] if e["name"].startswith("waits")]
    assert wait["name"] == "waits for phase 0 of done"
    assert wait["args"]["op"] == "test.op fake.mlir:12:3"
    (copy,) = found[1, "TMA"]
    assert copy["name"] == "test.op"
    assert copy["args"]["op"] == "test.op fake.mlir:10:3"
    assert copy["ts"] + copy["dur"] == wait["ts"] + wait["dur"]
    (start,) = [e for e in events if e["ph"] == "s"]
    (end,) = [e for e in events if e["ph"] == "f"]
    assert start["id"] == end["id"]
    assert start["tid"] == copy["tid"]
    assert copy["ts"] <= start["ts"] < copy["ts"] + copy["dur"]
    after = found[1, "warp 1"][-1]
    assert (end["tid"], end["ts"]) == (after["tid"], after["ts"])


def test_phases_are_counted():
    events = traced(rows=1)
    (count,) = [e for e in events if e["ph"] == "C"]
    assert count["name"] == "phases of done"
    assert count["args"] == {"complete": 1}


def test_steps_name_their_ops():
    found = tracks(traced(rows=1, policy="early"))
    assert [e["args"]["ops"] for e in found[1, "warp 0"]] == [
        [],
        ["test.op fake.mlir:11:3"],
        [],
    ]


def test_a_deadlock_is_a_wait_that_does_not_end():
    events = traced(copy_row, wait_for_ever, rows=2)
    found = tracks(events)
    last = found[1, "warp 1"][-1]
    assert last["name"] == "for ever: waits for phase 5 of done"
    assert last["ts"] + last["dur"] > max(e["ts"] for e in found[1, "warp 0"])


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path):
    trace = Trace()
    trace.events += traced(rows=1)
    file = tmp_path / "out.json"
    trace.write(file, kernel="fake")
    content = json.loads(file.read_text())
    assert content["traceEvents"] == trace.events
    assert content["otherData"]["kernel"] == "fake"
    assert "not measured" in content["otherData"]["time"]
    assert stat.S_IMODE(file.stat().st_mode) & 0o044 == 0o044
    trace.events.append({"unserialisable": object()})
    before = file.read_text()
    with pytest.raises(TypeError):
        trace.write(file)
    assert file.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    trace.events.pop()
    missing = tmp_path / "nowhere" / "out.json"
    with pytest.raises(FileNotFoundError) as caught:
        trace.write(missing)
    assert caught.value.filename == str(missing)


def test_a_long_run_records_its_first_blocks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("croqtile_mlir.simulator.trace.MAX_EVENTS", 40)
    blocks = {block for block, _ in tracks(traced(rows=50))}
    assert 1 < len(blocks) < 10
