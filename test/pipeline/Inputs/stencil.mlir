croq.kernel @stencil dims(M, N multiple_of 4) (%x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %mt = croq.cdiv M, 32
  croq.parallel (%i) in (%mt) : block threads 128 {
    %a = croq.alloc : !croq.tile<34x32xf32, shared>
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %r = arith.muli %i, %c32 : index
    %r1 = arith.subi %r, %c1 : index
    %s = croq.view %x [34, 32] from (%r1, 0)
    croq.copy %s => %a engine(threads)
    %b = croq.alloc : !croq.tile<32x32xf32, shared>
    croq.parallel (%q, %t) in (4, 32) : thread {
      croq.foreach %k in %q to 32 step 4 {
        %k1 = arith.addi %k, %c1 : index
        %u = croq.load %a[%k, %t]
        %v = croq.load %a[%k1, %t]
        %w = arith.addf %u, %v : f32
        croq.store %w, %b[%k, %t]
      }
    }
    %o = croq.subspan %y [32, 32] tile (%i, 0)
    croq.copy %b => %o
  }
}
