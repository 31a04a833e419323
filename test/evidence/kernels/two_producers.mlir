// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two producers fill the two halves of every slot, one by TMA and one by the copies of its
// threads; both arrive on the same generation.

croq.kernel @two_producers dims(M, N multiple_of 4) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "z[m, n] = x[m, n] + y[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %z_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.role "load x" warps [0, 1) {
      croq.foreach %k in %n_tiles {
        croq.wait %free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "load y" warps [1, 3) {
      croq.foreach %k in %n_tiles {
        croq.wait %free at %k
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        %ys = croq.slot %y_s at %k
        %f = croq.copy_async %yt => %ys engine(threads)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "add" warps [4, 8) {
      croq.foreach %k in %n_tiles {
        croq.wait %full at %k
        %xs = croq.slot %x_s at %k
        %ys = croq.slot %y_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %u = croq.load %xs[%i, %c]
            %v = croq.load %ys[%i, %c]
            %w = arith.addf %u, %v : f32
            croq.store %w, %z_s[%i, %c]
          }
        }
        croq.trigger %free at %k
        %zt = croq.subspan %z [16, 32] tile (%bm, %k)
        croq.copy %z_s => %zt engine(threads)
      }
    }
  }
}
