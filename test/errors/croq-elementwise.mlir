// RUN: croq-opt --split-input-file --verify-diagnostics %s

croq.kernel @extent (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op input must have the extent 32 of dim 1 of the result, got 16 in !croq.tile<16xf32, global>}}
    croq.elementwise (%x = %v along [1]) => %a {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @order (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<32x64xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op along must be increasing dims below 2, got [1, 0]}}
    croq.elementwise (%x = %v along [1, 0]) => %a {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @count (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op along must name a dim of the result for each of the 1 dims of the input, got [0, 1]}}
    croq.elementwise (%x = %v along [0, 1]) => %a {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @bytes (%a: !croq.tile<64x32xi8, global>, %c: !croq.tile<64x32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %zero = arith.constant 0.0 : f32
    // expected-error@+1 {{'croq.elementwise' op elements of inputs must be f32, f16, bf16, i32 or i64, got i8}}
    croq.elementwise (%x = %a) => %c {
      croq.yield %zero : f32
    }
  }
}

// -----

croq.kernel @bytes_made (%a: !croq.tile<64x32xi8, global>) {
  croq.parallel (%b) in (1) : block {
    %zero = arith.constant 0 : i8
    // expected-error@+1 {{'croq.elementwise' op elements of the result must be f32, f16, bf16, i32 or i64, got i8}}
    croq.elementwise () => %a {
      croq.yield %zero : i8
    }
  }
}

// -----

croq.kernel @type (%a: !croq.tile<64x32xf32, global>, %c: !croq.tile<64x32xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op must yield an element of type f16, got f32}}
    croq.elementwise (%x = %a) => %c {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @effects (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op body must be arithmetic on numbers (arith, math), got croq.load}}
    croq.elementwise () at (%i, %j) => %a {
      %x = croq.load %v[%j]
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @acc_to_tile (%a: !croq.tile<64x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %acc = croq.mma.fill 0.0 : !croq.acc<64x16xf32>
    // expected-error@+1 {{'croq.elementwise' op input of a tile must be a tile, got !croq.acc<64x16xf32>}}
    croq.elementwise (%x = %acc) => %a {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @tile_to_acc (%a: !croq.tile<64x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op must have an accumulator among its inputs}}
    %r = croq.elementwise (%x = %a) -> !croq.acc<64x16xf32> {
      croq.yield %x : f32
    }
  }
}

// -----

croq.kernel @two_results (%a: !croq.tile<64x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op must have either a tile (=>) or an accumulator (->) as its result}}
    %r = "croq.elementwise"(%a) <{along = [], operandSegmentSizes = array<i32: 0, 1>}> ({
      %x = arith.constant 0.0 : f32
      croq.yield %x : f32
    }) : (!croq.tile<64x16xf32, global>) -> !croq.acc<64x16xf32>
  }
}

// -----

croq.kernel @arguments (%a: !croq.tile<64x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op body must have arguments (f32, index, index), got (f32)}}
    "croq.elementwise"(%a, %a) <{along = [[#builtin.int<0>, #builtin.int<1>]], positions, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%x: f32):
      croq.yield %x : f32
    }) : (!croq.tile<64x16xf32, global>, !croq.tile<64x16xf32, global>) -> ()
  }
}

// -----

croq.kernel @dim (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op dim must be one of the 2 dims of the source, got 2}}
    croq.reduce add %a dim 2 => %v
  }
}

// -----

croq.kernel @shape (%a: !croq.tile<64x32xf32, global>, %v: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op destination must have the shape 32, got !croq.tile<64xf32, global>}}
    croq.reduce add %a dim 0 => %v
  }
}

// -----

croq.kernel @vector (%a: !croq.tile<64xf32, global>, %v: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op destination must have the shape 1, got !croq.tile<64xf32, global>}}
    croq.reduce add %a dim 0 => %v
  }
}

// -----

croq.kernel @result (%a: !croq.tile<64x32xf16, global>, %v: !croq.tile<64xbf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op destination of elements f16 must be of f16 or f32, got bf16}}
    croq.reduce max %a dim 1 => %v
  }
}

// -----

croq.kernel @elements (%a: !croq.tile<64x32xf64, global>, %v: !croq.tile<64xf64, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.reduce' op elements must be f32, f16, bf16, i32 or i64, got f64}}
    croq.reduce max %a dim 1 => %v
  }
}

// -----

croq.kernel @no_tile (%n: i32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{operand must be a tile or an accumulator, got i32}}
    croq.reduce max %n dim 1 => %n
  }
}
