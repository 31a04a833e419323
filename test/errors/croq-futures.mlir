// RUN: croq-opt --split-input-file --verify-diagnostics %s

croq.kernel @global_placeholder () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.any' op must stand for a buffer in shared memory, got !croq.tile<16x16xi32, global>}}
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, global>>
  }
}

// -----

croq.kernel @open_placeholder () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.any' op buffer must have constant extents, got !croq.tile<?x16xi32, shared>}}
    %f = croq.any : !croq.future<!croq.tile<?x16xi32, shared>>
  }
}

// -----

croq.kernel @unknown_name () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.any' op type must use parameters of the kernel, got [S] (declared: none)}}
    %f = croq.any : !croq.future<!croq.tile<[S]x16xi32, shared>>
  }
}

// -----

croq.kernel @awaited_placeholder () {
  croq.parallel (%i) in (1) : block {
    // expected-error@+1 {{'croq.any' op is a placeholder, of which no copy is started, got croq.await of it}}
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    croq.await %f
  }
}

// -----

croq.kernel @other_types () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x8xi32, shared>>
    // expected-error@+1 {{'croq.swap' op must permute futures of one type, got !croq.future<!croq.tile<16x16xi32, shared>> and !croq.future<!croq.tile<16x8xi32, shared>>}}
    %h, %k = croq.swap %f, %g
  }
}

// -----

croq.kernel @itself () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // expected-error@+1 {{'croq.swap' op must permute different futures, got one twice}}
    %h, %k = croq.swap %f, %f
  }
}

// -----

croq.kernel @one () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // expected-error@+1 {{'croq.rotate' op must permute 2 futures or more, got 1}}
    %h = croq.rotate %f
  }
}

// -----

croq.kernel @no_future () {
  croq.parallel (%i) in (1) : block {
    %a = croq.alloc : !croq.tile<16x16xi32, shared>
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // expected-error@+1 {{operand must be a future, got !croq.tile<16x16xi32, shared>}}
    %h, %k = croq.swap %f, %a
  }
}

// -----

croq.kernel @changed_type () {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x8xi32, shared>>
    // expected-error@+1 {{'croq.foreach' op must yield values of types}}
    %r = croq.foreach %k in 4 iter(%a = %f) {
      croq.yield %g : !croq.future<!croq.tile<16x8xi32, shared>>
    }
  }
}

// -----

croq.kernel @chosen_types () {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant true
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x8xi32, shared>>
    // expected-error@+1 {{'croq.select' op must choose between futures of one type, got !croq.future<!croq.tile<16x16xi32, shared>> and !croq.future<!croq.tile<16x8xi32, shared>>}}
    %h = croq.select %c, %f, %g
  }
}

// -----

croq.kernel @chosen_twice () {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant true
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // expected-error@+1 {{'croq.select' op must choose between different futures, got one twice}}
    %h = croq.select %c, %f, %f
  }
}

// -----

croq.kernel @no_condition () {
  croq.parallel (%i) in (1) : block {
    %c = arith.constant 1 : index
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    %g = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    // expected-error@+1 {{condition must be an i1, got index}}
    %h = croq.select %c, %f, %g
  }
}
