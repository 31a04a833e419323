// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// The slots are ready from the start, so the ring may complete the next generation of the slot
// of the table before anybody has seen the first.

croq.kernel @ring_passes_the_table dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %t: !croq.tile<[M]x8xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %t_s = croq.alloc : !croq.tile<16x8xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.role "load" warps [0, 1) {
      %tt = croq.subspan %t [16, 8] tile (%bm, 0)
      %ft = croq.copy_async %tt => %t_s engine(tma)
      croq.trigger %full at 0 after %ft
      croq.foreach %k in %n_tiles {
        croq.wait %free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k + 1 after %f
      }
    }
    croq.role "scale" warps [1, 5) {
      %zero = arith.constant 0 : index
      // expected-error @below {{phase overrun}}
      croq.wait %full at 0
      croq.foreach %k in %n_tiles {
        croq.wait %full at %k + 1
        %xs = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xs[%i, %c]
            %a = croq.load %t_s[%i, %zero]
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
