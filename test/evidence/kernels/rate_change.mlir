// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// The tiles of the first ring are twice as wide as those of the second: the middle role makes
// two generations out of one, and releases each wide slot once.

croq.kernel @rate_change dims(M, N multiple_of 4) params(S = 2, T = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %wide = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %x_full = croq.event : !croq.event<[S]>
    %x_free = croq.event ready : !croq.event<[S]>
    %y_full = croq.event : !croq.event<[T]>
    %y_free = croq.event ready : !croq.event<[T]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<[T]x16x16xf32, shared>
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %wide {
        croq.wait %x_free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %x_full at %k after %f
      }
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %k in %wide {
        croq.wait %x_full at %k
        %xs = croq.slot %x_s at %k
        croq.foreach %h in 2 {
          %xh = croq.subspan %xs [16, 16] tile (0, %h)
          %even = arith.muli %k, %two : index
          %n = arith.addi %even, %h : index
          croq.wait %y_free at %n
          %ys = croq.slot %y_s at %n
          croq.parallel (%r, %c) in (8, 16) : thread {
            croq.foreach %i in %r to 16 step 8 {
              %v = croq.load %xh[%i, %c]
              %w = arith.addf %v, %v : f32
              croq.store %w, %ys[%i, %c]
            }
          }
          croq.trigger %y_full at %n
        }
        croq.trigger %x_free at %k
      }
    }
    croq.role "store" warps [5, 6) {
      %narrow = arith.muli %wide, %two : index
      croq.foreach %n in %narrow {
        croq.wait %y_full at %n
        %ys = croq.slot %y_s at %n
        %yt = croq.subspan %y [16, 16] tile (%bm, %n)
        croq.copy %ys => %yt engine(tma)
        croq.trigger %y_free at %n
      }
    }
  }
}
