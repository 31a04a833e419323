// RUN: croq-opt --split-input-file --verify-diagnostics --unroll-loops %s

// What the verifier of loops and --unroll-loops refuse of `unroll n` and of nests.

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must be unrolled by a positive number, got 0}}
    croq.foreach %i in 8 unroll 0 {
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{must have a bound for each of 2 indices, got 1}}
    croq.foreach (%i, %j) in (8) {
    }
  }
}

// -----

croq.kernel @k (%n: index) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must have a step of at most 536870911 to be unrolled by 4, got 1073741824}}
    croq.foreach %i in %n step 1073741824 unroll 4 {
    }
  }
}
