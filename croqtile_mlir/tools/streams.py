"""Standard output that is closed, or whose reader is gone."""

from __future__ import annotations

import os
import sys

STANDARD_OUTPUT = "the standard output"


def is_open(stream: object) -> bool:
    """Whether a standard stream is there: Python has None for a closed one."""
    return stream is not None


def drop_output() -> None:
    """The reader has what it wants; Python must not complain at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
