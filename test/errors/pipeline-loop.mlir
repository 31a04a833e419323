// RUN: croq-opt --pipeline-loop{in_flight=1} --split-input-file --verify-diagnostics %s

// What makes a loop one that can load ahead is in test/errors/warp-specialize.mlir.

// expected-error@+2 {{'croq.parallel' op must have a loop that copies global tiles to shared buffers and multiplies them by croq.mma.exec, or whose threads load from them, got none}}
croq.kernel @nothing () {
  croq.parallel (%i) in (1) : block {
  }
}

// -----

croq.kernel @roles (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-error@+1 {{'croq.role' op must not be there: all threads of the block load and multiply}}
    croq.role "all" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %acc = croq.foreach %k in 4 iter(%c = %z) {
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<128x128xf32>
      }
    }
  }
}

// -----

croq.kernel @barriers (%x: !croq.tile<128x64xf16, global>) attributes {explicit_barriers} {
  // expected-error@+1 {{'croq.parallel' op must have no explicit barriers yet}}
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @part (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<2x128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      %s = croq.slot %t at %k
      // expected-error@+1 {{'croq.copy' op must fill a whole buffer to run ahead, got a part of one}}
      croq.copy %x => %s
      %c1 = croq.mma.exec row.row %c, %s, %s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

// The place of the load is not a function of the iteration.
croq.kernel @carried (%x: !croq.tile<1024x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %zero = arith.constant 0 : index
    %acc, %last = croq.foreach %k in 4 iter(%c = %z, %p = %zero) {
      %one = arith.constant 1 : index
      // expected-error@+1 {{'arith.addi' op must not follow from what the loop carries to say what is loaded ahead}}
      %q = arith.addi %p, %one : index
      %a = croq.subspan %x [128, 64] tile (%q, 0)
      croq.copy %a => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3, %q : !croq.acc<128x128xf32>, index
    }
  }
}

// -----

croq.kernel @looked_up (%x: !croq.tile<1024x64xf16, global>, %which: !croq.tile<4xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      // expected-error@+1 {{'croq.load' op must not be needed to find what is loaded ahead, which only arithmetic may be}}
      %w = croq.load %which[%k]
      %q = arith.index_cast %w : i32 to index
      %a = croq.subspan %x [128, 64] tile (%q, 0)
      croq.copy %a => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

// For in_flight=1 nothing may look at the products in the loop.
croq.kernel @used (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      // expected-error@+1 {{'croq.mma.store' op must not use the accumulator in the loop for in_flight=1, whose products are in flight there}}
      croq.mma.store %c3 => %o
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @threads (%x: !croq.tile<32xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<32xf32, shared>
    // expected-error@+1 {{'croq.foreach' op must have products of croq.mma.exec for in_flight=1, got none}}
    croq.foreach %k in 4 {
      croq.copy %x => %t
      croq.parallel (%row) in (32) : thread {
        %v = croq.load %t[%row]
      }
    }
  }
}
