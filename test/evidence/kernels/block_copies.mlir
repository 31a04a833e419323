// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// One scope for all: synchronous TMA loads and stores in a loop over one buffer. What they
// wait for is made by the compiler.

croq.kernel @block_copies dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<16x32xf32, shared>
    croq.foreach %k in %n_tiles {
      %xt = croq.subspan %x [16, 32] tile (%bm, %k)
      croq.copy %xt => %x_s engine(tma)
      croq.parallel (%r, %c) in (4, 32) : thread {
        croq.foreach %i in %r to 16 step 4 {
          %v = croq.load %x_s[%i, %c]
          %w = arith.addf %v, %v : f32
          croq.store %w, %x_s[%i, %c]
        }
      }
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %x_s => %yt engine(tma)
    }
  }
}
