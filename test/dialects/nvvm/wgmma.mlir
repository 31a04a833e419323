// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Warpgroup MMA.

// CHECK-LABEL: llvm.func @groups()
// GENERIC: sym_name = "groups"
llvm.func @groups() {
  // CHECK: nvvm.wgmma.fence.aligned
  // GENERIC: "nvvm.wgmma.fence.aligned"() : () -> ()
  nvvm.wgmma.fence.aligned
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // GENERIC: "nvvm.wgmma.commit.group.sync.aligned"() : () -> ()
  nvvm.wgmma.commit.group.sync.aligned
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
  // GENERIC: "nvvm.wgmma.wait.group.sync.aligned"() <{group = 1 : i64}> : () -> ()
  nvvm.wgmma.wait.group.sync.aligned 1
  llvm.return
}

// CHECK-LABEL: llvm.func @floats(
// CHECK-SAME: [[A:%[^:]*]]: i64,
// CHECK-SAME: [[B:%[^:]*]]: i64,
// CHECK-SAME: [[F32X4:%[^:]*]]: !llvm.struct<(f32, f32, f32, f32)>,
// CHECK-SAME: [[I32X2:%[^:]*]]: !llvm.struct<(i32, i32)>,
// CHECK-SAME: [[F16X4:%[^:]*]]: !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>)
// GENERIC: sym_name = "floats"
// GENERIC: ^bb0([[A:%[^:]*]]: i64, [[B:%[^:]*]]: i64, [[F32X4:%[^:]*]]: !llvm.struct<(f32, f32, f32, f32)>, [[I32X2:%[^:]*]]: !llvm.struct<(i32, i32)>, [[F16X4:%[^:]*]]: !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>):
llvm.func @floats(%a: i64, %b: i64, %f32x4: !llvm.struct<(f32, f32, f32, f32)>,
    %i32x2: !llvm.struct<(i32, i32)>,
    %f16x4: !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>) {
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 16>, D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 16>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<zero>, typeA = #nvvm.wgmma_type<f16>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<f16>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r0 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 16>,
      D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 16>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<f16>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<f16>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r1 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // Transposed; negated.
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <col>], B[<f16>, <one>, <row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 16>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<f16>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<col>, typeB = #nvvm.wgmma_type<f16>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<row>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r3 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <col>], B[<f16>, <one>, <row>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <neg>, <row>], B[<bf16>, <neg>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 16>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<bf16>, scaleA = #nvvm.wgmma_scale_in<neg>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<bf16>, scaleB = #nvvm.wgmma_scale_in<neg>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r4 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<bf16>, <neg>, <row>], B[<bf16>, <neg>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[I32X2]], <m = 64, n = 8, k = 16>, D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[I32X2]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 16>, typeD = #nvvm.wgmma_type<f16>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<f16>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<f16>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(i32, i32)>, i64, i64) -> !llvm.struct<(i32, i32)>
  %r5 = nvvm.wgmma.mma_async %a, %b, %i32x2, <m = 64, n = 8, k = 16>,
      D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F16X4]], <m = 64, n = 16, k = 16>, D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)> -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F16X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 16, k = 16>, typeD = #nvvm.wgmma_type<f16>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<f16>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<f16>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>, i64, i64) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
  %r6 = nvvm.wgmma.mma_async %a, %b, %f16x4, <m = 64, n = 16, k = 16>,
      D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)> -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 8>, D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 8>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<tf32>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<tf32>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r7 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 8>,
      D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[F32X4]], <m = 64, n = 8, k = 32>, D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[F32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 32>, typeD = #nvvm.wgmma_type<f32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<e4m3>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<e5m2>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(f32, f32, f32, f32)>, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %r8 = nvvm.wgmma.mma_async %a, %b, %f32x4, <m = 64, n = 8, k = 32>,
      D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[I32X2]], <m = 64, n = 8, k = 32>, D[<f16>, <one>], A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <col>] : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[I32X2]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 32>, typeD = #nvvm.wgmma_type<f16>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<e4m3>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<e4m3>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(i32, i32)>, i64, i64) -> !llvm.struct<(i32, i32)>
  %r9 = nvvm.wgmma.mma_async %a, %b, %i32x2, <m = 64, n = 8, k = 32>,
      D[<f16>, <one>], A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <col>]
      : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  llvm.return
}

// CHECK-LABEL: llvm.func @integers(
// CHECK-SAME: [[A:%[^:]*]]: i64,
// CHECK-SAME: [[B:%[^:]*]]: i64,
// CHECK-SAME: [[I32X4:%[^:]*]]: !llvm.struct<(i32, i32, i32, i32)>)
// GENERIC: sym_name = "integers"
// GENERIC: ^bb0([[A:%[^:]*]]: i64, [[B:%[^:]*]]: i64, [[I32X4:%[^:]*]]: !llvm.struct<(i32, i32, i32, i32)>):
llvm.func @integers(%a: i64, %b: i64, %i32x4: !llvm.struct<(i32, i32, i32, i32)>) {
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[I32X4]], <m = 64, n = 8, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[I32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 32>, typeD = #nvvm.wgmma_type<s32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<s8>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<s8>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(i32, i32, i32, i32)>, i64, i64) -> !llvm.struct<(i32, i32, i32, i32)>
  %r0 = nvvm.wgmma.mma_async %a, %b, %i32x4, <m = 64, n = 8, k = 32>,
      D[<s32>, <one>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>]
      : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[I32X4]], <m = 64, n = 8, k = 32>, D[<s32>, <one>, <satfinite>], A[<s8>, <one>, <row>], B[<u8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[I32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 32>, typeD = #nvvm.wgmma_type<s32>, scaleD = #nvvm.wgmma_scale_out<one>, satfinite = #nvvm.mma_int_overflow<satfinite>, typeA = #nvvm.wgmma_type<s8>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<u8>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(i32, i32, i32, i32)>, i64, i64) -> !llvm.struct<(i32, i32, i32, i32)>
  %r1 = nvvm.wgmma.mma_async %a, %b, %i32x4, <m = 64, n = 8, k = 32>,
      D[<s32>, <one>, <satfinite>], A[<s8>, <one>, <row>], B[<u8>, <one>, <col>]
      : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: %{{.*}} = nvvm.wgmma.mma_async [[A]], [[B]], [[I32X4]], <m = 64, n = 8, k = 256>, D[<s32>, <one>], A[<b1>, <one>, <row>], B[<b1>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  // GENERIC: %{{.*}} = "nvvm.wgmma.mma_async"([[I32X4]], [[A]], [[B]]) <{shape = #nvvm.shape<m = 64, n = 8, k = 256>, typeD = #nvvm.wgmma_type<s32>, scaleD = #nvvm.wgmma_scale_out<one>, typeA = #nvvm.wgmma_type<b1>, scaleA = #nvvm.wgmma_scale_in<one>, layoutA = #nvvm.mma_layout<row>, typeB = #nvvm.wgmma_type<b1>, scaleB = #nvvm.wgmma_scale_in<one>, layoutB = #nvvm.mma_layout<col>}> : (!llvm.struct<(i32, i32, i32, i32)>, i64, i64) -> !llvm.struct<(i32, i32, i32, i32)>
  %r2 = nvvm.wgmma.mma_async %a, %b, %i32x4, <m = 64, n = 8, k = 256>,
      D[<s32>, <one>], A[<b1>, <one>, <row>], B[<b1>, <one>, <col>]
      : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}
