"""Which of those that can go on does so: the schedule of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from croqtile_mlir.simulator.actors import Agent, Transfer

NAMES = ("rr", "late", "early", "random:SEED")


class Policy(Protocol):
    """Chooses what happens next; at least one sequence is not empty."""

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """One of the agents that can step, or of the operations that can land."""
        ...


@dataclass
class Watched:
    """A policy that tells now and then that it was asked."""

    inner: Policy
    tell: Callable[[], None]
    every: int
    """Choices from one call of `tell` to the next."""

    steps: int = 0

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """What the policy chooses."""
        self.steps += 1
        if self.steps % self.every == 0:
            self.tell()
        return self.inner.choose(agents, transfers)


@dataclass
class RoundRobin:
    """Agents in turn, and a landing after every third step."""

    turn: int = 0

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """The next in turn."""
        self.turn += 1
        if transfers and (not agents or self.turn % 4 == 3):
            return transfers[0]
        return agents[self.turn % len(agents)]


@dataclass
class Late:
    """Operations land when no agent can go on: reads of what is not there yet show."""

    turn: int = 0

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """An agent if there is one; of transfers the newest."""
        self.turn += 1
        return agents[self.turn % len(agents)] if agents else transfers[-1]


@dataclass
class Early:
    """Operations land at once: buffers filled too early show."""

    turn: int = 0

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """A transfer if there is one."""
        self.turn += 1
        return transfers[0] if transfers else agents[self.turn % len(agents)]


@dataclass
class Shuffled:
    """Anything, by a seeded generator."""

    random: Random

    def choose(
        self, agents: Sequence[Agent], transfers: Sequence[Transfer]
    ) -> Agent | Transfer:
        """One of all."""
        if transfers and (not agents or self.random.random() < 0.5):
            return self.random.choice(transfers)
        return self.random.choice(agents)


def policy_named(name: str) -> Policy:
    """
    The policy `rr`, `late`, `early` or `random:SEED`.

    Raises:
        ValueError: there is none of that name.
    """
    kind, _, seed = str(name).partition(":")
    if kind == "random" and (not seed or seed.isdecimal()):
        return Shuffled(Random(int(seed or 0)))
    makers = {"rr": RoundRobin, "late": Late, "early": Early}
    if name not in makers:
        raise ValueError(f"policy must be one of {', '.join(NAMES)}, got {name!r}")
    return makers[name]()
