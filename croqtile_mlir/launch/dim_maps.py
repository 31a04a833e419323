"""Integers that follow from the extents of dims: xDSL's affine maps, and read ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Protocol, cast


class DimMap(Protocol):
    """What a launch needs of an affine map; `xdsl.ir.affine.AffineMap` is one."""

    @property
    def num_dims(self) -> int: ...

    @property
    def num_symbols(self) -> int: ...

    @property
    def results(self) -> Sequence[Any]: ...

    def eval(self, dims: Sequence[int], symbols: Sequence[int]) -> tuple[int, ...]:
        """The results for the extents of the dims."""
        ...


Expression = int | str | tuple[str, "Expression", "Expression"]
"""A number, a dim as `d0`, or an operation on two expressions."""

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = MappingProxyType(
    {
        "+": lambda a, b: a + b,
        "*": lambda a, b: a * b,
        "floordiv": lambda a, b: a // b,
        "ceildiv": lambda a, b: -(-a // b),
        "mod": lambda a, b: a % b,
    }
)


@dataclass(frozen=True)
class StoredMap:
    """An affine map that was read from a file, without xDSL."""

    num_dims: int
    results: tuple[Expression, ...]
    num_symbols: int = 0

    def eval(self, dims: Sequence[int], symbols: Sequence[int]) -> tuple[int, ...]:
        """The results for the extents of the dims."""
        return tuple(_eval(each, dims) for each in self.results)

    def __str__(self) -> str:
        dims = ", ".join(f"d{number}" for number in range(self.num_dims))
        return f"({dims}) -> ({', '.join(map(_text, self.results))})"


Evaluate = Callable[[Sequence[int]], int]
"""From the extents of the dims to a number."""


def compiled_map(found: DimMap) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """A map of dims alone as a function that has looked at its expressions already."""
    results = [_compiled(each) for each in stored_map(found).results]
    return lambda dims: tuple([result(dims) for result in results])


def _compiled(expression: Expression) -> Evaluate:
    match expression:
        case int():
            return lambda dims: expression
        case str():
            return itemgetter(int(expression[1:]))
        case (operation, lhs, rhs):
            combine, left = _OPERATIONS[operation], _compiled(lhs)
            if isinstance(rhs, int):
                return lambda dims: combine(left(dims), rhs)
            right = _compiled(rhs)
            return lambda dims: combine(left(dims), right(dims))


def stored_map(found: DimMap) -> StoredMap:
    """A map as it is stored."""
    if isinstance(found, StoredMap):
        return found
    return StoredMap(found.num_dims, tuple(map(_stored, found.results)))


def read_expression(data: object) -> Expression:
    """An expression from JSON data; raises `ValueError`."""
    match data:
        case bool():
            pass
        case int():
            return data
        case str() if data[:1] == "d" and data[1:].isdecimal():
            return data
        case list():
            items = cast("list[object]", data)
            operation = items[0] if len(items) == 3 else None
            if isinstance(operation, str) and operation in _OPERATIONS:
                lhs, rhs = map(read_expression, items[1:])
                return operation, lhs, rhs
        case _:
            pass
    raise ValueError(f"not an expression: {data!r}")


def used_dims(found: DimMap) -> list[int]:
    """The numbers of the dims that a map depends on, in order."""
    used: set[int] = set()
    pending = list(stored_map(found).results)
    while pending:
        match pending.pop():
            case int():
                pass
            case str() as dim:
                used.add(int(dim[1:]))
            case (_, lhs, rhs):
                pending += (lhs, rhs)
    return sorted(used)


def named_expression(expression: Any, names: Sequence[str]) -> str:
    """An affine expression in words, with the names of the dims."""
    return _words(_stored(expression), names)


_SYMBOLS: Mapping[str, str] = MappingProxyType({"floordiv": "/", "mod": "%"})


def _words(expression: Expression, names: Sequence[str]) -> str:
    match expression:
        case int():
            return str(expression)
        case str():
            return names[int(expression[1:])]
        case ("+", lhs, ("*", rhs, int() as factor)) if factor < 0:
            times = f" * {-factor}" if factor < -1 else ""
            return f"{_words(lhs, names)} - {_operand(rhs, names)}{times}"
        case ("+", lhs, int() as rhs) if rhs < 0:
            return f"{_words(lhs, names)} - {-rhs}"
        case ("ceildiv", lhs, rhs):
            return f"cdiv({_words(lhs, names)}, {_words(rhs, names)})"
        case (operation, lhs, rhs):
            symbol = _SYMBOLS.get(operation, operation)
            return f"{_operand(lhs, names)} {symbol} {_operand(rhs, names)}"


def _operand(expression: Expression, names: Sequence[str]) -> str:
    text = _words(expression, names)
    is_infix = isinstance(expression, tuple) and expression[0] != "ceildiv"
    return f"({text})" if is_infix else text


def _eval(expression: Expression, dims: Sequence[int]) -> int:
    match expression:
        case int():
            return expression
        case str():
            return dims[int(expression[1:])]
        case (operation, lhs, rhs):
            return _OPERATIONS[operation](_eval(lhs, dims), _eval(rhs, dims))


def _text(expression: Expression) -> str:
    if isinstance(expression, tuple):
        operation, lhs, rhs = expression
        return f"({_text(lhs)} {operation} {_text(rhs)})"
    return str(expression)


def _stored(expression: Any) -> Expression:
    from xdsl.ir.affine import (
        AffineBinaryOpExpr,
        AffineConstantExpr,
        AffineDimExpr,
    )

    match expression:
        case AffineConstantExpr():
            return expression.value
        case AffineDimExpr():
            return f"d{expression.position}"
        case AffineBinaryOpExpr():
            token = expression.kind.get_token()
            return token, _stored(expression.lhs), _stored(expression.rhs)
        case _:
            raise ValueError(f"a map of dims alone is stored, got {expression}")
