"""xDSL's lexer, quick for what most tokens are: names, numbers and punctuation."""

from __future__ import annotations

import re

from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
)

_TOKEN = re.compile(
    r"""
    (?:\s++ | //[^\n]*+)*+
    (?: (%(?:[0-9]+ | [a-zA-Z$._-][a-zA-Z0-9$._-]*))
      | ([a-zA-Z_][a-zA-Z0-9_$.]*)
      | ([:,()}\[\]<>=+*?|])
      | (0(?!x)[0-9]* | [1-9][0-9]*)(?![0-9.])
      | (!(?:[0-9]+ | [a-zA-Z$._-][a-zA-Z0-9$._-]*)) )
    """,
    re.ASCII | re.VERBOSE,
)
"""White space and comments, then a token of one of the kinds below."""

_KINDS = (
    MLIRTokenKind.PERCENT_IDENT,
    MLIRTokenKind.BARE_IDENT,
    None,  # Punctuation, each its own kind.
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.EXCLAMATION_IDENT,
)


class QuickLexer(MLIRLexer):
    """The tokens of xDSL's lexer, in one step where one regular expression finds them.

    Others, and text that is no token, are left to xDSL.
    """

    def lex(self) -> MLIRToken:
        """The next token."""
        found = _TOKEN.match(self.input.content, self.pos)
        if found is None:
            return super().lex()
        group = found.lastindex or 0
        start, self.pos = found.span(group)
        kind = _KINDS[group - 1] or KIND_BY_PUNCTUATION_SPELLING[found[group]]
        return Token(kind, Span(start, self.pos, self.input))
