"""
The life cycle of futures under the names that loops and permutations give them.

A copy is awaited once, under the newest name of its future; a loop leaves the futures
that it carries as it found them, with a copy in flight or without.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.future_webs import (
    Loop,
    Webs,
    carried_futures,
    filled,
    next_values,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AnyOp,
    AwaitOp,
    CopyAsyncOp,
    ForeachOp,
    ParallelOp,
    PermuteOp,
    TriggerOp,
)

_STARTED = "the copy is started here"


@dataclass(eq=False)
class _Life:
    """What all names of a buffer have in common at a point of the program."""

    flight: CopyAsyncOp | None = None
    """The copy that fills it."""

    block: Block | None = None
    """Where it was started, or came in."""

    moved: Loop | None = None
    """The loop that has given it new names."""

    earlier: _Life | None = None
    """
    One of those that the loop before had, in any order: which is which depends on the
    iterations, but after it there are as many buffers as before.
    """

    @property
    def first(self) -> _Life:
        """The life that this goes on, from loop to loop."""
        return self if self.earlier is None else self.earlier.first

    @property
    def state(self) -> str:
        """For messages."""
        return "a copy in flight" if self.flight is not None else "no copy in flight"


@dataclass
class _Lives:
    webs: Webs
    of: dict[SSAValue, _Life] = field(default_factory=dict[SSAValue, _Life])

    def block(self, block: Block) -> list[_Life]:
        """Follow the ops of a block; the lives that it is to bring to an end."""
        here: list[_Life] = []
        for op in block.ops:
            self._op(op, block, here)
        return here

    def _op(self, op: Operation, block: Block, here: list[_Life]) -> None:
        match op:
            case AnyOp():
                self.of[op.future] = _Life()
            case CopyAsyncOp() if op.future in self.webs.of:
                here.append(self._start(op, block))
            case AwaitOp() if op.future in self.webs.of:
                self._await(op, block)
            case TriggerOp():
                for future in op.after:
                    if future in self.webs.of and not isinstance(
                        future.owner, CopyAsyncOp
                    ):
                        fail(
                            op,
                            "future must be the result of croq.copy_async, got a value "
                            "that is carried by a loop or permuted",
                            hint="bind it to an event in the block that starts the "
                            "copy",
                        )
            case PermuteOp():
                lives = [self._named(value, op) for value in op.permuted]
                self.of.update(zip(op.results, lives, strict=True))
            case ForeachOp() | scf.ForOp():
                here += self._loop(op, block)
            case _:
                for region in op.regions:
                    for inner in region.blocks:
                        _end(self.block(inner), inner)

    def _start(self, copy: CopyAsyncOp, block: Block) -> _Life:
        handle = filled(copy)
        life = _Life()
        if handle is not None and not isinstance(handle.owner, AllocOp):
            life = self._named(handle, copy)
        if life.flight is not None:
            fail(
                copy,
                "must fill a buffer that no other copy is filling, got one that a copy "
                "in flight fills",
                hint="await that copy first",
                notes=[(life.flight, _STARTED)],
            )
        self.of[copy.future] = life
        if not any(isinstance(u.operation, TriggerOp) for u in copy.future.uses):
            life.flight, life.block = copy, block
        return life

    def _await(self, op: AwaitOp, block: Block) -> None:
        life = self._named(op.future, op)
        if life.flight is None:
            fail(
                op,
                "must wait for a copy in flight, got a future without one: none was "
                "started, or it was awaited before",
            )
        if life.block is not block:
            fail(
                op,
                "must be in the block of its copy, got it in another region",
                hint="a loop that carries the future may await it",
                notes=[(life.flight, _STARTED)],
            )
        life.flight = None

    def _named(self, value: SSAValue, user: Operation) -> _Life:
        life = self.of.get(value)
        if life is None:
            fail(user, "must use a future whose copy is known, got another one")
        if life.moved is not None:
            fail(
                user,
                "must use the newest name of a future, got one from before a loop that "
                "carries it",
                hint="use the result of the loop",
                notes=[(life.moved, "the loop is here")],
            )
        return life

    def _loop(self, loop: Loop, block: Block) -> list[_Life]:
        body, numbers = loop.body.block, carried_futures(loop)
        before = [self._named(loop.iter_args[i], loop) for i in numbers]
        if len(set(before)) < len(before):
            fail(loop, "must carry different futures, got one twice")
        inside = [_Life(life.flight, body) for life in before]
        for i, life in zip(numbers, inside, strict=True):
            self.of[body.args[i + 1]] = life
        here = self.block(body)
        last, follow = body.last_op or loop, next_values(loop)
        after = [self._named(follow[i], last) for i in numbers]
        if {life.first for life in after} != set(inside):
            fail(
                last,
                "must yield the futures that the loop carries, each once, got another "
                "one",
                hint="carry every buffer that takes part: croq.any is one to begin "
                "with",
                notes=[(loop, "the loop is here")],
            )
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            if (old.flight is None) != (new.flight is None):
                started = old.flight or new.flight
                fail(
                    last,
                    f"must leave carried future {number} as it was before the loop, "
                    f"with {old.state}, got {new.state}",
                    notes=[] if started is None else [(started, _STARTED)],
                )
        _end([life for life in here if life not in after], body)
        made: list[_Life] = []
        for i, old, new in zip(numbers, before, after, strict=True):
            made.append(_Life(new.flight, block, earlier=old))
            self.of[loop.results[i]] = made[-1]
            old.flight, old.moved = None, loop
        return made


def _end(lives: list[_Life], block: Block) -> None:
    """Nothing may be in flight at the end of the block that could await it."""
    for life in lives:
        if life.flight is not None and life.block is block:
            fail(
                life.flight,
                "must be awaited or bound to an event, got a future that is dropped",
                hint="croq.await %f, or croq.trigger %event at %order after %f",
            )


def check_lives(block: ParallelOp, webs: Webs) -> None:
    """Refuse misuse of the futures of webs."""
    if webs.of:
        lives = _Lives(webs)
        body = block.body.block
        _end(lives.block(body), body)
