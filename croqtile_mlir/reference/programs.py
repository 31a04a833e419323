"""What a kernel computes, written as several assignments over indices.

    s[m, n] += lhs[m, k] * rhs[n, k]; out[m, n] = max(s[m, n] + bias[n], 0)
    t[m] max= in[m, n]; e[m, n] = exp(in[m, n] - t[m]); out[m, n] = e[m, n] / sum[m]

An index means the same in all of them. A name that is assigned before the last of them
is another result, if it is a tile of the kernel, else an array of its own. Parsed and
evaluated here, in float64; never run as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from croqtile_mlir.reference.assignment import Reference, parse_products
from croqtile_mlir.reference.text import (
    Element,
    Reader,
    ReferenceTextError,
    add_extents,
)

if TYPE_CHECKING:
    import numpy as np

_TOKEN = re.compile(
    r"\s*(?:(?P<mark>max=|mean=|\+=|[-+*/=\[\](),])|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?))"
)
_FUNCTIONS: Mapping[str, int] = MappingProxyType(
    {
        "abs": 1,
        "exp": 1,
        "log": 1,
        "max": 2,
        "min": 2,
        "rsqrt": 1,
        "sqrt": 1,
        "tanh": 1,
    }
)
"""The functions, and how many arguments each has."""


@dataclass(frozen=True)
class Call:
    """A function or an operator of expressions."""

    function: str
    arguments: tuple[Expression, ...]


Expression = float | Element | Call


def _elements(expression: Expression) -> Iterator[Element]:
    if isinstance(expression, Element):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _elements(argument)


def _calls(expression: Expression) -> int:
    if not isinstance(expression, Call):
        return 0
    return 1 + sum(map(_calls, expression.arguments))


@dataclass(frozen=True)
class Statement:
    """`result operator expression`; indices that the result lacks are combined."""

    result: Element
    operator: str
    expression: Expression
    products: Reference | None
    """The statement as a sum of products, if it is one."""

    @property
    def combined(self) -> tuple[str, ...]:
        """The indices that the result lacks."""
        found = {i for element in _elements(self.expression) for i in element.indices}
        return tuple(sorted(found - set(self.result.indices)))

    def evaluate(
        self,
        arrays: Mapping[str, np.ndarray[Any, Any]],
        scalars: Mapping[str, float],
        extents: Mapping[str, int],
    ) -> np.ndarray[Any, Any]:
        """The array that is assigned."""
        import numpy as np

        shape = tuple(extents[index] for index in self.result.indices)
        if self.products is not None:
            named = {self.result.name: np.zeros(shape)}
            used = {n: arrays[n] for n in self.products.operands if n in arrays}
            return self.products.evaluate({**named, **used}, scalars)
        axes = (*self.result.indices, *self.combined)
        whole = tuple(extents[index] for index in axes)
        with np.errstate(all="ignore"):
            value = _evaluated(self.expression, axes, arrays, scalars)
        value = np.broadcast_to(value, whole)
        summed = tuple(range(len(shape), len(axes)))
        if self.operator == "max=":
            return value.max(axis=summed, initial=-np.inf)
        if self.operator == "mean=":
            return value.mean(axis=summed)
        return value.sum(axis=summed) if summed else np.array(value)


def _evaluated(
    expression: Expression,
    axes: Sequence[str],
    arrays: Mapping[str, np.ndarray[Any, Any]],
    scalars: Mapping[str, float],
) -> Any:
    import numpy as np

    def rsqrt(value: Any) -> Any:
        return 1 / np.sqrt(value)

    if isinstance(expression, Element):
        if expression.name not in arrays:
            if expression.indices or expression.name not in scalars:
                raise ReferenceTextError(
                    f"reference: '{expression.name}' must be an argument"
                )
            return np.float64(scalars[expression.name])
        array = arrays[expression.name].astype(np.float64)
        present = [axis for axis in axes if axis in expression.indices]
        order = [expression.indices.index(axis) for axis in present]
        array = array.transpose(order)
        for number, axis in enumerate(axes):
            if axis not in expression.indices:
                array = np.expand_dims(array, number)
        return array
    if isinstance(expression, Call):
        functions: dict[str, Callable[..., Any]] = {
            "+": np.add,
            "-": np.subtract,
            "*": np.multiply,
            "/": np.divide,
            "abs": np.abs,
            "exp": np.exp,
            "log": np.log,
            "max": np.maximum,
            "min": np.minimum,
            "rsqrt": rsqrt,
            "sqrt": np.sqrt,
            "tanh": np.tanh,
        }
        return functions[expression.function](
            *(_evaluated(a, axes, arrays, scalars) for a in expression.arguments)
        )
    return np.float64(expression)


@dataclass(frozen=True)
class Program:
    """Assignments, the last of which is the result."""

    statements: tuple[Statement, ...]

    @property
    def result(self) -> Element:
        """What the last statement assigns."""
        return self.statements[-1].result

    @property
    def assigned(self) -> tuple[Element, ...]:
        """What is assigned, in order."""
        return tuple(each.result for each in self.statements)

    @property
    def operands(self) -> frozenset[str]:
        """The names on the right sides that no statement assigns before."""
        assigned: set[str] = set()
        found: set[str] = set()
        for each in self.statements:
            names = {element.name for element in _elements(each.expression)}
            found |= names - assigned
            assigned.add(each.result.name)
        return frozenset(found)

    @property
    def products(self) -> Reference | None:
        """The first statement that sums products of several elements."""
        for each in self.statements:
            found = each.products
            if found and any(len(term.elements) > 1 for term in found.terms):
                return found
        return None

    @property
    def summed(self) -> tuple[str, ...]:
        """The indices that products are summed over."""
        return () if self.products is None else self.products.summed

    @property
    def factors(self) -> int:
        """The most elements that are multiplied in a sum of products."""
        if self.products is None:
            return 1
        return self.products.factors

    def extents(self, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """The extent of every index, from the shapes of the tiles."""
        known = dict(shapes)
        extents: dict[str, int] = {}
        for each in self.statements:
            for element in (*_elements(each.expression), each.result):
                given = element is self.result or element.name in shapes
                if element is each.result and not given:
                    # Its shape follows from its indices.
                    missing = [i for i in element.indices if i not in extents]
                    if missing:
                        raise ReferenceTextError(
                            f"reference: index {missing[0]} of '{element.name}' must "
                            "be one of its right side"
                        )
                    known[element.name] = [extents[i] for i in element.indices]
                add_extents(element, known, extents)
        return extents

    def operations(self, shapes: Mapping[str, Sequence[int]]) -> int:
        """Floating-point operations; each function counts as one."""
        extents = self.extents(shapes)
        total = 0
        for each in self.statements:
            points = prod(extents[i] for i in (*each.result.indices, *each.combined))
            total += points * (_calls(each.expression) + bool(each.combined))
        return total

    def evaluate_all(
        self, tiles: Mapping[str, np.ndarray[Any, Any]], scalars: Mapping[str, float]
    ) -> dict[str, np.ndarray[Any, Any]]:
        """What is assigned in float64, by name; `tiles` holds the operands and tiles
        for the shapes of results."""
        extents = self.extents({name: tile.shape for name, tile in tiles.items()})
        arrays = dict(tiles)
        found: dict[str, np.ndarray[Any, Any]] = {}
        for each in self.statements:
            value = each.evaluate(arrays, scalars, extents)
            arrays[each.result.name] = found[each.result.name] = value
        return found

    def evaluate(
        self, tiles: Mapping[str, np.ndarray[Any, Any]], scalars: Mapping[str, float]
    ) -> np.ndarray[Any, Any]:
        """What the last statement assigns."""
        return self.evaluate_all(tiles, scalars)[self.result.name]


def is_program(text: str) -> bool:
    """Whether a text has what a sum of products has not."""
    return any(mark in text for mark in (";", "(", "/", "max=", "mean="))


def parse_program(text: str) -> Program:
    """Parse assignments; a `ReferenceTextError` gives the column."""
    statements: list[Statement] = []
    start = 0
    for part in text.split(";"):
        statements.append(_Parser(text[: start + len(part)], start).statement())
        start += len(part) + 1
    return Program(tuple(statements))


class _Parser(Reader):
    """Parses one statement, the end of a text."""

    def __init__(self, text: str, start: int):
        super().__init__(text, _TOKEN, "a name, a number or an operator", start)
        self.start = start

    def statement(self) -> Statement:
        result = self.element()
        operator = self.expect("=", "+=", "max=", "mean=")
        expression = self.sum()
        if self.peek()[1]:
            self.fail("an operator or ;")
        products = None
        own = self.text[self.start :]
        if operator in ("=", "+=") and not is_program(own):
            products = parse_products(own)
        found = Statement(result, operator, expression, products)
        if operator == "=" and found.combined:
            raise ReferenceTextError(
                f"reference: a sum over {', '.join(found.combined)} must be written +="
            )
        return found

    def sum(self) -> Expression:
        value = self.product()
        while mark := self.optional("+", "-"):
            value = Call(mark, (value, self.product()))
        return value

    def product(self) -> Expression:
        value = self.factor()
        while mark := self.optional("*", "/"):
            value = Call(mark, (value, self.factor()))
        return value

    def factor(self) -> Expression:
        if self.optional("-"):
            return Call("-", (0.0, self.factor()))
        if self.optional("("):
            value = self.sum()
            self.expect(")")
            return value
        kind, _ = self.peek()
        if kind == "number":
            return float(self.take())
        after = _TOKEN.match(self.text, self.position)
        called = after is not None and self.text[after.end() :].lstrip().startswith("(")
        return self.call() if kind == "name" and called else self.element()

    def call(self) -> Call:
        _, name = self.peek()
        if name not in _FUNCTIONS:
            self.fail(f"one of {', '.join(_FUNCTIONS)}")
        self.take()
        self.expect("(")
        arguments = [self.sum()]
        while self.optional(","):
            arguments.append(self.sum())
        self.expect(")")
        if len(arguments) != _FUNCTIONS[name]:
            raise ReferenceTextError(
                f"reference: '{name}' must have {_FUNCTIONS[name]} arguments, got "
                f"{len(arguments)}"
            )
        return Call(name, tuple(arguments))

    def element(self) -> Element:
        found = super().element()
        if len(set(found.indices)) != len(found.indices):
            raise ReferenceTextError(
                f"reference: indices of '{found.name}' must be different"
            )
        return found
