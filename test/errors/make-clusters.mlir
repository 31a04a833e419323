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
