// RUN: croq-opt --verify-sync --split-input-file --verify-diagnostics %s

// One edit each of a ring of two stages, which is accepted as it is.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<2048 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<4 x i64>
  llvm.func @right(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %true = arith.constant true
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %full1 = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty1 = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %full1, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty1, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %s = arith.andi %k, %c1 : i32
          %round = arith.shrui %k, %c1 : i32
          %odd = arith.andi %round, %c1 : i32
          %p = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %at = arith.shli %s, %c10 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = arith.andi %k, %c1 : i32
        %round = arith.shrui %k, %c1 : i32
        %p = arith.andi %round, %c1 : i32
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %f, %p : !llvm.ptr<3>, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %at = arith.shli %s, %c10 : i32
        %from = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %v = llvm.load %mine : !llvm.ptr<3> -> f32
        llvm.store %v, %dst : f32, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %all = arith.constant -1 : i32
        nvvm.bar.warp.sync %all : i32
        %one = nvvm.elect.sync -> i1
        scf.if %one {
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        }
      }
    }
    llvm.return
  }
}

// -----

// The barrier waits for 16 bytes more than the copy brings.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<2048 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<4 x i64>
  llvm.func @bytes(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %true = arith.constant true
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %full1 = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty1 = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %full1, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty1, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %s = arith.andi %k, %c1 : i32
          %round = arith.shrui %k, %c1 : i32
          %odd = arith.andi %round, %c1 : i32
          %p = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %more = arith.constant 1040 : i32
          nvvm.mbarrier.arrive.expect_tx %f, %more : !llvm.ptr<3>, i32
          %at = arith.shli %s, %c10 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = arith.andi %k, %c1 : i32
        %round = arith.shrui %k, %c1 : i32
        %p = arith.andi %round, %c1 : i32
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          // expected-error@+1 {{byte count: 1040 bytes are announced on full for generation 0, got 1024}}
          %done = nvvm.mbarrier.try_wait %f, %p : !llvm.ptr<3>, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %at = arith.shli %s, %c10 : i32
        %from = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %v = llvm.load %mine : !llvm.ptr<3> -> f32
        llvm.store %v, %dst : f32, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %all = arith.constant -1 : i32
        nvvm.bar.warp.sync %all : i32
        %one = nvvm.elect.sync -> i1
        scf.if %one {
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        }
      }
    }
    llvm.return
  }
}

// -----

// TMA may not see the mbarriers.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<2048 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<4 x i64>
  llvm.func @async_proxy(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %true = arith.constant true
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %full1 = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty1 = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %full1, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty1, %c1 : !llvm.ptr<3>, i32
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %s = arith.andi %k, %c1 : i32
          %round = arith.shrui %k, %c1 : i32
          %odd = arith.andi %round, %c1 : i32
          %p = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %at = arith.shli %s, %c10 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          // expected-error@+1 {{missing proxy fence}}
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = arith.andi %k, %c1 : i32
        %round = arith.shrui %k, %c1 : i32
        %p = arith.andi %round, %c1 : i32
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %f, %p : !llvm.ptr<3>, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %at = arith.shli %s, %c10 : i32
        %from = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %v = llvm.load %mine : !llvm.ptr<3> -> f32
        llvm.store %v, %dst : f32, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %all = arith.constant -1 : i32
        nvvm.bar.warp.sync %all : i32
        %one = nvvm.elect.sync -> i1
        scf.if %one {
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        }
      }
    }
    llvm.return
  }
}

// -----

// One lane says that a slot is free: the others may not have read it.

gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<2048 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<4 x i64>
  llvm.func @out_of_step(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %c32 = arith.constant 32 : i32
    %true = arith.constant true
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %full1 = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty1 = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %full1, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %empty1, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %s = arith.andi %k, %c1 : i32
          %round = arith.shrui %k, %c1 : i32
          %odd = arith.andi %round, %c1 : i32
          %p = arith.xori %odd, %c1 : i32
          %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %at = arith.shli %s, %c10 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
        }
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = arith.andi %k, %c1 : i32
        %round = arith.shrui %k, %c1 : i32
        %p = arith.andi %round, %c1 : i32
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.try_wait %f, %p : !llvm.ptr<3>, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %at = arith.shli %s, %c10 : i32
        %from = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %v = llvm.load %mine : !llvm.ptr<3> -> f32
        llvm.store %v, %dst : f32, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %all = arith.constant -1 : i32
        %one = nvvm.elect.sync -> i1
        scf.if %one {
          // expected-warning@+1 {{not decided: what some lanes say of accesses by other lanes of the warp}}
          nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        }
      }
    }
    llvm.return
  }
}
