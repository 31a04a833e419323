// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Operations on mbarriers.

ptx.module version "8.0" target "sm_90" {
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
    ptx.mbarrier.init shared [%r1 + 8], 4
    // CHECK: ptx.mbarrier.init shared [%{{.*}} + 8], 4
    // PTX: mbarrier.init.shared.b64 [%r1+8], 4;
    ptx.mbarrier.init if %p1 shared [%r1], %r2
    // CHECK: ptx.mbarrier.init if %{{.*}} shared [%{{.*}}], %{{.*}}
    // PTX: @%p1 mbarrier.init.shared.b64 [%r1], %r2;
    ptx.mbarrier.inval generic [%rd1]
    // CHECK: ptx.mbarrier.inval generic [%{{.*}}]
    // PTX: mbarrier.inval.b64 [%rd1];
    ptx.mbarrier.arrive shared [%r1], 1
    // CHECK: ptx.mbarrier.arrive shared [%{{.*}}], 1
    // PTX: mbarrier.arrive.shared.b64 _, [%r1];
    ptx.mbarrier.arrive if not %p1 cluster [%r1], 2
    // CHECK: ptx.mbarrier.arrive if not %{{.*}} cluster [%{{.*}}], 2
    // PTX: @!%p1 mbarrier.arrive.shared::cluster.b64 _, [%r1], 2;
    ptx.mbarrier.arrive cluster order "release.cluster" [%r1], 1
    // CHECK: ptx.mbarrier.arrive cluster order "release.cluster" [%{{.*}}], 1
    // PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
    ptx.mbarrier.arrive_drop shared [%r1], 1
    // CHECK: ptx.mbarrier.arrive_drop shared [%{{.*}}], 1
    // PTX: mbarrier.arrive_drop.shared.b64 _, [%r1], 1;
    ptx.mbarrier.arrive.expect_tx shared [%r1], 32768
    // CHECK: ptx.mbarrier.arrive.expect_tx shared [%{{.*}}], 32768
    // PTX: mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 32768;
    ptx.mbarrier.expect_tx shared order "relaxed.cta" [%r1], %r2
    // CHECK: ptx.mbarrier.expect_tx shared order "relaxed.cta" [%{{.*}}], %{{.*}}
    // PTX: mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], %r2;
    ptx.mbarrier.complete_tx shared order "relaxed.cta" [%r1], 64
    // CHECK: ptx.mbarrier.complete_tx shared order "relaxed.cta" [%{{.*}}], 64
    // PTX: mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 64;
    %rd3 = ptx.mbarrier.arrive_state "arrive" shared [%r1], 1 : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.mbarrier.arrive_state "arrive" shared [%{{.*}}], 1 : !ptx.reg<b64, "%rd3">
    // PTX: mbarrier.arrive.shared.b64 %rd3, [%r1];
    %rd4 = ptx.mbarrier.arrive_state "arrive.noComplete" shared [%r1], 1 : !ptx.reg<b64, "%rd4">
    // CHECK: ptx.mbarrier.arrive_state "arrive.noComplete" shared [%{{.*}}], 1 : !ptx.reg<b64, "%rd4">
    // PTX: mbarrier.arrive.noComplete.shared.b64 %rd4, [%r1], 1;
    %p3 = ptx.mbarrier.try_wait shared [%r1 + 8], %r2 : !ptx.pred<"%p3">
    // CHECK: ptx.mbarrier.try_wait shared [%{{.*}} + 8], %{{.*}} : !ptx.pred<"%p3">
    // PTX: mbarrier.try_wait.parity.shared.b64 %p3, [%r1+8], %r2;
    %p4 = ptx.mbarrier.try_wait shared order "acquire.cluster" [%r1], 0 : !ptx.pred<"%p4">
    // CHECK: ptx.mbarrier.try_wait shared order "acquire.cluster" [%{{.*}}], 0 : !ptx.pred<"%p4">
    // PTX: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p4, [%r1], 0;
    %p5 = ptx.mbarrier.test_wait shared [%r1], %rd3 : !ptx.pred<"%p5">
    // CHECK: ptx.mbarrier.test_wait shared [%{{.*}}], %{{.*}} : !ptx.pred<"%p5">
    // PTX: mbarrier.test_wait.shared.b64 %p5, [%r1], %rd3;
    ptx.ret
  }
}
