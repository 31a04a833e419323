"""Products and stores of accumulators, lowered and executed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from lowered.machine import Machine, block_of, lower, tile_addresses


@dataclass(frozen=True)
class Case:
    a: str
    b: str
    out: str
    form: str = "row.row"
    warpgroups: int = 1
    acc: str = "f32"


CASES = [
    *(
        Case(f"64x64xf16, swizzle<{x}>", f"64x64xf16, swizzle<{y}>", out)
        for (x, y), out in zip(
            product(("128", "none"), ("128", "64", "32", "none")),
            [
                f"64x64x{element}, {layout}"
                for element in ("f16", "f32")
                for layout in (
                    "swizzle<128>",
                    "swizzle<64>",
                    "swizzle<32>",
                    "row_major",
                )
            ],
            strict=True,
        )
    ),
    # K-major A of the other widths, MN-major B, uneven N with a tail of 8 columns.
    Case(
        "64x32xf16, swizzle<64>",
        "32x24xf16, swizzle<none>",
        "64x24xf16, row_major",
        "row.col",
    ),
    Case(
        "64x32xf16, swizzle<32>",
        "32x8xf16, swizzle<none>",
        "64x8xf16, swizzle<none>",
        "row.col",
    ),
    Case(
        "32x64xf16, swizzle<128>",
        "32x128xf16, swizzle<128>",
        "64x128xf16, swizzle<none>",
        "col.col",
    ),
    Case(
        "32x64xf16, swizzle<64>",
        "40x32xf16, swizzle<64>",
        "64x40xf16, row_major",
        "col.row",
    ),
    Case(
        "32x64xf16, swizzle<none>",
        "32x32xf16, swizzle<32>",
        "64x32xf32, swizzle<none>",
        "col.col",
    ),
    # Two blocks of rows, several warpgroups, f16 accumulators.
    Case(
        "128x32xf16, swizzle<64>", "16x32xf16, swizzle<64>", "128x16xf16, swizzle<32>"
    ),
    Case(
        "256x32xf16, swizzle<64>",
        "16x32xf16, swizzle<64>",
        "256x16xf16, swizzle<32>",
        warpgroups=2,
    ),
    Case(
        "32x192xf16, swizzle<128>",
        "24x32xf16, swizzle<64>",
        "192x24xf32, row_major",
        "col.row",
        warpgroups=3,
    ),
    Case(
        "128x32xf16, swizzle<64>",
        "24x32xf16, swizzle<64>",
        "128x24xf16, row_major",
        warpgroups=2,
        acc="f16",
    ),
]


def shared_tile(text: str) -> str:
    shape, layout = text.split(", ")
    return f"!croq.tile<{shape}, shared, {layout}>"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_products(case: Case):
    rng = np.random.default_rng(0)
    rows, cols = case.out.split("x")[:2]
    acc = f"!croq.acc<{rows}x{cols}x{case.acc}>"
    module = lower(f"""
    croq.kernel @k () {{
      croq.parallel (%bm) in (1) : block threads {128 * case.warpgroups} {{
        %a = croq.alloc : {shared_tile(case.a)}
        %b = croq.alloc : {shared_tile(case.b)}
        %o = croq.alloc : {shared_tile(case.out)}
        %zero = croq.mma.fill 0.0 : {acc}
        %c1 = croq.mma.exec {case.form} %zero, %a, %b
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.mma.store %c3 => %o
      }}
    }}""")
    bases = {"a": 1024, "b": 40960, "o": 81920}
    machine = Machine(128 * case.warpgroups, bases)
    operands: list[NDArray[np.float64]] = []
    for name, text in (("a", case.a), ("b", case.b)):
        places = tile_addresses(text, bases[name])
        values = rng.integers(-4, 5, places.shape).astype(np.float64)
        machine.memory.view("<f2")[places // 2] = values
        operands.append(values)
    machine.run(block_of(module))
    a, b = operands
    a = a if case.form.startswith("row") else a.T
    b = b.T if case.form.endswith("row") else b
    wide = "xf32" in case.out
    places = tile_addresses(case.out, bases["o"])
    memory = machine.memory.view("<f4" if wide else "<f2")
    np.testing.assert_array_equal(memory[places // (4 if wide else 2)], a @ b)


def mma_text(body: str) -> str:
    return f"""
    croq.kernel @k () {{
      croq.parallel (%bm) in (4) : block {{
        %a_s = croq.alloc : !croq.tile<4x128x64xf16, shared, swizzle<128>>
        %b_s = croq.alloc : !croq.tile<4x64x128xf16, shared, swizzle<64>>
        %as = croq.slot %a_s at %bm
        %bs = croq.slot %b_s at %bm
        %c = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
        {body}
      }}
    }}"""


def test_a_whole_tile_and_slices_of_it_give_the_same_ops():
    whole = lower(mma_text("%d = croq.mma.exec row.col %c, %as, %bs"))
    slices = "".join(
        f"""%a{k} = croq.chunkat %as [_, 4] at (_, {k})
        %b{k} = croq.chunkat %bs [4, _] at ({k}, _)
        %d{k} = croq.mma.exec row.col %{f"d{k - 1}" if k else "c"}, %a{k}, %b{k}
        """
        for k in range(4)
    )
    assert whole.is_structurally_equivalent(lower(mma_text(slices)))
