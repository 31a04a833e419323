// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// Where barriers are explicit, program order orders the accesses of one thread only. The
// warps of this block read what other warps have copied.

croq.kernel @no_barrier dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {explicit_barriers} {
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (4) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<2x16x32xf32, shared, row_major>
    croq.foreach %k in %n_tiles {
      %xt = croq.subspan %x [16, 32] tile (%bm, %k)
      %xs = croq.slot %x_s at %k
      // expected-error@+1 {{overwrite: the write by warp 1 to %x_s[0]}}
      croq.copy %xt => %xs engine(threads)
      croq.parallel (%c, %r) in (8, 16) : thread {
        croq.foreach %j in %c to 32 step 8 {
          // expected-note@+1 {{the read}}
          %v = croq.load %xs[%r, %j]
          croq.store %v, %xs[%r, %j]
        }
      }
    }
  }
}

// -----

croq.kernel @barriers dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {explicit_barriers} {
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (4) : block threads 128 {
    %x_s = croq.alloc : !croq.tile<2x16x32xf32, shared, row_major>
    croq.foreach %k in %n_tiles {
      %xt = croq.subspan %x [16, 32] tile (%bm, %k)
      %xs = croq.slot %x_s at %k
      croq.copy %xt => %xs engine(threads)
      croq.barrier
      croq.parallel (%c, %r) in (8, 16) : thread {
        croq.foreach %j in %c to 32 step 8 {
          %v = croq.load %xs[%r, %j]
          croq.store %v, %xs[%r, %j]
        }
      }
      croq.barrier
      %yt = croq.subspan %y [16, 32] tile (%bm, %k)
      croq.copy %xs => %yt engine(threads)
    }
  }
}
