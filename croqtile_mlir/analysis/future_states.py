"""Whether copies are in flight at a point of a program, and under which names."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.dialects.croq import CopyAsyncOp

Story = tuple[tuple[Operation, str], ...]
"""What became of a future so far, for traces."""


class Misuse(Exception):
    """A future is used against its rules."""

    def __init__(
        self,
        op: Operation,
        message: str,
        hint: str | None,
        notes: tuple[tuple[Operation, str], ...],
        story: Story,
    ) -> None:
        super().__init__(message)
        self.op = op
        self.message = message
        self.hint = hint
        self.notes = notes
        self.story = story


class Standing(StrEnum):
    """How a buffer stands; the text is for messages."""

    IDLE = "no copy in flight"
    FLYING = "a copy in flight"
    UNSURE = "a copy that may be in flight"


@dataclass(eq=False)
class Life:
    """What all names of a buffer have in common at a point of the program."""

    started: CopyAsyncOp | None = None
    """The copy that fills it."""

    unsure: bool = False
    """Whether it depends on conditions that it is in flight."""

    home: Block | None = None
    """Where it was started, or came in; None where it depends on conditions."""

    moved: Operation | None = None
    """The loop that has given it new names."""

    earlier: Life | None = None
    """
    One of those that the loop before had, in any order: which is which depends on the
    iterations, but after it there are as many buffers as before.
    """

    choices: tuple[Life, Life] | None = None
    """For one of two that a condition chooses: these."""

    fills: int = 0
    """How many copies into it were started: names from before the last are old."""

    told: Story = ()

    @property
    def standing(self) -> Standing:
        """Whether a copy is in flight."""
        if self.choices is not None:
            first, second = (life.standing for life in self.choices)
            return first if first is second else Standing.UNSURE
        if self.started is None:
            return Standing.IDLE
        return Standing.UNSURE if self.unsure else Standing.FLYING

    @property
    def is_unsure(self) -> bool:
        """Whether conditions decide."""
        return self.standing is Standing.UNSURE

    @property
    def flight(self) -> CopyAsyncOp | None:
        """A copy that is, or may be, in flight."""
        if self.choices is None:
            return self.started
        first, second = self.choices
        return first.flight or second.flight

    @property
    def loop(self) -> Operation | None:
        """The loop that has taken its names away."""
        if self.moved is None and self.choices is not None:
            first, second = self.choices
            return first.loop or second.loop
        return self.moved

    @property
    def first(self) -> Life:
        """The life that this goes on, from loop to loop."""
        return self if self.earlier is None else self.earlier.first

    @property
    def story(self) -> Story:
        """What became of it so far."""
        if self.choices is None:
            return self.told
        first, second = self.choices
        return (*first.story, *second.story, *self.told)

    def start(self, copy: CopyAsyncOp, block: Block, *, in_flight: bool) -> None:
        """A copy into the buffer is started."""
        self.fills += 1
        self.told = (*self.told, (copy, "start a copy"))
        if not in_flight:
            return
        if self.choices is None:
            self.started, self.unsure, self.home = copy, False, block
            return
        for life in self.choices:
            life.maybe(copy)

    def over(self, op: Operation) -> None:
        """The copy is awaited."""
        self.told = (*self.told, (op, "wait for it"))
        if self.choices is None:
            self.started, self.unsure = None, False
            return
        for life in self.choices:
            if (flight := life.flight) is not None:
                life.maybe(flight)

    def maybe(self, copy: CopyAsyncOp) -> None:
        """From here on it depends on conditions whether a copy is in flight."""
        if self.choices is not None:
            for life in self.choices:
                life.maybe(copy)
        else:
            self.started, self.unsure = copy, True

    def inside(self, loop: Operation, body: Block, unsure: bool) -> Life:
        """What it is in the body of a loop that carries it."""
        told: Story = (*self.story, (loop, "the loop carries it"))
        if not unsure:
            return Life(self.flight, home=body, told=told)
        return Life(self.flight or _any_copy(loop), True, body, told=told)

    def after(self, loop: Operation, block: Block, last: Life, unsure: bool) -> Life:
        """What a loop makes of it; `last` is what an iteration yields."""
        flight = last.flight or self.flight if unsure else last.flight
        made = Life(
            flight or (_any_copy(loop) if unsure else None),
            unsure,
            block,
            earlier=self,
            told=(*last.story, (loop, "the loop is over")),
        )
        if self.choices is None:
            self.started, self.unsure = None, False
        else:
            self.over(loop)
        self.moved = loop
        return made


def _any_copy(loop: Operation) -> CopyAsyncOp | None:
    return next((op for op in loop.walk() if isinstance(op, CopyAsyncOp)), None)


@dataclass(frozen=True)
class _State:
    started: CopyAsyncOp | None
    unsure: bool
    home: Block | None
    moved: Operation | None
    fills: int
    told: Story


_UNBORN = _State(None, False, None, None, 0, ())

Snapshot = dict[Life, _State]


@dataclass
class Lives:
    """The lives of a block by the names of their futures."""

    of: dict[SSAValue, Life] = field(default_factory=dict[SSAValue, Life])
    _fills: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def name(self, value: SSAValue, life: Life) -> None:
        """A new name of a buffer and of the last copy into it."""
        self.of[value] = life
        self._fills[value] = life.fills

    def is_old(self, value: SSAValue) -> bool:
        """Whether a name is from before the last copy into its buffer."""
        return self._fills[value] != self.of[value].fills

    def snapshot(self) -> Snapshot:
        """How all stand."""
        found: Snapshot = {}
        todo = list(self.of.values())
        while todo:
            life = todo.pop()
            if life not in found:
                found[life] = _State(
                    life.started,
                    life.unsure,
                    life.home,
                    life.moved,
                    life.fills,
                    life.told,
                )
                todo += life.choices or ()
        return found

    def restore(self, state: Snapshot) -> None:
        """Let those that a snapshot knows stand as they did."""
        for life, was in state.items():
            _set(life, was)


def _set(life: Life, state: _State) -> None:
    life.started, life.unsure = state.started, state.unsure
    life.home, life.moved = state.home, state.moved
    life.fills, life.told = state.fills, state.told


def merge(first: Snapshot, second: Snapshot, block: Block) -> None:
    """Let all stand as after one of two branches in a block, not known which."""
    for life in {**first, **second}:
        a, b = first.get(life, _UNBORN), second.get(life, _UNBORN)
        differ = (a.started is None) != (b.started is None)
        _set(
            life,
            _State(
                a.started or b.started,
                a.unsure or b.unsure or differ,
                a.home if a.home is b.home else block,
                a.moved or b.moved,
                max(a.fills, b.fills),
                a.told if len(a.told) >= len(b.told) else b.told,
            ),
        )
