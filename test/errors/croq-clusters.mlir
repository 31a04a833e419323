// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers and parsers of the croq dialect refuse about clusters.

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.parallel' op level cluster must be directly in croq.kernel, got croq.parallel}}
    croq.parallel (%c) in (1) : cluster {
    }
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.parallel' op level cluster must have one croq.parallel of level block inside, got 0}}
  croq.parallel (%c) in (1) : cluster {
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.parallel' op level cluster must have one croq.parallel of level block inside, got 2}}
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%b) in (1) : block {
    }
    croq.parallel (%d) in (1) : block {
    }
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.parallel' op level cluster must have index arithmetic and one croq.parallel of level block inside, got croq.alloc}}
  croq.parallel (%c) in (1) : cluster {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.parallel (%b) in (1) : block {
    }
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.parallel' op level cluster must have no more indices than its block, which has 1, got 2}}
  croq.parallel (%c, %d) in (1, 1) : cluster {
    croq.parallel (%b) in (1) : block {
    }
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.parallel' op threads must be on level block}}
  croq.parallel (%c) in (1) : cluster threads 128 {
    croq.parallel (%b) in (1) : block {
    }
  }
}

// -----

croq.kernel @k (%n: index) {
  croq.parallel (%c) in (1) : cluster {
    // expected-error@+1 {{'croq.parallel' op level block must have constant extents inside level cluster}}
    croq.parallel (%b) in (%n) : block {
    }
  }
}

// -----

croq.kernel @k params(S = 2) () {
  croq.parallel (%c) in (1) : cluster {
    // expected-error@+1 {{'croq.parallel' op level block must have constant extents inside level cluster}}
    croq.parallel (%b) in (S) : block {
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    // expected-error@+1 {{'croq.parallel' op extents in a cluster must be positive, got 0}}
    croq.parallel (%b) in (0) : block {
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    // expected-error@+1 {{'croq.parallel' op must be at most 8 blocks in a cluster, got 9}}
    croq.parallel (%i, %j) in (3, 3) : block {
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i) in (2) : block {
      croq.role "one" warpgroups [0, 1) {
        // expected-error@+1 {{'croq.barrier' op with cluster must be directly in the block of a cluster, got croq.role}}
        croq.barrier cluster
      }
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (2) : block {
    // expected-error@+1 {{'croq.barrier' op with cluster must be in a block of a cluster}}
    croq.barrier cluster
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (2) : block {
    %e = croq.event : !croq.event<1>
    // expected-error@+1 {{'croq.trigger' op multicast must be in a block of a cluster}}
    croq.trigger %e multicast [0]
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i) in (2) : block {
      %e = croq.event : !croq.event<1>
      // expected-error@+1 {{'croq.trigger' op multicast must name indices of the block, 0 to 0, got [0, 1]}}
      croq.trigger %e multicast [0, 1]
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %e = croq.event : !croq.event<1>
      // expected-error@+1 {{'croq.trigger' op multicast must name different indices in order, got [1, 0]}}
      croq.trigger %e multicast [1, 0]
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %e = croq.event : !croq.event<1>
      // expected-error@+1 {{'croq.trigger' op multicast must name different indices in order, got [0, 0]}}
      croq.trigger %e multicast [0, 0]
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %e = croq.event : !croq.event<1>
      // expected-error@+1 {{multicast must name an index}}
      croq.trigger %e multicast []
    }
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %e = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      %f = croq.copy_async %t => %a
      // expected-error@+1 {{'croq.trigger' op with multicast must have no after: copies complete in their own block}}
      croq.trigger %e after %f multicast [0]
    }
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      // expected-error@+1 {{'croq.copy_async' op multicast must name indices of the block, 0 to 1, got [2]}}
      %f = croq.copy_async %t => %a multicast [2]
    }
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i, %j) in (2, 1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op multicast must be in a block of a cluster}}
    %f = croq.copy_async %t => %a multicast [0]
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      // expected-error@+1 {{'croq.copy_async' op with multicast must copy global to shared memory, got shared to global}}
      %f = croq.copy_async %a => %t multicast [0]
    }
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      // expected-error@+1 {{'croq.copy_async' op with multicast must have engine tma, which alone reaches other blocks, got threads}}
      %f = croq.copy_async %t => %a engine(threads) multicast [0]
    }
  }
}

// -----

croq.kernel @k (%t: !croq.tile<64x64xf16, global>) {
  croq.parallel (%c) in (1) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %a = croq.alloc : !croq.tile<64x64xf16, shared>
      // expected-error@+1 {{'croq.copy_async' op future of a multicast copy must go to croq.trigger .. after only, got croq.await}}
      %f = croq.copy_async %t => %a multicast [0]
      croq.await %f
    }
  }
}
