"""Kinds of calls: all that torch tensors are but where they are, and what follows.

A call is like an earlier one if its tensors differ from those in addresses alone. Of
each kind something is known, and launches by addresses are kept with it.

Two ways lead to a kind. The latest ones are compared one by one by guards, a call of
C++ each; all are found by hash, which takes the attributes of each tensor. And calls
at addresses that were seen are asked for first (`repeated_calls.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.plain_tensors import are_plain
from croqtile_mlir.runtime.repeated_calls import Again, Repeats, again_of
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments
from croqtile_mlir.runtime.tensor_guards import Guard, guard_of

_KINDS = 256
_GUARDS = 4
"""Kinds that are compared one by one; more of them are faster found by hash."""

T = TypeVar("T")

Like = tuple[Hashable, ...]
"""All that torch says of the tensors of a call but their addresses."""

Addresses = tuple[int, ...]


class _Kind(NamedTuple, Generic[T]):
    """A kind, found without asking the tensors for what they are."""

    guard: Guard
    known: T
    repeats: Repeats | None
    again: Again | None


@dataclass(frozen=True, eq=False)
class CallKinds(Generic[T]):
    """The latest kinds of calls, and what is known of each. Safe to share."""

    count: int
    """Arguments of a call."""

    tiles: tuple[int, ...]
    """Which of them are tensors."""

    scalars: ScalarArguments | None = None
    """The others; None: there are none."""

    again: list[Again] = field(default_factory=list[Again])
    """What launches calls like the latest ones. The list stays, its contents change."""

    _kinds: BoundedCache[Like, _Kind[T]] = field(
        default_factory=lambda: BoundedCache[Like, _Kind[T]](_KINDS)
    )
    _latest: list[_Kind[T]] = field(default_factory=list[_Kind[T]])
    """The latest of them, the last one first."""

    def find(self, args: Sequence[Any]) -> tuple[T, Addresses] | None:
        """What is known of a call, and its addresses; None if nothing is."""
        if len(args) != self.count or not self._latest:
            return None
        given = [args[number] for number in self.tiles]
        for each in self._latest:
            if each.guard(*given):
                return each.known, _addresses(given)
        tensors = self.plain(args)
        if tensors is None:
            return None
        like = _like(tensors)
        found = self._kinds.get(like)
        if found is None:
            return None
        if found.guard(*tensors):
            self._use(found)
        else:
            # Guards tell apart more: whether a gradient is asked for, for one.
            self._remember(like, tensors, found.known, found.repeats)
        return found.known, _addresses(tensors)

    def plain(self, args: Sequence[Any]) -> list[Any] | None:
        """The tensors among the arguments; None unless all are plain ones of torch."""
        torch: Any = sys.modules.get("torch")
        tensors = [args[number] for number in self.tiles]
        if torch is None or not tensors or not are_plain(torch, tensors):
            return None
        return tensors

    def add(self, tensors: Sequence[Any], known: T, repeats: Repeats | None) -> None:
        """Remember what is known of a call of plain tensors.

        `repeats` is None where launches differ in more than addresses and scalars.
        """
        self._remember(_like(tensors), tensors, known, repeats)

    def _remember(
        self, like: Like, tensors: Sequence[Any], known: T, repeats: Repeats | None
    ) -> None:
        guard = guard_of(sys.modules["torch"], tensors)
        again = None
        if repeats is not None:
            again = again_of(self.count, self.tiles, self.scalars, guard, repeats)
        made = _Kind(guard, known, repeats, again)
        self._kinds.put(like, made)
        self._use(made)

    def _use(self, first: _Kind[T]) -> None:
        """Look there first from now on."""
        others = [each for each in self._latest if each is not first]
        # In one step: another thread may be looking through them.
        self._latest[:] = [first, *others[: _GUARDS - 1]]
        self.again[:] = [each.again for each in self._latest if each.again is not None]


def _addresses(tensors: Sequence[Any]) -> Addresses:
    return tuple([each.data_ptr() for each in tensors])


def _like(tensors: Sequence[Any]) -> Like:
    return tuple(
        [(each.dtype, each.shape, each.stride(), each.device) for each in tensors]
    )
