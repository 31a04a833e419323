// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// Two consumers keep their results in one buffer.

croq.kernel @two_writers dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event arrivals 6 : !croq.event<[S]>
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
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %s in S {
        croq.trigger %free at %s
      }
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
        croq.trigger %free at %k + S
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        croq.copy %y_s => %yt engine(threads)
      }
    }
    croq.role "negate" warps [5, 7) {
      croq.foreach %s in S {
        croq.trigger %free at %s
      }
      croq.foreach %k in %n_tiles {
        croq.wait %full at %k
        %xs = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (2, 32) : thread {
          croq.foreach %i in %r to 16 step 2 {
            %v = croq.load %xs[%i, %c]
            %w = arith.negf %v : f32
            croq.store %w, %y_s[%i, %c]
          }
        }
        croq.trigger %free at %k + S
        %zt = croq.subspan %z [16, 32] tile (%bm, %k)
        // expected-error @below {{read before write}}
        croq.copy %y_s => %zt engine(threads)
      }
    }
  }
}
