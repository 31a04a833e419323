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
    // CHECK-NEXT:  croq.foreach {{%.*}} in 1 to [[N]] unroll 4 {
    // CHECK-NEXT:  }
    // GENERIC:     "croq.foreach"({{%.*}}) <{static_bounds = [1 : index, unit, 1 : index], unroll = #builtin.int<4>,
    croq.foreach %i in 1 to %n unroll 4 {
    }
    // Several indices are a nest, the first outermost; what it carries goes through.
    // CHECK-NEXT:  croq.foreach {{%.*}} in 4 {
    // CHECK-NEXT:    croq.foreach {{%.*}} in M {
    // CHECK-NEXT:      croq.foreach {{%.*}} in [[N]] unroll 2 {
    // CHECK-NEXT:      }
    // CHECK-NEXT:    }
    // CHECK-NEXT:  }
    croq.foreach (%i, %j, %k) in (4, M, %n) unroll 2 {
    }
    // CHECK-NEXT:  {{%.*}} = croq.foreach [[I0:%.*]] in 4 iter([[A0:%.*]] = [[N]]) {
    // CHECK-NEXT:    [[R0:%.*]] = croq.foreach [[J0:%.*]] in M iter([[B0:%.*]] = [[A0]]) {
    // CHECK-NEXT:      [[S0:%.*]] = arith.addi [[I0]], [[B0]] : index
    // CHECK-NEXT:      croq.yield [[S0]] : index
    // CHECK-NEXT:    }
    // CHECK-NEXT:    croq.yield [[R0]] : index
    // CHECK-NEXT:  }
    %nest = croq.foreach (%i, %j) in (4, M) iter(%a = %n) {
      %s = arith.addi %i, %a : index
      croq.yield %s : index
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
