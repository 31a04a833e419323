// RUN: croq-opt --prefetch-tensor-maps %s | filecheck %s

// The first thread prefetches every tensor map that a copy uses, and no other pointer.

// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME:    [[SRC:%[^:]+]]: !llvm.ptr {llvm.byval
// CHECK-SAME:    [[DST:%[^:]+]]: !llvm.ptr {llvm.byval
// CHECK-NEXT:    [[TID:%.*]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT:    [[C0:%.*]] = arith.constant 0 : i32
// CHECK-NEXT:    [[FIRST:%.*]] = arith.cmpi eq, [[TID]], [[C0]] : i32
// CHECK-NEXT:    scf.if [[FIRST]] {
// CHECK-NEXT:      nvvm.prefetch tensormap, [[SRC]] : !llvm.ptr
// CHECK-NEXT:      nvvm.prefetch tensormap, [[DST]] : !llvm.ptr
// CHECK-NEXT:    }
// CHECK-NOT:     nvvm.prefetch
llvm.func @copies(
    %src: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
    %dst: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
    %other: !llvm.ptr<1>, %s: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %x: i32) attributes {nvvm.kernel} {
  %c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %src, %bar, box[%x, %x] : !llvm.ptr<7>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.global.shared.cta %dst, %s, box[%x, %x] : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @nothing(
// CHECK-NEXT:    llvm.return
llvm.func @nothing(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  llvm.return
}
