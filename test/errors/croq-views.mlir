// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of strided, squeezed and reshaped views check.

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.subspan' op must have 2 step values for a source of rank 2, got 1}}
  %v = croq.subspan %t [8, 8] step [4] tile (0, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.subspan' op step must be positive, got 0}}
  %v = croq.subspan %t [8, 8] step [4, 0] tile (0, 0)
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.subspan' op type must use parameters of the kernel, got [M] (declared: none)}}
  %v = croq.subspan %t [8, 8] step [M, 4] tile (0, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.subspan' op region must be inside the source: dim 0 has 16 elements, got offset 16 and extent 8}}
  %v = croq.subspan %t [8, 8] step [4, 4] tile (4, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.view' op strides must be positive, got -1}}
  %v = croq.view %t [8, 8] strides [1, -1] from (0, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.view' op region must be inside the source: dim 0 has 16 elements, got offset 2 and extent 15}}
  %v = croq.view %t [8, 8] strides [2, 1] from (2, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{'croq.view' op extent 71 of dim 1 must fit in the source's 64}}
  %v = croq.view %t [8, 8] strides [2, 10] from (0, 0)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>, %n: index) {
  // expected-error@+1 {{'croq.chunkat' op dim 0 has a number of chunks but no index}}
  %v = croq.chunkat %t [%n, _] at (_, _)
}

// -----

croq.kernel @k (%t: !croq.tile<16x64xf16, global>) {
  // expected-error@+1 {{must have an index for each of 2 chunk counts, got 1}}
  %v = croq.chunkat %t [2, 2] at (0)
}

// -----

croq.kernel @k (%t: !croq.tile<1x64xf16, global>) {
  // expected-error@+1 {{'croq.squeeze' op must drop some dims, each once and in order, got []}}
  %v = croq.squeeze %t []
}

// -----

croq.kernel @k (%t: !croq.tile<1x1x64xf16, global>) {
  // expected-error@+1 {{'croq.squeeze' op must drop some dims, each once and in order, got [1, 0]}}
  %v = croq.squeeze %t [1, 0]
}

// -----

croq.kernel @k (%t: !croq.tile<1x64xf16, global>) {
  // expected-error@+1 {{'croq.squeeze' op must drop dims of the 2 of the source, got 2}}
  %v = croq.squeeze %t [2]
}

// -----

croq.kernel @k (%t: !croq.tile<1x64xf16, global>) {
  // expected-error@+1 {{'croq.squeeze' op must drop dims of extent 1, got dim 1 of !croq.tile<1x64xf16, global>}}
  %v = croq.squeeze %t [1]
}

// -----

croq.kernel @k (%t: !croq.tile<1x1xf16, global>) {
  // expected-error@+1 {{'croq.squeeze' op must keep a dim, got none}}
  %v = croq.squeeze %t [0, 1]
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  // expected-error@+1 {{croq.span_as: must have extents, one `_` among them at most, got 2}}
  %v = croq.span_as %t [_, _]
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  // expected-error@+1 {{croq.span_as: extents must be positive, got 0}}
  %v = croq.span_as %t [_, 0]
}

// -----

croq.kernel @k dims(M, N) (%t: !croq.tile<[M]x64xf16, global>) {
  // expected-error@+1 {{croq.span_as: must have as many elements as its source !croq.tile<[M]x64xf16, global>, got a dim N that is none of its dims}}
  %v = croq.span_as %t [N, 64]
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  // expected-error@+1 {{croq.span_as: must have as many elements as its source !croq.tile<[M]x64xf16, global>, got M * 8 * 9}}
  %v = croq.span_as %t [M, 8, 9]
}

// -----

croq.kernel @k (%t: !croq.tile<64xf16, global>) {
  // expected-error@+1 {{croq.span_as: extents must divide the 64 elements of the source, got 3}}
  %v = croq.span_as %t [_, 3]
}

// -----

croq.kernel @k dims(M, N) (%t: !croq.tile<[M]x[N]xf16, global>) {
  // expected-error@+1 {{croq.span_as: must leave one dim of no known extent for `_`, got M, N of !croq.tile<[M]x[N]xf16, global>}}
  %v = croq.span_as %t [_]
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  %p = croq.chunkat %t [2, _] at (0, _)
  // expected-error@+1 {{croq.span_as: source must have extents that are known or names, got ?}}
  %v = croq.span_as %p [_, 64]
}

// -----

croq.kernel @k dims(M) (%t: !croq.tile<[M]x64xf16, global>) {
  // expected-error@+1 {{'croq.span_as' op must not join dims of a global tile, whose rows may be apart, got dims 0, 1 of !croq.tile<[M]x64xf16, global> as one}}
  %v = croq.span_as %t [_]
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<16x64xf16, shared>
    %p = croq.view %t [16, 32] from (0, 0)
    // expected-error@+1 {{'croq.span_as' op source must be a whole shared buffer or a slot of one, got the result of croq.view}}
    %v = croq.span_as %p [512]
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<16x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.span_as' op source must be row-major, got !croq.tile<16x64xf16, shared, swizzle<128>>}}
    %v = croq.span_as %t [1024]
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %t = croq.alloc : !croq.tile<2x5x10xf16, shared>
    // expected-error@+1 {{'croq.span_as' op must join slots that follow each other, got slots of 100 bytes that are 128 bytes apart}}
    %v = croq.span_as %t [100]
  }
}

// -----

// A product reads its operands by descriptors, which have no strides.
croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %x = croq.alloc : !croq.tile<64x128xf16, shared>
    %y = croq.alloc : !croq.tile<64x64xf16, shared>
    %v = croq.view %x [64, 64] strides [1, 2] from (0, 0)
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-error@+1 {{'croq.mma.exec' op A: tile must be a box of its buffer, got strides of croq.view}}
    %c = croq.mma.exec row.row %z, %v, %y
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %x = croq.alloc : !croq.tile<64x128xf16, shared>
    %v = croq.span_as %x [128, 64]
    %w = croq.view %v [64, 64] from (0, 0)
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-error@+1 {{'croq.mma.store' op tile must be a box of its buffer, got a shape of croq.span_as}}
    croq.mma.store %z => %w
  }
}
