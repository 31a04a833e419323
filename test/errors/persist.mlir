// RUN: croq-opt --persist{order=grouped} --split-input-file --verify-diagnostics %s

croq.kernel @line dims(M) (%in: !croq.tile<[M]xf32, global>) {
  %ms = croq.cdiv M, 64
  // expected-error@+1 {{'croq.parallel' op must have 2 indices or more for order=grouped, got 1}}
  croq.parallel (%m) in (%ms) : block {
    %t = croq.alloc : !croq.tile<64xf32, shared>
    %a = croq.subspan %in [64] tile (%m)
    croq.copy %a => %t
  }
}

// -----

croq.kernel @roles dims(M, N) (%in: !croq.tile<[M]x[N]xf32, global>) {
  // expected-error@+1 {{'croq.parallel' op must have no roles yet, got one}}
  croq.parallel (%m, %n) in (M, N) : block {
    // expected-note@+1 {{the role is here}}
    croq.role "only" warps [0, 1) {
    }
  }
}

// -----

croq.kernel @k dims(N) () {
  // expected-note@+1 {{the block is here}}
  croq.parallel (%b) in (N) : block {
    // expected-error@+1 {{'croq.event' op must be of a block to persist, got an event of the grid: there would be fewer blocks to arrive}}
    %e = croq.event : !croq.event<1, grid>
    croq.trigger %e at 0
  }
}
