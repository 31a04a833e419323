// RUN: croq-opt --split-consumers --split-input-file %s | filecheck %s
// RUN: croq-opt --split-consumers --infer-layouts --select-engines --verify-sync=undecided=error --split-input-file %s -o %t

// Two warpgroups that share 128 rows become two roles of 64 rows each. They take their rows
// of the first operand and of the output, and share the second operand. Each has a buffer of
// its own for its results; each releases every slot. The producer and the budgets stay.
// CHECK: croq.kernel @rows
croq.kernel @rows dims(M multiple_of 8, K multiple_of 8) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<64x[K]xf16, global>,
    %out: !croq.tile<[M]x64xf16, global>) {
  %k_tiles = croq.cdiv K, 64
  %m_tiles = croq.cdiv M, 128
  croq.parallel (%bm) in (%m_tiles) : block {
    %full = croq.event : !croq.event<3>
    %empty = croq.event : !croq.event<3>
    %a_s = croq.alloc : !croq.tile<3x128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<3x64x64xf16, shared>
    // CHECK:      [[A:%a_s]] = croq.alloc
    // CHECK-NEXT: [[B:%b_s]] = croq.alloc
    // CHECK-NEXT: [[O0:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    // CHECK-NEXT: [[O1:%.*]] = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %o_s = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    // CHECK-NEXT: croq.role "producer" warpgroups [0, 1) registers 40 {
    croq.role "producer" warpgroups [0, 1) registers 40 {
      croq.foreach %k in %k_tiles {
        croq.wait %empty at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
        %b = croq.subspan %rhs [64, 64] tile (0, %k)
        %fa = croq.copy_async %a => %as
        %fb = croq.copy_async %b => %bs
        croq.trigger %full at %k after %fa, %fb
      }
    }
    // CHECK:      croq.role "consumer0" warpgroups [1, 2) registers 232 {
    // CHECK-NEXT:   croq.foreach [[S:%.*]] in 3 {
    // CHECK-NEXT:     croq.trigger [[EMPTY:%empty]] at [[S]]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   [[ZERO:%.*]] = croq.mma.fill 0.000000e+00 : !croq.acc<64x64xf32>
    // CHECK-NEXT:   [[ACC:%.*]] = croq.foreach [[K:%.*]] in %k_tiles iter([[C:%.*]] = [[ZERO]]) {
    // CHECK-NEXT:     croq.wait [[FULL:%full]] at [[K]]
    // CHECK-NEXT:     [[AS:%.*]] = croq.slot [[A]] at [[K]]
    // CHECK-NEXT:     [[BS:%.*]] = croq.slot [[B]] at [[K]]
    // CHECK-NEXT:     [[ROWS:%.*]] = croq.chunkat [[AS]] [2, _] at (0, _)
    // CHECK-NEXT:     [[C1:%.*]] = croq.mma.exec row.row [[C]], [[ROWS]], [[BS]]
    // CHECK-NEXT:     [[C2:%.*]] = croq.mma.commit [[C1]]
    // CHECK-NEXT:     [[C3:%.*]] = croq.mma.wait [[C2]] in_flight 0
    // CHECK-NEXT:     croq.trigger [[EMPTY]] at [[K]] + 3
    // CHECK-NEXT:     croq.yield [[C3]] : !croq.acc<64x64xf32>
    // CHECK-NEXT:   }
    // CHECK-NEXT:   croq.mma.store [[ACC]] => [[O0]]
    // CHECK-NEXT:   [[O:%.*]] = croq.subspan %out [128, 64] tile (%bm, 0)
    // CHECK-NEXT:   [[ROWS:%.*]] = croq.chunkat [[O]] [2, _] at (0, _)
    // CHECK-NEXT:   croq.copy [[O0]] => [[ROWS]]
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.role "consumer1" warpgroups [2, 3) registers 232 {
    // CHECK:          croq.trigger [[EMPTY]] at
    // CHECK:          croq.wait [[FULL]] at [[K:%.*]]
    // CHECK-NEXT:     [[AS:%.*]] = croq.slot [[A]] at [[K]]
    // CHECK-NEXT:     [[BS:%.*]] = croq.slot [[B]] at [[K]]
    // CHECK-NEXT:     [[ROWS:%.*]] = croq.chunkat [[AS]] [2, _] at (1, _)
    // CHECK-NEXT:     croq.mma.exec row.row {{%.*}}, [[ROWS]], [[BS]]
    // CHECK:          croq.trigger [[EMPTY]] at [[K]] + 3
    // CHECK:        croq.mma.store {{%.*}} => [[O1]]
    // CHECK-NEXT:   [[O:%.*]] = croq.subspan %out [128, 64] tile (%bm, 0)
    // CHECK-NEXT:   [[ROWS:%.*]] = croq.chunkat [[O]] [2, _] at (1, _)
    // CHECK-NEXT:   croq.copy [[O1]] => [[ROWS]]
    // CHECK-NEXT: }
    // CHECK-NOT:  croq.role
    croq.role "consumer" warpgroups [1, 3) registers 232 {
      croq.foreach %s in 3 {
        croq.trigger %empty at %s
      }
      %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
      %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
        croq.wait %full at %k
        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1 = croq.mma.exec row.row %c, %as, %bs
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.trigger %empty at %k + 3
        croq.yield %c3 : !croq.acc<128x64xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [128, 64] tile (%bm, 0)
      croq.copy %o_s => %o
    }
  }
}

// -----

// An operand that is stored as K x M is divided along its other dim. Three warpgroups, two
// accumulators: each has a buffer, and the results of a conditional are divided too.
// CHECK: croq.kernel @columns
croq.kernel @columns (
    %lhs: !croq.tile<64x192xf16, global>, %rhs: !croq.tile<64x64xf16, global>,
    %sums: !croq.tile<192x64xf16, global>, %raw: !croq.tile<192x64xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %i, %c0 : index
    %loaded = croq.event : !croq.event<1>
    %a = croq.alloc : !croq.tile<64x192xf16, shared>
    %b = croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-COUNT-3: croq.alloc : !croq.tile<64x64xf16, shared>
    // CHECK-COUNT-3: croq.alloc : !croq.tile<64x64xf32, shared>
    %s = croq.alloc : !croq.tile<192x64xf16, shared>
    %r = croq.alloc : !croq.tile<192x64xf32, shared>
    // CHECK: croq.role "all0" warpgroups [0, 1) {
    // CHECK:   [[ROWS:%.*]] = croq.chunkat %a [_, 3] at (_, 0)
    // CHECK:   croq.mma.exec col.row {{%.*}}, [[ROWS]], %b
    // CHECK:   scf.if {{.*}} -> (!croq.acc<64x64xf32>)
    // CHECK: croq.role "all1" warpgroups [1, 2) {
    // CHECK:   [[ROWS:%.*]] = croq.chunkat %a [_, 3] at (_, 1)
    // CHECK:   croq.mma.exec col.row {{%.*}}, [[ROWS]], %b
    // CHECK: croq.role "all2" warpgroups [2, 3) {
    // CHECK:   [[ROWS:%.*]] = croq.chunkat %a [_, 3] at (_, 2)
    // CHECK:   croq.mma.exec col.row {{%.*}}, [[ROWS]], %b
    // CHECK: croq.role "loader" warpgroups [3, 4) {
    croq.role "all" warpgroups [0, 3) {
      %z = croq.mma.fill 0.0 : !croq.acc<192x64xf32>
      %y = croq.mma.fill 1.5 : !croq.acc<192x64xf32>
      croq.wait %loaded[0]
      %c1 = croq.mma.exec col.row %z, %a, %b
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      %d = scf.if %first -> (!croq.acc<192x64xf32>) {
        scf.yield %c3 : !croq.acc<192x64xf32>
      } else {
        scf.yield %y : !croq.acc<192x64xf32>
      }
      croq.mma.store %d => %s
      croq.mma.store %y => %r
      croq.copy %s => %sums
      croq.copy %r => %raw
    }
    croq.role "loader" warpgroups [3, 4) {
      %fa = croq.copy_async %lhs => %a
      %fb = croq.copy_async %rhs => %b
      croq.trigger %loaded[0] after %fa, %fb
    }
  }
}

// -----

// Only such roles change: one of a single warpgroup and one that only copies stay.
// CHECK: croq.kernel @others
croq.kernel @others (%x: !croq.tile<128x64xf16, global>, %y: !croq.tile<128x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %u = croq.alloc : !croq.tile<128x64xf16, shared>
    %b = croq.chunkat %t [2, _] at (0, _)
    croq.copy %x => %t
    // CHECK: croq.role "copies" warpgroups [0, 2) {
    croq.role "copies" warpgroups [0, 2) {
      croq.copy %x => %u
      croq.copy %u => %y
    }
    // CHECK: croq.role "one" warpgroups [2, 3) {
    croq.role "one" warpgroups [2, 3) {
      %z = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      %c1 = croq.mma.exec row.row %z, %b, %b
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
    }
    // CHECK: croq.role "two0" warpgroups [3, 4) {
    // CHECK:   !croq.acc<64x64xf16>
    // CHECK: croq.role "two1" warpgroups [4, 5) {
    // CHECK:   !croq.acc<64x64xf16>
    croq.role "two" warpgroups [3, 5) {
      %z = croq.mma.fill 0.0 : !croq.acc<128x64xf16>
      %c1 = croq.mma.exec row.row %z, %t, %b
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
    }
  }
}
