// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// The consumer waits for the tile after the one that it works on, as if to look ahead, and
// releases in order. Needs two stages.

croq.kernel @wait_ahead dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
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
      %one = arith.constant 1 : index
      %none = arith.constant 0 : index
      %any = arith.cmpi ne, %n_tiles, %none : index
      scf.if %any {
        croq.wait %full at 0
      }
      croq.foreach %k in %n_tiles {
        %next = arith.addi %k, %one : index
        %more = arith.cmpi ult, %next, %n_tiles : index
        scf.if %more {
          croq.wait %full at %next
        }
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
