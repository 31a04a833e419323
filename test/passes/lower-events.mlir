// RUN: croq-opt --lower-events --split-input-file %s | filecheck %s
// RUN: croq-opt --bind-params{S=3} --lower-events %S/../../examples/matmul_1p1c.mlir | filecheck %s --check-prefix=SEED
// RUN: croq-opt --bind-params --lower-events %S/../../examples/matmul_1p1c_threads.mlir | filecheck %s --check-prefix=THREADS

// The seed: events become mbarriers, and nothing else changes.
// SEED: croq.parallel
// SEED-NEXT: [[LEADER:%.*]] = croq.elect
// SEED-NEXT: [[FULL:%.*]] = croq.alloc : !croq.tile<3xi64, shared, row_major>
// SEED-NEXT: [[EMPTY:%.*]] = croq.alloc : !croq.tile<3xi64, shared, row_major>
// SEED-NEXT: scf.if [[LEADER]] {
// SEED-NEXT:   [[ONE:%.*]] = arith.constant 1 : i32
// SEED-NEXT:   [[P:%.*]] = croq.address [[FULL]][0] : !llvm.ptr<3>
// SEED-NEXT:   nvvm.mbarrier.init [[P]], [[ONE]] : !llvm.ptr<3>, i32
// SEED-COUNT-2: nvvm.mbarrier.init {{%.*}}, [[ONE]]
// SEED-NEXT:   [[WARPS:%.*]] = arith.constant 4 : i32
// SEED-COUNT-3: nvvm.mbarrier.init {{%.*}}, [[WARPS]]
// SEED-NEXT: }
// SEED-NEXT: croq.barrier
// SEED-NEXT: croq.alloc
// SEED: croq.role "producer"
// SEED-NEXT: [[PRODUCER:%.*]] = croq.elect
// SEED-NEXT: croq.foreach [[K:%.*]] in
// SEED-NEXT:   [[S:%.*]] = arith.constant 3 : index
// SEED-NEXT:   [[SLOT:%.*]] = arith.remui [[K]], [[S]] : index
// SEED-NEXT:   [[S1:%.*]] = arith.constant 3 : index
// SEED-NEXT:   [[GENERATION:%.*]] = arith.divui [[K]], [[S1]] : index
// SEED-NEXT:   [[ONE:%.*]] = arith.constant 1 : index
// SEED-NEXT:   [[BIT:%.*]] = arith.andi [[GENERATION]], [[ONE]] : index
// SEED-NEXT:   [[PARITY:%.*]] = arith.index_cast [[BIT]] : index to i32
// SEED-NEXT:   [[P:%.*]] = croq.address [[EMPTY]][[[SLOT]]] : !llvm.ptr<3>
// SEED:        [[Q:%.*]] = croq.address [[FULL]][[[SLOT]]] : !llvm.ptr<3>
// One thread does all of the producer, so that only it waits.
// SEED-NEXT:   scf.if [[PRODUCER]] {
// SEED-NEXT:     scf.while () : () -> () {
// SEED-NEXT:       [[DONE:%.*]] = nvvm.mbarrier.try_wait [[P]], [[PARITY]] : !llvm.ptr<3>, i32 -> i1
// SEED-NEXT:       [[TRUE:%.*]] = arith.constant true
// SEED-NEXT:       [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
// SEED-NEXT:       scf.condition([[AGAIN]])
// SEED-NEXT:     } do {
// SEED-NEXT:       scf.yield
// SEED-NEXT:     }
// SEED-NEXT:     [[BYTES:%.*]] = arith.constant 32768 : i32
// SEED-NEXT:     nvvm.mbarrier.arrive.expect_tx [[Q]], [[BYTES]] : !llvm.ptr<3>, i32
// SEED-NEXT:   }
// SEED-NEXT:   croq.copy_async {{%.*}} => {{%.*}} engine(tma) completes [[Q]] : !llvm.ptr<3>
// SEED-NEXT:   croq.copy_async {{%.*}} => {{%.*}} engine(tma) completes [[Q]] : !llvm.ptr<3>
// SEED-NEXT: }
// SEED: croq.role "consumer"
// SEED-NEXT: croq.foreach
// SEED:        [[P:%.*]] = croq.address [[EMPTY]]
// SEED-NEXT:   [[LANES:%.*]] = arith.constant -1 : i32
// SEED-NEXT:   nvvm.bar.warp.sync [[LANES]] : i32
// SEED-NEXT:   [[LANE:%.*]] = nvvm.elect.sync -> i1
// SEED-NEXT:   scf.if [[LANE]] {
// SEED-NEXT:     nvvm.mbarrier.arrive [[P]] : !llvm.ptr<3>
// SEED-NEXT:   }
// SEED-NEXT: }
// The release `at %k + S` is in the slot of the wait `at %k`.
// Its waits are made by every thread: each warp arrives later on.
// SEED: croq.foreach [[K:%.*]] in
// SEED:        [[SLOT:%.*]] = arith.remui [[K]], {{%.*}} : index
// SEED:        croq.address [[FULL]][[[SLOT]]]
// SEED-NEXT:   scf.while
// SEED:        croq.mma.wait
// SEED-NEXT:   croq.address [[EMPTY]][[[SLOT]]]
// SEED-NOT: croq.event
// SEED-NOT: croq.trigger

// Copies by threads: every thread arrives, after them; a power of two needs no division.
// THREADS: arith.constant 128 : i32
// THREADS-NEXT: croq.address {{%.*}}[0]
// THREADS: croq.role "producer"
// THREADS: [[MASK:%.*]] = arith.constant 3 : index
// THREADS-NEXT: [[SLOT:%.*]] = arith.andi {{%.*}}, [[MASK]] : index
// THREADS-NEXT: [[BITS:%.*]] = arith.constant 2 : index
// THREADS-NEXT: arith.shrui {{%.*}}, [[BITS]] : index
// THREADS: croq.copy_async {{%.*}} => {{%.*}} engine(threads){{$}}
// THREADS-NEXT: croq.copy_async {{%.*}} => {{%.*}} engine(threads){{$}}
// THREADS-NEXT: [[P:%.*]] = croq.address {{%.*}}[[[SLOT]]]
// THREADS-NEXT: nvvm.mbarrier.arrive [[P]] : !llvm.ptr<3>

// Two consumers, each with credits of its own, of 4 and of 2 warps; an order that is a
// sum, a constant order, and a scalar event that nothing needs bytes for.
// CHECK-LABEL: croq.kernel @two_consumers
croq.kernel @two_consumers dims(X, Y) (%p: !croq.tile<[X]x[Y]xf32, global>) {
  %n = croq.cdiv Y, 32
  croq.parallel (%i) in (4) : block {
    // CHECK: scf.if
    // CHECK: [[ONE:%.*]] = arith.constant 1 : i32
    // CHECK-COUNT-2: nvvm.mbarrier.init {{%.*}}, [[ONE]]
    // CHECK: [[SIX:%.*]] = arith.constant 6 : i32
    // CHECK-COUNT-2: nvvm.mbarrier.init {{%.*}}, [[SIX]]
    // CHECK: [[FOUR:%.*]] = arith.constant 4 : i32
    // CHECK-NEXT: [[P:%.*]] = croq.address [[DONE:%.*]][0]
    // CHECK-NEXT: nvvm.mbarrier.init [[P]], [[FOUR]]
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.barrier
    // CHECK-NOT: croq.barrier
    %full = croq.event : !croq.event<2>
    %tiles = croq.alloc : !croq.tile<2x32x32xf32, shared, row_major>
    %free = croq.event arrivals 6 : !croq.event<2>
    %done = croq.event : !croq.event<1>
    %unused = croq.event : !croq.event<7>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n {
        croq.wait %free at %k
        %t = croq.subspan %p [32, 32] tile (%i, %k)
        %s = croq.slot %tiles at %k
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
      // One slot: the slot is 0, the parity the last bit of the order.
      // CHECK: [[P:%.*]] = croq.address [[DONE]][0]
      // CHECK: nvvm.mbarrier.try_wait [[P]]
      croq.wait %done at 0
    }
    croq.role "four" warps [4, 8) {
      croq.foreach %s in 2 {
        croq.trigger %free at %s
      }
      croq.foreach %k in %n {
        croq.wait %full at %k
        croq.trigger %free at %k + 2
      }
      croq.trigger %done at 0
    }
    croq.role "two" warps [2, 4) {
      croq.trigger %free at 0
      croq.trigger %free at 1
      %two = arith.constant 2 : index
      croq.foreach %k in %n {
        croq.wait %full at %k
        %next = arith.addi %two, %k : index
        croq.trigger %free at %next
      }
    }
  }
}

// -----

// Even and odd steps are released by different roles: one arrival set each.
// CHECK-LABEL: croq.kernel @ping_pong
croq.kernel @ping_pong dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[FOUR:%.*]] = arith.constant 4 : i32
    // CHECK-COUNT-3: nvvm.mbarrier.init {{%.*}}, [[FOUR]]
    // CHECK-NEXT: }
    %free = croq.event ready : !croq.event<3>
    croq.role "ping" warps [0, 4) {
      croq.foreach %k in 0 to X step 2 {
        croq.trigger %free at %k
      }
    }
    croq.role "pong" warps [4, 8) {
      croq.foreach %k in 1 to X step 2 {
        croq.trigger %free at %k
      }
    }
    croq.role "wait" warps [8, 9) {
      croq.foreach %k in X {
        // Ready: the parity is that of the generation before. `X` is a dim.
        // CHECK: [[PARITY:%.*]] = arith.index_cast
        // CHECK: [[INVERTED:%.*]] = arith.xori [[PARITY]]
        // CHECK: try_wait {{%.*}}, [[INVERTED]]
        croq.wait %free at %k
        // One turn further: the inversions cancel.
        // CHECK: try_wait {{%.*}}, [[PARITY]]
        croq.wait %free at %k + 3
      }
    }
  }
}

// -----

// A running count over tiles: the credits stay apart from the releases, which serve each
// order once although the inner loop starts over.
// CHECK-LABEL: croq.kernel @persistent
croq.kernel @persistent dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[EIGHT:%.*]] = arith.constant 8 : i32
    // CHECK-COUNT-2: nvvm.mbarrier.init {{%.*}}, [[EIGHT]]
    // CHECK-NEXT: }
    %free = croq.event : !croq.event<2>
    croq.role "release" warps [0, 8) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      croq.foreach %s in 2 {
        croq.trigger %free at %s
      }
      %all = croq.foreach %tile in X iter(%count = %zero) {
        %next = croq.foreach %k in Y iter(%c = %count) {
          croq.trigger %free at %c + 2
          %c1 = arith.addi %c, %one : index
          croq.yield %c1 : index
        }
        croq.yield %next : index
      }
    }
    croq.role "wait" warps [8, 9) {
      croq.foreach %k in X {
        croq.wait %free at %k
      }
    }
  }
}

// -----

// `[slot]`: a bit for each slot, carried through loops and conditions; those of a ready
// event start set. Two scopes have their own.
// CHECK-LABEL: croq.kernel @slots
croq.kernel @slots dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[READY:%.*]] = croq.alloc : !croq.tile<2xi64, shared, row_major>
    // CHECK: [[SCALAR:%.*]] = croq.alloc : !croq.tile<1xi64, shared, row_major>
    %ready = croq.event ready : !croq.event<2>
    %scalar = croq.event : !croq.event<1>
    croq.role "a" warps [0, 1) {
      // CHECK: croq.role "a"
      // CHECK-NEXT: [[THREE:%.*]] = arith.constant 3 : i32
      // CHECK-NEXT: [[OUT:%.*]] = croq.foreach {{%.*}} in Y iter([[W:%.*]] = [[THREE]])
      // CHECK-NEXT: [[IN:%.*]] = croq.foreach [[S:%.*]] in 2 iter([[V:%.*]] = [[W]])
      // CHECK-NEXT: [[S32:%.*]] = arith.index_cast [[S]] : index to i32
      // CHECK-NEXT: [[SHIFTED:%.*]] = arith.shrui [[V]], [[S32]] : i32
      // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
      // CHECK-NEXT: [[PARITY:%.*]] = arith.andi [[SHIFTED]], [[ONE]] : i32
      // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
      // CHECK-NEXT: [[BIT:%.*]] = arith.shli [[ONE]], [[S32]] : i32
      // CHECK-NEXT: [[NEXT:%.*]] = arith.xori [[V]], [[BIT]] : i32
      // CHECK-NEXT: [[P:%.*]] = croq.address [[READY]][[[S]]]
      // CHECK: nvvm.mbarrier.try_wait [[P]], [[PARITY]]
      // CHECK: croq.yield [[NEXT]] : i32
      // CHECK: croq.yield [[IN]] : i32
      croq.foreach %j in Y {
        croq.foreach %s in 2 {
          croq.wait %ready[%s]
        }
      }
      // CHECK: [[LEFT:%.*]] = scf.if {{%.*}} -> (i32) {
      // CHECK: [[FLIPPED:%.*]] = arith.xori [[OUT]], {{%.*}} : i32
      // CHECK: scf.yield [[FLIPPED]] : i32
      // CHECK-NEXT: } else {
      // CHECK-NEXT: scf.yield [[OUT]] : i32
      // CHECK: arith.andi [[LEFT]]
      %c = arith.constant true
      scf.if %c {
        croq.wait %ready[1]
      }
      croq.wait %ready[0]
    }
    croq.role "b" warps [1, 3) {
      // Known as long as no loop carries it: parity 0, then 1; then the loop's own.
      // CHECK: croq.role "b"
      // CHECK-NEXT: [[ZERO:%.*]] = arith.constant 0 : i32
      // CHECK-NEXT: [[P:%.*]] = croq.address [[SCALAR]][0]
      // CHECK: try_wait [[P]], [[ZERO]]
      // CHECK: [[ONE:%.*]] = arith.constant 1 : i32
      // CHECK: try_wait {{%.*}}, [[ONE]]
      // CHECK: [[ZERO:%.*]] = arith.constant 0 : i32
      // CHECK: [[SUM:%.*]], {{%.*}} = scf.for {{%.*}} iter_args({{%.*}} = {{%.*}}, [[W:%.*]] = [[ZERO]]) -> (index, i32)
      // CHECK: arith.xori [[W]]
      // CHECK: try_wait {{%.*}}, [[W]]
      // CHECK: croq.foreach {{%.*}} in [[SUM]]
      croq.wait %scalar
      croq.wait %scalar
      %lb = arith.constant 0 : index
      %ub = arith.constant 5 : index
      %step = arith.constant 1 : index
      %sum = scf.for %k = %lb to %ub step %step iter_args(%a = %lb) -> (index) {
        croq.wait %scalar
        %b = arith.addi %a, %k : index
        scf.yield %b : index
      }
      croq.foreach %k in %sum {
        croq.trigger %ready[0]
      }
      croq.trigger %ready[1]
    }
    croq.role "c" warps [3, 4) {
      croq.trigger %scalar
    }
  }
}

// -----

// The block as the scope, a load and a copy by threads on one event: the threads
// arrive, the leader announces the bytes. The order is computed before the load.
// CHECK-LABEL: croq.kernel @block
croq.kernel @block dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block threads 64 {
    // CHECK: [[LEADER:%.*]] = croq.elect
    // CHECK: arith.constant 64 : i32
    %e = croq.event : !croq.event<2>
    %a = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %t = croq.subspan %p [32, 64] tile (%i, 0)
    croq.foreach %k in Y {
      // CHECK: croq.copy_async {{%.*}} => {{%.*}} engine(threads)
      // CHECK: scf.if [[LEADER]] {
      // CHECK-NEXT: [[BYTES:%.*]] = arith.constant 4096 : i32
      // CHECK-NEXT: nvvm.mbarrier.expect_tx [[P:%.*]], [[BYTES]]
      // CHECK: croq.copy_async {{%.*}} => {{%.*}} engine(tma) completes [[P]]
      // CHECK: nvvm.mbarrier.arrive [[P]]
      %f = croq.copy_async %t => %a engine(threads)
      %g = croq.copy_async %t => %b engine(tma)
      %one = arith.constant 1 : index
      %o = arith.addi %k, %one : index
      croq.trigger %e at %o after %f, %g
      croq.parallel (%t0, %t1) in (2, 32) : thread {
        // CHECK: croq.parallel
        // CHECK: try_wait
        croq.wait %e at %k
      }
    }
  }
}

// -----

// The leader arrives and announces the bytes before it starts the copies, but not before the
// scope is through with what it does between them and the trigger. What other threads wrote
// is published by a barrier that is there already.
// CHECK-LABEL: croq.kernel @published
croq.kernel @published dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: croq.barrier
    %e = croq.event : !croq.event<1>
    %other = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %t = croq.subspan %p [64, 64] tile (%i, 0)
    croq.role "work" warps [0, 4) {
      croq.foreach %k in 8 {
        // CHECK: croq.role "work"
        // CHECK: croq.copy_async {{.*}} completes
        // CHECK: try_wait
        // CHECK: scf.if
        // CHECK-NEXT: arith.constant 8192
        // CHECK-NEXT: arrive.expect_tx
        %f = croq.copy_async %t => %a engine(tma)
        croq.wait %other at %k
        croq.trigger %e at %k after %f
      }
      // CHECK: croq.foreach
      croq.foreach %k in 8 {
        // CHECK-NEXT: croq.barrier
        // CHECK-NEXT: croq.address
        // CHECK-NEXT: scf.if
        // CHECK: croq.copy_async {{.*}} completes
        // CHECK-NEXT: croq.copy {{%.*}} => {{%.*}} engine(threads)
        croq.barrier
        %f = croq.copy_async %t => %a engine(tma)
        croq.trigger %e at %k + 8 after %f
        croq.copy %t => %b engine(threads)
      }
    }
    croq.role "wait" warps [4, 5) {
      croq.trigger %other at 0
      croq.foreach %k in 16 {
        croq.wait %e at %k
      }
    }
  }
}

// -----

// Either branch makes the arrivals of its generation.
// CHECK-LABEL: croq.kernel @branches
croq.kernel @branches dims(X, Y) (%p: !croq.tile<[X]x[Y]xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: [[TWO:%.*]] = arith.constant 2 : i32
    // CHECK: nvvm.mbarrier.init {{%.*}}, [[TWO]]
    %e = croq.event : !croq.event<1>
    %zero = arith.constant 0 : index
    croq.role "work" warps [0, 2) {
      croq.foreach %k in X {
        %first = arith.cmpi eq, %k, %zero : index
        scf.if %first {
          croq.trigger %e at %k
        } else {
          croq.trigger %e at %k
        }
      }
    }
    croq.role "wait" warps [2, 3) {
      croq.foreach %k in X {
        croq.wait %e at %k
      }
    }
  }
}

// -----

// One thread does everything in the role: it makes the plain arrival, too, and alone.
// CHECK-LABEL: croq.kernel @alone
croq.kernel @alone (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // CHECK: scf.if
    // CHECK: [[ONE:%.*]] = arith.constant 1 : i32
    // CHECK: nvvm.mbarrier.init {{%.*}}, [[ONE]]
    // CHECK: [[FOUR:%.*]] = arith.constant 4 : i32
    // CHECK: nvvm.mbarrier.init {{%.*}}, [[FOUR]]
    %done = croq.event : !croq.event<1>
    %ready = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    croq.role "store" warpgroups [0, 1) {
      // CHECK: croq.role "store"
      // CHECK-NEXT: [[LEADER:%.*]] = croq.elect
      // CHECK: scf.if [[LEADER]] {
      // CHECK-NEXT: scf.while
      // CHECK: croq.copy {{%.*}} engine(tma)
      // CHECK: scf.if [[LEADER]] {
      // CHECK-NEXT: nvvm.mbarrier.arrive
      // CHECK-NEXT: }
      croq.wait %ready at 0
      croq.copy %a => %p engine(tma)
      croq.trigger %done at 0
    }
    croq.role "fill" warpgroups [1, 2) {
      croq.trigger %ready at 0
      croq.wait %done at 0
    }
  }
}

// -----

// The orders of the two roles are disjoint, though no rule here tells. The event states its
// arrivals, and each trigger makes as many.
// CHECK: croq.kernel @turns
croq.kernel @turns dims(N) () {
  croq.parallel (%i) in (1) : block {
    // CHECK: [[ONE:%.*]] = arith.constant 1 : i32
    // CHECK: nvvm.mbarrier.init {{%.*}}, [[ONE]]
    %done = croq.event arrivals 1 : !croq.event<2>
    %n = croq.dim N
    croq.role "even" warps [0, 1) {
      croq.foreach %k in 0 to %n step 2 {
        %order = arith.muli %k, %n : index
        croq.trigger %done at %order
      }
    }
    croq.role "odd" warps [1, 2) {
      croq.foreach %k in 1 to %n step 2 {
        %order = arith.muli %k, %n : index
        croq.trigger %done at %order
      }
    }
  }
}

// -----

// A cluster of 2x2. The arrivals of a multicast trigger come from all blocks of its column (or
// row), and go to all of these: rank 2 j, 2 j + 1 along the first index, i, i + 2 along the
// second. The bytes of a multicast copy come from all that send it. No block goes on before the
// mbarriers of its peers are there.
// CHECK-LABEL: croq.kernel @cluster
// CHECK: croq.parallel ([[I:%.*]], [[J:%.*]]) in (2, 2) : block
// CHECK: [[ONE:%.*]] = arith.constant 1 : i32
// CHECK: nvvm.mbarrier.init {{%.*}}, [[ONE]]
// CHECK: [[FROM:%.*]] = arith.constant 8 : i32
// CHECK: nvvm.mbarrier.init {{%.*}}, [[FROM]]
// CHECK: croq.barrier cluster
// CHECK: croq.role "load"
// CHECK: [[BYTES:%.*]] = arith.constant 24576 : i32
// CHECK: nvvm.mbarrier.arrive.expect_tx {{%.*}}, [[BYTES]] : !llvm.ptr<3>, i32
// CHECK: croq.copy_async {{%.*}} engine(tma) completes
// CHECK: croq.copy_async {{%.*}} engine(tma) multicast [0] completes
// CHECK: croq.role "read"
// CHECK: [[COL:%.*]] = croq.address {{%.*}}[0] : !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: [[LANE:%.*]] = nvvm.elect.sync
// CHECK: scf.if [[LANE]] {
// CHECK-NEXT: [[J32:%.*]] = arith.index_cast [[J]] : index to i32
// CHECK-NEXT: [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[R0:%.*]] = arith.muli [[J32]], [[TWO]] : i32
// CHECK-NEXT: [[P0:%.*]] = nvvm.mapa [[COL]], [[R0]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive [[P0]] : !llvm.ptr<7>
// CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[R1:%.*]] = arith.addi [[R0]], [[ONE]] : i32
// CHECK-NEXT: [[P1:%.*]] = nvvm.mapa [[COL]], [[R1]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive [[P1]] : !llvm.ptr<7>
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT: [[I32:%.*]] = arith.index_cast [[I]] : index to i32
// CHECK-NEXT: nvvm.mapa {{%.*}}, [[I32]]
// CHECK-NEXT: nvvm.mbarrier.arrive
// CHECK-NEXT: [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[R2:%.*]] = arith.addi [[I32]], [[TWO]] : i32
// CHECK-NEXT: nvvm.mapa {{%.*}}, [[R2]]
croq.kernel @cluster (%p: !croq.tile<512x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 2) : block {
      %full = croq.event : !croq.event<1>
      %empty = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
      %b = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
      croq.role "load" warpgroups [0, 1) {
        croq.wait %empty at 0
        %part = croq.chunkat %b [2, 1] at (%i, 0)
        %x = croq.subspan %p [64, 64] tile (%i, 0)
        %y = croq.subspan %p [64, 64] tile (%c, 0)
        %f = croq.copy_async %x => %a engine(tma)
        %g = croq.copy_async %y => %part engine(tma) multicast [0]
        croq.trigger %full at 0 after %f, %g
      }
      croq.role "read" warps [4, 6) {
        croq.trigger %empty at 0 multicast [0]
        croq.trigger %empty at 0 multicast [1]
        croq.wait %full at 0
      }
      croq.barrier cluster
    }
  }
}

// -----

// Along an index of extent 1 there is nobody else.
// CHECK-LABEL: croq.kernel @row
// CHECK: croq.role "read"
// CHECK-NOT: nvvm.mapa
// CHECK: nvvm.mbarrier.arrive {{%.*}} : !llvm.ptr<3>
// CHECK: nvvm.mapa
croq.kernel @row () {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %one = croq.event : !croq.event<1>
      %two = croq.event : !croq.event<1>
      croq.role "read" warps [0, 1) {
        croq.trigger %one at 0 multicast [1]
        croq.trigger %two at 0 multicast [0, 1]
      }
      croq.role "wait" warps [1, 2) {
        croq.wait %one at 0
        croq.wait %two at 0
      }
      croq.barrier cluster
    }
  }
}

// -----

// The phases of waits by slot go through a loop that ends on a condition, too.
// CHECK-LABEL: croq.kernel @until
croq.kernel @until (%n: index) {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<2>
    croq.role "waits" warpgroups [0, 1) {
      // CHECK: [[ZERO:%.*]] = arith.constant 0 : i32
      // CHECK: scf.while ({{%.*}} = %n, [[P:%.*]] = [[ZERO]]) : (index, i32) -> (index, i32) {
      %end = scf.while (%i = %n) : (index) -> index {
        // CHECK: scf.condition({{%.*}}) {{%.*}}, [[P]] : index, i32
        %one = arith.constant 1 : index
        %more = arith.cmpi ugt, %i, %one : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        // CHECK: ^bb0({{%.*}}: index, [[Q:%.*]]: i32):
        // CHECK: arith.andi {{%.*}} : i32
        // CHECK: [[R:%.*]] = arith.xori [[Q]], {{%.*}} : i32
        // CHECK: scf.yield {{%.*}}, [[R]] : index, i32
        %two = arith.constant 2 : index
        %slot = arith.remui %i, %two : index
        croq.wait %e[%slot]
        %half = arith.divui %i, %two : index
        scf.yield %half : index
      }
    }
    croq.role "arrives" warpgroups [1, 2) {
      croq.trigger %e[0]
    }
  }
}
