// RUN: croq-opt --allow-unregistered-dialect --lower-mma --split-input-file %s | filecheck %s

// One warpgroup, two blocks of rows, K of two steps; the loop carries something else too.
// CHECK: croq.kernel @loop
croq.kernel @loop dims(K) () {
  croq.parallel (%bm) in (1) : block {
    // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<4x128x32xf16
    // CHECK: [[B:%.*]] = croq.alloc : !croq.tile<4x8x32xf16
    // CHECK: [[O:%.*]] = croq.alloc
    %a_s = croq.alloc : !croq.tile<4x128x32xf16, shared, swizzle<64>>
    %b_s = croq.alloc : !croq.tile<4x8x32xf16, shared, swizzle<64>>
    %o_s = croq.alloc : !croq.tile<128x8xf16, shared, row_major>
    // CHECK: [[COUNT:%.*]] = croq.dim K
    %count = croq.dim K
    // CHECK-NEXT: [[Z:%.*]] = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %zero = croq.mma.fill 0.0 : !croq.acc<128x8xf32>
    // CHECK-NEXT: [[R0:%.*]], [[R1:%.*]], [[N:%.*]] = croq.foreach [[I:%.*]] in 4 iter([[C0:%.*]] = [[Z]], [[C1:%.*]] = [[Z]], [[M:%.*]] = [[COUNT]]) {
    %acc, %n = croq.foreach %k in 4 iter(%c = %zero, %m = %count) {
      // CHECK-NEXT: [[AS:%.*]] = croq.slot [[A]] at [[I]]
      // CHECK-NEXT: [[BS:%.*]] = croq.slot [[B]] at [[I]]
      %as = croq.slot %a_s at %k
      %bs = croq.slot %b_s at %k
      // CHECK-NEXT: nvvm.wgmma.fence.aligned
      // CHECK-NEXT: [[DB0:%.*]] = croq.descriptor [[BS]][0, 0] major(k) : i64
      // CHECK-NEXT: [[DA0:%.*]] = croq.descriptor [[AS]][0, 0] major(k) : i64
      // CHECK-NEXT: [[P00:%.*]] = nvvm.wgmma.mma_async [[DA0]], [[DB0]], [[C0]], <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      // CHECK-NEXT: [[DA1:%.*]] = croq.descriptor [[AS]][64, 0] major(k) : i64
      // CHECK-NEXT: [[P01:%.*]] = nvvm.wgmma.mma_async [[DA1]], [[DB0]], [[C1]],
      // CHECK-NEXT: [[DB1:%.*]] = croq.descriptor [[BS]][0, 16] major(k) : i64
      // CHECK-NEXT: [[DA2:%.*]] = croq.descriptor [[AS]][0, 16] major(k) : i64
      // CHECK-NEXT: [[P10:%.*]] = nvvm.wgmma.mma_async [[DA2]], [[DB1]], [[P00]],
      // CHECK-NEXT: [[DA3:%.*]] = croq.descriptor [[AS]][64, 16] major(k) : i64
      // CHECK-NEXT: [[P11:%.*]] = nvvm.wgmma.mma_async [[DA3]], [[DB1]], [[P01]],
      %c1 = croq.mma.exec row.row %c, %as, %bs
      // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
      // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      // CHECK-NEXT: croq.yield [[P10]], [[P11]], [[M]] :
      croq.yield %c3, %m : !croq.acc<128x8xf32>, index
    }
    // CHECK: "test.use"([[N]])
    "test.use"(%n) : (index) -> ()
    // The row of a lane, 16 * warp + lane mod 16; x2 for a tail of 8 columns.
    // CHECK-NEXT: [[T:%.*]] = croq.thread_id
    // CHECK-DAG: [[ROW:%.*]] = arith.addi
    // CHECK: [[E0:%.*]] = llvm.extractvalue [[R0]][0]
    // CHECK-NEXT: [[E1:%.*]] = llvm.extractvalue [[R0]][1]
    // CHECK-NEXT: [[V0:%.*]] = nvvm.convert.f32x2.to.f16x2 [[E1]], [[E0]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
    // CHECK-NEXT: [[W0:%.*]] = llvm.bitcast [[V0]] : vector<2xf16> to i32
    // CHECK-NEXT: [[E2:%.*]] = llvm.extractvalue [[R0]][2]
    // CHECK-NEXT: [[E3:%.*]] = llvm.extractvalue [[R0]][3]
    // CHECK-NEXT: [[V1:%.*]] = nvvm.convert.f32x2.to.f16x2 [[E3]], [[E2]]
    // CHECK-NEXT: [[W1:%.*]] = llvm.bitcast [[V1]]
    // CHECK-NEXT: [[P:%.*]] = croq.address [[O]][[[ROW]], 0] : !llvm.ptr<3>
    // CHECK-NEXT: nvvm.stmatrix [[P]], [[W0]], [[W1]] {{.*}} : !llvm.ptr<3>, i32, i32
    // CHECK: [[ROW1:%.*]] = arith.addi [[ROW]], {{%.*}} : index
    // CHECK: croq.address [[O]][[[ROW1]], 0]
    // CHECK-NEXT: nvvm.stmatrix
    croq.mma.store %acc => %o_s
  }
}

// -----

// Two warpgroups: the first row of each is the shuffled, so uniform, index of the
// warpgroup times its rows. No second fence inside a chain of products.
// CHECK: croq.kernel @warpgroups
croq.kernel @warpgroups () {
  croq.parallel (%bm) in (1) : block {
    // CHECK: [[A:%.*]] = croq.alloc : !croq.tile<16x128
    // CHECK: [[B:%.*]] = croq.alloc : !croq.tile<16x16
    %a = croq.alloc : !croq.tile<16x128xbf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<16x16xbf16, shared, swizzle<32>>
    %o = croq.alloc : !croq.tile<128x16xbf16, shared, swizzle<32>>
    croq.role "consumer" warpgroups [1, 3) {
      // CHECK: croq.role
      // CHECK-NEXT: [[T:%.*]] = croq.thread_id
      // CHECK-NEXT: [[T32:%.*]] = arith.index_cast [[T]] : index to i32
      // CHECK: [[W:%.*]] = arith.shrui [[T32]]
      // CHECK: [[U:%.*]] = nvvm.shfl.sync idx {{%.*}}, [[W]], {{%.*}}, {{%.*}} : i32 -> i32
      // CHECK-NEXT: [[UI:%.*]] = arith.index_cast [[U]] : i32 to index
      // CHECK: [[ROWS:%.*]] = arith.muli [[UI]], {{%.*}} : index
      // CHECK: [[X:%.*]] = arith.constant 1.500000e+00 : f32
      // CHECK-NEXT: [[I:%.*]] = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      // CHECK-NEXT: llvm.insertvalue [[X]], [[I]][0]
      // CHECK-COUNT-6: llvm.insertvalue [[X]]
      // CHECK-NEXT: [[C:%.*]] = llvm.insertvalue [[X]], {{%.*}}[7]
      %c = croq.mma.fill 1.5 : !croq.acc<128x16xf32>
      // CHECK-NEXT: nvvm.wgmma.fence.aligned
      // CHECK-NEXT: croq.descriptor [[B]][0, 0] major(mn)
      // CHECK-NEXT: croq.descriptor [[A]][0, [[ROWS]]] major(mn)
      // CHECK-NEXT: [[C1:%.*]] = nvvm.wgmma.mma_async {{%.*}}, {{%.*}}, [[C]], <m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
      // CHECK-NOT: nvvm.wgmma.fence.aligned
      // CHECK: nvvm.wgmma.mma_async {{%.*}}, {{%.*}}, [[C1]]
      // CHECK-NOT: nvvm.wgmma.fence.aligned
      // CHECK: nvvm.wgmma.commit
      %c1 = croq.mma.exec col.col %c, %a, %b
      %c2 = croq.mma.exec col.col %c1, %a, %b
      %c3 = croq.mma.commit %c2
      // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
      // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
      %c4 = croq.mma.wait %c3 in_flight 1
      %c5 = croq.mma.wait %c4 in_flight 0
      // CHECK: nvvm.convert.f32x2.to.bf16x2
      // CHECK: nvvm.stmatrix {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}} {{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
      croq.mma.store %c5 => %o
    }
  }
}

// -----

// f16 accumulators are packed: fills are pairs, and stores take registers as they are.
// CHECK: croq.kernel @packed
croq.kernel @packed () {
  croq.parallel (%bm) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<16x16xf16, shared, swizzle<32>>
    %o = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    // -2.0 twice: 0xC000C000.
    // CHECK: arith.constant -1073692672 : i32
    // CHECK: llvm.insertvalue {{%.*}}, {{%.*}}[3] : !llvm.struct<(i32, i32, i32, i32)>
    %c = croq.mma.fill -2.0 : !croq.acc<64x16xf16>
    // CHECK: [[D:%.*]] = nvvm.wgmma.mma_async {{.*}} D[<f16>, <one>]
    %c1 = croq.mma.exec row.row %c, %a, %b
    %c2 = croq.mma.commit %c1
    %c3 = croq.mma.wait %c2 in_flight 0
    // CHECK: [[R0:%.*]] = llvm.extractvalue [[D]][0]
    // CHECK-NEXT: [[R1:%.*]] = llvm.extractvalue [[D]][1]
    // CHECK-NEXT: [[R2:%.*]] = llvm.extractvalue [[D]][2]
    // CHECK-NEXT: [[R3:%.*]] = llvm.extractvalue [[D]][3]
    // CHECK: nvvm.stmatrix {{%.*}}, [[R0]], [[R1]], [[R2]], [[R3]]
    croq.mma.store %c3 => %o
  }
}

// -----

// Some columns: their registers, at the first columns of the tile. Of 16-bit elements four
// registers (eight of f32) are 16 columns; of f32 elements two are a pair of columns.
// CHECK: croq.kernel @part
croq.kernel @part () {
  croq.parallel (%bm) in (1) : block {
    // CHECK: [[O:%.*]] = croq.alloc : !croq.tile<64x32xf16
    %o = croq.alloc : !croq.tile<64x32xf16, shared, swizzle<64>>
    // CHECK: [[P:%.*]] = croq.alloc : !croq.tile<64x16xf32
    %p = croq.alloc : !croq.tile<64x16xf32, shared, swizzle<64>>
    // CHECK: [[C:%.*]] = llvm.mlir.zero
    %c = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
    // CHECK: arith.shrui
    // CHECK: [[COL:%.*]] = arith.shrui
    // CHECK: llvm.extractvalue [[C]][8] :
    // CHECK: llvm.extractvalue [[C]][15] :
    // CHECK-NOT: llvm.extractvalue
    // CHECK: croq.address [[O]][{{%.*}}, [[COL]]]
    // CHECK-NEXT: nvvm.stmatrix
    // CHECK: llvm.extractvalue [[C]][16] :
    // CHECK: llvm.extractvalue [[C]][23] :
    // CHECK-NOT: llvm.extractvalue
    // CHECK: [[SIXTEEN:%.*]] = arith.constant 16 : index
    // CHECK: [[NEXT:%.*]] = arith.addi [[COL]], [[SIXTEEN]]
    // CHECK: croq.address [[O]][{{%.*}}, [[NEXT]]]
    // CHECK-NEXT: nvvm.stmatrix
    // CHECK-NOT: nvvm.stmatrix
    croq.mma.store %c cols [16, 48) => %o
    // CHECK: llvm.extractvalue [[C]][24] :
    // CHECK: llvm.extractvalue [[C]][25] :
    // CHECK: [[TO:%.*]] = croq.address [[P]]
    // CHECK-NEXT: llvm.store {{%.*}}, [[TO]]
    // CHECK: llvm.extractvalue [[C]][28] :
    // CHECK: llvm.extractvalue [[C]][29] :
    // CHECK: llvm.store
    // CHECK: llvm.extractvalue [[C]][26] :
    // CHECK: llvm.extractvalue [[C]][30] :
    // CHECK: llvm.extractvalue [[C]][31] :
    // CHECK-NOT: llvm.extractvalue
    croq.mma.store %c cols [48, 64) => %p
  }
}

// -----

// Conditionals and loops of scf; f32 tiles are stored in pairs.
// CHECK: croq.kernel @structured
croq.kernel @structured dims(N) () {
  croq.parallel (%bm) in (1) : block {
    %a = croq.alloc : !croq.tile<64x16xf16, shared, swizzle<32>>
    %b = croq.alloc : !croq.tile<8x16xf16, shared, swizzle<32>>
    // CHECK: [[O:%.*]] = croq.alloc : !croq.tile<64x8xf32
    %o = croq.alloc : !croq.tile<64x8xf32, shared, row_major>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = croq.dim N
    %some = arith.cmpi ne, %n, %zero : index
    // CHECK: [[Z:%.*]] = llvm.mlir.zero
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // CHECK-NEXT: [[X:%.*]], [[K:%.*]] = scf.if {{%.*}} -> (!llvm.struct<(f32, f32, f32, f32)>, index) {
    %x, %k = scf.if %some -> (!croq.acc<64x8xf32>, index) {
      // CHECK-NEXT: [[L:%.*]] = scf.for {{.*}} iter_args([[I:%.*]] = [[Z]]) -> (!llvm.struct<(f32, f32, f32, f32)>) {
      %sum = scf.for %i = %zero to %n step %one iter_args(%d = %c) -> (!croq.acc<64x8xf32>) {
        // CHECK: [[P:%.*]] = nvvm.wgmma.mma_async {{%.*}}, {{%.*}}, [[I]],
        %d1 = croq.mma.exec row.row %d, %a, %b
        %d2 = croq.mma.commit %d1
        // CHECK: scf.yield [[P]] : !llvm.struct<(f32, f32, f32, f32)>
        scf.yield %d2 : !croq.acc<64x8xf32>
      }
      %last = croq.mma.wait %sum in_flight 0
      // CHECK: scf.yield [[L]], {{%.*}} : !llvm.struct<(f32, f32, f32, f32)>, index
      scf.yield %last, %n : !croq.acc<64x8xf32>, index
      // CHECK: scf.yield [[Z]], {{%.*}} : !llvm.struct<(f32, f32, f32, f32)>, index
    } else {
      scf.yield %c, %zero : !croq.acc<64x8xf32>, index
    }
    // CHECK: "test.use"([[K]])
    "test.use"(%k) : (index) -> ()
    // CHECK: [[U:%.*]] = llvm.mlir.undef : vector<2xf32>
    // CHECK-NEXT: [[E0:%.*]] = llvm.extractvalue [[X]][0]
    // CHECK: [[V0:%.*]] = llvm.insertelement [[E0]], [[U]]
    // CHECK: [[E1:%.*]] = llvm.extractvalue [[X]][1]
    // CHECK: [[V1:%.*]] = llvm.insertelement [[E1]], [[V0]]
    // CHECK: [[P0:%.*]] = croq.address [[O]][{{%.*}}, {{%.*}}] : !llvm.ptr<3>
    // CHECK-NEXT: llvm.store [[V1]], [[P0]] : vector<2xf32>, !llvm.ptr<3>
    // CHECK: llvm.extractvalue [[X]][2]
    // CHECK: llvm.extractvalue [[X]][3]
    // CHECK: llvm.store
    // CHECK-NOT: llvm.store
    croq.mma.store %x => %o
  }
}

// -----

// A loop over slices that was not unrolled opens a group of its own in each iteration.
// CHECK: croq.kernel @slices
croq.kernel @slices () {
  croq.parallel (%bm) in (1) : block {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %o = croq.alloc : !croq.tile<64x8xf16, shared, row_major>
    %c = croq.mma.fill 0.0 : !croq.acc<64x8xf32>
    // CHECK: croq.foreach [[KK:%.*]] in 4
    // CHECK-NEXT: [[MA:%.*]] = croq.chunkat {{%.*}} [_, 4] at (_, [[KK]])
    // CHECK: nvvm.wgmma.fence.aligned
    // CHECK: croq.descriptor [[MA]][0, 0]
    %c1 = croq.foreach %kk in 4 iter(%d = %c) {
      %ma = croq.chunkat %a [_, 4] at (_, %kk)
      %mb = croq.chunkat %b [_, 4] at (_, %kk)
      %d1 = croq.mma.exec row.row %d, %ma, %mb
      croq.yield %d1 : !croq.acc<64x8xf32>
    }
    // CHECK: nvvm.wgmma.commit
    %c2 = croq.mma.commit %c1
    %c3 = croq.mma.wait %c2 in_flight 0
    croq.mma.store %c3 => %o
  }
}

// -----

// The sums of columns: eight lanes of each warp, then what the four warps have in shared
// memory, where the warps meet before they read it and before they leave it anew.
// CHECK-LABEL: croq.kernel @column_sums
croq.kernel @column_sums dims(S) () {
  croq.parallel (%b) in (1) : block {
    // CHECK: [[PARTIALS:%.*]] = croq.alloc : !croq.tile<64xf32, shared, row_major>
    // CHECK: [[SUMS:%.*]] = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %v = croq.alloc : !croq.tile<16xf32, shared, row_major>
    %acc = croq.mma.fill 1.0 : !croq.acc<64x16xf32>
    // CHECK: croq.foreach
    croq.foreach %s in S {
      // CHECK-COUNT-12: nvvm.shfl.sync bfly
      // CHECK:      croq.barrier
      // CHECK-NEXT: scf.if
      // CHECK-COUNT-4: croq.store {{.*}}, [[PARTIALS]][
      // CHECK:      croq.barrier
      // CHECK-NEXT: scf.for
      // CHECK-COUNT-4: croq.load [[PARTIALS]][
      // CHECK:        croq.address [[SUMS]][
      // CHECK-NEXT:   llvm.store
      croq.reduce add %acc dim 0 => %v
    }
  }
}
