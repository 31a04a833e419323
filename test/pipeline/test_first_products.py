"""
Accumulators of zeros are overwritten by the first product of a loop, at the ptx level.

Every block has several tiles, so that what an earlier tile has left in the registers is
seen if it leaks, and so is a loop that does not run at all.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import Loaded
from croqtile_mlir.simulator.simulate import Options, load, run_loaded
from pipeline.lowering import TARGET, lower

Array = np.ndarray[Any, np.dtype[Any]]

ROWS, COLS = 64, 16
BLOCKS = 2


@dataclass(frozen=True)
class Loop:
    """A loop over slices of K, and the accumulators that it goes on with."""

    accumulators: tuple[int, ...] = (0,)
    lower: int | str = 0
    """The first slice: a constant or `%t`, the tile."""

    upper: int | None = None
    """One after the last slice; by default all of K."""

    step: int = 1

    def slices(self, tile: int, depth: int) -> range:
        """What is summed; slices beyond K are zeros."""
        lower = self.lower if isinstance(self.lower, int) else tile
        return range(lower, depth if self.upper is None else self.upper, self.step)


@dataclass(frozen=True)
class Sums:
    """`out[i] = start + lhs * rhs[i]^T` over the slices of loops, one after another."""

    loops: tuple[Loop, ...] = (Loop(),)
    start: float = 0.0
    dtype: str = "f32"
    depth: int = 16
    """Extent of a slice; a product takes 16."""

    @property
    def count(self) -> int:
        """The number of accumulators."""
        return 1 + max(max(loop.accumulators) for loop in self.loops)

    def text(self) -> str:
        """The kernel."""
        each = range(self.count)
        acc = f"!croq.acc<{ROWS}x{COLS}x{self.dtype}>"
        args = "".join(
            f", %rhs{i}: !croq.tile<{COLS}x[K]xf16, global>"
            f", %out{i}: !croq.tile<[M]x{COLS}x{self.dtype}, global>"
            for i in each
        )
        buffers = "\n".join(
            f"%b_s{i} = croq.alloc : !croq.tile<{COLS}x{self.depth}xf16, shared>\n"
            f"%o_s{i} = croq.alloc : !croq.tile<{ROWS}x{COLS}x{self.dtype}, shared>"
            for i in each
        )
        names = ["%zero"] * self.count
        body = [f"%zero = croq.mma.fill {self.start} : {acc}"]
        for number, loop in enumerate(self.loops):
            body += self._loop(number, loop, names, acc)
        for i in each:
            body += [
                f"croq.mma.store {names[i]} => %o_s{i}",
                f"%o{i} = croq.subspan %out{i} [{ROWS}, {COLS}] tile (%t, 0)",
                f"croq.copy %o_s{i} => %o{i}",
            ]
        inside = "\n".join(body)
        return f"""
croq.kernel @sums dims(M, K multiple_of 8) (
    %lhs: !croq.tile<[M]x[K]xf16, global>{args}) {{
  croq.parallel (%b) in ({BLOCKS}) : block {{
    %m_tiles = croq.cdiv M, {ROWS}
    %k_tiles = croq.cdiv K, {self.depth}
    %a_s = croq.alloc : !croq.tile<{ROWS}x{self.depth}xf16, shared>
    {buffers}
    croq.foreach %t in %b to %m_tiles step {BLOCKS} {{
{inside}
    }}
  }}
}}
"""

    def _loop(self, n: int, loop: Loop, names: list[str], acc: str) -> list[str]:
        """A loop; puts what it leaves in `names`."""
        used = loop.accumulators
        iters = ", ".join(f"%c{n}_{i} = {names[i]}" for i in used)
        upper = "%k_tiles" if loop.upper is None else loop.upper
        lines = [
            f"%r{n}:{len(used)} = croq.foreach %k{n} in {loop.lower} to {upper} "
            f"step {loop.step} iter({iters}) {{",
            f"%a{n} = croq.subspan %lhs [{ROWS}, {self.depth}] tile (%t, %k{n})",
            f"croq.copy %a{n} => %a_s",
        ]
        for i in used:
            lines += [
                f"%b{n}_{i} = croq.subspan %rhs{i} [{COLS}, {self.depth}] "
                f"tile (0, %k{n})",
                f"croq.copy %b{n}_{i} => %b_s{i}",
            ]
        left: list[str] = []
        for i in used:
            value = f"%d{n}_{i}"
            lines += [
                f"{value} = croq.mma.exec row.row %c{n}_{i}, %a_s, %b_s{i}",
                f"{value}c = croq.mma.commit {value}",
                f"{value}w = croq.mma.wait {value}c in_flight 0",
            ]
            left.append(f"{value}w")
        types = ", ".join([acc] * len(used))
        lines += [f"croq.yield {', '.join(left)} : {types}", "}"]
        for at, i in enumerate(used):
            names[i] = f"%r{n}#{at}"
        return lines

    def wanted(self, lhs: Array, rhs: list[Array], k_tiles: int) -> list[Array]:
        """The outputs, in float64."""
        m = lhs.shape[0]
        sums = [np.full((m, COLS), self.start) for _ in rhs]
        for tile in range(-(-m // ROWS)):
            rows = slice(tile * ROWS, (tile + 1) * ROWS)
            for loop in self.loops:
                for k in loop.slices(tile, k_tiles):
                    cols = slice(k * self.depth, (k + 1) * self.depth)
                    for i in loop.accumulators:
                        a, b = (x.astype(np.float64) for x in (lhs[rows], rhs[i]))
                        sums[i][rows] += a[:, cols] @ b[:, cols].T
        return sums


@lru_cache
def loaded(sums: Sums, level: str) -> Loaded:
    return load(source_of(sums.text()), level=level)


def check(sums: Sums, trips: int, *, level: str = "ptx", tiles: int = 5) -> None:
    """Run with K of so many slices, the last one in part; the last tile is in part."""
    m, k = ROWS * tiles - 24, max(sums.depth * trips - 8, 0)
    rng = np.random.default_rng(trips)
    lhs = (rng.standard_normal((m, k)) / 4).astype(np.float16)
    rhs = [
        (rng.standard_normal((COLS, k)) / 4).astype(np.float16)
        for _ in range(sums.count)
    ]
    dtype = np.float32 if sums.dtype == "f32" else np.float16
    outs = [np.full((m, COLS), np.nan, dtype) for _ in rhs]
    pairs = [x for pair in zip(rhs, outs, strict=True) for x in pair]
    run_loaded(loaded(sums, level), (lhs, *pairs), Options()).check()
    tolerance = 1e-5 if sums.dtype == "f32" else 1e-2
    for out, wanted in zip(outs, sums.wanted(lhs, rhs, trips), strict=True):
        found = out.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


CASES = {
    "plain": Sums(),
    "f16": Sums(dtype="f16"),
    "two-products": Sums(depth=32),
    "two-accumulators": Sums((Loop((0, 1)),)),
    "two-accumulators-f16": Sums((Loop((0, 1)),), dtype="f16"),
    "one-after-the-other": Sums((Loop((0,)), Loop((1,)))),
    "goes-on": Sums((Loop(upper=1), Loop(lower=1))),
    "goes-on-with-one": Sums((Loop((0, 1), step=2), Loop((1,), lower=1, step=2))),
    "from-one": Sums((Loop(lower=1),)),
    "from-three-by-two": Sums((Loop(lower=3, step=2),)),
    "from-the-tile": Sums((Loop(lower="%t"),)),
    "from-the-tile-f16": Sums((Loop((0, 1), lower="%t", step=2),), dtype="f16"),
    "known-none": Sums((Loop(upper=0),)),
    "known-one": Sums((Loop(upper=1),)),
    "known-three": Sums((Loop(upper=3),)),
    "known-from-one": Sums((Loop((0, 1), lower=1, upper=4, step=2),), dtype="f16"),
    "known-then-unknown": Sums((Loop(upper=2), Loop(lower=2)), depth=32),
    "not-from-zero": Sums(start=1.5),
    "not-from-zero-f16": Sums((Loop((0, 1)),), start=-2.0, dtype="f16"),
}


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
@pytest.mark.parametrize("case", CASES)
def test_sums(case: str, trips: int):
    check(CASES[case], trips)
    check(CASES[case], trips, level="nvvm")


def drawn(seed: int) -> tuple[Sums, int]:
    """A random kernel and a number of slices."""
    chance = random.Random(seed)
    loops = tuple(
        Loop(
            chance.choice(((0,), (1,), (0, 1), (1, 0))),
            chance.choice((0, 0, 1, 2, "%t")),
            chance.choice((None, None, 0, 1, 2, 4)),
            chance.choice((1, 1, 2, 3)),
        )
        for _ in range(chance.randrange(1, 4))
    )
    start, dtype = chance.choice((0.0, 0.0, 0.5)), chance.choice(("f32", "f16"))
    return Sums(loops, start, dtype, chance.choice((16, 32))), chance.randrange(5)


@pytest.mark.parametrize("seed", range(24))
def test_random_sums(seed: int):
    sums, trips = drawn(seed)
    check(sums, trips, tiles=4)


PRODUCT = re.compile(r"wgmma\.mma_async[^}]*}, %rd\d+, %rd\d+, (\S+), 1, 1, 0, 0;")


def test_zeros_are_for_loops_that_do_not_run():
    """They are in the way around the loop; the product has a predicate."""
    ptx = lower(CASES["plain"].text())
    (scale,) = PRODUCT.findall(ptx)
    assert re.search(rf"\tsetp\.ne\.s32 {scale}, %r\d+, 0;", ptx)
    head, around, loop = re.split(r"\n\t@!%p\d+ bra \$L_loop_2;|\n\$L_loop_2:", ptx)
    assert "0f00000000" in around
    assert "0f00000000" not in head + loop


def test_zeros_are_not_needed_by_loops_that_run():
    ptx = lower(CASES["known-three"].text())
    assert PRODUCT.findall(ptx)[0].startswith("%p")
    assert "0f00000000" not in ptx


def test_other_numbers_are_added_to():
    ptx = lower(CASES["not-from-zero"].text())
    assert PRODUCT.findall(ptx) == ["1"]
    assert ptx.count("mov.f32 %f0, 0f3FC00000") == 1


@pytest.mark.skipif(find_ptxas() is None, reason="needs ptxas")
@pytest.mark.parametrize("case", CASES)
def test_assembled(case: str):
    """No product waits for another, and nothing spills."""
    made = assemble(lower(CASES[case].text()), TARGET)
    assert made.warnings == ()
    assert made.spill_bytes == 0
