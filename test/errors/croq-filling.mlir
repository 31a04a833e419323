// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of fills and of returned tiles check.

croq.kernel @k (%t: !croq.tile<32x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.fill' op value must be of floating point (f64) for elements of type f16, got 0 : i64}}
    croq.fill %t, 0
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xi16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.fill' op value must be an integer (i64) for elements of type i16, got 0.000000e+00 : f64}}
    croq.fill %t, 0.0
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xi16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.fill' op value must fit in i16, got -32769}}
    croq.fill %t, -32769
  }
}

// -----

croq.kernel @k () {
  %y = croq.alloc : !croq.tile<16x8xf32, global>
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<16x8xf32, shared>
    %v = croq.subspan %y [16, 8] tile (0, 0)
    croq.copy %v => %s
  }
  // expected-error@+1 {{'croq.return' op tile 0 must be written before it is returned, got one that nothing stores to (croq.fill gives it a value)}}
  croq.return %y : !croq.tile<16x8xf32, global>
}
