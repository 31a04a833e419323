// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// No role, no event: each thread subtracts its right neighbour in the tile (that of the last
// column is in the first), which another thread's copy brought in, so that the barriers
// written here are needed.

croq.kernel @thread_level_stencil dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %y_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %one = arith.constant 1 : index
    %cols = arith.constant 32 : index
    croq.foreach %k in %n_tiles {
      %xs = croq.slot %x_s at %k
      %ys = croq.slot %y_s at %k
      %xt = croq.subspan %x [16, 32] tile (%bm, %k)
      croq.copy %xt => %xs engine(threads)
      croq.barrier
      croq.parallel (%c, %r) in (32, 4) : thread {
        %next = arith.addi %c, %one : index
        %d = arith.remui %next, %cols : index
        croq.foreach %i in %r to 16 step 4 {
          %u = croq.load %xs[%i, %c]
          %v = croq.load %xs[%i, %d]
          %w = arith.subf %u, %v : f32
          croq.store %w, %ys[%i, %c]
        }
      }
      croq.barrier
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %ys => %yt engine(threads)
    }
  }
}
