// out = lhs * rhs for f32, element by element, as matmul_swap.mlir, with copies that run while
// threads multiply: `croq.copy_async` gives a future, and the loop carries it. The copy of the
// next tiles is started before the current ones are awaited.
//
// prologue:     the first tiles are under way
// steady state: the next tiles are started into the other buffers, the current ones awaited
//               and multiplied, then the names are exchanged
// epilogue:     the last tiles are awaited and multiplied
//
// Before a buffer is filled again all threads have read it: that barrier is the one of
// `--insert-barriers`. Where extents allow TMA (`dims(M multiple_of 4, ..)`), it makes the loads,
// and futures become mbarriers.
//
//   croq-run examples/matmul_swap_async.mlir --size M=100,N=77,K=50 --check

croq.kernel @matmul_swap_async dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf32, global>,
    %rhs: !croq.tile<[K]x[N]xf32, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[k, n]"} {
  %out = croq.alloc : !croq.tile<[M]x[N]xf32, global>
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
    %le0 = croq.any : !croq.future<!croq.tile<16x16xf32, shared>>
    %re0 = croq.any : !croq.future<!croq.tile<16x16xf32, shared>>
    %l0 = croq.subspan %lhs [16, 16] tile (%px, 0)
    %r0 = croq.subspan %rhs [16, 16] tile (0, %py)
    %l0_s = croq.data %le0
    %r0_s = croq.data %re0
    %lf0 = croq.copy_async %l0 => %l0_s
    %rf0 = croq.copy_async %r0 => %r0_s
    %lf1 = croq.any : !croq.future<!croq.tile<16x16xf32, shared>>
    %rf1 = croq.any : !croq.future<!croq.tile<16x16xf32, shared>>

    // Steady state.
    %lz0, %lz1, %rz0, %rz1 = croq.foreach %tile_k in 1 to %k_tiles iter(%l = %lf0, %l_next = %lf1, %r = %rf0, %r_next = %rf1) {
      %lt = croq.subspan %lhs [16, 16] tile (%px, %tile_k)
      %rt = croq.subspan %rhs [16, 16] tile (%tile_k, %py)
      %l_fill = croq.data %l_next
      %r_fill = croq.data %r_next
      %lf = croq.copy_async %lt => %l_fill
      %rf = croq.copy_async %rt => %r_fill

      croq.await %l
      croq.await %r
      %a = croq.data %l
      %b = croq.data %r
      croq.parallel (%qx, %qy) in (16, 16) : thread {
        %before = croq.load %sums[%qx, %qy]
        %sum = croq.foreach %k in 16 iter(%s = %before) {
          %x = croq.load %a[%qx, %k]
          %y = croq.load %b[%k, %qy]
          %xy = arith.mulf %x, %y : f32
          %t = arith.addf %s, %xy : f32
          croq.yield %t : f32
        }
        croq.store %sum, %sums[%qx, %qy]
      }

      %l1, %l2 = croq.swap %l, %lf
      %r1, %r2 = croq.swap %r, %rf
      croq.yield %l1, %l2, %r1, %r2 : !croq.future<!croq.tile<16x16xf32, shared>>, !croq.future<!croq.tile<16x16xf32, shared>>, !croq.future<!croq.tile<16x16xf32, shared>>, !croq.future<!croq.tile<16x16xf32, shared>>
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
        %xy = arith.mulf %x, %y : f32
        %t = arith.addf %s, %xy : f32
        croq.yield %t : f32
      }
      croq.store %sum, %sums[%qx, %qy]
    }
    %o = croq.subspan %out [16, 16] tile (%px, %py)
    croq.copy %sums => %o
  }
  croq.return %out : !croq.tile<[M]x[N]xf32, global>
}
