"""The seed kernel, built from Python: one warpgroup loads, another one multiplies.

    python examples/build_matmul.py

builds the kernel of matmul_1p1c.mlir, prints it, proves that it synchronises (compiling
does), runs it in the simulator, and on a device if there is one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import croqtile_mlir as croq
from croqtile_mlir.builder import KernelBuilder


def build() -> KernelBuilder:
    """out[M, N] = lhs[M, K] * rhs[N, K]^T in f16, sums in f32."""
    # Named dims are bound at launch, parameters when the kernel is compiled.
    k = KernelBuilder(
        "matmul_1p1c",
        dims={"M": 1, "N": 1, "K": 1},
        params={"S": 4},
        reference="out[m, n] += lhs[m, k] * rhs[n, k]",
    )
    lhs = k.argument("lhs", "f16", "M", "K")
    rhs = k.argument("rhs", "f16", "N", "K")
    out = k.argument("out", "f16", "M", "N")
    m_tiles, n_tiles = k.cdiv("M", 128), k.cdiv("N", 128)
    k_tiles = k.cdiv("K", 64)
    with k.parallel(m_tiles, n_tiles) as (bm, bn):
        # Slot s of the ring is full: loaded; empty: its reader is done.
        full, empty = k.event("S"), k.event("S")
        a_ring, b_ring = k.alloc("f16", "S", 128, 64), k.alloc("f16", "S", 128, 64)
        o_s = k.alloc("f16", 128, 128)

        with k.role("producer", 0, 1, registers=40), k.foreach(k_tiles) as loop:
            step = loop.index
            k.wait_for(empty, step)
            a = k.subspan(lhs, [128, 64], [bm, step])
            b = k.subspan(rhs, [128, 64], [bn, step])
            a_s, b_s = k.slot(a_ring, step), k.slot(b_ring, step)
            copies = [k.copy_async(a, a_s, "tma"), k.copy_async(b, b_s, "tma")]
            k.trigger(full, step, after=copies)

        with k.role("consumer", 1, 2, registers=232):
            # Every slot is empty at first; without this the producer waits for ever.
            with k.foreach("S") as loop:
                k.trigger(empty, loop.index)
            with k.foreach(k_tiles, init=[k.fill(0.0, 128, 128)]) as loop:
                (acc,), step = loop.carried, loop.index
                k.wait_for(full, step)
                a_s, b_s = k.slot(a_ring, step), k.slot(b_ring, step)
                acc = k.wait(k.commit(k.mma(acc, a_s, b_s)))
                k.trigger(empty, step, "S")
                loop.next = (acc,)
            k.store(loop.results[0], o_s)
            k.copy(o_s, k.subspan(out, [128, 128], [bm, bn]), "tma")
    return k


def main() -> None:
    """Build, print, prove, run, compare."""
    kernel = croq.compile(build(), params={"S": 3})
    print(kernel.ir())
    print(kernel)

    rng = np.random.default_rng(0)
    a = rng.normal(size=(200, 320)).astype(np.float16)
    b = rng.normal(size=(136, 320)).astype(np.float16)
    expected = a.astype(np.float64) @ b.T.astype(np.float64)
    runs: dict[str, Callable[..., object]] = {"simulator": kernel.simulate}
    if croq.runtime.available():
        runs["device"] = kernel
    for name, run in runs.items():
        out = np.zeros((200, 136), np.float16)
        run(a, b, out)
        error = np.linalg.norm(out - expected) / np.linalg.norm(expected)
        print(f"{name}: relative error {error:.1e}")


if __name__ == "__main__":
    main()
