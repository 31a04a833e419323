// RUN: croq-opt --lower-parallel --split-input-file --verify-diagnostics %s

croq.kernel @two_grids () {
  croq.parallel (%a) in (1) : block { // expected-note {{one is here}}
  }
  // expected-error@+1 {{'croq.parallel' op must have one croq.parallel of level block, got 2}}
  croq.parallel (%b) in (1) : block {
  }
}

// -----

// expected-error@+1 {{'croq.kernel' op must have one croq.parallel of level block, got 0}}
croq.kernel @no_grid () {
}

// -----

croq.kernel @work_outside (%p: !croq.tile<8xf32, global>) {
  // expected-error@+1 {{'croq.pointer' op must be inside croq.parallel of level block: outside only extents are computed}}
  %q = croq.pointer %p : !croq.tile<8xf32, global> -> !llvm.ptr<1>
  croq.parallel (%b) in (1) : block {
  }
}

// -----

croq.kernel @grid_of_product dims(M, N) () {
  %m = croq.dim M
  %n = croq.dim N
  // expected-error@+1 {{'arith.muli' op extents of the grid must be computed from dims and constants}}
  %mn = arith.muli %m, %n : index
  // expected-note@+1 {{the grid is here}}
  croq.parallel (%b) in (%mn) : block {
  }
}

// -----

croq.kernel @grid_of_scalar (%n: index) {
  // expected-error@+1 {{'croq.parallel' op extents of the grid must be computed from dims and constants (croq.cdiv, arith.divui, arith.remui by a constant, arith.addi, arith.subi, arith.muli by a constant), got an argument}}
  croq.parallel (%b) in (%n) : block {
  }
}

// -----

croq.kernel @grid_of_parameter params(S = 4) () {
  // expected-error@+1 {{'croq.parallel' op extents of the grid must be computed from dims, got S}}
  croq.parallel (%b) in (S) : block {
  }
}

// -----

croq.kernel @unbound params(S = 4) () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+1 {{'croq.foreach' op must use dims of the kernel, got S}}
    croq.foreach %s in S {
    }
  }
}

// -----

croq.kernel @early dims(M) (%p: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // expected-error@+1 {{'croq.subspan' op must be lowered before --lower-parallel}}
    %t = croq.subspan %p [64, 64] tile (%b, 0)
  }
}

// -----

// 240 registers for 384 threads: 92160 of the 64512 that they start with.
croq.kernel @budgets () {
  croq.parallel (%b) in (1) : block {
    // expected-error@+2 {{'croq.role' op register budgets must fit in the 64512 registers that 384 threads start with (168 each, when the block has 384), got 92160}}
    // expected-note@+1 {{128 threads with 240 registers each}}
    croq.role "a" warpgroups [0, 1) registers 240 {
    }
    // expected-note@+1 {{256 threads with 240 registers each}}
    croq.role "b" warpgroups [1, 3) registers 240 {
    }
  }
}

// -----

// expected-error@+1 {{'builtin.module' op target must be one of sm_80, sm_86, sm_89, sm_90a, got 'sm_75'}}
builtin.module attributes {croq.target = "sm_75"} {
  croq.kernel @k () {
    croq.parallel (%b) in (1) : block {
    }
  }
}

// -----

croq.kernel @role_too_small () {
  croq.parallel (%b) in (1) : block {
    // expected-note@+1 {{they are the threads of this scope}}
    croq.role "a" warps [0, 1) {
      // expected-error@+1 {{'croq.parallel' op must fit in the 32 threads around it, got 64}}
      croq.parallel (%i) in (64) : thread {
      }
    }
  }
}

// -----

croq.kernel @warp_too_small () {
  croq.parallel (%b) in (1) : block {
    // expected-note@+1 {{the warp is here}}
    croq.parallel (%w) in (4) : warp {
      // expected-error@+1 {{'croq.parallel' op must fit in the 32 threads of a warp, got 64}}
      croq.parallel (%i) in (64) : thread {
      }
    }
  }
}

// -----

croq.kernel @divergent () {
  croq.parallel (%b) in (1) : block threads 128 {
    // expected-note@+1 {{the level is here}}
    croq.parallel (%i) in (100) : thread {
      // expected-error@+1 {{'croq.barrier' op must be executed by all threads of its scope, got it inside a level of 100 of 128 threads}}
      croq.barrier
    }
  }
}

// -----

croq.kernel @barriers () {
  croq.parallel (%b) in (1) : block {
    croq.role "0" warps [0, 2) {
      croq.barrier
    }
    croq.role "1" warps [2, 4) {
      croq.barrier
    }
    croq.role "2" warps [4, 6) {
      croq.barrier
    }
    croq.role "3" warps [6, 8) {
      croq.barrier
    }
    croq.role "4" warps [8, 10) {
      croq.barrier
    }
    croq.role "5" warps [10, 12) {
      croq.barrier
    }
    croq.role "6" warps [12, 14) {
      croq.barrier
    }
    croq.role "7" warps [14, 16) {
      croq.barrier
    }
    croq.role "8" warps [16, 18) {
      croq.barrier
    }
    croq.role "9" warps [18, 20) {
      croq.barrier
    }
    croq.role "10" warps [20, 22) {
      croq.barrier
    }
    croq.role "11" warps [22, 24) {
      croq.barrier
    }
    croq.role "12" warps [24, 26) {
      croq.barrier
    }
    croq.role "13" warps [26, 28) {
      croq.barrier
    }
    croq.role "14" warps [28, 30) {
      croq.barrier
    }
    croq.role "15" warps [30, 32) {
      // expected-error@+1 {{'croq.barrier' op must be one of at most 15 barriers of roles, of names and of warpgroups (the hardware has 16, one is that of the block), got 16}}
      croq.barrier
    }
  }
}

// -----

// expected-error@+1 {{'croq.kernel' op attribute reference must be a string, got 3 : i64}}
croq.kernel @reference () attributes {reference = 3} {
  croq.parallel (%b) in (1) : block {
  }
}

// -----

// expected-error@+1 {{'croq.kernel' op croq.checks[0].kind must be one of alignment, pitch, multiple, range, divisible, condition, got 'odd'}}
croq.kernel @checks () attributes {croq.checks = [{kind = "odd"}]} {
  croq.parallel (%b) in (1) : block {
  }
}

// -----

builtin.module attributes {croq.target = "sm_80"} {
  croq.kernel @no_clusters () {
    // expected-error@+1 {{'croq.parallel' op must be on a target that has clusters, got sm_80}}
    croq.parallel (%c) in (1) : cluster {
      croq.parallel (%b) in (2) : block {
      }
    }
  }
}

// -----

croq.kernel @clusters_of_product dims(M, N) () {
  %m = croq.dim M
  %n = croq.dim N
  // expected-error@+1 {{'arith.muli' op extents of the grid must be computed from dims and constants}}
  %mn = arith.muli %m, %n : index
  // expected-note@+1 {{the grid is here}}
  croq.parallel (%c) in (%mn) : cluster {
    croq.parallel (%b) in (2) : block {
    }
  }
}

// -----

croq.kernel @part_of_a_warpgroup () {
  croq.parallel (%b) in (1) : block threads 256 {
    // expected-note@+1 {{the level is here}}
    croq.parallel (%t) in (192) : thread {
      // expected-error@+1 {{'croq.warpgroup_barrier' op must be executed by all threads of its warpgroup, got it inside a level of 192 of 256 threads}}
      croq.warpgroup_barrier
    }
  }
}

// -----

croq.kernel @across_warpgroups () {
  croq.parallel (%b) in (1) : block {
    croq.role "load" warps [0, 1) {
      %e = croq.elect
    }
    // expected-note@+1 {{the threads are those of this op}}
    croq.role "work" warps [1, 5) {
      croq.parallel (%t) in (128) : thread {
        // expected-error@+1 {{'croq.warpgroup_barrier' op must be in a scope of whole warpgroups of 128 threads, got threads [32, 160)}}
        croq.warpgroup_barrier
      }
    }
  }
}

// -----

croq.kernel @warps_part () {
  croq.parallel (%b) in (1) : block threads 256 {
    croq.parallel (%w) in (8) : warp {
      %zero = arith.constant 0 : index
      // expected-note@+1 {{they part because of this}}
      %first = arith.cmpi eq, %w, %zero : index
      // expected-note@+1 {{they part because of this}}
      scf.if %first {
        croq.parallel (%t) in (32) : thread {
          // expected-error@+1 {{'croq.warpgroup_barrier' op must be executed by all threads of its warpgroup, got it where they part}}
          croq.warpgroup_barrier
        }
      }
    }
  }
}

// -----

// Eight warpgroups of a block, and eight names: one more than there are barriers.
croq.kernel @too_many_of_warpgroups () {
  croq.parallel (%b) in (1) : block threads 1024 {
    croq.barrier_wait "1" threads 1024
    croq.barrier_wait "2" threads 1024
    croq.barrier_wait "3" threads 1024
    croq.barrier_wait "4" threads 1024
    croq.barrier_wait "5" threads 1024
    croq.barrier_wait "6" threads 1024
    croq.barrier_wait "7" threads 1024
    croq.barrier_wait "8" threads 1024
    croq.parallel (%t) in (1024) : thread {
      // expected-error@+1 {{'croq.warpgroup_barrier' op must be one of at most 15 barriers of roles, of names and of warpgroups (the hardware has 16, one is that of the block), got 16}}
      croq.warpgroup_barrier
    }
  }
}

// -----

croq.kernel @k () {
  croq.parallel (%b) in (1) : block {
    %c = arith.constant true
    // expected-error@+1 {{'croq.assert' op must be lowered before --lower-parallel}}
    croq.assert %c, "late"
  }
}
