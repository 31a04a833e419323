"""The expressions of `#if`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import Token, TokenKind, integer_value


def _divided(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _shifted_left(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _shifted_right(a: int, b: int) -> int:
    return a >> b if 0 <= b < 64 else 0


_LEVELS: Sequence[Mapping[str, Callable[[int, int], int]]] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: a == b, "!=": lambda a, b: a != b},
    {
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
    },
    {"<<": _shifted_left, ">>": _shifted_right},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {
        "*": lambda a, b: a * b,
        "/": _divided,
        "%": lambda a, b: a - b * _divided(a, b),
    },
)
"""C's levels, unlike those of the language, from the loosest."""

_UNARY: Mapping[str, Callable[[int], int]] = {
    "!": lambda a: int(not a),
    "~": lambda a: ~a,
    "+": lambda a: a,
    "-": lambda a: -a,
}

_MOST_NESTED = 50


class ConditionError(Exception):
    """The text after `#if` is no expression."""

    def __init__(self, span: Span, message: str):
        super().__init__(message)
        self.span = span
        self.message = message


def evaluate(tokens: Sequence[Token], end: Span) -> int:
    """
    The value of an expression whose macros are expanded and whose `defined` are 0 or 1;
    a name that is left is 0, and so is a call of one. `end` is the place behind it.

    Raises:
        ConditionError: it is no expression.
    """
    reader = _Reader(tokens, end)
    value = reader.conditional()
    reader.expect_end()
    return value


def _wrapped(value: int) -> int:
    """Arithmetic is that of 64 bits: powers must not grow without end."""
    return (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)


class _Reader:
    def __init__(self, tokens: Sequence[Token], end: Span):
        self._tokens = tokens
        self._at = 0
        self._end = end
        self._depth = 0
        # Operands that && and || leave out are read, not evaluated.
        self._unused = 0

    def _text(self) -> str:
        token = self._peek()
        return "" if token is None or token.kind is TokenKind.String else token.text

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _fail(self, wanted: str) -> ConditionError:
        token = self._peek()
        if token is None:
            return ConditionError(self._end, f"expected {wanted} at the end of #if")
        return ConditionError(
            token.span, f"expected {wanted} in #if, got '{token.text}'"
        )

    def _take(self, text: str) -> None:
        if self._text() != text:
            raise self._fail(f"'{text}'")
        self._at += 1

    def expect_end(self) -> None:
        if self._peek() is not None:
            raise self._fail("an operator or the end of the line")

    def conditional(self) -> int:
        condition = self._binary(0)
        if self._text() != "?":
            return condition
        self._take("?")
        self._enter()
        then = self.conditional()
        self._take(":")
        otherwise = self.conditional()
        self._depth -= 1
        return then if condition else otherwise

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise self._fail("an expression that is nested less deeply")

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        value = self._binary(level + 1)
        while function := _LEVELS[level].get(self._text()):
            place = self._tokens[self._at].span
            sign = self._text()
            self._at += 1
            unused = (sign == "&&" and not value) or (sign == "||" and value)
            self._unused += bool(unused)
            right = self._binary(level + 1)
            self._unused -= bool(unused)
            if sign in "/%" and right == 0:
                if not self._unused:
                    raise ConditionError(place, "division by zero in #if")
                right = 1
            value = _wrapped(function(value, right))
        return value

    def _unary(self) -> int:
        if function := _UNARY.get(self._text()):
            self._at += 1
            self._enter()
            value = _wrapped(function(self._unary()))
            self._depth -= 1
            return value
        return self._primary()

    def _primary(self) -> int:
        token = self._peek()
        if token is None:
            raise self._fail("an operand")
        if self._text() == "(":
            self._at += 1
            self._enter()
            value = self.conditional()
            self._depth -= 1
            self._take(")")
            return value
        if token.kind is TokenKind.Int:
            self._at += 1
            return _wrapped(integer_value(token.text)[0])
        if token.kind is TokenKind.Identifier:
            self._at += 1
            if self._text() == "(":
                self._skip_arguments()
            return int(token.text == "true")
        raise self._fail("an operand")

    def _skip_arguments(self) -> None:
        depth = 0
        while self._peek() is not None:
            depth += {"(": 1, ")": -1}.get(self._text(), 0)
            self._at += 1
            if depth == 0:
                return
        raise self._fail("')'")
