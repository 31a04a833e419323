"""A mapping that forgets its oldest entries."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from itertools import islice
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """At most `kept` entries, the latest. Safe to share; a look-up takes no lock.

    It is a dict, so that a look-up is no call of Python code; entries are added by
    `put` alone.
    """

    def __init__(self, kept: int):
        super().__init__()
        self.kept = kept
        self._lock = threading.Lock()

    def put(self, key: K, value: V) -> None:
        """Add an entry; the oldest make room for it."""
        with self._lock:
            self[key] = value
            if len(self) > self.kept:
                # Several at a time: to find the first entry of a dict takes longer
                # the more were taken from its front.
                for old in list(islice(self, max(self.kept // 8, 1))):
                    del self[old]
