// out += lhs * rhs^T with K divided among P blocks for each tile of the output (split K): for few
// tiles and a long K, which would leave most multiprocessors idle. Each block adds its sums to out by
// atomic additions of f32: for a plain product out has to be zero before. The order of the P additions
// differs between runs, and so may the last bits.
//
// A block with a part beyond the end has no steps. Elements are accessed one by one, and those beyond
// the end of out are not, as only copies clip.
//
//   croq-run examples/matmul_split_k.mlir --size M=128,N=512,K=8192 --param P=8 --check
//   croq-run examples/matmul_split_k.mlir --schedule 'bind-params,pipeline-loop{stages=3}' --check

croq.kernel @matmul_split_k dims(M, N, K multiple_of 8) params(P = 4, BM = 128, BN = 128, BK = 64) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "s[m, n] += lhs[m, k] * rhs[n, k]; out[m, n] = out[m, n] + s[m, n]"} {
  %m_tiles = croq.cdiv M, BM
  %n_tiles = croq.cdiv N, BN
  %k_tiles = croq.cdiv K, BK
  %each = croq.cdiv %k_tiles, P
  croq.parallel (%bm, %bn, %part) in (%m_tiles, %n_tiles, P) : block threads 128 {
    %a_s = croq.alloc : !croq.tile<[BM]x[BK]xf16, shared>
    %b_s = croq.alloc : !croq.tile<[BN]x[BK]xf16, shared>
    %o_s = croq.alloc : !croq.tile<[BM]x[BN]xf32, shared>
    %first = arith.muli %part, %each : index
    %end = arith.addi %first, %each : index
    %last = arith.minui %end, %k_tiles : index
    %zero = croq.mma.fill 0.0 : !croq.acc<[BM]x[BN]xf32>
    %acc = croq.foreach %k in %first to %last iter(%c = %zero) {
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
    %m = croq.dim M
    %n = croq.dim N
    %m_size = croq.dim BM
    %n_size = croq.dim BN
    %first_row = arith.muli %bm, %m_size : index
    %first_col = arith.muli %bn, %n_size : index
    croq.parallel (%t) in (BN) : thread {
      %col = arith.addi %first_col, %t : index
      %has_col = arith.cmpi ult, %col, %n : index
      scf.if %has_col {
        croq.foreach %i in BM {
          %row = arith.addi %first_row, %i : index
          %has_row = arith.cmpi ult, %row, %m : index
          scf.if %has_row {
            %v = croq.load %o_s[%i, %t]
            croq.atomic add %v, %out[%row, %col] order(relaxed) scope(gpu)
          }
        }
      }
    }
  }
}
