// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// F10. A slot is read by two warpgroups, and only one of them releases it: the other may still
// read when it is filled again.

croq.kernel @one_of_two_releases dims(M, N, K) params(S = 1) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "out[m, n] += lhs[m, k] * rhs[n, k]"} {
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 128
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x128x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<2x64x64xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %k_tiles {
        croq.wait %free at %k
        %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
        %b = croq.subspan %rhs [128, 64] tile (%bn, %k)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        // expected-error @below {{overwrite}}
        %fa = croq.copy_async %a => %as engine(tma)
        %fb = croq.copy_async %b => %bs engine(tma)
        croq.trigger %full at %k after %fa, %fb
      }
    }
    croq.role "left" warpgroups [1, 2) {
      croq.foreach %s in S {
        croq.trigger %free at %s
      }
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %bh = croq.subspan %bs [64, 64] tile (0, 0)
        %c1 = croq.mma.exec row.row %c, %as, %bh
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %k + S
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      %os = croq.slot %o_s at 0
      croq.mma.store %sum => %os
      %two = arith.constant 2 : index
      %even = arith.muli %bn, %two : index
      %half = arith.constant 0 : index
      %col = arith.addi %even, %half : index
      %o = croq.subspan %out [64, 64] tile (%bm, %col)
      croq.copy %os => %o engine(threads)
    }
    croq.role "right" warpgroups [2, 3) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %bh = croq.subspan %bs [64, 64] tile (1, 0)
        %c1 = croq.mma.exec row.row %c, %as, %bh
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      %os = croq.slot %o_s at 1
      croq.mma.store %sum => %os
      %two = arith.constant 2 : index
      %even = arith.muli %bn, %two : index
      %half = arith.constant 1 : index
      %col = arith.addi %even, %half : index
      %o = croq.subspan %out [64, 64] tile (%bm, %col)
      croq.copy %os => %o engine(threads)
    }
  }
}
