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

croq.kernel @carried dims(X) (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %a engine(tma)
    %last = croq.foreach %k in X iter(%g = %f) {
      croq.await %g
      // expected-error@+1 {{'croq.yield' op must leave carried future 0 as it was before the loop, with a copy in flight, got no copy in flight}}
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @handed_on (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-error@+1 {{'croq.copy_async' op must be awaited or bound to an event, got a future that is dropped}}
    %f = croq.copy_async %p => %a engine(tma)
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @dropped_inside (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    croq.foreach %k in 4 {
      %d = croq.data %f
      // expected-error@+1 {{'croq.copy_async' op must be awaited or bound to an event, got a future that is dropped}}
      %g = croq.copy_async %p => %d engine(tma)
    }
  }
}

// -----

croq.kernel @awaited_twice (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %d = croq.data %f
    %h = croq.copy_async %p => %d engine(tma)
    croq.await %h
    %x, %y = croq.swap %g, %h
    // expected-error@+1 {{'croq.await' op must wait for a copy in flight, got a future without one: none was started, or it was awaited before}}
    croq.await %x
  }
}

// -----

croq.kernel @never_started (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %last = croq.foreach %k in 4 iter(%g = %f) {
      // expected-error@+1 {{'croq.await' op must wait for a copy in flight, got a future without one: none was started, or it was awaited before}}
      croq.await %g
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @filled_twice (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %d = croq.data %f
    // expected-note@+1 {{the copy is started here}}
    %g = croq.copy_async %p => %d engine(tma)
    // expected-error@+1 {{'croq.copy_async' op must fill a buffer that no other copy is filling, got one that a copy in flight fills}}
    %h = croq.copy_async %p => %d engine(tma)
    croq.await %g
    croq.await %h
  }
}

// -----

croq.kernel @old_name (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    %f = croq.copy_async %p => %a engine(tma)
    // expected-note@+1 {{the loop is here}}
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
    // expected-error@+1 {{'croq.await' op must use the newest name of a future, got one from before a loop that carries it}}
    croq.await %f
  }
}

// -----

croq.kernel @one_twice () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // expected-error@+1 {{'croq.foreach' op must carry different futures, got one twice}}
    %x, %y = croq.foreach %k in 4 iter(%g = %f, %h = %f) {
      croq.yield %g, %h : !croq.future<!croq.tile<64x64xf16, shared>>, !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @from_outside () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %o = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // expected-note@+1 {{the loop is here}}
    %x = croq.foreach %k in 4 iter(%g = %f) {
      // expected-error@+1 {{'croq.yield' op must yield the futures that the loop carries, each once, got another one}}
      croq.yield %o : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @in_another_region (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %d = croq.data %f
    // expected-note@+1 {{the copy is started here}}
    %g = croq.copy_async %p => %d engine(tma)
    croq.foreach %k in 4 {
      // expected-error@+1 {{'croq.await' op must be in the block of its copy, got it in another region}}
      croq.await %g
    }
  }
}

// -----

croq.kernel @part (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<2x64x64xf16, shared>
    %s = croq.slot %a[1]
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %p => %s engine(tma)
    // expected-error@+1 {{'croq.foreach' op must hand on futures of copies that fill a whole shared buffer, got another one}}
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

croq.kernel @store (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared>
    // expected-note@+1 {{the copy is started here}}
    %f = croq.copy_async %a => %p engine(tma)
    // expected-error@+1 {{'croq.foreach' op must hand on futures of copies that fill a whole shared buffer, got another one}}
    %last = croq.foreach %k in 4 iter(%g = %f) {
      croq.await %g
      croq.yield %g : !croq.future<!croq.tile<64x64xf16, global>>
    }
  }
}

// -----

croq.kernel @condition () {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant true
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // expected-error@+1 {{'arith.select' op must not hand on a future, got !croq.future<!croq.tile<64x64xf16, shared>>}}
    %x = arith.select %c, %f, %g : !croq.future<!croq.tile<64x64xf16, shared>>
  }
}

// -----

croq.kernel @older_than_a_copy (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %x, %y = croq.swap %f, %g
    %d = croq.data %x
    // expected-note@+1 {{the copy is started here}}
    %h = croq.copy_async %p => %d engine(tma)
    // expected-error@+1 {{'croq.await' op must use the newest name of a future, got one from before a copy that fills its buffer}}
    croq.await %x
  }
}

// -----

croq.kernel @name_from_outside () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %o = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    // expected-note@+1 {{the loop is here}}
    %x, %y = croq.foreach %k in 4 iter(%g = %f, %h = %o) {
      // expected-error@+1 {{'croq.swap' op must use the newest name of a future, got one from before a loop that carries it}}
      %a, %b = croq.swap %f, %h
      croq.yield %a, %b : !croq.future<!croq.tile<64x64xf16, shared>>, !croq.future<!croq.tile<64x64xf16, shared>>
    }
  }
}

// -----

// In one branch only: nobody is left to wait for it.
croq.kernel @dropped_in_a_branch (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant true
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    scf.if %c {
      %d = croq.data %f
      // expected-error@+1 {{'croq.copy_async' op must be awaited or bound to an event, got a future that is dropped}}
      %h = croq.copy_async %p => %d engine(tma)
    }
  }
}

// -----

// Neither of the two has a copy in flight.
croq.kernel @chosen_without_a_copy () {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant true
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %x = croq.select %c, %f, %g
    // expected-error@+1 {{'croq.await' op must wait for a copy in flight, got a future without one: none was started, or it was awaited before}}
    croq.await %x
  }
}

// -----

croq.kernel @event_by_name (%p: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %e = croq.event : !croq.event<1>
    %f = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x64xf16, shared>>
    %d = croq.data %f
    %h = croq.copy_async %p => %d engine(tma)
    %x, %y = croq.swap %g, %h
    // expected-error@+1 {{'croq.trigger' op future must be the result of croq.copy_async, got a value that is carried by a loop or permuted}}
    croq.trigger %e after %x
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

// -----

// The first region of a scf.while hands futures on, and has no other use for them.
croq.kernel @k (%x: !croq.tile<64xi32, global>, %n: i32) {
  croq.parallel (%b) in (1) : block threads 64 {
    %zero = arith.constant 0 : i32
    %a = croq.alloc : !croq.tile<64xi32, shared, row_major>
    %f = croq.copy_async %x => %a engine(tma)
    // expected-note@+1 {{the loop is here}}
    %g:2 = scf.while (%h = %f, %i = %n) : (!croq.future<!croq.tile<64xi32, shared, row_major>>, i32) -> (!croq.future<!croq.tile<64xi32, shared, row_major>>, i32) {
      // expected-error@+1 {{'croq.await' op must hand on each future that a scf.while carries once, from its first region to the second, and not use it there, got 2 uses}}
      croq.await %h
      %more = arith.cmpi sgt, %i, %zero : i32
      scf.condition(%more) %h, %i : !croq.future<!croq.tile<64xi32, shared, row_major>>, i32
    } do {
    ^bb0(%h: !croq.future<!croq.tile<64xi32, shared, row_major>>, %i: i32):
      scf.yield %h, %zero : !croq.future<!croq.tile<64xi32, shared, row_major>>, i32
    }
    croq.await %g#0
  }
}
