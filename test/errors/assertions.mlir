// RUN: croq-opt --lower-asserts --lower-parallel --split-input-file --verify-diagnostics %s

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %c = arith.constant true
    // expected-error@+1 {{'croq.assert' op must have a message, got an empty one}}
    croq.assert %c, ""
  }
}

// -----

croq.kernel @k (%c: i32) {
  // expected-error@+1 {{'croq.assert' op operand 'condition' at position 0 does not verify: Expected attribute i1 but got i32}}
  "croq.assert"(%c) <{message = "number"}> : (i32) -> ()
}

// -----

croq.kernel @k dims(M) (%x: !croq.tile<[M]xf32, global>, %n: i32) {
  %c3 = arith.constant 3 : i32
  %c = arith.cmpi sgt, %n, %c3 : i32
  // expected-error@+1 {{'croq.assert' op outside of a block the numbers that a condition compares must be computed from dims and constants}}
  croq.assert %c, "an argument"
  croq.parallel (%b) in (M) : block {
  }
}

// -----

// A difference may be negative: what the hardware makes of its quotient is no floor.
croq.kernel @k dims(M) (%x: !croq.tile<[M]xf32, global>) {
  %m = croq.dim M
  %c3 = arith.constant 3 : index
  %d = arith.subi %m, %c3 : index
  %q = arith.divui %d, %c3 : index
  %c = arith.cmpi ult, %q, %c3 : index
  // expected-error@+1 {{'croq.assert' op outside of a block the numbers that a condition compares must be computed from dims and constants}}
  croq.assert %c, "a difference"
  croq.parallel (%b) in (M) : block {
  }
}

// -----

croq.kernel @k dims(M) (%x: !croq.tile<[M]xf32, global>) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c = arith.cmpi eq, %c3, %c4 : index
  // expected-error@+1 {{'croq.assert' op does not hold: equal, got 3 == 4}}
  croq.assert %c, "equal"
  croq.parallel (%b) in (M) : block {
  }
}

// -----

// As an unsigned number a negative difference is large.
croq.kernel @k dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>) {
  %m = croq.dim M
  %n = croq.dim N
  %c4 = arith.constant 4 : index
  %d = arith.subi %n, %m : index
  // expected-error@+1 {{'arith.cmpi' op outside of a block an unsigned comparison must be of numbers that are not negative, got one that may be}}
  %c = arith.cmpi ult, %d, %c4 : index
  croq.assert %c, "a difference"
  croq.parallel (%b) in (M) : block {
  }
}
