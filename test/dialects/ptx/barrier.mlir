// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt %s --print-op-generic | croq-opt | filecheck %s
// RUN: croq-opt %s -t ptx | filecheck %s --check-prefix=PTX

// Barriers, fences, the register budget.

ptx.module version "8.3" target "sm_90a" {
  ptx.entry @ops parameters [] reqntid (256, 1, 1) minnctapersm 1 {
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
    ptx.bar.sync 0, 0
    // CHECK: ptx.bar.sync 0, 0
    // PTX: bar.sync 0;
    ptx.bar.sync 1, 128
    // CHECK: ptx.bar.sync 1, 128
    // PTX: bar.sync 1, 128;
    ptx.bar.sync %r1, 64
    // CHECK: ptx.bar.sync %{{.*}}, 64
    // PTX: bar.sync %r1, 64;
    ptx.bar.arrive 9, 256
    // CHECK: ptx.bar.arrive 9, 256
    // PTX: bar.arrive 9, 256;
    ptx.bar.warp.sync -1
    // CHECK: ptx.bar.warp.sync -1
    // PTX: bar.warp.sync -1;
    ptx.nanosleep %r1
    // CHECK: ptx.nanosleep %{{.*}}
    // PTX: nanosleep.u32 %r1;
    ptx.fence "mbarrier_init.release.cluster"
    // CHECK: ptx.fence "mbarrier_init.release.cluster"
    // PTX: fence.mbarrier_init.release.cluster;
    ptx.fence if %p1 "proxy.async.shared::cta"
    // CHECK: ptx.fence if %{{.*}} "proxy.async.shared::cta"
    // PTX: @%p1 fence.proxy.async.shared::cta;
    ptx.fence "sc.cluster"
    // CHECK: ptx.fence "sc.cluster"
    // PTX: fence.sc.cluster;
    ptx.membar "gl"
    // CHECK: ptx.membar "gl"
    // PTX: membar.gl;
    ptx.fence.tensormap_acquire "gpu" [%rd1]
    // CHECK: ptx.fence.tensormap_acquire "gpu" [%{{.*}}]
    // PTX: fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
    ptx.barrier.cluster.arrive order "relaxed" aligned
    // CHECK: ptx.barrier.cluster.arrive order "relaxed" aligned
    // PTX: barrier.cluster.arrive.relaxed.aligned;
    ptx.barrier.cluster.wait aligned
    // CHECK: ptx.barrier.cluster.wait aligned
    // PTX: barrier.cluster.wait.aligned;
    ptx.griddepcontrol "wait"
    // CHECK: ptx.griddepcontrol "wait"
    // PTX: griddepcontrol.wait;
    ptx.setmaxnreg "inc" 232
    // CHECK: ptx.setmaxnreg "inc" 232
    // PTX: setmaxnreg.inc.sync.aligned.u32 232;
    ptx.trap if %p1
    // CHECK: ptx.trap if %{{.*}}
    // PTX: @%p1 trap;
    ptx.exit if not %p1
    // CHECK: ptx.exit if not %{{.*}}
    // PTX: @!%p1 exit;
    ptx.ret
  }
}
