// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Exchanges between the lanes of a warp, and conversions.

// CHECK-LABEL: llvm.func @lanes(
// CHECK-SAME: [[MASK:%[^:]*]]: i32,
// CHECK-SAME: [[I:%[^:]*]]: i32,
// CHECK-SAME: [[F:%[^:]*]]: f32,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "lanes"
// GENERIC: ^bb0([[MASK:%[^:]*]]: i32, [[I:%[^:]*]]: i32, [[F:%[^:]*]]: f32, [[P:%[^:]*]]: i1):
llvm.func @lanes(%mask: i32, %i: i32, %f: f32, %p: i1) {
  // CHECK: %{{.*}} = nvvm.shfl.sync idx [[MASK]], [[I]], [[I]], [[I]] : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"([[MASK]], [[I]], [[I]], [[I]]) <{kind = #nvvm<shfl_kind idx>}> : (i32, i32, i32, i32) -> i32
  %r0 = nvvm.shfl.sync idx %mask, %i, %i, %i : i32 -> i32
  // CHECK: %{{.*}} = nvvm.shfl.sync bfly [[MASK]], [[F]], [[I]], [[I]] : f32 -> f32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"([[MASK]], [[F]], [[I]], [[I]]) <{kind = #nvvm<shfl_kind bfly>}> : (i32, f32, i32, i32) -> f32
  %r1 = nvvm.shfl.sync bfly %mask, %f, %i, %i : f32 -> f32
  // CHECK: %{{.*}} = nvvm.shfl.sync up [[MASK]], [[I]], [[I]], [[I]] : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"([[MASK]], [[I]], [[I]], [[I]]) <{kind = #nvvm<shfl_kind up>}> : (i32, i32, i32, i32) -> i32
  %r2 = nvvm.shfl.sync up %mask, %i, %i, %i : i32 -> i32
  // CHECK: %{{.*}} = nvvm.shfl.sync down [[MASK]], [[F]], [[I]], [[I]] {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"([[MASK]], [[F]], [[I]], [[I]]) <{kind = #nvvm<shfl_kind down>, return_value_and_is_valid}> : (i32, f32, i32, i32) -> !llvm.struct<(f32, i1)>
  %r3 = nvvm.shfl.sync down %mask, %f, %i, %i {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  // CHECK: %{{.*}} = nvvm.vote.sync ballot [[MASK]], [[P]] -> i32
  // GENERIC: %{{.*}} = "nvvm.vote.sync"([[MASK]], [[P]]) <{kind = #nvvm<vote_sync_kind ballot>}> : (i32, i1) -> i32
  %r4 = nvvm.vote.sync ballot %mask, %p -> i32
  // CHECK: %{{.*}} = nvvm.vote.sync any [[MASK]], [[P]] -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"([[MASK]], [[P]]) <{kind = #nvvm<vote_sync_kind any>}> : (i32, i1) -> i1
  %r5 = nvvm.vote.sync any %mask, %p -> i1
  // CHECK: %{{.*}} = nvvm.vote.sync all [[MASK]], [[P]] -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"([[MASK]], [[P]]) <{kind = #nvvm<vote_sync_kind all>}> : (i32, i1) -> i1
  %r6 = nvvm.vote.sync all %mask, %p -> i1
  // CHECK: %{{.*}} = nvvm.vote.sync uni [[MASK]], [[P]] -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"([[MASK]], [[P]]) <{kind = #nvvm<vote_sync_kind uni>}> : (i32, i1) -> i1
  %r7 = nvvm.vote.sync uni %mask, %p -> i1
  // CHECK: %{{.*}} = nvvm.elect.sync -> i1
  // GENERIC: %{{.*}} = "nvvm.elect.sync"() : () -> i1
  %r8 = nvvm.elect.sync -> i1
  // CHECK: %{{.*}} = nvvm.elect.sync [[MASK]] -> i1
  // GENERIC: %{{.*}} = "nvvm.elect.sync"([[MASK]]) : (i32) -> i1
  %r9 = nvvm.elect.sync %mask -> i1
  // CHECK: %{{.*}} = nvvm.redux.sync add [[I]], [[MASK]] : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"([[I]], [[MASK]]) <{kind = #nvvm<redux_kind add>, abs = false, nan = false}> : (i32, i32) -> i32
  %s0 = nvvm.redux.sync add %i, %mask : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync umax [[I]], [[MASK]] : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"([[I]], [[MASK]]) <{kind = #nvvm<redux_kind umax>, abs = false, nan = false}> : (i32, i32) -> i32
  %s1 = nvvm.redux.sync umax %i, %mask : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync fmax [[F]], [[MASK]] {abs = true, nan = true} : f32 -> f32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"([[F]], [[MASK]]) <{kind = #nvvm<redux_kind fmax>, abs = true, nan = true}> : (f32, i32) -> f32
  %s2 = nvvm.redux.sync fmax %f, %mask {abs = true, nan = true} : f32 -> f32
  // CHECK: %{{.*}} = nvvm.match.sync any [[MASK]], [[I]] : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.match.sync"([[MASK]], [[I]]) <{kind = #nvvm<match_sync_kind any>}> : (i32, i32) -> i32
  %s3 = nvvm.match.sync any %mask, %i : i32 -> i32
  // CHECK: %{{.*}} = nvvm.match.sync all [[MASK]], [[I]] : i32 -> !llvm.struct<(i32, i1)>
  // GENERIC: %{{.*}} = "nvvm.match.sync"([[MASK]], [[I]]) <{kind = #nvvm<match_sync_kind all>}> : (i32, i32) -> !llvm.struct<(i32, i1)>
  %s4 = nvvm.match.sync all %mask, %i : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: %{{.*}} = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
  // GENERIC: %{{.*}} = "llvm.call_intrinsic"() <{{{.*}}intrin = "llvm.nvvm.activemask"
  %s5 = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
  llvm.return
}

// CHECK-LABEL: llvm.func @conversions(
// CHECK-SAME: [[F:%[^:]*]]: f32)
// GENERIC: sym_name = "conversions"
// GENERIC: ^bb0([[F:%[^:]*]]: f32):
llvm.func @conversions(%f: f32) {
  // CHECK: %{{.*}} = nvvm.convert.f32x2.to.f16x2 [[F]], [[F]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
  // GENERIC: %{{.*}} = "nvvm.convert.f32x2.to.f16x2"([[F]], [[F]]) <{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<none>, relu = false}> : (f32, f32) -> vector<2xf16>
  %r0 = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
  // CHECK: %{{.*}} = nvvm.convert.f32x2.to.f16x2 [[F]], [[F]] {relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>} : vector<2xf16>
  // GENERIC: %{{.*}} = "nvvm.convert.f32x2.to.f16x2"([[F]], [[F]]) <{relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>}> : (f32, f32) -> vector<2xf16>
  %r1 = nvvm.convert.f32x2.to.f16x2 %f, %f {relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>} : vector<2xf16>
  // CHECK: %{{.*}} = nvvm.convert.f32x2.to.bf16x2 [[F]], [[F]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
  // GENERIC: %{{.*}} = "nvvm.convert.f32x2.to.bf16x2"([[F]], [[F]]) <{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<none>, relu = false}> : (f32, f32) -> vector<2xbf16>
  %r2 = nvvm.convert.f32x2.to.bf16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 [[F]] {rnd = #nvvm.fp_rnd_mode<rna>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"([[F]]) <{rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<none>, relu = false}> : (f32) -> i32
  %r3 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 [[F]] {relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"([[F]]) <{relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>}> : (f32) -> i32
  %r4 = nvvm.convert.float.to.tf32 %f {relu = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>}
  llvm.return
}
