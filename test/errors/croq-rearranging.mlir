// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of copies that rearrange elements check.

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op source and destination must have one shape, got 64 and 32 in dim 0 of the destination}}
    croq.copy %t => %t transpose(1, 0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op pad must have a number of elements before for each of the 2 dims, got 1}}
    croq.copy %t => %v pad([1], [2, 1], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op pad must have a number of elements after for each of the 2 dims, got 3}}
    croq.copy %t => %v pad([1, 0], [2, 1, 0], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op pad must have a number of elements between for each of the 2 dims, got 1}}
    croq.copy %t => %v pad([1, 0], [2, 1], [0], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op pad must add 0 elements or more, got -1}}
    croq.copy %t => %v pad([-1, 0], [2, 1], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op dim 1 of the destination must have 65 elements: 64 with 1 before, 0 after and 0 between, got 66}}
    croq.copy %t => %v pad([1, 1], [2, 0], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op dim 0 of the destination must have 63 elements: 32 with 0 before, 0 after and 1 between, got 35}}
    croq.copy %t => %v pad([0, 1], [0, 1], [1, 0], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op value of pad must be of floating point (f64) for elements of type f16, got 0 : i64}}
    croq.copy %t => %v pad([1, 0], [2, 2], 0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op value of pad must be an integer (i64) for elements of type i8, got 0.000000e+00 : f64}}
    croq.copy %n => %n pad([0, 0], [0, 0], 0.0)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>, %n: !croq.tile<8x8xi8, global>,
    %u: !croq.tile<64x32xf16, global>, %v: !croq.tile<35x66xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.copy' op value of pad must fit in i8, got 256}}
    croq.copy %n => %n pad([0, 0], [0, 0], 256)
  }
}

// -----

croq.kernel @k (%t: !croq.tile<32x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%b) in (2) : block {
      %a = croq.alloc : !croq.tile<64x32xf16, shared>
      // expected-error@+1 {{'croq.copy_async' op with multicast must copy elements in their order, got transpose}}
      %f = croq.copy_async %t => %a transpose(1, 0) multicast [0]
    }
  }
}
