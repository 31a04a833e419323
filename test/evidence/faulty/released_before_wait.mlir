// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// F11. The slot is released after the commit and before the wait: the products may still read
// it.

croq.kernel @released_before_wait dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 64
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<64x64xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %k_tiles {
        croq.wait %free at %k
        %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
        %b = croq.subspan %rhs [64, 64] tile (%bn, %k)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        // expected-error @below {{overwrite}}
        %fa = croq.copy_async %a => %as engine(tma)
        %fb = croq.copy_async %b => %bs engine(tma)
        croq.trigger %full at %k after %fa, %fb
      }
    }
    croq.role "multiply" warpgroups [1, 2) {
      croq.foreach %s in S {
        croq.trigger %free at %s
      }
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        croq.trigger %free at %k + S
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %sum => %o_s
      %o = croq.subspan %out [64, 64] tile (%bm, %bn)
      croq.copy %o_s => %o engine(tma)
    }
  }
}
