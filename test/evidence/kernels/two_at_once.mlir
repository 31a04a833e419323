// RUN: croq-opt --bind-params %s -o %t

// The producer starts two loads into two slots before it triggers either of them; a step of
// the second loop is half a pair.

croq.kernel @two_at_once dims(M, N multiple_of 4) params(S = 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %pairs = croq.cdiv N, 64
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<[S]>
    %free = croq.event ready : !croq.event<[S]>
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<16x32xf32, shared>
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    croq.role "load" warps [0, 1) {
      croq.foreach %p in %pairs {
        %k = arith.muli %p, %two : index
        %k1 = arith.addi %k, %one : index
        croq.wait %free at %k
        croq.wait %free at %k1
        %ta = croq.subspan %x [16, 32] tile (%bm, %k)
        %tb = croq.subspan %x [16, 32] tile (%bm, %k1)
        %sa = croq.slot %x_s at %k
        %sb = croq.slot %x_s at %k1
        %fa = croq.copy_async %ta => %sa engine(tma)
        %fb = croq.copy_async %tb => %sb engine(tma)
        croq.trigger %full at %k after %fa
        croq.trigger %full at %k1 after %fb
      }
    }
    croq.role "double" warps [1, 5) {
      %steps = arith.muli %pairs, %two : index
      croq.foreach %k in %steps {
        croq.wait %full at %k
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
