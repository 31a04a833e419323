// RUN: croq-opt --pipeline-loop --split-input-file %s | filecheck %s
// RUN: croq-opt --pipeline-loop{stages=3\ in_flight=1} --split-input-file %s | filecheck %s --check-prefix=LATE
// RUN: croq-opt --pipeline-loop --infer-layouts --select-engines --verify-sync=undecided=error --insert-barriers --split-input-file %s | filecheck %s --check-prefix=MEET
// RUN: croq-opt --pipeline-loop{stages=3\ in_flight=1} --infer-layouts --select-engines --verify-sync=undecided=error --split-input-file %s -o %t

// A plain product. The buffers of the loop get four slots. Before the loop the first four
// iterations are loaded, if there are so many. Each iteration waits for what was loaded for
// it, and after its products loads for the fourth one after it into the slot that was read.
// The copies have engines: how many arrivals complete a generation rests on them.
//
// With one group of products in flight it is the slot of the iteration before that is free:
// of three slots, two are loaded ahead.
//
// Nothing in the IR says that all threads have read the slot. One barrier does, which only
// iterations that load come to.
// CHECK: croq.kernel @plain
croq.kernel @plain dims(M, N multiple_of 8, K multiple_of 8) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {
  // CHECK-NEXT: croq.cdiv
  %m_tiles = croq.cdiv M, 128
  // CHECK-NEXT: croq.cdiv
  %n_tiles = croq.cdiv N, 64
  // CHECK-NEXT: [[TRIPS:%.*]] = croq.cdiv K, 64
  %k_tiles = croq.cdiv K, 64
  // CHECK-NEXT: croq.parallel ([[BM:%.*]], [[BN:%.*]]) in ({{%.*}}, {{%.*}}) : block threads 256 {
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    // CHECK-NEXT: [[FULL:%.*]] = croq.event arrivals 1 : !croq.event<4>
    // CHECK-NEXT: [[AS:%.*]] = croq.alloc : !croq.tile<4x128x64xf16, shared>
    // CHECK-NEXT: [[BS:%.*]] = croq.alloc : !croq.tile<4x64x64xf16, shared>
    // CHECK-NEXT: [[OS:%.*]] = croq.alloc : !croq.tile<128x64xf16, shared>
    %a_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x64xf16, shared>
    // CHECK-NEXT: [[ZERO:%.*]] = croq.mma.fill
    // CHECK-NEXT: [[FOUR:%.*]] = arith.constant 4 : index
    // CHECK-NEXT: [[FIRST:%.*]] = arith.minui [[FOUR]], [[TRIPS]] : index
    // CHECK-NEXT: croq.foreach [[K:%.*]] in [[FIRST]] {
    // CHECK-NEXT:   [[A:%.*]] = croq.slot [[AS]] at [[K]]
    // CHECK-NEXT:   [[B:%.*]] = croq.slot [[BS]] at [[K]]
    // CHECK-NEXT:   [[LHS:%.*]] = croq.subspan %lhs [128, 64] tile ([[BM]], [[K]])
    // CHECK-NEXT:   [[RHS:%.*]] = croq.subspan %rhs [64, 64] tile ([[BN]], [[K]])
    // CHECK-NEXT:   [[FA:%.*]] = croq.copy_async [[LHS]] => [[A]] engine(tma)
    // CHECK-NEXT:   [[FB:%.*]] = croq.copy_async [[RHS]] => [[B]] engine(tma)
    // CHECK-NEXT:   croq.trigger [[FULL]] at [[K]] after [[FA]], [[FB]]
    // CHECK-NEXT: }
    // CHECK-NEXT: [[ACC:%.*]] = croq.foreach [[K:%.*]] in [[TRIPS]] iter([[C:%.*]] = [[ZERO]]) {
    // CHECK-NEXT:   croq.wait [[FULL]] at [[K]]
    // CHECK-NEXT:   [[A:%.*]] = croq.slot [[AS]] at [[K]]
    // CHECK-NEXT:   [[B:%.*]] = croq.slot [[BS]] at [[K]]
    // CHECK-NEXT:   [[C1:%.*]] = croq.mma.exec row.row [[C]], [[A]], [[B]]
    // CHECK-NEXT:   [[C2:%.*]] = croq.mma.commit [[C1]]
    // CHECK-NEXT:   [[C3:%.*]] = croq.mma.wait [[C2]] in_flight 0
    // CHECK-NEXT:   [[FOUR:%.*]] = arith.constant 4 : index
    // CHECK-NEXT:   [[AHEAD:%.*]] = arith.addi [[K]], [[FOUR]] : index
    // CHECK-NEXT:   [[MORE:%.*]] = arith.cmpi ult, [[AHEAD]], [[TRIPS]] : index
    // CHECK-NEXT:   scf.if [[MORE]] {
    // CHECK-NEXT:     [[A:%.*]] = croq.slot [[AS]] at [[AHEAD]]
    // CHECK-NEXT:     [[B:%.*]] = croq.slot [[BS]] at [[AHEAD]]
    // CHECK-NEXT:     [[LHS:%.*]] = croq.subspan %lhs [128, 64] tile ([[BM]], [[AHEAD]])
    // CHECK-NEXT:     [[RHS:%.*]] = croq.subspan %rhs [64, 64] tile ([[BN]], [[AHEAD]])
    // CHECK-NEXT:     [[FA:%.*]] = croq.copy_async [[LHS]] => [[A]] engine(tma)
    // CHECK-NEXT:     [[FB:%.*]] = croq.copy_async [[RHS]] => [[B]] engine(tma)
    // CHECK-NEXT:     croq.trigger [[FULL]] at [[AHEAD]] after [[FA]], [[FB]]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   croq.yield [[C3]]
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.mma.store [[ACC]] => [[OS]]
    // LATE:      [[TWO:%.*]] = arith.constant 2 : index
    // LATE-NEXT: [[FIRST:%.*]] = arith.minui [[TWO]], {{%.*}} : index
    // LATE-NEXT: croq.foreach {{%.*}} in [[FIRST]] {
    // LATE:      [[ACC:%.*]] = croq.foreach [[K:%.*]] in {{%.*}} iter(
    // LATE:        [[C3:%.*]] = croq.mma.wait {{%.*}} in_flight 1
    // LATE-NEXT:   [[TWO:%.*]] = arith.constant 2 : index
    // LATE-NEXT:   [[AHEAD:%.*]] = arith.addi [[K]], [[TWO]] : index
    // LATE:        croq.slot {{%.*}} at [[AHEAD]]
    // LATE:        croq.yield [[C3]]
    // LATE-NEXT: }
    // LATE-NEXT: [[ALL:%.*]] = croq.mma.wait [[ACC]] in_flight 0
    // LATE-NEXT: croq.mma.store [[ALL]] =>
    // MEET: croq.kernel @plain
    // MEET-NOT: croq.barrier
    // MEET: scf.if
    // MEET:   croq.barrier
    // MEET-NEXT: croq.copy_async
    // MEET-NOT: croq.barrier
    // MEET: croq.mma.store
    %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {
      %a = croq.subspan %lhs [128, 64] tile (%bm, %k)
      %b = croq.subspan %rhs [64, 64] tile (%bn, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x64xf32>
    }
    croq.mma.store %acc => %o_s
    %o = croq.subspan %out [128, 64] tile (%bm, %bn)
    croq.copy %o_s => %o
  }
}

// -----

// A block of several tiles: the loop over them carries how many iterations there were. The
// inner loop of other bounds counts from zero; the index is computed, for the loads from the
// number of the iteration that they are for. Copies that are not known to suit TMA are
// asynchronous, too; each thread arrives for what it has copied.
// CHECK: croq.kernel @tiles
croq.kernel @tiles dims(M, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<64x[K]xf16, global>,
    %out: !croq.tile<[M]x64xf16, global>) {
  croq.parallel (%i) in (4) : block {
    %m_tiles = croq.cdiv M, 128
    %k_tiles = croq.cdiv K, 64
    %a_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x64xf16, shared>
    // CHECK: [[FULL:%.*]] = croq.event arrivals 128 : !croq.event<4>
    // CHECK: croq.foreach [[T:%.*]] in {{%.*}} to {{%.*}} step 4 iter([[BASE:%.*]] = {{%.*}}) {
    // CHECK:        [[TRIPS:%.*]] = croq.cdiv {{%.*}}, 2
    // CHECK:        [[FIRST:%.*]] = arith.minui {{%.*}}, [[TRIPS]] : index
    // CHECK-NEXT:   croq.foreach [[J:%.*]] in [[FIRST]] {
    // CHECK-NEXT:     [[ORDER:%.*]] = arith.addi [[BASE]], [[J]] : index
    // CHECK-NEXT:     croq.slot {{%.*}} at [[ORDER]]
    // CHECK-NEXT:     croq.slot {{%.*}} at [[ORDER]]
    // CHECK:          [[TWICE:%.*]] = arith.muli [[J]], {{%.*}} : index
    // CHECK:          [[K:%.*]] = arith.addi [[TWICE]], {{%.*}} : index
    // CHECK-NEXT:     croq.subspan %lhs [128, 64] tile ([[T]], [[K]])
    // CHECK:          croq.copy_async {{%.*}} => {{%.*}} engine(threads)
    // CHECK:          croq.trigger [[FULL]] at [[ORDER]] after
    // CHECK-NEXT:   }
    // CHECK-NEXT:   croq.foreach [[J:%.*]] in [[TRIPS]] iter(
    // CHECK-NEXT:     [[ORDER:%.*]] = arith.addi [[BASE]], [[J]] : index
    // CHECK-NEXT:     croq.wait [[FULL]] at [[ORDER]]
    // CHECK-NOT:      arith.muli
    // CHECK:          croq.mma.wait
    // CHECK:          [[AHEAD:%.*]] = arith.addi [[J]], {{%.*}} : index
    // CHECK-NEXT:     [[MORE:%.*]] = arith.cmpi ult, [[AHEAD]], [[TRIPS]] : index
    // CHECK-NEXT:     scf.if [[MORE]] {
    // CHECK-NEXT:       [[ORDER:%.*]] = arith.addi [[BASE]], [[AHEAD]] : index
    // CHECK-NEXT:       croq.slot {{%.*}} at [[ORDER]]
    // CHECK:            [[TWICE:%.*]] = arith.muli [[AHEAD]], {{%.*}} : index
    // CHECK:            croq.trigger [[FULL]] at [[ORDER]] after
    // CHECK:        [[NEXT:%.*]] = arith.addi [[BASE]], [[TRIPS]] : index
    // CHECK:        croq.copy
    // CHECK-NEXT:   croq.yield [[NEXT]] : index
    // MEET: croq.kernel @tiles
    // MEET: scf.if
    // MEET:   croq.barrier
    // MEET-NEXT: croq.copy_async
    // MEET-NOT: croq.barrier
    // MEET:   croq.yield
    croq.foreach %t in %i to %m_tiles step 4 {
      %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
      %acc = croq.foreach %k in 1 to %k_tiles step 2 iter(%c = %zero) {
        %a = croq.subspan %lhs [128, 64] tile (%t, %k)
        %b = croq.subspan %rhs [64, 64] tile (0, %k)
        croq.copy %a => %a_s
        croq.copy %b => %b_s
        %c1 = croq.mma.exec row.row %c, %a_s, %b_s
        %c2 = croq.mma.commit %c1
        %c3 = croq.mma.wait %c2 in_flight 0
        croq.yield %c3 : !croq.acc<128x64xf32>
      }
      croq.mma.store %acc => %o_s
      %o = croq.subspan %out [128, 64] tile (%t, 0)
      croq.copy %o_s => %o
    }
  }
}

// -----

// Only blocks with such a loop change. When all iterations are loaded before the loop none
// of them loads.
// CHECK: croq.kernel @copies
// CHECK-NOT: croq.event
// CHECK: croq.kernel @product
// CHECK: croq.event
// CHECK: croq.foreach {{%.*}} in 3 {
// CHECK: croq.foreach {{%.*}} in 3 iter(
// CHECK-NOT: scf.if
// CHECK: croq.copy
croq.kernel @copies (%x: !croq.tile<64x64xf16, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<64x64xf16, shared>
    croq.foreach %k in 4 {
      croq.copy %x => %t
    }
  }
}
croq.kernel @product (%x: !croq.tile<128x64xf16, global>, %y: !croq.tile<128x128xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %t = croq.alloc : !croq.tile<128x64xf16, shared>
    %o = croq.alloc : !croq.tile<128x128xf32, shared>
    %z = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %acc = croq.foreach %k in 3 iter(%c = %z) {
      croq.copy %x => %t
      %c1 = croq.mma.exec row.row %c, %t, %t
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<128x128xf32>
    }
    croq.mma.store %acc => %o
    croq.copy %o => %y
  }
}
