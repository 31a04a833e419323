// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two rings of different depth in one loop, waited for in one order by the producer and in the
// other by the consumer; each operand is released as soon as it has been read.

croq.kernel @two_events_interleaved dims(M, N multiple_of 4) params(S = 2, T = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>,
    %z: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "z[m, n] = x[m, n] + 3 * y[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %x_full = croq.event : !croq.event<[S]>
    %x_free = croq.event ready : !croq.event<[S]>
    %y_full = croq.event : !croq.event<[T]>
    %y_free = croq.event ready : !croq.event<[T]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<[T]x16x32xf32, shared>
    %z_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n_tiles {
        croq.wait %x_free at %k
        croq.wait %y_free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %ys = croq.slot %y_s at %k
        %fx = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %x_full at %k after %fx
        %fy = croq.copy_async %yt => %ys engine(tma)
        croq.trigger %y_full at %k after %fy
      }
    }
    croq.role "add" warps [1, 5) {
      %three = arith.constant 3.0 : f32
      croq.foreach %k in %n_tiles {
        %xs = croq.slot %x_s at %k
        %ys = croq.slot %y_s at %k
        croq.wait %y_full at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %ys[%i, %c]
            %w = arith.mulf %v, %three : f32
            croq.store %w, %z_s[%i, %c]
          }
        }
        croq.trigger %y_free at %k
        croq.wait %x_full at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %u = croq.load %xs[%i, %c]
            %v = croq.load %z_s[%i, %c]
            %w = arith.addf %u, %v : f32
            croq.store %w, %z_s[%i, %c]
          }
        }
        croq.trigger %x_free at %k
        %zt = croq.subspan %z [16, 32] tile (%bm, %k)
        croq.copy %z_s => %zt engine(threads)
      }
    }
  }
}
