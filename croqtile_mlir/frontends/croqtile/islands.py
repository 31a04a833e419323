"""
The parts of a file that are Croqtile.

A file is C++ with `__co__` functions in it. Of the C++ only comments, strings, braces
and preprocessor lines are understood; blocks of device code are skipped as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from croqtile_mlir.frontends.croqtile.directives import Directives
from croqtile_mlir.frontends.croqtile.macros import Expander
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import (
    DIRECTIVE,
    RAW_STRING,
    STRING,
    Lexer,
    Token,
    TokenKind,
)

_HOST = re.compile(
    rf"""
    (?P<Comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))
  | (?P<Directive>{DIRECTIVE})
  | (?P<String>{RAW_STRING}|{STRING}|'(?:[^'\\\n]|\\.)+')
  | (?P<Word>[A-Za-z_]\w*)
  | (?P<Number>\d[\w.']*)
  | (?P<Brace>[{{}};])
    """,
    re.VERBOSE | re.ASCII,
)

_OPAQUE = ("__cok__", "__device__", "__co_device__", "__global__")


@dataclass(frozen=True)
class Island:
    """The tokens of a `__co__` function, from that word on; the last is an `End`."""

    tokens: tuple[Token, ...]


class Islands:
    """Finds the islands of a file, preprocessed."""

    def __init__(self, directives: Directives):
        self._directives = directives
        self._text = directives.source.text
        self._position = 0
        self._lexer = Lexer(self._text, directives.reporter)
        self._pushed: list[Token] = []

    def read(self) -> Iterator[Island]:
        """The islands in order; those of branches that do not count are left out."""
        opaque: int | None = None
        while (match := _HOST.search(self._text, self._position)) is not None:
            self._position = match.end()
            kind, text = match.lastgroup, match[0]
            if kind == "Directive":
                self._directive(match)
            elif not self._directives.active:
                continue
            elif kind == "Word" and text == "__co__" and opaque is None:
                self._position = match.start()
                yield self._island()
            elif kind == "Word" and text in _OPAQUE and opaque is None:
                opaque = 0
            elif kind == "Brace" and opaque is not None:
                opaque += {"{": 1, "}": -1}.get(text, 0)
                if opaque <= 0 and text != "{":
                    opaque = None
        self._directives.finish()

    def _directive(self, match: re.Match[str]) -> None:
        line = self._text.rfind("\n", 0, match.start()) + 1
        if self._text[line : match.start()].strip():
            self._position = match.start() + 1
            return
        span = Span(match.start(), match.end())
        self._directives.obey(Token(TokenKind.Directive, match[0], span))

    def _island(self) -> Island:
        self._lexer.position = self._position
        self._pushed.clear()
        # Macros that a function defines end with it.
        outer = dict(self._directives.macros)
        expander = Expander(self._directives.macros, self._directives.reporter)
        found: list[Token] = []
        depth = 0
        done = False
        while not done:
            token = self._pull()
            tokens = expander.expand(token, self._pull, self._pushed.append)
            for each in (token,) if tokens is None else tokens:
                found.append(each)
                if each.kind is TokenKind.End:
                    done = True
                elif each.kind is TokenKind.Operator and each.text in "{};":
                    depth += {"{": 1, "}": -1}.get(each.text, 0)
                    # A prototype ends with its semicolon.
                    done = done or (depth <= 0 and each.text != "{")
        self._directives.macros.clear()
        self._directives.macros.update(outer)
        self._position = self._lexer.position
        if found[-1].kind is not TokenKind.End:
            end = found[-1].span.end
            found.append(Token(TokenKind.End, "", Span(end, end)))
        return Island(tuple(found))

    def _pull(self) -> Token:
        """The next token that counts."""
        if self._pushed:
            return self._pushed.pop()
        while True:
            if not self._directives.active:
                self._skip()
            token = self._lexer.next()
            if token.kind is not TokenKind.Directive:
                return token
            self._directives.obey(token)

    def _skip(self) -> None:
        """Go to the next preprocessor line, past text that does not count."""
        while match := _HOST.search(self._text, self._lexer.position):
            self._lexer.position = match.end()
            if match.lastgroup == "Directive":
                self._position = match.end()
                self._directive(match)
                self._lexer.position = self._position
                if self._directives.active:
                    return
        self._lexer.position = len(self._text)
