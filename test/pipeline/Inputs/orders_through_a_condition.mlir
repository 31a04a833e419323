croq.kernel @ringif dims(M, N multiple_of 4) (%x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %nt = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<3>
    %free = croq.event ready : !croq.event<3>
    %a = croq.alloc : !croq.tile<3x32x32xf32, shared>
    croq.role "p" warps [0, 1) {
      %one = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %r = croq.foreach %n in %nt iter(%o = %c0) {
        %two = arith.constant 2 : index
        %m = arith.remui %n, %two : index
        %odd = arith.cmpi eq, %m, %c0 : index
        %o3 = scf.if %odd -> (index) {
          croq.wait %free at %o
          %t = croq.subspan %x [32, 32] tile (%i, %n)
          %d = croq.slot %a at %o
          croq.copy %t => %d engine(tma)
          croq.trigger %full at %o
          %o2 = arith.addi %o, %one : index
          scf.yield %o2 : index
        } else {
          scf.yield %o : index
        }
        croq.yield %o3 : index
      }
    }
    croq.role "c" warps [1, 3) {
      %two = arith.constant 2 : index
      croq.foreach %n in 0 to %nt step 2 {
        %o = arith.divui %n, %two : index
        croq.wait %full at %o
        %d = croq.slot %a at %o
        %t = croq.subspan %y [32, 32] tile (%i, %n)
        croq.copy %d => %t engine(threads)
        croq.trigger %free at %o
      }
    }
  }
}
