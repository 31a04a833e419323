"""Control flow: `parallel`, loops, roles, conditions."""

from __future__ import annotations

from abc import abstractmethod

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.parsing.declarations import DeclarationParser
from croqtile_mlir.frontends.croqtile.words import LEVELS

_ATTRIBUTES = frozenset({"launch_bounds", "maxnreg"})


class ControlParser(DeclarationParser):
    """Statements that hold others."""

    @abstractmethod
    def block(self) -> ast.Block:
        """Statements in braces, or one alone."""

    def level(self) -> ast.Level:
        """`block`, `group-4`, `device(name)`, `block<cooperative>`."""
        if not self.at_any(LEVELS):
            self.fail(
                f"expected a level, one of {', '.join(sorted(LEVELS))}, got "
                f"{self.found()}"
            )
        token = self.advance()
        device = None
        if token.text == "device" and self.accept("("):
            device = self.name("a device")
            self.expect(")", "after the name of a device")
        cooperative = self.at("<") and self.at("cooperative", 1)
        if cooperative:
            self.advance()
            self.advance()
            self.expect(">", "after 'cooperative'")
        span = self.since(token.span)
        return ast.Level(span, ast.LevelKind(token.text), device, cooperative)

    def at_parallel(self) -> bool:
        """Whether `parallel`, with or without attributes, comes next."""
        return self.at("parallel") or (
            self.at("[") and self.at("[", 1) and self.at_any(_ATTRIBUTES, 2)
        )

    def parallel(self) -> ast.Parallel:
        """`parallel axis, .. { }`."""
        start = self.token.span
        launch_bounds = max_registers = None
        while self.accept("["):
            self.expect("[", "of an attribute")
            word = self.token
            if not self.at_any(_ATTRIBUTES):
                self.fail(
                    f"attributes of parallel are {', '.join(sorted(_ATTRIBUTES))}, got "
                    f"{self.found()}"
                )
            self.advance()
            args = self.values(f"of {word.text}")
            if word.text == "launch_bounds":
                launch_bounds = args
            elif len(args) == 1:
                max_registers = args[0]
            else:
                self.fail("maxnreg takes 1 argument", at=word.span)
            self.expect("]", "after an attribute")
            self.expect("]", "after an attribute")
        self.expect("parallel", "after its attributes")
        if self.at("("):
            self.removed(
                self.token.span, "'parallel(s)'", "write parallel<s> for a stream"
            )
        asynchronous = self.accept_dotted("async")
        stream = None
        if self.accept("<"):
            stream = self.name("a stream")
            self.expect(">", "after the stream of parallel")
        axes = self.commas(self._parallel_axis)
        body = self.block()
        return ast.Parallel(
            self.since(start),
            axes,
            body,
            asynchronous,
            stream,
            launch_bounds,
            max_registers,
        )

    def _parallel_axis(self) -> ast.ParallelAxis:
        start = self.token.span
        name, names = None, ()
        if not self.at("by"):
            name, names = self._names()
        self.expect("by", "before the bound of parallel")
        bound = self.expression()
        level = self.level() if self.accept(":") else None
        return ast.ParallelAxis(self.since(start), name, names, bound, level)

    def _names(self) -> tuple[ast.Name | None, tuple[ast.Name, ...]]:
        """`a`, `{a, b}`, `t = {a, b}`."""
        name = None
        if not self.at("{"):
            name = self.variable("a variable")
            if not self.accept("="):
                return name, ()
        self.expect("{", "before the names of a tuple")
        names = self.commas(lambda: self.variable("a variable"))
        self.expect("}", "after the names of a tuple")
        return name, names

    def with_statement(self) -> ast.With:
        """`with x in domain where a <-> b { }`."""
        start = self.advance().span
        bindings = self.commas(self._within)
        where: tuple[tuple[ast.Name, ast.Name], ...] = ()
        if self.accept("where"):
            where = self.commas(self._alias)
        body = self.block()
        return ast.With(self.since(start), bindings, where, body)

    def _alias(self) -> tuple[ast.Name, ast.Name]:
        left = self.name("a variable")
        self.expect("<->", "between two variables of 'where'")
        return left, self.name("a variable")

    def _within(self) -> ast.Within:
        start = self.token.span
        name, names = self._names()
        self.expect("in", "before a domain")
        domain = self.shape()
        return ast.Within(self.since(start), name, names, domain)

    def foreach(self) -> ast.Foreach:
        """`foreach` over domains or over ranges of variables."""
        start = self.advance().span
        axes: tuple[ast.Within, ...] | tuple[ast.Range, ...]
        if self.at("{") or self.at("in", 1) or (self.at("=", 1) and self.at("{", 2)):
            axes = self.commas(self._within)
        else:
            axes = self.commas(self._range)
        hints: tuple[ast.Unroll | ast.Vectorize, ...] = ()
        if self.accept(":"):
            hints = self.commas(self._hint)
        body = self.block()
        return ast.Foreach(self.since(start), axes, hints, body)

    def _range(self) -> ast.Range:
        start = self.token.span
        alias = None
        if self.at("=", 1):
            alias = self.variable("a variable")
            self.advance()
        variable = self.variable("a variable")
        lower = upper = step = None
        if self.accept("("):
            with self.nested():
                if not self.at(":") and not self.at("::"):
                    lower = self.expression()
                # `(::2)` begins with what is one token elsewhere.
                has_step = self.accept("::")
                if not has_step:
                    self.expect(":", "between the bounds of a range")
                    if not self.at(":") and not self.at(")"):
                        upper = self.expression()
                    has_step = self.accept(":")
                if has_step and not self.at(")"):
                    step = self._step()
                self.expect(")", "after a range")
        return ast.Range(self.since(start), alias, variable, lower, upper, step)

    def _step(self) -> int:
        at = self.token.span
        step = self.constant("the step of a range")
        if step == 0:
            self.fail("the step of a range must not be 0", at=at)
        return step

    def _hint(self) -> ast.Unroll | ast.Vectorize:
        word = self.token
        if self.accept("unroll"):
            factor = None
            if self.accept("("):
                at = self.token.span
                factor = self.constant("a factor")
                if factor < 1:
                    self.fail(f"a factor must be positive, got {factor}", at=at)
                self.expect(")", "of unroll")
            return ast.Unroll(self.since(word.span), factor)
        if self.accept("vectorize"):
            self.expect("(", "of vectorize")
            variable = self.name("a variable")
            self.expect(",", "of vectorize")
            width = self.expression()
            self.expect(")", "of vectorize")
            return ast.Vectorize(self.since(word.span), variable, width)
        self.fail(f"hints of foreach are unroll and vectorize, got {self.found()}")

    def in_threads(self) -> ast.InThreads:
        """`inthreads.async (p) { }`."""
        start = self.advance().span
        asynchronous = self.accept_dotted("async")
        predicate = self._condition("of inthreads")
        body = self.block()
        return ast.InThreads(self.since(start), asynchronous, predicate, body)

    def while_statement(self) -> ast.While:
        """`while (c) { }`."""
        start = self.advance().span
        condition = self._condition("of while")
        body = self.block()
        return ast.While(self.since(start), condition, body)

    def if_statement(self) -> ast.If:
        """`if (c) { } else { }`."""
        start = self.advance().span
        condition = self._condition("of if")
        then = self.block()
        otherwise = self.block() if self.accept("else") else None
        return ast.If(self.since(start), condition, then, otherwise)

    def _condition(self, where: str) -> ast.Expr:
        self.expect("(", where)
        with self.nested():
            found = self.expression()
            self.expect(")", where)
        return found

    def apply(self) -> ast.Apply:
        """`apply {i, j} in f.span { }`."""
        start = self.advance().span
        self.expect("{", "before the names of apply")
        names = self.commas(lambda: self.variable("a variable"))
        self.expect("}", "after the names of apply")
        self.expect("in", "before the fragment of apply")
        fragment = self.name("a fragment")
        if not self.accept_dotted("span"):
            self.fail(f"expected '.span' after the fragment, got {self.found()}")
        body = self.block()
        return ast.Apply(self.since(start), names, fragment, body)

    # Events and barriers.

    def wait(self) -> ast.Wait:
        """`wait e, f`."""
        start = self.advance().span
        if self.at("<"):
            self.removed(start, "'wait<p> e'", "write wait e.at(o), o the generation")
        operands = self.commas(lambda: self.event_ref("an event or a future"))
        return ast.Wait(self.since(start), operands)

    def trigger(self) -> ast.Trigger:
        """`trigger e after f`."""
        start = self.advance().span
        cluster = self.accept_dotted("cluster")
        events = self.commas(lambda: self.event_ref("an event"))
        after: tuple[ast.Name, ...] = ()
        if self.at("after"):
            self.newer(self.advance().span)
            after = self.commas(lambda: self.name("a future"))
        return ast.Trigger(self.since(start), events, cluster, after)

    def sync(self) -> ast.SyncStorage | ast.SyncBarrier | ast.SyncFence:
        """`sync.shared`, `sync.barrier : level`, `sync.fence : level<storage>`."""
        start = self.advance().span
        self.expect(".", "after sync")
        if (storage := self.storage()) is not None:
            return ast.SyncStorage(self.since(start), storage)
        if self.accept("barrier"):
            self.expect(":", "before the level of a barrier")
            level = self.level()
            return ast.SyncBarrier(self.since(start), level)
        if self.accept("fence"):
            self.expect(":", "before the level of a fence")
            level = self.level()
            storage = None
            if self.accept("<"):
                storage = self.storage()
                if storage is None:
                    self.fail(f"expected a storage of a fence, got {self.found()}")
                self.expect(">", "of a fence")
            return ast.SyncFence(self.since(start), level, storage)
        self.fail(
            f"sync must be followed by a storage, barrier or fence, got {self.found()}"
        )
