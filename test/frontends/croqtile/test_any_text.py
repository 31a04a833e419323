"""
Whatever the text, it is read or refused with diagnostics that have places.

`CROQ_FUZZ_EXAMPLES` sets how many texts of each sort are tried.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
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
_PUT = st.sampled_from([*_WORDS, *_ODD])
_SETTINGS = settings(
    max_examples=int(os.environ.get("CROQ_FUZZ_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
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
            assert diagnostic.kind
            assert 1 <= diagnostic.location.line <= lines
            assert diagnostic.location.col >= 1


@_SETTINGS
@given(
    st.lists(st.sampled_from([*_WORDS, *_ODD]), max_size=60), st.sampled_from(_OPTIONS)
)
def test_words(words: list[str], options: FrontendOptions):
    _try(f"__co__ void f(f16 [M, K] a) {{ {' '.join(words)} }}", options)


@_SETTINGS
@given(st.text(max_size=80), st.sampled_from(_OPTIONS))
def test_characters(text: str, options: FrontendOptions):
    _try(text, options)
    _try(f"__co__ void f() {{ {text}", options)


@_SETTINGS
@given(st.data())
def test_changed_kernels(data: st.DataObject):
    pieces = list(data.draw(st.sampled_from(_PIECES)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        match data.draw(st.sampled_from(("drop", "put", "swap", "repeat", "cut"))):
            case "drop":
                del pieces[at]
            case "put":
                pieces.insert(at, data.draw(_PUT))
            case "swap":
                other = data.draw(st.integers(0, len(pieces) - 1))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case "repeat":
                end = data.draw(st.integers(at, min(at + 12, len(pieces))))
                pieces[at:at] = pieces[at:end]
            case _:
                del pieces[at : at + data.draw(st.integers(1, 12))]
        if not pieces:
            break
    _try("".join(pieces), data.draw(st.sampled_from(_OPTIONS)))
