// RUN: croq-opt --lower-views --split-input-file --verify-diagnostics %s

croq.kernel @k (%g: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op must be executed by single threads when its old value is used, got all of a scope}}
    %old = croq.atomic add %v, %g[0] -> i32
    croq.store %old, %g[1]
  }
}
