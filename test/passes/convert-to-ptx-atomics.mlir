// RUN: croq-opt --convert-to-ptx --assign-registers -t ptx %s | filecheck %s

// An update is a red where nobody needs the old value and nothing is acquired with it.
gpu.module @m attributes {croq.target = "sm_90a"} {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  // CHECK: .entry updates(
  llvm.func @updates(%g: !llvm.ptr<1>, %i: i32, %l: i64, %x: f32, %h: f16) attributes {nvvm.kernel} {
    %p = llvm.mlir.addressof @smem : !llvm.ptr<3>
    // CHECK: red.relaxed.gpu.global.add.u32 [%rd0], %r0;
    %r0 = llvm.atomicrmw add %g, %i syncscope("device") monotonic : !llvm.ptr<1>, i32
    // CHECK-NEXT: atom.acq_rel.cta.shared.and.b32 %r{{.*}}, [%r{{.*}}], %r0;
    %r1 = llvm.atomicrmw _and %p, %i syncscope("block") acq_rel : !llvm.ptr<3>, i32
    // CHECK-NEXT: red.release.cluster.global.add.f32 [%rd0], %f0;
    %r2 = llvm.atomicrmw fadd %g, %x syncscope("cluster") release : !llvm.ptr<1>, f32
    // CHECK-NEXT: red.relaxed.gpu.global.add.noftz.f16 [%rd0], %rs0;
    %r3 = llvm.atomicrmw fadd %g, %h syncscope("device") monotonic : !llvm.ptr<1>, f16
    // CHECK-NEXT: red.relaxed.sys.global.min.s64 [%rd0], %rd1;
    %r4 = llvm.atomicrmw min %g, %l monotonic : !llvm.ptr<1>, i64
    // CHECK-NEXT: atom.relaxed.sys.global.exch.b32 %f{{.*}}, [%rd0], %f0;
    %r5 = llvm.atomicrmw xchg %g, %x monotonic : !llvm.ptr<1>, f32
    // CHECK-NEXT: atom.acq_rel.gpu.global.cas.b32 [[OLD:%r[0-9]+]], [%rd0], %r0, 7;
    // CHECK-NEXT: setp.eq.b32 [[SAME:%p[0-9]+]], [[OLD]], %r0;
    %seven = arith.constant 7 : i32
    %r6 = llvm.cmpxchg %g, %i, %seven syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32
    %same = llvm.extractvalue %r6[1] : !llvm.struct<(i32, i1)>
    // Nobody asks whether this one succeeded.
    // CHECK-NEXT: atom.acquire.sys.shared.cas.b32 [[O2:%r[0-9]+]], [%r{{.*}}], %r0, 7;
    // CHECK-NEXT: @[[SAME]] st.global.b32 [%rd0], [[O2]];
    %r7 = llvm.cmpxchg %p, %i, %seven monotonic acquire : !llvm.ptr<3>, i32
    %o2 = llvm.extractvalue %r7[0] : !llvm.struct<(i32, i1)>
    scf.if %same {
      llvm.store %o2, %g : i32, !llvm.ptr<1>
    }
    // CHECK-NEXT: fence.acq_rel.gpu;
    llvm.fence syncscope("device") acq_rel
    // CHECK-NEXT: fence.sc.sys;
    llvm.fence seq_cst
    // CHECK-NEXT: ld.acquire.gpu.global.b32 [[V:%r[0-9]+]], [%rd0];
    %v = llvm.load %g atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    // CHECK-NEXT: st.release.cluster.global.b32 [%rd0], [[V]];
    llvm.store %v, %g atomic syncscope("cluster") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
}
