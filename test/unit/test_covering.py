"""The choice of cases where a whole product is too much."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from support import covering

SIZES = [(2, 3), (2, 3, 2, 5), (4, 4, 4), (1, 6, 5), (3, 6, 5, 2, 2)]


@pytest.fixture(params=[False, True], ids=["few", "every"])
def every(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether all cases are asked for."""
    monkeypatch.setattr(covering, "EVERY_CASE", request.param)
    return request.param


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_any_two_values_come_together(every: bool, sizes: tuple[int, ...]):
    axes = ["abcdef"[:size] for size in sizes]
    cases = covering.pairwise(*axes)
    assert len(set(cases)) == len(cases)
    for first, second in combinations(range(len(axes)), 2):
        met = {(case[first], case[second]) for case in cases}
        assert met == set(product(axes[first], axes[second]))
    whole = list(product(*axes))
    assert cases == [case for case in whole if case in cases]
    assert cases == whole if every else len(cases) <= len(whole)
    if len(sizes) > 3 and not every:
        assert 4 * len(cases) <= len(whole)


def test_values_in_turn(every: bool):
    cases = covering.in_turn("abc", (1, 2, 3, 4), each=2)
    if every:
        assert sorted(cases) == sorted(product("abc", (1, 2, 3, 4)))
    else:
        assert cases == [("a", 1), ("a", 2), ("b", 3), ("b", 4), ("c", 1), ("c", 2)]
