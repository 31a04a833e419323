"""Kernels whose products are made by `mma.sync`, and what they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.simulate import Options
from croqtile_mlir.simulator.simulate import run as simulate

DTYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
}


EPSILONS = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-18, "i32": 0.0}
"""Of the result; that of f32 leaves room for the sums."""


@dataclass(frozen=True)
class Product:
    """A kernel of plain copies and products: how large, of what, stored how."""

    rows: int = 64
    cols: int = 32
    depth: int = 32
    threads: int = 128
    operand: str = "f16"
    acc: str = "f32"
    out: str = "f16"
    form: str = "row.row"
    start: str = "0.0"
    target: str = "sm_80"
    direct: bool = False
    """Whether the result goes straight to global memory."""

    by_warps: bool = False
    """Whether the kernel wants products of warps although there are others."""

    @property
    def text(self) -> str:
        """The kernel."""
        a_row, b_row = (side == "row" for side in self.form.split("."))
        a_dims, b_dims = (
            ("M", "K") if a_row else ("K", "M"),
            (("N", "K") if b_row else ("K", "N")),
        )
        a_box = (self.rows, self.depth) if a_row else (self.depth, self.rows)
        b_box = (self.cols, self.depth) if b_row else (self.depth, self.cols)
        a_at, b_at = (
            "%bm, %k" if a_row else "%k, %bm",
            "%bn, %k" if b_row else "%k, %bn",
        )
        acc = f"!croq.acc<{self.rows}x{self.cols}x{self.acc}>"
        tile = f"{self.rows}x{self.cols}x{self.out}"
        wish = "attributes {warp_products} " if self.by_warps else ""
        if self.direct:
            buffer, store = "", "croq.mma.store %acc => %o"
        else:
            buffer = f"%o_s = croq.alloc : !croq.tile<{tile}, shared>"
            store = "croq.mma.store %acc => %o_s\n croq.copy %o_s => %o"
        return f"""
builtin.module attributes {{croq.target = "{self.target}"}} {{
croq.kernel @product dims(M, N, K) (
    %lhs: !croq.tile<[{a_dims[0]}]x[{a_dims[1]}]x{self.operand}, global>,
    %rhs: !croq.tile<[{b_dims[0]}]x[{b_dims[1]}]x{self.operand}, global>,
    %out: !croq.tile<[M]x[N]x{self.out}, global>) {wish}{{
  %m_tiles = croq.cdiv M, {self.rows}
  %n_tiles = croq.cdiv N, {self.cols}
  %k_tiles = croq.cdiv K, {self.depth}
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads {self.threads} {{
    %a_s = croq.alloc : !croq.tile<{a_box[0]}x{a_box[1]}x{self.operand}, shared>
    %b_s = croq.alloc : !croq.tile<{b_box[0]}x{b_box[1]}x{self.operand}, shared>
    {buffer}
    %zero = croq.mma.fill {self.start} : {acc}
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {{
      %a = croq.subspan %lhs [{a_box[0]}, {a_box[1]}] tile ({a_at})
      %b = croq.subspan %rhs [{b_box[0]}, {b_box[1]}] tile ({b_at})
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec {self.form} %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : {acc}
    }}
    %o = croq.subspan %out [{self.rows}, {self.cols}] tile (%bm, %bn)
    {store}
  }}
}}
}}
"""

    def check(
        self,
        shape: tuple[int, int, int],
        *,
        level: str = "nvvm",
        policy: str = "rr",
        text: str | None = None,
    ) -> None:
        """Run it, or a text made of it, on random data and compare."""
        arrays, check = self.data(shape)
        simulate(
            text or self.text, *arrays, level=level, options=Options(policy)
        ).check()
        check()

    def data(
        self, shape: tuple[int, int, int], slack: float = 1
    ) -> tuple[tuple[NDArray[Any], ...], Callable[[], None]]:
        """Random operands and an output, and what compares it with the product.

        Errors may be `slack` times what rounding of sums in f32 explains. Tensor cores
        cut sums off instead (Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of
        NVIDIA tensor cores, 2021): up to 4.4 times was seen on an H200.
        """
        m, n, k = shape
        rng = np.random.default_rng(m * n + k)
        a_row, b_row = (side == "row" for side in self.form.split("."))
        lhs = self._random(rng, (m, k) if a_row else (k, m))
        rhs = self._random(rng, (n, k) if b_row else (k, n))
        out = np.full((m, n), -77, DTYPES[self.out])
        left = self._wide(lhs if a_row else lhs.T)
        right = self._wide(rhs.T if b_row else rhs)
        wanted = left @ right + float(self.start)
        unit = EPSILONS[self.out] * (1 + k / 8 if self.acc == "f16" else 1)
        bound = slack * unit * (np.abs(wanted) + 0.1 * np.sqrt(k + 1))

        def check() -> None:
            if self.out == "i32":
                np.testing.assert_array_equal(out, wanted.astype(np.int64))
                return
            error = np.abs(out.astype(np.float64) - wanted)
            assert (error <= bound).all(), float((error / bound).max())

        return (lhs, rhs, out), check

    def _random(self, rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[Any]:
        if self.operand == "i8":
            return rng.integers(-128, 128, shape).astype(np.int8)
        return rng.standard_normal(shape).astype(DTYPES[self.operand])

    def _wide(self, values: NDArray[Any]) -> NDArray[np.float64]:
        if self.operand == "f32":
            bits = np.ascontiguousarray(values).view(np.uint32) & np.uint32(0xFFFFE000)
            values = bits.view(np.float32)
        return values.astype(np.float64)
