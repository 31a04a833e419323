// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Special registers, and exchange between threads.

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
    %r3 = ptx.sreg "tid.x" : !ptx.reg<b32, "%r3">
    // CHECK: ptx.sreg "tid.x" : !ptx.reg<b32, "%r3">
    // PTX: mov.u32 %r3, %tid.x;
    %rd3 = ptx.sreg "clock64" : !ptx.reg<b64, "%rd3">
    // CHECK: ptx.sreg "clock64" : !ptx.reg<b64, "%rd3">
    // PTX: mov.u64 %rd3, %clock64;
    %r4 = ptx.shfl.sync "idx" %r1, 0, 31, -1 : !ptx.reg<b32, "%r4">
    // CHECK: ptx.shfl.sync "idx" %{{.*}}, 0, 31, -1 : !ptx.reg<b32, "%r4">
    // PTX: shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;
    %f3 = ptx.shfl.sync "bfly" %f1, %r1, 31, -1 : !ptx.reg<f32, "%f3">
    // CHECK: ptx.shfl.sync "bfly" %{{.*}}, %{{.*}}, 31, -1 : !ptx.reg<f32, "%f3">
    // PTX: shfl.sync.bfly.b32 %f3, %f1, %r1, 31, -1;
    %r5 = ptx.vote.sync "ballot" %p1, -1 : !ptx.reg<b32, "%r5">
    // CHECK: ptx.vote.sync "ballot" %{{.*}}, -1 : !ptx.reg<b32, "%r5">
    // PTX: vote.sync.ballot.b32 %r5, %p1, -1;
    %p3 = ptx.vote.sync "any" %p1, %r1 : !ptx.pred<"%p3">
    // CHECK: ptx.vote.sync "any" %{{.*}}, %{{.*}} : !ptx.pred<"%p3">
    // PTX: vote.sync.any.pred %p3, %p1, %r1;
    %p4 = ptx.elect.sync -1 : !ptx.pred<"%p4">
    // CHECK: ptx.elect.sync -1 : !ptx.pred<"%p4">
    // PTX: elect.sync _|%p4, -1;
    %r6 = ptx.redux.sync "add.s32" %r1, -1 : !ptx.reg<b32, "%r6">
    // CHECK: ptx.redux.sync "add.s32" %{{.*}}, -1 : !ptx.reg<b32, "%r6">
    // PTX: redux.sync.add.s32 %r6, %r1, -1;
    %r8 = ptx.match.sync "any" %rd1, -1 : !ptx.reg<b32, "%r8">
    // CHECK: ptx.match.sync "any" %{{.*}}, -1 : !ptx.reg<b32, "%r8">
    // PTX: match.any.sync.b64 %r8, %rd1, -1;
    %r9, %p5 = ptx.match.sync "all" %r1, %r2 : !ptx.reg<b32, "%r9">, !ptx.pred<"%p5">
    // CHECK: ptx.match.sync "all" %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r9">, !ptx.pred<"%p5">
    // PTX: match.all.sync.b32 %r9|%p5, %r1, %r2;
    %r10 = ptx.activemask : !ptx.reg<b32, "%r10">
    // CHECK: ptx.activemask : !ptx.reg<b32, "%r10">
    // PTX: activemask.b32 %r10;
    %r7 = ptx.mapa cluster %r1, %r2 : !ptx.reg<b32, "%r7">
    // CHECK: ptx.mapa cluster %{{.*}}, %{{.*}} : !ptx.reg<b32, "%r7">
    // PTX: mapa.shared::cluster.u32 %r7, %r1, %r2;
    %rd4 = ptx.mapa generic %rd1, 1 : !ptx.reg<b64, "%rd4">
    // CHECK: ptx.mapa generic %{{.*}}, 1 : !ptx.reg<b64, "%rd4">
    // PTX: mapa.u64 %rd4, %rd1, 1;
    ptx.ret
  }
}
