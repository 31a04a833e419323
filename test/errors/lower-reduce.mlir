// RUN: croq-opt --lower-reduce --split-input-file --verify-diagnostics %s

croq.kernel @thread (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.reduce' op must be executed by all threads of its scope, got it where they part}}
      croq.reduce add %a dim 1 => %v
    }
  }
}

// -----

croq.kernel @extents dims(M) (%a: !croq.tile<[M]x32xf32, global>, %v: !croq.tile<[M]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op must reduce tiles of constant extents, got !croq.tile<[M]x32xf32, global>}}
    croq.reduce add %a dim 1 => %v
  }
}
