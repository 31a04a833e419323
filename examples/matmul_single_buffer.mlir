// out = lhs * rhs for f32, element by element: each of the 16x16 threads of a block computes one
// element of a tile of the output. One buffer for each operand, filled and then read. The passes
// make the loads run ahead:
//
//   croq-opt --pipeline-loop=stages=3 examples/matmul_single_buffer.mlir
//
//   croq-run examples/matmul_single_buffer.mlir --size M=100,N=77,K=50 --check

croq.kernel @matmul_single_buffer dims(M, N, K) (
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

    %a = croq.alloc : !croq.tile<16x16xf32, shared>
    %b = croq.alloc : !croq.tile<16x16xf32, shared>
    croq.foreach %tile_k in %k_tiles {
      %lt = croq.subspan %lhs [16, 16] tile (%px, %tile_k)
      %rt = croq.subspan %rhs [16, 16] tile (%tile_k, %py)
      croq.copy %lt => %a
      croq.copy %rt => %b
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
    }
    %o = croq.subspan %out [16, 16] tile (%px, %py)
    croq.copy %sums => %o
  }
  croq.return %out : !croq.tile<[M]x[N]xf32, global>
}
