// RUN: croq-opt --pipeline-loop{stages=3} --split-input-file %s | filecheck %s
// RUN: croq-opt --pipeline-loop{stages=3} --infer-layouts --select-engines --verify-sync=undecided=error --insert-barriers --split-input-file %s | filecheck %s --check-prefix=MEET

// On a target without TMA the loads complete in groups, one for each iteration, two iterations
// ahead: one less than the slots. A group is closed also where nothing is left to be loaded.
// All barriers are there: the one of an iteration, that after the loop, so that the results may
// take the memory of the slots, and that before the results are stored.
builtin.module attributes {croq.target = "sm_80"} {
  // CHECK: croq.kernel @plain
  // MEET: croq.kernel @plain
  croq.kernel @plain dims(M, N, K) (
      %lhs: !croq.tile<[M]x[K]xf16, global>,
      %rhs: !croq.tile<[N]x[K]xf16, global>,
      %out: !croq.tile<[M]x[N]xf16, global>) {
    %m_tiles = croq.cdiv M, 64
    %n_tiles = croq.cdiv N, 64
    // CHECK: [[TRIPS:%.*]] = croq.cdiv K, 32
    %k_tiles = croq.cdiv K, 32
    croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block {
      // CHECK: [[AS:%.*]] = croq.alloc : !croq.tile<3x64x32xf16, shared>
      // CHECK-NEXT: [[BS:%.*]] = croq.alloc : !croq.tile<3x64x32xf16, shared>
      %a_s = croq.alloc : !croq.tile<64x32xf16, shared>
      %b_s = croq.alloc : !croq.tile<64x32xf16, shared>
      %o_s = croq.alloc : !croq.tile<64x64xf16, shared>
      // CHECK: croq.mma.fill
      %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
      // CHECK-NEXT: croq.foreach [[S:%.*]] in 2 {
      // CHECK-NEXT:   [[RUNS:%.*]] = arith.cmpi ult, [[S]], [[TRIPS]] : index
      // CHECK-NEXT:   scf.if [[RUNS]] {
      // CHECK-NEXT:     [[A0:%.*]] = croq.slot [[AS]] at [[S]]
      // CHECK-NEXT:     [[B0:%.*]] = croq.slot [[BS]] at [[S]]
      // CHECK:          croq.copy_async {{%.*}} => [[A0]]
      // CHECK-NEXT:     croq.copy_async {{%.*}} => [[B0]]
      // CHECK-NEXT:   }
      // CHECK-NEXT:   croq.commit_loads
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.foreach [[K:%.*]] in [[TRIPS]] iter
      // MEET: croq.await_loads in_flight 1
      // MEET-NEXT: croq.barrier
      // MEET: engine(cp_async)
      // MEET-NOT: croq.barrier
      // MEET: croq.yield
      // MEET: croq.await_loads in_flight 0
      // MEET-NEXT: croq.barrier
      // MEET-NEXT: croq.mma.store
      // MEET-NEXT: croq.subspan
      // MEET-NEXT: croq.barrier
      // MEET-NEXT: croq.copy
      %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
        // CHECK-NEXT: croq.await_loads in_flight 1
        // CHECK-NEXT: croq.barrier
        // CHECK-NEXT: [[TWO:%.*]] = arith.constant 2 : index
        // CHECK-NEXT: [[NEXT:%.*]] = arith.addi [[K]], [[TWO]] : index
        // CHECK-NEXT: [[MORE:%.*]] = arith.cmpi ult, [[NEXT]], [[TRIPS]] : index
        // CHECK-NEXT: scf.if [[MORE]] {
        // CHECK-NEXT:   croq.slot [[AS]] at [[NEXT]]
        // CHECK:        croq.copy_async
        // CHECK-NEXT:   croq.copy_async
        // CHECK-NEXT: }
        // CHECK-NEXT: croq.commit_loads
        // CHECK-NEXT: [[A:%.*]] = croq.slot [[AS]] at [[K]]
        // CHECK-NEXT: [[B:%.*]] = croq.slot [[BS]] at [[K]]
        // CHECK-NEXT: croq.mma.exec row.row {{%.*}}, [[A]], [[B]]
        %a = croq.subspan %lhs [64, 32] tile (%bm, %k)
        %b = croq.subspan %rhs [64, 32] tile (%bn, %k)
        croq.copy %a => %a_s
        croq.copy %b => %b_s
        %c1 = croq.mma.exec row.row %c, %a_s, %b_s
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<64x64xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [64, 64] tile (%bm, %bn)
      croq.copy %o_s => %o
    }
  }
}
