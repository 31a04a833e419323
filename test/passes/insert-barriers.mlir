// RUN: croq-opt --insert-barriers --split-input-file %s | filecheck %s

// One barrier, between the threads' stores and the thread that lets TMA read them. Events
// order the ring; a trigger needs no barrier.
// CHECK: croq.kernel @epilogue
// CHECK-SAME: attributes {explicit_barriers}
// CHECK-NOT: croq.barrier
// CHECK: croq.mma.store
// CHECK-NEXT: croq.subspan
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy
// CHECK-NOT: croq.barrier
croq.kernel @epilogue dims(P, Q, R) (
    %x: !croq.tile<[P]x[R]xf16, global>, %y: !croq.tile<[P]x[Q]xf16, global>) {
  %steps = croq.cdiv R, 64
  croq.parallel (%i, %j) in (4, 4) : block {
    %landed = croq.event : !croq.event<3>
    %drained = croq.event ready : !croq.event<3>
    %ring = croq.alloc : !croq.tile<3x64x64xf16, shared, swizzle<128>>
    %stage_out = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    croq.role "math" warpgroups [0, 1) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %sum = croq.foreach %k in %steps iter(%c = %zero) {
        croq.wait %landed at %k
        %s = croq.slot %ring at %k
        %c1 = croq.mma.exec row.row %c, %s, %s
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %drained at %k
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %sum => %stage_out
      %to = croq.subspan %y [64, 64] tile (%i, %j)
      croq.copy %stage_out => %to engine(tma)
    }
    croq.role "load" warps [4, 5) {
      croq.foreach %k in %steps {
        croq.wait %drained at %k
        %from = croq.subspan %x [64, 64] tile (%i, %k)
        %s = croq.slot %ring at %k
        %f = croq.copy_async %from => %s engine(tma)
        croq.trigger %landed at %k after %f
      }
    }
  }
}

// -----

// Of many tiles in turn, each also waits until TMA has read the last one.
// CHECK: croq.kernel @persistent
// CHECK: croq.foreach
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.mma.store
// CHECK-NEXT: croq.subspan
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy_async
// CHECK-NEXT: croq.await
// CHECK-NEXT: }
croq.kernel @persistent dims(P) (%y: !croq.tile<[P]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %stage_out = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %sum = croq.mma.fill 1.0 : !croq.acc<64x64xf32>
    croq.foreach %t in P {
      croq.mma.store %sum => %stage_out
      %to = croq.subspan %y [64, 64] tile (%t, 0)
      %f = croq.copy_async %stage_out => %to engine(tma)
      croq.await %f read
    }
  }
}

// -----

// Threads fill a ring of two stages: the barrier after a fill also keeps the next but one
// away from the reads before it.
// CHECK: croq.kernel @two_stages
// CHECK: croq.foreach
// CHECK-NOT: croq.barrier
// CHECK: croq.copy
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.mma.exec
// CHECK-NOT: croq.barrier
// CHECK: croq.yield
croq.kernel @two_stages dims(R) (%x: !croq.tile<64x[R]xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %ring = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %first = arith.constant 5 : index
    %one = arith.constant 1 : index
    %sum, %last = croq.foreach %k in R iter(%c = %zero, %count = %first) {
      %from = croq.subspan %x [64, 64] tile (0, %k)
      %order = arith.addi %count, %one : index
      %s = croq.slot %ring at %order
      croq.copy %from => %s engine(threads)
      %c1 = croq.mma.exec row.row %c, %s, %s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3, %order : !croq.acc<64x64xf32>, index
    }
  }
}

// -----

// With one stage, two barriers: before each fill too.
// CHECK: croq.kernel @one_stage
// CHECK: croq.foreach
// CHECK: croq.barrier
// CHECK-NEXT: croq.copy
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.mma.exec
// CHECK-NOT: croq.barrier
// CHECK: croq.yield
croq.kernel @one_stage dims(R) (%x: !croq.tile<64x[R]xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %ring = croq.alloc : !croq.tile<1x64x64xf16, shared, swizzle<128>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %sum = croq.foreach %k in R iter(%c = %zero) {
      %from = croq.subspan %x [64, 64] tile (0, %k)
      %s = croq.slot %ring at %k
      croq.copy %from => %s engine(threads)
      %c1 = croq.mma.exec row.row %c, %s, %s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<64x64xf32>
    }
  }
}

// -----

// TMA refills a stage that all threads have read: before the first of the loads only.
// One group of products stays in flight; it reads the other stage.
// CHECK: croq.kernel @prefetch
// CHECK: croq.foreach
// CHECK: croq.mma.wait
// CHECK: croq.barrier
// CHECK-NEXT: croq.copy_async
// CHECK-NEXT: croq.copy_async
// CHECK-NOT: croq.barrier
croq.kernel @prefetch dims(R) (%x: !croq.tile<64x[R]xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<2>
    %a = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %sum = croq.foreach %k in R iter(%c = %zero) {
      croq.wait %e at %k
      %ak = croq.slot %a at %k
      %bk = croq.slot %b at %k
      %c1 = croq.mma.exec row.row %c, %ak, %bk
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 1
      %from = croq.subspan %x [64, 64] tile (0, %k)
      %an = croq.slot %a at %k + 1
      %bn = croq.slot %b at %k + 1
      %f = croq.copy_async %from => %an engine(tma)
      %g = croq.copy_async %from => %bn engine(tma)
      croq.trigger %e at %k + 1 after %f, %g
      croq.yield %c3 : !croq.acc<64x64xf32>
    }
  }
}

// -----

// A thread reads what it wrote itself: no barrier. What another wrote: before the
// parallel op, not inside. The last two have their barriers already.
// CHECK: croq.kernel @threads
// CHECK-NOT: croq.barrier
// CHECK: croq.parallel {{.*}} : thread
// CHECK-NOT: croq.barrier
// CHECK: croq.parallel {{.*}} : thread
// CHECK: croq.load
// CHECK: croq.barrier
// CHECK-NEXT: croq.parallel {{.*}} : thread
// CHECK-NEXT: croq.load
// CHECK-NEXT: }
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.parallel {{.*}} : thread
// CHECK-NEXT: croq.store
// CHECK-NEXT: }
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.parallel {{.*}} : thread
// CHECK-NOT: croq.barrier
croq.kernel @threads () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<16x8xf32, shared, row_major>
    %one = arith.constant 1.0 : f32
    croq.parallel (%x, %y) in (16, 8) : thread {
      croq.store %one, %t[%x, %y]
    }
    croq.parallel (%p, %q) in (16, 8) : thread {
      %v = croq.load %t[%p, %q]
      croq.store %v, %t[%p, %q]
    }
    croq.parallel (%p, %q) in (8, 16) : thread {
      %v = croq.load %t[%q, %p]
    }
    croq.barrier
    croq.parallel (%p, %q) in (16, 8) : thread {
      croq.store %one, %t[%p, %q]
    }
    croq.barrier
    croq.parallel (%p) in (16) : thread {
      %v = croq.load %t[%p, 0]
    }
  }
}

// -----

// What was before a loop is ordered before the loop, not in each iteration; of the
// branches of a condition that all threads share, the one that needs it.
// CHECK: croq.kernel @structure
// CHECK: croq.copy
// CHECK: croq.barrier
// CHECK-NEXT: croq.foreach
// CHECK-NOT: croq.barrier
// CHECK: scf.if
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy
// CHECK-NEXT: } else {
// CHECK-NEXT: croq.mma.fill
// CHECK-NEXT: }
// CHECK: croq.elect
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: croq.store
// CHECK-NOT: croq.barrier
croq.kernel @structure dims(R) (%x: !croq.tile<[R]x64xf32, global>) {
  %r = croq.dim R
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<16x64xf32, shared, row_major>
    %from = croq.subspan %x [16, 64] tile (0, 0)
    croq.copy %from => %t engine(threads)
    croq.foreach %k in R {
      %to = croq.subspan %x [16, 64] tile (%k, 0)
      croq.copy %t => %to engine(threads)
    }
    %c4 = arith.constant 4 : index
    %many = arith.cmpi ugt, %r, %c4 : index
    scf.if %many {
      croq.copy %from => %t engine(threads)
    } else {
      %unused = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    }
    %one = arith.constant 1.0 : f32
    %leader = croq.elect
    scf.if %leader {
      croq.store %one, %t[0, 0]
    }
  }
}

// -----

// What the block did before its roles is ordered before the first of them. A role of
// threads that fill a ring gives each element to the same thread every time.
// CHECK: croq.kernel @roles
// CHECK: croq.parallel {{.*}} : thread
// CHECK: croq.barrier
// CHECK-NEXT: croq.role "fill"
// CHECK-NOT: croq.barrier
croq.kernel @roles dims(R) (%x: !croq.tile<[R]x64xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %filled = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %bias = croq.alloc : !croq.tile<128xf32, shared, row_major>
    %ring = croq.alloc : !croq.tile<2x16x64xf32, shared, row_major>
    %one = arith.constant 1.0 : f32
    croq.parallel (%p) in (128) : thread {
      croq.store %one, %bias[%p]
    }
    croq.role "fill" warps [0, 2) {
      croq.foreach %k in R {
        croq.wait %free at %k
        %from = croq.subspan %x [16, 64] tile (%k, 0)
        %s = croq.slot %ring at %k
        %f = croq.copy_async %from => %s engine(threads)
        croq.trigger %filled at %k after %f
      }
    }
    croq.role "drain" warps [2, 4) {
      croq.foreach %k in R {
        croq.wait %filled at %k
        %s = croq.slot %ring at %k
        %v = croq.load %s[0, 0]
        %w = croq.load %bias[3]
        croq.trigger %free at %k
      }
    }
  }
}

// -----

// One buffer, refilled in a loop: the readers of a step must be done before the writers of
// the next, so the loop needs two barriers.

// CHECK: croq.kernel @refill
// CHECK:         croq.foreach
// CHECK-NEXT:      croq.subspan
// CHECK-NEXT:      croq.barrier
// CHECK-NEXT:      croq.copy
// CHECK-NEXT:      croq.barrier
// CHECK-NEXT:      croq.parallel
// CHECK-NOT:     croq.barrier
croq.kernel @refill dims(N) (
    %src: !croq.tile<[N]xf32, global>, %dst: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (4) : block threads 32 {
    %buffer = croq.alloc : !croq.tile<32xf32, shared, row_major>
    croq.foreach %k in 8 {
      %s = croq.subspan %src [32] tile (%k)
      croq.copy %s => %buffer engine(threads)
      croq.parallel (%t) in (32) : thread {
        %x = croq.load %buffer[%t]
        croq.store %x, %dst[%t]
      }
    }
  }
}

// -----

// What the block wrote before its roles start, a role reads; what a role wrote, the block
// reads after. The roles themselves run beside each other.

// CHECK: croq.kernel @around_roles
// CHECK:         croq.copy
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.role "a"
// CHECK-NOT:     croq.barrier
// CHECK:         croq.role "b"
// CHECK-NOT:     croq.barrier
// CHECK:         }
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.copy
croq.kernel @around_roles (
    %src: !croq.tile<32x32xf32, global>, %dst: !croq.tile<32x32xf32, global>) {
  croq.parallel (%bx) in (1) : block {
    %x = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    %y = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    croq.copy %src => %x engine(threads)
    croq.role "a" warps [0, 4) {
      croq.copy %x => %y engine(threads)
    }
    croq.role "b" warps [4, 8) {
      croq.copy %x => %dst engine(threads)
    }
    croq.copy %y => %dst engine(threads)
  }
}

// -----

// Two copies fill the halves of each stage of a ring, whose stages events protect: the same
// threads write the same halves every time. Not so if the halves change places.
// CHECK: croq.kernel @halves
// CHECK-NOT: croq.barrier
// CHECK: croq.role "crossed"
// CHECK: croq.barrier
// CHECK-NEXT: croq.copy
// CHECK-NOT: croq.barrier
croq.kernel @halves dims(R) (%x: !croq.tile<[R]x64xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %filled = croq.event : !croq.event<2>
    %free = croq.event ready : !croq.event<2>
    %a = croq.alloc : !croq.tile<2x16x64xf32, shared, row_major>
    %b = croq.alloc : !croq.tile<2x16x64xf32, shared, row_major>
    croq.role "straight" warps [0, 2) {
      croq.foreach %k in R {
        croq.wait %free at %k
        %from = croq.subspan %x [8, 64] tile (%k, 0)
        %s = croq.slot %a at %k
        %upper = croq.chunkat %s [2, _] at (0, _)
        %lower = croq.chunkat %s [2, _] at (1, _)
        %f = croq.copy_async %from => %upper engine(threads)
        %g = croq.copy_async %from => %lower engine(threads)
        croq.trigger %filled at %k after %f, %g
      }
    }
    croq.role "crossed" warps [2, 4) {
      croq.foreach %k in R {
        croq.wait %free at %k
        %from = croq.subspan %x [8, 64] tile (%k, 0)
        %s = croq.slot %b at %k
        %half = croq.chunkat %s [2, _] at (%i, _)
        croq.copy %from => %half engine(threads)
        croq.trigger %filled at %k
      }
    }
  }
}

// -----

// Every warp waits for %free, and one thread starts the load: without a barrier it could be
// two phases ahead of a slow warp. Not in a role in which that thread does everything, nor
// where each warp gives the event itself.

// CHECK-LABEL: croq.kernel @lagging
croq.kernel @lagging dims(M, K) (
    %in: !croq.tile<[M]x[K]xf16, global>, %out: !croq.tile<[M]x[K]xf16, global>) {
  %steps = croq.cdiv K, 64
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<1>
    %free = croq.event ready : !croq.event<1>
    %more = croq.event : !croq.event<1>
    %own = croq.event ready : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %c = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK: croq.role "mixed"
    croq.role "mixed" warps [0, 4) {
      croq.foreach %k in %steps {
        // CHECK:      croq.wait %free at
        // CHECK-NEXT: croq.subspan
        // CHECK-NEXT: croq.barrier
        // CHECK-NEXT: croq.copy_async
        croq.wait %free at %k
        %t = croq.subspan %in [64, 64] tile (0, %k)
        %f = croq.copy_async %t => %a engine(tma)
        croq.trigger %full at %k after %f
        // CHECK: croq.wait %own at
        // CHECK-NOT: croq.barrier
        // CHECK: croq.trigger %own
        croq.wait %own at %k
        %g = croq.copy_async %t => %b_s engine(tma)
        croq.trigger %more at %k after %g
        croq.wait %more at %k
        croq.trigger %own at %k
        croq.copy %t => %c engine(threads)
      }
    }
    // CHECK: croq.role "alone"
    // CHECK-NOT: croq.barrier
    croq.role "alone" warps [4, 8) {
      croq.foreach %k in %steps {
        croq.wait %full at %k
        %o = croq.subspan %out [64, 64] tile (0, %k)
        croq.copy %a => %o engine(tma)
        croq.trigger %free at %k
      }
    }
  }
}

// -----

// Stores in flight are ordered by the wait that counts them: the barrier comes after it, for
// the threads that write to the buffer next.
// CHECK: croq.kernel @panels
// CHECK: croq.foreach
// CHECK-NEXT: croq.view
// CHECK-NEXT: croq.await_stores in_flight 1 read
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.mma.store
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy_async
// CHECK-NEXT: croq.await_stores in_flight 1 read
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.mma.store
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy_async
// CHECK-NEXT: croq.mma.store
// CHECK-NEXT: }
// CHECK-NEXT: croq.await_stores in_flight 0
croq.kernel @panels dims(X) (%p: !croq.tile<[X]x128xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %o = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %own = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x128xf32>
    %a = croq.slot %o at 0
    %b = croq.slot %o at 1
    croq.foreach %t in 8 {
      %to = croq.view %p [64, 64] from (%t, 0)
      croq.await_stores in_flight 1 read
      croq.mma.store %acc cols [0, 64) => %a
      %f = croq.copy_async %a => %to engine(tma)
      croq.await_stores in_flight 1 read
      croq.mma.store %acc cols [64, 128) => %b
      %g = croq.copy_async %b => %to engine(tma)
      croq.mma.store %acc cols [0, 64) => %own
    }
    croq.await_stores in_flight 0
  }
}

// -----

// Peers send other parts of a buffer than this block sends to them: all of it may be written.
// CHECK-LABEL: croq.kernel @parts
// CHECK:      croq.copy {{%.*}} => {{%.*}} engine(threads)
// CHECK-NEXT: croq.barrier
// CHECK-NEXT: croq.copy_async {{%.*}} multicast [0]
croq.kernel @parts (%p: !croq.tile<128x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i) in (2) : block {
      %full = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
      %first = croq.view %a [64, 64] from (0, 0)
      %second = croq.view %a [64, 64] from (64, 0)
      %t = croq.subspan %p [64, 64] tile (%i, 0)
      croq.copy %t => %first engine(threads)
      %f = croq.copy_async %t => %second engine(tma) multicast [0]
      croq.trigger %full after %f
      croq.wait %full
      croq.barrier cluster
    }
  }
}

// -----

// One thread arrives for a trigger after TMA loads. What others of its role have read or
// written until then is over for a role that waits for it: they meet before it. Before the
// loads, but where the arrival has to come after what the role does in between.
// CHECK-LABEL: croq.kernel @one_arrives
croq.kernel @one_arrives (%p: !croq.tile<64x64xf16, global>, %q: !croq.tile<64xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<4>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %x = croq.alloc : !croq.tile<128xf32, shared, row_major>
    %y = croq.alloc : !croq.tile<128xf32, shared, row_major>
    %z = croq.alloc : !croq.tile<128xf32, shared, row_major>
    %zero = arith.constant 0.0 : f32
    // CHECK: croq.role "first"
    croq.role "first" warps [0, 4) {
      croq.parallel (%t) in (128) : thread {
        croq.store %zero, %z[%t]
      }
      // Nobody else touches %z.
      // CHECK: croq.store
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.copy_async
      // CHECK-NEXT: croq.trigger
      %f = croq.copy_async %p => %a engine(tma)
      croq.trigger %e[0] after %f
      // CHECK: croq.load
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: croq.copy_async
      // CHECK-NEXT: croq.trigger
      croq.parallel (%t) in (128) : thread {
        %v = croq.load %x[%t]
      }
      %g = croq.copy_async %p => %a engine(tma)
      croq.trigger %e[1] after %g
      // CHECK-NEXT: croq.copy_async
      // CHECK: croq.store
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: croq.trigger
      %h = croq.copy_async %p => %a engine(tma)
      croq.parallel (%t) in (128) : thread {
        croq.store %zero, %y[%t]
      }
      croq.trigger %e[2] after %h
      // A loop that has read; the place is after it. In global memory, too.
      // CHECK-NEXT: croq.view
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: croq.foreach
      // CHECK-NEXT: croq.copy {{.*}} engine(threads)
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: croq.copy_async
      // CHECK-NEXT: croq.trigger
      // CHECK-NEXT: }
      %part = croq.view %z [64] from (0)
      croq.foreach %k in 2 {
        croq.copy %part => %q engine(threads)
      }
      %j = croq.copy_async %p => %a engine(tma)
      croq.trigger %e[3] after %j
    }
    // CHECK: croq.role "second"
    // CHECK-NOT: croq.barrier
    croq.role "second" warps [4, 8) {
      croq.foreach %k in 4 {
        croq.wait %e[%k]
      }
      croq.parallel (%t) in (128) : thread {
        %v = croq.load %y[%t]
        croq.store %v, %x[%t]
      }
      croq.parallel (%t) in (1) : thread {
        %v = croq.load %q[%t]
      }
    }
  }
}

// -----

// Each thread arrives, or each warp, or nobody else waits: no barrier.
// CHECK-LABEL: croq.kernel @all_arrive
// CHECK-NOT: croq.barrier
croq.kernel @all_arrive (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<2>
    %w = croq.event : !croq.event<1>
    %own = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %x = croq.alloc : !croq.tile<128xf32, shared, row_major>
    croq.role "first" warps [0, 4) {
      croq.parallel (%t) in (128) : thread {
        %v = croq.load %x[%t]
      }
      %h = croq.copy_async %p => %a engine(tma)
      croq.trigger %own[0] after %h
      %f = croq.copy_async %p => %a engine(tma)
      %g = croq.copy_async %p => %a engine(threads)
      croq.trigger %e[0] after %f, %g
      croq.trigger %w[0]
      croq.wait %own[0]
    }
    croq.role "second" warps [4, 8) {
      croq.wait %e[0]
      croq.wait %w[0]
      croq.parallel (%t) in (128) : thread {
        %zero = arith.constant 0.0 : f32
        croq.store %zero, %x[%t]
      }
    }
  }
}

// -----

// A filled tile of global memory is handed on to the threads that add to it. Each of its
// elements is one thread's in all iterations: none meet in the loop.
// CHECK: croq.kernel @global_tiles
croq.kernel @global_tiles (%x: !croq.tile<16x8xf32, global>, %y: !croq.tile<16x8xf32, global>,
    %z: !croq.tile<16x8xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    // CHECK: croq.fill %y
    // CHECK-NEXT: croq.copy
    // CHECK-NEXT: croq.barrier
    // CHECK-NEXT: croq.foreach
    // CHECK-NOT: croq.barrier
    croq.fill %y, 0.0
    croq.copy %x => %z engine(threads)
    croq.foreach %k in 2 {
      croq.parallel (%r, %c) in (16, 8) : thread {
        %last = arith.constant 15 : index
        %up = arith.subi %last, %r : index
        %old = croq.load %y[%up, %c]
        croq.store %old, %y[%up, %c]
      }
    }
  }
}

// -----

// An element that another thread stores to in the next iteration; and one that is stored
// to at the end of each, by all threads and by TMA.
// CHECK: croq.kernel @global_turns
croq.kernel @global_turns (%x: !croq.tile<128x4xf32, global>, %y: !croq.tile<128x4xf32, global>,
    %z: !croq.tile<128x4xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<128x4xf32, shared, row_major>
    croq.copy %x => %a engine(tma)
    // CHECK: croq.foreach
    croq.foreach %k in 2 {
      // CHECK-NEXT: croq.parallel
      // CHECK: croq.barrier
      // CHECK-NEXT: croq.copy %a => %z engine(threads)
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: croq.copy %a => %z engine(tma)
      croq.parallel (%t) in (128) : thread {
        %size = arith.constant 128 : index
        %next = arith.addi %t, %k : index
        %row = arith.remui %next, %size : index
        %v = croq.load %x[%row, 0]
        croq.store %v, %y[%row, 0]
      }
      croq.copy %a => %z engine(threads)
      croq.copy %a => %z engine(tma)
    }
  }
}

// -----

// Tiles of an output are apart, or the same and divided in the same way.
// CHECK: croq.kernel @global_output
// CHECK-NOT: croq.barrier
croq.kernel @global_output (%x: !croq.tile<256x4xf32, global>, %y: !croq.tile<256x4xf32, global>,
    %z: !croq.tile<512xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    croq.foreach %k in 2 {
      %i = croq.subspan %x [64, 4] tile (%k, 0)
      %o = croq.subspan %y [64, 4] tile (%k, 0)
      %i0 = croq.chunkat %i [2, _] at (0, 0)
      %i1 = croq.chunkat %i [2, _] at (1, 0)
      %o0 = croq.chunkat %o [2, _] at (0, 0)
      %o1 = croq.chunkat %o [2, _] at (1, 0)
      croq.elementwise (%e = %i0) => %o0 {
        %d = arith.addf %e, %e : f32
        croq.yield %d : f32
      }
      croq.elementwise (%e = %i1) => %o1 {
        %d = arith.mulf %e, %e : f32
        croq.yield %d : f32
      }
      croq.parallel (%t) in (128) : thread {
        %size = arith.constant 128 : index
        %first = arith.muli %k, %size : index
        %at = arith.addi %first, %t : index
        %v = croq.load %x[%t, 0]
        croq.store %v, %z[%at]
      }
    }
  }
}
