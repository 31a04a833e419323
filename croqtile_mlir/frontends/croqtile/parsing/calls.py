"""Calls, and what is no language of ours: text and functions of the target."""

from __future__ import annotations

from abc import abstractmethod

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.views import ViewParser
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import TokenKind
from croqtile_mlir.frontends.croqtile.words import (
    ATOMICS,
    BARRIERS,
    KNOWN_CALLS,
    SCALARS,
)

_PRINTS = frozenset({"print", "println"})
_ASSEMBLY = frozenset({"asm", "__asm__"})
_CALL_WORDS = frozenset({"call", "assert", "__cpp__"}) | _PRINTS | _ASSEMBLY | ATOMICS


class CallParser(ViewParser):
    """
    Calls. Those of functions that have no meaning here are refused with their name, and
    still read, so that what follows is read too.
    """

    @abstractmethod
    def additive(self) -> ast.Expr:
        """An expression without comparisons and shifts, as between `<` and `>`."""

    def at_call(self) -> bool:
        """Whether a call comes next."""
        if not self.at_kind(TokenKind.Identifier):
            return False
        text = self.token.text
        return (
            text in _CALL_WORDS
            or text in BARRIERS
            or (self.at("::", 1) and self.at_name())
            or (
                (text.startswith("__lib_") or self.intrinsics.has(text))
                and self.at("(", 1)
            )
        )

    def call(self) -> ast.AnyCall:
        """A call of any form."""
        word = self.token
        if self.at_any(_PRINTS):
            return self._print()
        if self.at_any(ATOMICS):
            self.advance()
            args = self.values(f"of {word.text}")
            operation = word.text.removeprefix("__atomic_")
            return ast.Atomic(self.since(word.span), operation, args)
        if self.at_any(BARRIERS):
            self.advance()
            args = self.values(f"of {word.text}")
            return ast.NamedBarrier(self.since(word.span), BARRIERS[word.text], args)
        if self.at("assert"):
            return self._assert()
        if self.at("__cpp__"):
            return self._target_text()
        if self.at_any(_ASSEMBLY):
            return self._assembly()
        self.accept("call")
        return self._function(word.span)

    def string(self, what: str) -> ast.StringLiteral:
        """Strings side by side."""
        start = self.token.span
        if not self.at_kind(TokenKind.String):
            self.fail(f"expected {what}, got {self.found()}")
        parts: list[str] = []
        while self.at_kind(TokenKind.String):
            parts.append(self.advance().text)
        return ast.StringLiteral(self.since(start), "".join(parts))

    def _print(self) -> ast.Print:
        word = self.advance()
        compile_time = self.accept("!")
        args = self.values(f"of {word.text}")
        newline = word.text == "println"
        return ast.Print(self.since(word.span), args, newline, compile_time)

    def _assert(self) -> ast.Assert:
        start = self.advance().span
        self.expect("(", "of assert")
        with self.nested():
            condition = self.expression()
            message = ""
            if self.accept(","):
                message = self.string("the message of assert, a string").value
            self.expect(")", "of assert")
        return ast.Assert(self.since(start), condition, message)

    def _function(self, start: Span) -> ast.Call:
        name = self._qualified("a function")
        template_args: tuple[ast.Expr | ast.ElementType, ...] = ()
        if self.accept("<"):
            template_args = self.commas(self._template_argument)
            self.expect(">", "after the template arguments of a call")
        args = self.values(f"of the call of {name}")
        if name.text not in KNOWN_CALLS:
            self.reporter.error(
                Kind.UnsupportedEscape,
                name.span,
                f"function of the target '{name}' has no meaning here",
                hint="only croq::cuda::setreg_inc and setreg_dec are known",
            )
        return ast.Call(self.since(start), name, template_args, args)

    def _qualified(self, what: str) -> ast.Name:
        """`a::b::c`."""
        token = self.token
        if not self.at_kind(TokenKind.Identifier):
            self.fail(f"expected the name of {what}, got {self.found()}")
        parts = [self.advance().text]
        while self.accept("::"):
            if not self.at_kind(TokenKind.Identifier):
                self.fail(f"expected a name after '::', got {self.found()}")
            parts.append(self.advance().text)
        return ast.Name(self.since(token.span), "::".join(parts))

    def _template_argument(self) -> ast.Expr | ast.ElementType:
        if self.at_name() and self.at("::", 1):
            name = self._qualified("a template argument")
            return ast.Ref(name.span, name)
        if self.at_any(SCALARS):
            return self.element("a template argument")
        return self.additive()

    def _target_text(self) -> ast.Escape:
        word = self.advance()
        self.expect("(", "of __cpp__")
        text = self.string("the text of __cpp__, a string").value
        self.expect(")", "of __cpp__")
        return self._escape(word.span, word.text, text)

    def _assembly(self) -> ast.Escape:
        word = self.advance()
        if self.at("volatile") or self.at("goto"):
            self.advance()
        opening = self.expect("(", f"of {word.text}").span
        depth = 1
        while depth:
            if self.at_kind(TokenKind.End):
                self.fail(f"expected ')' of {word.text}, got {self.found()}")
            token = self.advance()
            if token.kind is TokenKind.Operator:
                depth += {"(": 1, ")": -1}.get(token.text, 0)
        text = self.reporter.source.text[opening.end : self.previous().start]
        return self._escape(word.span, word.text, text)

    def _escape(self, start: Span, word: str, text: str) -> ast.Escape:
        self.reporter.error(
            Kind.UnsupportedEscape,
            start,
            f"text of the target in '{word}' has no meaning here",
            hint="say it with statements of the language",
        )
        return ast.Escape(self.since(start), word, text)
