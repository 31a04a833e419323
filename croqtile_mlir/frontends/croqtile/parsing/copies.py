"""Copies between memories, and the futures that they give."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.constants import ConstantParser
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import TokenKind
from croqtile_mlir.frontends.croqtile.words import ENGINES, STORAGES

_VERBS = ("copy", "load", "pad", "transp", "any")
_FLAGS = frozenset({"zfill", "multicast", "evict_first", "evict_last"})
_MODIFIERS = (*sorted(_FLAGS), "async", "swiz", "promote", "sp")


@dataclass
class _Modifiers:
    """What stands between the verb and the source of a copy."""

    found: list[ast.CopyModifier] = field(default_factory=list[ast.CopyModifier])
    asynchronous: bool = False
    event: ast.EventRef | None = None

    def has(self, name: str) -> bool:
        return any(each.name == name for each in self.found)


class CopyParser(ConstantParser):
    """Copies, `swap` and `rotate`."""

    def at_engine(self, ahead: int = 0) -> bool:
        """Whether a copy comes next."""
        return self.at_any(ENGINES, ahead)

    def copy(self, name: ast.Name | None, start: Span) -> ast.Copy | ast.Placeholder:
        """A copy, or a future that stands for none yet, from its engine on."""
        engine = ast.Engine(self.advance().text)
        verb = self._verb(engine)
        if verb == "any":
            if name is None:
                self.fail(
                    "a placeholder must be given a name",
                    at=start,
                    hint=f"write f = {engine}.any",
                )
            return ast.Placeholder(self.since(start), name, engine)
        padding = permutation = None
        if self.at("<") and verb == "pad":
            padding = self._padding()
        elif self.at("<"):
            self.advance()
            permutation = self.constants("a dimension")
            self.expect(">", f"of .{verb}")
        modifiers = self._modifiers()
        source = self.view("the source of a copy")
        self.expect("=>", "after the source of a copy")
        destination = self._destination()
        after = None
        if self.accept("after"):
            after = self.name("a future after 'after'")
        return ast.Copy(
            self.since(start),
            name,
            engine,
            verb,
            source,
            destination,
            modifiers.asynchronous,
            modifiers.event,
            tuple(modifiers.found),
            padding,
            permutation,
            after,
        )

    def event_ref(self, what: str) -> ast.EventRef:
        """`e`, `e[i]`, `e.at(o)`, or one of these in parentheses."""
        if self.at("("):
            with self.nested():
                self.advance()
                found = self.event_ref(what)
                self.expect(")", f"of {what}")
            return found
        name = self.name(what)
        subscripts = self.subscripts()
        generation = None
        if self.at_dotted("at"):
            self.advance()
            self.advance()
            self.expect("(", "of .at")
            with self.nested():
                generation = self.expression()
                self.expect(")", "of .at")
            self.newer(self.since(name.span))
        return ast.EventRef(self.since(name.span), name, subscripts, generation)

    def rotation(self) -> ast.Rotate:
        """`swap(a, b)`, `rotate(a, b, c)`, with or without parentheses."""
        word = self.advance()
        if self.accept("("):
            names = self.commas(lambda: self.name("a future"))
            self.expect(")", f"of {word.text}")
        else:
            names = self.commas(lambda: self.name("a future"))
        is_swap = word.text == "swap"
        if (is_swap and len(names) != 2) or len(names) < 2:
            self.reporter.error(
                Kind.Syntax,
                word.span,
                f"{word.text} takes {'2' if is_swap else '2 or more'} futures, got "
                f"{len(names)}",
                hint="rotate takes more" if len(names) > 2 else None,
            )
        return ast.Rotate(self.since(word.span), names, is_swap)

    def _verb(self, engine: ast.Engine) -> str:
        self.expect(".", f"after {engine}")
        word = self.token
        if engine is ast.Engine.Tma and word.text == "store":
            self.removed(word.span, "'tma.store'", "write tma.copy local => global")
        if word.text not in _VERBS or not self.at_kind(TokenKind.Identifier):
            close = get_close_matches(word.text, _VERBS, 1)
            self.fail(
                f"{engine} must be followed by {', '.join(_VERBS)}, got {self.found()}",
                hint=f"did you mean {engine}.{close[0]}?" if close else None,
            )
        if word.text == "load":
            if engine is ast.Engine.Dma:
                self.fail("only tma has a .load", hint="write dma.copy")
            self.newer(word.span)
        self.advance()
        return word.text

    def _modifiers(self) -> _Modifiers:
        found = _Modifiers()
        while self.at("."):
            word = self.peek()
            if (swizzle := self.swizzle()) is not None:
                span = self.since(word.span)
                found.found.append(ast.CopyModifier(span, "swiz", (swizzle,)))
                continue
            self.advance()
            if word.text == "async":
                self._async(found, word.span)
            elif self.at_any(_FLAGS):
                self._flag(found, word.text)
            elif word.text in ("promote", "sp"):
                self._numbered(found, word.text)
            else:
                self._unknown_modifier(word.text)
        return found

    def _async(self, found: _Modifiers, span: Span) -> None:
        self.advance()
        if found.found:
            self._warn_of_order(span, "'.async' stands before all other modifiers")
        found.asynchronous = True
        if self.accept("<"):
            found.event = self.event_ref("an event")
            self.expect(">", "of .async")
            self.older(span, 1)

    def _flag(self, found: _Modifiers, name: str) -> None:
        span = self.advance().span
        if name.startswith("evict"):
            self.newer(span)
            if found.has("swiz"):
                self._warn_of_order(span, f"'.{name}' stands before '.swiz'")
        found.found.append(ast.CopyModifier(span, name))

    def _numbered(self, found: _Modifiers, name: str) -> None:
        start = self.advance().span
        values: list[int] = []
        if name == "promote" or self.at("<"):
            self.expect("<", f"of .{name}")
            values.append(self.constant(f"a number of .{name}"))
            if name == "sp" and (self.accept(":") or self.accept(",")):
                values.append(self.constant("a number of .sp"))
            self.expect(">", f"of .{name}")
        found.found.append(ast.CopyModifier(self.since(start), name, tuple(values)))

    def _unknown_modifier(self, text: str) -> None:
        close = get_close_matches(text, _MODIFIERS, 1)
        self.fail(
            f"expected a modifier of a copy after '.', got {self.found()}",
            hint=f"did you mean .{close[0]}?" if close else None,
        )

    def _warn_of_order(self, span: Span, rule: str) -> None:
        self.reporter.warning(
            Kind.ModifierOrder, span, f"{rule} in the language's own compiler"
        )

    def _padding(self) -> ast.Padding:
        start = self.advance().span
        parts: list[tuple[ast.Arg, ...]] = []
        for which in ("low", "high", "mid"):
            self.expect("{", f"before the {which} padding")
            with self.nested():
                parts.append(self.commas(self.argument))
                self.expect("}", f"after the {which} padding")
            self.expect(",", f"after the {which} padding")
        value = self.additive()
        self.expect(">", "of .pad")
        low, high, mid = parts
        return ast.Padding(self.since(start), low, high, mid, value)

    def _destination(self) -> ast.ViewLike | ast.StorageTarget | ast.Select:
        if self.at_any(STORAGES):
            token = self.advance()
            return ast.StorageTarget(token.span, ast.Storage(token.text))
        if self.at("select"):
            return self.select()
        return self.view("the destination of a copy")
