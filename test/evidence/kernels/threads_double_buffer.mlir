// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Thread copies into two buffers in turn and the barriers that they need, written by hand: no
// event at all. Threads work on what other warps have copied.

croq.kernel @threads_double_buffer dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    croq.foreach %k in %n_tiles {
      %xt = croq.subspan %x [16, 32] tile (%bm, %k)
      %xs = croq.slot %x_s at %k
      croq.copy %xt => %xs engine(threads)
      croq.barrier
      croq.parallel (%c, %r) in (8, 16) : thread {
        croq.foreach %j in %c to 32 step 8 {
          %v = croq.load %xs[%r, %j]
          %w = arith.addf %v, %v : f32
          croq.store %w, %xs[%r, %j]
        }
      }
      croq.barrier
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %xs => %yt engine(threads)
    }
  }
}
