"""A kernel for arrays of jax, on a device and on the host."""

from __future__ import annotations

import croqtile_mlir as croq
from croqtile_mlir.builder import KernelBuilder


def copied(dtype: str, *, returned: bool) -> croq.Kernel:
    """y = x, tile by tile, into an argument or a new tile."""
    k = KernelBuilder("same", dims={"M": 1, "N": 8})
    x = k.argument("x", dtype, "M", "N")
    if returned:
        y = k.alloc(dtype, "M", "N", space="global")
    else:
        y = k.argument("y", dtype, "M", "N")
    with k.parallel(k.cdiv("M", 16), k.cdiv("N", 16), threads=32) as at:
        buffer = k.alloc(dtype, 16, 16)
        k.copy(k.subspan(x, [16, 16], at), buffer)
        k.copy(buffer, k.subspan(y, [16, 16], at))
    if returned:
        k.returns(y)
    return croq.compile(k)
