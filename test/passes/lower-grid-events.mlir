// RUN: croq-opt --lower-grid-events %s | filecheck %s
// RUN: croq-opt --croq-to-ptx %s | filecheck %s --check-prefix=PLAN

// One ring of two slots for all blocks: element 0 of the workspace is for barriers, 1 counts scopes that
// have ended, 2 and 3 count arrivals.
// PLAN: ptx.entry @pass
// PLAN-SAME: kind = "workspace", bytes = 16
// PLAN-SAME: cooperative = true
// CHECK: croq.kernel @pass
// CHECK-SAME: attributes {cooperative}
// CHECK-NEXT: [[COUNTS:%.*]] = croq.workspace : !croq.tile<4xi32, global>
croq.kernel @pass dims(B, N) () {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 64 {
    // CHECK: [[LEADER:%.*]] = croq.elect
    %e = croq.event arrivals 3 : !croq.event<2, grid>
    croq.foreach %i in N {
      // The leader adds 1 for all threads, which have come to the barrier.
      // CHECK: [[SLOT:%.*]] = arith.andi %i, {{%.*}} : index
      // CHECK: [[AT:%.*]] = arith.addi [[SLOT]], {{%.*}} : index
      // CHECK-NEXT: croq.barrier
      // CHECK-NEXT: scf.if [[LEADER]] {
      // CHECK: croq.atomic add {{%.*}}, [[COUNTS]][[[AT]]] order(release) scope(gpu)
      croq.trigger %e at %i
      // Generation g is complete with 3 (g + 1) arrivals.
      // CHECK: [[G:%.*]] = arith.shrui %i, {{%.*}} : index
      // CHECK: [[NEXT:%.*]] = arith.addi [[G]], {{%.*}} : index
      // CHECK: [[N:%.*]] = arith.index_cast [[NEXT]] : index to i32
      // CHECK: [[ENOUGH:%.*]] = arith.muli [[N]], {{%.*}} : i32
      // CHECK-NEXT: scf.if [[LEADER]] {
      // CHECK-NEXT: scf.while
      // CHECK-NEXT: [[NOW:%.*]] = croq.load [[COUNTS]][{{%.*}}] order(acquire) scope(gpu)
      // CHECK-NEXT: [[MISSING:%.*]] = arith.subi [[NOW]], [[ENOUGH]] : i32
      // CHECK: [[AGAIN:%.*]] = arith.cmpi slt, [[MISSING]], {{%.*}} : i32
      // CHECK-NEXT: scf.condition([[AGAIN]])
      // CHECK: croq.barrier{{$}}
      croq.wait %e at %i
    }
    // The last block puts all but the count of barriers back to 0.
    // CHECK: }
    // CHECK-NEXT: scf.if [[LEADER]] {
    // CHECK: [[ENDED:%.*]] = croq.atomic add {{%.*}}, [[COUNTS]][1] order(acq_rel) scope(gpu) -> i32
    // CHECK: [[LAST:%.*]] = arith.cmpi eq, [[ENDED]], {{%.*}} : i32
    // CHECK-NEXT: scf.if [[LAST]] {
    // CHECK: scf.for [[I:%.*]] =
    // CHECK: croq.store {{%.*}}, [[COUNTS]][[[I]]] order(relaxed) scope(gpu)
  }
}

// Where no block waits they need not run at once; a ready event has generation 0 from the start. Both
// roles count themselves when they end.
// PLAN: ptx.entry @signal
// PLAN-NOT: cooperative
// CHECK: croq.kernel @signal
// CHECK-NOT: cooperative
croq.kernel @signal () {
  croq.parallel (%b) in (4) : block {
    // CHECK: croq.role "one" warps [0, 1) {
    %e = croq.event : !croq.event<1, grid>
    croq.role "one" warps [0, 1) {
      // CHECK: croq.atomic add {{%.*}}, {{%.*}}[{{%.*}}] order(release) scope(gpu)
      croq.trigger %e[0]
      // CHECK: croq.atomic add {{%.*}}, {{%.*}}[1] order(acq_rel) scope(gpu) -> i32
    }
    // CHECK: croq.role "two" warps [1, 2) {
    croq.role "two" warps [1, 2) {
      croq.trigger %e at 0
      // CHECK: croq.atomic add {{%.*}}, {{%.*}}[1] order(acq_rel) scope(gpu) -> i32
      // CHECK: arith.constant 7 : i32
    }
  }
}

// An event that nothing uses needs no workspace.
// PLAN: ptx.entry @unused
// PLAN-NOT: kind = "workspace"
// CHECK: croq.kernel @unused
// CHECK-NEXT: croq.parallel
// CHECK-NOT: croq.event
croq.kernel @unused (%x: !croq.tile<64xi32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %e = croq.event arrivals 1 : !croq.event<2, grid>
    croq.parallel (%t) in (64) : thread {
      %one = arith.constant 1 : i32
      croq.store %one, %x[%t]
    }
  }
}
