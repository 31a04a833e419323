// RUN: croq-opt --convert-to-ptx %s | filecheck %s

// The elected lane of a warp waits in a loop of its own; the others meet it again behind it.
// ptxas takes them to be together there, whether they are or not, and leaves the predicate
// of the elected lane off the copy.
gpu.module @a {
  // CHECK-LABEL: ptx.entry @waits
  // CHECK:         [[LEADER:%[0-9]+]] = ptx.elect.sync -1 : !ptx.pred
  // CHECK:         ptx.bra_if not [[LEADER]], ^[[END:bb[0-9]+]]
  // CHECK:         ptx.mbarrier.try_wait
  // CHECK:         ^[[END]]:
  // CHECK-NEXT:    ptx.label
  // CHECK-NEXT:    ptx.bar.warp.sync -1
  // CHECK:         ptx.mbarrier.arrive.expect_tx if [[LEADER]] shared
  llvm.func @waits(%n: i32) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 384 : i32
    %smem = llvm.mlir.zero : !llvm.ptr<3>
    %leader = nvvm.elect.sync -> i1
    scf.for %k = %zero to %n step %one : i32 {
      scf.if %leader {
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %smem, %k : !llvm.ptr<3>, i32 -> i1
          %true = arith.constant true
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
      scf.if %leader {
        nvvm.mbarrier.arrive.expect_tx %smem, %bytes : !llvm.ptr<3>, i32
      }
    }
    llvm.return
  }

  // Where only some lanes are, they cannot meet.
  // CHECK-LABEL: ptx.entry @some
  // CHECK-NOT:     ptx.bar.warp.sync
  // CHECK:         ptx.ret
  llvm.func @some(%n: i32) attributes {nvvm.kernel} {
    %one = arith.constant 1 : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %odd = arith.cmpi ult, %tid, %one : i32
    %smem = llvm.mlir.zero : !llvm.ptr<3>
    %leader = nvvm.elect.sync -> i1
    scf.if %odd {
      scf.if %leader {
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %smem, %n : !llvm.ptr<3>, i32 -> i1
          %true = arith.constant true
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
      }
    }
    llvm.return
  }

  // Nor where the loop around has another number of turns in each lane, or where some elect.
  // CHECK-LABEL: ptx.entry @turns
  // CHECK-NOT:     ptx.bar.warp.sync
  // CHECK:         ptx.ret
  llvm.func @turns(%n: i32) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %smem = llvm.mlir.zero : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %leader = nvvm.elect.sync -> i1
    %some = nvvm.elect.sync %one -> i1
    scf.for %k = %zero to %tid step %one : i32 {
      scf.if %leader {
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %smem, %k : !llvm.ptr<3>, i32 -> i1
          %true = arith.constant true
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
      }
    }
    scf.if %some {
      scf.while () : () -> () {
        %done = nvvm.mbarrier.try_wait %smem, %n : !llvm.ptr<3>, i32 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
    }
    llvm.return
  }
}
