// RUN: croq-opt --split-consumers --split-input-file --verify-diagnostics %s

croq.kernel @nothing () {
  // expected-error@+1 {{'croq.parallel' op must have a role of several warpgroups that multiplies, got none}}
  croq.parallel (%i) in (1) : block {
  }
}

// -----

// The products of the whole block: there is no role yet.
croq.kernel @plain (%x: !croq.tile<128x64xf16, global>) {
  // expected-error@+1 {{'croq.parallel' op must have a role of several warpgroups that multiplies, got none}}
  croq.parallel (%i) in (1) : block threads 256 {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    croq.copy %x => %t
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %c1 = croq.mma.exec row.row %z, %t, %t
  }
}

// -----

croq.kernel @rows () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.mma.fill' op must have a multiple of 128 rows to be split among 2 warpgroups, got 64}}
      %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

croq.kernel @thirds () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<256x64xf16, shared>
    %u = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.role "consumer" warpgroups [0, 3) {
      // expected-error@+1 {{'croq.mma.fill' op must have a multiple of 192 rows to be split among 3 warpgroups, got 256}}
      %z = croq.mma.fill 0.0 : !croq.acc<256x64xf32>
      %c1 = croq.mma.exec row.row %z, %t, %u
    }
  }
}

// -----

croq.kernel @parameters params(BM = 128) () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<[BM]x64xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.mma.fill' op must have a constant number of rows to be split, got BM}}
      %z = croq.mma.fill 0.0 : !croq.acc<[BM]x[BM]xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

croq.kernel @outside () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.foreach' op must not use an accumulator from outside its role for the role to be split}}
      %acc = croq.foreach %k in 4 iter(%c = %z) {
        %c1 = croq.mma.exec row.row %c, %t, %t
        croq.yield %c1 : !croq.acc<128x128xf32>
      }
    }
  }
}

// -----

// What is loaded is for all warpgroups.
croq.kernel @loads (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.copy' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      croq.copy %x => %t
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

// A copy of what no accumulator went through, too.
croq.kernel @stores (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-error@+1 {{'croq.copy' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      croq.copy %t => %x
    }
  }
}

// -----

croq.kernel @threads () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-error@+1 {{'croq.parallel' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      croq.parallel (%j) in (256) : thread {
        %x = croq.load %t[0, 0]
        croq.store %x, %t[0, 1]
      }
    }
  }
}

// -----

// Though it does nothing.
croq.kernel @warpgroups () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-error@+1 {{'croq.parallel' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      croq.parallel (%j) in (2) : warpgroup {
      }
    }
  }
}

// -----

croq.kernel @barrier () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-error@+1 {{'croq.barrier' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      croq.barrier
    }
  }
}

// -----

croq.kernel @thread_id () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.thread_id' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      %thread = croq.thread_id
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

croq.kernel @elect () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.elect' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      %one = croq.elect
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

// A value of a table, as of a bias.
croq.kernel @load (%x: !croq.tile<4xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.load' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      %bias = croq.load %x[%i]
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

croq.kernel @after (%x: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    // expected-note@+1 {{the role is here}}
    croq.role "consumer" warpgroups [0, 2) {
      // expected-error@+1 {{'croq.copy_async' op must not be in a role whose warpgroups become roles of their own: all of them together do it once}}
      %f = croq.copy_async %x => %t
      croq.trigger %e[0] after %f
      croq.wait %e[0]
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
    }
  }
}

// -----

croq.kernel @arrivals () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.event' op must not state its arrivals where the role that triggers it is split}}
    %e = croq.event arrivals 8 : !croq.event<1>
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-note@+1 {{it is triggered here}}
      croq.trigger %e[0]
    }
  }
}

// -----

croq.kernel @panel () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<2x128x64xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      %p = croq.slot %o[0]
      // expected-error@+1 {{'croq.mma.store' op must fill a whole buffer for its role to be split}}
      croq.mma.store %c3 cols [0, 64) => %p
    }
  }
}

// -----

// A role of its own stores: it would have to store both parts.
croq.kernel @storer (%out: !croq.tile<128x128xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      // expected-note@+1 {{they are stored here}}
      croq.mma.store %c3 => %o
      croq.trigger %e[0]
    }
    croq.role "storer" warpgroups [2, 3) {
      croq.wait %e[0]
      // expected-error@+1 {{'croq.copy' op must not use the buffer that the accumulators of a split role pass through: each warpgroup gets its own part of it}}
      croq.copy %o => %out
    }
  }
}

// -----

// A second product reads the result of the first, all rows of it.
croq.kernel @chain () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      // expected-note@+1 {{they are stored here}}
      croq.mma.store %c3 => %o
      // expected-error@+1 {{'croq.mma.exec' op must not use the buffer that the accumulators of a split role pass through: each warpgroup gets its own part of it}}
      %d1 = croq.mma.exec row.row %z, %o, %o
    }
  }
}

// -----

// One buffer for two accumulators.
croq.kernel @twice (%x: !croq.tile<128x128xf16, global>, %y: !croq.tile<128x128xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      // expected-note@+1 {{they are stored here}}
      croq.mma.store %c3 => %o
      croq.copy %o => %x
      // expected-error@+1 {{'croq.mma.store' op must not use the buffer that the accumulators of a split role pass through: each warpgroup gets its own part of it}}
      croq.mma.store %z => %o
      croq.copy %o => %y
    }
  }
}

// -----

// Inside shared memory, where other warpgroups may read it.
croq.kernel @moved () {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    %p = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      // expected-note@+1 {{they are stored here}}
      croq.mma.store %z => %o
      // expected-error@+1 {{'croq.copy' op must not use the buffer that the accumulators of a split role pass through: each warpgroup gets its own part of it}}
      croq.copy %o => %p
    }
  }
}

// -----

croq.kernel @unknown_rows dims(M) (%x: !croq.tile<[M]x128xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf16, shared>
    croq.role "consumer" warpgroups [0, 2) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
      %c1 = croq.mma.exec row.row %z, %t, %t
      croq.mma.store %z => %o
      %p = croq.chunkat %x [2, _] at (0, _)
      // expected-error@+1 {{'croq.copy' op must write a constant number of rows to be split, got ?}}
      croq.copy %o => %p
    }
  }
}
