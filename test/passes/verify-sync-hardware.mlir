// RUN: croq-opt --verify-sync{undecided=error} --verify-diagnostics %s
// RUN: croq-opt --verify-sync{undecided=error} %s | filecheck %s

// Kernels of hardware level that no pass made, and that are right.

// CHECK: gpu.module @kernels
gpu.module @kernels {
  llvm.mlir.global internal @stages() {addr_space = 3 : i32, alignment = 128 : i64}
    : !llvm.array<3072 x i8>
  llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64}
    : !llvm.array<6 x i64>

  // A ring of three stages; both warps carry a slot and a phase. The mbarriers are
  // initialised in a loop, and `full` takes the producer and its bytes.

  // CHECK: llvm.func @carried_slots
  llvm.func @carried_slots(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c32 = arith.constant 32 : i32
    %c10 = arith.constant 10 : i32
    %bytes = arith.constant 1024 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %full = llvm.mlir.addressof @bars : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      scf.for %s = %c0 to %c3 step %c1 : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.init %f, %c1 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %e, %c32 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    %produces = arith.cmpi ult, %tid, %c32 : i32
    scf.if %produces {
      %leads = nvvm.elect.sync -> i1
      scf.if %leads {
        %slot, %phase = scf.for %k = %c0 to %n step %c1
            iter_args(%s = %c0, %p = %c1) -> (i32, i32) : i32 {
          %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %ticks = arith.constant 1000 : i32
          nvvm.mbarrier.try_wait.parity %e, %p, %ticks : !llvm.ptr<3>, i32, i32
          %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.arrive.expect_tx %f, %bytes : !llvm.ptr<3>, i32
          %at = arith.shli %s, %c10 : i32
          %to = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %to7 = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.shared.cluster.global %to7, %src, %f, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
          %next = arith.addi %s, %c1 : i32
          %wraps = arith.cmpi eq, %next, %c3 : i32
          %s1 = arith.select %wraps, %c0, %next : i32
          %turned = arith.xori %p, %c1 : i32
          %p1 = arith.select %wraps, %turned, %p : i32
          scf.yield %s1, %p1 : i32, i32
        }
      }
    } else {
      %slot, %phase = scf.for %k = %c0 to %n step %c1
          iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
        %f = llvm.getelementptr %full[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.while () : () -> () {
          %done = nvvm.mbarrier.test.wait %f, %p : !llvm.ptr<3>, i32 -> i1
          %false = arith.constant false
          %again = arith.cmpi eq, %done, %false : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %at = arith.shli %s, %c10 : i32
        %from = llvm.getelementptr %stages[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %mine = llvm.getelementptr %from[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %v = llvm.load %mine : !llvm.ptr<3> -> f32
        %out = llvm.getelementptr %dst[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %v, %out : f32, !llvm.ptr<1>
        %e = llvm.getelementptr %empty[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.arrive %e : !llvm.ptr<3>
        %next = arith.addi %s, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %s1 = arith.select %wraps, %c0, %next : i32
        %turned = arith.xori %p, %c1 : i32
        %p1 = arith.select %wraps, %turned, %p : i32
        scf.yield %s1, %p1 : i32, i32
      }
    }
    llvm.return
  }

  // Two stages by cp.async, one ahead: each warp waits for its own copies, a barrier for
  // those of the other, another barrier before a stage is filled again.

  // CHECK: llvm.func @cp_async_ahead
  llvm.func @cp_async_ahead(%src: !llvm.ptr<1>, %dst: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : i32
    %c63 = arith.constant 63 : i32
    %stages = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c4 = arith.constant 4 : i32
    %own = arith.shli %tid, %c4 : i32
    %swapped = arith.xori %tid, %c63 : i32
    %other = arith.shli %swapped, %c4 : i32
    %to0 = llvm.getelementptr %stages[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %to0, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    scf.for %k = %c0 to %n step %c1 : i32 {
      %k1 = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %k1, %n : i32
      scf.if %more {
        %s1 = arith.andi %k1, %c1 : i32
        %b1 = arith.shli %s1, %c10 : i32
        %a1 = arith.addi %b1, %own : i32
        %to = llvm.getelementptr %stages[%a1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        nvvm.cp.async.shared.global %to, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      }
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 1
      nvvm.barrier0
      %s = arith.andi %k, %c1 : i32
      %b = arith.shli %s, %c10 : i32
      %a = arith.addi %b, %other : i32
      %from = llvm.getelementptr %stages[%a] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v = llvm.load %from : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %v, %dst : vector<4xi32>, !llvm.ptr<1>
      nvvm.barrier0
    }
    nvvm.cp.async.wait.group 0
    llvm.return
  }

  // Two warps take turns by named barriers: one arrives where the other waits.

  // CHECK: llvm.func @turns
  llvm.func @turns(%n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %shared = llvm.mlir.addressof @stages : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %word = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %first = arith.cmpi ult, %tid, %c32 : i32
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 : i32 {
        llvm.store %k, %word : i32, !llvm.ptr<3>
        nvvm.barrier.arrive id = %c1 number_of_threads = %c64
        nvvm.barrier id = %c2 number_of_threads = %c64
      }
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        nvvm.barrier id = %c1 number_of_threads = %c64
        %v = llvm.load %word : !llvm.ptr<3> -> i32
        nvvm.barrier.arrive id = %c2 number_of_threads = %c64
      }
    }
    llvm.return
  }
}
