// RUN: croq-opt --bind-params --verify-sync=undecided=error %s -o %t

// Two roles that are each producer and consumer of the other: they swap tiles over two rings
// in opposite directions, and neither may wait first for what the other has not sent.

croq.kernel @exchange dims(M, N multiple_of 4) params(S = 2) (
    %x: !croq.tile<[M]x[N]xf32, global>,
    %y: !croq.tile<[M]x[N]xf32, global>,
    %p: !croq.tile<[M]x[N]xf32, global>,
    %q: !croq.tile<[M]x[N]xf32, global>) {
  %m_tiles = croq.cdiv M, 16
  %n_tiles = croq.cdiv N, 32
  croq.parallel (%bm) in (%m_tiles) : block {
    %ab_full = croq.event : !croq.event<[S]>
    %ab_free = croq.event ready : !croq.event<[S]>
    %ba_full = croq.event : !croq.event<[S]>
    %ba_free = croq.event ready : !croq.event<[S]>
    %ab = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    %ba = croq.alloc : !croq.tile<[S]x16x32xf32, shared>
    croq.role "a" warps [0, 2) {
      croq.foreach %k in %n_tiles {
        %xt = croq.subspan %x [16, 32] tile (%bm, %k)
        %pt = croq.subspan %p [16, 32] tile (%bm, %k)
        %out = croq.slot %ab at %k
        %in = croq.slot %ba at %k
        croq.wait %ab_free at %k
        croq.copy %xt => %out engine(threads)
        croq.trigger %ab_full at %k
        croq.wait %ba_full at %k
        croq.copy %in => %pt engine(threads)
        croq.trigger %ba_free at %k
      }
    }
    croq.role "b" warps [2, 4) {
      croq.foreach %k in %n_tiles {
        %yt = croq.subspan %y [16, 32] tile (%bm, %k)
        %qt = croq.subspan %q [16, 32] tile (%bm, %k)
        %out = croq.slot %ba at %k
        %in = croq.slot %ab at %k
        croq.wait %ba_free at %k
        croq.copy %yt => %out engine(threads)
        croq.trigger %ba_full at %k
        croq.wait %ab_full at %k
        croq.copy %in => %qt engine(threads)
        croq.trigger %ab_free at %k
      }
    }
  }
}
