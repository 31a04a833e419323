// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Three buffers, two copies in flight: a copy is started where there is another tile, and awaited
// two iterations later under another name. Whether one is in flight depends on the number of
// tiles; nothing is, after the loop.

croq.kernel @rotated_futures dims(M, N multiple_of 4) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>)
    attributes {reference = "y[m, n] = 2 * x[m, n]"} {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 128 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %e0 = croq.any : !croq.future<!croq.tile<16x32xf32, shared>>
    %e1 = croq.any : !croq.future<!croq.tile<16x32xf32, shared>>
    %e2 = croq.any : !croq.future<!croq.tile<16x32xf32, shared>>
    %some = arith.cmpi ult, %zero, %n_tiles : index
    %f0 = scf.if %some -> (!croq.future<!croq.tile<16x32xf32, shared>>) {
      %t = croq.subspan %x [16, 32] tile (%bm, 0)
      %d = croq.data %e0
      %f = croq.copy_async %t => %d
      scf.yield %f : !croq.future<!croq.tile<16x32xf32, shared>>
    } else {
      scf.yield %e0 : !croq.future<!croq.tile<16x32xf32, shared>>
    }
    %two_or_more = arith.cmpi ult, %one, %n_tiles : index
    %f1 = scf.if %two_or_more -> (!croq.future<!croq.tile<16x32xf32, shared>>) {
      %t = croq.subspan %x [16, 32] tile (%bm, 1)
      %d = croq.data %e1
      %f = croq.copy_async %t => %d
      scf.yield %f : !croq.future<!croq.tile<16x32xf32, shared>>
    } else {
      scf.yield %e1 : !croq.future<!croq.tile<16x32xf32, shared>>
    }
    %g0, %g1, %g2 = croq.foreach %k in %n_tiles iter(%now = %f0, %soon = %f1, %free = %e2) {
      %later = arith.addi %k, %two : index
      %more = arith.cmpi ult, %later, %n_tiles : index
      %last = scf.if %more -> (!croq.future<!croq.tile<16x32xf32, shared>>) {
        %t = croq.subspan %x [16, 32] tile (%bm, %later)
        %d = croq.data %free
        %f = croq.copy_async %t => %d
        scf.yield %f : !croq.future<!croq.tile<16x32xf32, shared>>
      } else {
        scf.yield %free : !croq.future<!croq.tile<16x32xf32, shared>>
      }
      croq.await %now
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
      %a, %b, %c = croq.rotate %now, %soon, %last
      croq.yield %a, %b, %c : !croq.future<!croq.tile<16x32xf32, shared>>, !croq.future<!croq.tile<16x32xf32, shared>>, !croq.future<!croq.tile<16x32xf32, shared>>
    }
  }
}
