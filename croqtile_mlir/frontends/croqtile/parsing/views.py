"""References to data, and views: a reference and operations after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from difflib import get_close_matches

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.cursor import Cursor
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span

_OPERATIONS = ("chunkat", "chunk", "subspan", "modspan", "view", "span_as", "sqz")
_MEMBERS = (*_OPERATIONS, "at", "span", "data", "mdata", "step", "from")


class ViewParser(Cursor, ABC):
    """References, elements and views."""

    @abstractmethod
    def expression(self) -> ast.Expr:
        """Any expression."""

    # Arguments.

    def argument(self) -> ast.Arg:
        """An expression, or `_` for a whole dimension."""
        if self.at("_"):
            return ast.Whole(self.advance().span)
        return self.expression()

    def arguments(self, where: str) -> tuple[ast.Arg, ...]:
        """`(a, b, ..)`; there is at least one."""
        self.expect("(", where)
        with self.nested():
            found = self.commas(self.argument)
            self.expect(")", where)
        return found

    def values(self, where: str) -> tuple[ast.Expr, ...]:
        """`(a, b, ..)` or `()`, without `_`."""
        self.expect("(", where)
        with self.nested():
            found = () if self.at(")") else self.commas(self.expression)
            self.expect(")", where)
        return found

    def subscripts(self) -> tuple[ast.Expr, ...]:
        """Any number of `[e]`."""
        found: list[ast.Expr] = []
        while self.accept("["):
            with self.nested():
                found.append(self.expression())
                if self.at(","):
                    self.fail(
                        "a subscript is one number, got several",
                        hint="an element is written x.at(i, j)",
                    )
                self.expect("]", "after a subscript")
        return tuple(found)

    # References.

    def ref(self, what: str) -> ast.Ref:
        """`x`, `x[i]`, `x.data`."""
        name = self.name(what)
        subscripts = self.subscripts()
        member = None
        if self.at_dotted("data", "mdata"):
            self.advance()
            member = self.advance().text
        return ast.Ref(self.since(name.span), name, subscripts, member)

    def fragment(self) -> ast.Ref:
        """`x` or `x[i]`, a fragment."""
        name = self.name("a fragment")
        subscripts = self.subscripts()
        return ast.Ref(self.since(name.span), name, subscripts)

    def view(self, what: str) -> ast.ViewLike:
        """A reference with or without operations."""
        return self.operations(self.ref(what))

    def at_operation(self) -> bool:
        """Whether an operation of a view comes next."""
        return self.at_dotted(*_OPERATIONS)

    def operations(self, base: ast.Ref) -> ast.ViewLike:
        """The operations after a reference, if there are any."""
        found: list[ast.ViewOperation] = []
        while self.at("."):
            if not self.at_operation():
                self.unknown_member()
            start = self.advance().span
            found.append(self._operation(start))
        if not found:
            return base
        return ast.View(self.since(base.span), base, tuple(found))

    def unknown_member(self) -> None:
        """Refuse what stands after a point."""
        word = self.peek()
        others = [each for each in _MEMBERS if each != word.text]
        close = get_close_matches(word.text, others, 1)
        if word.text == "at":
            self.fail(
                "'.at' must follow a buffer, '.chunk', '.subspan' or '.modspan'",
                at=word.span,
                hint="name the view first: an element is taken from a name",
            )
        self.fail(
            f"expected an operation of a view after '.', got '{word.text}'",
            at=word.span,
            hint=f"did you mean .{close[0]}?"
            if close and close[0] != word.text
            else None,
        )

    def _operation(self, start: Span) -> ast.ViewOperation:
        word = self.advance()
        where = f"of .{word.text}"
        match word.text:
            case "chunkat":
                args = self.arguments(where)
                return ast.ChunkAt(self.since(start), args)
            case "chunk":
                counts = self.arguments(where)
                if not self.accept_dotted("at"):
                    self.fail(f"expected '.at' after .chunk(..), got {self.found()}")
                indices = self.arguments("of .at")
                return ast.Chunk(self.since(start), counts, indices)
            case "subspan" | "modspan":
                return self._subspan(start, clipped=word.text == "modspan")
            case "view":
                extents, strides = self._strided(where)
                offsets = None
                if self.accept_dotted("from"):
                    offsets = self.arguments("of .from")
                return ast.Window(self.since(start), extents, strides, offsets)
            case "span_as":
                args = self.arguments(where)
                return ast.SpanAs(self.since(start), args)
            case _:
                self.expect("(", where)
                self.expect(")", where)
                return ast.Squeeze(self.since(start))

    def _strided(
        self, where: str
    ) -> tuple[tuple[ast.Arg, ...], tuple[ast.Arg, ...] | None]:
        """`(extents)` or `(extents : strides)`."""
        self.expect("(", where)
        with self.nested():
            extents = self.commas(self.argument)
            strides = self.commas(self.argument) if self.accept(":") else None
            self.expect(")", where)
        return extents, strides

    def _subspan(self, start: Span, *, clipped: bool) -> ast.Subspan:
        extents, strides = self._strided("of .modspan" if clipped else "of .subspan")
        steps = None
        if self.at_dotted("step", "stride"):
            self.advance()
            word = self.advance()
            if word.text == "stride":
                self.reporter.remark(
                    Kind.OldSpelling,
                    word.span,
                    "'.stride' is the old spelling of '.step'",
                )
            steps = self.arguments("of .step")
        indices = self.arguments("of .at") if self.accept_dotted("at") else None
        return ast.Subspan(self.since(start), extents, strides, steps, indices, clipped)
