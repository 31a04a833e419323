// RUN: croq-opt --fuse-dma-events --split-input-file %s | filecheck %s

// Two loads before a trigger, by the two engines, joined in order; the wait for `free`
// between them does no harm. The names are not those of the seed, B comes before A.
// CHECK-LABEL: croq.kernel @join
croq.kernel @join dims(X, Y, Z) (
    %p: !croq.tile<[X]x[Z]xf16, global>, %q: !croq.tile<[Y]x[Z]xf16, global>) {
  %steps = croq.cdiv Z, 64
  croq.parallel (%i, %j) in (4, 4) : block {
    %there = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %u = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %v = croq.alloc : !croq.tile<2x64x64xf16, shared>
    croq.role "feed" warps [0, 1) {
      croq.foreach %n in %steps {
        %bg = croq.subspan %q [64, 64] tile (%j, %n)
        %ag = croq.subspan %p [64, 64] tile (%i, %n)
        %vs = croq.slot %v at %n
        %us = croq.slot %u at %n
        // CHECK: [[F:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(tma) {tag = 1 : i64}
        // CHECK-NEXT: croq.wait {{%.*}} at
        // CHECK-NEXT: [[G:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(threads)
        // CHECK-NEXT: croq.trigger {{%.*}} at {{%.*}} after [[F]], [[G]]
        croq.copy %bg => %vs engine(tma) {tag = 1 : i64}
        croq.wait %free at %n
        croq.copy %ag => %us engine(threads)
        croq.trigger %there at %n
      }
    }
    croq.role "eat" warpgroups [1, 2) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %n in %steps iter(%c = %zero) {
        croq.wait %there at %n
        %us = croq.slot %u at %n
        %vs = croq.slot %v at %n
        %c1 = croq.mma.exec row.row %c, %us, %vs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %free at %n
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
    }
  }
}

// -----

// A third event: each operand has its own, and two consumers wait for the one they read.
// A copy that is bound already keeps its place in `after`.
// CHECK-LABEL: croq.kernel @three
croq.kernel @three dims(X, Z) (%p: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a_full = croq.event : !croq.event<1>
    %b_full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %c = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    croq.role "load" warps [0, 1) {
      // CHECK: [[A:%.*]] = croq.copy_async
      // CHECK: [[C:%.*]] = croq.copy_async
      // CHECK: [[B:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger [[EA:%.*]][0] after [[C]], [[A]]
      // CHECK-NEXT: croq.trigger [[EB:%.*]][0] after [[B]]
      croq.copy %t => %a engine(tma)
      %fc = croq.copy_async %t => %c engine(tma)
      croq.copy %t => %b engine(tma)
      croq.trigger %a_full after %fc
      croq.trigger %b_full
    }
    croq.role "one" warps [1, 2) {
      croq.wait %a_full
      %x = croq.load %a[0, 0]
      %y = croq.load %c[0, 0]
    }
    croq.role "two" warps [2, 3) {
      croq.wait %b_full
      %x = croq.load %b[0, 0]
    }
  }
}

// -----

// The scope that loads also reads: after a wait for the event that follows the trigger,
// also around the loop.
// CHECK-LABEL: croq.kernel @own
croq.kernel @own dims(X, Z) (%p: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    // CHECK: croq.foreach
    croq.foreach %k in 8 {
      // CHECK: [[F:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger {{%.*}} at {{%.*}} after [[F]]
      croq.copy %t => %a engine(tma)
      croq.trigger %full at %k
      croq.wait %full at %k
      croq.copy %a => %b engine(threads)
    }
    // CHECK: croq.foreach
    croq.foreach %k in 8 {
      %x = croq.load %b[0, 0]
      croq.wait %full at %k + 8
      %y = croq.load %a[0, 0]
      // CHECK: [[F:%.*]] = croq.copy_async
      // CHECK-NEXT: croq.trigger {{%.*}} at {{%.*}} + 9 after [[F]]
      croq.copy %t => %a engine(tma)
      croq.trigger %full at %k + 9
    }
  }
}

// -----

// What stays: someone relies on the completion without waiting for the event.
// CHECK-LABEL: croq.kernel @stay
croq.kernel @stay dims(X, Z) (
    %p: !croq.tile<[X]x[Z]xf16, global>, %q: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %other = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %c = croq.alloc : !croq.tile<64x64xf16, shared>
    %d = croq.alloc : !croq.tile<64x64xf16, shared>
    %e = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    %s = croq.subspan %q [64, 64] tile (%i, 0)
    // CHECK: croq.role "load"
    croq.role "load" warps [0, 1) {
      // Read before the trigger.
      // CHECK-NEXT: croq.copy {{%.*}} => {{%.*}} engine(tma)
      croq.copy %t => %a engine(tma)
      %x = croq.load %a[0, 0]
      // Read after the trigger, without a wait.
      // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
      croq.copy %t => %b engine(tma)
      // Its reader waits for the second event.
      // CHECK-NEXT: [[F:%.*]] = croq.copy_async {{%.*}} => {{%.*}} engine(threads)
      croq.copy %t => %c engine(threads)
      // Not a load, and a load whose source is written before it has to be complete.
      // CHECK-NEXT: croq.copy {{%.*}} => {{%.*}} engine(threads)
      // CHECK-NEXT: croq.copy {{%.*}} => {{%.*}} engine(tma)
      // CHECK-NEXT: croq.trigger {{%.*}}[0]{{$}}
      // CHECK-NEXT: croq.trigger {{%.*}}[0] after [[F]]{{$}}
      croq.copy %a => %s engine(threads)
      croq.copy %s => %e engine(tma)
      croq.trigger %full
      croq.trigger %other
      %y = croq.load %b[0, 0]
      croq.copy %a => %s engine(threads)
    }
    // A wait that does not come before every read does not help either.
    // CHECK: croq.role "late"
    croq.role "late" warps [1, 2) {
      // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
      // CHECK-NEXT: croq.trigger
      croq.copy %t => %d engine(tma)
      croq.trigger %full
    }
    croq.role "read" warps [2, 3) {
      croq.wait %other
      %x = croq.load %c[0, 0]
      croq.foreach %k in 2 {
        croq.wait %full at %k
      }
      %y = croq.load %d[0, 0]
    }
  }
}

// -----

// Buffers that a loop carries may be any buffer.
// CHECK-LABEL: croq.kernel @carried
croq.kernel @carried dims(X, Z) (%p: !croq.tile<[X]x[Z]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %full = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    croq.role "load" warps [0, 1) {
      // CHECK: croq.copy {{%.*}} => {{%.*}} engine(tma)
      croq.copy %t => %a engine(tma)
      croq.trigger %full
    }
    croq.role "read" warps [1, 2) {
      %now, %next = croq.foreach %k in 4 iter(%u = %a, %v = %b) {
        %x = croq.load %u[0, 0]
        croq.yield %v, %u : !croq.tile<64x64xf16, shared>, !croq.tile<64x64xf16, shared>
      }
    }
  }
}

// -----

// Copies do not complete on the events of other blocks.
// CHECK-LABEL: croq.kernel @remote
// CHECK: croq.copy {{%.*}} engine(tma)
// CHECK-NEXT: croq.trigger %full[0] multicast [0]
croq.kernel @remote (%p: !croq.tile<128x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i) in (2) : block {
      %full = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      %t = croq.subspan %p [64, 64] tile (%i, 0)
      croq.role "load" warps [0, 1) {
        croq.copy %t => %a engine(tma)
        croq.trigger %full multicast [0]
      }
      croq.role "read" warps [1, 2) {
        croq.wait %full
        %x = croq.load %a[0, 0]
      }
      croq.barrier cluster
    }
  }
}
