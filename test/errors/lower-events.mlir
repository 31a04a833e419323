// RUN: croq-opt --lower-events --split-input-file --verify-diagnostics %s

// Release by two roles, credits by one (field case F06): some generations get 4 arrivals,
// others 8.
croq.kernel @counts dims(X) () {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %free = croq.event : !croq.event<2>
    croq.role "one" warpgroups [0, 1) {
      croq.foreach %s in 2 {
        // expected-note@+1 {{of the other 4: 4 here (each warp of the role "one")}}
        croq.trigger %free at %s
      }
      croq.foreach %k in X {
        // expected-error@+2 {{'croq.trigger' op must make as many arrivals as the other generations of its event get, got 8 and 4}}
        // expected-note@+1 {{of these 8: 4 here (each warp of the role "one")}}
        croq.trigger %free at %k + 2
      }
    }
    croq.role "two" warpgroups [1, 2) {
      croq.foreach %k in X {
        // expected-note@+1 {{of these 8: 4 here (each warp of the role "two")}}
        croq.trigger %free at %k + 2
      }
    }
    croq.role "wait" warpgroups [2, 3) {
      croq.foreach %k in X {
        croq.wait %free at %k
      }
    }
  }
}

// -----

// Orders that end at different numbers: the last four have one role only.
croq.kernel @ends () {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %e = croq.event : !croq.event<2>
    croq.role "one" warps [0, 1) {
      croq.foreach %k in 4 {
        // expected-note@+1 {{of the other 2: 1 here}}
        croq.trigger %e at %k
      }
    }
    croq.role "two" warps [1, 2) {
      croq.foreach %k in 8 {
        // expected-error@+3 {{must make as many arrivals as the other generations of its event get, got 1 and 2}}
        // expected-note@+2 {{of these 1: 1 here}}
        // expected-note@+1 {{of the other 2: 1 here}}
        croq.trigger %e at %k
      }
    }
  }
}

// -----

// One thread arrives for a load, a warp's lane for a plain trigger: the other threads do
// something here, too.
croq.kernel @kinds (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.role "one" warps [0, 2) {
      croq.barrier
      // expected-note@+1 {{of the other 2: 2 here (each warp of the role "one")}}
      croq.trigger %e at 0
      %f = croq.copy_async %p => %a engine(tma)
      // expected-error@+2 {{got 1 and 2}}
      // expected-note@+1 {{of these 1: 1 here (one elected thread of the role "one")}}
      croq.trigger %e at 1 after %f
    }
  }
}

// -----

croq.kernel @stated () {
  croq.parallel (%i) in (4) : block threads 64 {
    // expected-error@+1 {{'croq.event' op arrivals must be what the triggers make, 2, got 3}}
    %e = croq.event arrivals 3 : !croq.event<1>
    // expected-note@+1 {{2 here (each warp of the block)}}
    croq.trigger %e
  }
}

// -----

croq.kernel @never () {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %e = croq.event : !croq.event<1>
    // expected-error@+1 {{'croq.wait' op must wait for an event that is triggered, got one that never is}}
    croq.wait %e
  }
}

// -----

croq.kernel @per_thread () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    // expected-note@+1 {{they part because of this}}
    croq.parallel (%t) in (128) : thread {
      // expected-error@+1 {{'croq.trigger' op must be executed by all threads of its scope, got it where they part}}
      croq.trigger %e
    }
    croq.wait %e
  }
}

// -----

croq.kernel @divergent () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    // expected-note@+1 {{they part because of this}}
    %t = croq.thread_id
    %zero = arith.constant 0 : index
    %c = arith.cmpi eq, %t, %zero : index
    scf.if %c {
      // expected-error@+1 {{must be executed by all threads of its scope, got it where they part}}
      croq.trigger %e
    }
    croq.wait %e
  }
}

// -----

// The orders of each tile start over, as in wgmma_persis.co.
croq.kernel @starts_over dims(X, Y) () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<2>
    // expected-note@+1 {{this loop repeats the orders}}
    croq.foreach %tile in X {
      croq.foreach %k in Y {
        // expected-error@+1 {{'croq.trigger' op order must grow with every loop around it, got one that starts over}}
        croq.trigger %e at %k
      }
    }
  }
}

// -----

croq.kernel @params params(S = 2) () {
  croq.parallel (%i) in (4) : block {
    // expected-error@+1 {{'croq.event' op parameters of the kernel must be bound, got params(S = 2)}}
    %e = croq.event : !croq.event<[S]>
    croq.wait %e
    croq.trigger %e
  }
}

// -----

croq.kernel @in_role () {
  // expected-note@+1 {{the block is here}}
  croq.parallel (%i) in (4) : block {
    croq.role "one" warps [0, 1) {
      // expected-error@+1 {{'croq.event' op must be in the body of level block, outside of roles and loops}}
      %e = croq.event : !croq.event<1>
      croq.trigger %e
    }
  }
}

// -----

croq.kernel @carried () {
  croq.parallel (%i) in (4) : block {
    // expected-note@+1 {{the event is here}}
    %e = croq.event : !croq.event<1>
    croq.trigger %e
    // expected-error@+1 {{'croq.foreach' op must not carry an event, got one}}
    %l = croq.foreach %k in 2 iter(%f = %e) {
      croq.wait %f
      croq.yield %f : !croq.event<1>
    }
  }
}

// -----

croq.kernel @auto (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op must have an engine to complete on an event, got auto}}
    %f = croq.copy_async %p => %a
    // expected-note@+1 {{the event is triggered here}}
    croq.trigger %e after %f
  }
}

// -----

croq.kernel @other_region (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    croq.foreach %k in 2 {
      // expected-error@+1 {{'croq.trigger' op must be in the block of the copies it comes after, got another region}}
      croq.trigger %e after %f
    }
  }
}

// -----

croq.kernel @late_order (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %zero = arith.constant 0 : index
    // expected-note@+1 {{this copy}}
    %f = croq.copy_async %p => %a engine(tma)
    // expected-note@+1 {{the order follows from this}}
    %o = croq.foreach %k in 2 iter(%c = %zero) {
      croq.yield %k : index
    }
    // expected-error@+1 {{'croq.trigger' op order must be known before the first of its copies is started}}
    croq.trigger %e at %o after %f
  }
}

// -----

croq.kernel @many_slots () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<33>
    // expected-error@+1 {{'croq.wait' op with [slot] must be on an event of at most 32 slots, got 33}}
    croq.wait %e[4]
    croq.trigger %e[4]
  }
}

// -----

croq.kernel @mixed_forms () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<2>
    // expected-note@+1 {{waited for by slot here}}
    croq.wait %e[1]
    // expected-error@+1 {{'croq.wait' op must name the generations of its event as the other waits of the scope do, got `at` and `[slot]`}}
    croq.wait %e at 2
    croq.trigger %e[1]
  }
}

// -----

croq.kernel @slot_per_thread () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event : !croq.event<1>
    croq.trigger %e
    // expected-note@+1 {{its phase cannot be carried out of here}}
    croq.parallel (%t) in (128) : thread {
      // expected-error@+1 {{'croq.wait' op with [slot] must be inside foreach, scf.for, scf.while and scf.if only, got it inside croq.parallel}}
      croq.wait %e
    }
  }
}

// -----

croq.kernel @too_many_slots () {
  croq.parallel (%i) in (4) : block {
    // expected-error@+1 {{'croq.event' op must have at most 1024 slots, got 30000000}}
    %e = croq.event : !croq.event<30000000>
    croq.wait %e at 0
    croq.trigger %e at 0
  }
}

// -----

// What an order is offset by must be known when the kernel is compiled.
croq.kernel @offset_by_a_dim dims(X) () {
  croq.parallel (%i) in (4) : block {
    %e = croq.event ready : !croq.event<2>
    croq.role "one" warpgroups [0, 1) {
      croq.foreach %k in X {
        // expected-error@+1 {{'croq.trigger' op offset must be an integer, got X}}
        croq.trigger %e at %k + X
      }
    }
    croq.role "two" warpgroups [1, 2) {
      croq.foreach %k in X {
        croq.wait %e at %k
      }
    }
  }
}
