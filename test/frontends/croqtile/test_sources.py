"""Whole files: the examples, kernels of every style, functions amid host code."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.croqtile_text import Read, read, short

_EXAMPLES = Path(__file__).parents[3] / "examples"
_FILES = sorted(_EXAMPLES.glob("*/*.co"))

# Short programs that each turn on one rule of the language; what is wrong with some of
# them is no matter of syntax.
_PROGRAMS = {
    "doubled": """\
__co__ auto twice(f32 [R, 64] x) {
  f32 [x.span] y;
  parallel b by R : block parallel t by 64 : thread
    y.at(b, t) = x.at(b, t) + x.at(b, t);
  return y;
}
""",
    "summed": """\
__co__ auto sum(s32 [8] a) {
  s32 [1] r;
  parallel by 1 : block parallel by 1 : thread
    foreach i in [8] r.at(0) += a.at(i);
  return r;
}
""",
    "last of a with": """\
__co__ void f(global s32 [64] a) {
  parallel p by 1 : block
    with k in [4] {
      f = dma.copy a.chunkat(k) => shared;
      foreach k(1:) { g = dma.copy a.chunkat(k(-1)) => shared; }
    }
}
""",
    "three deep": """\
__co__ void f(s32 [64] a) {
  parallel p by 1 : block with t in 4 {
    q0 = dma.any; q1 = dma.any;
    q2 = dma.copy a.chunkat(t) => shared;
    rotate(q0, q1, q2);
  }
}
""",
    "ready events": """\
#define S 3
__co__ void f(f16 [64, K] a) {
  parallel p by 1 : block {
    shared event full[S], empty[S] = ready;
    shared f16 [64, 16] tile[S];
    parallel g by 2 : group-4 {
      inthreads.async (g == 0)
        foreach k in cdiv(K, 16) {
          wait empty.at(k);
          f = tma.copy.async a.chunkat(_, k) => tile[k % S];
          trigger full.at(k) after f;
        }
      inthreads.async (g == 1)
        foreach k in cdiv(K, 16) { wait full.at(k); trigger empty.at(k); }
    }
  }
}
""",
    "chunks of a ragged tile": """\
__co__ void f(f16 [N, K] w) {
  parallel {bn, kk} by [cdiv(N, 48), K / 64] : block {
    shared f16 [48, 64] tile;
    dma.copy w.chunkat(bn, kk) => tile;
  }
}
""",
    "a range over a parallel variable": """\
__co__ void f(s32 [4] a) { parallel p by 4 : block foreach p { } }
""",
    "chunks that do not divide": """\
__co__ void f(f32 [100] a) { parallel p by 8 { f = dma.copy a.chunkat(p) => shared; } }
""",
    "a barrier of the block in a role": """\
__co__ void f(f32 [100] a) {
  parallel g by 2 : group-4 { inthreads.async (g == 0) { sync.barrier : block; } }
}
""",
    "a constant assigned": "__co__ void f(s32 [1] a) { n = 3; n = 4; }\n",
    "a future of an inner scope": """\
__co__ void f(s32 [8] a) {
  parallel by 1 {
    f = dma.any;
    with i in [2] { g = dma.copy a => shared; swap(f, g); }
  }
}
""",
    "data before its wait": """\
__co__ void f(s32 [8] a, s32 [1] r) {
  parallel p by 1 {
    f = dma.copy.async a.chunkat(p) => shared;
    r.at(0) = f.data.at(0);
    wait f;
  }
}
""",
    "a role for all or none": """\
__co__ void f(int n, s32 [8] a) {
  parallel p by 2 : group-4 { inthreads.async (n > 1) { } }
}
""",
    "chunks by an arbitrary number": """\
__co__ void f(s32 [64] a) {
  parallel b by 4 : block { shared s32 [16] s;
    foreach it in [4] { tid = it # b; m = tid / 5; dma.copy a.chunkat(m) => s; }
  }
}
""",
}

_HOST = """\
// __co__ void no() { not this one
#include <vector>
const char *text = "__co__ void no() {";
const char *raw = R"x(__co__ " void no() { )")x";
char quote = '"'; long digits = 1'000'000;
struct __co__x {};
__device__ int helper(int a) { return a ? '{' : "}"[0]; }
__cok__ { extern "C" void __co__f() { } }
#define W 16
template <int N> int host() { if (N) { return W; } return 0; }
__co__ void first(s32 [W] a) {
  #define V 2
  parallel p by V : block { }
}
int between = 1;
#if 0
__co__ void skipped( it's no text {
#elif W > 8 && !defined(V)
__co__ auto second(s32 [W, V] b) { return b; }  /* } */
#else
__co__ void other() { }
#endif
int main() { first(); return 0; }
"""


def _clean(found: Read) -> None:
    assert not found.diagnostics, found.diagnostics[0]


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_examples(path: Path):
    found = read(path.read_text(encoding="utf-8"))
    _clean(found)
    assert found.program is not None
    assert found.program.functions


@pytest.mark.parametrize("name", _PROGRAMS)
def test_programs(name: str):
    _clean(read(_PROGRAMS[name]))


def test_precedence_is_told():
    found = read("__co__ void f(int a) { mutable int u = 1; u = 1 + a & 3 * 2; }")
    assert found.said == ["warning surprising-precedence"]
    _, assignment = found.function().body.statements
    assert "value=(1 + ((a & 3) * 2))" in short(assignment)


def test_functions_amid_host_code():
    """Host text, other branches, comments and strings are no part of the language."""
    found = read(_HOST)
    _clean(found)
    assert found.program is not None
    first, second = found.program.functions
    assert (str(first.name), str(second.name)) == ("first", "second")
    assert "bound=2" in short(first.body)
    # A macro that a function defines ends with it.
    assert short(second.params[0].type) == "TileType(element=s32, dims=[16, V])"
    assert found.program.functions[0].span.start == _HOST.index("__co__ void first")


@pytest.mark.parametrize(
    ("forms", "generation"),
    [
        ("mma.commit;", 1),
        ("f = tma.copy.async<e> a => b;", 1),
        ("mma.wait<1>;", 2),
        ("trigger e after f;", 3),
        ("wait e.at(k);", 3),
        ("wait e;", None),
    ],
)
def test_generations(forms: str, generation: int | None):
    found = read(f"__co__ void f() {{ {forms} }}")
    _clean(found)
    assert found.function().generation == generation
