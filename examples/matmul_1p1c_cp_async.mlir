// The kernel of matmul_1p1c_threads.mlir with loads by cp.async: the threads of the producer start
// them and go on, each arrives when its parts have landed. Any row pitch: 16, 8 or 4 bytes at a
// time, or element by element, as it allows.
//
//   croq-run examples/matmul_1p1c_cp_async.mlir --size M=1000,N=1000,K=1000 --check

croq.kernel @matmul_1p1c_cp_async dims(M, N, K) params(S = 4) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 128
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x128x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x128xf16, shared>

    croq.role "producer" warpgroups [0, 1) {
      croq.foreach %k in %k_tiles {
        croq.wait %empty at %k
        %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
        %b = croq.subspan %rhs [128, 64] tile (%bn, %k)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %fa = croq.copy_async %a => %as engine(cp_async)
        %fb = croq.copy_async %b => %bs engine(cp_async)
        croq.trigger %full at %k after %fa, %fb
      }
    }

    croq.role "consumer" warpgroups [1, 2) {
      // The initial credits, generation 0 of every slot: without them the producer's first
      // wait never ends.
      croq.foreach %s in S {
        croq.trigger %empty at %s
      }
      %zero = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %empty at %k + S
        croq.yield %c3 : !croq.acc<128x128xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [128, 128] tile (%bm, %bn)
      croq.copy %o_s => %o engine(threads)
    }
  }
}
