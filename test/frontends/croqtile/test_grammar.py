"""
Every form of the grammar gives the tree that `grammar.txt` says.

The file has a statement, indented lines that continue it, and `=> ` with its tree.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.croqtile_text import short, statements

_GOLDEN = Path(__file__).parent / "grammar.txt"


def _cases() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    source: list[str] = []
    for line in _GOLDEN.read_text(encoding="utf-8").splitlines():
        if line.startswith("=> "):
            found.append(("\n".join(source), line[3:]))
            source = []
        elif line.strip():
            source.append(line)
    assert not source
    return found


@pytest.mark.parametrize(("source", "tree"), _cases())
def test_tree(source: str, tree: str):
    assert "; ".join(map(short, statements(source))) == tree


def test_places_do_not_count():
    (first,) = statements("dma.copy a.chunkat(i) => b;")
    (second,) = statements("dma.copy   a\n  .chunkat( i )\n => b ;")
    assert first == second
    assert first.span != second.span
