// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two roles hand one buffer back and forth: each adds its own operand to what the other left
// there. One event each way, no ring.

croq.kernel @handshake dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %to_b = croq.event : !croq.event<1>
    %to_a = croq.event ready : !croq.event<1>
    %sum = croq.alloc : !croq.tile<16x32xf32, shared>
    %xa = croq.alloc : !croq.tile<16x32xf32, shared>
    %half = arith.constant 0.5 : f32
    %zero = arith.constant 0.0 : f32
    croq.role "a" warps [0, 4) {
      croq.parallel (%r, %c) in (4, 32) : thread {
        croq.foreach %i in %r to 16 step 4 {
          croq.store %zero, %sum[%i, %c]
        }
      }
      croq.foreach %k in %n_tiles {
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        croq.copy %xt => %xa engine(threads)
        croq.wait %to_a at %k
        croq.parallel (%r, %c) in (4, 32) : thread {
          croq.foreach %i in %r to 16 step 4 {
            %u = croq.load %sum[%i, %c]
            %v = croq.load %xa[%i, %c]
            %w = arith.addf %u, %v : f32
            croq.store %w, %sum[%i, %c]
          }
        }
        croq.trigger %to_b at %k
      }
    }
    croq.role "b" warps [4, 6) {
      croq.foreach %k in %n_tiles {
        croq.wait %to_b at %k
        croq.parallel (%r, %c) in (2, 32) : thread {
          croq.foreach %i in %r to 16 step 2 {
            %u = croq.load %sum[%i, %c]
            %w = arith.mulf %u, %half : f32
            croq.store %w, %sum[%i, %c]
          }
        }
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        croq.copy %sum => %yt engine(threads)
        croq.trigger %to_a at %k
      }
    }
  }
}
