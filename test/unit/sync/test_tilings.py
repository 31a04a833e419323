"""The cell of a window, and the tile that it determines, against all values."""

from __future__ import annotations

from itertools import product

import numpy as np

from croqtile_mlir.analysis.sync.folding import evaluate
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr
from croqtile_mlir.analysis.sync.places.digits import Digits, matched
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.tiles.tilings import cell_of

BLOCKS, TURNS = 6, 5


def _value(expr: Expr, values: dict[Expr, int]) -> int:
    if isinstance(expr, Constant):
        return expr.value
    if not isinstance(expr, Apply):
        return values[expr]
    operands = [_value(operand, values) for operand in expr.operands]
    found = evaluate(expr.function, operands, expr.bits)
    assert found is not None
    return found


class Places:
    """Random positions of the tile `b + 6 * i`, as orders of tiles make them."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.make = Expressions()
        self.b = self.make.variable("b", (0, BLOCKS - 1))
        self.i = self.make.variable("i", (0, TURNS - 1))
        turns = self.make.apply("mul", self.i, Constant(BLOCKS))
        self.tile = self.make.apply("add", self.b, turns)

    def apply(self, function: str, a: Expr, b: Expr | int) -> Expr:
        other = Constant(b) if isinstance(b, int) else b
        return self.make.apply(function, a, other)

    def number(self) -> int:
        return int(self.random.integers(1, 9))

    def right(self, wrong: bool) -> list[Expr]:
        """Groups of rows; if `wrong`, with a number that is not the one it must be."""
        columns, rows, group = (self.number() for _ in range(3))
        numbers = [columns * group] * 2 + [group] * 4
        if wrong:
            place = int(self.random.integers(len(numbers)))
            numbers[place] = max(1, numbers[place] + int(self.random.choice([-1, 1])))
        of_group, inside, first, many, short, last = numbers
        turn = self.apply("floordiv", self.tile, of_group)
        at = self.apply("mod", self.tile, inside)
        base = self.apply("mul", turn, first)
        left = self.apply("sub", Constant(rows), base)
        fewer = self.apply("lt", left, many)
        rest = rows % group or group
        row = self.make.apply(
            "select", fewer, self.apply("mod", at, rest), self.apply("mod", at, short)
        )
        column = self.make.apply(
            "select",
            fewer,
            self.apply("floordiv", at, rest),
            self.apply("floordiv", at, last),
        )
        return [self.apply("add", base, row), column]

    def any(self, depth: int) -> Expr:
        """Any expression of the tile."""
        if depth == 0:
            return (self.tile, self.b, self.i)[int(self.random.integers(3))]
        kind = int(self.random.integers(6))
        a = self.any(depth - 1)
        match kind:
            case 0 | 1 | 2:
                function = ("mod", "floordiv", "mul")[kind]
                return self.apply(function, a, self.number())
            case 3:
                return self.apply("add", a, self.any(depth - 1))
            case 4:
                mask = int(self.random.choice([1, 3, 5, 7]))
                return self.apply("and", a, mask)
            case _:
                less = self.apply("lt", self.any(depth - 1), self.number())
                return self.make.apply("select", less, a, self.any(depth - 1))


def _is_told(places: Places, origins: list[Expr]) -> bool:
    """Whether a tile is found; that different ones are apart is checked."""
    own = {places.b, places.i}
    cell = cell_of(origins, [Constant(1)] * len(origins), own, places.make)
    if cell is None:
        return False
    found: dict[tuple[int, ...], int] = {}
    for b, i in product(range(BLOCKS), range(TURNS)):
        values: dict[Expr, int] = {places.b: b, places.i: i}
        at = tuple(_value(origin, values) for origin in origins)
        tile = _value(cell.tile, values)
        assert found.setdefault(at, tile) == tile, (origins, values)
    return True


def test_tiles_of_one_place_are_one() -> None:
    told = 0
    for seed in range(150):
        places = Places(seed)
        told += _is_told(places, places.right(wrong=False))
        _is_told(places, places.right(wrong=True))
        _is_told(places, [places.any(3), places.any(2)])
    assert told > 75


def test_digits_of_equal_positions_are_equal() -> None:
    random = np.random.default_rng(5)
    make = Expressions()
    told = 0
    for _ in range(300):
        counts = [int(n) for n in random.integers(1, 5, 2)]
        digits = [make.variable(f"d{n}", (0, c - 1)) for n, c in enumerate(counts)]
        factors = sorted(int(n) for n in random.integers(1, 13, 2))
        pairs = tuple(zip(factors, digits, strict=True))
        width = [int(n) for n in random.integers(1, 4, 2)]
        lower = [int(n) for n in random.integers(0, 40, 2)]
        one, other = (
            Digits(pairs, frozenset(), low, low + size - 1)
            for low, size in zip(lower, width, strict=True)
        )
        sizes: dict[Expr, int] = dict(zip(digits, counts, strict=True))
        found = matched(one, other, lambda digit, sizes=sizes: sizes[digit])
        known = [digit for digit, _ in found.pairs]
        told += len(known)
        ranges = [range(count) for count in counts]
        for a, b in product(product(*ranges), repeat=2):
            starts = [
                low + sum(f * d for f, d in zip(factors, at, strict=True))
                for low, at in zip(lower, (a, b), strict=True)
            ]
            if starts[0] < starts[1] + width[1] and starts[1] < starts[0] + width[0]:
                for digit, x, y in zip(digits, a, b, strict=True):
                    assert digit not in known or x == y
    assert told > 120
