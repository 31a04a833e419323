croq.kernel @a dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  croq.parallel (%i) in (M) : block threads 64 {
    %b = croq.alloc : !croq.tile<1x32xf32, shared>
    %s = croq.view %x [1, 32] from (%i, 5)
    %t = croq.view %y [1, 32] from (%i, 7)
    croq.copy %s => %b
    croq.copy %b => %t
  }
}
croq.kernel @b dims(M, N, Unused) (%x: !croq.tile<[M]x[N]xf16, global>) {
  %y = croq.alloc : !croq.tile<[M]x[N]xf16, global>
  %z = croq.alloc : !croq.tile<[N]x[M]xf16, global>
  %mt = croq.cdiv M, 32
  %nt = croq.cdiv N, 32
  croq.parallel (%i, %j) in (%mt, %nt) : block threads 256 {
    %b = croq.alloc : !croq.tile<32x32xf16, shared>
    %c = croq.alloc : !croq.tile<32x32xf16, shared>
    %s = croq.subspan %x [32, 32] tile (%i, %j)
    %t = croq.subspan %y [32, 32] tile (%i, %j)
    %u = croq.subspan %z [32, 32] tile (%j, %i)
    croq.copy %s => %b
    croq.parallel (%r, %q) in (8, 32) : thread {
      croq.foreach %k in 4 unroll {
        %c8 = arith.constant 8 : index
        %m = arith.muli %k, %c8 : index
        %rr = arith.addi %r, %m : index
        %v = croq.load %b[%rr, %q]
        croq.store %v, %c[%q, %rr]
      }
    }
    croq.copy %c => %u
    croq.copy %b => %t
  }
  croq.return %z, %y : !croq.tile<[N]x[M]xf16, global>, !croq.tile<[M]x[N]xf16, global>
}
