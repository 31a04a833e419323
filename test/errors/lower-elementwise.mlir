// RUN: croq-opt --lower-elementwise --split-input-file --verify-diagnostics %s

croq.kernel @thread (%a: !croq.tile<64x32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.elementwise' op must be executed by all threads of its scope, got it where they part}}
      croq.elementwise (%x = %a) => %a {
        croq.yield %x : f32
      }
    }
  }
}

// -----

croq.kernel @captured (%a: !croq.tile<64x32xi32, global>) {
  croq.parallel (%b) in (1) : block {
    %t = croq.thread_id
    %n = arith.index_cast %t : index to i32
    croq.elementwise (%x = %a) => %a {
      // expected-error@+1 {{'arith.addi' op must use numbers that are the same in all threads of the scope, got one that is not}}
      %y = arith.addi %x, %n : i32
      croq.yield %y : i32
    }
  }
}

// -----

croq.kernel @extents dims(M) (%a: !croq.tile<[M]x32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.elementwise' op must be on tiles of constant extents, got Mx32}}
    croq.elementwise (%x = %a) => %a {
      croq.yield %x : f32
    }
  }
}
