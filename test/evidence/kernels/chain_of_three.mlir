// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Three roles in a chain with rings of different depth: load, double, store by TMA. The middle
// one is consumer and producer.

croq.kernel @chain_of_three dims(M, N multiple_of 4) params(S = 3, T = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %x_full = croq.event : !croq.event<[S]>
    %x_free = croq.event ready : !croq.event<[S]>
    %y_full = croq.event : !croq.event<[T]>
    %y_free = croq.event ready : !croq.event<[T]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<[T]x16x32xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n_tiles {
        croq.wait %x_free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %x_full at %k after %f
      }
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %k in %n_tiles {
        croq.wait %x_full at %k
        croq.wait %y_free at %k
        %xs = croq.slot %x_s at %k
        %ys = croq.slot %y_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xs[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %ys[%i, %c]
          }
        }
        croq.trigger %x_free at %k
        croq.trigger %y_full at %k
      }
    }
    croq.role "store" warps [5, 6) {
      croq.foreach %k in %n_tiles {
        croq.wait %y_full at %k
        %ys = croq.slot %y_s at %k
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        %f = croq.copy_async %ys => %yt engine(tma)
        croq.await %f read
        croq.trigger %y_free at %k
      }
    }
  }
}
