// RUN: croq-opt --check-level %s | filecheck %s
// RUN: croq-opt '--check-level{level=nvvm}' --check-level=level=nvvm %s | filecheck %s
// RUN: not croq-opt --check-level=level=croq %s 2>&1 | filecheck %s --check-prefix=CROQ
// RUN: not croq-opt --check-level=level=ptx %s 2>&1 | filecheck %s --check-prefix=PTX

// What is left at the hardware level may stay: the pass changes nothing.
// CHECK-LABEL: gpu.module @m {
// CHECK-NEXT:    llvm.func @kernel([[P:%.*]]: !llvm.ptr<1>, [[N:%.*]]: i32) attributes {nvvm.kernel} {
// CHECK-NEXT:      [[TID:%.*]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT:      [[IN:%.*]] = arith.cmpi slt, [[TID]], [[N]] : i32
// CHECK-NEXT:      scf.if [[IN]] {
// CHECK-NEXT:        llvm.store [[TID]], [[P]] : i32, !llvm.ptr<1>
// CHECK-NEXT:      }
// CHECK-NEXT:      llvm.return

// Each of the other levels names the first op that does not belong to it.
// CROQ: check-level.mlir:{{[0-9]+}}:1: error: 'gpu.module' op is not legal at level croq
// CROQ-NEXT: gpu.module @m {
// PTX:  check-level.mlir:{{[0-9]+}}:1: error: 'gpu.module' op is not legal at level ptx
// PTX-NEXT: gpu.module @m {
gpu.module @m {
  llvm.func @kernel(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %in = arith.cmpi slt, %tid, %n : i32
    scf.if %in {
      llvm.store %tid, %p : i32, !llvm.ptr<1>
    }
    llvm.return
  }
}
