"""Kernels whose loops carry futures: sums of the rows of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

_FUTURE = "!croq.future<!croq.tile<64x32xf32, shared>>"
_SUMS = """
croq.parallel (%row) in (64) : thread {
  %before = croq.load %sums_s[%row]
  %sum = croq.foreach %col in 32 iter(%s = %before) {
    %x = croq.load %TILE[%row, %col]
    %u = arith.addf %s, %x : f32
    croq.yield %u : f32
  }
  croq.store %sum, %sums_s[%row]
}
"""


@dataclass(frozen=True)
class RowSums:
    """
    `sums[m] = sum of in[m, k]`: tiles of 32 columns go through `stages` buffers.

    The loads of the next `ahead` tiles are in flight while a tile is added up; tiles
    beyond the matrix are zero. `late` awaits a tile after its sums: a mistake.
    """

    stages: int
    ahead: int
    engine: str = "auto"
    late: bool = False

    @property
    def text(self) -> str:
        """The kernel."""
        names = range(self.stages)
        loads = "".join(self._load(i) for i in range(self.ahead))
        loads += "".join(f"%f{i} = croq.any : {_FUTURE}\n" for i in names[self.ahead :])
        carried = ", ".join(f"%c{i} = %f{i}" for i in names)
        moved = [f"%c{i}" for i in names]
        moved[self.ahead] = "%next"
        permute = "swap" if self.stages == 2 else "rotate"
        rotated = ", ".join(f"%r{i}" for i in names)
        results = ", ".join(f"%l{i}" for i in names)
        types = ", ".join([_FUTURE] * self.stages)
        wait, sums = "croq.await %c0\n", _SUMS.replace("%TILE", "%tile")
        drain = "".join(f"croq.await %l{i}\n" for i in range(self.ahead))
        return f"""
croq.kernel @row_sums dims(M multiple_of 4, K multiple_of 4) (
    %in: !croq.tile<[M]x[K]xf32, global>, %out: !croq.tile<[M]xf32, global>) {{
  %m_tiles = croq.cdiv M, 64
  %k_tiles = croq.cdiv K, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {{
    %sums_s = croq.alloc : !croq.tile<64xf32, shared>
    croq.parallel (%row) in (64) : thread {{
      %zero = arith.constant 0.0 : f32
      croq.store %zero, %sums_s[%row]
    }}
    {loads}
    {results} = croq.foreach %k in 1 to %k_tiles iter({carried}) {{
      %ahead = arith.constant {self.ahead - 1} : index
      %later = arith.addi %k, %ahead : index
      %t = croq.subspan %in [64, 32] tile (%bm, %later)
      %d = croq.data %c{self.ahead}
      %next = croq.copy_async %t => %d engine({self.engine})
      %tile = croq.data %c0
      {sums + wait if self.late else wait + sums}
      {rotated} = croq.{permute} {", ".join(moved)}
      croq.yield {rotated} : {types}
    }}
    {drain}
    %last = croq.data %l0
    {_SUMS.replace("%TILE", "%last")}
    %o = croq.subspan %out [64] tile (%bm)
    croq.copy %sums_s => %o engine(threads)
  }}
}}
"""

    def _load(self, number: int) -> str:
        return f"""
%t{number} = croq.subspan %in [64, 32] tile (%bm, {number})
%a{number} = croq.alloc : !croq.tile<64x32xf32, shared>
%f{number} = croq.copy_async %t{number} => %a{number} engine({self.engine})
"""
