"""What a kernel computes, written as one assignment over indices, and its evaluation.

    out[m, n] += lhs[m, k] * rhs[n, k]
    out[i, j] = a[i, j] + 2 * b[i, j]

Several assignments with functions are in `programs`.
The text is the attribute `reference` of a kernel (`docs/croq-run.md`). It is parsed and
evaluated here, with numpy in float64; it is never run as code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from croqtile_mlir.reference.text import (
    Element,
    Reader,
    ReferenceTextError,
    add_extents,
)

if TYPE_CHECKING:
    import numpy as np

    from croqtile_mlir.reference.programs import Program

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<mark>\+=|[-+*=\[\],]))"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Term:
    """A product of a number and elements."""

    factor: float
    elements: tuple[Element, ...]

    @property
    def indices(self) -> frozenset[str]:
        return frozenset(i for element in self.elements for i in element.indices)


@dataclass(frozen=True)
class Reference:
    """An assignment: a sum of products, summed over the indices that `result` lacks."""

    result: Element
    terms: tuple[Term, ...]

    @property
    def assigned(self) -> tuple[Element, ...]:
        """What is assigned, in order."""
        return (self.result,)

    @property
    def summed(self) -> tuple[str, ...]:
        """The indices that are summed over."""
        found = {i for term in self.terms for i in term.indices}
        return tuple(sorted(found - set(self.result.indices)))

    @property
    def factors(self) -> int:
        """The most elements that are multiplied."""
        return max(len(term.elements) for term in self.terms)

    @property
    def operands(self) -> frozenset[str]:
        """The names on the right side."""
        return frozenset(e.name for term in self.terms for e in term.elements)

    def extents(self, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """The extent of every index, from the shapes of the tiles."""
        extents: dict[str, int] = {}
        elements = [self.result, *(e for term in self.terms for e in term.elements)]
        for element in elements:
            add_extents(element, shapes, extents)
        return extents

    def operations(self, shapes: Mapping[str, Sequence[int]]) -> int:
        """Floating-point operations: 2 M N K for a matrix product."""
        extents = self.extents(shapes)
        total = 0
        for term in self.terms:
            indices = term.indices | set(self.result.indices)
            points = prod(extents[index] for index in indices)
            multiplications = len(term.elements) - 1 + (abs(term.factor) != 1)
            total += points * (multiplications + 1)
        # The first of several terms is not added to anything, unless it is summed.
        if not self.summed:
            total -= prod(extents[index] for index in self.result.indices)
        return total

    def evaluate_all(
        self, tiles: Mapping[str, np.ndarray[Any, Any]], scalars: Mapping[str, float]
    ) -> dict[str, np.ndarray[Any, Any]]:
        """What is assigned in float64, by name."""
        return {self.result.name: self.evaluate(tiles, scalars)}

    def evaluate(
        self, tiles: Mapping[str, np.ndarray[Any, Any]], scalars: Mapping[str, float]
    ) -> np.ndarray[Any, Any]:
        """The result in float64; `tiles` holds the operands and a tile for the shape
        of the result."""
        import numpy as np

        self.extents({name: tile.shape for name, tile in tiles.items()})
        total = np.zeros(tiles[self.result.name].shape)
        for term in self.terms:
            factor = term.factor
            operands: list[np.ndarray[Any, Any]] = []
            subscripts: list[str] = []
            letters = {
                index: _LETTERS[number]
                for number, index in enumerate(
                    sorted(term.indices | set(self.result.indices))
                )
            }
            for element in term.elements:
                if not element.indices and element.name not in tiles:
                    if element.name not in scalars:
                        raise ReferenceTextError(
                            f"reference: '{element.name}' must be an argument"
                        )
                    factor *= scalars[element.name]
                    continue
                operands.append(tiles[element.name].astype(np.float64))
                subscripts.append("".join(letters[i] for i in element.indices))
            kept = [i for i in self.result.indices if i in term.indices]
            if operands:
                value = np.einsum(
                    f"{','.join(subscripts)}->{''.join(letters[i] for i in kept)}",
                    *operands,
                    optimize=True,
                )
            else:
                value = np.ones(())
            # Indices that the term lacks are broadcast.
            for axis, index in enumerate(self.result.indices):
                if index not in term.indices:
                    value = np.expand_dims(value, axis)
            total = total + factor * value
        return total


def parse_reference(text: str) -> Reference | Program:
    """Parse a reference; a `ReferenceTextError` gives the column."""
    from croqtile_mlir.reference.programs import is_program, parse_program

    return parse_program(text) if is_program(text) else parse_products(text)


def parse_products(text: str) -> Reference:
    """Parse an assignment of a sum of products."""
    parser = _Parser(text)
    reference = parser.assignment()
    names = set(reference.result.indices)
    if len(names) != len(reference.result.indices):
        raise ReferenceTextError("reference: the result's indices must be different")
    for term in reference.terms:
        for element in term.elements:
            if len(set(element.indices)) != len(element.indices):
                raise ReferenceTextError(
                    f"reference: indices of '{element.name}' must be different"
                )
        lacking = set(reference.summed) - term.indices
        if lacking:
            raise ReferenceTextError(
                f"reference: every term must have the summed index {min(lacking)}"
            )
    if parser.operator == "=" and reference.summed:
        raise ReferenceTextError(
            f"reference: a sum over {', '.join(reference.summed)} must be written +="
        )
    return reference


class _Parser(Reader):
    def __init__(self, text: str):
        super().__init__(text, _TOKEN, "a name, a number or one of += = + - * [ ] ,")
        self.operator = "="

    def assignment(self) -> Reference:
        result = self.element()
        if not result.indices:
            self.fail("[ and the indices of the result")
        self.operator = self.expect("=", "+=")
        terms = [self.term(-1.0 if self.optional("-") else 1.0)]
        while self.peek()[1]:
            sign = -1.0 if self.expect("+", "-") == "-" else 1.0
            terms.append(self.term(sign))
        return Reference(result, tuple(terms))

    def term(self, factor: float) -> Term:
        elements: list[Element] = []
        while True:
            kind, text = self.peek()
            if kind == "number":
                factor *= float(text)
                self.take()
            else:
                elements.append(self.element())
            if not self.optional("*"):
                return Term(factor, tuple(elements))
