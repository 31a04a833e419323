// RUN: croq-opt --infer-layouts --verify-sync --split-input-file --verify-diagnostics %s

// The kernel of test/passes/insert-barriers-swap.mlir with its barriers written by hand. Right:
// one in the loop before the refill, and one before what is read after the loop.

croq.kernel @right dims(K) (
    %x: !croq.tile<16x[K]xi32, global>, %y: !croq.tile<16x16xi32, global>) attributes {explicit_barriers} {
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
    %last, %free = croq.foreach %k in 1 to %steps iter(%now = %f, %next = %g) {
      %t = croq.subspan %x [16, 16] tile (0, %k)
      %fill = croq.data %next
      croq.barrier
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
    croq.barrier
    %tile = croq.data %last
    croq.parallel (%r, %c) in (16, 16) : thread {
      %before = croq.load %sums[%r, %c]
      %v = croq.load %tile[%c, %r]
      %sum = arith.addi %before, %v : i32
      croq.store %sum, %sums[%r, %c]
    }
    croq.barrier
    croq.copy %sums => %y engine(threads)
  }
}

// -----

// One between the refill and the reads of it, but none between reads and refill: a fast warp
// fills the buffer that a slow one still reads. That is what a copy which only ends with a barrier
// gives.

croq.kernel @overtaken dims(K) (
    %x: !croq.tile<16x[K]xi32, global>, %y: !croq.tile<16x16xi32, global>) attributes {explicit_barriers} {
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
    croq.barrier
    %last, %free = croq.foreach %k in 1 to %steps iter(%now = %f, %next = %g) {
      %t = croq.subspan %x [16, 16] tile (0, %k)
      %fill = croq.data %next
      // expected-error@+1 {{overwrite}}
      croq.copy %t => %fill engine(threads)
      croq.barrier
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
    croq.barrier
    %tile = croq.data %last
    croq.parallel (%r, %c) in (16, 16) : thread {
      %before = croq.load %sums[%r, %c]
      %v = croq.load %tile[%c, %r]
      %sum = arith.addi %before, %v : i32
      croq.store %sum, %sums[%r, %c]
    }
    croq.barrier
    croq.copy %sums => %y engine(threads)
  }
}
