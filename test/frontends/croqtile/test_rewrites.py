"""What is made explicit in the tree of a Croqtile function before it is lowered."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.frontends.croqtile.reading import read_program
from croqtile_mlir.frontends.croqtile.reporting import Reporter
from croqtile_mlir.frontends.croqtile.rewrites import explicit
from croqtile_mlir.frontends.croqtile.rewrites.blocks import blocks_of
from croqtile_mlir.frontends.croqtile.source import SourceText

WORDS: Mapping[type[ast.Node], str] = {
    ast.MmaExec: "exec",
    ast.MmaCommit: "commit",
    ast.MmaFill: "fill",
    ast.MmaLoad: "load",
    ast.MmaStore: "store",
    ast.MmaWait: "mwait",
    ast.Wait: "wait",
    ast.Foreach: "for",
    ast.If: "if",
    ast.Assign: "let",
    ast.InThreads: "role",
    ast.Parallel: "parallel",
}


def shown(block: ast.Block) -> str:
    """The statements of a block in short: `for(load exec) commit trigger`."""
    return " ".join(map(_shown, block.statements))


def _shown(statement: ast.Statement) -> str:
    match statement:
        case ast.Copy(name=name, event=None):
            return f"copy {name}" if name is not None else "copy"
        case ast.Trigger(events=events, after=after):
            text = "trigger " + ",".join(event.name.text for event in events)
            return text + "".join(f"<-{name}" for name in after)
        case _:
            inner = blocks_of(statement)
            word = WORDS[type(statement)]
            return word + (f"({')('.join(map(shown, inner))})" if inner else "")


def rewritten(body: str) -> tuple[str, Reporter]:
    """What becomes of the body of a function."""
    text = f"__co__ void f(f16 [M, K] a) {{ {body} }}"
    reporter = Reporter(SourceText("f.co", text))
    program = read_program(reporter, FrontendOptions())
    assert not reporter.has_errors, reporter.collected
    function = explicit(program, reporter).functions[0]
    return shown(function.body), reporter


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Said in time: nothing is added.
        (
            "foreach k in [4] { wait e; mma.row.row c, a, b; mma.commit; trigger e; }",
            "for(wait exec commit trigger e)",
        ),
        # Before a trigger, a wait, a copy, a store.
        ("mma.row.row c, a, b; trigger e;", "exec commit trigger e"),
        ("mma.row.row c, a, b; wait e;", "exec commit wait"),
        ("mma.row.row c, a, b; dma.copy a => b;", "exec commit copy"),
        ("mma.row.row c, a, b; mma.store c, o;", "exec commit store"),
        ("mma.row.row c, a, b; c = mma.fill 0.0f;", "exec commit fill"),
        ("mma.row.row c, a, b; c += 1.0f;", "exec commit let"),
        # Not before more products, operands, other accumulators and numbers.
        (
            "mma.row.row c, a, b; m = mma.load a; d = mma.fill 0.0f; s = 1;"
            " mma.row.row d, m, b; mma.store c, o;",
            "exec load fill let exec commit store",
        ),
        # A loop of nothing but products goes on behind its end.
        (
            "foreach k in [4] { wait e; foreach w in [4] { m = mma.load a;"
            " mma.row.row c, m, b; } trigger e; }",
            "for(wait for(load exec) commit trigger e)",
        ),
        # The end of a loop that has other statements, and that of a role.
        (
            "foreach k in [4] { dma.copy a => b; mma.row.row c, a, b; }",
            "for(copy exec commit)",
        ),
        ("mma.row.row c, a, b;", "exec commit"),
        ("if (x) { mma.row.row c, a, b; }", "if(exec commit)"),
        (
            "parallel p by 2 : group-4 { inthreads.async (p == 0)"
            " { mma.row.row c, a, b; } }",
            "parallel(role(exec commit))",
        ),
        # `mma.wait<0>` completes all, another depth leaves some in flight.
        ("mma.row.row c, a, b; mma.wait<0>; mma.store c, o;", "exec mwait store"),
        (
            "mma.row.row c, a, b; mma.wait<1>; mma.store c, o;",
            "exec mwait commit store",
        ),
        # Products with a name are waited for by it.
        ("f = mma.row.row.async c, a, b; wait f;", "exec wait"),
        # Products before a loop that waits are complete before it.
        (
            "mma.row.row c, a, b; foreach k in [4] { wait e; }",
            "exec commit for(wait)",
        ),
    ],
)
def test_products_are_complete_in_time(body: str, expected: str):
    found, _ = rewritten(body)
    assert found == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "tma.copy.async<full[s]> a => b; tma.copy.async<full[s]> a => c;"
            " trigger full[s];",
            "copy copy_0 copy copy_1 trigger full<-copy_0<-copy_1",
        ),
        # A name of its own is kept, and no other copy gets it.
        (
            "copy_0 = dma.copy.async a => shared; f = tma.copy.async<e> a => b;"
            " tma.copy.async<e> a => b; trigger e;",
            "copy copy_0 copy f copy copy_1 trigger e<-f<-copy_1",
        ),
        # Each event has its copies; what is triggered besides stays one trigger.
        (
            "tma.copy.async<e> a => b; tma.copy.async<f> a => b; trigger e, f, g, h;",
            "copy copy_0 copy copy_1 trigger e<-copy_0 trigger f<-copy_1 trigger g,h",
        ),
        # Two slots are two events.
        (
            "tma.copy.async<e[0]> a => b; tma.copy.async<e[1]> a => b;"
            " trigger e[1]; trigger e[0];",
            "copy copy_0 copy copy_1 trigger e<-copy_1 trigger e<-copy_0",
        ),
        # In a block of its own.
        (
            "foreach k in [4] { tma.copy.async<e> a => b; trigger e; } trigger e;",
            "for(copy copy_0 trigger e<-copy_0) trigger e",
        ),
    ],
)
def test_copies_of_an_event_are_behind_its_trigger(body: str, expected: str):
    found, reporter = rewritten(body)
    assert found == expected
    assert reporter.collected == []


def test_events_that_nobody_triggers():
    found, reporter = rewritten(
        "tma.copy.async<e> a => b; tma.copy.async<f> a => b; wait e;"
    )
    assert found == "copy copy_0 trigger e<-copy_0 copy copy_1 trigger f<-copy_1 wait"
    assert [each.kind for each in reporter.collected] == [
        "inline-event-without-trigger"
    ] * 2


def test_a_block_without_such_statements_is_the_same_object():
    reporter = Reporter(SourceText("f.co", "__co__ void f(f16 [M] a) { n = 3; }"))
    program = read_program(reporter, FrontendOptions())
    (function,) = explicit(program, reporter).functions
    assert function.body is program.functions[0].body
