// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// F09. With no step at all the consumer skips its tile, and with it the release that the
// loader waits for.

croq.kernel @skipped_tile dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 64
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%b) in (1) : block {
    %total = arith.muli %m_tiles, %n_tiles : index
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %stored = croq.event : !croq.event<1>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<64x64xf32, shared>
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    croq.role "load" warps [0, 1) {
      %all = croq.foreach %t in %total iter(%n = %none) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %next = croq.foreach %k in %k_tiles iter(%n2 = %n) {
          croq.wait %free at %n2
          %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
          %bt = croq.subspan %rhs [64, 64] tile (%bn, %k)
          %as = croq.slot %a_s at %n2
          %bs = croq.slot %b_s at %n2
          %fa = croq.copy_async %a => %as engine(tma)
          %fb = croq.copy_async %bt => %bs engine(tma)
          croq.trigger %full at %n2 after %fa, %fb
          %n3 = arith.addi %n2, %one : index
          croq.yield %n3 : index
        }
        // expected-error @below {{lost arrival}}
        croq.wait %stored at %t
        croq.yield %next : index
      }
    }
    croq.role "multiply" warpgroups [1, 2) {
      %some = arith.cmpi ne, %k_tiles, %none : index
      %all = croq.foreach %t in %total iter(%n = %none) {
        %bm = arith.divui %t, %n_tiles : index
        %bn = arith.remui %t, %n_tiles : index
        %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
        %sum, %next = croq.foreach %k in %k_tiles iter(%c = %zero, %n2 = %n) {
          croq.wait %full at %n2
          %as = croq.slot %a_s at %n2
          %bs = croq.slot %b_s at %n2
          %c1 = croq.mma.exec row.row %c, %as, %bs
          %c2 = croq.mma.commit %c1
          %c3 = croq.mma.wait %c2 in_flight 0
          croq.trigger %free at %n2
          %n3 = arith.addi %n2, %one : index
          croq.yield %c3, %n3 : !croq.acc<64x64xf32>, index
        }
        scf.if %some {
          croq.mma.store %sum => %o_s
          %o = croq.subspan %out [64, 64] tile (%bm, %bn)
          croq.copy %o_s => %o engine(threads)
          croq.trigger %stored at %t
        }
        croq.yield %next : index
      }
    }
  }
}
