// RUN: croq-opt --verify-sync{undecided=error} --split-input-file --verify-diagnostics %s
// RUN: croq-opt --verify-sync{undecided=error} --split-input-file %s | filecheck %s
// RUN: croq-opt --bind-params --make-clusters{cluster=2x1} --persist{order=grouped} '--warp-specialize{stages=4 in_flight=1}' --multicast --overlap-epilogue --infer-layouts --select-engines --verify-sync{undecided=error} %S/../../examples/matmul.mlir -o %t
// RUN: croq-opt --bind-params --make-clusters{cluster=1x2} '--warp-specialize{stages=3}' --multicast --infer-layouts --select-engines --verify-sync{undecided=error} %S/../../examples/matmul.mlir -o %t
// RUN: croq-opt --bind-params --make-clusters{cluster=2x2} '--warp-specialize{stages=3}' --multicast --infer-layouts --select-engines --verify-sync{undecided=error} %S/../../examples/matmul.mlir -o %t
// RUN: croq-opt '--bind-dims{M=4096 N=4096 K=4096}' --bind-params --make-clusters{cluster=2x1} --persist{order=grouped} '--warp-specialize{stages=4 mode=pingpong}' --multicast --overlap-epilogue --infer-layouts --select-engines --verify-sync{undecided=error} %S/../../examples/matmul.mlir -o %t

// Clusters: all blocks of one are looked at together, each with its own events and buffers.

// Two blocks load a half each of what both read, and release a slot to both.

// CHECK-LABEL: croq.kernel @halves
// CHECK:         croq.copy_async {{.*}} multicast [0]
// CHECK:         croq.trigger {{.*}} multicast [0]
// CHECK:         croq.barrier cluster
croq.kernel @halves dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    %two = arith.constant 2 : index
    %first = arith.muli %c, %two : index
    croq.parallel (%i) in (2) : block {
      %row = arith.addi %first, %i : index
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
          croq.trigger %empty at %k multicast [0]
        }
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %t = croq.subspan %y [32, 32] tile (%row, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %t engine(tma)
          croq.trigger %empty at %k + 3 multicast [0]
        }
      }
      croq.barrier cluster
    }
  }
}


// The event is ready, so that the first slots need no credits; a row of four blocks.

// CHECK-LABEL: croq.kernel @quarters
croq.kernel @quarters dims(M, N) (
    %x: !croq.tile<[M]x[N]xf32, global>, %y: !croq.tile<[M]x[N]xf32, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%c) in (4) : cluster {
    %four = arith.constant 4 : index
    %first = arith.muli %c, %four : index
    croq.parallel (%i, %j) in (1, 4) : block {
      %row = arith.addi %first, %j : index
      %full = croq.event : !croq.event<2>
      %empty = croq.event ready : !croq.event<2>
      %a = croq.alloc : !croq.tile<2x32x32xf32, shared, row_major>
      croq.role "producer" warps [0, 1) {
        croq.foreach %k in %steps {
          croq.wait %empty at %k
          %t = croq.subspan %x [32, 32] tile (%c, %k)
          %s = croq.slot %a at %k
          %mine = croq.chunkat %t [4, _] at (%j, _)
          %part = croq.chunkat %s [4, _] at (%j, _)
          %f = croq.copy_async %mine => %part engine(tma) multicast [1]
          croq.trigger %full at %k after %f
        }
      }
      croq.role "consumer" warps [1, 2) {
        croq.foreach %k in %steps {
          croq.wait %full at %k
          %t = croq.subspan %y [32, 32] tile (%row, %k)
          %s = croq.slot %a at %k
          croq.copy %s => %t engine(tma)
          croq.trigger %empty at %k multicast [1]
        }
      }
      croq.barrier cluster
    }
  }
}

// No roles: both blocks wait for what they load for each other, and for each other at the end.

// CHECK-LABEL: croq.kernel @once
croq.kernel @once dims(M) (
    %x: !croq.tile<[M]x32xf32, global>, %y: !croq.tile<[M]x32xf32, global>) {
  croq.parallel (%c) in (4) : cluster {
    %two = arith.constant 2 : index
    %first = arith.muli %c, %two : index
    croq.parallel (%i) in (2) : block {
      %row = arith.addi %first, %i : index
      %done = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
      %t = croq.subspan %x [32, 32] tile (%c, 0)
      %mine = croq.chunkat %t [2, _] at (%i, _)
      %part = croq.chunkat %a [2, _] at (%i, _)
      %f = croq.copy_async %mine => %part engine(tma) multicast [0]
      croq.trigger %done at 0 after %f
      croq.wait %done at 0
      %o = croq.subspan %y [32, 32] tile (%row, 0)
      croq.copy %a => %o engine(tma)
      croq.barrier cluster
    }
  }
}

// Only the first block stores what both have loaded: a condition on the index of the block.

// CHECK-LABEL: croq.kernel @first_stores
croq.kernel @first_stores dims(M) (
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
      %f = croq.copy_async %mine => %part engine(tma) multicast [0]
      croq.trigger %done at 0 after %f
      croq.wait %done at 0
      scf.if %is_first {
        %o = croq.subspan %y [32, 32] tile (%c, 0)
        croq.copy %a => %o engine(tma)
      }
      croq.barrier cluster
    }
  }
}

// -----

// Hardware level: what the ring of halves may be lowered to. Every lane of a reader releases a slot in
// both blocks.

// CHECK: gpu.module @kernels
gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  // CHECK: llvm.func @shared_stages
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
