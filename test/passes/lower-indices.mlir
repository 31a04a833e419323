// RUN: croq-opt --lower-indices %s | filecheck %s

// An index of its own: a constant, and what is folded with it.
// CHECK-LABEL: croq.kernel @withs
croq.kernel @withs dims(M) (%x: !croq.tile<[M]x64xf32, global>) {
  %tiles = croq.cdiv M, 16
  // CHECK:      croq.parallel ([[B:%.*]]) in
  croq.parallel (%b) in (%tiles) : block {
    %k = croq.with 4
    %last = croq.with 4 at 3
    // CHECK-NEXT: croq.subspan {{%.*}} [16, 16] tile ([[B]], 0)
    %first = croq.subspan %x [16, 16] tile (%b, %k)
    // CHECK-NEXT: croq.subspan {{%.*}} [16, 16] tile ([[B]], 3)
    %other = croq.subspan %x [16, 16] tile (%b, %last)
    // CHECK-NEXT: croq.foreach {{%.*}} in 4 {
    %n = croq.axis %k
    croq.foreach %i in %n {
    }
  }
}

// Composed indices are digits; the extent of an index of the grid is that of the grid.
// CHECK-LABEL: croq.kernel @composed
croq.kernel @composed dims(M, N) () {
  // CHECK: [[TILES:%.*]] = croq.cdiv M, 16
  %tiles = croq.cdiv M, 16
  // CHECK: croq.parallel ([[B:%.*]], [[C:%.*]]) in ([[TILES]], N) : block {
  croq.parallel (%b, %c) in (%tiles, N) : block {
    // CHECK: croq.parallel ([[I:%.*]], [[J:%.*]]) in (4, 32) : thread {
    croq.parallel (%i, %j) in (4, 32) : thread {
      // CHECK-NEXT: [[N0:%.*]] = croq.dim N
      // CHECK-NEXT: [[B0:%.*]] = arith.muli [[B]], [[N0]] : index
      // CHECK-NEXT: [[B1:%.*]] = arith.addi [[B0]], [[C]] : index
      // CHECK-NEXT: [[E:%.*]] = arith.constant 4 : index
      // CHECK-NEXT: [[B2:%.*]] = arith.muli [[B1]], [[E]] : index
      // CHECK-NEXT: [[ALL:%.*]] = arith.addi [[B2]], [[I]] : index
      %block = croq.compose %b, %c
      %all = croq.compose %block, %i
      // CHECK-NEXT: [[N1:%.*]] = croq.dim N
      // CHECK-NEXT: [[P:%.*]] = arith.muli [[TILES]], [[N1]] : index
      // CHECK-NEXT: [[F:%.*]] = arith.constant 4 : index
      // CHECK-NEXT: [[Q:%.*]] = arith.muli [[P]], [[F]] : index
      %bound = croq.axis %all
      // CHECK-NEXT: arith.cmpi ult, [[ALL]], [[Q]] : index
      %t = arith.cmpi ult, %all, %bound : index
    }
  }
}

// Extents of tiles: known, of a dim, of what a dim is divided in.
// CHECK-LABEL: croq.kernel @spans
croq.kernel @spans dims(M multiple_of 4) (%x: !croq.tile<8x[M]x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %part = croq.chunkat %x [_, 4, 2] at (_, 1, 0)
    %slot = croq.slot %part[%b]
    %rows = croq.span %slot[0]
    %cols = croq.span %slot[1]
    // CHECK: [[M:%.*]] = croq.dim M
    // CHECK: [[ROWS:%.*]] = arith.{{divui|shrui}} [[M]],
    // CHECK: croq.foreach {{%.*}} in [[ROWS]] {
    croq.foreach %i in %rows {
      // CHECK-NEXT: croq.foreach {{%.*}} in 8 {
      croq.foreach %j in %cols {
      }
    }
  }
}
