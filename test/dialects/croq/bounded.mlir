// RUN: croq-opt %s | filecheck %s --strict-whitespace
// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Bounded indices, and extents of indices and tiles.

// CHECK: croq.kernel @bounded
croq.kernel @bounded dims(M) params(S = 4) (%x: !croq.tile<[M]x64xf32, global>, %n: index) {
  // CHECK-NEXT:  [[TILES:%.*]] = croq.cdiv M, 8
  %tiles = croq.cdiv M, 8
  // CHECK-NEXT:  [[K:%.*]] = croq.with 16
  // GENERIC:     "croq.with"() <{static_values = [16 : index, 0 : index]}> : () -> index
  %k = croq.with 16
  // CHECK-NEXT:  [[L:%.*]] = croq.with [[TILES]] at [[N:%.*]] {note}
  // GENERIC:     "croq.with"({{%.*}}, {{%.*}}) <{static_values = [unit, unit]}> {note} : (index, index) -> index
  %l = croq.with %tiles at %n {note}
  // CHECK-NEXT:  {{%.*}} = croq.with M at S
  %m = croq.with M at S
  // CHECK-NEXT:  {{%.*}} = croq.with 4 at 3
  %last = croq.with 4 at 3
  // CHECK-NEXT:  croq.parallel ([[B:%.*]]) in ([[TILES]]) : block {
  croq.parallel (%b) in (%tiles) : block {
    // CHECK-NEXT:  croq.parallel ([[I:%.*]], [[J:%.*]]) in (8, 16) : thread {
    croq.parallel (%i, %j) in (8, 16) : thread {
      // CHECK-NEXT:  [[ROW:%.*]] = croq.compose [[B]], [[I]]
      // GENERIC:     "croq.compose"({{%.*}}, {{%.*}}) : (index, index) -> index
      %row = croq.compose %b, %i
      // CHECK-NEXT:  [[ALL:%.*]] = croq.compose [[ROW]], [[J]], [[K]], [[L]] {note}
      %all = croq.compose %row, %j, %k, %l {note}
      // CHECK-NEXT:  [[FREE:%.*]] = croq.compose [[N]], [[J]]
      %free = croq.compose %n, %j
      // CHECK-NEXT:  {{%.*}} = croq.axis [[ALL]]
      // GENERIC:     "croq.axis"({{%.*}}) : (index) -> index
      %bound = croq.axis %all
      // CHECK-NEXT:  croq.foreach [[S:%.*]] in 2 to [[TILES]] step 3 {
      croq.foreach %s in 2 to %tiles step 3 {
        // CHECK-NEXT:  {{%.*}} = croq.axis [[S]] {note}
        %ub = croq.axis %s {note}
      }
      // CHECK:       {{%.*}} = croq.span [[X:%.*]][0]
      // GENERIC:     "croq.span"({{%.*}}) <{dim = #builtin.int<0>}> : (!croq.tile<[M]x64xf32, global>) -> index
      %rows = croq.span %x[0]
      // CHECK-NEXT:  {{%.*}} = croq.span [[X]][1] {note}
      %cols = croq.span %x[1] {note}
    }
  }
}
