// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// Threads of one body of `parallel : thread` that meet at an element: nothing orders them.

croq.kernel @reversed (%x: !croq.tile<128xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<128xf32, shared>
    croq.parallel (%t) in (128) : thread {
      %v = croq.load %x[%t]
      // expected-note@+1 {{thread 127 stores it here}}
      croq.store %v, %a[%t]
      %last = arith.constant 127 : index
      %other = arith.subi %last, %t : index
      // expected-error@+1 {{read before write: threads of one body must not meet at an element, got thread 0 that loads the one of thread 127}}
      %w = croq.load %a[%other]
    }
  }
}

// -----

croq.kernel @shifted (%x: !croq.tile<129xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    croq.parallel (%t) in (128) : thread {
      %one = arith.constant 1 : index
      %next = arith.addi %t, %one : index
      // expected-note@+1 {{thread 0 loads it here}}
      %v = croq.load %x[%next]
      // expected-error@+1 {{overwrite: threads of one body must not meet at an element, got thread 1 that stores to the one of thread 0}}
      croq.store %v, %x[%t]
    }
  }
}

// -----

croq.kernel @columns (%x: !croq.tile<16x8xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<16x8xf32, shared>
    croq.parallel (%r, %c) in (16, 8) : thread {
      %v = croq.load %x[%r, %c]
      // expected-note@+2 {{thread 0 stores it here}}
      // expected-error@+1 {{write conflict: threads of one body must not meet at an element, got thread 1 that stores to the one of thread 0}}
      croq.store %v, %a[%r, 0]
    }
  }
}

// -----

// Each thread has elements of its own; threads that a barrier lets meet; a tile of two
// stages, of which one is written and the other read; indices that are not known.
croq.kernel @apart (%x: !croq.tile<128xf32, global>, %i: index) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<2x128xf32, shared>
    %a0 = croq.slot %a[0]
    %a1 = croq.slot %a[1]
    croq.parallel (%t) in (128) : thread {
      %last = arith.constant 127 : index
      %other = arith.subi %last, %t : index
      %v = croq.load %x[%t]
      croq.store %v, %a0[%t]
      croq.store %v, %a1[%t]
      croq.barrier
      %w = croq.load %a1[%other]
      croq.store %w, %a0[%t]
      %u = croq.load %a0[%t]
      croq.store %u, %x[%t]
    }
    croq.parallel (%t) in (64) : thread {
      %two = arith.constant 2 : index
      %one = arith.constant 1 : index
      %even = arith.muli %t, %two : index
      %odd = arith.addi %even, %one : index
      %v = croq.load %x[%odd]
      croq.store %v, %x[%even]
    }
  }
}

// -----

// Quotients, long loops and views are followed.

croq.kernel @pairs (%x: !croq.tile<128xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<128xf32, shared>
    croq.parallel (%t) in (128) : thread {
      %two = arith.constant 2 : index
      %pair = arith.divui %t, %two : index
      %v = croq.load %x[%t]
      // expected-note@+2 {{thread 0 stores it here}}
      // expected-error@+1 {{write conflict: threads of one body must not meet at an element, got thread 1 that stores to the one of thread 0}}
      croq.store %v, %a[%pair]
    }
  }
}

// -----

croq.kernel @views (%x: !croq.tile<128xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<128xf32, shared>
    %even = croq.view %a [64] strides [2] from (0)
    %low = croq.view %a [64] from (0)
    croq.parallel (%t) in (64) : thread {
      %v = croq.load %x[%t]
      // expected-note@+1 {{thread 1 stores it here}}
      croq.store %v, %even[%t]
      // expected-error@+1 {{read before write: threads of one body must not meet at an element, got thread 2 that loads the one of thread 1}}
      %w = croq.load %low[%t]
      croq.store %w, %x[%t]
    }
  }
}

// -----

// A barrier of a warp orders its lanes, and no others.

croq.kernel @warps (%x: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %a = croq.alloc : !croq.tile<64xf32, shared>
    croq.parallel (%t) in (64) : thread {
      %last = arith.constant 63 : index
      %other = arith.subi %last, %t : index
      %v = croq.load %x[%t]
      // expected-note@+1 {{thread 63 stores it here}}
      croq.store %v, %a[%t]
      croq.warp_barrier
      // expected-error@+1 {{read before write: threads of one body must not meet at an element, got thread 0 that loads the one of thread 63}}
      %w = croq.load %a[%other]
      croq.store %w, %x[%t]
    }
  }
}

// -----

croq.kernel @blocks dims(N) (%x: !croq.tile<[N]x32xf32, global>, %y: !croq.tile<[N]x32xf32, global>) {
  %rows = croq.cdiv N, 16
  croq.parallel (%b, %c) in (%rows, 2) : block {
    %a = croq.alloc : !croq.tile<16x32xf32, shared>
    %from = croq.subspan %x [16, 32] tile (%b, 0)
    croq.copy %from => %a
    %to = croq.subspan %y [16, 32] tile (%b, 0)
    // expected-error@+1 {{write conflict: blocks of a grid must not write to one place, got a write to %y that does not depend on %c}}
    croq.copy %a => %to
  }
}
