// RUN: croq-opt --lower-dma --split-input-file %s | filecheck %s
// RUN: croq-opt --bind-params --infer-layouts --lower-events --lower-dma %S/../../examples/matmul_1p1c.mlir | filecheck %s --check-prefix=SEED

// The arrival and the loads of a step, and the boxes of the output, in one condition each.
// SEED: [[LHS:%.*]] = croq.tensor_map {{%.*}} box [128, 64] swizzle<128> : !llvm.ptr
// SEED-NEXT: [[RHS:%.*]] = croq.tensor_map {{%.*}} box [128, 64] swizzle<128> : !llvm.ptr
// SEED-NEXT: [[OUT:%.*]] = croq.tensor_map {{%.*}} box [128, 64] swizzle<128> : !llvm.ptr
// SEED: croq.role "producer"
// SEED-NEXT: [[LEADER:%.*]] = croq.elect
// SEED: [[BAR:%.*]] = croq.address {{%.*}}[[[SLOT:%.*]]]
// SEED: croq.address {{%.*}}[[[SLOT]]]
// SEED: scf.if [[LEADER]] {
// SEED-NEXT: scf.while
// SEED: [[BYTES:%.*]] = arith.constant 32768 : i32
// SEED-NEXT: nvvm.mbarrier.arrive.expect_tx [[FULL:%.*]], [[BYTES]]
// SEED-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[LHS]], [[FULL]], box[[[K:%.*]], {{%.*}}] : !llvm.ptr<7>, !llvm.ptr
// SEED-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[RHS]], [[FULL]], box[[[K]], {{%.*}}] : !llvm.ptr<7>, !llvm.ptr
// SEED-NEXT: }
// SEED: croq.mma.store
// SEED: [[P0:%.*]] = croq.address {{%.*}}[0, 0] : !llvm.ptr<3>
// SEED: [[P1:%.*]] = croq.address {{%.*}}[0, 64] : !llvm.ptr<3>
// SEED: scf.if
// SEED-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta [[OUT]], [[P0]], box[[[N:%.*]], [[M:%.*]]] : !llvm.ptr, !llvm.ptr<3>
// SEED-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta [[OUT]], [[P1]], box[{{%.*}}, [[M]]] : !llvm.ptr, !llvm.ptr<3>
// SEED-NEXT: nvvm.cp.async.bulk.commit.group
// SEED-NEXT: nvvm.cp.async.bulk.wait_group 0
// SEED-NEXT: }
// SEED-NOT: croq.copy

// Coordinates innermost first, of a view of a view in one stage of three dims; one box
// for 256 rows, one for the rest, one for the slots of a ring, which follow each other.
// CHECK-LABEL: croq.kernel @boxes
croq.kernel @boxes dims(X, Y) (
    %p: !croq.tile<4x[X]x[Y]xi8, global>, %line: !croq.tile<[X]xf32, global>) {
  croq.parallel (%i, %j) in (2, 4) : block {
    // CHECK: [[LEADER:%.*]] = croq.elect
    // CHECK-NEXT: [[TALL:%.*]] = croq.tensor_map [[P:%.*]] box [1, 256, 32] row_major : !llvm.ptr
    // CHECK-NEXT: [[REST:%.*]] = croq.tensor_map [[P]] box [1, 8, 32] row_major : !llvm.ptr
    // CHECK-NEXT: [[RING:%.*]] = croq.tensor_map [[P]] box [2, 16, 64] swizzle<64> : !llvm.ptr
    // CHECK-NEXT: [[LINE:%.*]] = croq.tensor_map {{%.*}} box [64] row_major : !llvm.ptr
    %bar = croq.alloc : !croq.tile<1xi64, shared, row_major>
    %a = croq.alloc : !croq.tile<264x32xi8, shared, row_major>
    %r = croq.alloc : !croq.tile<2x16x64xi8, shared, swizzle<64>>
    %l = croq.alloc : !croq.tile<64xf32, shared, row_major>
    %b = croq.address %bar[0] : !llvm.ptr<3>
    %s = croq.slot %p[%j]
    %w = croq.view %s [528, 64] from (8, 16)
    %t = croq.subspan %w [264, 32] tile (%i, 1)
    // CHECK: [[COL:%.*]] = arith.constant 48 : i32
    // CHECK-NEXT: [[I:%.*]] = arith.index_cast {{%.*}} : index to i32
    // CHECK-NEXT: [[ROWS:%.*]] = arith.constant 264 : i32
    // CHECK-NEXT: [[DOWN:%.*]] = arith.muli [[I]], [[ROWS]] : i32
    // CHECK-NEXT: [[EIGHT:%.*]] = arith.constant 8 : i32
    // CHECK-NEXT: [[ROW:%.*]] = arith.addi [[DOWN]], [[EIGHT]] : i32
    // CHECK-NEXT: [[J:%.*]] = arith.index_cast {{%.*}} : index to i32
    // CHECK-NEXT: [[P1:%.*]] = croq.address {{%.*}}[256, 0]
    // CHECK-NEXT: [[ROW1:%.*]] = arith.addi [[DOWN]], [[ROWS]] : i32
    // CHECK: llvm.addrspacecast [[P1]] : !llvm.ptr<3> to !llvm.ptr<7>
    // CHECK: scf.if [[LEADER]] {
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[TALL]], {{%.*}}, box[[[COL]], [[ROW]], [[J]]]
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[REST]], {{%.*}}, box[[[COL]], [[ROW1]], [[J]]]
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[RING]], {{%.*}}, box[[[Z:%.*]], [[Z]], [[Z]]]
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, [[LINE]], {{%.*}}, box[{{%.*}}]
    // CHECK-NEXT: }
    %f = croq.copy_async %t => %a engine(tma) completes %b : !llvm.ptr<3>
    %u = croq.subspan %p [2, 16, 64] tile (0, 0, 0)
    %g = croq.copy_async %u => %r engine(tma) completes %b : !llvm.ptr<3>
    %v = croq.subspan %line [64] tile (%i)
    %h = croq.copy_async %v => %l engine(tma) completes %b : !llvm.ptr<3>
  }
}

// -----

// Asynchronous stores: a wait leaves the groups that were surely started after its own.
// What has effects in between keeps elected ops apart, in order.
// CHECK-LABEL: croq.kernel @stores
croq.kernel @stores dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %s = croq.subspan %p [8, 64] tile (0, 0)
    %t = croq.subspan %p [8, 64] tile (1, 0)
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.barrier
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
    // CHECK-NEXT: }
    %f = croq.copy_async %a => %s engine(tma)
    %g = croq.copy_async %b => %t engine(tma)
    croq.await %f read
    croq.barrier
    croq.await %g
  }
}

// -----

// Stores that are counted, across the iterations of a loop.
// CHECK-LABEL: croq.kernel @counted
croq.kernel @counted dims(X) (%p: !croq.tile<[X]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<2x8x64xf16, shared, swizzle<128>>
    // CHECK: croq.foreach
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.barrier
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
    croq.foreach %k in 5 {
      croq.await_stores in_flight 1 read
      croq.barrier
      %s = croq.slot %a at %k
      %t = croq.subspan %p [8, 64] tile (%k, 0)
      %f = croq.copy_async %s => %t engine(tma)
    }
    croq.await_stores in_flight 0
  }
}

// -----

// By threads: 16-byte vectors where addresses and pitches allow and all of it is in
// range, else element by element; zero outside of the source.
// CHECK: croq.kernel @threads dims(X, Y) ([[SRC:%.*]]: !croq.tile<[X]x[Y]xbf16, global>, [[DST:%.*]]: !croq
croq.kernel @threads dims(X, Y) (
    %src: !croq.tile<[X]x[Y]xbf16, global>, %dst: !croq.tile<[X]x[Y]xbf16, global>) {
  croq.parallel (%i, %j) in (4, 4) : block threads 64 {
    %a = croq.alloc : !croq.tile<16x64xbf16, shared, swizzle<128>>
    %s = croq.subspan %src [16, 64] tile (%i, %j)
    %d = croq.subspan %dst [16, 64] tile (%i, %j)
    // CHECK: [[S:%.*]] = croq.subspan [[SRC]]
    // CHECK: [[D:%.*]] = croq.subspan [[DST]]
    // CHECK: [[X:%.*]] = croq.dim X
    // CHECK: [[Y:%.*]] = croq.dim Y
    // CHECK: [[P:%.*]] = croq.pointer [[SRC]]
    // CHECK: [[BITS:%.*]] = llvm.ptrtoint [[P]] : !llvm.ptr<1> to i64
    // CHECK: [[LD:%.*]] = croq.stride [[SRC]], 0
    // CHECK: [[PITCH:%.*]] = arith.muli [[LD]], {{%.*}} : i64
    // CHECK: [[BOTH:%.*]] = arith.ori [[BITS]], [[PITCH]] : i64
    // CHECK: [[LOW:%.*]] = arith.andi [[BOTH]], {{%.*}} : i64
    // CHECK: [[ALIGNED:%.*]] = arith.cmpi eq, [[LOW]], {{%.*}} : i64
    // CHECK: [[T:%.*]] = croq.thread_id
    // CHECK: [[N:%.*]] = arith.constant 128 : index
    // CHECK: [[STEP:%.*]] = arith.constant 64 : index
    // CHECK: scf.for {{%.*}} = [[T]] to [[N]] step [[STEP]] {
    // CHECK:   [[ROW_OK:%.*]] = arith.cmpi ult, {{%.*}}, [[X]] : index
    // CHECK:   [[LAST_OK:%.*]] = arith.cmpi ult, {{%.*}}, [[Y]] : index
    // CHECK:   [[AND:%.*]] = arith.andi [[ALIGNED]], [[ROW_OK]] : i1
    // CHECK:   [[WHOLE:%.*]] = arith.andi [[AND]], [[LAST_OK]] : i1
    // CHECK:   scf.if [[WHOLE]] {
    // CHECK:     [[FROM:%.*]] = croq.address [[S]][[[R:%.*]], [[C:%.*]]] : !llvm.ptr<1>
    // CHECK:     [[V:%.*]] = llvm.load [[FROM]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    // CHECK:     [[TO:%.*]] = croq.address [[A:%.*]][[[R]], [[C]]] : !llvm.ptr<3>
    // CHECK:     llvm.store [[V]], [[TO]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    // CHECK:   } else {
    // CHECK:     scf.for
    // CHECK:       [[OK:%.*]] = arith.cmpi ult, {{%.*}}, [[Y]] : index
    // CHECK:       [[HERE:%.*]] = arith.andi [[ROW_OK]], [[OK]] : i1
    // CHECK:       scf.if [[HERE]] {
    // CHECK:         llvm.load {{%.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
    // CHECK:       } else {
    // CHECK:         [[Z:%.*]] = arith.constant 0.000000e+00 : f16
    // CHECK:         llvm.store [[Z]], {{%.*}} {alignment = 2 : i64} : f16, !llvm.ptr<3>
    // CHECK:       }
    // CHECK: croq.barrier
    croq.copy %s => %a engine(threads)
    croq.barrier
    // CHECK:     llvm.load {{%.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    // CHECK:     [[TO:%.*]] = croq.address [[D]]
    // CHECK:     llvm.store {{%.*}}, [[TO]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    // CHECK:     llvm.store {{%.*}}, {{%.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>
    // CHECK-NOT: else
    // CHECK-NOT: 0.000000e+00
    croq.copy %a => %d engine(threads)
  }
}

// -----

// Known to be in range: no test but that of the alignment. Inside shared memory: none.
// Rows of 12 bytes go in pieces of 4, an odd number of bytes one by one.
// CHECK-LABEL: croq.kernel @narrow
croq.kernel @narrow (%src: !croq.tile<64x64xf32, global>, %odd: !croq.tile<8x8xi8, global>) {
  croq.parallel (%i) in (4) : block {
    %a = croq.alloc : !croq.tile<8x16xf32, shared, row_major>
    %b = croq.alloc : !croq.tile<8x16xf32, shared, row_major>
    %c = croq.alloc : !croq.tile<8x3xf32, shared, row_major>
    %d = croq.alloc : !croq.tile<8x5xi8, shared, row_major>
    croq.role "one" warps [1, 2) {
      // CHECK: croq.subspan
      // CHECK-NOT: arith.cmpi ult
      // CHECK: scf.for
      // CHECK-NOT: arith.cmpi
      // CHECK: vector<4xi32>, !llvm.ptr<3>
      %s = croq.subspan %src [8, 16] tile (7, 3)
      croq.copy %s => %a engine(threads)
      // CHECK: [[T:%.*]] = croq.thread_id
      // CHECK: arith.constant 32 : index
      // CHECK: scf.for {{%.*}} = [[T]]
      // CHECK-NOT: scf.if
      // CHECK: llvm.load {{%.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      // CHECK-NOT: scf.if
      %h = croq.view %a [4, 8] from (1, 2)
      %g = croq.view %b [4, 8] from (2, 8)
      croq.copy %h => %g engine(threads)
      // CHECK: llvm.load {{%.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
      // CHECK-NEXT: croq.address
      // CHECK-NEXT: llvm.store {{%.*}}, {{%.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
      %k = croq.view %a [8, 3] from (0, 5)
      croq.copy %k => %c engine(threads)
      // One element a time needs no alignment.
      // CHECK-NOT: croq.pointer
      // CHECK: llvm.load {{%.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
      %q = croq.view %odd [8, 5] from (0, 3)
      croq.copy %q => %d engine(threads)
    }
  }
}

// -----

// Multicast copies have a mask of the ranks in the cluster that they go to, the first index being
// the fastest. A part that the index in the cluster chooses is whole rows of the swizzle.
// CHECK-LABEL: croq.kernel @multicast
// CHECK: croq.parallel ([[I:%.*]], [[J:%.*]]) in (2, 4) : block
// CHECK: [[J32:%.*]] = arith.index_cast [[J]] : index to i32
// CHECK: [[C2:%.*]] = arith.constant 2 : i32
// CHECK: [[FIRST:%.*]] = arith.muli [[J32]], [[C2]] : i32
// CHECK: [[C3:%.*]] = arith.constant 3 : i32
// CHECK: [[BITS:%.*]] = arith.shli [[C3]], [[FIRST]] : i32
// CHECK: [[MASK:%.*]] = arith.trunci [[BITS]] : i32 to i16
// CHECK: [[ALL:%.*]] = arith.constant 255 : i16
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, {{%.*}}, {{%.*}}, box[{{.*}}] multicast_mask = [[MASK]] : !llvm.ptr<7>, !llvm.ptr
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{%.*}}, {{%.*}}, {{%.*}}, box[{{.*}}] multicast_mask = [[ALL]] : !llvm.ptr<7>, !llvm.ptr
croq.kernel @multicast (%p: !croq.tile<512x64xf16, global>) {
  croq.parallel (%c) in (4) : cluster {
    croq.parallel (%i, %j) in (2, 4) : block {
      %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
      %a = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
      %b = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
      %bar = croq.address %bars[0] : !llvm.ptr<3>
      %part = croq.chunkat %a [2, 1] at (%i, 0)
      %x = croq.subspan %p [64, 64] tile (%c, 0)
      %f = croq.copy_async %x => %part engine(tma) multicast [0] completes %bar : !llvm.ptr<3>
      %g = croq.copy_async %x => %b engine(tma) multicast [0, 1] completes %bar : !llvm.ptr<3>
    }
  }
}
