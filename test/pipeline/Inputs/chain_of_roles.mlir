croq.kernel @chain dims(M, N) params(S = 2) (%a: !croq.tile<[M]x[N]xf32, global>, %b: !croq.tile<[M]x[N]xf32, global>) {
  %mt = croq.cdiv M, 64
  %nt = croq.cdiv N, 32
  croq.parallel (%bm) in (%mt) : block {
    %e1 = croq.event : !croq.event<[S]>
    %f1 = croq.event ready : !croq.event<[S]>
    %e2 = croq.event : !croq.event<[S]>
    %f2 = croq.event ready : !croq.event<[S]>
    %in = croq.alloc : !croq.tile<[S]x64x32xf32, shared>
    %mid = croq.alloc : !croq.tile<[S]x64x32xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %nt {
        croq.wait %f1 at %k
        %t = croq.subspan %a [64, 32] tile (%bm, %k)
        %s = croq.slot %in at %k
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %e1 at %k after %f
      }
    }
    croq.role "work" warps [1, 5) {
      croq.foreach %k in %nt {
        croq.wait %e1 at %k
        croq.wait %f2 at %k
        %s = croq.slot %in at %k
        %d = croq.slot %mid at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 64 step 4 {
            %v = croq.load %s[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %d[%i, %c]
          }
        }
        croq.trigger %f1 at %k
        croq.trigger %e2 at %k
      }
    }
    croq.role "store" warps [5, 6) {
      croq.foreach %k in %nt {
        croq.wait %e2 at %k
        %d = croq.slot %mid at %k
        %t = croq.subspan %b [64, 32] tile (%bm, %k)
        croq.copy %d => %t engine(tma)
        croq.trigger %f2 at %k
      }
    }
  }
}
