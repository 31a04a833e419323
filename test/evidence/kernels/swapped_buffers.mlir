// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two buffers that a loop carries as futures and exchanges by name: the next tile is copied while
// the current one is worked on. Copies are complete on return; the last one is out of range.

croq.kernel @swapped_buffers dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %one = arith.constant 1 : index
    %f0 = croq.any : !croq.future<!croq.tile<16x32xf32, shared>>
    %f1 = croq.any : !croq.future<!croq.tile<16x32xf32, shared>>
    %x0 = croq.subspan %x [16, 32] tile (%bm, 0)
    %d0 = croq.data %f0
    croq.copy %x0 => %d0 engine(threads)
    %g0, %g1 = croq.foreach %k in %n_tiles iter(%now = %f0, %next = %f1) {
      %later = arith.addi %k, %one : index
      %xt = croq.subspan %x [16, 32] tile (%bm, %later)
      %free = croq.data %next
      croq.copy %xt => %free engine(threads)
      %xs = croq.data %now
      croq.parallel (%c, %r) in (8, 16) : thread {
        croq.foreach %j in %c to 32 step 8 {
          %v = croq.load %xs[%r, %j]
          %w = arith.addf %v, %v : f32
          croq.store %w, %xs[%r, %j]
        }
      }
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %xs => %yt engine(threads)
      %a, %b = croq.swap %now, %next
      croq.yield %a, %b : !croq.future<!croq.tile<16x32xf32, shared>>, !croq.future<!croq.tile<16x32xf32, shared>>
    }
  }
}
