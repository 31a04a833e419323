// RUN: croq-opt --lower-views %s | filecheck %s

// Ordered accesses, updates and fences become LLVM's, with its names of orders and scopes.
// CHECK: croq.kernel @orders
croq.kernel @orders (%g: !croq.tile<64xi32, global>, %f: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    // CHECK: [[LEADER:%.*]] = croq.elect
    // CHECK: [[F:%.*]] = croq.pointer %f
    // CHECK: [[G:%.*]] = croq.pointer %g
    // CHECK: croq.parallel
    croq.parallel (%t) in (64) : thread {
      // CHECK: [[P:%.*]] = llvm.getelementptr [[G]]
      // CHECK-NEXT: [[V:%.*]] = llvm.load [[P]] atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %v = croq.load %g[%t] order(acquire) scope(gpu)
      // CHECK-NEXT: [[OLD:%.*]] = llvm.atomicrmw umax [[P]], [[V]] syncscope("cluster") acq_rel : !llvm.ptr<1>, i32
      %old = croq.atomic umax %v, %g[%t] order(acq_rel) scope(cluster) -> i32
      // CHECK-NEXT: [[S:%.*]] = llvm.cmpxchg [[P]], [[V]], [[OLD]] syncscope("block") acq_rel acquire : !llvm.ptr<1>, i32
      // CHECK-NEXT: [[O2:%.*]] = llvm.extractvalue [[S]][0]
      %o2 = croq.atomic cas %v, %old, %g[%t] order(acq_rel) scope(cta) -> i32
      // CHECK-NEXT: llvm.store [[O2]], [[P]] atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      croq.store %o2, %g[%t] order(release) scope(sys)
      // CHECK-NEXT: llvm.store volatile [[O2]], [[P]] : i32, !llvm.ptr<1>
      croq.store %o2, %g[%t] order(volatile)
      // CHECK-NEXT: llvm.fence syncscope("device") acq_rel
      croq.fence order(acq_rel) scope(gpu)
      // CHECK-NEXT: llvm.fence seq_cst
      croq.fence order(sc) scope(sys)
    }
    // What the whole block updates once is updated by its elected thread.
    // CHECK: scf.if [[LEADER]] {
    // CHECK-NEXT: llvm.atomicrmw fadd [[F]], %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
    %x = arith.constant 1.0 : f32
    croq.atomic add %x, %f[0]
    // Neighbours are a vector.
    // CHECK: [[V1:%.*]] = llvm.insertelement %{{.*}}, %{{.*}}[%{{.*}} : i32] : vector<2xf32>
    // CHECK: [[V2:%.*]] = llvm.insertelement %{{.*}}, [[V1]][%{{.*}} : i32] : vector<2xf32>
    // CHECK: llvm.atomicrmw fadd %{{.*}}, [[V2]] syncscope("device") release : !llvm.ptr<1>, vector<2xf32>
    croq.parallel (%t) in (64) : thread {
      croq.atomic add (%x, %x), %f[%t] order(release) scope(gpu)
    }
  }
}
