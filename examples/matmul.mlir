// out[M, N] = lhs[M, K] * rhs[N, K]^T as one writes it down: a tile of the output for each
// block, a loop over K of two copies and a product, a store. No roles, no events, one buffer
// for each operand. Right, and slow: scheduling passes make the fast kernels of it.
//
//   croq-run examples/matmul.mlir --size M=4096,N=4096,K=4096 --check
//   croq-opt examples/matmul.mlir --warp-specialize{stages=3} --croq-to-ptx -t ptx

croq.kernel @matmul dims(M, N multiple_of 8, K multiple_of 8) params(BM = 128, BN = 256, BK = 64) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, BN
  %k_tiles = croq.cdiv K, BK
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    %a_s = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    %b_s = croq.alloc : !croq.tile<[BN]x[BK]xf16, shared>
    %o_s = croq.alloc : !croq.tile<[BM]x[BN]xf16, shared>
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
    croq.mma.store %acc => %o_s
    %o = croq.subspan %out [BM, BN] tile (%bm, %bn)
    croq.copy %o_s => %o
  }
}
