// RUN: croq-opt --expand-inner-tiles --split-input-file --verify-diagnostics %s

croq.kernel @engine (%x: !croq.tile<32x4xf32, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      %r = croq.alloc : !croq.tile<1x4xf32, register>
      %mine = croq.subspan %x [1, 4] tile (%t, 0)
      // expected-error@+1 {{'croq.copy' op inside parallel : thread, : warp or : warpgroup must have engine threads, got tma}}
      croq.copy %mine => %r engine(tma)
    }
  }
}

// -----

croq.kernel @pad (%x: !croq.tile<32x4xf32, global>) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      %r = croq.alloc : !croq.tile<1x5xf32, register>
      %mine = croq.subspan %x [1, 4] tile (%t, 0)
      // expected-error@+1 {{'croq.copy' op inside parallel : thread, : warp or : warpgroup must not pad}}
      croq.copy %mine => %r pad([0, 0], [0, 1], 0.0)
    }
  }
}

// -----

croq.kernel @lanes_part (%n: i32) {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<4x64xf32, shared>
    croq.parallel (%w) in (4) : warp {
      %mine = croq.subspan %s [1, 64] tile (%w, 0)
      // expected-note@+1 {{they part because of this}}
      %t = croq.thread_id
      %i = arith.index_cast %t : index to i32
      %some = arith.cmpi slt, %i, %n : i32
      scf.if %some {
        // expected-error@+1 {{'croq.fill' op must be executed by all lanes of its warp, got it where they part}}
        croq.fill %mine, 0.0
      }
    }
  }
}

// -----

croq.kernel @captured () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<4x64xf32, shared>
    croq.parallel (%w) in (4) : warp {
      %mine = croq.subspan %s [1, 64] tile (%w, 0)
      // expected-note@+1 {{this differs between lanes}}
      %t = croq.thread_id
      %i = arith.index_cast %t : index to i32
      %f = arith.sitofp %i : i32 to f32
      // expected-error@+2 {{'croq.elementwise' op must use numbers that are the same in all lanes of its warp, got one that is not}}
      croq.fill %mine, 0.0
      croq.elementwise (%x = %mine) => %mine {
        %y = arith.addf %x, %f : f32
        croq.yield %y : f32
      }
    }
  }
}

// -----

croq.kernel @constant () {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      %r = croq.alloc : !croq.tile<4xf8E5M2, register>
      // expected-error@+1 {{'croq.fill' op must be of a type that has constants (f16, bf16, f32, f64, integers) where threads have tiles of their own, got f8E5M2}}
      croq.fill %r, 0.0
    }
  }
}

// -----

croq.kernel @warps_part () {
  croq.parallel (%b) in (1) : block threads 256 {
    %s = croq.alloc : !croq.tile<2x64xf32, shared>
    croq.parallel (%g) in (2) : warpgroup {
      %mine = croq.subspan %s [1, 64] tile (%g, 0)
      // expected-note@+1 {{they part because of this}}
      %w = croq.warp_id
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %w, %zero : index
      scf.if %first {
        // expected-error@+1 {{'croq.fill' op must be executed by all threads of its warpgroup, got it where they part}}
        croq.fill %mine, 0.0
      }
    }
  }
}

// -----

croq.kernel @warps_differ () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<1x64xf32, shared>
    croq.parallel (%g) in (1) : warpgroup {
      // expected-note@+1 {{this differs between threads}}
      %w = croq.warp_id
      %i = arith.index_cast %w : index to i32
      %f = arith.sitofp %i : i32 to f32
      // expected-error@+1 {{'croq.elementwise' op must use numbers that are the same in all threads of its warpgroup, got one that is not}}
      croq.elementwise (%x = %s) => %s {
        %y = arith.addf %x, %f : f32
        croq.yield %y : f32
      }
    }
  }
}

// -----

croq.kernel @across_warpgroups () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<64xf32, shared>
    croq.role "load" warps [0, 1) {
      %e = croq.elect
    }
    // expected-note@+1 {{the threads are those of this op}}
    croq.role "work" warps [1, 5) {
      croq.parallel (%g) in (1) : warpgroup {
        // expected-error@+1 {{'croq.fill' op inside parallel : warpgroup must be in a scope of whole warpgroups of 128 threads, got threads [32, 160)}}
        croq.fill %s, 0.0
      }
    }
  }
}
