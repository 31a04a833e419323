// RUN: croq-opt --split-input-file --verify-diagnostics %s

croq.kernel @k (%v: i8, %d: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.shuffle' op value must be i32, i64, f32, f16 or bf16, got i8}}
      %a = croq.shuffle xor %v by %d : i8 -> i8
    }
  }
}

// -----

croq.kernel @k (%v: i32, %d: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.shuffle' op result must be i32, got i64}}
      %a = croq.shuffle xor %v by %d : i32 -> i64
    }
  }
}

// -----

croq.kernel @k (%v: i32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.redux' op must be inside croq.parallel of level thread}}
    %a = croq.redux add %v
  }
}

// -----

croq.kernel @k (%p: i1) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.vote' op result must be i32 for ballot, got i1}}
      %a = croq.vote ballot %p -> i1
    }
  }
}

// -----

croq.kernel @k (%f: f32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.match' op value must be i32 or i64, got f32}}
      %a = croq.match any %f : f32 -> i32
    }
  }
}

// -----

croq.kernel @k (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      // expected-error@+1 {{'croq.match' op must tell whether all have the same exactly if it is all, got any with 2 results}}
      %a, %c = croq.match any %v : i32 -> i32, i1
    }
  }
}

// -----

croq.kernel @k (%v: i32) {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.match' op must be inside croq.parallel of level thread}}
    %a = croq.match any %v : i32 -> i32
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.active_mask' op must be inside croq.parallel of level thread}}
    %a = croq.active_mask
  }
}

// -----

croq.kernel @warpgroup_barrier () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.warpgroup_barrier' op must be inside croq.parallel of level thread}}
    croq.warpgroup_barrier
  }
}
