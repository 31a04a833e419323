"""
Whatever the text, it is read or refused with diagnostics that have places.

`CROQ_FUZZ_EXAMPLES` sets how many texts of each sort are tried.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError, all_from_exception
from croqtile_mlir.frontends.croqtile import parse_module
from croqtile_mlir.frontends.croqtile.options import FrontendOptions

_EXAMPLES = Path(__file__).parents[3] / "examples"
_TEXTS = [path.read_text(encoding="utf-8") for path in sorted(_EXAMPLES.glob("*/*.co"))]
_PIECE = re.compile(r"\s+|//[^\n]*|\w+|.", re.DOTALL)
_PIECES = [_PIECE.findall(text) for text in _TEXTS]
_WORDS = sorted({piece for pieces in _PIECES for piece in pieces if piece.strip()})
_ODD = [
    *"[](){}<>;:,.#|&!~?\\\"'@",
    *("=>", "#if", "#define A", "#endif", "\n#define f(x) x(x)\n", "\n#undef f\n"),
    *("/*", "*/", "1e5", "0x", "09", '"a', 'R"(', "\0", "\r\n", "é", "__co__ "),
    *("sync.barrier", "group-4", "mma.load", "f8_e4m3", "??", "::", "99999999999"),
    *("mdspan<9>", ".swiz<3>", "wait<1>", "_", "asm(", "__cpp__", "event<0>"),
]
_PUT = [*_WORDS, *_ODD]
_SEEDS = st.integers(0, 1 << 32)
_SETTINGS = settings(
    max_examples=int(os.environ.get("CROQ_FUZZ_EXAMPLES", "100")),
    deadline=None,
    database=None,
)
_CONTEXT = new_context()
_OPTIONS = [
    FrontendOptions(),
    FrontendOptions(
        (("M", "128"), ("K", "(2 * 64)"), ("stage", "")), strict_names=True
    ),
    FrontendOptions(params=(("MATMUL_STAGES", 2), ("S", None)), strict_init=True),
]


def _try(text: str, options: FrontendOptions) -> None:
    try:
        parse_module(_CONTEXT, text, "k.co", options)
    except CompileError as error:
        lines = text.count("\n") + 1
        for diagnostic in all_from_exception(error):
            # The dialect's own rules have no names.
            assert diagnostic.kind or diagnostic.message.startswith("'croq.")
            assert 1 <= diagnostic.location.line <= lines
            assert diagnostic.location.col >= 1


@_SETTINGS
@given(_SEEDS)
def test_words(seed: int):
    random = Random(seed)
    words = random.choices(_PUT, k=random.randrange(60))
    text = f"__co__ void f(f16 [M, K] a) {{ {' '.join(words)} }}"
    _try(text, random.choice(_OPTIONS))


@_SETTINGS
@given(st.text(max_size=80))
def test_characters(text: str):
    _try(text, _OPTIONS[0])
    _try(f"__co__ void f() {{ {text}", _OPTIONS[0])


@_SETTINGS
@given(_SEEDS)
def test_changed_kernels(seed: int):
    random = Random(seed)
    pieces = list(random.choice(_PIECES))
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(pieces))
        match random.randrange(5):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, random.choice(_PUT))
            case 2:
                other = random.randrange(len(pieces))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces[at:at] = pieces[at : at + random.randrange(12)]
            case _:
                pieces[at] = random.choice(_PUT)
    _try("".join(pieces), random.choice(_OPTIONS))


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 60 + "a.at(t)" + " + 1)" * 60,
        "(" * 5000,
        "+".join(["a.at(t)"] * 250),
        "+".join(["1"] * 5000),
        "||".join(["1 + a.at(t)"] * 250),
        "-" * 5000 + "1",
        "!" * 5000 + "1",
        "a ? " * 5000,
        "{" * 5000,
        "a.at(" * 5000,
        "|a|" * 500,
        "x[" * 500,
    ],
    ids=lambda text: text[:8],
)
@pytest.mark.parametrize("depth", [0, 40, 1000])
def test_depth(expression: str, depth: int):
    """What is nested too deeply to be read, or to be lowered, is refused."""
    body = "if (a.at(0) > 1) {" * depth + f"r.at(t) = {expression};" + "}" * depth
    _try(
        "__co__ auto f(s32 [8] a) { s32 [8] r;"
        f"parallel b by 1 : block, t by 8 : thread {{ {body} }} return r; }}",
        _OPTIONS[0],
    )
