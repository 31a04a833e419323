// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two roles end early and harmlessly: one after its only load, one as soon as it has passed a
// table on. Nothing that comes later needs them.

croq.kernel @early_exit dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %t: !croq.tile<16x32xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %table = croq.event : !croq.event<1>
    %halved = croq.event : !croq.event<1>
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %t_s = croq.alloc : !croq.tile<16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.role "table" warps [0, 1) {
      %tt = croq.subspan %t [16, 32] tile (0, 0)
      %f = croq.copy_async %tt => %t_s engine(tma)
      croq.trigger %table after %f
    }
    croq.role "halve" warps [1, 2) {
      %half = arith.constant 0.5 : f32
      croq.wait %table
      croq.parallel (%c) in (32) : thread {
        croq.foreach %i in 16 {
          %v = croq.load %t_s[%i, %c]
          %w = arith.mulf %v, %half : f32
          croq.store %w, %t_s[%i, %c]
        }
      }
      croq.trigger %halved
    }
    croq.role "load" warps [2, 3) {
      croq.foreach %k in %n_tiles {
        croq.wait %free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "multiply" warps [4, 8) {
      croq.wait %halved
      croq.foreach %k in %n_tiles {
        croq.wait %full at %k
        %xs = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xs[%i, %c]
            %a = croq.load %t_s[%i, %c]
            %w = arith.mulf %v, %a : f32
            croq.store %w, %y_s[%i, %c]
          }
        }
        croq.trigger %free at %k
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        croq.copy %y_s => %yt engine(threads)
      }
    }
  }
}
