"""Garbage of a process that compiles, and ends."""

from __future__ import annotations

import gc


def collect_seldom() -> None:
    """Look for cycles rarely: nearly all that a compiler makes stays to its end.

    At Python's own intervals a tenth of the time of a compilation goes into it.
    """
    gc.set_threshold(100_000, 20, 50)
