// RUN: croq-opt --select-engines --split-input-file --verify-diagnostics %s

croq.kernel @cp_async dims(M) (%src: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
    %g = croq.subspan %src [128, 64] tile (%i, 0)
    // expected-error@+1 {{'croq.copy' op with engine cp_async: must copy global to shared memory, got shared to global}}
    croq.copy %t => %g engine(cp_async)
  }
}

// -----

croq.kernel @box dims(M) (%src: !croq.tile<[M]x1024xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<128x520xf16, shared, row_major>
    %g = croq.subspan %src [128, 520] tile (%i, 0)
    // expected-error@+1 {{'croq.copy_async' op with engine tma: rows that are boxes of their own must be a multiple of 128 bytes apart, got 1040}}
    %f = croq.copy_async %g => %t engine(tma)
  }
}

// -----

croq.kernel @open dims(M) (%dst: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %g = croq.subspan %dst [128, 64] tile (%i, 0)
    // expected-error@+1 {{with engine tma: shared tile must have a layout, got !croq.tile<128x64xf16, shared>}}
    croq.copy %t => %g engine(tma)
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @target dims(M) (%src: !croq.tile<[M]x64xf16, global>) {
    croq.parallel (%i) in (4) : block {
      %t = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
      %g = croq.subspan %src [128, 64] tile (%i, 0)
      // expected-error@+1 {{with engine tma: target must have TMA, got sm_80}}
      croq.copy %g => %t engine(tma)
    }
  }
}

// -----

croq.kernel @multicast dims(M, K) (%src: !croq.tile<[M]x[K]xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i) in (2) : block {
      %t = croq.alloc : !croq.tile<128x64xf16, shared, row_major>
      %g = croq.subspan %src [128, 64] tile (%c, 0)
      // expected-error@+1 {{'croq.copy_async' op with multicast must be made by TMA: inner dim of the argument must be known to be a multiple of 8 elements (16 bytes), got K}}
      %f = croq.copy_async %g => %t multicast [0]
    }
  }
}

// -----

croq.kernel @rearranged (%src: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.copy' op with engine tma: must copy elements in their order, got transpose}}
    croq.copy %src => %t transpose(1, 0) engine(tma)
  }
}

// -----

croq.kernel @rearranged_by_cp_async (%src: !croq.tile<62x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.copy' op with engine cp_async: must copy elements in their order, got pad}}
    croq.copy %src => %t pad([1, 0], [1, 0], 0.0) engine(cp_async)
  }
}

// -----

croq.kernel @in_place (%src: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the buffer is here}}
    %t = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    // expected-error@+1 {{'croq.copy' op source and destination must not overlap, got parts of one buffer that may}}
    croq.copy %t => %t transpose(1, 0)
  }
}

// -----

croq.kernel @shifted (%src: !croq.tile<64x64xf16, global>, %k: index) {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the buffer is here}}
    %t = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %to = croq.view %t [32, 64] from (%k, 0)
    %from = croq.view %t [32, 64] from (0, 0)
    // expected-error@+1 {{'croq.copy' op source and destination must not overlap, got parts of one buffer that may}}
    croq.copy %from => %to
  }
}

// -----

croq.kernel @starts_between(%src: !croq.tile<64x64xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<64x32xf32, shared, row_major>
    %from = croq.view %src [64, 32] from (0, 6)
    // expected-error@+1 {{'croq.copy' op with engine tma: columns of a global tile must be known to start at a multiple of 4 elements (16 bytes), got a multiple of 6}}
    croq.copy %from => %t engine(tma)
  }
}

// -----

croq.kernel @starts_before (%dst: !croq.tile<64x64xf32, global>) {
  croq.parallel (%i) in (4) : block {
    %t = croq.alloc : !croq.tile<64x32xf32, shared, row_major>
    %one = arith.constant 1 : index
    %left = arith.subi %i, %one : index
    %rows = croq.view %dst [64, 32] from (%i, 0)
    croq.copy %t => %rows engine(tma)
    %above = croq.view %dst [64, 32] from (%left, 0)
    croq.copy %above => %t engine(tma)
    // expected-error@+1 {{'croq.copy' op with engine tma: tile that is stored must be known to start inside the argument, got an offset that may be below 0}}
    croq.copy %t => %above engine(tma)
  }
}

// -----

croq.kernel @one_of_both (%out: !croq.tile<64x64xf16, global>, %c: i1) {
  croq.parallel (%i) in (4) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared, row_major>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared, row_major>>
    %h = croq.select %c, %f, %g
    %from = croq.data %f
    // expected-note@+1 {{the buffer is here}}
    %to = croq.data %h
    // expected-error@+1 {{'croq.copy' op source and destination must not overlap, got parts of one buffer that may}}
    croq.copy %to => %from
  }
}
