"""Kernels whose threads and warps have tiles of their own."""

from __future__ import annotations


def running_sums(element: str = "f32", *, dynamic: bool = False) -> str:
    """
    y[m, j] += x[k, m, j] over k, the sums of 40 rows in registers of 40 of 64 threads.

    Every second step also exchanges the first two elements. `dynamic`: the loops over
    the elements are not unrolled, so that the tile is in local memory.
    """
    kind = "i" if element.startswith("i") else "f"
    wide = "unroll 1" if dynamic else ""
    zero = "0" if kind == "i" else "0.0"
    return f"""
croq.kernel @k dims(K, M) (
    %x: !croq.tile<[K]x[M]x8x{element}, global>,
    %y: !croq.tile<[M]x8x{element}, global>) {{
  %n = croq.cdiv M, 40
  croq.parallel (%b) in (%n) : block threads 64 {{
    %s = croq.alloc : !croq.tile<1x40x8x{element}, shared>
    %sums = croq.alloc : !croq.tile<8x{element}, register>
    croq.parallel (%t) in (40) : thread {{
      croq.fill %sums, {zero}
    }}
    croq.foreach %k in K {{
      %x_t = croq.subspan %x [1, 40, 8] tile (%k, %b, 0)
      croq.copy %x_t => %s
      croq.parallel (%t) in (40) : thread {{
        croq.foreach %j in 8 {wide} {{
          %u = croq.load %s[0, %t, %j]
          %v = croq.load %sums[%j]
          %w = arith.add{kind} %u, %v : {element}
          croq.store %w, %sums[%j]
        }}
        %two = arith.constant 2 : index
        %zero = arith.constant 0 : index
        %odd = arith.remui %k, %two : index
        %even = arith.cmpi eq, %odd, %zero : index
        scf.if %even {{
          %p = croq.load %sums[0]
          %q = croq.load %sums[1]
          croq.store %q, %sums[0]
          croq.store %p, %sums[1]
        }}
      }}
    }}
    %y_t = croq.subspan %y [40, 8] tile (%b, 0)
    croq.parallel (%t) in (40) : thread {{
      %mine = croq.subspan %y_t [1, 8] tile (%t, 0)
      %row = croq.squeeze %mine [0]
      croq.copy %sums => %row
    }}
  }}
}}
"""


OPS = """
croq.kernel @k dims(M, N) params(R = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[N]x[M]xf32, global>,
    %z: !croq.tile<[M]xf32, global>) {
  %n = croq.cdiv M, 64
  croq.parallel (%b) in (%n) : block {
    %s = croq.alloc : !croq.tile<64x5xf32, shared>
    %xt = croq.subspan %x [64, 5] tile (%b, 0)
    croq.copy %xt => %s
    croq.parallel (%t) in (32) : thread {
      %r = croq.alloc : !croq.tile<[R]x5xf32, register>
      %q = croq.alloc : !croq.tile<5xf32, register>
      %m = croq.alloc : !croq.tile<[R]xf32, register>
      croq.fill %q, 1.5
      %mine = croq.subspan %s [R, 5] tile (%t, 0)
      croq.copy %mine => %r
      croq.foreach %k in 3 {
        croq.elementwise (%a = %r, %c = %q along [1]) => %r {
          %d = arith.addf %a, %c : f32
          croq.yield %d : f32
        }
      }
      %at = croq.compose %b, %t
      %xr = croq.subspan %x [R, 5] tile (%at, 0)
      croq.elementwise (%a = %r, %c = %xr) at (%i, %j) => %mine {
        %i32 = arith.index_cast %i : index to i32
        %row = arith.sitofp %i32 : i32 to f32
        %d = arith.subf %a, %c : f32
        %e = arith.addf %d, %row : f32
        croq.yield %e : f32
      }
      croq.reduce max %xr dim 1 => %m
      %zt = croq.subspan %z [R] tile (%at)
      croq.copy %m => %zt
      %yt = croq.subspan %y [5, R] tile (0, %at)
      croq.copy %r => %yt transpose(1, 0)
    }
    %xs = croq.subspan %x [64, 5] tile (%b, 0)
    croq.copy %s => %xs
  }
}
"""
"""Fill, copy, transpose, compute and reduce by single threads, of ragged tiles: y is x
transposed plus 4.5, z the largest of a row of x, x becomes 4.5 plus a row number."""


def warp_rows(element: str = "f32", cols: int = 44) -> str:
    """
    Each warp adds its number to four rows, and subtracts the sum of each; z are these.

    Sums are of rows as far as they are in range, in f32.
    """
    kind = "i" if element.startswith("i") else "f"
    number = "%wi" if element == "i32" else "%wf"
    narrow = (
        ""
        if element in ("f32", "i32")
        else (f"%wh = arith.truncf %wf : f32 to {element}")
    )
    number = number if not narrow else "%wh"
    return f"""
croq.kernel @k dims(M, N) (
    %x: !croq.tile<[M]x[N]x{element}, global>,
    %y: !croq.tile<[M]x[N]x{element}, global>,
    %z: !croq.tile<[M]x{element}, global>) {{
  %n = croq.cdiv M, 16
  croq.parallel (%b) in (%n) : block {{
    %s = croq.alloc : !croq.tile<16x{cols}x{element}, shared>
    %h = croq.alloc : !croq.tile<4x4x{element}, shared>
    %xt = croq.subspan %x [16, {cols}] tile (%b, 0)
    croq.copy %xt => %s
    croq.parallel (%w) in (4) : warp {{
      %mine = croq.subspan %s [4, {cols}] tile (%w, 0)
      %row = croq.subspan %h [1, 4] tile (%w, 0)
      %sums = croq.squeeze %row [0]
      %wi = arith.index_cast %w : index to i32
      %wf = arith.sitofp %wi : i32 to f32
      {narrow}
      croq.elementwise (%a = %mine) => %mine {{
        %d = arith.add{kind} %a, {number} : {element}
        croq.yield %d : {element}
      }}
      croq.reduce add %mine dim 1 => %sums
      croq.elementwise (%a = %mine, %c = %sums along [0]) => %mine {{
        %d = arith.sub{kind} %a, %c : {element}
        croq.yield %d : {element}
      }}
      %at = croq.compose %b, %w
      %zt = croq.subspan %z [4] tile (%at)
      croq.copy %sums => %zt
      %yt = croq.subspan %y [4, {cols}] tile (%at, 0)
      croq.copy %mine => %yt
    }}
  }}
}}
"""


def warpgroup_rows(rows: int = 2, cols: int = 100, *, in_role: bool = False) -> str:
    """
    Each of two warpgroups, in turns, scales rows by the largest of each, and sums them.

    y = x / (max(x) + 1) of the row, z is the sum of a row of y, c of a column of the
    rows of a warpgroup; in f32. Rows that are out of range are 0.
    """
    role, end = ('croq.role "work" warpgroups [1, 3) {', "}") if in_role else ("", "")
    return f"""
croq.kernel @k dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]xf32, global>, %c: !croq.tile<[M]x[N]xf32, global>) {{
  %n = croq.cdiv M, {4 * rows}
  croq.parallel (%b) in (%n) : block threads {384 if in_role else 256} {{
    %s = croq.alloc : !croq.tile<{2 * rows}x{cols}xf32, shared>
    %h = croq.alloc : !croq.tile<2x{rows}xf32, shared>
    %k = croq.alloc : !croq.tile<2x{cols}xf32, shared>
    %l = croq.alloc : !croq.tile<2x{cols}xf32, shared>
    {role}
      croq.parallel (%g) in (2) : warpgroup {{
        %mine = croq.subspan %s [{rows}, {cols}] tile (%g, 0)
        %part = croq.subspan %h [1, {rows}] tile (%g, 0)
        %of_row = croq.squeeze %part [0]
        %line = croq.subspan %k [1, {cols}] tile (%g, 0)
        %of_col = croq.squeeze %line [0]
        %other = croq.subspan %l [1, {cols}] tile (%g, 0)
        %least = croq.squeeze %other [0]
        croq.foreach %i in 2 {{
          %two = croq.compose %b, %i
          %gw = croq.with 2 at %g
          %at = croq.compose %two, %gw
          %xt = croq.subspan %x [{rows}, {cols}] tile (%at, 0)
          croq.copy %xt => %mine
          croq.reduce max %mine dim 1 => %of_row
          croq.elementwise (%a = %mine, %m = %of_row along [0]) => %mine {{
            %one = arith.constant 1.0 : f32
            %more = arith.addf %m, %one : f32
            %d = arith.divf %a, %more : f32
            croq.yield %d : f32
          }}
          croq.reduce add %mine dim 1 => %of_row
          croq.reduce add %mine dim 0 => %of_col
          %zt = croq.subspan %z [{rows}] tile (%at)
          croq.copy %of_row => %zt
          %yt = croq.subspan %y [{rows}, {cols}] tile (%at, 0)
          croq.copy %mine => %yt
          %ct = croq.subspan %c [1, {cols}] tile (%at, 0)
          %cr = croq.squeeze %ct [0]
          croq.copy %of_col => %cr
          croq.reduce min %mine dim 0 => %least
        }}
      }}
    {end}
  }}
}}
"""


def vector_rows(element: str = "f32", cols: int = 8, pitch: int | None = None) -> str:
    """
    Rows of x doubled, by way of registers and shared memory: y is twice x.

    `pitch` elements are from one row of the shared buffer to the next.
    """
    kind = "i" if element.startswith("i") else "f"
    pitch = cols if pitch is None else pitch
    return f"""
croq.kernel @k (%x: !croq.tile<64x{cols}x{element}, global>,
    %y: !croq.tile<64x{cols}x{element}, global>) {{
  croq.parallel (%b) in (1) : block threads 64 {{
    %all = croq.alloc : !croq.tile<64x{pitch}x{element}, shared, row_major>
    %s = croq.subspan %all [64, {cols}] tile (0, 0)
    croq.parallel (%t) in (64) : thread {{
      %r = croq.alloc : !croq.tile<1x{cols}x{element}, register>
      %from = croq.subspan %x [1, {cols}] tile (%t, 0)
      %mine = croq.subspan %s [1, {cols}] tile (%t, 0)
      croq.copy %from => %r
      croq.copy %r => %mine
    }}
    croq.parallel (%t) in (64) : thread {{
      %r = croq.alloc : !croq.tile<1x{cols}x{element}, register>
      %last = arith.constant 63 : index
      %other = arith.subi %last, %t : index
      %theirs = croq.subspan %s [1, {cols}] tile (%other, 0)
      %to = croq.subspan %y [1, {cols}] tile (%other, 0)
      croq.copy %theirs => %r
      croq.elementwise (%v = %r) => %r {{
        %w = arith.add{kind} %v, %v : {element}
        croq.yield %w : {element}
      }}
      croq.copy %r => %to
    }}
  }}
}}
"""
