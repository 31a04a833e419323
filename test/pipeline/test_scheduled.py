"""Plain kernels and what scheduling passes make of them: proved, run, assembled."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from support.covering import pairwise

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import Options
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import EXAMPLES, lower, parse, printed, run

PLAIN = next(path for path in EXAMPLES if path.stem == "matmul").read_text()

SMALL = "bind-params{BM=128 BN=32 BK=16}"

PERSISTENT = """
croq.kernel @tiles dims(M, N multiple_of 8, K multiple_of 8) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {
  croq.parallel (%b) in (3) : block threads 256 {
    %m_tiles = croq.cdiv M, 128
    %n_tiles = croq.cdiv N, 32
    %k_tiles = croq.cdiv K, 16
    %tiles = arith.muli %m_tiles, %n_tiles : index
    %a_s = croq.alloc : !croq.tile<128x16xf16, shared>
    %b_s = croq.alloc : !croq.tile<32x16xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x32xf16, shared>
    croq.foreach %t in %b to %tiles step 3 {
      %bm = arith.remui %t, %m_tiles : index
      %bn = arith.divui %t, %m_tiles : index
      %zero = croq.mma.fill 0.0 : !croq.acc<128x32xf32>
      %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
        %at = croq.subspan %lhs [128, 16] tile (%bm, %k)
        %bt = croq.subspan %rhs [32, 16] tile (%bn, %k)
        croq.copy %at => %a_s
        croq.copy %bt => %b_s
        %c1 = croq.mma.exec row.row %c, %a_s, %b_s
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<128x32xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [128, 32] tile (%bm, %bn)
      croq.copy %o_s => %o
    }
  }
}
"""
"""Three blocks walk over all tiles."""


def by_threads(text: str) -> str:
    """The kernel for any N and K: TMA is not known to be able to copy its rows."""
    return text.replace(" multiple_of 8", "")


def rewritten(text: str, *changes: tuple[str, str]) -> str:
    """A text with parts replaced; each must be there."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


THREE_TILES = rewritten(
    PERSISTENT,
    (
        "    %o_s =",
        """    %seen = croq.alloc : !croq.tile<128x16xf16, shared>
    %o_s =""",
    ),
    (
        "        %c3 = croq.mma.wait",
        """        croq.copy %a_s => %seen engine(threads)
        %c3 = croq.mma.wait""",
    ),
)
"""What is loaded for the product is read in another way too."""

ONCE = rewritten(
    PERSISTENT,
    ("        %bt = croq.subspan %rhs [32, 16] tile (%bn, %k)\n", ""),
    ("        croq.copy %bt => %b_s\n", ""),
    (
        "      %zero = croq.mma.fill",
        """      %bt = croq.subspan %rhs [32, 16] tile (%bn, 0)
      croq.copy %bt => %b_s
      %zero = croq.mma.fill""",
    ),
)
"""One operand is loaded once for each tile: of every slice of K the first of `rhs`."""

SINGLE_WARPGROUP = PERSISTENT.replace("128", "64").replace(" threads 256", "")
"""Tiles of 64 rows, which a warpgroup of its own has."""

STATIC = rewritten(
    re.sub(r"\[([MNK])\]x", r"\1x", SINGLE_WARPGROUP),
    ("dims(M, N multiple_of 8, K multiple_of 8) ", ""),
).translate({ord("M"): "400", ord("N"): "72", ord("K"): "72"})
"""The same for one shape."""

STEPS_OF_TWO = rewritten(
    PERSISTENT,
    ("%k in %k_tiles iter", "%k in 1 to %k_tiles step 2 iter"),
)
"""The sum over every other slice of K, from the second on."""

TWO_LOOPS = rewritten(
    PERSISTENT,
    (
        "croq.foreach %t in %b to %tiles step 3 {",
        "croq.foreach %bm in %b to %m_tiles step 3 {\n"
        "    croq.foreach %bn in %n_tiles {",
    ),
    ("      %bm = arith.remui %t, %m_tiles : index\n", ""),
    ("      %bn = arith.divui %t, %m_tiles : index\n", ""),
    ("croq.copy %o_s => %o\n", "croq.copy %o_s => %o\n    }\n"),
)
"""The loop over tiles as two."""

SLICES = rewritten(
    PERSISTENT,
    (
        "%c1 = croq.mma.exec row.row %c, %a_s, %b_s",
        """%c1 = croq.foreach %kk in 2 iter(%d = %c) {
          %ma = croq.chunkat %a_s [_, 2] at (_, %kk)
          %mb = croq.chunkat %b_s [_, 2] at (_, %kk)
          %d1 = croq.mma.exec row.row %d, %ma, %mb
          croq.yield %d1 : !croq.acc<128x32xf32>
        }""",
    ),
    ("cdiv K, 16", "cdiv K, 32"),
    (
        "%a_s = croq.alloc : !croq.tile<128x16xf16",
        "%a_s = croq.alloc : !croq.tile<128x32xf16",
    ),
    (
        "%b_s = croq.alloc : !croq.tile<32x16xf16",
        "%b_s = croq.alloc : !croq.tile<32x32xf16",
    ),
    ("%lhs [128, 16]", "%lhs [128, 32]"),
    ("%rhs [32, 16]", "%rhs [32, 32]"),
)
"""Two products for each step."""


@lru_cache
def scheduled(text: str, pipeline: str) -> str:
    """What passes make of a kernel; its synchronisation is proved."""
    module = parse(text)
    run(module, pipeline)
    out = printed(module)
    run(module, "infer-layouts,select-engines,verify-sync{undecided=error}")
    return out


Shape = tuple[int, int, int]
"""M, N and K."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


def product_of(lhs: Floats, rhs: Floats) -> Any:
    return lhs @ rhs.T


def check(
    text: str,
    level: str,
    shape: Shape,
    *,
    policy: str = "rr",
    product: Callable[[Floats, Floats], Any] = product_of,
) -> None:
    """Run a kernel at a level on random data; `product` is of float32."""
    m, n, k = shape
    rng = np.random.default_rng(m * n + k)
    lhs = rng.standard_normal((m, k)).astype(np.float16)
    rhs = rng.standard_normal((n, k)).astype(np.float16)
    out = np.full((m, n), np.nan, np.float16)
    report = simulate(text, lhs, rhs, out, level=level, options=Options(policy))
    report.check()
    wanted = product(lhs.astype(np.float32), rhs.astype(np.float32))
    np.testing.assert_allclose(out.astype(np.float32), wanted, rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize(
    ("m", "n"), [(128, 32), (130, 40), (64, 8)], ids=["whole", "ragged", "part"]
)
def test_plain(level: str, m: int, n: int):
    """The kernel is right before any pass schedules it."""
    check(scheduled(PLAIN, SMALL), level, (m, n, 72))
    check(scheduled(by_threads(PLAIN), SMALL), level, (m, n - 3, 69))


@pytest.mark.parametrize(
    ("in_flight", "level", "trips"),
    pairwise([0, 1], ["croq", "nvvm"], [0, 1, 2, 3, 4, 7]),
)
def test_trip_counts(level: str, in_flight: int, trips: int):
    """Rings that are not filled, that are filled, that wrap."""
    text = scheduled(
        PLAIN, f"{SMALL},warp-specialize{{stages=3 in_flight={in_flight}}}"
    )
    check(text, level, (130, 40, 16 * trips))
    text = scheduled(
        by_threads(PLAIN), f"{SMALL},warp-specialize{{stages=3 in_flight={in_flight}}}"
    )
    check(text, level, (130, 37, max(16 * trips - 3, 0)))


@pytest.mark.parametrize(
    ("in_flight", "level", "shape"),
    pairwise(
        *([0, 1], ["croq", "nvvm"]),
        [(400, 72, 0), (400, 72, 16), (400, 72, 40), (700, 72, 72), (128, 32, 72)],
    ),
    ids=str,
)
def test_several_tiles_of_a_block(level: str, in_flight: int, shape: Shape):
    """The orders run on from tile to tile; some blocks have one tile less, or none."""
    text = scheduled(PERSISTENT, f"warp-specialize{{stages=3 in_flight={in_flight}}}")
    check(text, level, shape)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize(
    ("consumers", "tile"),
    [(1, "BM=64 BN=16"), (2, "BM=256 BN=16"), (3, "BM=192 BN=16")],
)
def test_consumers(level: str, consumers: int, tile: str):
    text = scheduled(
        PLAIN,
        f"bind-params{{{tile} BK=16}},"
        f"warp-specialize{{consumers={consumers} stages=2 in_flight=1}}",
    )
    check(text, level, (300, 24, 72))


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("order", ["last", "grouped"])
def test_after_persist(level: str, order: str):
    """The road of the plain kernel: every pass takes what the one before made."""
    pipeline = f"{SMALL},persist{{blocks=3 {order=}}}".replace("'", "")
    shape = (400, 72, 72)
    check(scheduled(PLAIN, f"{pipeline},warp-specialize{{stages=3}}"), level, shape)
    late = "warp-specialize{stages=3 in_flight=1}"
    check(scheduled(PLAIN, f"{pipeline},{late}"), level, shape)


@pytest.mark.parametrize("policy", ["random:1", "random:2", "random:3"])
def test_schedules(policy: str):
    """Whatever order the roles come in."""
    text = scheduled(PERSISTENT, "warp-specialize{stages=2 in_flight=1}")
    check(text, "nvvm", (400, 72, 72), policy=policy)


@pytest.mark.parametrize(
    ("in_flight", "stages", "level", "shape"),
    pairwise(
        *([0, 1], [2, 3], ["croq", "nvvm"]),
        [(400, 72, 0), (400, 72, 16), (400, 72, 72), (700, 72, 56), (64, 32, 72)],
    ),
    ids=str,
)
def test_turns(level: str, in_flight: int, stages: int, shape: Shape):
    """
    Two consumers take turns at tiles; some blocks have an odd number of them, or none.

    The verifier does not know that the stores of different tiles are disjoint.
    """
    module = parse(SINGLE_WARPGROUP)
    run(module, f"warp-specialize{{mode=pingpong {stages=} {in_flight=}}}")
    text = printed(module)
    for policy in ("rr", "random:1", "random:2"):
        check(text, level, shape, policy=policy)


@pytest.mark.parametrize("consumers", [2, 3])
@pytest.mark.parametrize("in_flight", [0, 1])
def test_turns_of_a_known_shape_are_proved(consumers: int, in_flight: int):
    options = f"mode=pingpong stages=3 {consumers=} {in_flight=}"
    text = scheduled(STATIC, f"warp-specialize{{{options}}}")
    check(text, "croq", (400, 72, 72))


def every_other_slice(lhs: Floats, rhs: Floats) -> Any:
    keep = [k for k in range(lhs.shape[1]) if k // 16 % 2 == 1]
    return lhs[:, keep] @ rhs[:, keep].T


def with_first_slice(lhs: Floats, rhs: Floats) -> Any:
    return sum(
        lhs[:, k : k + 16] @ rhs[:, : min(16, lhs.shape[1] - k)].T
        for k in range(0, lhs.shape[1], 16)
    )


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize(
    ("text", "product"),
    [
        (STEPS_OF_TWO, every_other_slice),
        (SLICES, product_of),
        (THREE_TILES, product_of),
        (ONCE, with_first_slice),
    ],
    ids=["steps-of-two", "slices", "another-read", "loaded-once"],
)
def test_other_loops(
    level: str, in_flight: int, text: str, product: Callable[[Floats, Floats], Any]
):
    out = scheduled(text, f"warp-specialize{{stages=3 in_flight={in_flight}}}")
    check(out, level, (400, 72, 72), product=product)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_two_loops_over_tiles(level: str):
    """Both carry the count. The verifier does not decide three loops in each other."""
    module = parse(TWO_LOOPS)
    run(module, "warp-specialize{stages=3 in_flight=1}")
    check(printed(module), level, (400, 72, 72))


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize("columns", [128, 192])
def test_turns_assembled(columns: int):
    module = parse(PLAIN)
    run(
        module,
        f"bind-params{{BN={columns}}},persist,"
        "warp-specialize{mode=pingpong stages=3 in_flight=1}",
    )
    made = assemble(lower(printed(module)), "sm_90a")
    assert made.spill_bytes == 0
    assert made.warnings == ()
    assert made.registers == 168


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize(
    ("tile", "options", "registers"),
    [
        ("BN=256", "stages=3", 168),
        ("BN=256", "stages=3 in_flight=1", 168),
        ("BN=128 BM=64", "consumers=1 stages=4", None),
        ("BM=256 BN=128", "stages=3 in_flight=1", 168),
        ("BM=192 BN=160", "consumers=3 stages=3", 128),
    ],
)
def test_assembled(tile: str, options: str, registers: int | None):
    """Nothing spills, and no product waits for another."""
    pipeline = f"bind-params{{{tile}}},warp-specialize{{{options}}}"
    made = assemble(lower(scheduled(PLAIN, pipeline)), "sm_90a")
    assert made.spill_bytes == 0
    assert made.warnings == ()
    if registers is not None:
        assert made.registers == registers


BATCHES = """
croq.kernel @batches dims(B, M, N) (%x: !croq.tile<[B]x[M]x[N]xf32, global>) {
  %ms = croq.cdiv M, 8
  %ns = croq.cdiv N, 16
  croq.parallel (%z, %m, %n) in (B, %ms, %ns) : block threads 32 {
    %t = croq.subspan %x [1, 8, 16] tile (%z, %m, %n)
    croq.elementwise (%e = %t) => %t {
      %d = arith.addf %e, %e : f32
      croq.yield %d : f32
    }
  }
}
"""


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_groups_of_batches(level: str):
    """Each tile is one block's, once, also in groups of which the last is not full."""
    text = scheduled(BATCHES, "persist{blocks=3 order=grouped group=2}")
    for shape in ((1, 8, 16), (3, 20, 40)):
        x = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
        found = x.copy()
        simulate(text, found, level=level, options=Options("rr")).check()
        np.testing.assert_array_equal(found, 2 * x)
