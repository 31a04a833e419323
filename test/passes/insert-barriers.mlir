// RUN: croq-opt --insert-barriers %s --split-input-file | filecheck %s

// A barrier between the accumulator's way into shared memory and the store that one thread
// starts; none in the rings, whose slots events protect.

// CHECK-LABEL: croq.kernel @role
// CHECK:         croq.role "producer"
// CHECK-NOT:     croq.barrier
// CHECK:         croq.role "consumer"
// CHECK-NOT:     croq.barrier
// CHECK:         croq.mma.store
// CHECK-NEXT:    croq.subspan
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.copy
// CHECK-NOT:     croq.barrier
croq.kernel @role dims(M, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>, %out: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%bm) in (1) : block {
    %full = croq.event : !croq.event<2>
    %empty = croq.event ready : !croq.event<2>
    %a_s = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %o_s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    croq.role "producer" warpgroups [0, 1) {
      croq.foreach %k in 8 {
        croq.wait %empty at %k
        %a = croq.subspan %lhs [64, 64] tile (%bm, %k)
        %as = croq.slot %a_s at %k
        %f = croq.copy_async %a => %as engine(threads)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "consumer" warpgroups [1, 2) {
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %acc = croq.foreach %k in 8 iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %as
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %empty at %k
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [64, 64] tile (%bm, 0)
      croq.copy %o_s => %o engine(tma)
    }
  }
}

// -----

// One buffer, refilled in a loop: the readers of a step must be done before the writers of
// the next, so the loop needs two barriers.

// CHECK-LABEL: croq.kernel @refill
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

// A barrier that is there already counts; so does the one of an earlier conflict.

// CHECK-LABEL: croq.kernel @there
// CHECK:         croq.copy
// CHECK-NEXT:    croq.copy
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.copy
// CHECK-NEXT:    croq.copy
// CHECK-NOT:     croq.barrier
croq.kernel @there (%src: !croq.tile<32x32xf32, global>, %dst: !croq.tile<32x32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %x = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    %y = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
    croq.copy %src => %x engine(threads)
    croq.copy %src => %y engine(threads)
    croq.barrier
    croq.copy %x => %dst engine(threads)
    croq.copy %y => %dst engine(threads)
  }
}

// -----

// What the block wrote before its roles start, a role reads; what a role wrote, the block
// reads after. The roles themselves run beside each other.

// CHECK-LABEL: croq.kernel @around_roles
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

// A copy that ran in the background: its source is free after `await` and a barrier.

// CHECK-LABEL: croq.kernel @background
// CHECK:         croq.mma.store
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.copy_async
// CHECK-NEXT:    croq.await
// CHECK-NEXT:    croq.barrier
// CHECK-NEXT:    croq.mma.store
croq.kernel @background (%dst: !croq.tile<64x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %o_s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %acc = croq.mma.fill 1.0 : !croq.acc<64x64xf32>
    croq.mma.store %acc => %o_s
    %f = croq.copy_async %o_s => %dst engine(tma)
    croq.await %f read
    croq.mma.store %acc => %o_s
  }
}
