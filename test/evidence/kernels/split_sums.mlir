// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two consumers sum the products of even and of odd steps; at the end one passes its sum on
// through shared memory and a scalar event, and the other adds it and stores. The number of
// slots is even, so that a slot always has the same consumer.

croq.kernel @split_sums dims(M, N, K) params(S = 4) (
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
    %passed = croq.event : !croq.event<1>
    %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
    %even_s = croq.alloc : !croq.tile<64x64xf32, shared>
    %odd_s = croq.alloc : !croq.tile<64x64xf32, shared>
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
    croq.role "even" warpgroups [1, 2) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in 0 to %k_tiles step 2 iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %k
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %sum => %even_s
      croq.wait %passed
      croq.parallel (%r, %c) in (2, 64) : thread {
        croq.foreach %i in %r to 64 step 2 {
          %u = croq.load %even_s[%i, %c]
          %v = croq.load %odd_s[%i, %c]
          %w = arith.addf %u, %v : f32
          croq.store %w, %even_s[%i, %c]
        }
      }
      %o = croq.subspan %out [64, 64] tile (%bm, %bn)
      croq.copy %even_s => %o engine(threads)
    }
    croq.role "odd" warpgroups [2, 3) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in 1 to %k_tiles step 2 iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %k
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %sum => %odd_s
      croq.trigger %passed
    }
  }
}
