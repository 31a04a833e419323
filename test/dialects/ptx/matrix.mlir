// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Matrix instructions.

ptx.module version "8.4" target "sm_90a" {
  ptx.entry @ops parameters [] reqntid (128, 1, 1) {
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
    %g1 = ptx.undef : !ptx.group<f32 x 4, "%f4..%f7">
    %ga = ptx.undef : !ptx.group<b32 x 4, "%r3..%r6">
    %gi = ptx.undef : !ptx.group<b32 x 4, "%r7..%r10">
    %gb = ptx.undef : !ptx.group<b32 x 2, "%r11..%r12">
    %gc = ptx.undef : !ptx.group<f32 x 4, "%f8..%f11">
    ptx.wgmma.fence
    // CHECK: ptx.wgmma.fence
    // PTX: wgmma.fence.sync.aligned;
    %g2 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %g1, %rd1, %rd2 scale 0 : !ptx.group<f32 x 4, "%f4..%f7">
    // CHECK: ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %{{.*}}, %{{.*}}, %{{.*}} scale 0 : !ptx.group<f32 x 4, "%f4..%f7">
    // PTX: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %rd1, %rd2, 0, 1, 1, 0, 0;
    %g3 = ptx.wgmma.mma_async "m64n8k16.f32.bf16.bf16" %g2, neg trans %rd1, trans %rd2 scale %p1 : !ptx.group<f32 x 4, "%f4..%f7">
    // CHECK: ptx.wgmma.mma_async "m64n8k16.f32.bf16.bf16" %{{.*}}, neg trans %{{.*}}, trans %{{.*}} scale %{{.*}} : !ptx.group<f32 x 4, "%f4..%f7">
    // PTX: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f4, %f5, %f6, %f7}, %rd1, %rd2, %p1, -1, 1, 1, 1;
    %g4 = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %g3, %ga, trans %rd2 scale 1 : !ptx.group<f32 x 4, "%f4..%f7">
    // CHECK: ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" %{{.*}}, %{{.*}}, trans %{{.*}} scale 1 : !ptx.group<f32 x 4, "%f4..%f7">
    // PTX: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, {%r3, %r4, %r5, %r6}, %rd2, 1, 1, 1, 1;
    %g5 = ptx.wgmma.mma_async "m64n8k32.f32.e4m3.e5m2" %g4, %rd1, %rd2 scale 1 : !ptx.group<f32 x 4, "%f4..%f7">
    // CHECK: ptx.wgmma.mma_async "m64n8k32.f32.e4m3.e5m2" %{{.*}}, %{{.*}}, %{{.*}} scale 1 : !ptx.group<f32 x 4, "%f4..%f7">
    // PTX: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%f4, %f5, %f6, %f7}, %rd1, %rd2, 1, 1, 1;
    %g6 = ptx.wgmma.mma_async "m64n8k32.s32.s8.u8" satfinite %gi, %rd1, %rd2 scale 1 : !ptx.group<b32 x 4, "%r7..%r10">
    // CHECK: ptx.wgmma.mma_async "m64n8k32.s32.s8.u8" satfinite %{{.*}}, %{{.*}}, %{{.*}} scale 1 : !ptx.group<b32 x 4, "%r7..%r10">
    // PTX: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {%r7, %r8, %r9, %r10}, %rd1, %rd2, 1;
    ptx.wgmma.commit_group
    // CHECK: ptx.wgmma.commit_group
    // PTX: wgmma.commit_group.sync.aligned;
    ptx.wgmma.wait_group 0
    // CHECK: ptx.wgmma.wait_group 0
    // PTX: wgmma.wait_group.sync.aligned 0;
    %g7 = ptx.mma.sync "m16n8k16.row.col.f32.f16.f16.f32" %ga, %gb, %gc : !ptx.group<f32 x 4, "%f12..%f15">
    // CHECK: ptx.mma.sync "m16n8k16.row.col.f32.f16.f16.f32" %{{.*}}, %{{.*}}, %{{.*}} : !ptx.group<f32 x 4, "%f12..%f15">
    // PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f12, %f13, %f14, %f15}, {%r3, %r4, %r5, %r6}, {%r11, %r12}, {%f8, %f9, %f10, %f11};
    %g8 = ptx.ldmatrix [%r1 + 1024] : !ptx.group<b32 x 4, "%r13..%r16">
    // CHECK: ptx.ldmatrix [%{{.*}} + 1024] : !ptx.group<b32 x 4, "%r13..%r16">
    // PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r13, %r14, %r15, %r16}, [%r1+1024];
    %g9 = ptx.ldmatrix trans [%r1] : !ptx.group<b32 x 1, "%r17">
    // CHECK: ptx.ldmatrix trans [%{{.*}}] : !ptx.group<b32 x 1, "%r17">
    // PTX: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r17}, [%r1];
    ptx.stmatrix [%r1 - 16], %g8
    // CHECK: ptx.stmatrix [%{{.*}} - 16], %{{.*}}
    // PTX: stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1+-16], {%r13, %r14, %r15, %r16};
    ptx.stmatrix if %p1 trans [%r1], %gb
    // CHECK: ptx.stmatrix if %{{.*}} trans [%{{.*}}], %{{.*}}
    // PTX: @%p1 stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r11, %r12};
    ptx.ret
  }
}
