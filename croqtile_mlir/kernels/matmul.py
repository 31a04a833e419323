"""
The plain product of two matrices: a tile of the result for each block.

What it says is `examples/matmul.mlir`, for other layouts and element types, too. It is
the start of every schedule of `matmul_schedules`; no other kernel multiplies matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Engine = Literal["auto", "tma", "threads"]


@dataclass(frozen=True)
class PlainMatmul:
    """out[M, N] = lhs * rhs. Builds the module of one kernel `matmul`."""

    dtype: str = "f16"
    """Element type of the operands: f16 or bf16."""

    out_dtype: str = "f16"
    """Element type of the result: f16, bf16 or f32. Sums are f32."""

    lhs_by_k: bool = True
    """lhs is [M]x[K], K contiguous; else [K]x[M]."""

    rhs_by_k: bool = True
    """rhs is [N]x[K], K contiguous; else [K]x[N]."""

    lhs_engine: Engine = "auto"
    rhs_engine: Engine = "auto"
    out_engine: Engine = "auto"
    """What copies: open, TMA (address and pitch checked at launch), or threads."""

    multiple: int = 8
    """What the extents that are contiguous in some tile are multiples of."""

    @property
    def key(self) -> str:
        """Names the kernel and its options."""
        parts = [self.dtype, self.out_dtype, self._form, str(self.multiple)]
        engines = (self.lhs_engine, self.rhs_engine, self.out_engine)
        return "-".join(["matmul", *parts, *engines])

    @property
    def kind(self) -> str:
        """Element types and layouts: what searched schedules are kept for."""
        return f"{self.dtype}-{self.out_dtype}-{self._form}"

    @property
    def _form(self) -> str:
        a, b = ("row" if k else "col" for k in (self.lhs_by_k, self.rhs_by_k))
        return f"{a}.{b}"

    def build(self) -> ModuleOp:
        """The module, with parameters BM, BN, BK and dims M, N, K."""
        from croqtile_mlir.builder import KernelBuilder
        from croqtile_mlir.dialects.croq import Engine as EngineKind

        inner = {"K" if self.lhs_by_k else "M", "K" if self.rhs_by_k else "N", "N"}
        k = KernelBuilder(
            "matmul",
            dims={d: self.multiple if d in inner else 1 for d in ("M", "N", "K")},
            params={"BM": 128, "BN": 256, "BK": 64},
            reference=self._reference,
        )
        lhs_tile = ["BM", "BK"] if self.lhs_by_k else ["BK", "BM"]
        rhs_tile = ["BN", "BK"] if self.rhs_by_k else ["BK", "BN"]
        lhs = k.argument("lhs", self.dtype, *(name[1:] for name in lhs_tile))
        rhs = k.argument("rhs", self.dtype, *(name[1:] for name in rhs_tile))
        out = k.argument("out", self.out_dtype, "M", "N")
        m_tiles, n_tiles = k.cdiv("M", "BM"), k.cdiv("N", "BN")
        k_tiles = k.cdiv("K", "BK")
        with k.parallel(m_tiles, n_tiles, threads=256) as (bm, bn):
            a_s, b_s = k.alloc(self.dtype, *lhs_tile), k.alloc(self.dtype, *rhs_tile)
            o_s = k.alloc(self.out_dtype, "BM", "BN")
            zero = k.fill(0.0, "BM", "BN")
            with k.foreach(k_tiles, init=[zero]) as loop:
                (acc,), at = loop.carried, loop.index
                a_at = [bm, at] if self.lhs_by_k else [at, bm]
                b_at = [bn, at] if self.rhs_by_k else [at, bn]
                a, b = k.subspan(lhs, lhs_tile, a_at), k.subspan(rhs, rhs_tile, b_at)
                k.copy(a, a_s, EngineKind(self.lhs_engine))
                k.copy(b, b_s, EngineKind(self.rhs_engine))
                loop.next = (k.wait(k.commit(k.mma(acc, a_s, b_s, self._form))),)
            k.store(loop.results[0], o_s)
            o = k.subspan(out, ["BM", "BN"], [bm, bn])
            k.copy(o_s, o, EngineKind(self.out_engine))
        return k.module()

    @property
    def _reference(self) -> str:
        lhs = "lhs[m, k]" if self.lhs_by_k else "lhs[k, m]"
        rhs = "rhs[n, k]" if self.rhs_by_k else "rhs[k, n]"
        return f"out[m, n] += {lhs} * {rhs}"
