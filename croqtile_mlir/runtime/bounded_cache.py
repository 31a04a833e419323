"""A mapping that forgets its oldest entries."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class BoundedCache(Generic[K, V]):
    """At most `kept` entries, the latest. Safe to share; a look-up takes no lock."""

    kept: int
    _entries: dict[K, V] = field(default_factory=dict[K, V], init=False, repr=False)
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False
    )

    def get(self, key: K) -> V | None:
        """The entry, if it is still there."""
        return self._entries.get(key)

    def put(self, key: K, value: V) -> None:
        """Add an entry; the oldest make room for it."""
        entries = self._entries
        with self._lock:
            entries[key] = value
            if len(entries) > self.kept:
                # Several at a time: to find the first entry of a dict takes longer
                # the more were taken from its front.
                for old in list(islice(entries, max(self.kept // 8, 1))):
                    del entries[old]

    def __len__(self) -> int:
        return len(self._entries)
