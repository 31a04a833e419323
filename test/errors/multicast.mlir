// RUN: croq-opt --multicast --split-input-file --verify-diagnostics %s

// A load is shared along an index that its source does not depend on.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{'croq.parallel' op must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%i, 0)
          // expected-note@+1 {{this one is not shared: its source depends on all indices in the cluster}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

// Along the second index there is one block only.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%i, %j)
          // expected-note@+1 {{its source depends on all indices in the cluster}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

// Rows of a part are a multiple of 8.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i, %j) in (4, 2) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x48x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [48, 64] tile (%k, 0)
          // expected-note@+1 {{this one is not shared: its 48 rows are no multiple of 8 for each of 8 blocks}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

// Threads reach no other block.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-note@+1 {{this one is not shared: it is made by threads: engine is threads}}
          %f = croq.copy_async %b => %slot engine(threads)
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

// Extents of parameters are bound first.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x[R]x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [R, 64] tile (%k, 0)
          // expected-error@+1 {{'croq.copy_async' op must fill a tile of constant extents to be divided, got [R] rows}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-error@+1 {{'croq.copy_async' op must not be multicast yet}}
          %f = croq.copy_async %b => %slot multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          // expected-note@+1 {{a wait is here}}
          croq.wait %empty at %k
          // expected-note@+1 {{a wait is here}}
          croq.wait %full at %k + 4
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-error@+1 {{'croq.copy_async' op must come after one wait for its slot, in the same block, to be shared among blocks of a cluster, got 2}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

// All blocks of a cluster fill and release slots equally often.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      %n = arith.addi %i, %c : index
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-note@+1 {{a load of the ring is shared}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        // expected-note@+1 {{this depends on an index in the cluster}}
        croq.foreach %s in %n {
          // expected-error@+1 {{'croq.trigger' op must be executed equally often by all blocks of a cluster}}
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      %n = arith.addi %i, %c : index
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in %n {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-note@+1 {{its source depends on all indices in the cluster}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          %o = arith.addi %k, %i : index
          croq.wait %empty at %o
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-note@+1 {{a load of the ring is shared}}
          %f = croq.copy_async %b => %slot
          // expected-error@+1 {{'croq.trigger' op must have the same order in all blocks of a cluster, got one that depends on an index in the cluster}}
          croq.trigger %full at %o after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          %o = arith.addi %k, %i : index
          croq.wait %empty at %o
          %slot = croq.slot %b_s at %o
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          // expected-error@+1 {{'croq.copy_async' op must fill the same place in all blocks of a cluster to be shared, got one that depends on an index in the cluster}}
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %o after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
      }
    }
  }
}

// -----

croq.kernel @plain dims(K) (%rhs: !croq.tile<[K]x64xf16, global>) {
  // expected-error@+1 {{'croq.parallel' op must be in a cluster to share loads}}
  croq.parallel (%i) in (4) : block {
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i) in (2) : block {
      %full = croq.event : !croq.event<1>
      %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
      %b = croq.subspan %rhs [64, 64] tile (0, 0)
      %f = croq.copy_async %b => %b_s
      // expected-error@+1 {{'croq.trigger' op must be in a role: blocks of a cluster wait for each other's loads}}
      croq.trigger %full after %f
    }
  }
}

// -----

// Copies that a role waits for itself are no ring.
croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    // expected-error@+1 {{'croq.parallel' op must have a load that all blocks along an index in the cluster make alike, got none}}
    croq.parallel (%i) in (2) : block {
      %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
      %b = croq.subspan %rhs [64, 64] tile (0, 0)
      croq.copy %b => %b_s
    }
  }
}

// -----

croq.kernel @k dims(K multiple_of 8) params(R = 64) (
    %lhs: !croq.tile<[K]x64xf16, global>, %rhs: !croq.tile<[K]x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<4>
      %empty = croq.event : !croq.event<4>
      %b_s = croq.alloc : !croq.tile<4x64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in 4 {
          croq.wait %empty at %k
          %slot = croq.slot %b_s at %k
          %b = croq.subspan %rhs [64, 64] tile (%k, 0)
          %f = croq.copy_async %b => %slot
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        croq.foreach %s in 4 {
          croq.trigger %empty at %s
        }
        %o = croq.alloc : !croq.tile<64x64xf16, shared>
        %b = croq.subspan %lhs [64, 64] tile (%i, 0)
        %f = croq.copy_async %o => %b
        // expected-error@+1 {{'croq.trigger' op must not come after copies where it releases a shared slot}}
        croq.trigger %empty at 4 after %f
      }
    }
  }
}
