// RUN: croq-opt --warp-specialize --split-input-file %s | filecheck %s
// RUN: croq-opt --warp-specialize{stages=3\ in_flight=1\ consumers=1\ consumer-registers=160} --split-input-file %s | filecheck %s --check-prefix=LATE
// RUN: croq-opt --warp-specialize --infer-layouts --select-engines --verify-sync=undecided=error --split-input-file %s -o %t

// A plain product. The buffers of the loop get four slots. The producer waits for an empty one
// and fills it by both copies; its loop carries no accumulator. The consumer first releases
// each slot, then waits for full ones. Everything but the loads is in the consumer.
//
// With one group of products in flight, an iteration releases the slot of the one before it,
// and the first iteration a credit that is not given before it.
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
  // CHECK-NEXT: croq.parallel ([[BM:%.*]], [[BN:%.*]]) in ({{%.*}}, {{%.*}}) : block {
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads 256 {
    // CHECK-NEXT: [[FULL:%.*]] = croq.event : !croq.event<4>
    // CHECK-NEXT: [[EMPTY:%.*]] = croq.event : !croq.event<4>
    // CHECK-NEXT: [[AS:%.*]] = croq.alloc : !croq.tile<4x128x64xf16, shared>
    // CHECK-NEXT: [[BS:%.*]] = croq.alloc : !croq.tile<4x64x64xf16, shared>
    // CHECK-NEXT: [[OS:%.*]] = croq.alloc : !croq.tile<128x64xf16, shared>
    %a_s = croq.alloc : !croq.tile<128x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %o_s = croq.alloc : !croq.tile<128x64xf16, shared>
    // CHECK-NEXT: croq.role "producer" warpgroups [0, 1) registers 40 {
    // CHECK-NEXT:   croq.foreach [[K:%.*]] in [[TRIPS]] {
    // CHECK-NEXT:     croq.wait [[EMPTY]] at [[K]]
    // CHECK-NEXT:     [[A:%.*]] = croq.slot [[AS]] at [[K]]
    // CHECK-NEXT:     [[B:%.*]] = croq.slot [[BS]] at [[K]]
    // CHECK-NEXT:     [[LHS:%.*]] = croq.subspan %lhs [128, 64] tile ([[BM]], [[K]])
    // CHECK-NEXT:     [[RHS:%.*]] = croq.subspan %rhs [64, 64] tile ([[BN]], [[K]])
    // CHECK-NEXT:     [[FA:%.*]] = croq.copy_async [[LHS]] => [[A]]
    // CHECK-NEXT:     [[FB:%.*]] = croq.copy_async [[RHS]] => [[B]]
    // CHECK-NEXT:     croq.trigger [[FULL]] at [[K]] after [[FA]], [[FB]]
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.role "consumer" warpgroups [1, 3) registers 232 {
    // CHECK-NEXT:   croq.foreach [[S:%.*]] in 4 {
    // CHECK-NEXT:     croq.trigger [[EMPTY]] at [[S]]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   [[ZERO:%.*]] = croq.mma.fill
    // CHECK-NEXT:   [[ACC:%.*]] = croq.foreach [[K:%.*]] in [[TRIPS]] iter([[C:%.*]] = [[ZERO]]) {
    // CHECK-NEXT:     croq.wait [[FULL]] at [[K]]
    // CHECK-NEXT:     [[A:%.*]] = croq.slot [[AS]] at [[K]]
    // CHECK-NEXT:     [[B:%.*]] = croq.slot [[BS]] at [[K]]
    // CHECK-NEXT:     [[C1:%.*]] = croq.mma.exec row.row [[C]], [[A]], [[B]]
    // CHECK-NEXT:     [[C2:%.*]] = croq.mma.commit [[C1]]
    // CHECK-NEXT:     [[C3:%.*]] = croq.mma.wait [[C2]] in_flight 0
    // CHECK-NEXT:     croq.trigger [[EMPTY]] at [[K]] + 4
    // CHECK-NEXT:     croq.yield [[C3]]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   croq.mma.store [[ACC]] => [[OS]]
    // CHECK-NEXT:   [[OUT:%.*]] = croq.subspan %out
    // CHECK-NEXT:   croq.copy [[OS]] => [[OUT]]
    // CHECK-NEXT: }
    // LATE: croq.role "producer" warpgroups [0, 1) registers 40 {
    // LATE: croq.role "consumer" warpgroups [1, 2) registers 160 {
    // LATE-NEXT:   croq.foreach [[S:%.*]] in 2 {
    // LATE-NEXT:     croq.trigger [[EMPTY:%.*]] at [[S]]
    // LATE-NEXT:   }
    // LATE:        [[ACC:%.*]] = croq.foreach [[K:%.*]] in
    // LATE:          [[C3:%.*]] = croq.mma.wait {{%.*}} in_flight 1
    // LATE-NEXT:     croq.trigger [[EMPTY]] at [[K]] + 2
    // LATE-NEXT:     croq.yield [[C3]]
    // LATE-NEXT:   }
    // LATE-NEXT:   [[ALL:%.*]] = croq.mma.wait [[ACC]] in_flight 0
    // LATE-NEXT:   croq.mma.store [[ALL]] =>
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

// A block of several tiles: the loop over them carries how many iterations there were, in
// both roles. Arithmetic goes where it is needed. The inner loop of other bounds counts from
// zero; its index is computed. Copies that are not known to suit TMA leave the registers
// of the producer alone.
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
    // CHECK: croq.role "producer" warpgroups [0, 1) {
    // CHECK:      [[COUNT:%.*]] = croq.foreach [[T:%.*]] in [[I:%.*]] to {{%.*}} step 4 iter([[BASE:%.*]] = [[Z:%.*]]) {
    // CHECK:        [[TRIPS:%.*]] = croq.cdiv {{%.*}}, 2
    // CHECK-NEXT:   croq.foreach [[J:%.*]] in [[TRIPS]] {
    // CHECK-NEXT:     [[ORDER:%.*]] = arith.addi [[BASE]], [[J]] : index
    // CHECK-NEXT:     croq.wait {{%.*}} at [[ORDER]]
    // CHECK:          [[TWICE:%.*]] = arith.muli [[J]], {{%.*}} : index
    // CHECK:          [[K:%.*]] = arith.addi [[TWICE]], {{%.*}} : index
    // CHECK-NEXT:     croq.subspan %lhs [128, 64] tile ([[T]], [[K]])
    // CHECK:          croq.trigger {{%.*}} at [[ORDER]] after
    // CHECK-NEXT:   }
    // CHECK-NEXT:   [[NEXT:%.*]] = arith.addi [[BASE]], [[TRIPS]] : index
    // CHECK-NEXT:   croq.yield [[NEXT]] : index
    // CHECK: croq.role "consumer" warpgroups [1, 3) {
    // CHECK:      croq.foreach [[T:%.*]] in [[I]] to {{%.*}} step 4 iter([[BASE:%.*]] = {{%.*}}) {
    // CHECK:        croq.foreach [[J:%.*]] in [[TRIPS:%.*]] iter(
    // CHECK-NEXT:     [[ORDER:%.*]] = arith.addi [[BASE]], [[J]] : index
    // CHECK-NEXT:     croq.wait {{%.*}} at [[ORDER]]
    // CHECK-NOT:      arith.muli
    // CHECK:          croq.trigger {{%.*}} at [[ORDER]] + 4
    // CHECK:        [[NEXT:%.*]] = arith.addi [[BASE]], [[TRIPS]] : index
    // CHECK:        croq.copy
    // CHECK-NEXT:   croq.yield [[NEXT]] : index
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

// Only blocks with such a loop change.
// CHECK: croq.kernel @copies
// CHECK-NOT: croq.role
// CHECK: croq.kernel @product
// CHECK: croq.role "producer"
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
    %acc = croq.foreach %k in 4 iter(%c = %z) {
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
