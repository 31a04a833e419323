"""Groups of asynchronous copies of one thread: bulk groups, and those of `cp.async`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from croqtile_mlir.simulator.actors import Agent, Transfer
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.program import Frame


@dataclass(eq=False)
class Copy:
    """One copy in flight."""

    transfer: Transfer
    read: Clock | None = None
    """What is known once its source has been read."""


@dataclass(eq=False)
class _Thread:
    open: list[Copy] = field(default_factory=list[Copy])
    groups: list[list[Copy]] = field(default_factory=list[list[Copy]])


@dataclass(eq=False)
class Groups:
    """The groups of all threads of a block, by agent and lane."""

    threads: dict[tuple[Agent, int], _Thread] = field(
        default_factory=dict[tuple[Agent, int], _Thread]
    )

    @classmethod
    def of(cls, frame: Frame, kind: str) -> Groups:
        """Those of a kind of copy in the block."""
        key = ("groups", kind)
        if key not in frame.block.objects:
            frame.block.objects[key] = cls()
        return frame.block.objects[key]

    def add(self, frame: Frame, copy: Copy, lanes: Iterable[int]) -> None:
        """A copy that lanes of an agent have started."""
        for lane in lanes:
            key = (frame.agent, int(lane))
            self.threads.setdefault(key, _Thread()).open.append(copy)

    def commit(self, frame: Frame) -> None:
        """The active lanes make a group of their copies so far."""
        for lane in frame.lanes:
            thread = self.threads.setdefault((frame.agent, int(lane)), _Thread())
            thread.groups.append(thread.open)
            thread.open = []

    def wait(self, frame: Frame, kept: int, *, read: bool = False) -> None:
        """
        The active lanes wait for all but the newest groups.

        With `read` they only learn that the sources have been read, and the groups
        stay pending.
        """
        agent = frame.agent
        for lane in frame.lanes:
            thread = self.threads.get((agent, int(lane)))
            if thread is None:
                continue
            count = max(0, len(thread.groups) - kept)
            for copy in (copy for group in thread.groups[:count] for copy in group):
                agent.engine.land(copy.transfer)
                known = copy.read if read else copy.transfer.clock
                if known is not None:
                    agent.clock.join(known)
            if not read:
                del thread.groups[:count]

    def so_far(self, frame: Frame, lanes: Iterable[int]) -> list[Copy]:
        """All copies of lanes that no wait has taken yet."""
        found: dict[int, Copy] = {}
        for lane in lanes:
            thread = self.threads.get((frame.agent, int(lane)))
            if thread is not None:
                for group in (*thread.groups, thread.open):
                    found.update((id(copy), copy) for copy in group)
        return list(found.values())
