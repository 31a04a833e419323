croq.kernel @bmm_copy dims(B, M, N) (%a: !croq.tile<[B]x[M]x[N]xf16, global>, %b: !croq.tile<[B]x[M]x[N]xf16, global>) {
  %m = croq.cdiv M, 64
  %n = croq.cdiv N, 64
  croq.parallel (%i, %j, %k) in (%m, %n, B) : block threads 128 {
    %buf = croq.alloc : !croq.tile<1x64x64xf16, shared>
    %x = croq.subspan %a [1, 64, 64] tile (%k, %i, %j)
    %y = croq.subspan %b [1, 64, 64] tile (%k, %i, %j)
    croq.copy %x => %buf engine(tma)
    croq.copy %buf => %y engine(tma)
  }
}
