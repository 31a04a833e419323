// RUN: not croq-opt --split-input-file %s 2>&1 | filecheck %s

// Where an error points: the op for a rule, the word for what cannot be read.

croq.kernel @k (%t: !croq.tile<8xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK: croq-columns.mlir:8:5: error: 'croq.view' op must have 1 extents for a source of rank 1, got 2
    croq.view %t [6, 6] from (6)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<8xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK: croq-columns.mlir:17:31: error: use of undefined value %nowhere
    croq.view %t [6] from (0, %nowhere)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<8xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK: croq-columns.mlir:26:52: error: swizzle must be 128, 64, 32 or none, got 96
    croq.alloc : !croq.tile<8xf16, shared, swizzle<96>>
  }
}
