// RUN: croq-opt --lower-lanes --split-input-file --verify-diagnostics %s

// Masks that name lanes which do not execute the op.

croq.kernel @half_a_warp (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (16) : thread {
      // expected-error@+1 {{'croq.redux' op must name lanes that execute it, got lane 16 of a warp of which 16 do}}
      %a = croq.redux add %v
    }
  }
}

// -----

croq.kernel @last_warp (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (40) : thread {
      %mask = arith.constant 0x1FF : i32
      // expected-error@+1 {{'croq.redux' op must name lanes that execute it, got lane 8 of a warp of which 8 do}}
      %a = croq.redux add %v mask %mask
    }
  }
}

// -----

croq.kernel @where_lanes_part (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      %lane = croq.lane_id
      %ten = arith.constant 10 : index
      %some = arith.cmpi slt, %lane, %ten : index
      scf.if %some {
        // expected-error@+1 {{'croq.redux' op must be executed by all lanes of its warp, got it where they part}}
        %a = croq.redux add %v
      }
    }
  }
}

// -----

croq.kernel @half_a_warp_matches (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (16) : thread {
      // expected-error@+1 {{'croq.match' op must name lanes that execute it, got lane 16 of a warp of which 16 do}}
      %a = croq.match any %v : i32 -> i32
    }
  }
}

// -----

croq.kernel @nobody (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (64) : thread {
      %mask = arith.constant 0 : i32
      // expected-error@+1 {{'croq.warp_barrier' op must name at least one lane, got a mask of 0}}
      croq.warp_barrier mask %mask
    }
  }
}

// -----

// A whole warp takes this branch alike, and a mask may name the lanes that come along.
croq.kernel @right (%v: i32) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%w, %t) in (2, 32) : thread {
      %one = arith.constant 1 : index
      %first = arith.cmpi slt, %w, %one : index
      scf.if %first {
        %a = croq.redux add %v
      }
      %some = arith.cmpi slt, %t, %one : index
      scf.if %some {
        %mask = arith.constant 1 : i32
        %c = croq.redux add %v mask %mask
      }
    }
  }
}
