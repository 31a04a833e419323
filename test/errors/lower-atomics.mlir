// RUN: croq-opt --lower-views --split-input-file --verify-diagnostics %s

croq.kernel @k (%g: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op must be executed by single threads when its old value is used, got all of a scope}}
    %old = croq.atomic add %v, %g[0] -> i32
    croq.store %old, %g[1]
  }
}

// -----

croq.kernel @k (%g: !croq.tile<8x8xf32, global>) {
  croq.parallel (%i) in (1) : block threads 32 {
    // expected-note@+1 {{the tile is defined here}}
    %every = croq.view %g [8, 4] strides [1, 2] from (0, 0)
    croq.parallel (%t) in (8) : thread {
      %v = arith.constant 1.0 : f32
      // expected-error@+1 {{'croq.atomic' op elements must be neighbours in memory to be updated together, got a tile whose inner dim is not}}
      croq.atomic add (%v, %v), %every[%t, 0]
    }
  }
}
