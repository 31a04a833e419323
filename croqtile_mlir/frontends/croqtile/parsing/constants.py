"""Numbers that must be known when the text is read: in angle brackets and hints."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.expressions import ExpressionParser
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.words import SWIZZLES

DEFAULT_SWIZZLE = 128
"""Bytes, where `.swiz` says nothing."""


class ConstantParser(ExpressionParser):
    """Constants."""

    def constant(self, what: str) -> int:
        """An integer, or arithmetic on integers."""
        found = self.additive()
        value = _value(found)
        if value is None:
            unknown = _unknown_name(found)
            if unknown is None:
                self.fail(f"{what} must be an integer constant", at=found.span)
            self.fail(
                f"{what} must be an integer constant, got the name '{unknown}'",
                at=unknown.span,
                kind=Kind.UndefinedName,
                hint=f"define the macro, or give -D{unknown}=..",
            )
        return value

    def constants(self, what: str) -> tuple[int, ...]:
        """Integers with commas between."""
        return self.commas(lambda: self.constant(what))

    def swizzle(self) -> int | None:
        """`.swiz<bytes>`, `.swiz`, or the old `.swizzle(bytes)`; bytes of a row."""
        if not self.at_dotted("swiz", "swizzle"):
            return None
        self.advance()
        word = self.advance()
        if self.at("("):
            self.reporter.remark(
                Kind.OldSpelling,
                word.span,
                f"'.{word.text}(..)' is the old spelling of '.swiz<..>'",
            )
            opening, closing = "(", ")"
        elif self.at("<"):
            opening, closing = "<", ">"
        else:
            return DEFAULT_SWIZZLE
        self.expect(opening, "of .swiz")
        at = self.token.span
        value = self.constant("a swizzle")
        self.expect(closing, "of .swiz")
        if value in SWIZZLES:
            self.reporter.warning(
                Kind.SwizzleSpelling,
                at,
                f"a swizzle is given in bytes; {value} is taken for {SWIZZLES[value]}",
            )
            return SWIZZLES[value]
        if value not in SWIZZLES.values():
            self.reporter.error(
                Kind.Syntax, at, f"a swizzle must be 32, 64 or 128 bytes, got {value}"
            )
            return DEFAULT_SWIZZLE
        return value


def _value(node: ast.Arg) -> int | None:
    match node:
        case ast.IntLiteral(value=value):
            return value
        case ast.Unary(operator=sign, operand=operand):
            value = _value(operand)
            if value is None or sign == "!":
                return None
            return -value if sign == "-" else ~value
        case ast.Cdiv(dividend=left, divisor=right):
            return _combined("cdiv", _value(left), _value(right))
        case ast.Binary(operator=sign, left=left, right=right):
            return _combined(sign, _value(left), _value(right))
        case _:
            return None


def _combined(sign: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%" | "cdiv" if left >= 0 and right > 0:
            quotient, rest = divmod(left, right)
            return {"/": quotient, "%": rest}.get(sign, quotient + bool(rest))
        case _:
            return None


def _unknown_name(node: ast.Arg) -> ast.Name | None:
    match node:
        case ast.Ref(name=name) if node.is_plain:
            return name
        case ast.Unary(operand=operand):
            return _unknown_name(operand)
        case (
            ast.Cdiv(dividend=left, divisor=right) | ast.Binary(left=left, right=right)
        ):
            return _unknown_name(left) or _unknown_name(right)
        case _:
            return None
