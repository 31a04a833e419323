croq.kernel @i8 dims(M, N) (%x: !croq.tile<[M]x[N]xi8, global>, %y: !croq.tile<[M]x[N]xi8, global>) {
  %mt = croq.cdiv M, 16
  %nt = croq.cdiv N, 48
  croq.parallel (%i, %j) in (%mt, %nt) : block threads 96 {
    %b = croq.alloc : !croq.tile<16x48xi8, shared>
    %b2 = croq.alloc : !croq.tile<16x48xi8, shared>
    %s = croq.subspan %x [16, 48] tile (%i, %j)
    %t = croq.subspan %y [16, 48] tile (%i, %j)
    croq.copy %s => %b
    croq.copy %b => %b2
    croq.copy %b2 => %t
  }
}
