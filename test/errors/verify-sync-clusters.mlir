// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// Each kernel breaks one rule between the blocks of a cluster. What surrounds the mistake is the ring
// of test/passes/verify-sync-clusters.mlir, which is accepted.

// The release of a slot reaches its own block only, the credits both.

croq.kernel @release_to_own dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          // expected-error@+1 {{deadlock}}
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// A slot is released to its own block only, though the other writes it too.

croq.kernel @all_to_own dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          // expected-error@+1 {{overwrite}}
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// The first credits reach their own block only.

croq.kernel @credits_to_own dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          // expected-error@+1 {{generation 0 of %empty[0] of rank 0 takes 2 arrivals}}
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Nobody gives credits.

croq.kernel @no_credits dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          // expected-error@+1 {{missing credit}}
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// The copies go along the other index of the cluster: both send the same half.

croq.kernel @other_index dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 2) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [1]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [1]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          // expected-error@+1 {{of it}}
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [1]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Each block keeps its half for itself.

croq.kernel @own_part_only dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma)
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          // expected-error@+1 {{nothing that happens before writes [16, 32) x [0, 32) of it}}
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// The parts are quarters.

croq.kernel @parts_with_a_gap dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [4, _] at (%i, _)
          %part = croq.chunkat %s [4, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          // expected-error@+1 {{nothing that happens before writes [16, 32) x [0, 32) of it}}
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Both blocks load all of the tile for both.

croq.kernel @both_load_all dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          // expected-error@+1 {{write conflict}}
          %f = croq.copy_async %t => %s engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Only the first block loads: the other would have to expect its bytes, and to load its own part.

croq.kernel @one_loads dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %zero = arith.constant 0 : index
      %is_first = arith.cmpi eq, %i, %zero : index
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          scf.if %is_first {
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
          }
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          // expected-error@+1 {{byte count}}
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Only the first block releases.

croq.kernel @one_releases dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %zero = arith.constant 0 : index
      %is_first = arith.cmpi eq, %i, %zero : index
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          // expected-error@+1 {{deadlock}}
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          scf.if %is_first {
            croq.trigger %empty at %k + 3 multicast [0]
          }
        }
      }
      croq.barrier cluster
    }
  }
}

// -----

// Nothing keeps a block from ending before the releases of its peer arrive.

croq.kernel @no_barrier_at_the_end dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 1) : block {
      %full = croq.event : !croq.event<3>
      %empty = croq.event : !croq.event<3>
      %a = croq.alloc : !croq.tile<3x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [2, _] at (%i, _)
          %part = croq.chunkat %s [2, _] at (%i, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [0]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in 3 {
          // expected-error@+1 {{early exit}}
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %o = croq.subspan %y [32, 32] tile (%i, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %o engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
    }
  }
}

// -----

// A copy for both blocks that only one of them waits for: the other may end before it lands.

croq.kernel @copy_after_the_end dims(M) (
    %x: !croq.tile<[M]x32xf32, global>, %y: !croq.tile<[M]x32xf32, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i) in (2) : block {
      %zero = arith.constant 0 : index
      %is_first = arith.cmpi eq, %i, %zero : index
      %done = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
      %t = croq.subspan %x [32, 32] tile (%c, 0)
      %mine = croq.chunkat %t [2, _] at (%i, _)
      %part = croq.chunkat %a [2, _] at (%i, _)
      // expected-error@+1 {{may still be in flight when the block of rank 1 ends}}
      %f = croq.copy_async %mine => %part engine(tma) multicast [0]
      croq.trigger %done at 0 after %f
      scf.if %is_first {
        croq.wait %done at 0
        %o = croq.subspan %y [32, 32] tile (%c, 0)
        croq.copy %a => %o engine(tma)
      }
    }
  }
}
