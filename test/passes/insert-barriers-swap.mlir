// RUN: croq-opt --infer-layouts --lower-futures --insert-barriers --verify-sync=undecided=error %s | filecheck %s

// Two buffers that a loop exchanges. One barrier in the loop is enough, before the buffer is
// filled again that threads have read in the iteration before: it is also after they filled the
// one that is read now. Without it the kernel is refuted (test/errors/verify-sync-swap.mlir).
croq.kernel @swapped dims(K) (
    %x: !croq.tile<16x[K]xi32, global>, %y: !croq.tile<16x16xi32, global>) {
  %steps = croq.cdiv K, 16
  croq.parallel (%i) in (1) : block threads 256 {
    %sums = croq.alloc : !croq.tile<16x16xi32, shared, row_major>
    croq.parallel (%r, %c) in (16, 16) : thread {
      %zero = arith.constant 0 : i32
      croq.store %zero, %sums[%r, %c]
    }
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %t0 = croq.subspan %x [16, 16] tile (0, 0)
    %d0 = croq.data %f
    croq.copy %t0 => %d0 engine(threads)
    // CHECK: croq.kernel @swapped
    // CHECK: croq.foreach
    // CHECK-NOT: croq.barrier
    // CHECK: [[FILL:%.*]] = croq.slot {{%.*}} at {{%.*}} + 1
    // CHECK-NEXT: croq.barrier
    // CHECK-NEXT: croq.copy {{%.*}} => [[FILL]] engine(threads)
    // CHECK-NOT: croq.barrier
    // CHECK: croq.yield
    %last, %free = croq.foreach %k in 1 to %steps iter(%now = %f, %next = %g) {
      %t = croq.subspan %x [16, 16] tile (0, %k)
      %fill = croq.data %next
      croq.copy %t => %fill engine(threads)
      %tile = croq.data %now
      croq.parallel (%r, %c) in (16, 16) : thread {
        %before = croq.load %sums[%r, %c]
        %v = croq.load %tile[%c, %r]
        %sum = arith.addi %before, %v : i32
        croq.store %sum, %sums[%r, %c]
      }
      %a, %b = croq.swap %now, %next
      croq.yield %a, %b : !croq.future<!croq.tile<16x16xi32, shared>>, !croq.future<!croq.tile<16x16xi32, shared>>
    }
    // CHECK: croq.barrier
    // CHECK: croq.load
    %tile = croq.data %last
    croq.parallel (%r, %c) in (16, 16) : thread {
      %before = croq.load %sums[%r, %c]
      %v = croq.load %tile[%c, %r]
      %sum = arith.addi %before, %v : i32
      croq.store %sum, %sums[%r, %c]
    }
    croq.copy %sums => %y engine(threads)
  }
}
