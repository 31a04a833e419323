// RUN: croq-opt --warp-specialize{in_flight=1} --split-input-file --verify-diagnostics %s

// expected-error@+2 {{'croq.parallel' op must have a loop that copies global tiles to shared buffers and multiplies them by croq.mma.exec, got none}}
croq.kernel @nothing () {
  croq.parallel (%i) in (1) : block {
  }
}

// -----

croq.kernel @roles (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-error@+1 {{'croq.role' op must not be there yet: the pass makes the roles}}
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

croq.kernel @condition (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %one = arith.constant 1 : index
    %first = arith.cmpi ult, %i, %one : index
    scf.if %first {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      // expected-error@+1 {{'croq.foreach' op to be pipelined must be inside loops of its block only, got it inside scf.if}}
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

croq.kernel @rows (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      // expected-error@+1 {{'croq.mma.exec' op must have a multiple of 128 rows for 2 consumer warpgroups, got 64}}
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<64x64xf32>
    }
  }
}

// -----

croq.kernel @threads (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block threads 128 {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    // expected-error@+1 {{'croq.thread_id' op divides the 128 threads of the block, which the consumer must have too, got 256}}
    %thread = croq.thread_id
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

croq.kernel @unsettled (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      // expected-error@+1 {{'croq.mma.exec' op must be waited for in the loop that loads its operands}}
      %c1 = croq.mma.exec row.row %c, %t, %t
      croq.yield %c1 : !croq.acc<128x128xf32>
    }
    %all = croq.mma.commit %acc
    %done = croq.mma.wait %all in_flight 0
  }
}

// -----

croq.kernel @asynchronous (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      // expected-error@+1 {{'croq.copy_async' op in a loop to be pipelined must be croq.copy, got croq.copy_async}}
      %f = croq.copy_async %x => %t
      croq.await %f
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

croq.kernel @twice (%x: !croq.tile<128x64xf16, global>) {
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
    %more = croq.foreach %k in 4 iter(%c = %acc) {
      // expected-error@+1 {{'croq.copy' op must be the only load of its buffer to run ahead}}
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @later (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %u = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
    // expected-error@+1 {{'croq.copy' op must be in the loop that fills its buffer, for the loads to run ahead}}
    croq.copy %t => %u
  }
}

// -----

croq.kernel @before (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      // expected-error@+1 {{'croq.mma.exec' op must come after the load of its buffer, got a use of what the iteration before has loaded}}
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.copy %x => %t
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @in_place (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %u = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      // expected-error@+1 {{'croq.copy' op must not write a buffer that is loaded ahead}}
      croq.copy %u => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

// What the block writes must not be loaded ahead of the writes.
croq.kernel @squares (%x: !croq.tile<128x128xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x128xf16, shared>
    %u = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.foreach %power in 3 {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %acc = croq.foreach %k in 1 iter(%c = %z) {
        // expected-error@+1 {{'croq.copy' op must read what the block does not write to run ahead of its products}}
        croq.copy %x => %t
        %c1 = croq.mma.exec row.row %c, %t, %t
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<128x128xf32>
      }
      croq.mma.store %acc => %u
      croq.copy %u => %x
    }
  }
}

// -----

// Where the loads are follows from data.
croq.kernel @table (%x: !croq.tile<128x64xf16, global>, %y: !croq.tile<4xi32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      // expected-error@+1 {{'croq.load' op must not be needed to find what is loaded ahead: the producer does arithmetic only}}
      %word = croq.load %y[%k]
      %row = arith.index_cast %word : i32 to index
      %a = croq.subspan %x [128, 64] tile (%row, 0)
      croq.copy %a => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @two_waits (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 4 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      %c4 = croq.mma.exec row.row %c3, %t, %t
      %c5 = croq.mma.commit %c4
      // expected-error@+1 {{'croq.mma.wait' op must be the only wait of its loop for in_flight=1, got 2 of them}}
      %c6 = croq.mma.wait %c5 in_flight 0
      croq.yield %c6 : !croq.acc<128x128xf32>
    }
  }
}

// -----

croq.kernel @read (%x: !croq.tile<128x64xf16, global>) {
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
