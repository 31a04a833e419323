"""What we print and read quickly is what xDSL prints and reads."""

from __future__ import annotations

from io import StringIO

import pytest
from pipeline.lowering import EXAMPLES, parse, passes, run
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from croqtile_mlir.frontends.lexer import QuickLexer
from croqtile_mlir.printing import module_text

LEVELS = ("bind-params", "check-level{level=nvvm}", "assign-registers")
"""A pass of each level."""


@pytest.fixture(scope="module", params=LEVELS)
def module(request: pytest.FixtureRequest) -> ModuleOp:
    """A kernel at a level, with attributes that xDSL's printer has to escape."""
    names = passes()
    text = next(p for p in EXAMPLES if p.stem == "matmul_1p1c").read_text()
    lowered = parse(text)
    run(lowered, ",".join(names[: names.index(request.param) + 1]))
    odd = StringAttr('a "b" \\ \n\té')
    lowered.attributes["odd"] = DictionaryAttr({"x": odd, "y z": odd, "w": odd})
    return lowered


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("debuginfo", [False, True])
def test_text(module: ModuleOp, generic: bool, debuginfo: bool):
    expected = StringIO()
    printer = Printer(expected, generic, print_debuginfo=debuginfo)
    printer.print_op(module)
    found = module_text(module, generic=generic, debuginfo=debuginfo)
    assert found == expected.getvalue()


def tokens(lexer: MLIRLexer) -> list[tuple[MLIRTokenKind, str, int] | str]:
    """All tokens with their places, or the message of the first that is none."""
    found: list[tuple[MLIRTokenKind, str, int] | str] = []
    while True:
        try:
            token = lexer.lex()
        except ParseError as error:
            return [*found, str(error)]
        found.append((token.kind, token.text, token.span.start))
        if token.kind is MLIRTokenKind.EOF:
            return found


def same_tokens(text: str) -> int:
    """How many tokens a text has, by both lexers."""
    source = Input(text, "a.mlir")
    quick = tokens(QuickLexer(source))
    assert quick == tokens(MLIRLexer(source))
    return len(quick)


def test_tokens_of_kernels(module: ModuleOp):
    assert same_tokens(module_text(module)) > 300
    assert same_tokens(module_text(module, generic=True, debuginfo=True)) > 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  // only a comment",
        "// one\n  // two\n\n%a// three\n,%b",
        "0x1F 0xg 0 007 12. 12.5e-3 1e5 1.e 64x32xf32 5.. 1_000",
        "%0 %0a %a.b-c$ %-1 % %",
        "!a !0b !-x ! ! x",
        "#a #-} {-# #-} # x",
        "a.b$c _x é ß1 aé",
        "-> - ->> ... <>()[]{}:,=+*?|/",
        "/ a / /",
        ".. a",
        '^bb0(%a: i32): @f @"g h" "s\\22" "open',
        "a\x0bb\x0cc\xa0d",
        "\u0663 1\u0663",
        " " * 5000 + "-",
    ],
)
def test_tokens(text: str):
    same_tokens(text)
    for start in range(0, min(len(text), 80)):
        same_tokens(text[start:])
