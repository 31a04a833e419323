// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// The persistent kernel with waits and triggers by slot: whose turn it is follows from the
// phase that each role keeps.

croq.kernel @persistent_slots dims(M, N, K) params(S = 3, B = 2) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 64
  %k_tiles = croq.cdiv K, 64
  %total = arith.muli %m_tiles, %n_tiles : index
  croq.parallel (%b) in (B) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<64x64xf32, shared>
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    croq.role "load" warps [0, 1) {
      %all = croq.foreach %t in %b to %total step B iter(%n = %none) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %next = croq.foreach %k in %k_tiles iter(%n2 = %n) {
          %depth = croq.dim S
          %sl = arith.remui %n2, %depth : index
          croq.wait %free[%sl]
          %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
          %bt = croq.subspan %rhs [64, 64] tile (%bn, %k)
          %as = croq.slot %a_s at %n2
          %bs = croq.slot %b_s at %n2
          %fa = croq.copy_async %a => %as engine(tma)
          %fb = croq.copy_async %bt => %bs engine(tma)
          croq.trigger %full[%sl] after %fa, %fb
          %n3 = arith.addi %n2, %one : index
          croq.yield %n3 : index
        }
        croq.yield %next : index
      }
    }
    croq.role "multiply" warpgroups [1, 2) {
      %all = croq.foreach %t in %b to %total step B iter(%n = %none) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
        %sum, %next = croq.foreach %k in %k_tiles iter(%c = %zero, %n2 = %n) {
          %depth = croq.dim S
          %sl = arith.remui %n2, %depth : index
          croq.wait %full[%sl]
          %as = croq.slot %a_s at %n2
          %bs = croq.slot %b_s at %n2
          %c1 = croq.mma.exec row.row %c, %as, %bs
          %c2 = croq.mma.commit %c1
          %c3 = croq.mma.wait %c2 in_flight 0
          croq.trigger %free[%sl]
          %n3 = arith.addi %n2, %one : index
          croq.yield %c3, %n3 : !croq.acc<64x64xf32>, index
        }
        croq.mma.store %sum => %o_s
        %o = croq.subspan %out [64, 64] tile (%bm, %bn)
        croq.copy %o_s => %o engine(tma)
        croq.yield %next : index
      }
    }
  }
}
