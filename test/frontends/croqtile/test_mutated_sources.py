"""Sources with words, numbers, statements exchanged: refused in words, or lowered."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.frontends.croqtile import parse_module
from croqtile_mlir.frontends.croqtile.options import FrontendOptions

ROOT = Path(__file__).parents[3]
TOKEN = re.compile(r"[A-Za-z_]\w*|\d+\.\d+f?|\d+|\S")
TYPES = {"f16", "f32", "f64", "s32", "s8", "u8", "u32", "s64", "bf16", "int", "bool"}
VIEWS = {"chunkat", "chunk", "subspan", "view", "from", "step", "at", "span_as", "sqz"}
WORDS = set(
    "__co__ void auto global shared local mutable parallel by block group thread with "
    "in foreach while if else inthreads async wait trigger after swap rotate select "
    "return break continue dma tma copy any pad transp mma fill load store row col "
    "commit sync barrier event frag mdspan ituple cdiv span data".split()
)
NUMBERS = ["0", "1", "3", "7", "33", "100000"]
OPTIONS = FrontendOptions(
    tuple(
        (f"MATMUL_{name}", value)
        for name, value in (
            ("WARP_M", "64"),
            ("WARP_N", "64"),
            ("TILE_K", "64"),
            ("WARP_K", "16"),
            ("STAGES", "3"),
        )
    )
)


def sources() -> list[str]:
    inputs = (ROOT / "test/frontends/croqtile/Inputs").glob("*.co")
    return [
        path.read_text()
        for path in sorted([*inputs, *(ROOT / "examples").glob("**/*.co")])
    ]


def kind(word: str) -> str:
    """Words of one kind take each other's place."""
    if word.isdecimal():
        return "number"
    if word in TYPES:
        return "type"
    if word in VIEWS:
        return "view"
    if word in WORDS or not (word[0].isalpha() or word in "+-*/%#<>&|^"):
        return word
    return "name" if word[0].isalpha() else "operator"


def mutated(text: str, draw: random.Random) -> str:
    head, word, body = text.partition("__co__")
    for _ in range(draw.randint(1, 3)):
        lines = body.split("\n")
        simple = [n for n, line in enumerate(lines) if not set("{}") & set(line)]
        if draw.random() < 0.6 or len(simple) < 2:
            tokens = list(TOKEN.finditer(body))
            chosen = draw.choice(tokens)
            like = [t[0] for t in tokens if kind(t[0]) == kind(chosen[0])]
            if chosen[0].isdecimal():
                like += NUMBERS
            new = draw.choice(like)
            body = body[: chosen.start()] + new + body[chosen.end() :]
            continue
        first, second = draw.sample(simple, 2)
        if draw.random() < 0.5:
            lines[first], lines[second] = lines[second], lines[first]
        else:
            lines[first] = ""
        body = "\n".join(lines)
    return head + word + body


@pytest.mark.parametrize("seed", range(3))
def test_no_traceback(seed: int):
    draw, texts = random.Random(seed), sources()
    accepted = 0
    for _ in range(120):
        try:
            parse_module(
                new_context(), mutated(draw.choice(texts), draw), "x.co", OPTIONS
            )
            accepted += 1
        except CompileError as error:
            for each in (error.diagnostic, *error.others):
                assert each.message
    # Otherwise the mutations would say nothing of the lowering.
    assert accepted > 10
