// RUN: croq-opt --overlap-epilogue --split-input-file %s | filecheck %s
// RUN: croq-opt "--overlap-epilogue{cols=32 buffers=3}" --split-input-file %s | filecheck %s --check-prefix=MORE

// Two buffers of a panel take the place of the tile. A panel is written when the store that
// used its buffer two panels ago has been read; the last two of a tile are waited for in
// the next. All are complete before the role ends.

// CHECK-LABEL: croq.kernel @tiles
// CHECK:         [[O:%.*]] = croq.alloc : !croq.tile<2x64x64xf16, shared>
// CHECK-NEXT:    croq.role "consumer"
// CHECK-NEXT:      croq.foreach [[T:%.*]] in 8 {
// CHECK-NEXT:        [[ACC:%.*]] = croq.mma.fill
// CHECK-NEXT:        [[OUT:%.*]] = croq.subspan %out [64, 128] tile ([[T]], 0)
// CHECK-NEXT:        croq.await_stores in_flight 1 read
// CHECK-NEXT:        [[P:%.*]] = croq.slot [[O]] at 0
// CHECK-NEXT:        [[V:%.*]] = croq.view [[OUT]] [64, 64] from (0, 0)
// CHECK-NEXT:        croq.mma.store [[ACC]] cols [0, 64) => [[P]]
// CHECK-NEXT:        croq.copy_async [[P]] => [[V]]
// CHECK-NEXT:        croq.await_stores in_flight 1 read
// CHECK-NEXT:        [[P:%.*]] = croq.slot [[O]] at 1
// CHECK-NEXT:        [[V:%.*]] = croq.view [[OUT]] [64, 64] from (0, 64)
// CHECK-NEXT:        croq.mma.store [[ACC]] cols [64, 128) => [[P]]
// CHECK-NEXT:        croq.copy_async [[P]] => [[V]]
// CHECK-NEXT:      }
// CHECK-NEXT:      croq.await_stores in_flight 0
// CHECK-NEXT:    }

// Four panels for each tile, three buffers: the first panel has the buffer of the last one of
// the tile before, so that no store is newer; the wait for it is one for the next two panels.
// MORE-LABEL:  croq.kernel @tiles
// MORE:          [[O:%.*]] = croq.alloc : !croq.tile<3x64x32xf16, shared>
// MORE:          croq.foreach [[T:%.*]] in 8 {
// MORE:            croq.await_stores in_flight 0 read
// MORE-NEXT:       croq.slot [[O]] at 0
// MORE:            croq.mma.store {{.*}} cols [0, 32)
// MORE-NOT:        croq.await_stores
// MORE:            croq.slot [[O]] at 1
// MORE-NOT:        croq.await_stores
// MORE:            croq.slot [[O]] at 2
// MORE:            croq.await_stores in_flight 2 read
// MORE-NEXT:       croq.slot [[O]] at 0
// MORE:            croq.mma.store {{.*}} cols [96, 128)
// MORE:          croq.await_stores in_flight 0
croq.kernel @tiles dims(M) (%out: !croq.tile<[M]x128xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %o_s = croq.alloc : !croq.tile<64x128xf16, shared>
    croq.role "consumer" warpgroups [0, 1) {
      croq.foreach %t in 8 {
        %acc = croq.mma.fill 1.5 : !croq.acc<64x128xf32>
        croq.mma.store %acc => %o_s
        %o = croq.subspan %out [64, 128] tile (%t, 0)
        croq.copy %o_s => %o
      }
    }
  }
}

// -----

// One tile for each block: nothing to wait for before a buffer is used again. The last panel
// has the columns that are left, in a part of its buffer.

// CHECK-LABEL: croq.kernel @rest
// CHECK:         [[O:%.*]] = croq.alloc {name} : !croq.tile<2x64x64xbf16, shared>
// CHECK-NOT:     await_stores
// CHECK:         croq.slot [[O]] at 0
// CHECK:         croq.mma.store [[ACC:%.*]] cols [0, 64)
// CHECK-NEXT:    croq.copy_async {{.*}} engine(tma) {by}
// CHECK-NEXT:    croq.slot [[O]] at 1
// CHECK:         croq.mma.store [[ACC]] cols [64, 128)
// CHECK-NEXT:    croq.copy_async
// CHECK-NEXT:    croq.await_stores in_flight 1 read
// CHECK-NEXT:    [[P:%.*]] = croq.slot [[O]] at 0
// CHECK-NEXT:    [[V:%.*]] = croq.view {{%.*}} [64, 48] from (0, 128)
// CHECK-NEXT:    [[Q:%.*]] = croq.view [[P]] [64, 48] from (0, 0)
// CHECK-NEXT:    croq.mma.store [[ACC]] cols [128, 176) => [[Q]]
// CHECK-NEXT:    croq.copy_async [[Q]] => [[V]]
// CHECK-NEXT:    croq.await_stores in_flight 0

// MORE-LABEL:  croq.kernel @rest
// MORE:          croq.alloc {name} : !croq.tile<3x64x32xbf16, shared>
// MORE:          croq.mma.store {{.*}} cols [160, 176)
croq.kernel @rest dims(M) (%out: !croq.tile<[M]x176xbf16, global>) {
  croq.parallel (%b) in (4) : block {
    %o_s = croq.alloc {name} : !croq.tile<64x176xbf16, shared>
    %acc = croq.mma.fill 1.5 : !croq.acc<64x176xf32>
    %o = croq.subspan %out [64, 176] tile (%b, 0)
    croq.mma.store %acc => %o_s
    croq.copy %o_s => %o engine(tma) {by}
  }
}

// -----

// A tile no wider than a panel is stored whole, and still runs beside the next.

// CHECK-LABEL: croq.kernel @narrow
// CHECK:         [[O:%.*]] = croq.alloc : !croq.tile<1x64x24xf16, shared>
// CHECK:         croq.await_stores in_flight 0 read
// CHECK-NEXT:    [[P:%.*]] = croq.slot [[O]] at 0
// CHECK-NEXT:    croq.mma.store {{%.*}} => [[P]]
// CHECK-NEXT:    croq.copy_async [[P]] => {{%.*}}

// MORE-LABEL:  croq.kernel @narrow
// MORE:          croq.mma.store {{%.*}} => {{%.*}}
croq.kernel @narrow dims(M) (%out: !croq.tile<[M]x24xf16, global>) {
  croq.parallel (%b) in (4) : block {
    %o_s = croq.alloc : !croq.tile<64x24xf16, shared>
    croq.foreach %t in 3 {
      %acc = croq.mma.fill 1.5 : !croq.acc<64x24xf32>
      %o = croq.subspan %out [64, 24] tile (%t, 0)
      croq.mma.store %acc => %o_s
      croq.copy %o_s => %o
    }
  }
}
