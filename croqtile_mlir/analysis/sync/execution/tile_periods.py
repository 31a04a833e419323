"""
Conditions that differ from tile to tile: after how many tiles they are the same again.

What a tile does may depend on its number, as `t mod 2` decides which of two epilogues
runs. Then tiles are alike that are a period apart, not each and the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import lcm

from croqtile_mlir.analysis.sync.execution.compiled import (
    ActionCode,
    BranchCode,
    Code,
    CompiledProgram,
    LoopCode,
    loops_in,
)
from croqtile_mlir.analysis.sync.expressions import Reading
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Variable

LARGEST_PERIOD = 4
"""Tiles; for more there would be too many executions."""


def tile_period(compiled: CompiledProgram, count: int) -> int | None:
    """
    The tiles after which all conditions and trip counts are the same again, in the
    loops over `count`; None where they depend on the number of the tile otherwise.
    """
    return _Tiles(compiled, count).period()


class _Tiles:
    """Follows the numbers of the tiles through a program."""

    def __init__(self, compiled: CompiledProgram, count: int):
        self._compiled = compiled
        self._loops = [
            loop
            for body in compiled.bodies
            for loop in loops_in(body)
            if count in loop.bounds
        ]
        self._counters = {loop.counter for loop in self._loops}
        self._varying = set(self._counters)
        """Variables that differ from tile to tile."""

        for loop in self._loops:
            self._varying |= {at for at, _, _ in loop.carried}
        before = -1
        while before != len(self._varying):
            before = len(self._varying)
            for loop in self._loops:
                self._follow(loop.body)

    def _follow(self, block: Iterable[Code]) -> None:
        for code in block:
            match code:
                case LoopCode():
                    if self._varies(code.lower):
                        self._varying.add(code.counter)
                    pairs = zip(code.carried, code.results, strict=True)
                    for (at, first, following), result in pairs:
                        if self._varies(first) or self._varies(following):
                            self._varying |= {at, result}
                    self._follow(code.body)
                case BranchCode():
                    for at, one, other in code.results:
                        if self._varies(one) or self._varies(other):
                            self._varying.add(at)
                    self._follow(code.then)
                    self._follow(code.otherwise)
                case ActionCode():
                    pass

    def _varies(self, reading: Reading) -> bool:
        return not self._varying.isdisjoint(reading.depends)

    def period(self) -> int | None:
        """After how many tiles everything that decides is the same."""
        found = 1
        for loop in self._loops:
            for reading in _deciding(loop.body):
                period = self._of(reading.expr)
                if period is None or lcm(found, period) > LARGEST_PERIOD:
                    return None
                found = lcm(found, period)
        return found

    def _of(self, expr: Expr) -> int | None:
        if not self._varies(self._compiled.expressions.reading(expr)):
            return 1
        match expr:
            case Apply("mod", (inner, Constant(by))) if by > 0 and self._linear(inner):
                return by
            case Apply("and", (inner, Constant(by))) if by >= 0 and self._linear(inner):
                return 1 << by.bit_length()
            case Apply():
                found = 1
                for operand in expr.operands:
                    period = self._of(operand)
                    if period is None:
                        return None
                    found = lcm(found, period)
                return found
            case _:
                return None

    def _linear(self, expr: Expr) -> bool:
        """Whether it grows by the same whole number from tile to tile."""
        if not self._varies(self._compiled.expressions.reading(expr)):
            return True
        match expr:
            case Variable():
                return self._compiled.place(expr) in self._counters
            case Apply("add" | "sub", (a, b)):
                return self._linear(a) and self._linear(b)
            case Apply("mul", (inner, Constant())):
                return self._linear(inner)
            case _:
                return False


def _deciding(block: Iterable[Code]) -> Iterator[Reading]:
    """Conditions and bounds of loops."""
    for code in block:
        match code:
            case LoopCode():
                yield from (code.lower, code.upper, code.step)
                yield from _deciding(code.body)
            case BranchCode():
                yield code.condition
                yield from _deciding(code.then)
                yield from _deciding(code.otherwise)
            case ActionCode():
                pass
