// RUN: croq-opt --bind-params --verify-sync --verify-diagnostics %s

// The consumer takes the order of the inner loop, which starts over, instead of that of all
// steps.

croq.kernel @order_of_inner_loop dims(M, N multiple_of 4) params(S = 4) (
    %x: !croq.tile<3x[M]x[N]xf32, global>,
    %y: !croq.tile<3x[M]x[N]xf32, global>)
    attributes {reference = "y[b, m, n] = 2 * x[b, m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x1x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<1x16x32xf32, shared>
    %none = arith.constant 0 : index
    %three = arith.constant 3 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %j in %n_tiles {
        croq.foreach %b in 3 {
          %row = arith.muli %j, %three : index
          %k = arith.addi %row, %b : index
          croq.wait %free at %k
          %xt = croq.subspan %x [1, 16, 32] tile (%b, %bm, %j)
          %xs = croq.slot %x_s at %k
          %f = croq.copy_async %xt => %xs engine(tma)
          croq.trigger %full at %k after %f
        }
      }
    }
    croq.role "double" warps [1, 5) {
      %steps = arith.muli %n_tiles, %three : index
      croq.foreach %k in %steps {
        %b2 = arith.remui %k, %three : index
        croq.wait %full at %b2
        %xs = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            // expected-error @below {{read before write}}
            %v = croq.load %xs[%none, %i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %y_s[%none, %i, %c]
          }
        }
        croq.trigger %free at %k
        %b = arith.remui %k, %three : index
        %j = arith.divui %k, %three : index
        %yt = croq.subspan %y [1, 16, 32] tile (%b, %bm, %j)
        croq.copy %y_s => %yt engine(threads)
      }
    }
  }
}
