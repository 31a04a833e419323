"""Matrix statements and operations on fragments."""

from __future__ import annotations

from difflib import get_close_matches

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.copies import CopyParser
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.words import REDUCTIONS, SCALARS

_VERBS = ("fill", "load", "row", "col", "scale", "store", "commit", "wait")
_MAJORS = frozenset({"row", "col"})
_REMOVED = {
    "desc": ("'mma.desc'", "write mma.load, or give the view itself as the operand"),
    "loadR": ("'mma.loadR'", "write mma.load"),
    "loadS": ("'mma.loadS'", "write mma.load"),
}


class MatrixParser(CopyParser):
    """`mma` statements; a name before `=` is already read."""

    def mma(self, name: ast.Name | None, start: Span) -> ast.MatrixStatement:
        """A statement that begins with `mma`, from that word on."""
        self.advance()
        self.expect(".", "after mma")
        word = self.token
        if word.text in _REMOVED:
            self.removed(word.span, *_REMOVED[word.text])
        match word.text:
            case "fill":
                return self._fill(name, start)
            case "load":
                return self._load(name, start)
            case "row" | "col":
                return self._exec(name, start)
            case _ if name is not None:
                self.fail(
                    "only mma.fill, .load and an asynchronous product give a value, "
                    f"got {self.found()}",
                    at=word.span,
                )
            case "scale":
                self.advance()
                accumulator = self.fragment()
                self.expect(",", "after the fragment of mma.scale")
                scaling = self._scaling()
                return ast.MmaScale(self.since(start), accumulator, scaling)
            case "store":
                return self._store(start)
            case "commit":
                self.advance()
                self.older(word.span, 1)
                return ast.MmaCommit(self.since(start))
            case "wait":
                self.advance()
                self.expect("<", "of mma.wait")
                depth = self.constant("the batches of mma.wait")
                self.expect(">", "of mma.wait")
                self.older(word.span, 2)
                return ast.MmaWait(self.since(start), depth)
            case _:
                close = get_close_matches(word.text, _VERBS, 1)
                self.fail(
                    f"mma must be followed by {', '.join(_VERBS)}, got {self.found()}",
                    hint=f"did you mean mma.{close[0]}?" if close else None,
                )

    def scheduled_mma(self) -> ast.MatrixStatement:
        """A product after `[[schedule(k_tiles(..))]]`."""
        start = self.token.span
        for text in ("[", "[", "schedule", "(", "k_tiles", "("):
            self.expect(text, "of [[schedule(k_tiles(..))]]")
        order = self.constants("a tile of k_tiles")
        for text in (")", ")", "]", "]"):
            self.expect(text, "of [[schedule(k_tiles(..))]]")
        self.newer(self.since(start))
        name = None
        if self.at_name() and self.at("=", 1):
            name = self.name("a future")
            self.advance()
        if not (self.at("mma") and self.at(".", 1) and self.at_any(_MAJORS, 2)):
            self.fail(f"[[schedule]] must stand before a product, got {self.found()}")
        self.advance()
        self.advance()
        return self._exec(name, start, order)

    def at_fragment_operation(self) -> bool:
        """Whether a reduction or copy of fragments comes next."""
        return self.at("(", 1) and (
            self.at_any(REDUCTIONS) or self.at("all_reduce_sum") or self.at("copy")
        )

    def fragment_operation(self) -> ast.MatrixStatement:
        """`reduce_sum(..)`, `reduce_max(..)`, `all_reduce_sum(..)`, `copy(..)`."""
        word = self.advance()
        where = f"of {word.text}"
        self.expect("(", where)
        target = self.fragment()
        if word.text == "all_reduce_sum":
            self.expect(")", where)
            return ast.FragmentAllReduce(self.since(word.span), target)
        self.expect(",", f"between the fragments {where}")
        source = self.fragment()
        if word.text == "copy":
            self.expect(")", where)
            return ast.FragmentCopy(self.since(word.span), target, source)
        self.expect(",", f"before the dimension {where}")
        dim = self.constant("a dimension")
        self.expect(")", where)
        return ast.FragmentReduce(
            self.since(word.span), REDUCTIONS[word.text], target, source, dim
        )

    def _fill(self, name: ast.Name | None, start: Span) -> ast.MmaFill:
        self.advance()
        element = None
        if self.accept(".") or (name is not None and self.at_any(SCALARS)):
            element = self.element("an element type of mma.fill")
        target = None
        if name is None:
            target = self.fragment()
            self.expect(",", "after the fragment of mma.fill")
        value = self.expression()
        return ast.MmaFill(self.since(start), name, target, element, value)

    def _load(self, name: ast.Name | None, start: Span) -> ast.MmaLoad:
        self.advance()
        swizzle: int | None = None
        to_fragment = asynchronous = False
        while self.at("."):
            if (found := self.swizzle()) is not None:
                swizzle = found
            elif self.accept_dotted("frag"):
                to_fragment = True
            elif self.accept_dotted("async"):
                asynchronous = True
            else:
                self.advance()
                self.fail(
                    f"mma.load has modifiers frag, swiz and async, got {self.found()}"
                )
        source = self.view("what mma.load reads")
        target = None
        if name is None:
            self.expect(",", "after the source of mma.load")
            target = self.fragment()
        return ast.MmaLoad(
            self.since(start), name, target, source, to_fragment, swizzle, asynchronous
        )

    def _exec(
        self,
        name: ast.Name | None,
        start: Span,
        schedule: tuple[int, ...] | None = None,
    ) -> ast.MmaExec:
        a_major = ast.Major(self.advance().text)
        if not (self.at(".") and self.at_any(_MAJORS, 1)):
            self.fail(
                f"expected .row or .col for the second operand, got {self.found()}"
            )
        self.advance()
        b_major = ast.Major(self.advance().text)
        asynchronous = scaled = sparse = False
        while self.at("."):
            self.advance()
            word = self.token
            match word.text:
                case "async":
                    asynchronous = True
                    self.newer(word.span)
                case "scale":
                    scaled = True
                case "sp":
                    sparse = True
                case "order":
                    self.removed(
                        word.span,
                        "'.order<..>'",
                        "write [[schedule(k_tiles(..))]] before the statement",
                    )
                case _:
                    self.fail(
                        "a product has modifiers async, scale and sp, got "
                        f"{self.found()}"
                    )
            self.advance()
        if name is not None and not asynchronous:
            self.fail(
                "only an asynchronous product gives a value",
                at=name.span,
                hint=f"write {name} = mma.{a_major}.{b_major}.async, or leave out the "
                "name",
            )
        accumulator = self.fragment()
        self.expect(",", "after the accumulator of a product")
        a = self.view("the first operand of a product")
        self.expect(",", "between the operands of a product")
        b = self.view("the second operand of a product")
        scaling = metadata = None
        if scaled:
            self.expect(",", "before the scales of a product")
            scaling = self._scaling()
        elif sparse and self.accept(","):
            metadata = self.fragment()
        return ast.MmaExec(
            self.since(start),
            accumulator,
            a,
            b,
            a_major,
            b_major,
            name,
            asynchronous,
            scaling,
            sparse,
            metadata,
            schedule,
        )

    def _scaling(self) -> ast.Scaling:
        view = self.view("the scales of the first operand")
        self.expect(",", "between the scales")
        value = self.expression()
        return ast.Scaling(self.since(view.span), view, value)

    def _store(self, start: Span) -> ast.MmaStore:
        self.advance()
        asynchronous = transposed = masked = False
        while self.at("."):
            if self.at_dotted("async"):
                self.newer(self.token.span)
                asynchronous = True
            elif self.at_dotted("transp"):
                transposed = True
            elif self.at_dotted("mask"):
                masked = True
            else:
                self.advance()
                self.fail(
                    "mma.store has modifiers async, transp and mask, got "
                    f"{self.found()}"
                )
            self.advance()
            self.advance()
        accumulator = self.fragment()
        self.expect(",", "after the fragment of mma.store")
        destination = self.view("the destination of mma.store")
        mask: tuple[ast.Expr, ...] | None = None
        if masked:
            self.expect(",", "before the number of rows of mma.store.mask")
            mask = (self.expression(),)
            if self.accept(","):
                mask = (*mask, self.expression())
        return ast.MmaStore(
            self.since(start), accumulator, destination, asynchronous, transposed, mask
        )
