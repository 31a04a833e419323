croq.kernel @twoacc dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>, %rhs: !croq.tile<[N]x[K]xf16, global>, %out: !croq.tile<[M]x[N]xf16, global>, %out2: !croq.tile<[M]x[N]xf32, global>) {
  %k_tiles = croq.cdiv K, 64
  %m_tiles = croq.cdiv M, 64
  %n_tiles = croq.cdiv N, 64
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
    %a_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s2 = croq.alloc : !croq.tile<64x64xf32, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %z2 = croq.mma.fill 1.0 : !croq.acc<64x64xf32>
    %x, %y = croq.foreach %k in %k_tiles iter(%c = %z, %d = %z2) {
      %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
      %b = croq.subspan %rhs [64, 64] tile (%bn, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %d1 = croq.mma.exec row.row %d, %b_s, %a_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      %d2 = croq.mma.commit %d1
      %d3 = croq.mma.wait %d2 in_flight 0
      croq.yield %c3, %d3 : !croq.acc<64x64xf32>, !croq.acc<64x64xf32>
    }
    croq.mma.store %x => %o_s
    croq.mma.store %x => %o_s2
    %o = croq.subspan %out [64, 64] tile (%bm, %bn)
    %o2 = croq.subspan %out2 [64, 64] tile (%bm, %bn)
    croq.copy %o_s => %o
    croq.copy %o_s2 => %o2
    croq.mma.store %y => %o_s
    croq.copy %o_s => %o
  }
}
