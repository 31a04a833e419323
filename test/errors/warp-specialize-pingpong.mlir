// RUN: croq-opt --warp-specialize{mode=pingpong} --split-input-file --verify-diagnostics %s

croq.kernel @one_tile (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-error@+1 {{'croq.foreach' op must be in one loop, over the tiles of its block, for mode=pingpong, got 0 around it}}
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<64x64xf32>
    }
  }
}

// -----

croq.kernel @carried (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-error@+1 {{'croq.foreach' op must not carry values from tile to tile for mode=pingpong}}
    %all = croq.foreach %tile in 4 iter(%y = %z) {
      %acc = croq.foreach %k in 4 iter(%c = %y) {
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.yield %acc : !croq.acc<64x64xf32>
    }
  }
}

// -----

croq.kernel @triangle (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    croq.foreach %tile in 4 {
      %one = arith.constant 1 : index
      // expected-note@+1 {{a bound is computed here}}
      %steps = arith.addi %tile, %one : index
      // expected-error@+1 {{'croq.foreach' op must have bounds that are the same for every tile for mode=pingpong}}
      %acc = croq.foreach %k in %steps iter(%c = %z) {
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
    }
  }
}

// -----

croq.kernel @triangle_of_index (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // expected-note@+1 {{a bound is computed here}}
    croq.foreach %tile in 4 {
      // expected-error@+1 {{'croq.foreach' op must have bounds that are the same for every tile for mode=pingpong}}
      %acc = croq.foreach %k in %tile iter(%c = %z) {
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
    }
  }
}

// -----

croq.kernel @after (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %o = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    croq.foreach %tile in 4 {
      %acc = croq.foreach %k in 4 iter(%c = %z) {
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
    }
    // expected-error@+1 {{'croq.mma.store' op must be in the loop over tiles for mode=pingpong: each consumer executes what is outside of it}}
    croq.mma.store %z => %o
  }
}
