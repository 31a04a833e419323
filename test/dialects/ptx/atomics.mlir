// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Atomic updates: with the old value (atom) and without (red).

ptx.module version "8.1" target "sm_90" {
  ptx.extern_shared @smem align 1024
  ptx.entry @ops parameters [] {
    %p1 = ptx.undef : !ptx.pred<"%p1">
    %rs1 = ptx.undef : !ptx.reg<b16, "%rs1">
    %r1 = ptx.undef : !ptx.reg<b32, "%r1">
    %r2 = ptx.undef : !ptx.reg<b32, "%r2">
    %rd1 = ptx.undef : !ptx.reg<b64, "%rd1">
    %f1 = ptx.undef : !ptx.reg<f32, "%f1">
    %fd1 = ptx.undef : !ptx.reg<f64, "%fd1">
    %r3 = ptx.atom "add" global u32 "acq_rel.gpu" [%rd1 + 4], %r1 : !ptx.reg<b32, "%r3">
    // CHECK: ptx.atom "add" global u32 "acq_rel.gpu" [%{{.*}} + 4], %{{.*}} : !ptx.reg<b32, "%r3">
    // PTX: atom.acq_rel.gpu.global.add.u32 %r3, [%rd1+4], %r1;
    %r4 = ptx.atom "min" shared s32 "relaxed.cta" [%r2], -5 : !ptx.reg<b32, "%r4">
    // CHECK: ptx.atom "min" shared s32 "relaxed.cta" [%{{.*}}], -5 : !ptx.reg<b32, "%r4">
    // PTX: atom.relaxed.cta.shared.min.s32 %r4, [%r2], -5;
    %r5 = ptx.atom "cas" global b32 "acquire.sys" [%rd1], %r1, 7 : !ptx.reg<b32, "%r5">
    // CHECK: ptx.atom "cas" global b32 "acquire.sys" [%{{.*}}], %{{.*}}, 7 : !ptx.reg<b32, "%r5">
    // PTX: atom.acquire.sys.global.cas.b32 %r5, [%rd1], %r1, 7;
    %r6 = ptx.atom "or" cluster b32 "relaxed.cluster" [%r2], %r1 : !ptx.reg<b32, "%r6">
    // CHECK: ptx.atom "or" cluster b32 "relaxed.cluster" [%{{.*}}], %{{.*}} : !ptx.reg<b32, "%r6">
    // PTX: atom.relaxed.cluster.shared::cluster.or.b32 %r6, [%r2], %r1;
    %rd2 = ptx.atom "max" global u64 "release.gpu" [%rd1], %rd1 : !ptx.reg<b64, "%rd2">
    // CHECK: ptx.atom "max" global u64 "release.gpu" [%{{.*}}], %{{.*}} : !ptx.reg<b64, "%rd2">
    // PTX: atom.release.gpu.global.max.u64 %rd2, [%rd1], %rd1;
    %rd3 = ptx.atom "exch" generic b64 "relaxed.gpu" [%rd1], %rd1 : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.atom "exch" generic b64 "relaxed.gpu" [%{{.*}}], %{{.*}} : !ptx.reg<b64, "%rd3">
    // PTX: atom.relaxed.gpu.exch.b64 %rd3, [%rd1], %rd1;
    %f2 = ptx.atom "add" global f32 "relaxed.gpu" [%rd1], 1065353216 : !ptx.reg<f32, "%f2">
    // CHECK: ptx.atom "add" global f32 "relaxed.gpu" [%{{.*}}], 1065353216 : !ptx.reg<f32, "%f2">
    // PTX: atom.relaxed.gpu.global.add.f32 %f2, [%rd1], 0f3F800000;
    %fd2 = ptx.atom "add" global f64 "relaxed.gpu" [%rd1], %fd1 : !ptx.reg<f64, "%fd2">
    // CHECK: ptx.atom "add" global f64 "relaxed.gpu" [%{{.*}}], %{{.*}} : !ptx.reg<f64, "%fd2">
    // PTX: atom.relaxed.gpu.global.add.f64 %fd2, [%rd1], %fd1;
    %rs2 = ptx.atom "add" global f16 "relaxed.gpu" [%rd1], %rs1 : !ptx.reg<b16, "%rs2">
    // CHECK: ptx.atom "add" global f16 "relaxed.gpu" [%{{.*}}], %{{.*}} : !ptx.reg<b16, "%rs2">
    // PTX: atom.relaxed.gpu.global.add.noftz.f16 %rs2, [%rd1], %rs1;
    ptx.red "add" shared f32 "relaxed.cta" [%r2], %f1
    // CHECK: ptx.red "add" shared f32 "relaxed.cta" [%{{.*}}], %{{.*}}
    // PTX: red.relaxed.cta.shared.add.f32 [%r2], %f1;
    ptx.red if not %p1 "xor" global b32 "release.gpu" [%rd1 - 4], %r1
    // CHECK: ptx.red if not %{{.*}} "xor" global b32 "release.gpu" [%{{.*}} - 4], %{{.*}}
    // PTX: @!%p1 red.release.gpu.global.xor.b32 [%rd1+-4], %r1;
    ptx.red "add" global bf16 "relaxed.gpu" [%rd1], %rs1
    // CHECK: ptx.red "add" global bf16 "relaxed.gpu" [%{{.*}}], %{{.*}}
    // PTX: red.relaxed.gpu.global.add.noftz.bf16 [%rd1], %rs1;
    // Two halves in a register, or f32 in several.
    ptx.red "add" global f16x2 "relaxed.gpu" [%rd1], %r1
    // CHECK: ptx.red "add" global f16x2 "relaxed.gpu" [%{{.*}}], %{{.*}}
    // PTX: red.relaxed.gpu.global.add.noftz.f16x2 [%rd1], %r1;
    %r9 = ptx.atom "add" shared bf16x2 "relaxed.cta" [%r2], %r1 : !ptx.reg<b32, "%r9">
    // CHECK: ptx.atom "add" shared bf16x2 "relaxed.cta" [%{{.*}}], %{{.*}}
    // PTX: atom.relaxed.cta.shared.add.noftz.bf16x2 %r9, [%r2], %r1;
    %g1 = ptx.undef : !ptx.group<f32 x 2, "%f4..%f5">
    ptx.red "add" global f32 "release.gpu" [%rd1 + 8], %g1
    // CHECK: ptx.red "add" global f32 "release.gpu" [%{{.*}} + 8], %{{.*}}
    // PTX: red.release.gpu.global.add.v2.f32 [%rd1+8], {%f4, %f5};
    ptx.red "max" global s64 "relaxed.sys" [%rd1], 9
    // CHECK: ptx.red "max" global s64 "relaxed.sys" [%{{.*}}], 9
    // PTX: red.relaxed.sys.global.max.s64 [%rd1], 9;
    ptx.ret
  }
}
