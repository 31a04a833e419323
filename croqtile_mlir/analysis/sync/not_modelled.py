"""What the verifier has no model of."""

from __future__ import annotations

from xdsl.ir import Operation


class NotModelled(Exception):
    """Ends the translation of a kernel: the verdict is that it cannot be told."""

    def __init__(self, place: Operation, reason: str, hint: str | None = None):
        super().__init__(reason)
        self.place = place
        self.reason = reason
        self.hint = hint
