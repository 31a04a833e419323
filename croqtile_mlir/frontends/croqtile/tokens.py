"""Tokens, and reading them from text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import Span


class TokenKind(Enum):
    """What a token is; keywords are identifiers until the grammar asks."""

    Identifier = auto()
    Int = auto()
    Float = auto()
    String = auto()
    Operator = auto()
    Directive = auto()
    """A whole preprocessor line, with what backslashes join to it."""
    End = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text; of a string, `text` is the contents."""

    kind: TokenKind
    text: str
    span: Span


DIRECTIVE = (
    r"\#[ \t]*(?:define|undef|if|ifdef|ifndef|elif|else|endif|error|warning|include"
    r"|pragma|line)\b(?:/\*(?:[^*]|\*(?!/))*\*/|\\\r?\n|//[^\n]*|[^\n/\\]|[/\\])*"
)
"""A preprocessor line; the first character that is not blank must be its `#`."""

RAW_STRING = (
    r'R"(?P<delimiter>[^ ()\\\t\v\f\n]{0,16})\((?P<raw>(?s:.*?))\)(?P=delimiter)"'
)
STRING = r'"(?:[^"\\\n]|\\.)*"'

_TOKEN = re.compile(
    rf"""
    (?P<Blank>(?:[ \t\r\n\f\v]+|\\\r?\n|//[^\n]*|/\*(?s:.*?)\*/)+)
  | (?P<Directive>{DIRECTIVE})
  | (?P<RawString>{RAW_STRING})
  | (?P<String>{STRING})
  | (?P<Unfinished>/\*|R?")
  | (?P<Float>\d+\.\d+[fF]?(?![\w.]))
  | (?P<Int>(?:0[xX][0-9a-fA-F]+|0|[1-9]\d*)[uU]?(?:ll|LL|l|L)?(?![\w.]))
  | (?P<Number>\d[\w.]*(?:(?<=[eE])[-+]\w+)?)
  | (?P<Identifier>group-4(?!\w)|[A-Za-z_]\w*)
  | (?P<Operator>=>|<->|\+\+|--|==|!=|<=|>=|&&|\|\||<<|>>|\?\?|::|\#[-+*/%]
      |[-+*/%&^|~!<>=?:;,.(){{}}\[\]\#])
  | (?P<Other>(?s:.))
    """,
    re.VERBOSE | re.ASCII,
)

_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_ESCAPE = re.compile(r"\\(.)")

_KINDS = {
    "Identifier": TokenKind.Identifier,
    "Int": TokenKind.Int,
    "Float": TokenKind.Float,
    "Operator": TokenKind.Operator,
}


class Lexer:
    """Reads tokens from a text one by one; `position` is where the next one is."""

    def __init__(self, text: str, reporter: Reporter, start: int = 0):
        self.text = text
        self.reporter = reporter
        self.position = start

    def next(self, end: int | None = None) -> Token:
        """The next token; an `End` at the end of the text."""
        limit = len(self.text) if end is None else end
        while self.position < limit:
            match = _TOKEN.match(self.text, self.position, limit)
            assert match is not None  # `Other` takes anything.
            start, self.position = self.position, match.end()
            group = match.lastgroup or ""
            span = Span(start, self.position)
            if kind := _KINDS.get(group):
                return Token(kind, match[0], span)
            if group == "Directive" and not _starts_line(self.text, start):
                self.position = start + 1
                return Token(TokenKind.Operator, "#", Span(start, start + 1))
            if group == "Directive":
                return Token(TokenKind.Directive, match[0], span)
            if group == "RawString":
                return Token(TokenKind.String, match["raw"], span)
            if group == "String":
                return Token(TokenKind.String, self._unescaped(match[0], span), span)
            if group != "Blank":
                self._refuse(group, match[0], span)
                if group == "Number":
                    return Token(TokenKind.Int, "0", span)
                if group == "Unfinished" and match[0] != "/*":
                    return Token(TokenKind.String, "", span)
        return Token(TokenKind.End, "", Span(limit, limit))

    def _unescaped(self, text: str, span: Span) -> str:
        def replaced(match: re.Match[str]) -> str:
            if match[1] not in _ESCAPES:
                at = span.start + 1 + match.start()
                self.reporter.error(
                    Kind.Lexical,
                    Span(at, at + 2),
                    f'an escape must be \\n, \\t, \\" or \\\\, got {match[0]}',
                )
            return _ESCAPES.get(match[1], match[1])

        return _ESCAPE.sub(replaced, text[1:-1])

    def _refuse(self, group: str, text: str, span: Span) -> None:
        if group == "Number":
            self.reporter.error(
                Kind.Lexical,
                span,
                f"malformed number '{text}'",
                hint=_number_hint(text),
            )
        elif group == "Unfinished" and text == "/*":
            self.reporter.error(Kind.Lexical, span, "comment must end with */")
            self.position = len(self.text)
        elif group == "Unfinished":
            line = self.text[span.end :].split("\n", 1)[0].rstrip(" \t\r;")
            self.position = span.end + len(line)
            self.reporter.error(
                Kind.Lexical, span, "string must end on the line it begins on"
            )
        else:
            self.reporter.error(
                Kind.Lexical, span, f"no token begins with {_shown(text)}"
            )


def _shown(character: str) -> str:
    if character.isprintable():
        return f"'{character}'"
    return f"U+{ord(character):04X}"


def _starts_line(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    return not text[line:at].strip()


def _number_hint(text: str) -> str:
    if "e" in text.lower() and not text.lower().startswith("0x"):
        return "there is no exponent: write the digits, as in 0.001"
    if text.endswith("."):
        return f"a float has digits on both sides of its point: {text}0"
    if text.startswith("0") and text.isdigit():
        return "there are no octal numbers; a decimal number has no leading zeros"
    return "integers are like 12, 0xff, 12u, 12ll; floats like 1.5, 1.5f"


def integer_value(text: str) -> tuple[int, str]:
    """The value of an integer token and its suffix, in lower case."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    # Python refuses to read numbers of thousands of digits.
    return int(digits, 0) if len(digits) <= 40 else 1 << 128, suffix


def tokens_of(text: str, reporter: Reporter, start: int, end: int) -> Iterator[Token]:
    """The tokens of a part of a text, without the `End`."""
    lexer = Lexer(text, reporter, start)
    while (token := lexer.next(end)).kind is not TokenKind.End:
        yield token
