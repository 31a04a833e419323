// RUN: croq-opt --vectorize-accesses --split-input-file %s | filecheck %s

// Loads of neighbours of a row become one, at the place of the first; stores one at that of
// the last. Four elements of f32 are 16 bytes; a column that is no multiple of as many takes less.
// CHECK-LABEL: croq.kernel @shared
croq.kernel @shared () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<128x8xf32, shared, row_major>
    // CHECK: croq.parallel ([[T:%.*]]) in (128) : thread {
    croq.parallel (%t) in (128) : thread {
      // CHECK-NEXT: [[TWO:%.*]] = croq.address [[S:%.*]][[[T]], 2] : !llvm.ptr<3>
      // CHECK-NEXT: llvm.load [[TWO]] {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
      // CHECK:      [[FOUR:%.*]] = croq.address [[S]][[[T]], 4] : !llvm.ptr<3>
      // CHECK-NEXT: llvm.load [[FOUR]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      // CHECK:      [[G:%.*]] = llvm.extractelement
      // CHECK-NOT:  croq.load
      %c = croq.load %s[%t, 2]
      %d = croq.load %s[%t, 3]
      %e = croq.load %s[%t, 4]
      %f = croq.load %s[%t, 5]
      %g = croq.load %s[%t, 6]
      %h = croq.load %s[%t, 7]
      // CHECK:      llvm.insertelement
      // CHECK:      llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>
      croq.store %c, %s[%t, 0]
      croq.store %h, %s[%t, 1]
    }
  }
}

// -----

// What comes between, and may touch the same memory, keeps them apart: a store between loads,
// a barrier. So do rows that are not aligned, and orders.
// CHECK-LABEL: croq.kernel @apart
croq.kernel @apart () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<128x2xf32, shared, row_major>
    %u = croq.alloc : !croq.tile<128x3xf32, shared, row_major>
    // CHECK-NOT: llvm.
    croq.parallel (%t) in (128) : thread {
      %a = croq.load %s[%t, 0]
      croq.store %a, %u[%t, 0]
      %c = croq.load %s[%t, 1]
      croq.store %c, %u[%t, 1]
      %d = croq.load %s[%t, 0]
      croq.warp_barrier
      %e = croq.load %s[%t, 1]
      %f = croq.load %u[%t, 0]
      %g = croq.load %u[%t, 1]
      %h = croq.load %s[%t, 0] order(volatile)
      %i = croq.load %s[%t, 1] order(volatile)
    }
  }
}

// -----

// In global memory the address and the pitch decide at run time.
// CHECK-LABEL: croq.kernel @global
croq.kernel @global dims(N) (%x: !croq.tile<128x[N]xf16, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (128) : thread {
      %mine = croq.subspan %x [1, 2] tile (%t, 0)
      // CHECK:      [[ALIGNED:%.*]] = arith.cmpi eq
      // CHECK-NEXT: %a, %c = scf.if [[ALIGNED]] -> (f16, f16) {
      // CHECK:        llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
      // CHECK:      } else {
      // CHECK-NEXT:   croq.load
      // CHECK-NEXT:   croq.load
      // CHECK:      }
      %a = croq.load %mine[0, 0]
      %c = croq.load %mine[0, 1]
      %s = arith.addf %a, %c : f16
    }
  }
}

// -----

// A column may be a constant that is defined between the accesses.
// CHECK-LABEL: croq.kernel @constants
croq.kernel @constants () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<128x8xf32, shared, row_major>
    // CHECK: croq.parallel ([[T:%.*]]) in (128) : thread {
    croq.parallel (%t) in (128) : thread {
      // CHECK:      croq.address %s[[[T]], 2] : !llvm.ptr<3>
      // CHECK:      croq.address %s[[[T]], 4] : !llvm.ptr<3>
      // CHECK:      croq.load %s[[[T]], 6]
      %c2 = arith.constant 2 : index
      %c = croq.load %s[%t, %c2]
      %c3 = arith.constant 3 : index
      %d = croq.load %s[%t, %c3]
      %c4 = arith.constant 4 : index
      %e = croq.load %s[%t, %c4]
      %c5 = arith.constant 5 : index
      %f = croq.load %s[%t, %c5]
      %c6 = arith.constant 6 : index
      %g = croq.load %s[%t, %c6]
    }
  }
}
