"""Preprocessor lines: macros in force, conditionals, `#error`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from croqtile_mlir.frontends.croqtile.conditions import ConditionError, evaluate
from croqtile_mlir.frontends.croqtile.macros import Expander, Macro, Macros
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import SourceText, Span
from croqtile_mlir.frontends.croqtile.tokens import Token, TokenKind, tokens_of

if TYPE_CHECKING:
    from croqtile_mlir.frontends.croqtile.options import FrontendOptions

_NAME = r"[A-Za-z_]\w*"
_HEAD = re.compile(r"#[ \t]*(\w+)(?:[ \t]|\\\r?\n|/\*.*?\*/)*", re.DOTALL)
_DEFINED = re.compile(rf"({_NAME})(\([^()]*\))?", re.ASCII)
_INTRINSIC = re.compile(r"croq\s+intrinsic\s+(prefix|namespace)\s+([\w:]+)", re.ASCII)


@dataclass(frozen=True)
class Intrinsics:
    """What `#pragma croq intrinsic` names: calls that are passed on to the target."""

    prefixes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether a name is one of them."""
        return name.startswith(self.prefixes) or name.startswith(
            tuple(f"{each}::" for each in self.namespaces)
        )


@dataclass
class _Condition:
    """An `#if` that is open."""

    span: Span
    outer: bool
    """Whether the text around it counts."""
    taken: bool
    """Whether a branch has counted."""
    active: bool
    last: bool = False
    """Whether `#else` was there."""


@dataclass
class Directives:
    """The state that preprocessor lines change."""

    source: SourceText
    reporter: Reporter
    options: FrontendOptions
    macros: Macros = field(default_factory=dict[str, Macro])
    defaults: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    """The parameters of `--param`; a value in the text is the default."""
    intrinsics: Intrinsics = field(default_factory=Intrinsics)
    _open: list[_Condition] = field(default_factory=list[_Condition])

    def __post_init__(self) -> None:
        for name, value in self.options.defines:
            self.macros[name] = Macro(name, None, value, 0, len(value), in_file=False)
        self.defaults.update(self.options.params)
        for name in self.defaults:
            self.macros.pop(name, None)

    @property
    def active(self) -> bool:
        """Whether the text at this place counts."""
        return not self._open or self._open[-1].active

    def obey(self, line: Token) -> None:
        """Do what a preprocessor line says."""
        head = _HEAD.match(line.text)
        assert head is not None  # The lexer found one.
        start, end = line.span.start + head.end(), line.span.end
        word = head[1]
        if word in ("if", "ifdef", "ifndef"):
            active = self.active
            met = active and self._test(word, start, end, line.span)
            self._open.append(_Condition(line.span, active, met, met))
        elif word in ("elif", "else", "endif"):
            self._branch(word, start, end, line.span)
        elif not self.active:
            return
        elif word == "define":
            self._define(start, end, line.span)
        elif word == "undef":
            self._undefine(start, end, line.span)
        elif word == "error":
            text = " ".join(self.source.text[start:end].replace("\\\n", " ").split())
            self.reporter.error(Kind.Preprocessor, line.span, f"#error {text}".rstrip())
        elif word == "pragma":
            self._pragma(self.source.text[start:end])

    def finish(self) -> None:
        """What is open at the end of the file is an error."""
        for condition in self._open:
            self.reporter.error(
                Kind.Preprocessor, condition.span, "conditional must end with #endif"
            )
        self._open.clear()

    def _branch(self, word: str, start: int, end: int, span: Span) -> None:
        if not self._open:
            self.reporter.error(Kind.Preprocessor, span, f"#{word} without an #if")
            return
        condition = self._open[-1]
        if word == "endif":
            self._open.pop()
            return
        if condition.last:
            self.reporter.error(
                Kind.Preprocessor,
                span,
                f"#{word} after #else",
                notes=[(condition.span, "the conditional begins here")],
            )
        condition.last = word == "else"
        possible = condition.outer and not condition.taken
        condition.active = possible and (
            word == "else" or self._test("if", start, end, span)
        )
        condition.taken |= condition.active

    def _test(self, word: str, start: int, end: int, span: Span) -> bool:
        if word != "if":
            name = self._name(start, end, span)
            return name is not None and self._is_defined(name) == (word == "ifdef")
        tokens = list(tokens_of(self.source.text, self.reporter, start, end))
        try:
            value = evaluate(self._expanded(tokens), Span(end, end))
        except ConditionError as error:
            self.reporter.error(Kind.Preprocessor, error.span, error.message)
            return False
        return value != 0

    def _is_defined(self, name: str) -> bool:
        return name in self.macros or name in self.defaults

    def _expanded(self, tokens: list[Token]) -> list[Token]:
        """With `defined X` and parameters replaced by numbers, then without macros."""
        found: list[Token] = []
        rest = tokens[::-1]
        while rest:
            token = rest.pop()
            if token.text == "defined" and token.kind is TokenKind.Identifier:
                name = _after_defined(rest)
                if name is None:
                    raise ConditionError(token.span, "'defined' must be given a name")
                value = int(self._is_defined(name))
            elif (
                token.kind is TokenKind.Identifier
                and (default := self.defaults.get(token.text)) is not None
            ):
                value = default
            else:
                found.append(token)
                continue
            found.append(Token(TokenKind.Int, str(value), token.span))
        return Expander(self.macros, self.reporter).expand_in_full(found)

    def _name(self, start: int, end: int, span: Span) -> str | None:
        match = _DEFINED.match(self.source.text, start, end)
        if match is None:
            self.reporter.error(
                Kind.Preprocessor, span, "a preprocessor line must name a macro"
            )
            return None
        return match[1]

    def _define(self, start: int, end: int, span: Span) -> None:
        match = _DEFINED.match(self.source.text, start, end)
        if match is None:
            self._name(start, end, span)
            return
        name, brackets = match.groups()
        params = None
        if brackets is not None:
            params = tuple(each.strip() for each in brackets[1:-1].split(","))
            if params == ("",):
                params = ()
            if not all(re.fullmatch(_NAME, each, re.ASCII) for each in params):
                self.reporter.error(
                    Kind.Preprocessor,
                    Span(start, match.end()),
                    f"parameters of macro {name} must be names, got {brackets}",
                )
                return
        macro = Macro(name, params, self.source.text, match.end(), end)
        if name in self.defaults:
            if self.defaults[name] is None:
                self.defaults[name] = self._integer(macro)
            return
        if any(name == given for given, _ in self.options.defines):
            return
        self.macros[name] = macro

    def _integer(self, macro: Macro) -> int | None:
        body = self.source.text[macro.start : macro.end].strip()
        return int(body) if re.fullmatch(r"[1-9]\d{0,9}", body) else None

    def _undefine(self, start: int, end: int, span: Span) -> None:
        name = self._name(start, end, span)
        if name is not None and all(name != given for given, _ in self.options.defines):
            self.macros.pop(name, None)

    def _pragma(self, text: str) -> None:
        match = _INTRINSIC.match(text)
        if match is None:
            return
        known = self.intrinsics
        if match[1] == "prefix":
            self.intrinsics = Intrinsics((*known.prefixes, match[2]), known.namespaces)
        else:
            self.intrinsics = Intrinsics(known.prefixes, (*known.namespaces, match[2]))


def _after_defined(rest: list[Token]) -> str | None:
    """The name that follows `defined`, taken from the end of a reversed list."""
    texts = [token.text for token in rest[-3:]][::-1]
    if texts[:1] == ["("] and texts[2:] == [")"]:
        del rest[-3:]
        return texts[1]
    if rest and rest[-1].kind is TokenKind.Identifier:
        return rest.pop().text
    return None
