// RUN: croq-opt --bind-params %s -o %t

// Two store buffers in turn: while TMA still reads one, the other is filled; a step waits for
// the store before the last only.

croq.kernel @two_outputs dims(M, N multiple_of 4) params(S = 3) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %pairs = croq.cdiv N, 64
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %ya = croq.alloc : !croq.tile<16x32xf32, shared>
    %yb = croq.alloc : !croq.tile<16x32xf32, shared>
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      %steps = arith.muli %pairs, %two : index
      croq.foreach %k in %steps {
        croq.wait %free at %k
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %xs = croq.slot %x_s at %k
        %f = croq.copy_async %xt => %xs engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "double" warps [1, 5) {
      croq.foreach %p in %pairs {
        %k = arith.muli %p, %two : index
        %k1 = arith.addi %k, %one : index
        croq.wait %full at %k
        %xa = croq.slot %x_s at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xa[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %ya[%i, %c]
          }
        }
        croq.trigger %free at %k
        %ta = croq.subspan %y [16, 32] tile (%bm, %k)
        %sa = croq.copy_async %ya => %ta engine(tma)
        croq.wait %full at %k1
        %xb = croq.slot %x_s at %k1
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %v = croq.load %xb[%i, %c]
            %w = arith.addf %v, %v : f32
            croq.store %w, %yb[%i, %c]
          }
        }
        croq.trigger %free at %k1
        %tb = croq.subspan %y [16, 32] tile (%bm, %k1)
        %sb = croq.copy_async %yb => %tb engine(tma)
        croq.await %sa read
        croq.await %sb read
      }
    }
  }
}
