// out = lhs * rhs for f32 on the CUDA cores: a tile of 128 x 128 of the output by a block of
// 16 x 16 threads, of which each has 8 x 8 sums in registers.
//
// A step of K is an outer product: a thread reads 8 elements of a column of lhs and 8 of a row of
// rhs from shared memory and adds 64 products. So that the threads of a warp read neighbours, its 8
// rows are two groups of 4 that are 64 apart, and so are its columns: the tile of sums has four
// dims, two for the groups and two inside a group. The loops over its elements are unrolled, which
// makes a register of each. lhs is transposed on its way to shared memory.
//
//   croq-run examples/matmul_registers.mlir --size M=300,N=200,K=100 --check

croq.kernel @matmul_registers dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf32, global>,
    %rhs: !croq.tile<[K]x[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf32, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[k, n]"} {
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 128
  %k_tiles = croq.cdiv K, 8
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %a_s = croq.alloc : !croq.tile<8x128xf32, shared>
    %b_s = croq.alloc : !croq.tile<8x128xf32, shared>
    %sums = croq.alloc : !croq.tile<2x2x4x4xf32, register>
    croq.parallel (%ty, %tx) in (16, 16) : thread {
      croq.fill %sums, 0.0
    }
    croq.foreach %tk in %k_tiles {
      %lt = croq.subspan %lhs [128, 8] tile (%bm, %tk)
      %rt = croq.subspan %rhs [8, 128] tile (%tk, %bn)
      croq.copy %lt => %a_s transpose(1, 0)
      croq.copy %rt => %b_s
      croq.parallel (%ty, %tx) in (16, 16) : thread {
        %a_r = croq.alloc : !croq.tile<2x4xf32, register>
        %b_r = croq.alloc : !croq.tile<2x4xf32, register>
        croq.foreach %k in 8 {
          croq.foreach %g in 2 {
            %chunk = croq.compose %g, %ty
            %a_4 = croq.subspan %a_s [1, 4] tile (%k, %chunk)
            %a_g = croq.subspan %a_r [1, 4] tile (%g, 0)
            croq.copy %a_4 => %a_g
            %other = croq.compose %g, %tx
            %b_4 = croq.subspan %b_s [1, 4] tile (%k, %other)
            %b_g = croq.subspan %b_r [1, 4] tile (%g, 0)
            croq.copy %b_4 => %b_g
          }
          croq.elementwise (%s = %sums, %x = %a_r along [0, 2], %y = %b_r along [1, 3]) => %sums {
            %t = math.fma %x, %y, %s : f32
            croq.yield %t : f32
          }
        }
      }
    }
    croq.parallel (%ty, %tx) in (16, 16) : thread {
      croq.foreach (%i, %j) in (2, 2) {
        %row = croq.compose %bm, %i, %ty
        %col = croq.compose %bn, %j, %tx
        %o = croq.subspan %out [4, 4] tile (%row, %col)
        %by_rows = croq.slot %sums[%i]
        %of_group = croq.slot %by_rows[%j]
        croq.copy %of_group => %o
      }
    }
  }
}
