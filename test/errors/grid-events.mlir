// RUN: croq-opt --expand-events --lower-grid-events --split-input-file --verify-diagnostics %s

// What the verifiers check of arrays of events and of those of the grid, and what --lower-grid-events
// refuses.

croq.kernel @k () {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2, grid>
    // expected-error@+1 {{'croq.wait' op must name the generation of an event of the grid by its order, at .., got a slot}}
    croq.wait %e[1]
  }
}

// -----

croq.kernel @k (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2, grid>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %x => %a engine(tma)
    // expected-error@+1 {{'croq.trigger' op of an event of the grid must have no after: copies complete in their own block, await them before it}}
    croq.trigger %e at 0 after %f
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%b) in (2) : block {
      %e = croq.event : !croq.event<2, grid>
      // expected-error@+1 {{'croq.trigger' op of an event of the grid must not be multicast: all blocks have it in common}}
      croq.trigger %e at 0 multicast [0]
    }
  }
}

// -----

croq.kernel @k (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %x => %a engine(tma)
    // expected-error@+1 {{'croq.trigger' op of all slots must have no after: name the slot}}
    croq.trigger %e all after %f
  }
}

// -----

croq.kernel @k dims(N) () {
  %n = croq.dim N
  croq.parallel (%b) in (4) : block {
    // expected-error@+1 {{'croq.event' op arrivals must be an integer where the event is of a block, got a value}}
    %e = croq.event arrivals %n : !croq.event<2>
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2x3>
    // expected-error@+1 {{'croq.wait' op slot must have 2 indices, got 1}}
    croq.wait %e[1]
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2x3>
    // expected-error@+1 {{'croq.wait' op slot must be below 3, got 3}}
    croq.wait %e[1, 3]
  }
}

// -----

// expected-error@+1 {{an event must be an array of 1 or 2 dims, got 3}}
%e = croq.event : !croq.event<2x3x4>

// -----

croq.kernel @k () {
  croq.parallel (%b) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %e = croq.event : !croq.event<2, grid>
    // expected-error@+1 {{'croq.wait' op event must be triggered by some block, got no trigger}}
    croq.wait %e at 0
  }
}

// -----

croq.kernel @k () {
  // expected-note@+1 {{the block is here}}
  croq.parallel (%b) in (4) : block {
    croq.role "one" warps [0, 1) {
      // expected-error@+1 {{'croq.event' op must be in the body of level block, outside of roles and loops}}
      %e = croq.event : !croq.event<2, grid>
      croq.trigger %e at 0
    }
  }
}

// -----

croq.kernel @k () {
  // expected-note@+1 {{the block is here}}
  croq.parallel (%b) in (4) : block {
    // expected-error@+1 {{'croq.event' op arrivals must be the same in all blocks, got a value of one block}}
    %e = croq.event arrivals %b : !croq.event<2, grid>
    croq.trigger %e at 0
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%c) in (4) : cluster {
    // expected-note@+1 {{it is here}}
    croq.parallel (%b) in (2) : block {
      // expected-error@+1 {{'croq.event' op must be in a grid without clusters}}
      %e = croq.event : !croq.event<2, grid>
      croq.trigger %e at 0
    }
  }
}

// -----

croq.kernel @k (%x: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2, grid>
    // expected-note@+1 {{they part because of this}}
    croq.parallel (%t) in (64) : thread {
      %zero = arith.constant 0 : i32
      %v = croq.load %x[%t]
      %odd = arith.cmpi eq, %v, %zero : i32
      scf.if %odd {
        // expected-error@+1 {{'croq.trigger' op must be executed by all threads of its scope, got it where they part}}
        croq.trigger %e at 0
      }
    }
  }
}

// -----

croq.kernel @k params(S = 2) () {
  croq.parallel (%b) in (4) : block {
    // expected-error@+1 {{'croq.event' op event must have a number of slots, got !croq.event<[S]x3>}}
    %e = croq.event : !croq.event<[S]x3>
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.workspace' op must have the 4 elements that blocks count in, got 1}}
  %w = croq.workspace : !croq.tile<1xi32, global>
  croq.parallel (%b) in (4) : block {
    %e = croq.event : !croq.event<2, grid>
    croq.trigger %e at 0
  }
}
