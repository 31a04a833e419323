// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Arithmetic, logic and comparison.

ptx.module version "7.0" target "sm_80" {
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
    %r3 = ptx.add s32 %r1, 5 : !ptx.reg<b32, "%r3">
    // CHECK: ptx.add s32 %{{.*}}, 5 : !ptx.reg<b32, "%r3">
    // PTX: add.s32 %r3, %r1, 5;
    %rd3 = ptx.add s64 %rd1, -70000 : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.add s64 %{{.*}}, -70000 : !ptx.reg<b64, "%rd3">
    // PTX: add.s64 %rd3, %rd1, -0x11170;
    %f3 = ptx.add rn.f32 %f1, 1065353216 : !ptx.reg<f32, "%f3">
    // CHECK: ptx.add rn.f32 %{{.*}}, 1065353216 : !ptx.reg<f32, "%f3">
    // PTX: add.rn.f32 %f3, %f1, 0f3F800000;
    %rs3 = ptx.add rn.f16 %rs1, %rs2 : !ptx.reg<b16, "%rs3">
    // CHECK: ptx.add rn.f16 %{{.*}}, %{{.*}} : !ptx.reg<b16, "%rs3">
    // PTX: add.rn.f16 %rs3, %rs1, %rs2;
    %r4 = ptx.sub u32 %r1, %r2 : !ptx.reg<b32, "%r4">
    // CHECK: ptx.sub u32 %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r4">
    // PTX: sub.u32 %r4, %r1, %r2;
    %r5 = ptx.mul lo.u32 %r1, 64 : !ptx.reg<b32, "%r5">
    // CHECK: ptx.mul lo.u32 %{{.*}}, 64 : !ptx.reg<b32, "%r5">
    // PTX: mul.lo.u32 %r5, %r1, 64;
    %rd4 = ptx.mul wide.u32 %r1, %r2 : !ptx.reg<b64, "%rd4">
    // CHECK: ptx.mul wide.u32 %{{.*}}, %{{.*}} : !ptx.reg<b64, "%rd4">
    // PTX: mul.wide.u32 %rd4, %r1, %r2;
    %fd3 = ptx.mul rn.f64 %fd1, 4607182418800017408 : !ptx.reg<f64, "%fd3">
    // CHECK: ptx.mul rn.f64 %{{.*}}, 4607182418800017408 : !ptx.reg<f64, "%fd3">
    // PTX: mul.rn.f64 %fd3, %fd1, 0d3FF0000000000000;
    %r6 = ptx.mad lo.u32 %r1, 64, %r2 : !ptx.reg<b32, "%r6">
    // CHECK: ptx.mad lo.u32 %{{.*}}, 64, %{{.*}} : !ptx.reg<b32, "%r6">
    // PTX: mad.lo.u32 %r6, %r1, 64, %r2;
    %rd5 = ptx.mad wide.s32 %r1, 4, %rd1 : !ptx.reg<b64, "%rd5">
    // CHECK: ptx.mad wide.s32 %{{.*}}, 4, %{{.*}} : !ptx.reg<b64, "%rd5">
    // PTX: mad.wide.s32 %rd5, %r1, 4, %rd1;
    %f4 = ptx.fma rn.ftz.f32 %f1, %f2, %f3 : !ptx.reg<f32, "%f4">
    // CHECK: ptx.fma rn.ftz.f32 %{{.*}}, %{{.*}}, %{{.*}} : !ptx.reg<f32, "%f4">
    // PTX: fma.rn.ftz.f32 %f4, %f1, %f2, %f3;
    %r7 = ptx.div u32 %r1, 3 : !ptx.reg<b32, "%r7">
    // CHECK: ptx.div u32 %{{.*}}, 3 : !ptx.reg<b32, "%r7">
    // PTX: div.u32 %r7, %r1, 3;
    %r8 = ptx.rem s32 %r1, %r2 : !ptx.reg<b32, "%r8">
    // CHECK: ptx.rem s32 %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r8">
    // PTX: rem.s32 %r8, %r1, %r2;
    %r9 = ptx.min u32 %r1, %r2 : !ptx.reg<b32, "%r9">
    // CHECK: ptx.min u32 %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r9">
    // PTX: min.u32 %r9, %r1, %r2;
    %f5 = ptx.max NaN.f32 %f1, %f2 : !ptx.reg<f32, "%f5">
    // CHECK: ptx.max NaN.f32 %{{.*}}, %{{.*}} : !ptx.reg<f32, "%f5">
    // PTX: max.NaN.f32 %f5, %f1, %f2;
    %f6 = ptx.neg f32 %f1 : !ptx.reg<f32, "%f6">
    // CHECK: ptx.neg f32 %{{.*}} : !ptx.reg<f32, "%f6">
    // PTX: neg.f32 %f6, %f1;
    %r10 = ptx.abs s32 %r1 : !ptx.reg<b32, "%r10">
    // CHECK: ptx.abs s32 %{{.*}} : !ptx.reg<b32, "%r10">
    // PTX: abs.s32 %r10, %r1;
    %r11 = ptx.and b32 %r1, 31 : !ptx.reg<b32, "%r11">
    // CHECK: ptx.and b32 %{{.*}}, 31 : !ptx.reg<b32, "%r11">
    // PTX: and.b32 %r11, %r1, 31;
    %rd6 = ptx.or b64 %rd1, 4611686293305360384 : !ptx.reg<b64, "%rd6">
    // CHECK: ptx.or b64 %{{.*}}, 4611686293305360384 : !ptx.reg<b64, "%rd6">
    // PTX: or.b64 %rd6, %rd1, 0x4000004000010000;
    %p3 = ptx.xor pred %p1, %p2 : !ptx.pred<"%p3">
    // CHECK: ptx.xor pred %{{.*}}, %{{.*}} : !ptx.pred<"%p3">
    // PTX: xor.pred %p3, %p1, %p2;
    %p4 = ptx.not pred %p1 : !ptx.pred<"%p4">
    // CHECK: ptx.not pred %{{.*}} : !ptx.pred<"%p4">
    // PTX: not.pred %p4, %p1;
    %rd7 = ptx.shl b64 %rd1, %r1 : !ptx.reg<b64, "%rd7">
    // CHECK: ptx.shl b64 %{{.*}}, %{{.*}} : !ptx.reg<b64, "%rd7">
    // PTX: shl.b64 %rd7, %rd1, %r1;
    %r12 = ptx.shr u32 %r1, 5 : !ptx.reg<b32, "%r12">
    // CHECK: ptx.shr u32 %{{.*}}, 5 : !ptx.reg<b32, "%r12">
    // PTX: shr.u32 %r12, %r1, 5;
    %p5 = ptx.setp lt.s32 %r1, 128 : !ptx.pred<"%p5">
    // CHECK: ptx.setp lt.s32 %{{.*}}, 128 : !ptx.pred<"%p5">
    // PTX: setp.lt.s32 %p5, %r1, 128;
    %p6 = ptx.setp ltu.f32 %f1, %f2 : !ptx.pred<"%p6">
    // CHECK: ptx.setp ltu.f32 %{{.*}}, %{{.*}} : !ptx.pred<"%p6">
    // PTX: setp.ltu.f32 %p6, %f1, %f2;
    %r13 = ptx.selp b32 %r1, 0, %p1 : !ptx.reg<b32, "%r13">
    // CHECK: ptx.selp b32 %{{.*}}, 0, %{{.*}} : !ptx.reg<b32, "%r13">
    // PTX: selp.b32 %r13, %r1, 0, %p1;
    %r14 = ptx.mov b32 -1 : !ptx.reg<b32, "%r14">
    // CHECK: ptx.mov b32 -1 : !ptx.reg<b32, "%r14">
    // PTX: mov.b32 %r14, -1;
    %f7 = ptx.mov f32 0 : !ptx.reg<f32, "%f7">
    // CHECK: ptx.mov f32 0 : !ptx.reg<f32, "%f7">
    // PTX: mov.f32 %f7, 0f00000000;
    %f8 = ptx.mov b32 %r1 : !ptx.reg<f32, "%f8">
    // CHECK: ptx.mov b32 %{{.*}} : !ptx.reg<f32, "%f8">
    // PTX: mov.b32 %f8, %r1;
    %p7 = ptx.mov pred 1 : !ptx.pred<"%p7">
    // CHECK: ptx.mov pred 1 : !ptx.pred<"%p7">
    // PTX: mov.pred %p7, 1;
    %f9 = ptx.rcp approx.ftz.f32 %f1 : !ptx.reg<f32, "%f9">
    // CHECK: ptx.rcp approx.ftz.f32 %{{.*}} : !ptx.reg<f32, "%f9">
    // PTX: rcp.approx.ftz.f32 %f9, %f1;
    %f10 = ptx.sqrt rn.f32 %f1 : !ptx.reg<f32, "%f10">
    // CHECK: ptx.sqrt rn.f32 %{{.*}} : !ptx.reg<f32, "%f10">
    // PTX: sqrt.rn.f32 %f10, %f1;
    %f11 = ptx.rsqrt approx.f32 %f1 : !ptx.reg<f32, "%f11">
    // CHECK: ptx.rsqrt approx.f32 %{{.*}} : !ptx.reg<f32, "%f11">
    // PTX: rsqrt.approx.f32 %f11, %f1;
    %f12 = ptx.ex2 approx.ftz.f32 %f1 : !ptx.reg<f32, "%f12">
    // CHECK: ptx.ex2 approx.ftz.f32 %{{.*}} : !ptx.reg<f32, "%f12">
    // PTX: ex2.approx.ftz.f32 %f12, %f1;
    %f13 = ptx.lg2 approx.f32 %f1 : !ptx.reg<f32, "%f13">
    // CHECK: ptx.lg2 approx.f32 %{{.*}} : !ptx.reg<f32, "%f13">
    // PTX: lg2.approx.f32 %f13, %f1;
    %f14 = ptx.tanh approx.f32 %f1 : !ptx.reg<f32, "%f14">
    // CHECK: ptx.tanh approx.f32 %{{.*}} : !ptx.reg<f32, "%f14">
    // PTX: tanh.approx.f32 %f14, %f1;
    %r15 = ptx.prmt b32 %r1, %r2, 4660 : !ptx.reg<b32, "%r15">
    // CHECK: ptx.prmt b32 %{{.*}}, %{{.*}}, 4660 : !ptx.reg<b32, "%r15">
    // PTX: prmt.b32 %r15, %r1, %r2, 4660;
    ptx.ret
  }
}
