// RUN: croq-opt --allow-unregistered-dialect --lower-mma --split-input-file --verify-diagnostics %s

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @grid () {
    // expected-note@+1 {{the warps are those of this op}}
    croq.parallel (%i) in (1) : block {
      // expected-error@+1 {{'croq.mma.fill' op must have rows and columns that 4 warps can share, multiples of 16 and 8 for each, got 24x16}}
      %c = croq.mma.fill 0.0 : !croq.acc<24x16xf32>
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @some_warps () {
    croq.parallel (%i) in (1) : block {
      // expected-note@+1 {{this keeps threads apart}}
      %t = croq.thread_id
      %h = arith.constant 64 : index
      %first = arith.cmpi ult, %t, %h : index
      scf.if %first {
        // expected-error@+1 {{must be executed by all warps of its role or block together}}
        %c = croq.mma.fill 0.0 : !croq.acc<16x32xf32>
      }
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @registers () {
    croq.parallel (%i) in (1) : block {
      // expected-error@+1 {{must need less than the 255 registers that a thread of a block of 128 threads has, got 256: !croq.acc<128x256xf32> takes 256 in each thread of 2x2 warps}}
      %c = croq.mma.fill 0.0 : !croq.acc<128x256xf32>
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @depth () {
    croq.parallel (%i) in (1) : block threads 32 {
      %a = croq.alloc : !croq.tile<16x16xi8, shared, row_major>
      %b = croq.alloc : !croq.tile<8x16xi8, shared, row_major>
      %c = croq.mma.fill 0 : !croq.acc<16x8xi32>
      // expected-error@+1 {{'croq.mma.exec' op K must be a multiple of 32, got 16}}
      %d = croq.mma.exec row.row %c, %a, %b
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @transposed_words () {
    croq.parallel (%i) in (1) : block threads 32 {
      // expected-note@+1 {{A is part of this buffer}}
      %a = croq.alloc : !croq.tile<8x16xf32, shared, swizzle<64>>
      %b = croq.alloc : !croq.tile<8x8xf32, shared, swizzle<32>>
      %c = croq.mma.fill 0.0 : !croq.acc<16x8xf32>
      // expected-error@+1 {{A: operands must be K-major unless their elements have 16 bits, got f32}}
      %d = croq.mma.exec col.row %c, %a, %b
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @rows () {
    croq.parallel (%i) in (1) : block threads 32 {
      // expected-note@+1 {{B is part of this buffer}}
      %b = croq.alloc : !croq.tile<8x20xf16, shared, row_major>
      %a = croq.alloc : !croq.tile<16x16xf16, shared, swizzle<32>>
      %p = croq.view %b [8, 16] from (0, 0)
      %c = croq.mma.fill 0.0 : !croq.acc<16x8xf32>
      // expected-error@+1 {{B: operands must have rows of a multiple of 16 bytes, got 40}}
      %d = croq.mma.exec row.row %c, %a, %p
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @layout () {
    croq.parallel (%i) in (1) : block threads 32 {
      // expected-note@+1 {{A is part of this buffer}}
      %a = croq.alloc : !croq.tile<16x16xf16, shared>
      %b = croq.alloc : !croq.tile<8x16xf16, shared>
      %c = croq.mma.fill 0.0 : !croq.acc<16x8xf32>
      // expected-error@+1 {{A must have a layout, got !croq.tile<16x16xf16, shared>}}
      %d = croq.mma.exec row.row %c, %a, %b
    }
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @odd_rows_of_results () {
    croq.parallel (%i) in (1) : block threads 32 {
      // expected-note@+1 {{the buffer is allocated here}}
      %o = croq.alloc : !croq.tile<16x25xf16, shared, row_major>
      %part = croq.view %o [16, 8] from (0, 0)
      %c = croq.mma.fill 0.0 : !croq.acc<16x8xf32>
      // expected-error@+1 {{'croq.mma.store' op must store to rows of a multiple of 4 bytes, got 50}}
      croq.mma.store %c => %part
    }
  }
}

// -----

croq.kernel @uneven_n () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.mma.fill' op must have a multiple of 8 columns from 8 to 256, got 20}}
    %c = croq.mma.fill 0.0 : !croq.acc<64x20xf32>
  }
}

// -----

croq.kernel @large_n () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{must have a multiple of 8 columns from 8 to 256, got 264}}
    %c = croq.mma.fill 0.0 : !croq.acc<64x264xf32>
  }
}

// -----

croq.kernel @m () {
  croq.parallel (%i) in (1) : block {
    croq.role "consumer" warpgroups [1, 3) {
      // expected-error@+1 {{must have a multiple of 128 rows (64 for each of 2 warpgroups), got 192}}
      %c = croq.mma.fill 0.0 : !croq.acc<192x8xf32>
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x24xf16, shared, swizzle<none>>
    %b = croq.alloc : !croq.tile<8x24xf16, shared, swizzle<none>>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-error@+1 {{K must be a multiple of 16, got 24}}
    %d = croq.mma.exec row.row %c, %a, %b
  }
}

// -----

croq.kernel @warps () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the threads are those of this op}}
    croq.role "consumer" warps [1, 5) {
      // expected-error@+1 {{must be executed by whole warpgroups of 128 threads, got threads [32, 160)}}
      %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    }
  }
}

// -----

croq.kernel @thread () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{this keeps threads apart}}
    croq.parallel (%j) in (128) : thread {
      // expected-error@+1 {{must be executed by all warpgroups of its role or block together}}
      %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    }
  }
}

// -----

croq.kernel @divergent () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    // expected-note@+1 {{this keeps threads apart}}
    %t = croq.thread_id
    %sixty = arith.constant 60 : index
    %some = arith.cmpi ult, %t, %sixty : index
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    scf.if %some {
      // expected-error@+1 {{'croq.mma.exec' op must be executed by all warpgroups}}
      %d = croq.mma.exec row.row %c, %a, %b
    }
  }
}

// -----

croq.kernel @registers () {
  croq.parallel (%i) in (1) : block {
    croq.role "producer" warpgroups [0, 1) registers 40 {
    }
    croq.role "consumer" warpgroups [1, 2) registers 232 {
      // expected-error@+1 {{must need less than the 232 registers that a thread of role "consumer" has, got 256: !croq.acc<128x256xf32> takes 256 in each thread of 1 warpgroup}}
      %c = croq.mma.fill 0.0 : !croq.acc<128x256xf32>
    }
  }
}

// -----

croq.kernel @one_wgmma () {
  croq.parallel (%i) in (1) : block threads 512 {
    croq.role "consumer" warpgroups [0, 1) registers 232 {
      // expected-error@+1 {{must need at most 102 registers for 64 rows in a block of 512 threads, got 128}}
      %c = croq.mma.fill 0.0 : !croq.acc<64x256xf32>
    }
  }
}

// -----

croq.kernel @spills () {
  croq.parallel (%i) in (1) : block {
    croq.role "consumer" warpgroups [0, 1) registers 144 {
      // expected-warning@+1 {{leaves 16 of the 144 registers that a thread of role "consumer" has: !croq.acc<128x128xf32> takes 128 in each thread of 1 warpgroup; expect spills}}
      %c = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @layout () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{A is part of this buffer}}
    %a = croq.alloc : !croq.tile<64x16xf16, shared>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-error@+1 {{A must have a layout, got !croq.tile<64x16xf16, shared>}}
    %d = croq.mma.exec row.row %c, %a, %b
  }
}

// -----

croq.kernel @row_major () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    // expected-note@+1 {{B is part of this buffer}}
    %b = croq.alloc : !croq.tile<8x16xf16, shared, row_major>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-error@+1 {{B: operands must have a swizzle layout}}
    %d = croq.mma.exec row.row %c, %a, %b
  }
}

// -----

croq.kernel @store_in_flight () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    %o = croq.alloc : !croq.tile<64x8xf16, shared, row_major>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    %acc = croq.foreach %k in 4 iter(%d = %c) {
      %d1 = croq.mma.exec row.row %d, %a, %b
      %d2 = croq.mma.commit %d1
      // expected-note@+1 {{it is in flight after this}}
      %d3 = croq.mma.wait %d2 in_flight 1
      croq.yield %d3 : !croq.acc<64x8xf32>
    }
    // expected-error@+1 {{'croq.mma.store' op must store an accumulator that is complete, got one with products in flight}}
    croq.mma.store %acc => %o
  }
}

// -----

croq.kernel @store_of_branch () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    %o = croq.alloc : !croq.tile<64x8xf16, shared, row_major>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    %some = arith.constant true
    %acc = scf.if %some -> (!croq.acc<64x8xf32>) {
      scf.yield %c : !croq.acc<64x8xf32>
    } else {
      // expected-note@+1 {{the product is here}}
      %d = croq.mma.exec row.row %c, %a, %b
      scf.yield %d : !croq.acc<64x8xf32>
    }
    // expected-error@+1 {{must store an accumulator that is complete}}
    croq.mma.store %acc => %o
  }
}

// -----

croq.kernel @wait_without_commit () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-note@+1 {{the product is here}}
    %d = croq.mma.exec row.row %c, %a, %b
    // expected-error@+1 {{'croq.mma.wait' op must wait for products that are in a group, got one that is not}}
    %e = croq.mma.wait %d in_flight 0
  }
}

// -----

croq.kernel @narrow_rows () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %o = croq.alloc : !croq.tile<64x12xf16, shared, row_major>
    %w = croq.view %o [64, 8] from (0, 0)
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-error@+1 {{must store to rows of a multiple of 16 bytes, got 24}}
    croq.mma.store %c => %w
  }
}

// -----

croq.kernel @other_op () {
  croq.parallel (%i) in (1) : block {
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // expected-error@+1 {{must not use or define an accumulator, got !croq.acc<64x8xf32>}}
    "test.use"(%c) : (!croq.acc<64x8xf32>) -> ()
  }
}
