// RUN: croq-opt --lower-parallel --split-input-file --verify-diagnostics %s

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.barrier_arrive' op threads must be a positive multiple of 32, got 33}}
    croq.barrier_arrive "x" threads 33
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.barrier_wait' op must be executed by all threads of its scope, got it where they part}}
      croq.barrier_wait "x" threads 64
    }
  }
}
