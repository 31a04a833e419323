"""Names that may have been meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names what is close to a name, if anything is."""
    close = get_close_matches(name, list(known), n=2)
    return f"did you mean {' or '.join(close)}?" if close else None
