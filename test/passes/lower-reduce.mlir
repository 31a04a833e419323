// RUN: croq-opt --lower-reduce %s | filecheck %s

// Four groups of 32 threads, 16 rounds: a thread combines every 32nd element, shuffles the rest.
// CHECK-LABEL: croq.kernel @rows
// CHECK:         %thread = croq.thread_id
// CHECK:         [[MEMBER:%.*]] = arith.andi %thread, %{{.*}} : index
// CHECK:         [[GROUP:%.*]] = arith.shrui %thread, %{{.*}} : index
// CHECK:         scf.for [[ROUND:%.*]] =
// CHECK:           [[ROW:%.*]] = arith.addi %{{.*}}, [[GROUP]] : index
// CHECK:           [[ZERO:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK:           [[OWN:%.*]] = scf.for [[K:%.*]] = [[MEMBER]] to {{.*}} iter_args([[S:%.*]] = [[ZERO]]) -> (f32) {
// CHECK:             [[P:%.*]] = croq.address %a[[[ROW]], [[K]]]
// CHECK-NEXT:        [[X:%.*]] = llvm.load [[P]] {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK-NEXT:        [[T:%.*]] = arith.addf [[S]], [[X]] : f32
// CHECK-NEXT:        scf.yield [[T]] : f32
// CHECK:           [[FAR:%.*]] = nvvm.shfl.sync bfly %{{.*}}, [[OWN]], %{{.*}}, %{{.*}} : f32 -> f32
// CHECK-NEXT:      arith.addf [[OWN]], [[FAR]] : f32
// CHECK-COUNT-4:   nvvm.shfl.sync bfly
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           [[LEADS:%.*]] = arith.cmpi eq, [[MEMBER]], %{{.*}} : index
// CHECK-NEXT:      scf.if [[LEADS]] {
// CHECK-NEXT:        [[Q:%.*]] = croq.address %v[[[ROW]]]
// CHECK-NEXT:        llvm.store %{{.*}}, [[Q]] {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NOT:     croq.barrier
croq.kernel @rows () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<64x64xf32, shared, row_major>
    %v = croq.alloc : !croq.tile<64xf32, shared, row_major>
    croq.reduce add %a dim 1 => %v
  }
}

// One row for all 128 threads: their warps meet in shared memory. f16 is combined in f32.
// CHECK-LABEL: croq.kernel @vector
// CHECK:         %partials = croq.alloc : !croq.tile<4xf32, shared, row_major>
// CHECK:         arith.constant 0xff800000 : f32
// CHECK:         arith.extf
// CHECK-NEXT:    arith.maxnumf
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         scf.if
// CHECK:           croq.store %{{.*}}, %partials
// CHECK:         croq.barrier
// CHECK:         scf.if
// CHECK-COUNT-3:   croq.load %partials
// CHECK:           arith.truncf
// CHECK:           llvm.store %{{.*}} : f16, !llvm.ptr<3>
// CHECK-NOT:     croq.barrier
croq.kernel @vector () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<1000xf16, shared, row_major>
    %v = croq.alloc : !croq.tile<1xf16, shared, row_major>
    croq.reduce max %a dim 0 => %v
  }
}

// In a loop they meet once more, before they write there again.
// CHECK-LABEL: croq.kernel @rounds
// CHECK:         croq.foreach
// CHECK:           croq.barrier
// CHECK-NEXT:      scf.if
// CHECK:             croq.store %{{.*}}, %partials
// CHECK:           croq.barrier
// CHECK:             croq.load %partials
// CHECK-NOT:       croq.barrier
croq.kernel @rounds () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<1000xf32, shared, row_major>
    %v = croq.alloc : !croq.tile<1xf32, shared, row_major>
    croq.foreach %i in 4 {
      croq.reduce max %a dim 0 => %v
    }
  }
}

// Along another dim than the inner one a thread has all elements; the second round is not full.
// CHECK-LABEL: croq.kernel @columns
// CHECK:         scf.for
// CHECK:           [[EXISTS:%.*]] = arith.cmpi ult,
// CHECK-NEXT:      scf.if [[EXISTS]] -> (i32) {
// CHECK:             scf.for
// CHECK:               arith.minsi
// CHECK:           } else {
// CHECK-NEXT:        arith.constant 2147483647 : i32
// CHECK:           scf.if [[EXISTS]] {
// CHECK:             llvm.store
// CHECK-NOT:       nvvm.shfl
croq.kernel @columns () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 32 {
    %a = croq.alloc : !croq.tile<8x40xi32, shared, row_major>
    %v = croq.alloc : !croq.tile<40xi32, shared, row_major>
    croq.reduce min %a dim 0 => %v
  }
}
