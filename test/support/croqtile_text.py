"""Reading Croqtile text in tests, and a short form of what was read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

from xdsl.utils.hints import isa

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.options import DEFAULT_OPTIONS, FrontendOptions
from croqtile_mlir.frontends.croqtile.reading import read_program
from croqtile_mlir.frontends.croqtile.reporting import Reporter, TooManyErrors
from croqtile_mlir.frontends.croqtile.source import SourceText
from croqtile_mlir.messages import Diagnostic


@dataclass(frozen=True)
class Read:
    """A program, None if it was given up, and what was said about it."""

    program: ast.Program | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def said(self) -> list[str]:
        """Severity and kind of each diagnostic."""
        return [f"{d.severity} {d.kind}" for d in self.diagnostics]

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Kind, line and column of each diagnostic."""
        return [
            (d.kind or "", d.location.line, d.location.col) for d in self.diagnostics
        ]

    def function(self) -> ast.Function:
        """The only function."""
        assert self.program is not None
        (found,) = self.program.functions
        return found


def read(text: str, options: FrontendOptions = DEFAULT_OPTIONS) -> Read:
    """Preprocess and parse a text."""
    reporter = Reporter(SourceText("k.co", text))
    try:
        program = read_program(reporter, options)
    except TooManyErrors:
        program = None
    return Read(program, tuple(reporter.collected))


def read_body(body: str) -> Read:
    """The statements of a function."""
    return read(f"__co__ void f() {{\n{body}\n}}\n")


def statements(body: str) -> tuple[ast.Statement, ...]:
    """The statements of a function that has nothing wrong with it."""
    found = read_body(body)
    assert not found.diagnostics, found.diagnostics[0]
    return found.function().body.statements


def short(node: object) -> str:
    """
    A node as text: `Copy(name=f, engine=dma, ..)`, without places, names as they are,
    and without what has its default value.
    """
    match node:
        case ast.Name(text=text):
            return text
        case ast.ElementType(word=word):
            return word
        case ast.IntLiteral(value=value, type="s32"):
            return str(value)
        case ast.Ref() if node.is_plain:
            return str(node.name)
        case ast.Binary(operator=sign, left=left, right=right):
            return f"({short(left)} {sign} {short(right)})"
        case ast.Unary(operator=sign, operand=operand):
            return f"({sign} {short(operand)})"
        case ast.Whole():
            return "_"
        case ast.Block(statements=inner):
            return "{" + "; ".join(map(short, inner)) + "}"
        case Enum():
            return str(node.value)
        case tuple() if isa(node, tuple[object, ...]):
            return "[" + ", ".join(map(short, node)) + "]"
        case ast.Node():
            named = [
                f"{each.name}={short(getattr(node, each.name))}"
                for each in fields(node)
                if each.name != "span" and getattr(node, each.name) != each.default
            ]
            return f"{type(node).__name__}({', '.join(named)})"
        case _:
            return str(node)
