// RUN: croq-opt --expand-events %s | filecheck %s

// An array of two dims is a ring, the last index of which is the fastest.
// CHECK: croq.kernel @array
croq.kernel @array (%n: index) {
  croq.parallel (%b) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event ready : !croq.event<6>
    %e = croq.event ready : !croq.event<2x3>
    // CHECK-NEXT: croq.wait [[E]][5]
    croq.wait %e[1, 2]
    // CHECK-NEXT: [[THREE:%.*]] = arith.constant 3 : index
    // CHECK-NEXT: [[ROW:%.*]] = arith.muli %n, [[THREE]] : index
    // CHECK-NEXT: [[TWO:%.*]] = arith.constant 2 : index
    // CHECK-NEXT: [[AT:%.*]] = arith.addi [[ROW]], [[TWO]] : index
    // CHECK-NEXT: croq.trigger [[E]][[[AT]]]
    croq.trigger %e[%n, 2]
    // Orders count slots as they are.
    // CHECK-NEXT: croq.trigger [[E]] at %n + 6
    croq.trigger %e at %n + 6
    // CHECK: [[G:%.*]] = croq.event : !croq.event<4, grid>
    %g = croq.event : !croq.event<2x2, grid>
    croq.trigger %g at 3
  }
}

// Ops on all slots are one for each.
// CHECK: croq.kernel @all
croq.kernel @all () {
  croq.parallel (%b) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<3>
    %e = croq.event : !croq.event<3>
    // CHECK-NEXT: croq.trigger [[E]][0] {note}
    // CHECK-NEXT: croq.trigger [[E]][1] {note}
    // CHECK-NEXT: croq.trigger [[E]][2] {note}
    croq.trigger %e {note}
    // CHECK-NEXT: croq.wait [[E]][0]
    // CHECK-NEXT: croq.wait [[E]][1]
    // CHECK-NEXT: croq.wait [[E]][2]
    croq.wait %e all
  }
}

// Those of the grid are no mbarriers, which bound the slots of the others.
// CHECK: croq.kernel @many
croq.kernel @many () {
  croq.parallel (%b) in (4) : block {
    // CHECK: [[E:%.*]] = croq.event : !croq.event<2048, grid>
    %e = croq.event : !croq.event<2x1024, grid>
    // CHECK-NEXT: croq.trigger [[E]][1024]
    croq.trigger %e[1, 0]
  }
}
