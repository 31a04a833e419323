croq.kernel @persistent dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>, %rhs: !croq.tile<[N]x[K]xf16, global>, %out: !croq.tile<[M]x[N]xf16, global>) {
  %k_tiles = croq.cdiv K, 64
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 128
  croq.parallel (%b) in (132) : block {
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event ready : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x128x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x128xf16, shared>
    %total = arith.muli %m_tiles, %n_tiles : index
    croq.role "p" warpgroups [0, 1) registers 40 {
      %zero = arith.constant 0 : index
      %r = croq.foreach %t in %b to %total step 132 iter(%n = %zero) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %r2 = croq.foreach %k in %k_tiles iter(%n2 = %n) {
          %sS = arith.constant 3 : index
          %sl = arith.remui %n2, %sS : index
          croq.wait %empty[%sl]
          %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
          %b2 = croq.subspan %rhs [128, 64] tile (%bn, %k)
          %as = croq.slot %a_s[%sl]
          %bs = croq.slot %b_s[%sl]
          %fa = croq.copy_async %a => %as engine(tma)
          %fb = croq.copy_async %b2 => %bs engine(tma)
          croq.trigger %full[%sl] after %fa, %fb
          %one = arith.constant 1 : index
          %n3 = arith.addi %n2, %one : index
          croq.yield %n3 : index
        }
        croq.yield %r2 : index
      }
    }
    croq.role "c" warpgroups [1, 3) registers 232 {
      %zero = arith.constant 0 : index
      %r = croq.foreach %t in %b to %total step 132 iter(%n = %zero) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
        %acc, %r2 = croq.foreach %k in %k_tiles iter(%c = %z, %n2 = %n) {
          %sS = arith.constant 3 : index
          %sl = arith.remui %n2, %sS : index
          croq.wait %full[%sl]
          %as = croq.slot %a_s[%sl]
          %bs = croq.slot %b_s[%sl]
          %c1 = croq.mma.exec row.row %c, %as, %bs
          %c2 = croq.mma.commit %c1
          %c3 = croq.mma.wait %c2 in_flight 0
          croq.trigger %empty[%sl]
          %one = arith.constant 1 : index
          %n3 = arith.addi %n2, %one : index
          croq.yield %c3, %n3 : !croq.acc<128x128xf32>, index
        }
        croq.mma.store %acc => %o_s
        %o = croq.subspan %out [128, 128] tile (%bm, %bn)
        croq.copy %o_s => %o engine(tma)
        croq.yield %r2 : index
      }
    }
  }
}
