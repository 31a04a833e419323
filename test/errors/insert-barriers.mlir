// RUN: croq-opt --insert-barriers --split-input-file --verify-diagnostics %s

croq.kernel @auto dims(R) (%x: !croq.tile<[R]x64xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<16x64xf32, shared, row_major>
    %from = croq.subspan %x [16, 64] tile (0, 0)
    // expected-error@+1 {{'croq.copy' op must have an engine, got auto}}
    croq.copy %from => %t
  }
}

// -----

croq.kernel @between () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<16x64xf32, shared, row_major>
    // expected-note@+1 {{the first role is here}}
    croq.role "a" warps [0, 1) {
    }
    // expected-error@+1 {{'croq.load' op must come before the first or after the last role of the block}}
    %v = croq.load %t[0, 0]
    croq.role "b" warps [1, 2) {
    }
  }
}
