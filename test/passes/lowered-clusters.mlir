// The hardware level of a product by clusters of two blocks: what passes this check is read by
// upstream, too (test/conformance).
//
// RUN: croq-opt --bind-params --make-clusters{cluster=2x1} --persist --warp-specialize \
// RUN:   --multicast --overlap-epilogue --infer-layouts --select-engines --guard-tma-stores \
// RUN:   --fuse-dma-events --lower-futures --unroll-loops --insert-barriers --lower-events \
// RUN:   --lower-dma --lower-mma --insert-fences --lower-views --lower-parallel --narrow-index \
// RUN:   --allocate-shared --fold-arith --cse --check-level{level=nvvm} %examples/matmul.mlir \
// RUN:   | filecheck %s

// CHECK:      llvm.func @matmul(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: cluster = [2 : i64, 1 : i64, 1 : i64]
// CHECK-DAG:  [[CLUSTER:%.*]] = nvvm.read.ptx.sreg.clusterid.x : i32
// CHECK-DAG:  [[RANK:%.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
// CHECK:      nvvm.fence.mbarrier.init
// CHECK:      nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}

// One operand as before; of the other each block loads half of the rows, into the same place of
// both blocks. The bytes of both halves are announced.
// CHECK:      nvvm.setmaxregister decrease
// CHECK:      [[MASK:%.*]] = arith.constant 3 : i16
// CHECK:      [[BYTES:%.*]] = arith.constant 49152 : i32
// CHECK:      nvvm.mbarrier.arrive.expect_tx [[FULL:%.*]], [[BYTES]] : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, {{%.*}}, [[FULL]], box[{{%.*}}, {{%.*}}] : !llvm.ptr<7>, !llvm.ptr
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, {{%.*}}, [[FULL]], box[{{%.*}}, {{%.*}}] multicast_mask = [[MASK]] : !llvm.ptr<7>, !llvm.ptr

// A slot is released to both blocks, which write it.
// CHECK:      nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:      nvvm.bar.warp.sync
// CHECK-NEXT: [[LANE:%.*]] = nvvm.elect.sync -> i1
// CHECK-NEXT: scf.if [[LANE]] {
// CHECK:      [[P0:%.*]] = nvvm.mapa [[EMPTY:%.*]], {{%.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive [[P0]] : !llvm.ptr<7>
// CHECK:      [[P1:%.*]] = nvvm.mapa [[EMPTY]], {{%.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: nvvm.mbarrier.arrive [[P1]] : !llvm.ptr<7>

// CHECK:      nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
