"""The numbers of kernels that `docs/evidence.md` tells are those that there are."""

from __future__ import annotations

import re
from pathlib import Path

from evidence.corpus import CASES, FAULTY
from evidence.test_wrong_meetings import UNDECIDED
from evidence.wrong_meetings import WRONG

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence.md"


def test_numbers_of_kernels():
    told = re.findall(
        r"\*\*`(kernels/|faulty/|wrong_meetings\.py)`\*\*: (\d+)", PAGE.read_text()
    )
    there = {
        "kernels/": len(CASES),
        "faulty/": len(list(FAULTY.glob("*.mlir"))),
        "wrong_meetings.py": len(WRONG),
    }
    assert {name: int(number) for name, number in told} == there
    undecided = re.search(r"None is proved, (\d+) are undecided", PAGE.read_text())
    assert undecided is not None
    assert int(undecided[1]) == len(UNDECIDED)
