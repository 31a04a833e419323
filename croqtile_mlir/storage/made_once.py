"""What is made once for each key, also where several threads ask for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class MadeOnce(Generic[K, V]):
    """A function whose latest results are kept, and made by one thread each.

    Who asks for what another thread makes waits for it; other keys go on meanwhile. A
    failure is nobody's result: who waited tries again.
    """

    def __init__(self, make: Callable[[K], V], kept: int):
        self._make = make
        self._kept = kept
        self._lock = threading.Lock()
        self._made: OrderedDict[K, V] = OrderedDict()
        self._turns: dict[K, threading.Lock] = {}
        """Of what is being made."""

    def __call__(self, key: K) -> V:
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._made:
                    return self._made[key]
            try:
                value = self._make(key)
                with self._lock:
                    self._made[key] = value
                    if len(self._made) > self._kept:
                        self._made.popitem(last=False)
            finally:
                with self._lock:
                    self._turns.pop(key, None)
        return value

    def cache_clear(self) -> None:
        """Forget what was made."""
        with self._lock:
            self._made.clear()
