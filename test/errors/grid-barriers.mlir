// RUN: croq-opt --lower-grid-barriers --split-input-file --verify-diagnostics %s

croq.kernel @k (%count: !croq.tile<2xi32, global>) {
  croq.parallel (%i) in (4) : block {
    // expected-error@+1 {{'croq.barrier' op count must be a !croq.tile<1xi32, global>, got !croq.tile<2xi32, global>}}
    croq.barrier grid count %count : !croq.tile<2xi32, global>
  }
}

// -----

croq.kernel @k (%count: !croq.tile<1xi32, global>) {
  croq.parallel (%i) in (4) : block {
    // expected-error@+1 {{'croq.barrier' op must be of the grid to have a count}}
    "croq.barrier"(%count) : (!croq.tile<1xi32, global>) -> ()
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%i) in (4) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.barrier' op of the grid must be executed by whole blocks, got it inside croq.parallel}}
      croq.barrier grid
    }
  }
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.workspace' op result must be a !croq.tile<1xi32, global> or longer, got !croq.tile<2xf32, global>}}
  %w = croq.workspace : !croq.tile<2xf32, global>
  croq.parallel (%i) in (4) : block {
  }
}

// -----

croq.kernel @k (%count: !croq.tile<1xi32, global>) {
  croq.parallel (%i) in (4) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.barrier' op of the grid must be executed by whole blocks, got it inside croq.parallel}}
      croq.barrier grid count %count : !croq.tile<1xi32, global>
    }
  }
}

// -----

croq.kernel @k (%count: !croq.tile<1xi32, global>) {
  croq.parallel (%i) in (4) : block {
    croq.role "one" warps [0, 1) {
      // expected-error@+1 {{'croq.barrier' op of the grid must be executed by whole blocks, got it inside croq.role}}
      croq.barrier grid count %count : !croq.tile<1xi32, global>
    }
  }
}

// -----

croq.kernel @k (%count: !croq.tile<1xi32, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i) in (2) : block {
      // expected-error@+1 {{'croq.barrier' op must be in a grid without clusters}}
      croq.barrier grid count %count : !croq.tile<1xi32, global>
    }
  }
}
