"""Tokens one after the other, and what is said when they are not as they must be."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from croqtile_mlir.frontends.croqtile.ast import ElementType, Name, Node, Storage
from croqtile_mlir.frontends.croqtile.directives import Intrinsics
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import Token, TokenKind
from croqtile_mlir.frontends.croqtile.words import RESERVED, SCALARS, STORAGES

_MOST_NESTED = 64
"""Blocks and brackets within one another; Python's own stack ends near 1000."""

T = TypeVar("T")


class SyntaxFailure(Exception):
    """An error was reported; the statement cannot be read further."""


class Cursor:
    """A place in a list of tokens that ends with an `End`."""

    def __init__(
        self, tokens: Sequence[Token], reporter: Reporter, intrinsics: Intrinsics
    ):
        self.tokens = tokens
        self.reporter = reporter
        self.intrinsics = intrinsics
        self.index = 0
        self.token = tokens[0]
        self._depth = 0
        self.bar_closes = False
        """Whether `|` is the end of a size, not an operator."""
        self._newer: Span | None = None
        self._older: Span | None = None
        self.generation: int | None = None

    # Looking.

    def peek(self, ahead: int = 1) -> Token:
        """A token behind the current one."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def previous(self) -> Span:
        """The place of the last token that was taken."""
        return self.tokens[max(self.index - 1, 0)].span

    def since(self, start: Span) -> Span:
        """From a place to the last token that was taken."""
        return start.to(self.previous())

    def at(self, text: str, ahead: int = 0) -> bool:
        """Whether a token is this operator or word."""
        token = self.peek(ahead) if ahead else self.token
        return token.text == text and token.kind is not TokenKind.String

    def at_any(self, texts: Container[str], ahead: int = 0) -> bool:
        """Whether a token is one of these operators or words."""
        token = self.peek(ahead) if ahead else self.token
        return token.text in texts and token.kind is not TokenKind.String

    def at_kind(self, kind: TokenKind, ahead: int = 0) -> bool:
        """Whether a token is of a kind."""
        return (self.peek(ahead) if ahead else self.token).kind is kind

    def at_name(self, ahead: int = 0) -> bool:
        """Whether a token can be a name that the user chose."""
        token = self.peek(ahead) if ahead else self.token
        return token.kind is TokenKind.Identifier and token.text not in RESERVED

    def at_dotted(self, *words: str, ahead: int = 0) -> bool:
        """Whether a point and one of these words come next."""
        return self.at(".", ahead) and any(self.at(word, ahead + 1) for word in words)

    # Taking.

    def advance(self) -> Token:
        """Take the current token."""
        token = self.token
        if token.kind is not TokenKind.End:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def accept(self, text: str) -> bool:
        """Take an operator or word if it is the next."""
        if self.at(text):
            self.advance()
            return True
        return False

    def accept_dotted(self, word: str) -> bool:
        """Take a point and a word if they come next."""
        if self.at_dotted(word):
            self.advance()
            self.advance()
            return True
        return False

    def expect(self, text: str, where: str) -> Token:
        """Take an operator or word that must be here."""
        if not self.at(text):
            self.fail(f"expected '{text}' {where}, got {self.found()}")
        return self.advance()

    def expect_semicolon(self, where: str) -> None:
        """Take the end of a statement; if it is missing, go on as if it were there."""
        if self.accept(";"):
            return
        if self.token.span.expansions or not self.starts_line():
            self.fail(f"expected ';' {where}, got {self.found()}")
        end = self.previous().end
        self.reporter.error(
            Kind.Syntax, Span(end, end), f"expected ';' {where}, got {self.found()}"
        )

    def starts_line(self) -> bool:
        """Whether the current token is the first of its line, or closes a block."""
        text = self.reporter.source.text
        return "\n" in text[self.previous().end : self.token.span.start] or self.at("}")

    def name(self, what: str) -> Name:
        """A name that the user chose; `what` is what it names."""
        if not self.at_name():
            reserved = self.at_kind(TokenKind.Identifier)
            self.fail(
                f"expected the name of {what}, got {self.found()}",
                hint=f"'{self.token.text}' is a word of the language"
                if reserved
                else None,
            )
        token = self.advance()
        return Name(token.span, token.text)

    def variable(self, what: str) -> Name:
        """A name that is no lone `_`."""
        found = self.name(what)
        if found.text == "_":
            self.reporter.error(
                Kind.Syntax, found.span, f"{what} must have a name, got '_'"
            )
        return found

    def storage(self) -> Storage | None:
        """Where a buffer is, if that is said."""
        if self.at_any(STORAGES):
            return Storage(self.advance().text)
        return None

    def element(self, what: str) -> ElementType:
        """A word for an element type."""
        if not self.at_any(SCALARS):
            close = get_close_matches(self.token.text, sorted(SCALARS), 1)
            self.fail(
                f"expected {what}, got {self.found()}",
                hint=f"did you mean {close[0]}?" if close else None,
            )
        token = self.advance()
        return ElementType(token.span, token.text)

    def commas(self, item: Callable[[], T]) -> tuple[T, ...]:
        """One or more, with commas between."""
        found = [item()]
        while self.accept(","):
            found.append(item())
        return tuple(found)

    @contextmanager
    def nested(self) -> Generator[None]:
        """What is read inside is nested one deeper."""
        self._depth += 1
        bar_closes, self.bar_closes = self.bar_closes, False
        try:
            if self._depth > _MOST_NESTED:
                self.fail(f"nesting must be at most {_MOST_NESTED} deep")
            yield
        finally:
            self._depth -= 1
            self.bar_closes = bar_closes

    # Errors.

    def found(self) -> str:
        """The current token, for messages."""
        match self.token.kind:
            case TokenKind.End:
                return "the end of the function"
            case TokenKind.String:
                return "a string"
            case _:
                return f"'{self.token.text}'"

    def fail(
        self,
        message: str,
        *,
        at: Span | None = None,
        kind: Kind = Kind.Syntax,
        hint: str | None = None,
    ) -> NoReturn:
        """
        Report an error at a place, or at the current token.

        Raises:
            SyntaxFailure: always.
        """
        self.reporter.error(kind, at or self.token.span, message, hint=hint)
        raise SyntaxFailure

    def removed(self, at: Span, form: str, instead: str) -> NoReturn:
        """Refuse a form that the language had once."""
        self.fail(
            f"{form} is no longer in the language",
            at=at,
            kind=Kind.RemovedSyntax,
            hint=instead,
        )

    # Generations.

    def older(self, place: Node | Span, generation: int) -> None:
        """Note a form that only generation 1 or 2 has."""
        self._older = self._older or _place(place)
        self.generation = generation if self.generation is None else self.generation

    def newer(self, place: Node | Span) -> None:
        """Note a form that only generation 3 has."""
        self._newer = self._newer or _place(place)
        self.generation = 3

    def tell_generations(self) -> None:
        """Warn of a function that mixes forms, and forget them."""
        if self._older is not None and self._newer is not None:
            self.reporter.warning(
                Kind.MixedGenerations,
                self._newer,
                "forms of the language's third generation stand in one function with "
                "older ones",
                hint="events have generations from the third on; see that both halves "
                "mean the same",
                notes=[(self._older, "an older form is here")],
            )
        self._older = self._newer = None


def _place(place: Node | Span) -> Span:
    return place if isinstance(place, Span) else place.span
