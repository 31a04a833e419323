croq.kernel @inflight dims(M, N, K) params(S = 5) (
    %lhs: !croq.tile<[M]x[K]xbf16, global>, %rhs: !croq.tile<[K]x[N]xbf16, global>, %out: !croq.tile<[M]x[N]xbf16, global>) {
  %k_tiles = croq.cdiv K, 64
  %m_tiles = croq.cdiv M, 128
  %n_tiles = croq.cdiv N, 128
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    // The first product is there whatever K is: where K is 0 it is one of zeros.
    %first = arith.constant 1 : index
    %steps = arith.maxui %k_tiles, %first : index
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event ready : !croq.event<[S]>
    %a_s = croq.alloc : !croq.tile<[S]x128x64xbf16, shared>
    %b_s = croq.alloc : !croq.tile<[S]x64x128xbf16, shared>
    %o_s = croq.alloc : !croq.tile<128x128xbf16, shared>
    croq.role "p" warps [0, 1) {
      croq.foreach %k in %steps {
        croq.wait %empty at %k
        %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
        %b2 = croq.subspan %rhs [64, 128] tile (%k, %bn)
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        croq.copy %a => %as
        croq.copy %b2 => %bs
        croq.trigger %full at %k
      }
    }
    croq.role "c" warpgroups [1, 2) registers 232 {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      croq.wait %full at 0
      %as0 = croq.slot %a_s[0]
      %bs0 = croq.slot %b_s[0]
      %p1 = croq.mma.exec row.col %z, %as0, %bs0
      %p2 = croq.mma.commit %p1
      %acc = croq.foreach %k in 1 to %steps iter(%c = %p2) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.col %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 1
        %one = arith.constant 1 : index
        %prev = arith.subi %k, %one : index
        croq.trigger %empty at %prev
        croq.yield %c3 : !croq.acc<128x128xf32>
      }
      %acc2 = croq.mma.wait %acc in_flight 0
      croq.mma.store %acc2 => %o_s
      %o = croq.subspan %out [128, 128] tile (%bm, %bn)
      croq.copy %o_s => %o
    }
  }
}
