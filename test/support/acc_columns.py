"""Products whose accumulators are reduced along their columns."""

from __future__ import annotations


def column_sums(
    rows: int,
    cols: int,
    *,
    threads: int = 128,
    by_warps: bool = False,
    extent: int | str | None = None,
    once: bool = False,
) -> str:
    """
    The products of some pairs of matrices, and the sum and the largest of each column.

    `sums` and `most` have `extent` columns, which may be fewer than there are. `once`:
    all are of the first pair.
    """
    loop = "croq.foreach %s in S {"
    around, inside = ("", loop) if once else (loop, "")
    at = "0" if once else "%s"
    attributes = "attributes {warp_products}" if by_warps else ""
    extent = cols if extent is None else extent
    dims = f"S, {extent}" if isinstance(extent, str) else "S"
    name = f"[{extent}]" if isinstance(extent, str) else extent
    return f"""
croq.kernel @k dims({dims}) (%a: !croq.tile<[S]x{rows}x16xf16, global>,
    %b: !croq.tile<[S]x{cols}x16xf16, global>,
    %c: !croq.tile<[S]x{rows}x{cols}xf32, global>,
    %sums: !croq.tile<[S]x{name}xf32, global>,
    %most: !croq.tile<[S]x{name}xf32, global>) {attributes} {{
  croq.parallel (%block) in (1) : block threads {threads} {{
    %a_s = croq.alloc : !croq.tile<{rows}x16xf16, shared>
    %b_s = croq.alloc : !croq.tile<{cols}x16xf16, shared>
    {around}
      %a_t = croq.subspan %a [1, {rows}, 16] tile ({at}, 0, 0)
      %b_t = croq.subspan %b [1, {cols}, 16] tile ({at}, 0, 0)
      %a_m = croq.squeeze %a_t [0]
      %b_m = croq.squeeze %b_t [0]
      croq.copy %a_m => %a_s engine(threads)
      croq.copy %b_m => %b_s engine(threads)
      %c0 = croq.mma.fill 0.0 : !croq.acc<{rows}x{cols}xf32>
      %c1 = croq.mma.exec row.row %c0, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %acc = croq.mma.wait %c2 in_flight 0
      {inside}
      %sums_t = croq.subspan %sums [1, {cols}] tile (%s, 0)
      %most_t = croq.subspan %most [1, {cols}] tile (%s, 0)
      %sum = croq.squeeze %sums_t [0]
      %top = croq.squeeze %most_t [0]
      croq.reduce add %acc dim 0 => %sum
      croq.reduce max %acc dim 0 => %top
      %c_t = croq.subspan %c [1, {rows}, {cols}] tile (%s, 0, 0)
      %c_m = croq.squeeze %c_t [0]
      croq.mma.store %acc => %c_m
    }}
  }}
}}
"""
