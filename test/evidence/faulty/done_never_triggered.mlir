// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// The producer waits at its end for a word that nobody gives.

croq.kernel @done_never_triggered dims(M, N multiple_of 4) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %done = croq.event : !croq.event<1>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n_tiles {
        croq.wait %free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k after %f
      }
      // expected-error @below {{lost arrival}}
      croq.wait %done
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %k in %n_tiles {
        croq.wait %full at %k
        %xs = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xs[%i, %c]
            %w = arith.addf %v, %v : f32
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
