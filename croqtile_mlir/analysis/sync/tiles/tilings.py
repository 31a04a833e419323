"""
Windows on an output that follow from the number of a tile, by divisions with extents
that a launch decides: `(t mod M, t div M)`. Where they are is not known, but those of
different tiles are apart.

The window of a tile is in a cell, a box at a multiple of its own size. What the cell is
known by, its place in each dim, *determines* the tile when only one tile has it: every
step below says of an expression that it has one value for one value of others. Then
cells of different tiles are different, and so apart. Indices are never negative.

What depends on a condition that is known, as the rows of the last group of tiles do,
is looked at as if it holds and as if it does not: both have to determine the tile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.used_values import parts_of

Form = tuple[object, ...]
"""How the cell follows from the tile; equal for windows that can be compared."""


@dataclass(frozen=True)
class Cell:
    """Where a window is: in the cell of which tile, and where in it."""

    tile: Expr
    form: Form
    inside: tuple[int | None, ...]
    """For each dim the first element in the cell; None where the dim is whole."""


_MOST_CASES = 16
"""Of conditions that are looked at."""


def cell_of(
    origins: Sequence[Expr],
    extents: Sequence[Expr | None],
    own: Collection[Expr],
    make: Expressions,
) -> Cell | None:
    """
    The cell that a window is in, if that is seen.

    `own` are the variables that change while the block runs.
    """
    places: list[Expr] = []
    units: list[int | None] = []
    inside: list[int | None] = []
    for origin, extent in zip(origins, extents, strict=True):
        if extent is None:
            units.append(None)
            inside.append(None)
            continue
        place, unit, rest = _cell(origin)
        if not isinstance(extent, Constant) or rest < 0:
            return None
        if unit is not None and rest + extent.value > unit:
            return None
        if unit is not None:
            places.append(place)
        units.append(unit)
        inside.append(rest)
    known = _determined(places, own, make)
    for tile in sorted(known, key=lambda expr: sum(1 for _ in parts_of(expr))):
        if not _is_simple(tile, own) or isinstance(tile, Constant):
            continue
        shapes = [_shape(place, tile, own) for place in places]
        if all(shape is not None for shape in shapes):
            return Cell(tile, (*units, *shapes), tuple(inside))
    return None


def _cell(origin: Expr) -> tuple[Expr, int | None, int]:
    """`(place, unit, rest)` of `place * unit + rest`; no unit where all is known."""
    rest = 0
    match origin:
        case Constant(value):
            return origin, None, value
        case Apply("add", (inner, Constant(value)), None):
            origin, rest = inner, value
        case _:
            pass
    match origin:
        case Apply("mul", (place, Constant(unit)), None) if unit > 0:
            return place, unit, rest
        case _:
            return origin, 1, rest


def _determined(
    places: Sequence[Expr], own: Collection[Expr], make: Expressions
) -> list[Expr]:
    """What has one value for one value of the places, whatever the conditions are."""
    cases = [_Known(places, own, make, frozenset())]
    ends: list[_Known] = []
    while cases:
        case = cases.pop()
        choice = case.choice() if len(cases) + len(ends) < _MOST_CASES else None
        if choice is None:
            ends.append(case)
            continue
        for holds in (Constant(1), Constant(0)):
            memo: dict[Expr, Expr] = {}
            chosen = [make.substitute(e, {choice: holds}, memo) for e in case.exprs]
            known = [*case.exprs, *chosen]
            cases.append(_Known(known, own, make, case.chosen | {choice}))
    first, *others = (case.exprs for case in ends)
    return [expr for expr in first if all(expr in other for other in others)]


class _Known:
    """The expressions that have one value for one value of the places of a cell."""

    def __init__(
        self,
        places: Sequence[Expr],
        own: Collection[Expr],
        make: Expressions,
        chosen: frozenset[Expr],
    ):
        self.chosen = chosen
        self._own = own
        self._range = make.range
        self._found: dict[Expr, None] = dict.fromkeys(places)
        quotients = [
            part
            for place in places
            for part in parts_of(place)
            if isinstance(part, Apply) and part.function == "floordiv"
        ]
        size = 0
        while size < len(self._found):
            size = len(self._found)
            for expr in list(self._found):
                for other in (*self._operands(expr), *self._divided(expr, quotients)):
                    self._found[other] = None

    @property
    def exprs(self) -> Collection[Expr]:
        """Those that were found, the tile among them if it is determined."""
        return self._found

    def choice(self) -> Expr | None:
        """A condition that is known, and that something depends on."""
        for expr in self._found:
            for part in parts_of(expr):
                match part:
                    case Apply("select", (condition, _, _)) if (
                        condition not in self.chosen and self._is_determined(condition)
                    ):
                        return condition
                    case _:
                        pass
        return None

    def _operands(self, expr: Expr) -> Iterator[Expr]:
        match expr:
            case Apply("add", (a, b), None):
                for one, other in ((a, b), (b, a)):
                    if self._is_determined(one):
                        yield other
                    elif self._is_digit(one, other):
                        yield from (one, other)
            case Apply("mul", (a, Constant(factor)), None) if factor:
                yield a
            case Apply("sub", (a, b), None):
                if self._is_determined(b):
                    yield a
                elif self._is_determined(a):
                    yield b
            case _:
                pass

    def _divided(self, expr: Expr, quotients: Sequence[Apply]) -> Iterator[Expr]:
        """A number whose quotient and remainder by one divisor are both known."""
        remainder = _remainder(expr)
        if remainder is None or not self._is_determined(remainder[1]):
            return
        number, divisor = remainder
        for quotient in quotients:
            if quotient in self._found and quotient.operands[0] is number:
                # Constants are not one object.
                if quotient.operands[1] == divisor:
                    yield number

    def _is_digit(self, high: Expr, low: Expr) -> bool:
        """Whether `high` is a multiple of some unit and `low` less than it."""
        unit = 1
        match high:
            case Apply("mul", (_, Constant(factor)), None) if factor > 0:
                unit = factor
            case _:
                pass
        lowest, highest = self._range(low)
        if 0 <= lowest and highest < unit:
            return True
        remainder = _remainder(low)
        return remainder is not None and _is_at_most(remainder[1], unit)

    def _is_determined(self, expr: Expr) -> bool:
        if expr in self._found or isinstance(expr, Constant):
            return True
        match expr:
            case Variable():
                return expr not in self._own
            case Apply():
                return all(map(self._is_determined, expr.operands))
            case _:
                return False


def _remainder(expr: Expr) -> tuple[Expr, Expr] | None:
    """Number and divisor."""
    match expr:
        case Apply("mod", (number, divisor)):
            return number, divisor
        case Apply("and", (number, Constant(mask))) if mask > 0 and not mask & mask + 1:
            return number, Constant(mask + 1)
        case _:
            return None


def _is_at_most(expr: Expr, most: int) -> bool:
    match expr:
        case Constant(value):
            return value <= most
        case Apply("min", operands):
            return any(_is_at_most(operand, most) for operand in operands)
        case Apply("select", (Apply("lt" | "ult" | "le" | "ule", sides), *both)) if (
            list(sides) == both
        ):
            return any(_is_at_most(side, most) for side in sides)
        case _:
            return False


def _is_simple(expr: Expr, own: Collection[Expr]) -> bool:
    """Whether a number can be told apart from others: no division by a dim."""

    def is_simple(part: Expr) -> bool:
        match part:
            case Unknown():
                return False
            case Apply("mul", (_, factor)):
                # By one number in all of the launch.
                is_given = isinstance(factor, Variable) and factor not in own
                return isinstance(factor, Constant) or is_given
            case Apply("floordiv" | "ceildiv" | "mod", (_, divisor)):
                return isinstance(divisor, Constant)
            case _:
                return True

    return all(map(is_simple, parts_of(expr)))


def _shape(expr: Expr, tile: Expr, own: Collection[Expr]) -> object:
    """An expression as a function of the tile; None if it depends on more."""
    if expr is tile:
        return "tile"
    match expr:
        case Constant(value):
            return value
        case Variable():
            return None if expr in own else expr
        case Apply(function, operands, bits):
            shapes = [_shape(operand, tile, own) for operand in operands]
            if any(shape is None for shape in shapes):
                return None
            return (function, bits, *shapes)
        case _:
            return None
