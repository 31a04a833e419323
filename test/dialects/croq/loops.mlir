// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Loops and the arithmetic of their bounds.

// CHECK:       croq.kernel @loops dims(M) params(S = 4) (
croq.kernel @loops dims(M) params(S = 4) (%n: index, %x: f32) {
  // CHECK-NEXT:  [[C0:%.*]] = croq.cdiv M, 128
  // GENERIC:     "croq.cdiv"() <{static_values = ["M", 128 : index]}> : () -> index
  %c0 = croq.cdiv M, 128
  // CHECK-NEXT:  [[C1:%.*]] = croq.cdiv [[C0]], [[N:%.*]]
  // GENERIC:     "croq.cdiv"({{%.*}}, {{%.*}}) <{static_values = [unit, unit]}> : (index, index) -> index
  %c1 = croq.cdiv %c0, %n
  // CHECK-NEXT:  croq.cdiv S, M {note}
  %c2 = croq.cdiv S, M {note}
  // CHECK-NEXT:  croq.dim M
  // GENERIC:     "croq.dim"() <{dim = "M"}> : () -> index
  %d0 = croq.dim M
  // CHECK-NEXT:  croq.dim S {note}
  %d1 = croq.dim S {note}
  // CHECK-NEXT:  croq.parallel ([[B:%.*]]) in (1) : block {
  croq.parallel (%b) in (1) : block {
    // CHECK-NEXT:  croq.foreach {{%.*}} in S {
    // CHECK-NEXT:  }
    // GENERIC:     "croq.foreach"() <{static_bounds = [0 : index, "S", 1 : index], operandSegmentSizes = array<i32: 0, 0>}> ({
    // GENERIC:       "croq.yield"() : () -> ()
    croq.foreach %i in S {
    }
    // CHECK-NEXT:  croq.foreach {{%.*}} in 1 to 8 unroll {
    // CHECK-NEXT:  }
    // GENERIC:     "croq.foreach"() <{static_bounds = [1 : index, 8 : index, 1 : index], unroll,
    croq.foreach %i in 1 to 8 unroll {
    }
    // CHECK-NEXT:  croq.foreach {{%.*}} in 8 step 3 attributes {note} {
    // CHECK-NEXT:  }
    croq.foreach %i in 8 step 3 attributes {note} {
    }
    // CHECK-NEXT:  {{%.*}}, [[SUM:%.*]] = croq.foreach [[I:%.*]] in [[N]] to [[C0]] step S iter([[A:%.*]] = [[N]], [[E:%.*]] = [[X:%.*]]) {
    // CHECK-NEXT:    [[J:%.*]] = arith.addi [[A]], [[I]] : index
    // CHECK-NEXT:    croq.yield [[J]], [[E]] : index, f32
    // CHECK-NEXT:  }
    // GENERIC:     "croq.foreach"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{static_bounds = [unit, unit, "S"], operandSegmentSizes = array<i32: 2, 2>}> ({
    // GENERIC:       "croq.yield"({{%.*}}, {{%.*}}) : (index, f32) -> ()
    // GENERIC-NEXT: }) : (index, index, index, f32) -> (index, f32)
    %r, %sum = croq.foreach %i in %n to %c0 step S iter(%a = %n, %e = %x) {
      %j = arith.addi %a, %i : index
      croq.yield %j, %e : index, f32
    }
    // CHECK-NEXT:  croq.foreach {{%.*}} in M iter({{%.*}} = [[SUM]]) unroll {
    %s = croq.foreach %i in M iter(%e = %sum) unroll {
      croq.yield %e : f32
    }
  }
}
