"""An execution as a Chrome trace, for Perfetto: one track per agent and per engine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from croqtile_mlir.diagnostics import location_of, op_name
from croqtile_mlir.storage.whole_files import write_whole

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from croqtile_mlir.simulator.actors import Agent, Transfer, Waiting
    from croqtile_mlir.simulator.barriers import Mbarrier
    from croqtile_mlir.simulator.engine import Engine

Event = dict[str, object]

MAX_EVENTS = 1_000_000
"""Blocks that begin after so many events are not recorded."""

_SHOWN_OPS = 16
"""Ops of a step that its slice lists."""

_FIRST_ENGINE = 1000
"""Number of the first track of an engine; those of agents come before."""


@dataclass
class Trace:
    """
    Events of the trace event format: a process for each block, a thread for each track.

    Time is in ticks (steps of the machine), shown as microseconds; every block starts
    at 0, the blocks of a cluster together. A step of an agent is a slice of one tick,
    named after its first op; a wait a slice named after what it waits for, up to the
    step that ended it, from which an arrow leads to the step that follows the wait; a
    test of a barrier in vain is a wait without an arrow. An operation in flight is a
    slice from its issue to its landing, on a track of its engine.
    """

    events: list[Event] = field(default_factory=list[Event])
    blocks: int = 0
    """Blocks recorded so far."""

    _blocks: dict[Engine, _BlockTracks] = field(
        default_factory=dict["Engine", "_BlockTracks"]
    )
    """Of those that run."""

    @property
    def is_full(self) -> bool:
        """Whether further blocks should not be recorded."""
        return len(self.events) >= MAX_EVENTS

    def step(self, engine: Engine, agent: Agent, began: int) -> None:
        """An agent made a step, and may wait now."""
        track = self._of(engine).step(agent, began)
        self._end_waits(engine, track, began)

    def operation(self, engine: Engine, transfer: Transfer) -> None:
        """An operation has landed."""
        track = self._of(engine).operation(transfer)
        self._end_waits(engine, track, engine.ticks)

    def phase(self, engine: Engine, barrier: Mbarrier) -> None:
        """A phase of an mbarrier is complete."""
        self._of(engine).phase(barrier)

    def finish(self, engine: Engine) -> None:
        """The block has ended: what still waits does so for ever."""
        self._of(engine).finish()
        del self._blocks[engine]

    def write(self, path: str | os.PathLike[str], **about: object) -> None:
        """Write the file, whole or not at all; `about` is kept as `otherData`."""
        target = Path(path)
        text = json.dumps(
            {
                "traceEvents": self.events,
                "displayTimeUnit": "ms",
                "otherData": {"time": "ticks of the simulator, not measured", **about},
            }
        )
        try:
            write_whole(target, text.encode())
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(target)) from None

    def _of(self, engine: Engine) -> _BlockTracks:
        found = self._blocks.get(engine)
        if found is None:
            self.blocks += 1
            found = _BlockTracks(engine, self.events, self.blocks)
            self._blocks[engine] = found
        return found

    def _end_waits(self, engine: Engine, track: int, now: int) -> None:
        """Who waits no more, in any block, owes it to what happens at this tick."""
        cause = self._of(engine)
        for block in self._blocks.values():
            for agent, wait in block.waits.items():
                over = (
                    wait.since <= now and not agent.is_polling and wait.waiting.ready()
                )
                if over and wait.flow is None:
                    wait.flow = cause.begin_arrow(track, now)
                    block.wait_slice(agent, wait, now + 1)


@dataclass(eq=False)
class _Wait:
    waiting: Waiting
    since: int
    state: str
    """What it waited for when the wait began."""

    flow: int | None = None
    """The arrow from what ended it, once it is over."""


@dataclass(eq=False)
class _BlockTracks:
    """The tracks of one block: a process."""

    engine: Engine
    events: list[Event]
    process: int
    tracks: dict[object, int] = field(default_factory=dict[object, int])
    engine_ends: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """For each engine the ends of the last operations on its tracks."""

    waits: dict[Agent, _Wait] = field(default_factory=dict["Agent", _Wait])
    epochs: dict[int, int] = field(default_factory=dict[int, int])
    """Epochs of each agent's slot that have been shown."""

    flows: int = 0

    def __post_init__(self) -> None:
        index = ", ".join(str(part) for part in self.engine.block)
        self._name("process_name", 0, f"block {index}")
        self._add("M", "process_sort_index", 0, args={"sort_index": self.process})

    def step(self, agent: Agent, began: int) -> int:
        """Show a step; the track that it is on."""
        track = self._agent_track(agent)
        wait = self.waits.pop(agent, None)
        ops = self._ops_of_step(agent)
        name = op_name(ops[0]) if ops else "step"
        shown = [_place(op) for op in ops[:_SHOWN_OPS]]
        if len(ops) > _SHOWN_OPS:
            shown.append(f"and {len(ops) - _SHOWN_OPS} more")
        if wait is not None and wait.flow is None and wait.since < began:
            self.wait_slice(agent, wait, began)
        self._slice(track, name, began, began + 1, {"ops": shown})
        if wait is not None and wait.flow is not None:
            self._add("f", "ends", began, track, id=wait.flow, cat="wait", bp="e")
        waiting = agent.waiting
        if waiting is not None and (agent.is_polling or not waiting.ready()):
            self.waits[agent] = _Wait(waiting, began + 1, waiting.describe())
        return track

    def operation(self, transfer: Transfer) -> int:
        """Show an operation that has landed; the track that it is on."""
        began, ended = transfer.started, self.engine.ticks + 1
        ends = self.engine_ends.setdefault(transfer.track, [])
        free = (lane for lane, end in enumerate(ends) if end <= began)
        lane = next(free, len(ends))
        ends[lane : lane + 1] = [ended]
        track = self._engine_track(transfer.track, lane)
        args: dict[str, object] = {"issued by": transfer.name}
        if transfer.op is not None:
            args["op"] = _place(transfer.op)
        name = transfer.track if transfer.op is None else op_name(transfer.op)
        self._slice(track, name, began, ended, args)
        return track

    def phase(self, barrier: Mbarrier) -> None:
        self._add(
            "C",
            f"phases of {barrier.name}",
            self.engine.ticks,
            args={"complete": barrier.completed},
        )

    def finish(self) -> None:
        for agent, wait in self.waits.items():
            if wait.flow is None:
                wait.state = wait.waiting.describe()
                self.wait_slice(agent, wait, self.engine.ticks + 2, "for ever: ")
        self.waits.clear()

    def begin_arrow(self, track: int, now: int) -> int:
        """An arrow from what ends a wait; its number."""
        self.flows += 1
        flow = self.process << 32 | self.flows
        self._add("s", "ends", now, track, id=flow, cat="wait")
        return flow

    def wait_slice(
        self, agent: Agent, wait: _Wait, ended: int, prefix: str = ""
    ) -> None:
        args: dict[str, object] = {"state": wait.state}
        if wait.waiting.op is not None:
            args["op"] = _place(wait.waiting.op)
        name = prefix + wait.state.partition(":")[0]
        self._slice(self._agent_track(agent), name, wait.since, ended, args)

    def _ops_of_step(self, agent: Agent) -> list[Operation]:
        """The ops that accessed memory or synchronised since the last step."""
        line = self.engine.history.ops[agent.slot]
        seen = self.epochs.get(agent.slot, 1)
        self.epochs[agent.slot] = len(line)
        ops = [op for op, _ in line[seen:] if op is not None]
        return [op for op, last in zip(ops, [None, *ops], strict=False) if op != last]

    # Tracks and events

    def _agent_track(self, agent: Agent) -> int:
        if agent not in self.tracks:
            number = self.tracks[agent] = self.engine.agents.index(agent) + 1
            self._name("thread_name", number, agent.name)
        return self.tracks[agent]

    def _engine_track(self, name: str, lane: int) -> int:
        if (name, lane) not in self.tracks:
            engines = sum(isinstance(key, tuple) for key in self.tracks)
            number = self.tracks[name, lane] = _FIRST_ENGINE + engines
            self._name("thread_name", number, f"{name} {lane + 1}" if lane else name)
        return self.tracks[name, lane]

    def _name(self, kind: str, track: int, name: str) -> None:
        self._add("M", kind, 0, track, args={"name": name})

    def _slice(
        self, track: int, name: str, began: int, ended: int, args: Mapping[str, object]
    ) -> None:
        self._add("X", name, began, track, dur=ended - began, args=dict(args))

    def _add(
        self, kind: str, name: str, at: int, track: int = 0, **more: object
    ) -> None:
        event: Event = {"ph": kind, "name": name, "ts": at}
        self.events.append({**event, "pid": self.process, "tid": track, **more})


def _place(op: Operation) -> str:
    location = location_of(op)
    return f"{op_name(op)} {location}" if location.is_known else op_name(op)
