// out = max(lhs * rhs^T + bias, 0): `examples/matmul.mlir` with an epilogue on the accumulator, in f32,
// before it is stored. The bias is read from global memory by the threads that hold its columns; those
// beyond its end are zero. Scheduled by the same passes.
//
//   croq-run examples/matmul_bias_relu.mlir --size M=4096,N=4096,K=4096 --check

croq.kernel @matmul_bias_relu dims(M, N multiple_of 8, K multiple_of 8) params(BM = 128, BN = 128, BK = 64) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %bias: !croq.tile<[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf16, global>)
    attributes {reference = "s[m, n] += lhs[m, k] * rhs[n, k]; out[m, n] = max(s[m, n] + bias[n], 0)"} {
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, BN
  %k_tiles = croq.cdiv K, BK
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    %a_s = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    %b_s = croq.alloc : !croq.tile<[BN]x[BK]xf16, shared>
    %o_s = croq.alloc : !croq.tile<[BM]x[BN]xf16, shared>
    %none = arith.constant 0.0 : f32
    %zero = croq.mma.fill 0.0 : !croq.acc<[BM]x[BN]xf32>
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
      %a = croq.subspan %lhs [BM, BK] tile (%bm, %k)
      %b = croq.subspan %rhs [BN, BK] tile (%bn, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<[BM]x[BN]xf32>
    }
    %bias_n = croq.subspan %bias [BN] tile (%bn)
    %relu = croq.elementwise (%x = %acc, %b = %bias_n along [1]) -> !croq.acc<[BM]x[BN]xf32> {
      %y = arith.addf %x, %b : f32
      %z = arith.maximumf %y, %none : f32
      croq.yield %z : f32
    }
    croq.mma.store %relu => %o_s
    %o = croq.subspan %out [BM, BN] tile (%bm, %bn)
    croq.copy %o_s => %o
  }
}
