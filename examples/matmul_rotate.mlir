// out = lhs * rhs for f16, element by element, with sums in f32: the tiles of both operands go
// through three buffers each, and two loads are ahead of the tile that is multiplied.
// `croq.rotate` gives the futures their new names; no bytes move.
//
// prologue:     the first two tiles are under way
// steady state: the next but one is started into the free buffer, the current one awaited and
//               multiplied, then the names are rotated
// epilogue:     the last two tiles are awaited and multiplied; what is beyond K is zero
//
//   croq-run examples/matmul_rotate.mlir --size M=100,N=77,K=50 --check

croq.kernel @matmul_rotate dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[K]x[N]xf16, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[k, n]"} {
  %out = croq.alloc : !croq.tile<[M]x[N]xf16, global>
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  %k_tiles = croq.cdiv K, 16
  croq.parallel (%px, %py) in (%m_tiles, %n_tiles) : block {
    // Sums start at zero, one for each thread.
    %sums = croq.alloc : !croq.tile<16x16xf32, shared>
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %zero = arith.constant 0.0 : f32
      croq.store %zero, %sums[%qx, %qy]
    }

    // Prologue.
    %le0 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>
    %re0 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>
    %l0 = croq.subspan %lhs [16, 16] tile (%px, 0)
    %r0 = croq.subspan %rhs [16, 16] tile (0, %py)
    %l0_s = croq.data %le0
    %r0_s = croq.data %re0
    %lf0 = croq.copy_async %l0 => %l0_s
    %rf0 = croq.copy_async %r0 => %r0_s
    %le1 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>
    %re1 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>
    %l1 = croq.subspan %lhs [16, 16] tile (%px, 1)
    %r1 = croq.subspan %rhs [16, 16] tile (1, %py)
    %l1_s = croq.data %le1
    %r1_s = croq.data %re1
    %lf1 = croq.copy_async %l1 => %l1_s
    %rf1 = croq.copy_async %r1 => %r1_s
    %lf2 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>
    %rf2 = croq.any : !croq.future<!croq.tile<16x16xf16, shared>>

    // Steady state.
    %lz0, %lz1, %lz2, %rz0, %rz1, %rz2 = croq.foreach %tile_k in 2 to %k_tiles iter(%l0f = %lf0, %l1f = %lf1, %l_free = %lf2, %r0f = %rf0, %r1f = %rf1, %r_free = %rf2) {
      %lt = croq.subspan %lhs [16, 16] tile (%px, %tile_k)
      %rt = croq.subspan %rhs [16, 16] tile (%tile_k, %py)
      %l_fill = croq.data %l_free
      %r_fill = croq.data %r_free
      %lf = croq.copy_async %lt => %l_fill
      %rf = croq.copy_async %rt => %r_fill

      croq.await %l0f
      croq.await %r0f
      %a = croq.data %l0f
      %b = croq.data %r0f
      croq.parallel (%qx, %qy) in (16, 16) : thread {
        %before = croq.load %sums[%qx, %qy]
        %sum = croq.foreach %k in 16 iter(%s = %before) {
          %x = croq.load %a[%qx, %k]
          %y = croq.load %b[%k, %qy]
          %xw = arith.extf %x : f16 to f32
          %yw = arith.extf %y : f16 to f32
          %xy = arith.mulf %xw, %yw : f32
          %t = arith.addf %s, %xy : f32
          croq.yield %t : f32
        }
        croq.store %sum, %sums[%qx, %qy]
      }

      %ln0, %ln1, %ln2 = croq.rotate %l0f, %l1f, %lf
      %rn0, %rn1, %rn2 = croq.rotate %r0f, %r1f, %rf
      croq.yield %ln0, %ln1, %ln2, %rn0, %rn1, %rn2 : !croq.future<!croq.tile<16x16xf16, shared>>, !croq.future<!croq.tile<16x16xf16, shared>>, !croq.future<!croq.tile<16x16xf16, shared>>, !croq.future<!croq.tile<16x16xf16, shared>>, !croq.future<!croq.tile<16x16xf16, shared>>, !croq.future<!croq.tile<16x16xf16, shared>>
    }

    // Epilogue.
    croq.await %lz0
    croq.await %rz0
    %a0 = croq.data %lz0
    %b0 = croq.data %rz0
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %before = croq.load %sums[%qx, %qy]
      %sum = croq.foreach %k in 16 iter(%s = %before) {
        %x = croq.load %a0[%qx, %k]
        %y = croq.load %b0[%k, %qy]
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %t = arith.addf %s, %xy : f32
        croq.yield %t : f32
      }
      croq.store %sum, %sums[%qx, %qy]
    }
    croq.await %lz1
    croq.await %rz1
    %a1 = croq.data %lz1
    %b1 = croq.data %rz1
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %before = croq.load %sums[%qx, %qy]
      %sum = croq.foreach %k in 16 iter(%s = %before) {
        %x = croq.load %a1[%qx, %k]
        %y = croq.load %b1[%k, %qy]
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %t = arith.addf %s, %xy : f32
        croq.yield %t : f32
      }
      croq.store %sum, %sums[%qx, %qy]
    }

    %out_s = croq.alloc : !croq.tile<16x16xf16, shared>
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %wide = croq.load %sums[%qx, %qy]
      %narrow = arith.truncf %wide : f32 to f16
      croq.store %narrow, %out_s[%qx, %qy]
    }
    %o = croq.subspan %out [16, 16] tile (%px, %py)
    croq.copy %out_s => %o
  }
  croq.return %out : !croq.tile<[M]x[N]xf16, global>
}
