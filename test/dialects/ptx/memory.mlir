// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Loads, stores and addresses.

ptx.module version "8.0" target "sm_90" {
  ptx.extern_shared @smem align 1024
  ptx.entry @ops parameters [#ptx.parameter<"ops_param_0", b8 x 128, align 64>, #ptx.parameter<"ops_param_1", u64>] {
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
    %rd3 = ptx.mov_param "ops_param_0" : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.mov_param "ops_param_0" : !ptx.reg<b64, "%rd3">
    // PTX: mov.b64 %rd3, ops_param_0;
    %rd4 = ptx.cvta param %rd3 : !ptx.reg<b64, "%rd4">
    // CHECK: ptx.cvta param %{{.*}} : !ptx.reg<b64, "%rd4">
    // PTX: cvta.param.u64 %rd4, %rd3;
    %rd5 = ptx.cvta to global %rd1 : !ptx.reg<b64, "%rd5">
    // CHECK: ptx.cvta to global %{{.*}} : !ptx.reg<b64, "%rd5">
    // PTX: cvta.to.global.u64 %rd5, %rd1;
    %rd6 = ptx.ld_param u64 "ops_param_1" : !ptx.reg<b64, "%rd6">
    // CHECK: ptx.ld_param u64 "ops_param_1" : !ptx.reg<b64, "%rd6">
    // PTX: ld.param.u64 %rd6, [ops_param_1];
    %r3 = ptx.mov_symbol @smem : !ptx.reg<b32, "%r3">
    // CHECK: ptx.mov_symbol @smem : !ptx.reg<b32, "%r3">
    // PTX: mov.u32 %r3, smem;
    ptx.local "sums" align 16 bytes 64
    // CHECK: ptx.local "sums" align 16 bytes 64
    // PTX: .local .align 16 .b8 sums[64];
    %r20 = ptx.mov_symbol @sums : !ptx.reg<b32, "%r20">
    // CHECK: ptx.mov_symbol @sums : !ptx.reg<b32, "%r20">
    // PTX: mov.u32 %r20, sums;
    %r4 = ptx.ld shared b32 [%r3] : !ptx.reg<b32, "%r4">
    // CHECK: ptx.ld shared b32 [%{{.*}}] : !ptx.reg<b32, "%r4">
    // PTX: ld.shared.b32 %r4, [%r3];
    %g1 = ptx.ld global b32 [%rd1 + 16] : !ptx.group<b32 x 4, "%r5..%r8">
    // CHECK: ptx.ld global b32 [%{{.*}} + 16] : !ptx.group<b32 x 4, "%r5..%r8">
    // PTX: ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd1+16];
    %r9 = ptx.ld global b32 order "acquire.gpu" [%rd1 - 4] : !ptx.reg<b32, "%r9">
    // CHECK: ptx.ld global b32 order "acquire.gpu" [%{{.*}} - 4] : !ptx.reg<b32, "%r9">
    // PTX: ld.acquire.gpu.global.b32 %r9, [%rd1+-4];
    %f3 = ptx.ld global f32 nc [%rd1] : !ptx.reg<f32, "%f3">
    // CHECK: ptx.ld global f32 nc [%{{.*}}] : !ptx.reg<f32, "%f3">
    // PTX: ld.global.nc.f32 %f3, [%rd1];
    %rs3 = ptx.ld generic u8 [%rd1] : !ptx.reg<b16, "%rs3">
    // CHECK: ptx.ld generic u8 [%{{.*}}] : !ptx.reg<b16, "%rs3">
    // PTX: ld.u8 %rs3, [%rd1];
    %f4 = ptx.undef : !ptx.reg<f32, "%f4">
    %f5 = ptx.ld if %p1 else %f4 global f32 [%rd1 + 4] : !ptx.reg<f32, "%f4">
    // CHECK: ptx.ld if %{{.*}} else %{{.*}} global f32 [%{{.*}} + 4] : !ptx.reg<f32, "%f4">
    // PTX: @%p1 ld.global.f32 %f4, [%rd1+4];
    %g2 = ptx.ld if not %p2 else %g1 global b32 nc [%rd1] : !ptx.group<b32 x 4, "%r5..%r8">
    // CHECK: ptx.ld if not %{{.*}} else %{{.*}} global b32 nc [%{{.*}}] : !ptx.group<b32 x 4, "%r5..%r8">
    // PTX: @!%p2 ld.global.nc.v4.b32 {%r5, %r6, %r7, %r8}, [%rd1];
    ptx.st shared b32 [%r3 + 1024], %r1
    // CHECK: ptx.st shared b32 [%{{.*}} + 1024], %{{.*}}
    // PTX: st.shared.b32 [%r3+1024], %r1;
    ptx.st if not %p1 global f32 [%rd1], 1065353216
    // CHECK: ptx.st if not %{{.*}} global f32 [%{{.*}}], 1065353216
    // PTX: @!%p1 st.global.f32 [%rd1], 0f3F800000;
    ptx.st if %p1 global b32 [%rd1], %g1
    // CHECK: ptx.st if %{{.*}} global b32 [%{{.*}}], %{{.*}}
    // PTX: @%p1 st.global.v4.b32 [%rd1], {%r5, %r6, %r7, %r8};
    ptx.st cluster b64 order "relaxed.cluster" [%r3], %rd1
    // CHECK: ptx.st cluster b64 order "relaxed.cluster" [%{{.*}}], %{{.*}}
    // PTX: st.relaxed.cluster.shared::cluster.b64 [%r3], %rd1;
    ptx.prefetch "tensormap" [%rd4]
    // CHECK: ptx.prefetch "tensormap" [%{{.*}}]
    // PTX: prefetch.tensormap [%rd4];
    ptx.prefetch if %p1 "global.L2" [%rd1 + 128]
    // CHECK: ptx.prefetch if %{{.*}} "global.L2" [%{{.*}} + 128]
    // PTX: @%p1 prefetch.global.L2 [%rd1+128];
    ptx.ret
  }
}
