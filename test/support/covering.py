"""Cases for tests of several parameters, where the whole product tells no more."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

EVERY_CASE = os.environ.get("CROQ_EVERY_CASE", "") not in ("", "0")
"""Whether tests run on all combinations of their parameters."""

Case = tuple[Any, ...]


def pairwise(*values: Sequence[Any]) -> list[Case]:
    """
    Combinations in which any two values of two parameters come together.

    What one value, or two of them, break is found; what only three together do is left
    to a run with CROQ_EVERY_CASE=1, which gets the whole product. Cases are in the
    order of the product, so that what neighbours share is computed once.
    """
    every = list(product(*(range(len(each)) for each in values)))
    chosen = every if EVERY_CASE else _covering(every)
    return [
        tuple(each[number] for each, number in zip(values, case, strict=True))
        for case in chosen
    ]


def in_turn(values: Sequence[Any], others: Sequence[Any], *, each: int) -> list[Case]:
    """
    Every value with some of the others (`each`), which take turns; all in a whole run.
    """
    count = len(others) if EVERY_CASE else each
    return [
        (value, others[(number + count * place) % len(others)])
        for place, value in enumerate(values)
        for number in range(count)
    ]


def _covering(every: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The case that has most pairs that are still missing, again and again."""
    missing = {pair for case in every for pair in _pairs(case)}
    chosen: list[tuple[int, ...]] = []
    while missing:
        best = max(every, key=lambda case: len(missing.intersection(_pairs(case))))
        chosen.append(best)
        missing.difference_update(_pairs(best))
    return sorted(chosen)


def _pairs(case: tuple[int, ...]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The values of any two parameters, each with the number of its parameter."""
    return list(combinations(enumerate(case), 2))
