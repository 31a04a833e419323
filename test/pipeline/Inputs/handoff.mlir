croq.kernel @handoff dims(M, N multiple_of 8) (%x: !croq.tile<[M]x[N]xf16, global>, %y: !croq.tile<[M]x[N]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %b = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.role "p" warpgroups [0, 1) {
      %t = croq.subspan %x [64, 64] tile (%i, 0)
      croq.copy %t => %a engine(threads)
      %f = croq.copy_async %t => %z engine(tma)
      croq.trigger %b[0] after %f
      croq.trigger %e[0]
    }
    croq.role "c" warpgroups [1, 2) {
      croq.wait %e[0]
      croq.wait %b[0]
      %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %c1 = croq.mma.exec row.col %acc, %a, %z
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.mma.store %c3 => %a
      %t = croq.subspan %y [64, 64] tile (%i, 0)
      croq.copy %a => %t
    }
  }
}
