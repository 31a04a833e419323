"""Operands of expressions: literals, names and what follows them, shapes, calls."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from difflib import get_close_matches

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.calls import CallParser
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.tokens import Token, TokenKind, integer_value
from croqtile_mlir.frontends.croqtile.words import BUILTINS, SCALARS

_HAS_COMPONENTS = (ast.Ref, ast.SpanOf, ast.Component, ast.ShapeList, ast.TupleList)


class OperandParser(CallParser):
    """Everything that an operator can stand before or behind."""

    _deriving = False
    """Whether brackets after a name derive a shape from it."""
    _in_derivation = False
    """Whether `(0)` is a dimension of the shape that is derived from."""

    def shape(self) -> ast.Expr:
        """An expression in which brackets after a name derive a shape."""
        with self._shapes(deriving=True, inside=False):
            return self.expression()

    def operand(self) -> ast.Expr:
        """An operand with the indices of its components."""
        found = self._primary()
        while self.at("(") and isinstance(found, _HAS_COMPONENTS):
            args = self.values("after the index of a component")
            if len(args) != 1:
                self.fail(
                    f"a component has one index, got {len(args)}",
                    at=found.span,
                    hint="functions of the target are called with 'call f(..)'",
                )
            found = ast.Component(self.since(found.span), found, args[0])
        return found

    @contextmanager
    def _shapes(self, *, deriving: bool, inside: bool) -> Generator[None]:
        before = self._deriving, self._in_derivation
        self._deriving, self._in_derivation = deriving, inside
        try:
            yield
        finally:
            self._deriving, self._in_derivation = before

    def _primary(self) -> ast.Expr:
        token = self.token
        match token.kind:
            case TokenKind.Int | TokenKind.Float:
                self.advance()
                return self._number(token)
            case TokenKind.String:
                return self.string("a string")
            case TokenKind.Identifier:
                return self._word()
            case TokenKind.Operator:
                return self._sign()
            case _:
                self.fail(f"expected an expression, got {self.found()}")

    # Literals.

    def _number(self, token: Token) -> ast.IntLiteral | ast.FloatLiteral:
        if token.kind is TokenKind.Float:
            single = token.text[-1] in "fF"
            value = float(token.text.rstrip("fF"))
            return ast.FloatLiteral(token.span, value, "f32" if single else "f64")
        value, suffix = integer_value(token.text)
        if value >= 1 << (64 if "u" in suffix else 63):
            self.reporter.error(
                Kind.Lexical,
                token.span,
                f"integer must fit in 64 bits, got {token.text[:40]}",
            )
            value = 0
        if "u" in suffix:
            wide = "ll" in suffix or value >= 1 << 32
            return ast.IntLiteral(token.span, value, "u64" if wide else "u32")
        wide = "ll" in suffix or value >= 1 << 31
        return ast.IntLiteral(token.span, value, "s64" if wide else "s32")

    # Signs.

    def _sign(self) -> ast.Expr:
        start = self.token.span
        match self.token.text:
            case "(":
                return self._parentheses()
            case "[":
                args = self._list("]")
                return ast.ShapeList(self.since(start), args)
            case "{":
                args = self._list("}")
                return ast.TupleList(self.since(start), args)
            case "#":
                self.advance()
                name = self.name("a variable after '#'")
                return ast.Bound(self.since(start), name)
            case "|":
                return self._size()
            case "&":
                self.advance()
                operand = self._reference()
                if not isinstance(operand, ast.Ref | ast.Element):
                    self.fail("an address is of a name or an element", at=operand.span)
                return ast.AddressOf(self.since(start), operand)
            case "++" | "--":
                sign = self.advance().text[0]
                name = self.name("a variable")
                self.newer(start)
                return ast.Increment(self.since(start), name, sign, prefix=True)
            case _:
                self.fail(f"expected an expression, got {self.found()}")

    def _parentheses(self) -> ast.Expr:
        start = self.advance().span
        is_dimension = self._in_derivation
        with self.nested(), self._shapes(deriving=False, inside=False):
            found = self.expression()
            self.expect(")", "of an expression")
        if is_dimension and isinstance(found, ast.IntLiteral):
            return ast.ShapeDimension(self.since(start), found)
        return found

    def _list(self, closing: str) -> tuple[ast.Arg, ...]:
        self.advance()
        with self.nested(), self._shapes(deriving=False, inside=False):
            found = () if self.at(closing) else self.commas(self.argument)
            self.expect(closing, "of a list")
        return found

    def _size(self) -> ast.Expr:
        start = self.advance().span
        if self.at_any(SCALARS):
            element = self.element("an element type")
            self.expect("|", "of a size")
            return ast.ElementSize(self.since(start), element)
        with self.nested():
            self.bar_closes = True
            shape = self.additive()
            self.expect("|", "of a size")
        return ast.ElementCount(self.since(start), shape)

    # Words.

    def _word(self) -> ast.Expr:
        token = self.token
        text = token.text
        if self.at_call():
            return self.call()
        if text in BUILTINS:
            self.advance()
            args = self.values(f"of {text}")
            return ast.Builtin(self.since(token.span), ast.Name(token.span, text), args)
        match text:
            case "true" | "false":
                self.advance()
                return ast.BoolLiteral(token.span, text == "true")
            case "nullptr":
                self.advance()
                return ast.NullLiteral(token.span)
            case "inf":
                self.advance()
                return ast.FloatLiteral(token.span, float("inf"), "f32")
            case "cdiv":
                return self._cdiv()
            case "select":
                return self.select()
            case "__to":
                return self._convert()
            case _:
                return self._reference()

    def _cdiv(self) -> ast.Cdiv:
        start = self.advance().span
        args = self.values("of cdiv")
        span = self.since(start)
        if len(args) != 2:
            self.fail(f"cdiv takes 2 arguments, got {len(args)}", at=span)
        return ast.Cdiv(span, *args)

    def select(self) -> ast.Select:
        """`select(selector, a, b, ..)`."""
        start = self.advance().span
        self.expect("(", "of select")
        with self.nested():
            selector = self.expression()
            self.expect(",", "after the selector of select")
            candidates = self.commas(self.expression)
            self.expect(")", "of select")
        return ast.Select(self.since(start), selector, candidates)

    def _convert(self) -> ast.Convert:
        start = self.advance().span
        self.expect("<", "of __to")
        if self.at_kind(TokenKind.String):
            type = self.string("a type")
        else:
            type = self.element("an element type")
        self.expect(">", "of __to")
        args = self.values("of __to")
        if len(args) != 1:
            self.fail(f"__to takes 1 argument, got {len(args)}", at=start)
        return ast.Convert(self.since(start), type, args[0])

    def _reference(self) -> ast.Expr:
        """A name and what follows it."""
        if self.at("stage") and self.at("<", 1) and self.at(">", 3):
            self.removed(self.token.span, "'stage<N>(o)'", "write 'o % N'")
        if not self.at_name():
            self._refuse_word()
        if self._deriving and self.at("[", 1) and not self._is_followed(1):
            base = ast.Ref(self.token.span, self.name("a shape"))
            return self._derivation(base)
        ref = self.ref("a value")
        if ref.is_plain and self.at_any(frozenset({"++", "--"})):
            sign = self.advance().text[0]
            span = self.since(ref.span)
            self.newer(span)
            return ast.Increment(span, ref.name, sign, prefix=False)
        if self.accept_dotted("at"):
            indices = self.values("of .at")
            return ast.Element(self.since(ref.span), ref, indices)
        if self.accept_dotted("span"):
            shape = ast.SpanOf(self.since(ref.span), ref)
            if self.at("["):
                return self._derivation(shape)
            return shape
        return self.operations(ref)

    def _refuse_word(self) -> None:
        text = self.token.text
        close = get_close_matches(text, sorted(BUILTINS), 1)
        if text.startswith("__") and close:
            hint = f"did you mean {close[0]}?"
        elif text in SCALARS:
            hint = f"a conversion is written __to<{text}>(..)"
        else:
            hint = None
        self.fail(f"expected an expression, got {self.found()}", hint=hint)

    def _is_followed(self, ahead: int) -> bool:
        """Whether the bracket is one of a subscript: something is taken of it."""
        depth = 0
        while not self.at_kind(TokenKind.End, ahead):
            if self.peek(ahead).kind is TokenKind.Operator:
                text = self.peek(ahead).text
                depth += {"[": 1, "]": -1}.get(text, 0)
                if depth == 0:
                    return self.at(".", ahead + 1) or self.at("[", ahead + 1)
            ahead += 1
        return False

    def _derivation(self, base: ast.Ref | ast.SpanOf) -> ast.ShapeDerivation:
        self.expect("[", "of a shape")
        with self.nested(), self._shapes(deriving=False, inside=True):
            args = self.commas(self.argument)
            self.expect("]", "of a shape")
        return ast.ShapeDerivation(self.since(base.span), base, args)
