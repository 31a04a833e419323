"""
The life cycle of futures under the names that loops and permutations give them.

A copy is awaited once, under the newest name of its future; a loop leaves the futures
that it carries as it found them, with a copy in flight or without. Where conditions
decide, it is not known here whether a copy is in flight: `--verify-sync` executes that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.carried import yielded
from croqtile_mlir.analysis.future_loops import (
    Loop,
    body_of,
    carried_futures,
    future_results,
    initial_values,
    name_after,
    names_inside,
    next_values,
)
from croqtile_mlir.analysis.future_states import (
    Life,
    Lives,
    Misuse,
    Standing,
    merge,
)
from croqtile_mlir.analysis.future_webs import Webs, filled
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AnyOp,
    AwaitOp,
    CopyAsyncOp,
    ForeachOp,
    ParallelOp,
    PermuteOp,
    SelectOp,
    TriggerOp,
)

_STARTED = "the copy is started here"


@dataclass
class _Walk:
    webs: Webs
    lives: Lives = field(default_factory=Lives)

    def block(self, block: Block) -> list[Life]:
        """Follow the ops of a block; the lives that it is to bring to an end."""
        here: list[Life] = []
        for op in block.ops:
            self._op(op, block, here)
        return here

    def _op(self, op: Operation, block: Block, here: list[Life]) -> None:
        match op:
            case AnyOp():
                self.lives.name(op.future, Life())
            case CopyAsyncOp() if op.future in self.webs.of:
                here.append(self._start(op, block))
            case AwaitOp() if op.future in self.webs.of:
                self._await(op, block)
            case TriggerOp():
                self._trigger(op)
            case PermuteOp():
                lives = [self._named(value, op) for value in op.permuted]
                for name, life in zip(op.results, lives, strict=True):
                    self.lives.name(name, life)
            case SelectOp():
                both = self._named(op.first, op), self._named(op.second, op)
                self.lives.name(op.chosen, Life(choices=both))
            case ForeachOp() | scf.ForOp() | scf.WhileOp():
                here += self._loop(op, block)
            case scf.IfOp():
                here += self._if(op, block)
            case _:
                for region in op.regions:
                    for inner in region.blocks:
                        _end(self.block(inner), inner)

    def _trigger(self, op: TriggerOp) -> None:
        for future in op.after:
            if future in self.webs.of and not isinstance(future.owner, CopyAsyncOp):
                _refuse(
                    op,
                    "future must be the result of croq.copy_async, got a value that is "
                    "carried by a loop or permuted",
                    self.lives.of.get(future),
                    hint="bind it to an event in the block that starts the copy",
                )

    def _start(self, copy: CopyAsyncOp, block: Block) -> Life:
        handle = filled(copy)
        life = Life()
        if handle is not None and not isinstance(handle.owner, AllocOp):
            life = self._named(handle, copy, newest=False)
        if life.standing is Standing.FLYING and not _is_conditional(copy):
            _refuse(
                copy,
                "must fill a buffer that no other copy is filling, got one that a copy "
                "in flight fills",
                life,
                hint="await that copy first",
            )
        bound = any(isinstance(u.operation, TriggerOp) for u in copy.future.uses)
        life.start(copy, block, in_flight=not bound)
        self.lives.name(copy.future, life)
        return life

    def _await(self, op: AwaitOp, block: Block) -> None:
        life = self._named(op.future, op)
        if life.standing is Standing.IDLE and not _is_conditional(op):
            _refuse(
                op,
                "must wait for a copy in flight, got a future without one: none was "
                "started, or it was awaited before",
                life,
                hint="a copy is awaited once; croq.any has none",
                started=False,
            )
        if life.home is not None and not _within(block, life.home):
            _refuse(
                op,
                "must be in the block of its copy, got it in another region",
                life,
                hint="a loop that carries the future may await it",
            )
        life.over(op)

    def _named(self, value: SSAValue, user: Operation, newest: bool = True) -> Life:
        life = self.lives.of.get(value)
        if life is None:
            _refuse(
                user, "must use a future whose copy is known, got another one", None
            )
        if (loop := life.loop) is not None:
            _refuse(
                user,
                "must use the newest name of a future, got one from before a loop that "
                "carries it",
                None,
                hint="use the result of the loop",
                notes=[(loop, "the loop is here")],
            )
        idle = life.standing is Standing.IDLE
        if newest and not idle and self.lives.is_old(value):
            _refuse(
                user,
                "must use the newest name of a future, got one from before a copy that "
                "fills its buffer",
                life,
                hint="use the result of that copy",
            )
        return life

    def _if(self, op: scf.IfOp, block: Block) -> list[Life]:
        """Both branches, from the same state; what becomes of it depends on them."""
        before = self.lives.snapshot()
        numbers = future_results(op)
        handed: list[list[Life]] = []
        ends = [before, before]
        for which, region in enumerate(op.regions):
            for inner in region.blocks:
                self.lives.restore(before)
                here = self.block(inner)
                values = yielded(inner)
                out = [self._named(values[i], inner.last_op or op) for i in numbers]
                _end([life for life in here if not _goes_on(life, out)], inner)
                ends[which] = self.lives.snapshot()
                handed.append(out)
        merge(ends[0], ends[1], block)
        made: list[Life] = []
        for number, i in enumerate(numbers):
            first, second = (out[number] for out in handed)
            life = first if first is second else Life(choices=(first, second))
            self.lives.name(op.results[i], life)
            made.append(life)
        return made

    def _loop(self, loop: Loop, block: Block) -> list[Life]:
        numbers = carried_futures(loop)
        first = initial_values(loop)
        before = [self._named(first[i], loop) for i in numbers]
        if len(set(before)) < len(before):
            _refuse(loop, "must carry different futures, got one twice", None)
        chosen = any(life.choices is not None for life in before)
        unsure = {p for p, life in enumerate(before) if chosen or life.is_unsure}
        entry = [life.standing for life in before]
        # So many iterations may each leave another number of copies in flight.
        counted = isinstance(loop, ForeachOp) and loop.trip_count is not None
        for life in before:
            # Inside it has other names.
            life.moved = loop
        while True:
            state = self.lives.snapshot()
            inside = [
                life.inside(loop, body_of(loop), p in unsure)
                for p, life in enumerate(before)
            ]
            after = self._iteration(loop, numbers, inside)
            more = {
                p
                for p, new in enumerate(after)
                if p not in unsure
                and (new.is_unsure or (counted and new.standing is not entry[p]))
            }
            if not more:
                break
            unsure |= more
            self.lives.restore(state)
        self._check_kept(loop, before, after, unsure)
        made: list[Life] = []
        for p, i in enumerate(numbers):
            made.append(before[p].after(loop, block, after[p], p in unsure))
            self.lives.name(name_after(loop, i), made[-1])
        return made

    def _iteration(
        self, loop: Loop, numbers: Sequence[int], inside: Sequence[Life]
    ) -> list[Life]:
        """Follow an iteration; the lives that it yields."""
        body = body_of(loop)
        for i, life in zip(numbers, inside, strict=True):
            for name in names_inside(loop, i):
                self.lives.name(name, life)
        here = self.block(body)
        last, follow = body.last_op or loop, next_values(loop)
        after = [self._named(follow[i], last) for i in numbers]
        known = all(life.choices is None for life in after)
        if known and {life.first for life in after} != set(inside):
            _refuse(
                last,
                "must yield the futures that the loop carries, each once, got another "
                "one",
                None,
                hint="carry every buffer that takes part: croq.any is one to begin "
                "with",
                notes=[(loop, "the loop is here")],
            )
        _end([life for life in here if not _goes_on(life, after)], body)
        return after

    def _check_kept(
        self,
        loop: Loop,
        before: Sequence[Life],
        after: Sequence[Life],
        unsure: set[int],
    ) -> None:
        for p, (old, new) in enumerate(zip(before, after, strict=True)):
            if p not in unsure and old.standing is not new.standing:
                _refuse(
                    body_of(loop).last_op or loop,
                    f"must leave carried future {p} as it was before the loop, "
                    f"with {old.standing}, got {new.standing}",
                    new if new.flight is not None else old,
                    hint="await each copy that comes in, and start one for each that "
                    "is handed on",
                )


def _goes_on(life: Life, handed: Sequence[Life]) -> bool:
    """Whether a life is one of those that are handed on, or may be."""
    return any(
        each is life or (each.choices is not None and _goes_on(life, each.choices))
        for each in handed
    )


def _is_conditional(op: Operation) -> bool:
    """
    Whether a condition says if an op runs: in a loop it may say so in iterations only
    in which a future stands otherwise than in the first.
    """
    around = op.parent_op()
    while around is not None and not isinstance(around, ParallelOp):
        if isinstance(around, scf.IfOp):
            return True
        around = around.parent_op()
    return False


def _within(block: Block | None, outer: Block) -> bool:
    """Whether a block is another one, or in conditions in it."""
    while block is not None and block is not outer:
        around = block.parent_op()
        block = around.parent_block() if isinstance(around, scf.IfOp) else None
    return block is outer


def _refuse(
    op: Operation,
    message: str,
    life: Life | None,
    *,
    hint: str | None = None,
    notes: Sequence[tuple[Operation, str]] = (),
    started: bool = True,
) -> NoReturn:
    flight = None if life is None else life.flight
    if started and flight is not None and flight is not op:
        notes = [*notes, (flight, _STARTED)]
    story = () if life is None else life.story
    raise Misuse(op, message, hint, tuple(notes), story)


def _end(lives: Iterable[Life], block: Block) -> None:
    """Nothing may be in flight at the end of the block that could await it."""
    for life in lives:
        flight = life.flight
        if (
            flight is not None
            and life.standing is Standing.FLYING
            and life.home is block
        ):
            raise Misuse(
                flight,
                "must be awaited or bound to an event, got a future that is dropped",
                "croq.await %f, or croq.trigger %event at %order after %f",
                (),
                life.story,
            )


def misuse_of_lives(block: ParallelOp, webs: Webs) -> Misuse | None:
    """The first misuse of a future of the webs of a block."""
    if webs.of:
        body = block.body.block
        try:
            _end(_Walk(webs).block(body), body)
        except Misuse as found:
            return found
    return None
