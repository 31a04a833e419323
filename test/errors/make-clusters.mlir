// RUN: croq-opt --make-clusters{cluster=2x1} --split-input-file --verify-diagnostics %s
// RUN: not croq-opt --make-clusters{cluster=2xx1} %s 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: not croq-opt --make-clusters{cluster=0x1} %s 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: not croq-opt --make-clusters{cluster=4x4} %s 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not croq-opt --make-clusters{cluster=2x1} "--persist{blocks=7}" %S/../passes/make-clusters.mlir 2>&1 | filecheck %s --check-prefix=ODD
// RUN: not croq-opt --make-clusters{cluster=2x1} "--persist{blocks=1}" %S/../passes/make-clusters.mlir 2>&1 | filecheck %s --check-prefix=ONE

// TEXT: cluster must be positive extents such as 2x1, got 2xx1
// ZERO: cluster must be positive extents such as 2x1, got 0x1
// MANY: cluster must have at most 8 blocks, got 4x4, which are 16
// ODD:  error: 'croq.parallel' op blocks must be a multiple of the 2 blocks of a cluster, got 7
// ODD:  use blocks=6
// ONE:  op blocks must be a multiple of the 2 blocks of a cluster, got 1
// ONE:  use blocks=2

croq.kernel @line dims(M) (%in: !croq.tile<[M]xf32, global>) {
  %ms = croq.cdiv M, 64
  // expected-error@+1 {{'croq.parallel' op must have as many indices as the cluster has extents, got 1 and 2}}
  croq.parallel (%m) in (%ms) : block {
  }
}

// -----

croq.kernel @roles dims(M, N) (%in: !croq.tile<[M]x[N]xf32, global>) {
  // expected-error@+1 {{'croq.parallel' op must have no roles yet, got one}}
  croq.parallel (%m, %n) in (M, N) : block {
    // expected-note@+1 {{the role is here}}
    croq.role "only" warps [0, 1) {
    }
  }
}

// -----

croq.kernel @twice dims(M) (%in: !croq.tile<[M]xf32, global>) {
  croq.parallel (%c) in (M) : cluster {
    // expected-error@+1 {{'croq.parallel' op must not be in a cluster yet}}
    croq.parallel (%m, %n) in (2, 1) : block {
    }
  }
}

// -----

// Elements and views that the last cluster may take out of range.

croq.kernel @element (%out: !croq.tile<3xf32, global>) {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (3, 1) : block {
    %x = arith.constant 1.5 : f32
    // expected-error@+1 {{'croq.store' op must not depend on %m in clusters of 2 along it, got an element that the last cluster may take out of range}}
    croq.store %x, %out[%m]
  }
}

// -----

croq.kernel @element_of_a_tile dims(M) (%in: !croq.tile<[M]x64xf32, global>) {
  %ms = croq.cdiv M, 64
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (%ms, 1) : block {
    %t = croq.subspan %in [64, 64] tile (%m, 0)
    croq.parallel (%row) in (64) : thread {
      // expected-error@+1 {{'croq.load' op must not depend on %m in clusters of 2 along it, got an element of a tile that}}
      %x = croq.load %t[%row, %n]
    }
  }
}

// -----

croq.kernel @through_a_loop dims(M) (%in: !croq.tile<[M]xf32, global>) {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (M, 4) : block {
    croq.foreach %i in %m to M step 8 {
      // expected-error@+1 {{'croq.load' op must not depend on %m in clusters of 2 along it, got an element that}}
      %x = croq.load %in[%i]
    }
  }
}

// -----

croq.kernel @otherwise dims(M) (%in: !croq.tile<[M]xf32, global>) {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (M, 4) : block {
    %end = croq.dim M
    %inside = arith.cmpi ult, %m, %end : index
    scf.if %inside {
    } else {
      // expected-error@+1 {{'croq.load' op must not depend on %m in clusters of 2 along it, got an element that}}
      %x = croq.load %in[%m]
    }
  }
}

// -----

croq.kernel @chunk (%in: !croq.tile<192x64xf16, global>) {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (3, 1) : block {
    // expected-error@+1 {{'croq.chunkat' op must not depend on %m in clusters of 2 along it, got a view that the last cluster may take out of range}}
    %t = croq.chunkat %in [3, _] at (%m, _)
  }
}

// -----

croq.kernel @window (%in: !croq.tile<190x64xf16, global>) {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (3, 1) : block {
    %rows = arith.constant 64 : index
    %row = arith.muli %m, %rows : index
    // expected-error@+1 {{'croq.view' op must not depend on %m in clusters of 2 along it, got a view that}}
    %t = croq.view %in [62, 64] from (%row, 0)
  }
}

// -----

croq.kernel @shared_tile () {
  // expected-note@+1 {{the blocks are not known to fill their clusters}}
  croq.parallel (%m, %n) in (3, 1) : block {
    %ring = croq.alloc : !croq.tile<3x64xf16, shared>
    // expected-error@+1 {{'croq.subspan' op must not depend on %m in clusters of 2 along it, got a view that}}
    %t = croq.subspan %ring [1, 64] tile (%m, 0)
    // Orders wrap.
    %s = croq.slot %ring at %m
  }
}
