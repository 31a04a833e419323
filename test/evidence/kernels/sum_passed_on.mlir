// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// A running sum is kept in shared memory by one role while the tiles pass; at the end a scalar
// event hands the buffer to a role that has waited all the time, and stores it.

croq.kernel @sum_passed_on dims(T, M) params(S = 2) (
    %x: !croq.tile<[T]x[M]x32xf32, global>,
    %y: !croq.tile<1x[M]x32xf32, global>)
    attributes {reference = "y[o, m, n] += x[t, m, n]"} {
  %m_tiles = croq.cdiv M, 16
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %done = croq.event : !croq.event<1>
    %x_s = croq.alloc : !croq.tile<[S]x1x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<1x16x32xf32, shared>
    %none = arith.constant 0 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %t in T {
        croq.wait %free at %t
        %xt = croq.subspan %x [1, 16, 32] tile (%t, %bm, 0)
        %xs = croq.slot %x_s at %t
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %t after %f
      }
    }
    croq.role "sum" warps [1, 5) {
      %zero = arith.constant 0.0 : f32
      croq.parallel (%r, %c) in (4, 32) : thread {
        croq.foreach %i in %r to 16 step 4 {
          croq.store %zero, %y_s[%none, %i, %c]
        }
      }
      croq.foreach %t in T {
        croq.wait %full at %t
        %xs = croq.slot %x_s at %t
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %u = croq.load %xs[%none, %i, %c]
            %v = croq.load %y_s[%none, %i, %c]
            %w = arith.addf %u, %v : f32
            croq.store %w, %y_s[%none, %i, %c]
          }
        }
        croq.trigger %free at %t
      }
      croq.trigger %done
    }
    croq.role "store" warps [5, 6) {
      croq.wait %done
      %yt = croq.subspan %y [1, 16, 32] tile (0, %bm, 0)
      croq.copy %y_s => %yt engine(tma)
    }
  }
}
