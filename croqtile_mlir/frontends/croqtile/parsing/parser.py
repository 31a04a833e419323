"""Statements of all kinds, functions, and going on after an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.control import ControlParser
from croqtile_mlir.frontends.croqtile.parsing.cursor import SyntaxFailure
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span
from croqtile_mlir.frontends.croqtile.tokens import TokenKind
from croqtile_mlir.frontends.croqtile.words import STORAGES

_COMPOUND = frozenset("+-*/%")
_STEPS = frozenset({"++", "--"})
_REMOVED = {
    "setreg": "write call croq::cuda::setreg_inc(n) or setreg_dec(n)",
    "automap": "write apply {i, j} in f.span",
    "launch_bounds": "write [[launch_bounds(..)]] before parallel",
    "maxnreg": "write [[maxnreg(n)]] before parallel",
    "fragment": "write frag",
}


class Parser(ControlParser):
    """A `__co__` function."""

    def function(self) -> ast.Function | None:
        """The whole function; None after an error in its head."""
        start = self.token.span
        try:
            self.expect("__co__", "before a function")
            result = self._result()
            name = self.name("a function")
            self.expect("(", "before the parameters of a function")
            params: tuple[ast.Param, ...] = ()
            if not self.at(")"):
                params = self.commas(self._param)
            self.expect(")", "after the parameters of a function")
            if not self.at("{"):
                self.fail(f"expected the body of a function, got {self.found()}")
        except SyntaxFailure:
            return None
        body = self.block()
        self.tell_generations()
        return ast.Function(
            self.since(start), result, name, params, body, self.generation
        )

    def _result(self) -> ast.ResultType:
        if self.at("void"):
            return ast.VoidType(self.advance().span)
        if self.at("auto"):
            return ast.AutoType(self.advance().span)
        return self.param_type()

    def _param(self) -> ast.Param:
        start = self.token.span
        is_global = self.accept("global")
        if self.at_any(STORAGES):
            self.fail(
                f"a parameter is in global memory, got {self.found()}",
                kind=Kind.StorageScope,
            )
        type = self.param_type()
        by_reference = self.accept("&")
        name = self.variable("a parameter") if self.at_name() else None
        return ast.Param(self.since(start), type, name, is_global, by_reference)

    # Statements.

    def block(self) -> ast.Block:
        start = self.token.span
        with self.nested():
            if not self.accept("{"):
                found = self._statements_of_one()
                return ast.Block(self.since(start), tuple(found))
            found: list[ast.Statement] = []
            while not self.at("}"):
                if self.at_kind(TokenKind.End):
                    self.reporter.error(
                        Kind.Syntax,
                        start,
                        "block must end with '}', got the end of the function",
                    )
                    break
                found += self._recovering()
            self.accept("}")
        return ast.Block(self.since(start), tuple(found))

    def _recovering(self) -> list[ast.Statement]:
        """A statement; after an error none, and the next one is looked for."""
        before = self.index
        try:
            return self._statements_of_one()
        except SyntaxFailure:
            self._skip(before)
            return []

    def _skip(self, before: int) -> None:
        """
        Go to the end of a statement, or to a block, which is read for its own errors.
        """
        texts = (each.text for each in self.tokens[before : self.index])
        depth = sum({"(": 1, ")": -1}.get(text, 0) for text in texts)
        while not self.at_kind(TokenKind.End):
            if self.at("}"):
                # An error at the closing brace of a list must not repeat.
                if self.index == before:
                    self.advance()
                return
            if self.at("{") and self.index > before:
                self._skip_block()
                return
            text = self.advance().text
            depth += {"(": 1, ")": -1}.get(text, 0)
            # In `for (a; b; c)` a statement does not end in the middle of its line.
            if text == ";" and (depth <= 0 or self.starts_line()):
                return

    def _skip_block(self) -> None:
        try:
            self.block()
        except SyntaxFailure:
            return

    def _statements_of_one(self) -> list[ast.Statement]:
        """A statement; `a = 1, b = 2;` are several, a lone `;` is none."""
        if self.accept(";"):
            return []
        compound = self._compound()
        if compound is not None:
            return [compound]
        found, what = self._simple()
        self.expect_semicolon(f"after {what}")
        return found

    def _compound(self) -> ast.Statement | None:
        if self.at_parallel():
            return self.parallel()
        reader = self._compound_readers().get(self.token.text)
        if reader is None or not self.at_kind(TokenKind.Identifier):
            return None
        return reader()

    def _compound_readers(self) -> Mapping[str, Callable[[], ast.Statement]]:
        return {
            "with": self.with_statement,
            "foreach": self.foreach,
            "inthreads": self.in_threads,
            "while": self.while_statement,
            "if": self.if_statement,
            "apply": self.apply,
        }

    def _simple(self) -> tuple[list[ast.Statement], str]:
        """A statement that ends with a semicolon, and what it is."""
        start = self.token.span
        self._refuse_removed()
        if self.at_engine():
            return [self.copy(None, start)], "a copy"
        if self.at("mma"):
            return [self.mma(None, start)], "a matrix statement"
        if self.at("["):
            return [self.scheduled_mma()], "a matrix statement"
        if self.at_fragment_operation():
            return [self.fragment_operation()], "an operation on fragments"
        if self.at_call():
            call = self.call()
            return [ast.CallStatement(call.span, call)], "a call"
        match self.token.text:
            case "wait":
                return [self.wait()], "wait"
            case "trigger":
                return [self.trigger()], "trigger"
            case "swap" | "rotate":
                return [self.rotation()], "swap or rotate"
            case "sync":
                return [self.sync()], "sync"
            case "return":
                self.advance()
                is_bare = self.at(";") or self.at("}")
                value = None if is_bare else self.expression()
                return [ast.Return(self.since(start), value)], "return"
            case "break":
                return [ast.Break(self.advance().span)], "break"
            case "continue":
                return [ast.Continue(self.advance().span)], "continue"
            case "yield":
                return [ast.Yield(self.advance().span)], "yield"
            case "goto":
                self.fail("goto has no meaning here", kind=Kind.UnsupportedEscape)
            case _ if self.at_declaration():
                return [self.declaration()], "a declaration"
            case _:
                return self._named()

    def _refuse_removed(self) -> None:
        text = self.token.text
        if text not in _REMOVED or not self.at_kind(TokenKind.Identifier):
            return
        if self.at("=", 1) or self.at(":", 1) or self.at("[", 1) or self.at(".", 1):
            return
        self.removed(self.token.span, f"'{text}' as a statement", _REMOVED[text])

    def _named(self) -> tuple[list[ast.Statement], str]:
        """A statement that begins with a name of the user's."""
        start = self.token.span
        if not self.at_name() and not self.at_any(_STEPS):
            self.fail(f"expected a statement, got {self.found()}")
        if self.at(":", 1):
            return [self.shape_declaration(self.name("a shape"), None)], "a shape"
        if self.at("=", 1):
            if self.at_engine(2):
                name = self._assigned()
                return [self.copy(name, start)], "a copy"
            if self.at("mma", 2):
                name = self._assigned()
                return [self.mma(name, start)], "a matrix statement"
            if self.at("{", 2):
                name = self._assigned()
                value = self.expression()
                span = self.since(start)
                return [ast.TupleDecl(span, name, None, value)], "a tuple"
        return list(self.commas(self._assignment)), "an assignment"

    def _assigned(self) -> ast.Name:
        name = self.variable("a value")
        self.advance()
        return name

    def _assignment(self) -> ast.Statement:
        start = self.token.span
        if self.at_any(_STEPS):
            sign = self.advance()
            name = self.variable("a variable")
            return self._stepped(start, name, sign.text[0], sign.span)
        target = self._target()
        if self.at_any(_STEPS):
            sign = self.advance()
            if not isinstance(target, ast.Name):
                self.fail(f"'{sign.text}' needs a variable", at=target.span)
            return self._stepped(start, target, sign.text[0], sign.span)
        operator = None
        if self.at_any(_COMPOUND) and self.at("=", 1):
            operator = self.advance().text
        if self.at("("):
            self._refuse_call(target)
        self.expect("=", "of an assignment")
        value = self._value()
        return ast.Assign(self.since(start), target, operator, value)

    def _refuse_call(self, target: ast.Name | ast.Element) -> NoReturn:
        if str(target) == "for":
            hint = "loops are written foreach i in n"
        else:
            hint = "functions of the target are called with 'call f(..)'"
        self.fail("expected a statement, got a call", at=target.span, hint=hint)

    def _stepped(
        self, start: Span, target: ast.Name, sign: str, place: Span
    ) -> ast.Assign:
        one = ast.IntLiteral(place, 1)
        return ast.Assign(self.since(start), target, sign, one)

    def _target(self) -> ast.Name | ast.Element:
        ref = self.ref("a variable")
        if self.at_dotted("at"):
            self.advance()
            self.advance()
            indices = self.values("of .at")
            return ast.Element(self.since(ref.span), ref, indices)
        if self.at("."):
            self.unknown_member()
        if not ref.is_plain:
            self.fail(
                "an assignment is to a variable or an element",
                at=ref.span,
                hint="elements are written x.at(i)",
            )
        if ref.name.text == "_":
            self.fail("a variable must have a name, got '_'", at=ref.span)
        return ref.name

    def _value(self) -> ast.Expr:
        """The right side of an assignment."""
        if not (self.at_name() and self.at("{", 1)):
            return self.expression()
        base = self.name("a tuple")
        self.expect("{", "of a tuple")
        with self.nested():
            args = self.commas(self.argument)
            self.expect("}", "of a tuple")
        return ast.TupleDerivation(self.since(base.span), base, args)
