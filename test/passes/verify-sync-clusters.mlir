// RUN: croq-opt --verify-sync{undecided=error} --verify-diagnostics %s
// RUN: croq-opt --verify-sync{undecided=error} %s | filecheck %s
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
    croq.parallel (%i) in (2) : block {
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
          %t = croq.subspan %y [32, 32] tile (%i, %k)
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
    croq.parallel (%i, %j) in (1, 4) : block {
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
          %t = croq.subspan %y [32, 32] tile (%j, %k)
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
    croq.parallel (%i) in (2) : block {
      %done = croq.event : !croq.event<1>
      %a = croq.alloc : !croq.tile<32x32xf32, shared, row_major>
      %t = croq.subspan %x [32, 32] tile (%c, 0)
      %mine = croq.chunkat %t [2, _] at (%i, _)
      %part = croq.chunkat %a [2, _] at (%i, _)
      %f = croq.copy_async %mine => %part engine(tma) multicast [0]
      croq.trigger %done at 0 after %f
      croq.wait %done at 0
      %o = croq.subspan %y [32, 32] tile (%c, 0)
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
