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

// -----

// Hardware level. The barrier after the initialisation is one of the block: a peer may not have initialised its mbarriers.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 3 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %part : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          // expected-error@+1 {{mbarriers}}
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
        %e1 = nvvm.mapa %e, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e1 : !llvm.ptr<7>
      }
    }
    nvvm.bar.warp.sync %all : i32
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  }
}

// -----

// The barrier of the cluster orders nothing, and no fence shows what is initialised.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 3 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
    }
    // expected-error@+1 {{missing proxy fence}}
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %part : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
        %e1 = nvvm.mapa %e, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e1 : !llvm.ptr<7>
      }
    }
    nvvm.bar.warp.sync %all : i32
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  }
}

// -----

// A block may end while its peer releases slots in it.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 3 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %part : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        // expected-error@+1 {{early exit}}
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
        %e1 = nvvm.mapa %e, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e1 : !llvm.ptr<7>
      }
    }
    llvm.return
  }
}

// -----

// A slot is released in the first block only.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 3 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          // expected-error@+1 {{nothing arrives on e of rank 1}}
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %part : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
      }
    }
    nvvm.bar.warp.sync %all : i32
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  }
}

// -----

// The halves go to the first block only.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 1 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %part : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          // expected-error@+1 {{byte count}}
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
        %e1 = nvvm.mapa %e, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e1 : !llvm.ptr<7>
      }
    }
    nvvm.bar.warp.sync %all : i32
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  }
}

// -----

// Both load the first half.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  llvm.func @shared_stages(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
                  nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c9 = arith.constant 9 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %both = arith.constant 3 : i16
    %half = arith.constant 512 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c64 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %slot = arith.remui %k, %c3 : i32
          %turn = arith.divui %k, %c3 : i32
          %odd = arith.andi %turn, %c1 : i32
          %phase = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %phase, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %stage = arith.shli %slot, %c10 : i32
          %part = arith.shli %rank, %c9 : i32
          %at = arith.addi %stage, %c0 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %half
            multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %slot = arith.remui %k, %c3 : i32
        %turn = arith.divui %k, %c3 : i32
        %phase = arith.andi %turn, %c1 : i32
        %f = llvm.getelementptr %full[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.test.wait %f, %phase : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %stage = arith.shli %slot, %c10 : i32
        %from = llvm.getelementptr %stages[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %high = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        // expected-error@+1 {{shared memory [512}}
        %v = llvm.load %mine : !llvm.ptr<3> -> i64
        %w = llvm.load %high : !llvm.ptr<3> -> i64
        %sum = arith.addi %v, %w : i64
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
        llvm.store %sum, %out : i64, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e0 = nvvm.mapa %e, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e0 : !llvm.ptr<7>
        %e1 = nvvm.mapa %e, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive %e1 : !llvm.ptr<7>
      }
    }
    nvvm.bar.warp.sync %all : i32
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  }
}
