// RUN: croq-opt --bind-params %s -o %t

// The consumer takes two tiles at a time and releases both slots together; a row of an odd
// number of tiles ends with a tile that is wholly out of range.

croq.kernel @release_two dims(M, N multiple_of 4) params(S = 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %pairs = croq.cdiv N, 64
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<2x16x32xf32, shared>
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %p in %pairs {
        croq.foreach %h in 2 {
          %even = arith.muli %p, %two : index
          %k = arith.addi %even, %h : index
          croq.wait %free at %k
          %xt = croq.subspan %x [16, 32] tile (%bm, %k)
          %xs = croq.slot %x_s at %k
          %f = croq.copy_async %xt => %xs engine(tma)
          croq.trigger %full at %k after %f
        }
      }
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %p in %pairs {
        %k = arith.muli %p, %two : index
        %k1 = arith.addi %k, %one : index
        croq.wait %full at %k
        croq.wait %full at %k1
        %xa = croq.slot %x_s at %k
        %xb = croq.slot %x_s at %k1
        %ya = croq.slot %y_s at 0
        %yb = croq.slot %y_s at 1
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xa[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %ya[%i, %c]
          }
        }
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xb[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %yb[%i, %c]
          }
        }
        croq.trigger %free at %k
        croq.trigger %free at %k1
        %ta = croq.subspan %y [16, 32] tile (%bm, %k)
        %tb = croq.subspan %y [16, 32] tile (%bm, %k1)
        croq.copy %ya => %ta engine(threads)
        croq.copy %yb => %tb engine(threads)
      }
    }
  }
}
