"""Macros and their expansion in a stream of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import Expansion, Span
from croqtile_mlir.frontends.croqtile.tokens import Token, TokenKind, tokens_of

_MOST_NESTED = 64
_MOST_TOKENS = 100_000
"""What one use of a macro may become: nested ones can double without end."""

_END = Token(TokenKind.End, "", Span(0, 0))


@dataclass(frozen=True)
class Macro:
    """
    `#define name(params) body`. The body is read when it is used: host code defines
    macros that hold no tokens of ours.
    """

    name: str
    params: tuple[str, ...] | None
    """None: not written with parentheses."""
    text: str
    """The text that holds the body: the file, or the value given with `-D`."""
    start: int
    end: int
    in_file: bool = True

    def body(self, reporter: Reporter) -> list[Token]:
        """The tokens of the body; a missing body is 1."""
        if not self.in_file and not self.text:
            return [Token(TokenKind.Int, "1", Span(0, 0))]
        found = list(tokens_of(self.text, reporter, self.start, self.end))
        if not found and self.params is None:
            return [Token(TokenKind.Int, "1", Span(self.start, self.start))]
        return found


Macros = dict[str, Macro]
Pull: TypeAlias = Callable[[], Token]
Push: TypeAlias = Callable[[Token], None]


@dataclass
class Expander:
    """
    Expands the macros in force. `pull` gives the next token of the file, `push` takes
    back one that was looked at.
    """

    macros: Macros
    reporter: Reporter
    _left: int = 0

    def expand(self, token: Token, pull: Pull, push: Push) -> list[Token] | None:
        """What a token becomes, None if it is no use of a macro."""
        if token.kind is not TokenKind.Identifier or token.text not in self.macros:
            return None
        self._left = _MOST_TOKENS
        return self._used(token, pull, push, frozenset())

    def expand_in_full(self, tokens: Iterable[Token]) -> list[Token]:
        """A list of tokens with all macros expanded."""
        self._left = _MOST_TOKENS
        return self._expanded(tokens, frozenset())

    def _expanded(
        self,
        tokens: Iterable[Token],
        hidden: frozenset[str],
        pull_more: Pull = lambda: _END,
        push_back: Push = lambda token: None,
    ) -> list[Token]:
        """
        Tokens with their macros expanded, except `hidden` ones. The arguments of a use
        at the end of the list may come from behind it.
        """
        pending = list(tokens)[::-1]
        found: list[Token] = []
        behind = False

        def pull() -> Token:
            nonlocal behind
            behind = not pending
            return pull_more() if behind else pending.pop()

        def push(token: Token) -> None:
            if behind:
                push_back(token)
            else:
                pending.append(token)

        while pending:
            token = pending.pop()
            becomes = None
            if token.kind is TokenKind.Identifier and token.text not in hidden:
                becomes = self._used(token, pull, push, hidden)
            found += [token] if becomes is None else becomes
        return found

    def _used(
        self, token: Token, pull: Pull, push: Push, hidden: frozenset[str]
    ) -> list[Token] | None:
        macro = self.macros.get(token.text)
        if macro is None:
            return None
        arguments: list[list[Token]] = []
        if macro.params is not None:
            opening = pull()
            if opening.text != "(" or opening.kind is not TokenKind.Operator:
                push(opening)
                return None
            arguments = self._arguments(token, macro, pull)
        inside = hidden | {macro.name}
        if len(inside) > _MOST_NESTED:
            self.reporter.error(
                Kind.Preprocessor, token.span, "macros are nested too deeply"
            )
            return []
        by_name = dict(
            zip(
                macro.params or (),
                (self._expanded(each, hidden) for each in arguments),
                strict=False,
            )
        )
        found: list[Token] = []
        for part in self._body(macro, token):
            if part.kind is TokenKind.Identifier and part.text in by_name:
                found += by_name[part.text]
            else:
                found.append(part)
        self._left -= len(found)
        if self._left < 0:
            self.reporter.error(
                Kind.Preprocessor,
                token.span,
                f"macro {macro.name} must become at most {_MOST_TOKENS} tokens",
            )
            return []
        return self._expanded(found, inside, pull, push)

    def _body(self, macro: Macro, use: Token) -> Iterable[Token]:
        for part in macro.body(self.reporter):
            place = Expansion(macro.name, part.span.start if macro.in_file else -1)
            span = Span(use.span.start, use.span.end, (*use.span.expansions, place))
            yield Token(part.kind, part.text, span)

    def _arguments(self, use: Token, macro: Macro, pull: Pull) -> list[list[Token]]:
        found: list[list[Token]] = [[]]
        depth = 0
        while True:
            token = pull()
            if token.kind is TokenKind.End:
                self.reporter.error(
                    Kind.Preprocessor,
                    use.span,
                    f"arguments of macro {macro.name} must end with )",
                )
                break
            if token.kind is TokenKind.Operator:
                if token.text == ")" and depth == 0:
                    break
                if token.text == "," and depth == 0:
                    found.append([])
                    continue
                depth += {"(": 1, ")": -1}.get(token.text, 0)
            found[-1].append(token)
        params = macro.params or ()
        if not params and found == [[]]:
            return []
        if len(found) != len(params):
            self.reporter.error(
                Kind.Preprocessor,
                use.span,
                f"macro {macro.name} takes {len(params)} arguments, got {len(found)}",
            )
            found += [[] for _ in range(len(params) - len(found))]
        return found
