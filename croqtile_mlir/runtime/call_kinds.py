"""Kinds of calls: all that tensors are but where they are, and what follows.

A call is like an earlier one if its tensors differ from those in addresses alone. Of
each kind something is known, and launches by addresses are kept with it.

Two ways lead to a kind. The latest ones are compared one by one by guards, with torch a
call of C++ each; all are found by hash, which takes the attributes of each tensor. And
calls at addresses that were seen are asked for first (`repeated_calls.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from croqtile_mlir.runtime.array_library import (
    Addresses,
    ArrayLibrary,
    Arrays,
    Guard,
    arrays_of,
)
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.repeated_calls import Again, Repeats, again_of
from croqtile_mlir.runtime.scalar_arguments import ScalarArguments

_KINDS = 256
_GUARDS = 4
"""Kinds that are compared one by one; more of them are faster found by hash."""

T = TypeVar("T")

Like = tuple[Hashable, ...]
"""All that a library says of the tensors of a call but their addresses."""


class _Kind(NamedTuple, Generic[T]):
    """A kind, found without asking the tensors for what they are."""

    library: ArrayLibrary
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
                return each.known, Arrays(each.library, given).addresses
        arrays = arrays_of(given)
        if arrays is None:
            return None
        like = _like(arrays)
        found = self._kinds.get(like)
        if found is None:
            return None
        if found.guard(*given):
            self._use(found)
        else:
            # Guards tell apart more: whether a gradient is asked for, for one.
            self._remember(like, arrays, found.known, found.repeats)
        return found.known, arrays.addresses

    def plain(self, args: Sequence[Any]) -> Arrays | None:
        """The tensors among the arguments; None unless all are plain ones."""
        return arrays_of([args[number] for number in self.tiles])

    def add(self, arrays: Arrays, known: T, repeats: Repeats | None) -> None:
        """Remember what is known of a call of plain tensors.

        `repeats` is None where launches differ in more than addresses and scalars.
        """
        self._remember(_like(arrays), arrays, known, repeats)

    def _remember(
        self, like: Like, arrays: Arrays, known: T, repeats: Repeats | None
    ) -> None:
        library, tensors = arrays
        guard = library.guard_of(tensors)
        again = None
        if repeats is not None:
            again = again_of(
                self.count, self.tiles, self.scalars, library, guard, repeats
            )
        made = _Kind(library, guard, known, repeats, again)
        self._kinds.put(like, made)
        self._use(made)

    def _use(self, first: _Kind[T]) -> None:
        """Look there first from now on."""
        others = [each for each in self._latest if each is not first]
        # In one step: another thread may be looking through them.
        self._latest[:] = [first, *others[: _GUARDS - 1]]
        self.again[:] = [each.again for each in self._latest if each.again is not None]


def _like(arrays: Arrays) -> Like:
    library, tensors = arrays
    return library.name, *map(library.like, tensors)
