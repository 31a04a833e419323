// RUN: croq-opt --allow-unregistered-dialect --lower-mma --split-input-file %s | filecheck %s

// Four warps in a grid of 2 x 2, each with two tiles of 16 x 8: one load of A, one of both
// B for a step of K; those of the second step come before the first products.
builtin.module attributes {croq.target = "sm_80"} {
  // CHECK: croq.kernel @loop
  croq.kernel @loop () {
    croq.parallel (%i) in (1) : block {
      // The lane's row and chunk in the part of its warp.
      // CHECK: [[T0:%.*]] = croq.thread_id
      // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<4x32x32xf16
      // CHECK: [[B:%.*]] = croq.alloc : !croq.tile<4x32x32xf16
      %a_s = croq.alloc : !croq.tile<4x32x32xf16, shared, swizzle<64>>
      %b_s = croq.alloc : !croq.tile<4x32x32xf16, shared, swizzle<64>>
      %o_s = croq.alloc : !croq.tile<32x32xf16, shared, swizzle<64>>
      // CHECK: [[Z:%.*]] = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
      %zero = croq.mma.fill 0.0 : !croq.acc<32x32xf32>
      // CHECK-NEXT: [[R0:%.*]], [[R1:%.*]] = croq.foreach [[I:%.*]] in 4 iter([[C0:%.*]] = [[Z]], [[C1:%.*]] = [[Z]]) {
      %acc = croq.foreach %k in 4 iter(%c = %zero) {
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        // CHECK: [[PA0:%.*]] = croq.address {{%.*}}[{{%.*}}, {{%.*}}] : !llvm.ptr<3>
        // CHECK-NEXT: [[FA0:%.*]] = nvvm.ldmatrix [[PA0]] {num = 4 : i32, layout = #nvvm.mma_layout<row>
        // CHECK-NEXT: [[W0:%.*]] = llvm.extractvalue [[FA0]][0]
        // CHECK: [[H0:%.*]] = llvm.bitcast [[W0]] : i32 to vector<2xf16>
        // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32
        // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32
        // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32
        // CHECK: [[V0:%.*]] = llvm.extractvalue [[C0]][0]
        // CHECK: [[D00:%.*]] = nvvm.mma.sync A[[[H0]], {{%.*}}, {{%.*}}, {{%.*}}] B[{{%.*}}, {{%.*}}] C[[[V0]], {{.*}}{shape = #nvvm.shape<m = 16, n = 8, k = 16>
        // CHECK: [[D01:%.*]] = nvvm.mma.sync
        // CHECK: llvm.extractvalue [[D00]][0]
        // CHECK: [[D10:%.*]] = nvvm.mma.sync
        // CHECK: [[D11:%.*]] = nvvm.mma.sync
        %c1 = croq.mma.exec row.row %c, %as, %bs
        // CHECK-NEXT: croq.yield [[D10]], [[D11]] :
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<32x32xf32>
      }
      // Pairs of a row, those of rows 8 apart.
      // CHECK: [[E0:%.*]] = llvm.extractvalue [[R0]][0]
      // CHECK-NEXT: [[E1:%.*]] = llvm.extractvalue [[R0]][1]
      // CHECK: [[P0:%.*]] = nvvm.convert.f32x2.to.f16x2 [[E1]], [[E0]]
      // CHECK: [[S0:%.*]] = llvm.bitcast [[P0]] : vector<2xf16> to i32
      // CHECK: [[Q0:%.*]] = croq.address {{%.*}}[{{%.*}}, {{%.*}}]
      // CHECK: llvm.store {{%.*}}, [[Q0]] : i32, !llvm.ptr<3>
      croq.mma.store %acc => %o_s
    }
  }
}

// -----

// Integers; 8 columns are loaded alone. Transposed operands; a part of the columns, of which
// each warp stores its own.
builtin.module attributes {croq.target = "sm_80"} {
  // CHECK: croq.kernel @integers
  croq.kernel @integers () {
    croq.parallel (%i) in (1) : block threads 32 {
      %a = croq.alloc : !croq.tile<16x32xi8, shared, swizzle<32>>
      %b = croq.alloc : !croq.tile<8x32xi8, shared, swizzle<32>>
      %o = croq.alloc : !croq.tile<16x8xi32, shared, row_major>
      // CHECK: arith.constant 7 : i32
      %c = croq.mma.fill 7 : !croq.acc<16x8xi32>
      // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32
      // CHECK: nvvm.ldmatrix {{%.*}} {num = 2 : i32
      // CHECK: nvvm.mma.sync {{.*}}k = 32>{{.*}}<s8>{{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>
      %d = croq.mma.exec row.row %c, %a, %b
      %e = croq.mma.commit %d
      %f = croq.mma.wait %e in_flight 0
      // CHECK: llvm.store {{%.*}}, {{%.*}} : vector<2xi32>, !llvm.ptr<3>
      croq.mma.store %f => %o
    }
  }
  // CHECK: croq.kernel @transposed
  croq.kernel @transposed () {
    croq.parallel (%i) in (1) : block threads 64 {
      %a = croq.alloc : !croq.tile<16x16xbf16, shared, swizzle<32>>
      %b = croq.alloc : !croq.tile<16x32xbf16, shared, swizzle<64>>
      %o = croq.alloc : !croq.tile<16x16xbf16, shared, swizzle<32>>
      %c = croq.mma.fill 0.0 : !croq.acc<16x32xf32>
      // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32, layout = #nvvm.mma_layout<col>
      // CHECK: nvvm.ldmatrix {{%.*}} {num = 4 : i32, layout = #nvvm.mma_layout<col>
      %d = croq.mma.exec col.col %c, %a, %b
      %e = croq.mma.commit %d
      %f = croq.mma.wait %e in_flight 0
      // CHECK: arith.cmpi ult
      // CHECK-NEXT: scf.if
      croq.mma.store %f cols [16, 32) => %o
    }
  }
}

// -----

// On a target with wgmma, too, where the kernel wants it: one warp, 16 rows.
builtin.module attributes {croq.target = "sm_90a"} {
  // CHECK-LABEL: croq.kernel @wanted
  croq.kernel @wanted () attributes {warp_products} {
    croq.parallel (%i) in (1) : block threads 32 {
      %a_s = croq.alloc : !croq.tile<16x16xf16, shared, swizzle<32>>
      %b_s = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
      %o_s = croq.alloc : !croq.tile<16x8xf32, shared, swizzle<32>>
      %zero = croq.mma.fill 0.0 : !croq.acc<16x8xf32>
      // CHECK-NOT: wgmma
      // CHECK: nvvm.mma.sync
      %c = croq.mma.exec row.row %zero, %a_s, %b_s
      %d = croq.mma.commit %c
      %e = croq.mma.wait %d in_flight 0
      croq.mma.store %e => %o_s
    }
  }
}
