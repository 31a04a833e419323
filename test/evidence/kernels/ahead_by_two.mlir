// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// A single role that runs ahead of itself by two loads: two are started before the loop, the
// third in the first iteration, each guarded by the number of tiles. The only event is the
// arrival of the data.

croq.kernel @ahead_by_two dims(M, N multiple_of 4) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %full = croq.event : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    %two = arith.constant 2 : index
    croq.foreach %k in 2 {
      %some = arith.cmpi ult, %k, %n_tiles : index
      scf.if %some {
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.foreach %k in %n_tiles {
      %next = arith.addi %k, %two : index
      %more = arith.cmpi ult, %next, %n_tiles : index
      scf.if %more {
        %xt = croq.subspan %x [16, 32] tile (%bm, %next)
        %xs = croq.slot %x_s at %next
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %next after %f
      }
      croq.wait %full at %k
      %xs = croq.slot %x_s at %k
      croq.parallel (%r, %c) in (4, 32) : thread {
        croq.foreach %i in %r to 16 step 4 {
          %v = croq.load %xs[%i, %c]
          %w = arith.addf %v, %v : f32
          croq.store %w, %y_s[%i, %c]
        }
      }
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %y_s => %yt engine(threads)
    }
  }
}
