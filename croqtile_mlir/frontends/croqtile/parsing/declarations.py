"""Declarations and types."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.matrix import MatrixParser
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.words import ELEMENTS, SCALARS, STORAGES

_BEGIN = SCALARS | STORAGES | {"mdspan", "ituple", "mutable", "frag", "event"}


class DeclarationParser(MatrixParser):
    """Declarations in a body, and the types of parameters."""

    def at_declaration(self) -> bool:
        """Whether a word that begins a declaration comes next."""
        return self.at_any(_BEGIN)

    def declaration(self) -> ast.Declaration:
        """A declaration that begins with a word."""
        start = self.token.span
        if self.at("mdspan"):
            return self._shape_declaration()
        if self.at("ituple"):
            return self._tuple_declaration()
        storage = self.storage()
        if self.at("event"):
            return self._events(storage)
        if self.at("frag"):
            if storage is not None:
                self.fail("a fragment is in registers", at=start, kind=Kind.Syntax)
            return self._fragments()
        if self.at("mutable"):
            self.advance()
            type = self.element("a type") if self.at_any(SCALARS) else None
            return self._scalars(start, storage, type, mutable=True)
        type = self.element("the type of a declaration")
        if self.at("["):
            if type.word not in ELEMENTS and type.word != "int":
                self.fail(f"a buffer has no elements of type {type.word}", at=type.span)
            self.advance()
            extents = self._extents()
            items = self.commas(self._buffer)
            return ast.BufferDecl(self.since(start), storage, type, extents, items)
        return self._scalars(start, storage, type, mutable=False)

    def shape_declaration(self, start: ast.Name, rank: int | None) -> ast.ShapeDecl:
        """`name : shape`, from the colon on."""
        self.expect(":", "between a shape and its value")
        value = self.shape()
        return ast.ShapeDecl(self.since(start.span), start, rank, value)

    # The types of parameters and results.

    def param_type(self) -> ast.ParamType:
        """A scalar, a tile or a stream."""
        if self.at("stream"):
            return ast.StreamType(self.advance().span)
        type = self.element("a type")
        if not (self.at("[") or self.at("mdspan")):
            return type
        if self.accept("mdspan") and self.accept("<"):
            at = self.token.span
            rank = self.constant("the rank of a shape")
            self.expect(">", "of mdspan")
            if not 1 <= rank <= 8:
                self.fail(f"a rank must be 1 to 8, got {rank}", at=at)
            dims = (ast.AnyDim(at),) * rank
            return ast.TileType(self.since(type.span), type, dims)
        self.expect("[", "of a shape")
        with self.nested():
            dims = self.commas(self._dim)
            self.expect("]", "of a shape")
        return ast.TileType(self.since(type.span), type, dims)

    def _dim(self) -> ast.Expr:
        if self.at("?") or self.at("??"):
            token = self.advance()
            return ast.AnyDim(token.span, token.text == "??")
        return self.expression()

    # Declarations in a body.

    def _rank(self) -> int | None:
        if not self.accept("<"):
            return None
        rank = self.constant("a rank")
        self.expect(">", "of a rank")
        return rank

    def _shape_declaration(self) -> ast.ShapeDecl:
        start = self.advance().span
        rank = self._rank()
        found = self.shape_declaration(self.name("a shape"), rank)
        return ast.ShapeDecl(self.since(start), found.name, rank, found.value)

    def _tuple_declaration(self) -> ast.TupleDecl:
        start = self.advance().span
        rank = self._rank()
        name = self.name("a tuple")
        self.expect("=", "between a tuple and its value")
        value = self.expression()
        return ast.TupleDecl(self.since(start), name, rank, value)

    def _extents(self) -> tuple[ast.Arg, ...] | None:
        """`extents]`, or None for `auto]`."""
        with self.nested():
            extents = None if self.accept("auto") else self.commas(self.argument)
            self.expect("]", "after the extents of a buffer")
        return extents

    def _scalars(
        self,
        start: Span,
        storage: ast.Storage | None,
        type: ast.ElementType | None,
        *,
        mutable: bool,
    ) -> ast.ScalarDecl:
        items = self.commas(self._scalar)
        return ast.ScalarDecl(self.since(start), storage, mutable, type, items)

    def _scalar(self) -> ast.ScalarItem:
        name = self.variable("a scalar")
        value = None
        if self.accept("="):
            value = self.expression()
        elif self.at("{"):
            value = self._initial_value()
        elif self.at("["):
            self.fail(
                "extents stand before the name of a buffer, got them after it",
                hint=f"write them behind the type: f32 [64] {name}",
            )
        return ast.ScalarItem(self.since(name.span), name, value)

    def _initial_value(self) -> ast.Expr:
        self.advance()
        with self.nested():
            value = self.expression()
            self.expect("}", "after an initial value")
        return value

    def _buffer(self) -> ast.BufferItem:
        name = self.variable("a buffer")
        array = self.subscripts()
        fill = self._initial_value() if self.at("{") else None
        return ast.BufferItem(self.since(name.span), name, array, fill)

    def _fragments(self) -> ast.FragmentDecl:
        start = self.advance().span
        element = extents = None
        if self.accept("."):
            element = self.element("an element type of a fragment")
        elif self.at_any(SCALARS):
            element = self.element("an element type of a fragment")
            self.expect("[", "before the extents of a fragment")
            extents = self._extents()
        items = self.commas(self._buffer)
        if extents is None:
            for item in items:
                if item.fill is None:
                    self.fail(
                        "a fragment must have extents or an initial value",
                        at=item.span,
                    )
        return ast.FragmentDecl(self.since(start), element, extents, items)

    def _events(self, storage: ast.Storage | None) -> ast.EventDecl:
        start = self.advance().span
        arrivals = None
        if self.accept("<"):
            arrivals = self.additive()
            self.expect(">", "after the arrivals of an event")
        items = self.commas(self._event)
        return ast.EventDecl(self.since(start), storage, arrivals, items)

    def _event(self) -> ast.EventItem:
        name = self.variable("an event")
        array = self.subscripts()
        ready = self.accept("=")
        if ready:
            self.expect("ready", "as the state of an event")
            self.newer(self.previous())
        return ast.EventItem(self.since(name.span), name, array, ready)
