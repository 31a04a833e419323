// RUN: croq-opt --overlap-epilogue --split-input-file --verify-diagnostics %s

croq.kernel @nothing (%p: !croq.tile<64x64xf16, global>) {
  // expected-error@+1 {{'croq.parallel' op must have a croq.mma.store to a shared buffer whose only other use is the croq.copy of it to global memory, got none}}
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    croq.mma.store %acc => %a
    %x = croq.load %a[0, 0]
    croq.copy %a => %p
  }
}

// -----

croq.kernel @names dims(M) params(BM = 64) (%p: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<[BM]x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<[BM]x64xf32>
    // expected-error@+1 {{'croq.mma.store' op must store an accumulator of constant extents to be cut in panels, got !croq.acc<[BM]x64xf32>}}
    croq.mma.store %acc => %a
    %o = croq.subspan %p [BM, 64] tile (%i, 0)
    croq.copy %a => %o
  }
}

// -----

croq.kernel @columns (%p: !croq.tile<64x72xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x72xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x72xf32>
    // expected-error@+1 {{'croq.mma.store' op must store a multiple of 16 columns to be cut in panels, got 72}}
    croq.mma.store %acc => %a
    croq.copy %a => %p
  }
}

// -----

croq.kernel @between (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-note@+1 {{the store is here}}
    croq.mma.store %acc => %a
    // expected-error@+1 {{'croq.barrier' op must not be between the store of an accumulator and the copy to the output, which have to be one}}
    croq.barrier
    // expected-note@+1 {{the copy is here}}
    croq.copy %a => %p
  }
}

// -----

croq.kernel @before (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.foreach %t in 4 {
      // expected-error@+1 {{'croq.copy' op must come after the store of the accumulator, in its block}}
      croq.copy %a => %p
      %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      // expected-note@+1 {{the store is here}}
      croq.mma.store %acc => %a
    }
  }
}

// -----

croq.kernel @condition (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (2) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %zero = arith.constant 0 : index
    %first = arith.cmpi eq, %i, %zero : index
    // expected-note@+1 {{that is here}}
    scf.if %first {
      croq.mma.store %acc => %a
      // expected-error@+1 {{'croq.copy' op must be inside loops of its role or block only, got it inside scf.if}}
      croq.copy %a => %p
    }
  }
}

// -----

croq.kernel @read (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy' op must not read the output, which is stored while the block goes on}}
    croq.copy %p => %b
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    croq.mma.store %acc => %a
    // expected-note@+1 {{it is stored here}}
    croq.copy %a => %p
  }
}

// -----

croq.kernel @rows dims(N) (%p: !croq.tile<64x[N]xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %acc = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    croq.mma.store %acc => %a
    %o = croq.subspan %p [64, 64] tile (0, %i)
    // expected-error@+1 {{'croq.copy' op with engine tma must store to rows that are known to end at 16 bytes: inner dim of the argument must be known to be a multiple of 8 elements (16 bytes), got N}}
    croq.copy %a => %o engine(tma)
  }
}

// -----

croq.kernel @barriers (%p: !croq.tile<64x64xf16, global>) attributes {explicit_barriers} {
  // expected-error@+1 {{'croq.parallel' op must have no explicit barriers yet}}
  croq.parallel (%i) in (1) : block {
  }
}
