// RUN: croq-opt --infer-layouts --split-input-file --verify-diagnostics %s

croq.kernel @row_major () {
  croq.parallel (%i) in (1) : block {
    // expected-note@+1 {{the buffer is allocated here}}
    %a = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-error@+1 {{'croq.mma.exec' op operands must have a swizzle layout, got !croq.tile<64x64xf16, shared, row_major>}}
    %acc = croq.mma.exec row.row %zero, %a, %b
  }
}

// -----

croq.kernel @rows () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the buffer is allocated here}}
    %b = croq.alloc : !croq.tile<12x64xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x12xf32>
    // expected-error@+1 {{operands must have a multiple of 8 rows, got 12}}
    %acc = croq.mma.exec row.row %zero, %a, %b
  }
}

// -----

croq.kernel @slice () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<64x16xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %part = croq.view %a [64, 16] from (0, 8)
    // expected-error@+1 {{operands must start at a multiple of 16 columns of their buffer, got column 8}}
    %acc = croq.mma.exec row.row %zero, %part, %b
  }
}

// -----

// Where a slice starts is not known to be a multiple of anything.
croq.kernel @anywhere dims(M) () {
  croq.parallel (%i) in (M) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x16xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %part = croq.view %a [64, 16] from (0, %i)
    // expected-error@+1 {{operands must start at a multiple of 8 columns of their buffer, got column 1}}
    %acc = croq.mma.exec row.row %zero, %part, %b
  }
}

// -----

croq.kernel @panels () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op rows of a swizzle<128> tile must be a multiple of 128 bytes, got 64}}
    %a = croq.alloc : !croq.tile<64x32xf16, shared, swizzle<128>>
  }
}

// -----

croq.kernel @open params(S = 4) () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op must have constant extents to get a layout, got !croq.tile<[S]x64x32xf16, shared>}}
    %a = croq.alloc : !croq.tile<[S]x64x32xf16, shared>
  }
}

// -----

croq.kernel @stages () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.alloc' op shared buffer must fit in 232448 bytes (227 KiB, the limit of a block on sm_90a), got 70368744177664: !croq.tile<4294967296x128x64xf16, shared, row_major>}}
    %a = croq.alloc : !croq.tile<4294967296x128x64xf16, shared>
  }
}
