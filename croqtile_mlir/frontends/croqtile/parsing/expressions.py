"""Expressions, with the precedence of the language, which is not C's."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.operands import OperandParser
from croqtile_mlir.frontends.croqtile.parsing.precedence import (
    ADDITIVE,
    BITWISE,
    LEVELS,
    LOOSEST,
    c_groups_otherwise,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import TokenKind

_MOST_OPERATORS = 250
"""In one chain: what is longer makes a tree that is too deep to walk."""


class ExpressionParser(OperandParser):
    """Operators between operands."""

    def expression(self) -> ast.Expr:
        """Any expression."""
        condition, _ = self._binary(LOOSEST)
        if not self.at("?"):
            return condition
        with self.nested():
            self.advance()
            then = self.expression()
            self.expect(":", "of ?:")
            otherwise = self.expression()
        return ast.Conditional(self.since(condition.span), condition, then, otherwise)

    def additive(self) -> ast.Expr:
        return self._binary(ADDITIVE)[0]

    # Operators.

    def _binary(self, lowest: int) -> tuple[ast.Expr, str | None]:
        """
        An expression of operators that bind at least as tightly as `lowest`, and its
        outermost operator, if that has no parentheses around it.
        """
        left, outermost = self._unary()
        count = 0
        while self.at_kind(TokenKind.Operator):
            sign = self.token.text
            level = LEVELS.get(sign)
            if level is None or level < lowest or (sign == "|" and self.bar_closes):
                break
            place = self.advance().span
            right, inner = self._binary(level + 1)
            self._warn_of_precedence(place, sign, outermost, inner)
            left = ast.Binary(left.span.to(right.span), sign, left, right)
            outermost = sign
            count += 1
            if count > _MOST_OPERATORS:
                self.fail(
                    f"an expression must have at most {_MOST_OPERATORS} operators in "
                    "a row",
                    at=place,
                )
        return left, outermost

    def _unary(self) -> tuple[ast.Expr, str | None]:
        token = self.token
        if token.kind is not TokenKind.Operator:
            return self.operand(), None
        if token.text in ("!", "~"):
            with self.nested():
                self.advance()
                if token.text == "~":
                    operand, inner = self._unary()
                else:
                    operand, inner = self._binary(BITWISE)
                self._warn_of_precedence(token.span, token.text, None, inner)
            return ast.Unary(self.since(token.span), token.text, operand), token.text
        if token.text == "-":
            with self.nested():
                self.advance()
                operand, _ = self._unary()
            return self._negated(token.span.to(operand.span), operand), None
        return self.operand(), None

    def _negated(self, span: Span, operand: ast.Expr) -> ast.Expr:
        match operand:
            case ast.IntLiteral(value=value, type=type):
                if type == "s64" and value == 1 << 31:
                    type = "s32"
                return ast.IntLiteral(span, -value, type)
            case ast.FloatLiteral(value=value, type=type):
                return ast.FloatLiteral(span, -value, type)
            case _:
                return ast.Unary(span, "-", operand)

    def _warn_of_precedence(
        self, place: Span, sign: str, left: str | None, right: str | None
    ) -> None:
        for inner in (left, right):
            if inner is not None and c_groups_otherwise(sign, inner):
                self.reporter.warning(
                    Kind.SurprisingPrecedence,
                    place,
                    f"'{inner}' binds tighter than '{sign}' here, unlike in C",
                    hint="parentheses make it plain",
                )
