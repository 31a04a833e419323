// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of ops that synchronise refuse.

croq.kernel @k dims(N) (%g: !croq.tile<[N]xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op elements must be i32, i64 for max, got f32}}
    croq.atomic max %v, %g[%i]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi16, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i16
    // expected-error@+1 {{'croq.atomic' op elements must be i32, i64, f32, f64, f16, bf16 for add, got i16}}
    croq.atomic add %v, %g[%i]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i64
    // expected-error@+1 {{'croq.atomic' op value must have the element type i32, got i64}}
    croq.atomic add %v, %g[%i]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    %c = arith.constant 1 : i64
    // expected-error@+1 {{'croq.atomic' op value to compare with must have the element type i32, got i64}}
    croq.atomic cas %c, %v, %g[%i]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]x4xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op must have 2 indices for a tile of rank 2, got 1}}
    croq.atomic add %v, %g[%i]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]x4xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op index of dim 1 must be inside the tile !croq.tile<[N]x4xi32, global>, got 4}}
    croq.atomic add %v, %g[%i, 4]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op order must be one of relaxed, acquire, release, acq_rel, got volatile}}
    croq.atomic add %v, %g[%i] order(volatile)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.load' op order must be one of volatile, relaxed, acquire, got release}}
    %v = croq.load %g[%i] order(release) scope(gpu)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.store' op order must be one of volatile, relaxed, release, got acq_rel}}
    croq.store %v, %g[%i] order(acq_rel) scope(gpu)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.load' op must have an order with a scope, got only scope gpu}}
    %v = croq.load %g[%i] scope(gpu)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.load' op must have a scope exactly if its order is not volatile, got order acquire with no scope}}
    %v = croq.load %g[%i] order(acquire)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.load' op must have a scope exactly if its order is not volatile, got order volatile with a scope}}
    %v = croq.load %g[%i] order(volatile) scope(sys)
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.fence' op order must be acq_rel or sc, got release}}
    croq.fence order(release) scope(gpu)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{result type must be i32, got i64}}
    %old = croq.atomic add %v, %g[%i] -> i64
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xi32, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1 : i32
    // expected-error@+1 {{'croq.atomic' op several values must be added, 2 of f16; 2 of bf16; 2 or 4 of f32, got add with 2 of i32}}
    croq.atomic add (%v, %v), %g[0]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xf32, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op several values must be added, 2 of f16; 2 of bf16; 2 or 4 of f32, got exch with 2 of f32}}
    croq.atomic exch (%v, %v), %g[0]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xf16, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f16
    // expected-error@+1 {{'croq.atomic' op several values must be added, 2 of f16; 2 of bf16; 2 or 4 of f32, got add with 4 of f16}}
    croq.atomic add (%v, %v, %v, %v), %g[0]
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xf32, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op order must be relaxed or release with several values, got acquire}}
    croq.atomic add (%v, %v), %g[0] order(acquire) scope(gpu)
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<[N]xf32, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op with several values must have no result}}
    %old = croq.atomic add (%v, %v), %g[0] -> f32
  }
}

// -----

croq.kernel @k dims(N) (%g: !croq.tile<8xf32, global>, %h: !croq.tile<[N]xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op all 2 elements must be inside the tile !croq.tile<8xf32, global>, got the first at 7}}
    croq.atomic add (%v, %v), %g[7]
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (1) : block {
    %g = croq.alloc : !croq.tile<8xf32, shared>
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'croq.atomic' op several values must be added to a global tile, got !croq.tile<8xf32, shared>}}
    croq.atomic add (%v, %v), %g[0]
  }
}
