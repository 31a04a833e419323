// RUN: croq-opt --allow-unregistered-dialect --lower-views --split-input-file %s | filecheck %s

// Descriptors of one slot: what the loop does not change is computed before it, what varies
// once, and the rest is added.
// CHECK: croq.kernel @descriptors
croq.kernel @descriptors () {
  croq.parallel (%i) in (1) : block {
    // CHECK: [[A:%.*]] = croq.alloc
    // CHECK-NEXT: [[BASE:%.*]] = croq.address [[A]][0, 0, 0] : !llvm.ptr<3>
    %a = croq.alloc : !croq.tile<3x128x64xf16, shared, swizzle<128>>
    // (64 << 32) | (1 << 16) | the start, and 1 << 62 above it
    // CHECK-NEXT: [[P:%.*]] = llvm.ptrtoint [[BASE]] : !llvm.ptr<3> to i32
    // CHECK-NEXT: [[MASK:%.*]] = arith.constant 262143 : i32
    // CHECK-NEXT: [[START:%.*]] = arith.andi [[P]], [[MASK]] : i32
    // CHECK-NEXT: [[C4:%.*]] = arith.constant 4 : i32
    // CHECK-NEXT: [[FIELD:%.*]] = arith.shrui [[START]], [[C4]] : i32
    // CHECK-NEXT: [[LEADING:%.*]] = arith.constant 65536 : i32
    // CHECK-NEXT: [[LOW:%.*]] = arith.ori [[FIELD]], [[LEADING]] : i32
    // CHECK-NEXT: croq.foreach [[K:%.*]] in 8
    croq.foreach %k in 8 {
      // CHECK-NEXT: [[C2:%.*]] = arith.constant 2 : index
      // CHECK-NEXT: [[O:%.*]] = arith.addi [[K]], [[C2]] : index
      // CHECK-NEXT: [[C3:%.*]] = arith.constant 3 : index
      // CHECK-NEXT: [[S:%.*]] = arith.remui [[O]], [[C3]] : index
      // CHECK-NEXT: [[S32:%.*]] = arith.index_cast [[S]] : index to i32
      // CHECK-NEXT: [[CHUNKS:%.*]] = arith.constant 1024 : i32
      // CHECK-NEXT: [[SC:%.*]] = arith.muli [[S32]], [[CHUNKS]] : i32
      // CHECK-NEXT: [[AT:%.*]] = arith.addi [[LOW]], [[SC]] : i32
      // CHECK-NEXT: [[WIDE:%.*]] = arith.extui [[AT]] : i32 to i64
      // CHECK-NEXT: [[HIGH:%.*]] = arith.constant 4611686293305294848 : i64
      // CHECK-NEXT: [[D0:%.*]] = arith.ori [[WIDE]], [[HIGH]] : i64
      // CHECK-NEXT: [[STEP:%.*]] = arith.constant 2 : i64
      // CHECK-NEXT: [[D1:%.*]] = arith.addi [[D0]], [[STEP]] : i64
      // CHECK-NEXT: [[ROWS:%.*]] = arith.constant 514 : i64
      // CHECK-NEXT: [[D2:%.*]] = arith.addi [[D0]], [[ROWS]] : i64
      // CHECK-NEXT: "test.use"([[D0]], [[D1]], [[D2]])
      %s = croq.slot %a at %k + 5
      %half = croq.chunkat %s [2, _] at (1, _)
      %d0 = croq.descriptor %s[0, 0] major(k) : i64
      %d1 = croq.descriptor %s[0, 16] major(k) : i64
      %d2 = croq.descriptor %half[0, 16] major(k) : i64
      "test.use"(%d0, %d1, %d2) : (i64, i64, i64) -> ()
    }
  }
}

// -----

// Addresses of the rows of a lane: one XOR of the row for all, and one with a constant
// for each column of a panel; other panels and blocks of 64 rows are immediates.
// CHECK: croq.kernel @swizzled
croq.kernel @swizzled () {
  croq.parallel (%i) in (1) : block {
    // CHECK: [[BASE:%.*]] = croq.address {{%.*}}[0, 0] : !llvm.ptr<3>
    %o = croq.alloc : !croq.tile<128x128xf16, shared, swizzle<128>>
    // CHECK: [[T:%.*]] = croq.thread_id
    %t = croq.thread_id
    %c1 = arith.constant 1 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    // CHECK: [[ROW:%.*]] = arith.andi [[T]]
    %row = arith.andi %t, %c15 : index
    %sixteen = arith.andi %t, %c16 : index
    // CHECK: [[COL:%.*]] = arith.shrui
    %col = arith.shrui %sixteen, %c1 : index
    %col1 = arith.addi %col, %c16 : index
    %col4 = arith.addi %col, %c64 : index
    %low = arith.addi %row, %c64 : index
    // CHECK: [[R:%.*]] = arith.index_cast [[ROW]] : index to i32
    // CHECK: [[R7:%.*]] = arith.andi [[R]], {{%.*}} : i32
    // CHECK: [[FLIP:%.*]] = arith.shli [[R7]], {{%.*}} : i32
    // CHECK: [[C:%.*]] = arith.muli {{%.*}}, {{%.*}} : i32
    // CHECK: [[X:%.*]] = arith.xori [[C]], [[FLIP]] : i32
    // CHECK: [[PITCH:%.*]] = arith.muli [[R]], {{%.*}} : i32
    // CHECK: [[AT:%.*]] = arith.addi [[PITCH]], [[X]] : i32
    // CHECK: [[P0:%.*]] = llvm.getelementptr [[BASE]][[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %p0 = croq.address %o[%row, %col] : !llvm.ptr<3>
    // CHECK-NEXT: [[C32:%.*]] = arith.constant 32 : i32
    // CHECK-NEXT: [[X1:%.*]] = arith.xori [[X]], [[C32]] : i32
    // CHECK-NEXT: [[AT1:%.*]] = arith.addi [[PITCH]], [[X1]] : i32
    // CHECK-NEXT: [[P1:%.*]] = llvm.getelementptr [[BASE]][[[AT1]]]
    %p1 = croq.address %o[%row, %col1] : !llvm.ptr<3>
    // CHECK-NEXT: [[P2:%.*]] = llvm.getelementptr [[P0]][16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %p2 = croq.address %o[%row, %col4] : !llvm.ptr<3>
    // CHECK-NEXT: [[P3:%.*]] = llvm.getelementptr [[P1]][8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %p3 = croq.address %o[%low, %col1] : !llvm.ptr<3>
    // CHECK-NEXT: "test.use"([[P0]], [[P1]], [[P2]], [[P3]])
    "test.use"(%p0, %p1, %p2, %p3) : (!llvm.ptr<3>, !llvm.ptr<3>, !llvm.ptr<3>, !llvm.ptr<3>) -> ()
  }
}

// -----

// Rows that are known to be multiples of 8 are not permuted.
// CHECK: croq.kernel @aligned
croq.kernel @aligned () {
  croq.parallel (%i) in (8) : block {
    // CHECK: [[BASE:%.*]] = croq.address
    %o = croq.alloc : !croq.tile<64x64xf32, shared, swizzle<128>>
    // CHECK-NOT: arith.xori
    // CHECK: [[P:%.*]] = llvm.getelementptr [[BASE]][{{%.*}}]
    // CHECK: [[Q:%.*]] = llvm.getelementptr [[P]][8196]
    // CHECK-NEXT: "test.use"([[Q]])
    %v = croq.subspan %o [8, 64] tile (%i, 0)
    %p = croq.address %v[0, 33] : !llvm.ptr<3>
    "test.use"(%p) : (!llvm.ptr<3>) -> ()
  }
}

// -----

// An mbarrier of a ring is 8 bytes.
// CHECK: croq.kernel @mbarriers
croq.kernel @mbarriers () {
  croq.parallel (%i) in (1) : block {
    // CHECK: [[M:%.*]] = croq.alloc
    // CHECK-NEXT: [[BASE:%.*]] = croq.address [[M]][0] : !llvm.ptr<3>
    %m = croq.alloc : !croq.tile<4xi64, shared, row_major>
    // CHECK-NEXT: [[P:%.*]] = llvm.getelementptr [[BASE]][16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %p = croq.address %m[2] : !llvm.ptr<3>
    // CHECK-NEXT: "test.use"([[P]], [[BASE]])
    %q = croq.address %m[0] : !llvm.ptr<3>
    "test.use"(%p, %q) : (!llvm.ptr<3>, !llvm.ptr<3>) -> ()
  }
}

// -----

// Elements of arguments: strides of the outer dims, 64-bit offsets; a named extent is
// divided at run time. Loads of elements, and a store that one thread makes for the block.
// CHECK: croq.kernel @elements dims(M, N) (%[[G:.*]]: !croq.tile
croq.kernel @elements dims(M, N) (%g: !croq.tile<[M]x[N]xf16, global>) {
  // CHECK: croq.parallel ([[I:%.*]], [[J:%.*]]) in
  croq.parallel (%i, %j) in (8, 8) : block {
    // CHECK-DAG: [[LEADER:%.*]] = croq.elect
    // CHECK-DAG: [[LD:%.*]] = croq.stride %[[G]], 0
    // CHECK-DAG: [[BASE:%.*]] = croq.pointer %[[G]] : !croq.tile<[M]x[N]xf16, global> -> !llvm.ptr<1>
    // CHECK: [[S:%.*]] = croq.alloc
    // CHECK-NEXT: [[SB:%.*]] = croq.address [[S]][0, 0]
    %s = croq.alloc : !croq.tile<8x8xf16, shared, row_major>
    %w = croq.subspan %g [8, 8] tile (%i, %j)
    // CHECK: [[ROW:%.*]] = arith.muli [[I]], {{%.*}} : index
    // CHECK: [[ROW3:%.*]] = arith.addi [[ROW]], {{%.*}} : index
    // CHECK: [[R64:%.*]] = arith.index_cast [[ROW3]] : index to i64
    // CHECK: [[START:%.*]] = arith.muli [[R64]], [[LD]] : i64
    // CHECK: [[COL:%.*]] = arith.muli [[J]], {{%.*}} : index
    // CHECK: [[C64:%.*]] = arith.index_cast [[COL]] : index to i64
    // CHECK: [[E:%.*]] = arith.addi [[START]], [[C64]] : i64
    // CHECK: [[B:%.*]] = arith.muli [[E]], {{%.*}} : i64
    // CHECK: [[P:%.*]] = llvm.getelementptr [[BASE]][[[B]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    // CHECK: [[Q:%.*]] = llvm.getelementptr [[P]][4]
    // CHECK: [[X:%.*]] = llvm.load [[Q]] : !llvm.ptr<1> -> f16
    %x = croq.load %w[3, 2]
    // CHECK: [[SP:%.*]] = llvm.getelementptr [[SB]][18]
    // CHECK-NEXT: scf.if [[LEADER]] {
    // CHECK-NEXT: llvm.store [[X]], [[SP]] : f16, !llvm.ptr<3>
    // CHECK-NEXT: }
    croq.store %x, %s[1, 1]
    // CHECK: [[M:%.*]] = croq.dim M
    // CHECK: [[PART:%.*]] = arith.divui [[M]]
    // CHECK: arith.muli [[I]], [[PART]] : index
    %half = croq.chunkat %g [2, _] at (%i, _)
    %y = croq.load %half[0, %j]
    "test.use"(%y) : (f16) -> ()
  }
}

// -----

// Chunks of a dim that only the launch knows: it must be divisible.
// What multiple_of already says is not checked twice.

// CHECK-LABEL: croq.kernel @chunks
// CHECK-SAME:    attributes {croq.checks = [{kind = "range"}, {kind = "multiple", dim = "M", by = 2 : i64, location = "{{.*}}:{{[0-9]+}}:5"}, {kind = "multiple", dim = "M", by = 3 : i64, location = "{{.*}}:{{[0-9]+}}:5"}]} {
// CHECK-NOT:     croq.chunkat
croq.kernel @chunks dims(M, N multiple_of 4) (%a: !croq.tile<[M]x[N]x12xf32, global>)
    attributes {croq.checks = [{kind = "range"}]} {
  croq.parallel (%b) in (1) : block {
    %half = croq.chunkat %a [2, 4, _] at (%b, %b, _)
    %p = croq.address %half[0, 0, 0] : !llvm.ptr<1>
    %third = croq.chunkat %a [3, _, 2] at (%b, _, 0)
    %q = croq.address %third[0, 0, 0] : !llvm.ptr<1>
    %zero = arith.constant 0 : i32
    llvm.store %zero, %p : i32, !llvm.ptr<1>
    llvm.store %zero, %q : i32, !llvm.ptr<1>
  }
}
