// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// The life cycle of futures that loops carry, conditions choose and permutations rename: every
// misuse is refuted, with an execution that gets there.

// What the others differ from in one thing.

croq.kernel @right dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// A copy that nobody waits for: after the first step its future is lost.

croq.kernel @never_awaited dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      // expected-error@+1 {{future: must leave carried future 1 as it was before the loop, with no copy in flight, got a copy in flight}}
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

croq.kernel @awaited_twice dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      // expected-error@+1 {{future: must wait for a copy in flight, got a future without one: none was started, or it was awaited before}}
      croq.await %p
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// The buffer that a copy still fills is filled again.

croq.kernel @filled_in_flight dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %p
      // expected-error@+1 {{future: must fill a buffer that no other copy is filling, got one that a copy in flight fills}}
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// The tile is read, and awaited then.

croq.kernel @read_before dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        // expected-error@+1 {{read before write}}
        %v = croq.load %c[%r, 0]
      }
      croq.await %p
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// The other buffer, of which no copy was started.

croq.kernel @placeholder dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      // expected-error@+1 {{future: must use the newest name of a future, got one from before a copy that fills its buffer}}
      croq.await %q
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// After the loop the second buffer has none in flight.

croq.kernel @placeholder_after dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    // expected-error@+1 {{future: must wait for a copy in flight, got a future without one}}
    croq.await %y
  }
}

// -----

// The name from before the copy is handed on: the copy has none any more.

croq.kernel @lost_by_swap dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      // expected-error@+1 {{future: must use the newest name of a future, got one from before a copy that fills its buffer}}
      %g, %h = croq.swap %p, %q
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// Nobody waits for the last copy.

croq.kernel @dropped_after dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      // expected-error@+1 {{future: must be awaited or bound to an event, got a future that is dropped}}
      %n = croq.copy_async %t => %d
      croq.await %p
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
  }
}

// -----

// Only every other copy is awaited before its tile is read.

croq.kernel @sometimes_awaited dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      %one = arith.constant 1 : index
      %bit = arith.andi %k, %one : index
      %odd = arith.cmpi eq, %bit, %one : index
      scf.if %odd {
        croq.await %p
      }
      %c = croq.data %p
      croq.parallel (%r) in (32) : thread {
        // expected-error@+1 {{read before write}}
        %v = croq.load %c[%r, 0]
      }
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    croq.await %x
  }
}

// -----

// A copy is started in every other step, and awaited in each.

croq.kernel @awaited_on_a_condition dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    croq.await %f
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %one = arith.constant 1 : index
      %bit = arith.andi %k, %one : index
      %odd = arith.cmpi eq, %bit, %one : index
      %n = scf.if %odd -> (!croq.future<!croq.tile<64x32xf32, shared>>) {
        %t = croq.subspan %in [64, 32] tile (0, %k)
        %d = croq.data %q
        %m = croq.copy_async %t => %d
        scf.yield %m : !croq.future<!croq.tile<64x32xf32, shared>>
      } else {
        scf.yield %q : !croq.future<!croq.tile<64x32xf32, shared>>
      }
      // expected-error@+1 {{future: must wait for a copy in flight, got a future without one}}
      croq.await %p
      %g, %h = croq.swap %p, %n
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
  }
}

// -----

// In odd steps the future of the copy is left out, and the other one goes on twice.

croq.kernel @lost_by_select dims(K multiple_of 4) (%in: !croq.tile<64x[K]xf32, global>) {
  %steps = croq.cdiv K, 32
  croq.parallel (%i) in (1) : block {
    %a = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %b = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %t0 = croq.subspan %in [64, 32] tile (0, 0)
    %d0 = croq.data %a
    %f = croq.copy_async %t0 => %d0
    %x, %y = croq.foreach %k in 1 to %steps iter(%p = %f, %q = %b) {
      %t = croq.subspan %in [64, 32] tile (0, %k)
      %d = croq.data %q
      %n = croq.copy_async %t => %d
      %one = arith.constant 1 : index
      %bit = arith.andi %k, %one : index
      %odd = arith.cmpi eq, %bit, %one : index
      croq.await %p
      %o = croq.select %odd, %p, %n
      %g, %h = croq.swap %p, %o
      croq.yield %g, %h : !croq.future<!croq.tile<64x32xf32, shared>>, !croq.future<!croq.tile<64x32xf32, shared>>
    }
    // expected-error@+1 {{future: must await a copy that is in flight, got a future without one}}
    croq.await %x
  }
}
