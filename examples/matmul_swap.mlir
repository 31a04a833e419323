// out = lhs * rhs for 32-bit integers, element by element: each of the 16x16 threads of a block
// computes one element of a tile of the output. The tiles of both operands go through two
// buffers each, whose futures a loop carries and `croq.swap` exchanges; no bytes move.
//
// prologue:     the first tiles are loaded
// steady state: the next tiles are loaded into the other buffers, the current ones multiplied,
//               then the names are exchanged
// epilogue:     the last tiles are multiplied
//
// The ops of a block are sequential, its threads are not: `--insert-barriers` puts in the barrier
// that keeps the refill of a buffer from overtaking threads that still read it.
//
//   croq-run examples/matmul_swap.mlir --size M=100,N=77,K=50 --check

croq.kernel @matmul_swap dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xi32, global>,
    %rhs: !croq.tile<[K]x[N]xi32, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[k, n]"} {
  %out = croq.alloc : !croq.tile<[M]x[N]xi32, global>
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 16
  %k_tiles = croq.cdiv K, 16
  croq.parallel (%px, %py) in (%m_tiles, %n_tiles) : block {
    // Sums start at zero, one for each thread.
    %sums = croq.alloc : !croq.tile<16x16xi32, shared>
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %zero = arith.constant 0 : i32
      croq.store %zero, %sums[%qx, %qy]
    }

    // Prologue.
    %lf0 = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %rf0 = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %l0 = croq.subspan %lhs [16, 16] tile (%px, 0)
    %r0 = croq.subspan %rhs [16, 16] tile (0, %py)
    %l0_s = croq.data %lf0
    %r0_s = croq.data %rf0
    croq.copy %l0 => %l0_s
    croq.copy %r0 => %r0_s
    %lf1 = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %rf1 = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>

    // Steady state.
    %lf, %l_free, %rf, %r_free = croq.foreach %tile_k in 1 to %k_tiles iter(%l = %lf0, %l_next = %lf1, %r = %rf0, %r_next = %rf1) {
      %lt = croq.subspan %lhs [16, 16] tile (%px, %tile_k)
      %rt = croq.subspan %rhs [16, 16] tile (%tile_k, %py)
      %l_fill = croq.data %l_next
      %r_fill = croq.data %r_next
      croq.copy %lt => %l_fill
      croq.copy %rt => %r_fill

      %a = croq.data %l
      %b = croq.data %r
      croq.parallel (%qx, %qy) in (16, 16) : thread {
        %before = croq.load %sums[%qx, %qy]
        %sum = croq.foreach %k in 16 iter(%s = %before) {
          %x = croq.load %a[%qx, %k]
          %y = croq.load %b[%k, %qy]
          %xy = arith.muli %x, %y : i32
          %t = arith.addi %s, %xy : i32
          croq.yield %t : i32
        }
        croq.store %sum, %sums[%qx, %qy]
      }

      %l1, %l2 = croq.swap %l, %l_next
      %r1, %r2 = croq.swap %r, %r_next
      croq.yield %l1, %l2, %r1, %r2 : !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>
    }

    // Epilogue.
    %a = croq.data %lf
    %b = croq.data %rf
    croq.parallel (%qx, %qy) in (16, 16) : thread {
      %before = croq.load %sums[%qx, %qy]
      %sum = croq.foreach %k in 16 iter(%s = %before) {
        %x = croq.load %a[%qx, %k]
        %y = croq.load %b[%k, %qy]
        %xy = arith.muli %x, %y : i32
        %t = arith.addi %s, %xy : i32
        croq.yield %t : i32
      }
      croq.store %sum, %sums[%qx, %qy]
    }
    %o = croq.subspan %out [16, 16] tile (%px, %py)
    croq.copy %sums => %o
  }
  croq.return %out : !croq.tile<[M]x[N]xi32, global>
}
