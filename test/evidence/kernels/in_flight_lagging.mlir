// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// One group of products stays in flight, so that the slot that is released is that of the step
// before; the last slot is never released. Needs two stages.

croq.kernel @in_flight_lagging dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 64
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
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
        %fa = croq.copy_async %a => %as engine(tma)
        %fb = croq.copy_async %b => %bs engine(tma)
        croq.trigger %full at %k after %fa, %fb
      }
    }
    croq.role "multiply" warpgroups [1, 2) {
      %none = arith.constant 0 : index
      %one = arith.constant 1 : index
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 1
        %later = arith.cmpi ne, %k, %none : index
        scf.if %later {
          %before = arith.subi %k, %one : index
          croq.trigger %free at %before
        }
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      %all = croq.mma.wait %sum in_flight 0
      croq.mma.store %all => %o_s
      %o = croq.subspan %out [64, 64] tile (%bm, %bn)
      croq.copy %o_s => %o engine(tma)
    }
  }
}
