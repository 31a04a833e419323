"""Macros, conditionals, and the places of what macros leave behind."""

from __future__ import annotations

import pytest
from support.croqtile_text import read, short

from croqtile_mlir.frontends.croqtile.options import FrontendOptions


def value_of(head: str, expression: str, options: FrontendOptions | None = None) -> str:
    """What an expression becomes after the lines of `head`."""
    text = f"{head}\n__co__ auto f() {{ return {expression}; }}\n"
    found = read(text, options or FrontendOptions())
    assert not found.diagnostics, found.diagnostics[0]
    (statement,) = found.function().body.statements
    return short(statement).removeprefix("Return(value=").removesuffix(")")


@pytest.mark.parametrize(
    ("head", "expression", "value"),
    [
        ("#define N 4", "N", "4"),
        ("#define N", "N", "1"),
        ("#define N (1 + 2) // three\n#define M N * 2", "M", "((1 + 2) * 2)"),
        ("#define N 1 + \\\n  2 /* and */", "N", "(1 + 2)"),
        ("#define N 3\n#define N 5", "N", "5"),
        ("#define N 3\n#undef N", "N", "N"),
        ("#define N N + 1", "N", "(N + 1)"),
        ("#define A B\n#define B A", "A", "A"),
        ("#define F(x) x * x", "F(a + 1)", "((a + (1 * a)) + 1)"),
        ("#define F(x, y) (x) - (y)", "F((a, b)(0), 2)", None),
        ("#define F(x) (x)\n#define G(x) F(x) + F(1)", "G(F(n))", "(n + 1)"),
        ("#define F() 7", "F()", "7"),
        ("#define F(x) (x + 1)", "F", "F"),
        ("#define F(x) (x + 1)", "F\n (\n2\n)", "(2 + 1)"),
        ("#define F(x) x\n#define P F", "P(3)", "3"),
        ("#define F(x) x\n#define P F", "P + F", "(F + F)"),
        ("# define N 2", "N", "2"),
        ("#line 70\n#pragma once\n#include <x>\n#define N 2", "N", "2"),
    ],
)
def test_macros(head: str, expression: str, value: str | None):
    if value is None:
        assert (
            "error syntax"
            in read(f"{head}\n__co__ auto f() {{ return {expression}; }}").said
        )
    else:
        assert value_of(head, expression) == value


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("NONE", False),
        ("defined X && !defined(Y)", True),
        ("X == 3 ? 0 : 1", False),
        ("(X + 1) * 2 == 8u && -X < 0l", True),
        ("X << 2 == 12 && X >> 1 == 1 && 7 / X == 2 && 7 % X == 1", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("(6 & X | 8 ^ 1) == 11 && ~0 == -1", True),
        ("0 && 1 / 0 || 1", True),
        ("__has_include(<a>) || true", True),
        ("X >= 3 && X <= 3 && X != 2 && !(X > 3)", True),
        ("F(2) == 3", True),
    ],
)
def test_conditions(condition: str, holds: bool):
    head = f"""\
#define X 3
#define F(x) (x + 1)
#if {condition}
#define N 1
#else
#define N 2
#endif"""
    assert value_of(head, "N") == ("1" if holds else "2")


def test_branches():
    """One branch counts; conditionals nest, also in what does not count."""
    head = """\
#ifdef A
  #if 1
    #error not here
  #endif
#elif defined B
  #define N 1
#elif 1 / 0
  #define N 2
#else
  #ifndef A
    #define N 3
  #endif
#endif"""
    assert value_of(f"#define B\n{head}", "N") == "1"


def test_command_line():
    """`-D` overrides what the file says."""
    head = "#ifndef N\n#define N 1\n#endif\n#define M 1\n#undef M"
    options = FrontendOptions((("N", "8"), ("M", ""), ("L", "N + 1")))
    assert value_of(head, "N * M - L", options) == "(((8 * 1) - 8) + 1)"


def test_params():
    """A name of `--param` stays a name; a macro gives it its default."""
    text = """\
#define S 4
#define T 64
#if S == 4 && defined(S)
__co__ auto f() { return S * T; }
#endif
"""
    options = FrontendOptions(params=(("S", None), ("R", 2)))
    found = read(text, options)
    assert found.program is not None
    assert found.program.params == (("S", 4), ("R", 2))
    assert "(S * 64)" in short(found.function().body)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("#error too  wide\n", "#error too wide", (1, 1)),
        ("#if 1 +\n#endif\n", "expected an operand at the end of #if", (1, 8)),
        ("#if 1 / 0\n#endif\n", "division by zero in #if", (1, 7)),
        ("#if (1\n#endif\n", "expected ')' at the end of #if", (1, 7)),
        ("#if 1\n", "conditional must end with #endif", (1, 1)),
        ("#endif\n", "#endif without an #if", (1, 1)),
        ("#if 1\n#else\n#else\n#endif\n", "#else after #else", (3, 1)),
        ("#define 3\n", "a preprocessor line must name a macro", (1, 1)),
        ("#define F(1) 2\n", "parameters of macro F must be names, got (1)", (1, 9)),
        ("#ifdef\n#endif\n", "a preprocessor line must name a macro", (1, 1)),
        ("#if defined\n#endif\n", "'defined' must be given a name", (1, 5)),
    ],
)
def test_errors(text: str, message: str, place: tuple[int, int]):
    found = read(f"{text}__co__ void f() {{ }}\n")
    (error,) = found.diagnostics
    assert (error.kind, error.message) == ("preprocessor-error", message)
    assert (error.location.line, error.location.col) == place


def test_arguments_must_match():
    text = "#define F(x, y) x\n__co__ void f() { n = F(1); m = F(1, 2"
    assert [d.message for d in read(text).diagnostics][:2] == [
        "macro F takes 2 arguments, got 1",
        "arguments of macro F must end with )",
    ]


def test_growth_is_bounded():
    lines = ["#define A0 1 +"]
    lines += [f"#define A{i + 1} A{i} A{i}" for i in range(40)]
    text = "\n".join([*lines, "__co__ void f() { n = A40 1; }"])
    assert "error preprocessor-error" in read(text).said


def test_places_in_macros():
    """An error is where the macro is used, and a note says where it is defined."""
    text = """\
#define INNER 1 + * 2
#define OUTER (INNER)
__co__ void f() {
  n = OUTER;
}
"""
    (error,) = read(text).diagnostics
    assert (error.location.line, error.location.col) == (4, 7)
    assert [(n.message, n.location.line, n.location.col) for n in error.notes] == [
        ("expanded from macro OUTER", 2, 16),
        ("expanded from macro INNER", 1, 19),
    ]


def test_places_of_arguments():
    """What a macro is given keeps its own place."""
    text = "#define TWICE(x) (x) + (x)\n__co__ void f() {\n  n = TWICE(3 * * 4);\n}\n"
    (error,) = read(text).diagnostics
    assert (error.location.line, error.location.col) == (3, 17)
    assert not error.notes


def test_places_of_the_command_line():
    (error,) = read(
        "__co__ void f() { n = N; }", FrontendOptions((("N", "* 2"),))
    ).diagnostics
    assert str(error.location) == "k.co:1:23"
    assert str(error.notes[0].location) == "<command line>"
