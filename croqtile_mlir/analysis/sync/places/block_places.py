"""Where accesses to global memory are, by the indices of the block and by loops."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.places.digits import (
    Digits,
    Turns,
    are_apart,
    collect,
    digits_of,
    matched,
)
from croqtile_mlir.analysis.sync.places.grid_phases import GridPhases
from croqtile_mlir.analysis.sync.tiles.drafts import BranchDraft, Draft, LoopDraft
from croqtile_mlir.analysis.sync.tiles.loops import is_plain
from croqtile_mlir.analysis.sync.tiles.tilings import Cell, cell_of
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.dialects.croq import ParallelOp

_FEW = 6
"""Turns of a loop that are all looked at (`tiles/trips.py`)."""


@dataclass(frozen=True)
class Place:
    """A box in a global tile."""

    op: Operation
    root: SSAValue
    write: bool
    origins: tuple[Expr, ...]
    extents: tuple[Expr | None, ...]
    """None where a dim is whole."""


@dataclass
class Blocks:
    """The indices of the block, and what follows from where an access is."""

    block: ParallelOp
    values: Values
    own: dict[Expr, Expr]
    """The indices that differ between blocks: how many there are of each."""

    changing: frozenset[Expr]
    loops: Mapping[Expr, Turns]
    long: frozenset[Expr]
    """What has more values in a loop than executions with small counts may show."""

    phases: GridPhases

    _known_cells: dict[tuple[Place, bool], Cell | None] = field(
        default_factory=dict[tuple[Place, bool], Cell | None]
    )

    @staticmethod
    def of(block: ParallelOp, values: Values) -> Blocks:
        own: dict[Expr, Expr] = {}
        level: Operation | None = block
        while isinstance(level, ParallelOp):
            for arg, extent in zip(
                level.body.block.args, level.extent_values, strict=True
            ):
                at = values.value(arg)
                if isinstance(at, Variable) and extent != 1:
                    own[at] = values.index(extent, level)
            level = level.parent_op()
        loops: dict[Expr, Turns] = {
            draft.counter: turns
            for draft in values.drafts.values()
            if isinstance(draft, LoopDraft) and (turns := _turns(draft)) is not None
        }
        given = values.given()
        changing = values.changing() | given
        phases = GridPhases.of(block, values, {*own, *changing})
        long = frozenset(_long(values.drafts.values(), loops))
        return Blocks(block, values, own, changing, loops, long, phases)

    def _drafts(self) -> list[LoopDraft]:
        drafts = self.values.drafts.values()
        return [draft for draft in drafts if isinstance(draft, LoopDraft)]

    def apart(self, first: Place, second: Place) -> bool:
        """Whether two accesses are at different places in different blocks."""
        found: set[Expr] = set()
        for pair in self._positions(first, second):
            if pair is not None:
                found |= self._said(*pair)
        pinned, also = self._pinned(first.op), self._pinned(second.op)
        needed = {i for i in self.own if i not in pinned or pinned[i] != also.get(i)}
        if found >= needed:
            return True
        one, other = self._cells(first, second)
        if one is None or other is None or one.form != other.form:
            return False
        found |= self._of_number(one.tile, other.tile)
        return found >= needed

    def _pinned(self, op: Operation) -> dict[Expr, int]:
        """The indices of the block that have one value by conditions around an op."""
        found: dict[Expr, int] = {}
        inner, parent = op, op.parent_op()
        while parent is not None and parent is not self.block:
            if isinstance(parent, scf.IfOp):
                then = inner.parent is parent.true_region.first_block
                match self.values.value(parent.cond):
                    case Apply("eq" | "ne" as function, (index, Constant(value))) if (
                        index in self.own
                    ):
                        if then == (function == "eq"):
                            found[index] = value
                        elif self.own[index] == Constant(2) and value in (0, 1):
                            found[index] = 1 - value
                    case _:
                        pass
            inner, parent = parent, parent.parent_op()
        return found

    def follows(self, first: Place, second: Place) -> bool:
        """
        Whether two accesses of a block meet, if they do, in like turns of their loops.

        Then they meet in the first turns, too, which executions with small counts have.
        """
        pairs = list(self._positions(first, second))
        if any(pair is not None and are_apart(*pair) for pair in pairs):
            return True
        if all(
            pair is not None and self._in_step(*pair)
            for pair in self._positions(first, second, self.long)
        ):
            return True
        one, other = self._cells(first, second, self.long)
        if one is None or other is None or one.form != other.form:
            return False
        if one.tile is other.tile:
            return True
        a, b = self._turns(one.tile), self._turns(other.tile)
        tiles = one.tile, other.tile
        if a is not None and b is not None and a[0] is b[0]:
            tiles = a[1], b[1]
        numbers = [self._digits(tile, 1, self.long) for tile in tiles]
        if numbers[0] is None or numbers[1] is None:
            return False
        return self._in_step(numbers[0], numbers[1])

    def _in_step(self, one: Digits, other: Digits) -> bool:
        """Whether two positions are equal in like turns of loops only."""
        found = matched(one, other, self._count)
        # Of what loops carry, equal values may be of turns that are far apart.
        return found.rest and all(
            digit in self.loops or digit in self.own
            for pair in found.pairs
            for digit in pair
        )

    def _positions(
        self, first: Place, second: Place, followed: Collection[Expr] = ()
    ) -> Iterator[tuple[Digits, Digits] | None]:
        """The two positions in each dim that is not whole; None: it is not known."""
        for a, b, ea, eb in zip(
            first.origins, second.origins, first.extents, second.extents, strict=True
        ):
            if ea is None or eb is None:
                continue
            one = other = None
            if isinstance(ea, Constant) and isinstance(eb, Constant):
                one = self._digits(a, ea.value, followed)
                other = self._digits(b, eb.value, followed)
            yield None if one is None or other is None else (one, other)

    def _cells(
        self, first: Place, second: Place, followed: Collection[Expr] = ()
    ) -> list[Cell | None]:
        found: list[Cell | None] = []
        for access in (first, second):
            key = access, bool(followed)
            if key not in self._known_cells:
                self._known_cells[key] = self._cell(access, followed)
            found.append(self._known_cells[key])
        return found

    def _cell(self, access: Place, followed: Collection[Expr]) -> Cell | None:
        boxes = [
            self._of_cluster(*self._widened(origin, extent, followed))
            for origin, extent in zip(access.origins, access.extents, strict=True)
        ]
        origins = [origin for origin, _ in boxes]
        extents = [extent for _, extent in boxes]
        own = {*self.changing, *self.own}
        return cell_of(origins, extents, own, self.values.make)

    def _widened(
        self, origin: Expr, extent: Expr | None, followed: Collection[Expr]
    ) -> tuple[Expr, Expr | None]:
        """All of the cell that a box is somewhere in, in each turn alike."""
        match origin:
            case Apply("add", (Apply("mul", (_, Constant(unit)), None) as place, rest)):
                low, high = self.values.make.range(rest)
                size = extent.value if isinstance(extent, Constant) else math.inf
                fits = origin.bits is None and low >= 0 and high + size <= unit
                alike = self.values.make.variables(rest).isdisjoint(followed)
                if fits and alike and not isinstance(rest, Constant):
                    return place, Constant(unit)
            case _:
                pass
        return origin, extent

    def _of_cluster(
        self, origin: Expr, extent: Expr | None
    ) -> tuple[Expr, Expr | None]:
        """The part of a dim that all blocks of a cluster have, whichever it is."""
        terms: dict[Expr, int] = {}
        lower = collect(origin, 1, terms)
        inside = [t for t in terms if t in self.own and self._count(t) < math.inf]
        rest = [term for term in terms if term not in inside]
        if not inside or not isinstance(extent, Constant):
            return origin, extent
        if not rest and all(terms[t] >= 0 for t in inside):
            # Where in a dim that the blocks of a cluster share is no part of the cell.
            return origin, None
        unit = gcd(*(terms[t] for t in rest))
        span = lower + extent.value
        span += sum(terms[t] * (int(self._count(t)) - 1) for t in inside)
        if span > unit or any(terms[t] < 0 for t in terms):
            return origin, extent
        make = self.values.make
        place: Expr = Constant(0)
        for term in rest:
            scaled = make.apply("mul", term, Constant(terms[term] // unit))
            place = scaled if place == Constant(0) else make.apply("add", place, scaled)
        return make.apply("mul", place, Constant(unit)), Constant(unit)

    def _digits(
        self, origin: Expr, extent: int, followed: Collection[Expr] = ()
    ) -> Digits | None:
        make, loops = self.values.make, self.loops
        return digits_of(origin, extent, make, self.own, self.changing, loops, followed)

    def _count(self, digit: Expr) -> float:
        count = self.own.get(digit)
        return count.value if isinstance(count, Constant) else math.inf

    def _said(self, one: Digits, other: Digits) -> set[Expr]:
        """The indices of the block that are the same wherever two positions are."""
        pairs = matched(one, other, self._count).pairs
        # Of counters each has its own; of indices of the block the same is meant.
        if any(a is not b and (a in self.own or b in self.own) for a, b in pairs):
            return set()
        return {a for a, _ in pairs if a in self.own}

    def _of_number(self, one: Expr, other: Expr) -> set[Expr]:
        """The indices that follow from the number of a tile."""
        first, second = self._digits(one, 1), self._digits(other, 1)
        if first is not None and second is not None:
            found = self._said(first, second)
            if found:
                return found
        a, b = self._turns(one), self._turns(other)
        return {a[0]} if a is not None and b is not None and a[0] is b[0] else set()

    def _turns(self, number: Expr) -> tuple[Expr, Expr] | None:
        """`%b` and `i` of a number `%b + i * blocks`: of a block that takes turns."""
        match number:
            case Apply("add", (a, b), None):
                for index, rest in ((a, b), (b, a)):
                    count = self.own.get(index)
                    match rest:
                        case Apply("mul", (x, y), None) if count in (x, y):
                            return index, y if x == count else x
                        case _:
                            pass
            case _:
                pass
        return None

    def left_out(self, access: Place) -> Expr | None:
        """An index of the block that an access surely does not depend on."""
        parent = access.op.parent_op()
        while parent is not None and parent is not self.block:
            if isinstance(parent, scf.IfOp | scf.WhileOp):
                return None
            parent = parent.parent_op()
        inside: set[Expr] = set()
        for origin in access.origins:
            inside |= set(parts_of(origin))
        if any(isinstance(part, Unknown) for part in inside):
            return None
        # Where loops are the same in all blocks, so are the values of counters.
        bounds: dict[Expr, tuple[Expr, ...]] = {
            d.counter: (d.lower, d.upper, d.step) for d in self._drafts()
        }
        for counter in inside & self.changing:
            known = bounds.get(counter, ())
            if known:
                inside |= {part for bound in known for part in parts_of(bound)}
            elif self.values.make.range(counter)[1] == math.inf:
                return None
        if not inside.isdisjoint(self.values.given()):
            # What stands for a bound or a condition may depend on the block.
            return None
        return next((index for index in self.own if index not in inside), None)


def _long(drafts: Iterable[Draft], loops: Mapping[Expr, Turns]) -> Iterator[Expr]:
    """The counters of long loops, what loops carry, and what conditions choose."""
    for draft in drafts:
        if isinstance(draft, BranchDraft):
            yield from draft.carried.values()
            continue
        for names in draft.carried.values():
            yield from names
        turns = loops.get(draft.counter)
        count = math.inf if turns is None else turns.count
        if count == math.inf or (count > _FEW and not is_plain(draft.place)):
            yield draft.counter


def _turns(draft: LoopDraft) -> Turns | None:
    lower, upper, step = draft.lower, draft.upper, draft.step
    if not isinstance(lower, Constant) or not isinstance(step, Constant):
        return None
    count = math.inf
    if isinstance(upper, Constant):
        count = max(1, -(-(upper.value - lower.value) // step.value))
    return Turns(lower.value, step.value, count) if step.value > 0 else None
