// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Conversions, and groups of registers.

ptx.module version "8.1" target "sm_90" {
  ptx.entry @ops parameters [] {
    %p1 = ptx.undef : !ptx.pred<"%p1">
    %p2 = ptx.undef : !ptx.pred<"%p2">
    %rs1 = ptx.undef : !ptx.reg<b16, "%rs1">
    %rs2 = ptx.undef : !ptx.reg<b16, "%rs2">
    %r1 = ptx.undef : !ptx.reg<b32, "%r1">
    %r2 = ptx.undef : !ptx.reg<b32, "%r2">
    %rd1 = ptx.undef : !ptx.reg<b64, "%rd1">
    %rd2 = ptx.undef : !ptx.reg<b64, "%rd2">
    %f1 = ptx.undef : !ptx.reg<f32, "%f1">
    %f2 = ptx.undef : !ptx.reg<f32, "%f2">
    %fd1 = ptx.undef : !ptx.reg<f64, "%fd1">
    %r3 = ptx.cvt rn.f16x2 from f32 %f1, %f2 : !ptx.reg<b32, "%r3">
    // CHECK: ptx.cvt rn.f16x2 from f32 %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r3">
    // PTX: cvt.rn.f16x2.f32 %r3, %f1, %f2;
    %rs3 = ptx.cvt rn.satfinite.e4m3x2 from f32 %f1, %f2 : !ptx.reg<b16, "%rs3">
    // CHECK: ptx.cvt rn.satfinite.e4m3x2 from f32 %{{.*}}, %{{.*}} : !ptx.reg<b16, "%rs3">
    // PTX: cvt.rn.satfinite.e4m3x2.f32 %rs3, %f1, %f2;
    %r30 = ptx.cvt rna.tf32 from f32 %f1 : !ptx.reg<b32, "%r30">
    // CHECK: ptx.cvt rna.tf32 from f32 %{{.*}} : !ptx.reg<b32, "%r30">
    // PTX: cvt.rna.tf32.f32 %r30, %f1;
    %rd3 = ptx.cvt u64 from u32 %r1 : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.cvt u64 from u32 %{{.*}} : !ptx.reg<b64, "%rd3">
    // PTX: cvt.u64.u32 %rd3, %r1;
    %f3 = ptx.cvt f32 from f16 %rs1 : !ptx.reg<f32, "%f3">
    // CHECK: ptx.cvt f32 from f16 %{{.*}} : !ptx.reg<f32, "%f3">
    // PTX: cvt.f32.f16 %f3, %rs1;
    %r4 = ptx.cvt rzi.s32 from f32 %f1 : !ptx.reg<b32, "%r4">
    // CHECK: ptx.cvt rzi.s32 from f32 %{{.*}} : !ptx.reg<b32, "%r4">
    // PTX: cvt.rzi.s32.f32 %r4, %f1;
    %g1 = ptx.unpack b32 %r1 : !ptx.group<b16 x 2, "%rs4..%rs5">
    // CHECK: ptx.unpack b32 %{{.*}} : !ptx.group<b16 x 2, "%rs4..%rs5">
    // PTX: mov.b32 {%rs4, %rs5}, %r1;
    %r5 = ptx.pack b32 %g1 : !ptx.reg<b32, "%r5">
    // CHECK: ptx.pack b32 %{{.*}} : !ptx.reg<b32, "%r5">
    // PTX: mov.b32 %r5, {%rs4, %rs5};
    %rs4, %rs5 = ptx.split %g1 : !ptx.reg<b16, "%rs4">, !ptx.reg<b16, "%rs5">
    // CHECK: ptx.split %{{.*}} : !ptx.reg<b16, "%rs4">, !ptx.reg<b16, "%rs5">
    %g2 = ptx.join %f1, %f2 : !ptx.group<f32 x 2, "%f1..%f2">
    // CHECK: ptx.join %{{.*}}, %{{.*}} : !ptx.group<f32 x 2, "%f1..%f2">
    %g3 = ptx.undef : !ptx.group<b32 x 3, "%r7, %r9, %r8">
    // CHECK: ptx.undef : !ptx.group<b32 x 3, "%r7, %r9, %r8">
    %g4 = ptx.fill_group 0 : !ptx.group<f32 x 2, "%f4..%f5">
    // CHECK: ptx.fill_group 0 : !ptx.group<f32 x 2, "%f4..%f5">
    // PTX: mov.f32 %f4, 0f00000000; mov.f32 %f5, 0f00000000;
    %g5 = ptx.mov_group %g4 : !ptx.group<f32 x 2, "%f6..%f7">
    // CHECK: ptx.mov_group %{{.*}} : !ptx.group<f32 x 2, "%f6..%f7">
    // PTX: mov.f32 %f6, %f4; mov.f32 %f7, %f5;
    ptx.ret
  }
}
