// RUN: croq-opt --lower-elementwise %s | filecheck %s

// A computation for each element becomes a loop over vectors: thread t makes every n-th from t on.

// The tiles allow vectors of four: 8 bytes of f16, 16 of f32. The vector of the row is read for each.
// CHECK-LABEL: croq.kernel @shared
// CHECK:         %thread = croq.thread_id
// CHECK:         [[END:%.*]] = arith.constant 128 : index
// CHECK-NEXT:    [[STEP:%.*]] = arith.constant 128 : index
// CHECK-NEXT:    scf.for [[V:%.*]] = %thread to [[END]] step [[STEP]] {
// CHECK:           [[P:%.*]] = croq.address %a[{{.*}}] : {{.*}}!llvm.ptr<3>
// CHECK-NEXT:      [[X:%.*]] = llvm.load [[P]] {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xf16>
// CHECK:           [[X0:%.*]] = llvm.extractelement [[X]][
// CHECK:           [[Q:%.*]] = croq.address %row[{{.*}}] : {{.*}}!llvm.ptr<3>
// CHECK-NEXT:      [[Y:%.*]] = llvm.load [[Q]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:           [[W0:%.*]] = arith.extf [[X0]] : f16 to f32
// CHECK-NEXT:      [[Z0:%.*]] = arith.addf [[W0]],
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:           [[R:%.*]] = croq.address %c[{{.*}}] : {{.*}}!llvm.ptr<3>
// CHECK:           llvm.insertelement [[Z0]],
// CHECK:           llvm.store %{{.*}}, [[R]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT:     croq.elementwise
croq.kernel @shared () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<16x32xf16, shared, row_major>
    %row = croq.alloc : !croq.tile<32xf32, shared, row_major>
    %c = croq.alloc : !croq.tile<16x32xf32, shared, row_major>
    croq.elementwise (%x = %a, %y = %row along [1]) => %c {
      %w = arith.extf %x : f16 to f32
      %z = arith.addf %w, %y : f32
      croq.yield %z : f32
    }
  }
}

// Of a tile that may overhang its argument a vector goes in one piece where it is all in range and
// aligned; else its elements go one by one.
// CHECK-LABEL: croq.kernel @ragged
// CHECK:         %aligned = arith.cmpi eq,
// CHECK:         scf.for
// CHECK:           scf.if %{{.*}} {
// CHECK:             llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               scf.if %{{.*}} {
// CHECK:                 [[X:%.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:                   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK:                 } else {
// CHECK:                   arith.constant 0.000000e+00 : f32
// CHECK:                 }
// CHECK:                 [[Y:%.*]] = arith.negf [[X]] : f32
// CHECK:                 llvm.store [[Y]], %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
croq.kernel @ragged dims(M, N) (%in: !croq.tile<[M]x[N]xf32, global>, %out: !croq.tile<[M]x[N]xf32, global>) attributes {explicit_barriers} {
  %m = croq.cdiv M, 8
  %n = croq.cdiv N, 64
  croq.parallel (%i, %j) in (%m, %n) : block threads 128 {
    %a = croq.subspan %in [8, 64] tile (%i, %j)
    %b = croq.subspan %out [8, 64] tile (%i, %j)
    croq.elementwise (%x = %a) => %b {
      %y = arith.negf %x : f32
      croq.yield %y : f32
    }
  }
}

// Indices of the element are those of the thread's vector, plus the lane.
// CHECK-LABEL: croq.kernel @positions
// CHECK:         scf.for
// CHECK:           arith.index_cast [[J:%.*]] : index to i32
// CHECK:           [[J1:%.*]] = arith.addi [[J]], %{{.*}} : index
// CHECK:           arith.index_cast [[J1]] : index to i32
croq.kernel @positions () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block threads 32 {
    %a = croq.alloc : !croq.tile<64x8xi32, shared, row_major>
    croq.elementwise () at (%i, %j) => %a {
      %y = arith.index_cast %j : index to i32
      croq.yield %y : i32
    }
  }
}

// Computations on accumulators are left to --lower-mma.
// CHECK-LABEL: croq.kernel @accumulators
// CHECK:         croq.elementwise (%{{.*}} = %acc) -> !croq.acc<64x16xf32>
croq.kernel @accumulators () attributes {explicit_barriers} {
  croq.parallel (%b) in (1) : block {
    %acc = croq.mma.fill 1.0 : !croq.acc<64x16xf32>
    %new = croq.elementwise (%x = %acc) -> !croq.acc<64x16xf32> {
      %y = arith.negf %x : f32
      croq.yield %y : f32
    }
  }
}
