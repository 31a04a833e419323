"""A line on a terminal that says what takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

_SILENT = 1.0
"""Seconds before it is shown."""

_PERIOD = 0.25
"""Seconds between two writings."""


class Waiting:
    """What is being done: shown with its seconds while it lasts, gone after it.

    Nothing is written within the first second, nor where nobody looks: to a file or a
    pipe.
    """

    def __init__(self, stream: TextIO, text: str, silent: float = _SILENT):
        self.text = text
        """What is done now; may be set by what does it."""

        self._stream = stream
        self._silent = silent
        self._shown = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def stop(self) -> None:
        """Take the line away."""
        self._ended.set()
        self._thread.join()

    def clear(self) -> None:
        """Make room for a message: the line comes again below it."""
        if self._shown:
            self._write("\r\x1b[K")

    def _show(self) -> None:
        began = monotonic()
        if self._ended.wait(self._silent):
            return
        self._shown = True
        while True:
            self._write(f"\r  {self.text}, {monotonic() - began:.0f} s\x1b[K")
            if self._ended.wait(_PERIOD):
                break
        self.clear()

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def waiting(text: str, silent: float = _SILENT) -> Generator[Waiting | None]:
    """Show what is done on the standard error stream, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    line = Waiting(sys.stderr, text, silent)
    line.start()
    try:
        yield line
    finally:
        line.stop()
