// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// One trigger says two things: that the next tile of one operand has landed, which the role
// started itself before its products, and that its warpgroups are through with the other one.
// TMA alone is waited for, so that a single thread arrives for all of them.

croq.kernel @relay dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 64
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %full = croq.event : !croq.event<1>
    %next = croq.event arrivals 1 : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x64xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %k_tiles {
        croq.wait %next at %k
        %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
        %f = croq.copy_async %a => %a_s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "multiply" warpgroups [1, 3) {
      %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
      %one = arith.constant 1 : index
      %any = arith.minui %k_tiles, %one : index
      croq.foreach %k in %any {
        %b0 = croq.subspan %rhs [64, 64] tile (%bn, 0)
        %bs0 = croq.slot %b_s at 0
        %f0 = croq.copy_async %b0 => %bs0 engine(tma)
        croq.trigger %next at %k after %f0
      }
      %sum = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %next at %k
        croq.wait %full at %k
        %later = arith.addi %k, %one : index
        %b = croq.subspan %rhs [64, 64] tile (%bn, %later)
        %bn_s = croq.slot %b_s at %k + 1
        %f = croq.copy_async %b => %bn_s engine(tma)
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %a_s, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %next at %k + 1 after %f
        croq.yield %c3 : !croq.acc<128x64xf32>
      }
      croq.foreach %k in %any {
        croq.wait %next at %k_tiles
      }
      croq.mma.store %sum => %o_s
      %o = croq.subspan %out [128, 64] tile (%bm, %bn)
      croq.copy %o_s => %o engine(tma)
    }
  }
}
