"""Diagnostics: places, texts, and what exceptions of xDSL become."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
    i32,
)
from xdsl.ir import Block, Region
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    MultipleSpansParseError,
    ParseError,
    VerifyException,
)
from xdsl.utils.lexer import Input, Span

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import (
    UNKNOWN_LOCATION,
    CompileError,
    Diagnostic,
    Diagnostics,
    Location,
    Note,
    Severity,
    diagnostics_of,
    fail,
    from_exception,
    location_of,
    remark,
    render,
    warn,
)


def loc(line: int, column: int = 1, file: str = "k.mlir") -> FileLineColLoc:
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))


UNKNOWN = UnknownLoc()


@pytest.mark.parametrize(
    ("attribute", "found"),
    [
        (loc(3, 5), Location("k.mlir", 3, 5)),
        (UNKNOWN, UNKNOWN_LOCATION),
        (NameLoc(StringAttr("x"), loc(4)), Location("k.mlir", 4, 1)),
        (CallSiteLoc(loc(7), loc(9)), Location("k.mlir", 7, 1)),
        (CallSiteLoc(UNKNOWN, loc(9)), Location("k.mlir", 9, 1)),
        (FusedLoc((UNKNOWN, loc(2), loc(8)), NoneAttr()), Location("k.mlir", 2, 1)),
        (FusedLoc((UNKNOWN,), NoneAttr()), UNKNOWN_LOCATION),
    ],
)
def test_location_attributes(attribute: LocationAttr, found: Location):
    assert location_of(attribute) == found
    assert location_of(test.TestOp(attributes={})) == UNKNOWN_LOCATION
    op = test.TestOp()
    op.location = attribute
    assert location_of(op) == found


def test_an_op_without_a_place_takes_that_of_the_op_around_it():
    inner = test.TestOp(result_types=[i32])
    block = Block([inner], arg_types=[i32])
    outer = test.TestOp(regions=[Region(block)])
    outer.location = loc(3)
    ModuleOp([outer])
    places = [location_of(p) for p in (inner, inner.results[0], block, block.args[0])]
    assert places == [Location("k.mlir", 3, 1)] * 4
    block.args[0].location = loc(2, 9)
    assert location_of(block.args[0]) == Location("k.mlir", 2, 9)
    assert location_of(None) == UNKNOWN_LOCATION


def test_fail_says_where_what_and_what_to_do():
    op, other = test.TestOp(), test.TestOp()
    op.location, other.location = loc(2, 3), loc(1, 1)
    with pytest.raises(CompileError) as caught:
        fail(op, "n must be 8, got 7", hint="pad it", notes=[(other, "chosen here")])
    error = caught.value
    assert (error.severity, error.location) == (
        Severity.Error,
        Location("k.mlir", 2, 3),
    )
    assert error.message == "'test.op' op n must be 8, got 7"
    assert error.notes == (Note(Location("k.mlir", 1, 1), "chosen here"),)
    assert error.hint == "pad it"
    assert str(error) == (
        "k.mlir:2:3: error: 'test.op' op n must be 8, got 7\n"
        "k.mlir:1:1: note: chosen here\n"
        "hint: pad it"
    )


def test_an_unregistered_op_has_the_name_the_user_wrote():
    op = UnregisteredOp.with_name("foo.bar").create()
    with pytest.raises(CompileError, match=r"^error: 'foo\.bar' op is refused$"):
        fail(op, "is refused")


def test_render_shows_the_source():
    diagnostic = Diagnostic(
        Severity.Warning,
        Location("k.mlir", 2, 4),
        "odd",
        notes=(
            Note(Location("k.mlir", 1, 1), "near"),
            Note(Location("other.mlir", 1, 1), "far"),
            Note(UNKNOWN_LOCATION, "nowhere"),
        ),
    )
    assert render(diagnostic, "first\r\n\t  second\r\n").split("\n") == [
        "k.mlir:2:4: warning: odd",
        "\t  second",
        "\t  ^",
        "k.mlir:1:1: note: near",
        "first",
        "^",
        "other.mlir:1:1: note: far",
        "note: nowhere",
    ]


@pytest.mark.parametrize("line", [0, 5])
def test_render_of_a_place_that_is_not_in_the_source(line: int):
    diagnostic = Diagnostic(Severity.Error, Location("k.mlir", line, 1), "bad")
    assert render(diagnostic, "one\ntwo").count("\n") == 0


def test_a_place_without_a_line_is_its_file():
    diagnostic = Diagnostic(Severity.Error, Location("k.mlir"), "bad")
    assert render(diagnostic) == "k.mlir: error: bad"
    assert render(Diagnostic(Severity.Error, UNKNOWN_LOCATION, "bad")) == "error: bad"


def test_remarks_and_warnings_go_to_the_context():
    seen: list[Diagnostic] = []
    ctx = new_context(Diagnostics(on_report=seen.append))
    op = test.TestOp()
    remark(ctx, op, "uses tma")
    warn(ctx.clone(), op, "is slow", hint="do not")
    assert ctx.diagnostics.collected == seen
    assert [str(d) for d in seen] == [
        "remark: 'test.op' op uses tma",
        "warning: 'test.op' op is slow\nhint: do not",
    ]


def test_in_a_plain_context_they_go_to_stderr(capsys: pytest.CaptureFixture[str]):
    warn(Context(), None, "is slow")
    assert capsys.readouterr().err == "warning: is slow\n"
    assert diagnostics_of(Context()).collected == []


def test_parse_errors_keep_their_place():
    text = Input("one\ntwo three\n", "k.mlir")
    span = Span(8, 13, text)
    plain = from_exception(ParseError(span, "unexpected\n  thing"))
    assert str(plain) == "k.mlir:2:5: error: unexpected thing"
    first = Span(0, 3, text)
    double = from_exception(
        MultipleSpansParseError(span, "again", "first here:", [(first, None)])
    )
    assert str(double) == "k.mlir:2:5: error: again\nk.mlir:1:1: note: first here:"


def test_other_exceptions():
    error = CompileError(Diagnostic(Severity.Error, UNKNOWN_LOCATION, "x"))
    assert from_exception(error) is error.diagnostic
    op = test.TestOp()
    op.location = loc(6)
    located = from_exception(VerifyException("must be even, got 3"), op)
    assert str(located) == "k.mlir:6:1: error: 'test.op' op must be even, got 3"
    with pytest.raises(ArgSpecParseError) as caught:
        list(parse_pipeline("cse{a=}"))
    pipeline = from_exception(caught.value)
    assert pipeline.message.startswith("malformed pass pipeline: Unknown argument")
    assert pipeline.notes[0].message == "cse{a=}"
