// RUN: croq-opt --split-input-file --verify-diagnostics --lower-indices %s

// What the verifiers of bounded indices check, and what --lower-indices refuses.

croq.kernel @k () {
  // expected-error@+1 {{'croq.with' op extent must be positive, got 0}}
  %k = croq.with 0
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.with' op index must be below its extent 4, got 4}}
  %k = croq.with 4 at 4
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.with' op index must be >= 0, got -1}}
  %k = croq.with 4 at -1
}

// -----

croq.kernel @k dims(M) () {
  // expected-error@+1 {{'croq.with' op must use a dim or parameter of the kernel, got N (declared: M)}}
  %k = croq.with N
}

// -----

croq.kernel @k () {
  // expected-error@+1 {{'croq.with' op must have an extent and an index}}
  %k = "croq.with"() <{static_values = [4 : index]}> : () -> index
}

// -----

croq.kernel @k () {
  %a = croq.with 4
  // expected-error@+1 {{'croq.compose' op must have two indices at least, got 1}}
  %b = croq.compose %a
}

// -----

croq.kernel @k (%n: index) {
  %a = croq.with 4
  // expected-error@+1 {{'croq.compose' op operand 1 must be bounded (an index of croq.parallel or croq.foreach, or a result of croq.with or croq.compose), got a block argument}}
  %b = croq.compose %a, %n
}

// -----

croq.kernel @k (%n: index) {
  %a = croq.with 4
  %sum = arith.addi %a, %n : index
  // expected-error@+1 {{'croq.axis' op operand must be bounded (an index of croq.parallel or croq.foreach, or a result of croq.with or croq.compose), got arith.addi}}
  %b = croq.axis %sum
}

// -----

// What begins with an index without a bound has none.
croq.kernel @k (%n: index) {
  %a = croq.with 4
  %both = croq.compose %n, %a
  // expected-error@+1 {{'croq.axis' op operand must be bounded (an index of croq.parallel or croq.foreach, or a result of croq.with or croq.compose), got croq.compose}}
  %b = croq.axis %both
}

// -----

croq.kernel @k (%x: !croq.tile<4x8xf32, global>) {
  // expected-error@+1 {{'croq.span' op dim must be one of the 2 of the tile, got 2}}
  %b = croq.span %x[2]
}

// -----

croq.kernel @k dims(M) (%x: !croq.tile<[M]x8xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %p = croq.chunkat %x [4, _] at (0, _)
    %r = croq.foreach %i in 3 iter(%t = %p) {
      // expected-error@+1 {{'croq.span' op must be of a tile whose extent is known or divided from one, got !croq.tile<?x8xf32, global>}}
      %n = croq.span %t[0]
      croq.yield %t : !croq.tile<?x8xf32, global>
    }
  }
}
