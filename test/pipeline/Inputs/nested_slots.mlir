croq.kernel @ns dims(M, N multiple_of 4) (%x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %mt = croq.cdiv M, 32
  %nt = croq.cdiv N, 32
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %a = croq.alloc : !croq.tile<2x32x32xf32, shared>
    croq.role "p" warps [0, 1) {
      croq.foreach %m in %i to %mt step 4 {
        croq.foreach %n in %nt {
          croq.foreach %s in 2 {
            croq.wait %free[%s]
            %t = croq.subspan %x [32, 32] tile (%m, %n)
            %d = croq.slot %a[%s]
            %f = croq.copy_async %t => %d engine(tma)
            croq.trigger %full[%s] after %f
          }
        }
      }
    }
    croq.role "c" warps [1, 2) {
      croq.foreach %m in %i to %mt step 4 {
        croq.foreach %n in %nt {
          croq.foreach %s in 2 unroll {
            croq.wait %full[%s]
            %d = croq.slot %a[%s]
            %t = croq.subspan %y [32, 32] tile (%m, %n)
            %f = croq.copy_async %d => %t engine(tma)
            croq.await %f
            croq.trigger %free[%s]
          }
        }
      }
    }
  }
}
