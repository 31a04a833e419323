// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Asynchronous copies.

ptx.module version "8.0" target "sm_90a" {
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
    ptx.cp.async "cg" 16 [%r1], [%rd1], 16
    // CHECK: ptx.cp.async "cg" 16 [%{{.*}}], [%{{.*}}], 16
    // PTX: cp.async.cg.shared.global [%r1], [%rd1], 16;
    ptx.cp.async if %p1 "ca" 8 [%r1 + 64], [%rd1 + 8], %r2
    // CHECK: ptx.cp.async if %{{.*}} "ca" 8 [%{{.*}} + 64], [%{{.*}} + 8], %{{.*}}
    // PTX: @%p1 cp.async.ca.shared.global [%r1+64], [%rd1+8], 8, %r2;
    ptx.cp.async.commit_group
    // CHECK: ptx.cp.async.commit_group
    // PTX: cp.async.commit_group;
    ptx.cp.async.wait_group 2
    // CHECK: ptx.cp.async.wait_group 2
    // PTX: cp.async.wait_group 2;
    ptx.cp.async.mbarrier.arrive noinc shared [%r1]
    // CHECK: ptx.cp.async.mbarrier.arrive noinc shared [%{{.*}}]
    // PTX: cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];
    ptx.cp.async.bulk.tensor.load cluster [%r1 + 1024], [%rd1] box(%r2, 64), [%r1 + 16]
    // CHECK: ptx.cp.async.bulk.tensor.load cluster [%{{.*}} + 1024], [%{{.*}}] box(%{{.*}}, 64), [%{{.*}} + 16]
    // PTX: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+1024], [%rd1, {%r2, 64}], [%r1+16];
    ptx.cp.async.bulk.tensor.load if %p1 cluster [%r1], [%rd1] box(%r2), [%r1] multicast %rs1 hint %rd2
    // CHECK: ptx.cp.async.bulk.tensor.load if %{{.*}} cluster [%{{.*}}], [%{{.*}}] box(%{{.*}}), [%{{.*}}] multicast %{{.*}} hint %{{.*}}
    // PTX: @%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2}], [%r1], %rs1, %rd2;
    ptx.cp.async.bulk.tensor.store [%rd1] box(%r1, %r2), [%r1] hint %rd2
    // CHECK: ptx.cp.async.bulk.tensor.store [%{{.*}}] box(%{{.*}}, %{{.*}}), [%{{.*}}] hint %{{.*}}
    // PTX: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%rd1, {%r1, %r2}], [%r1], %rd2;
    ptx.cp.reduce.async.bulk.tensor "add" [%rd1] box(%r1, %r2), [%r1]
    // CHECK: ptx.cp.reduce.async.bulk.tensor "add" [%{{.*}}] box(%{{.*}}, %{{.*}}), [%{{.*}}]
    // PTX: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1, %r2}], [%r1];
    ptx.cp.async.bulk.prefetch.tensor [%rd1] box(0, %r2)
    // CHECK: ptx.cp.async.bulk.prefetch.tensor [%{{.*}}] box(0, %{{.*}})
    // PTX: cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {0, %r2}];
    ptx.cp.async.bulk.load cluster [%r1], [%rd1], 4096, [%r2]
    // CHECK: ptx.cp.async.bulk.load cluster [%{{.*}}], [%{{.*}}], 4096, [%{{.*}}]
    // PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 4096, [%r2];
    ptx.cp.async.bulk.remote_store [%r1], [%r2 + 16], 4096, [%r2]
    // CHECK: ptx.cp.async.bulk.remote_store [%{{.*}}], [%{{.*}} + 16], 4096, [%{{.*}}]
    // PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2+16], 4096, [%r2];
    ptx.cp.async.bulk.store [%rd1], [%r1], %r2
    // CHECK: ptx.cp.async.bulk.store [%{{.*}}], [%{{.*}}], %{{.*}}
    // PTX: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;
    ptx.cp.async.bulk.commit_group
    // CHECK: ptx.cp.async.bulk.commit_group
    // PTX: cp.async.bulk.commit_group;
    ptx.cp.async.bulk.wait_group 0
    // CHECK: ptx.cp.async.bulk.wait_group 0
    // PTX: cp.async.bulk.wait_group 0;
    ptx.cp.async.bulk.wait_group.read 1
    // CHECK: ptx.cp.async.bulk.wait_group.read 1
    // PTX: cp.async.bulk.wait_group.read 1;
    ptx.ret
  }
}
