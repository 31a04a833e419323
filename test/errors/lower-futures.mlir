// RUN: croq-opt --lower-futures --split-input-file --verify-diagnostics %s

croq.kernel @dropped (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op must be awaited or bound to an event, got a future that is dropped}}
    %f = croq.copy_async %p => %a engine(tma)
  }
}

// -----

croq.kernel @twice (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(threads)
    // expected-note@+1 {{its future is used here}}
    croq.await %f
    // expected-error@+1 {{'croq.await' op must be the only completion of its future, got a second one}}
    croq.await %f
  }
}

// -----

croq.kernel @both (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    // expected-note@+1 {{its future is used here}}
    croq.trigger %e after %f
    // expected-error@+1 {{'croq.await' op must be the only completion of its future, got a second one}}
    croq.await %f
  }
}

// -----

croq.kernel @two_events (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    // expected-note@+1 {{its future is used here}}
    croq.trigger %e after %f
    // expected-error@+1 {{'croq.trigger' op must be the only completion of its future, got a second one}}
    croq.trigger %e after %f
  }
}

// -----

croq.kernel @elsewhere (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    croq.foreach %k in 4 {
      // expected-error@+1 {{'croq.await' op must be in the block of its copy, got it in another region}}
      croq.await %f
    }
  }
}

// -----

croq.kernel @carried (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %p => %a engine(tma)
    %last = croq.foreach %k in 4 iter(%g = %f) {
      // expected-error@+1 {{'croq.await' op future must be the result of croq.copy_async, got a value that is carried by a loop or a condition}}
      croq.await %g
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @handed_on (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    // expected-error@+1 {{'croq.foreach' op must not carry a future, got the one of a copy}}
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @published_store (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the store is started here}}
    %f = croq.copy_async %a => %p engine(tma)
    // expected-error@+1 {{'croq.trigger' op must come after loads to shared memory, got a TMA store}}
    croq.trigger %e after %f
  }
}

// -----

croq.kernel @auto (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy' op must have an engine, got auto}}
    croq.copy %p => %a
  }
}

// -----

croq.kernel @cp_async (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op with engine cp_async must copy global to shared memory, got shared to global}}
    %f = croq.copy_async %a => %p engine(cp_async)
    croq.await %f
  }
}

// -----

croq.kernel @inside () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy' op with engine tma must copy between global and shared memory, got shared to shared}}
    croq.copy %a => %b engine(tma)
  }
}

// -----

croq.kernel @per_thread (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the level is here}}
    croq.parallel (%t) in (128) : thread {
      // expected-error@+1 {{'croq.copy' op with engine tma must be executed by the whole scope, got it inside parallel : thread}}
      croq.copy %p => %a engine(tma)
    }
  }
}

// -----

// A wait in another scope does not count a store.
croq.kernel @not_counted (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.role "one" warps [0, 4) {
      // expected-error@+1 {{'croq.copy_async' op must be awaited or bound to an event, got a future that is dropped}}
      %f = croq.copy_async %a => %p engine(tma)
    }
    croq.role "other" warps [4, 8) {
      croq.await_stores in_flight 0
    }
  }
}
