// RUN: croq-opt --make-clusters{cluster=2x1} --split-input-file %s | filecheck %s
// RUN: croq-opt --make-clusters{cluster=1x1} --split-input-file %s | filecheck %s --check-prefix=ALONE
// RUN: croq-opt --make-clusters{cluster=2x4} "--persist{blocks=16 order=last}" --split-input-file %s | filecheck %s --check-prefix=PERSIST
// RUN: croq-opt --make-clusters{cluster=2x1} "--persist{blocks=6 order=grouped group=4}" --split-input-file %s | filecheck %s --check-prefix=GROUPED

// Two blocks along the first index make a cluster. Their tiles are neighbours; an index along
// which a cluster has one block stays that of the grid. Clusters round up: the last may have
// tiles beyond the end.
//
// With --persist, clusters walk over the tiles of clusters. What depends on the block alone
// stays outside of the loop; the blocks of a cluster run it equally often. 16 blocks are 2
// clusters of 2x4.

// CHECK-LABEL: croq.kernel @product
// CHECK:         [[MS:%.*]] = croq.cdiv M, 128
// CHECK-NEXT:    [[NS:%.*]] = croq.cdiv N, 64
// CHECK-NEXT:    [[CS:%.*]] = croq.cdiv [[MS]], 2
// CHECK-NEXT:    croq.parallel ([[CM:%.*]], [[N:%.*]]) in ([[CS]], [[NS]]) : cluster {
// CHECK-NEXT:      [[TWO:%.*]] = arith.constant 2 : index
// CHECK-NEXT:      [[FIRST:%.*]] = arith.muli [[CM]], [[TWO]] : index
// CHECK-NEXT:      croq.parallel ([[I:%.*]], {{%.*}}) in (2, 1) : block threads 256 {
// CHECK-NEXT:        [[M:%.*]] = arith.addi [[FIRST]], [[I]] : index
// CHECK-NEXT:        [[STAGE:%.*]] = croq.alloc : !croq.tile<128x64xf16, shared>
// CHECK-NEXT:        croq.subspan {{%.*}} [128, 64] tile ([[M]], [[N]])

// ALONE-NOT: cluster
// ALONE:     croq.parallel ({{%.*}}, {{%.*}}) in ({{%.*}}, {{%.*}}) : block threads 256 {
// ALONE-NOT: cluster

// PERSIST-LABEL: croq.kernel @product
// PERSIST:         [[CM:%.*]] = croq.cdiv {{%.*}}, 2
// PERSIST-NEXT:    [[CN:%.*]] = croq.cdiv {{%.*}}, 4
// PERSIST-NEXT:    croq.parallel ([[C:%.*]]) in (2) : cluster {
// PERSIST-NEXT:      croq.parallel ([[I:%.*]], [[J:%.*]]) in (2, 4) : block threads 256 {
// PERSIST-NEXT:        [[TWO:%.*]] = arith.constant 2 : index
// PERSIST-NEXT:        [[FOUR:%.*]] = arith.constant 4 : index
// PERSIST-NEXT:        [[STAGE:%.*]] = croq.alloc
// PERSIST-NEXT:        [[COUNT:%.*]] = arith.muli [[CM]], [[CN]] : index
// PERSIST-NEXT:        croq.foreach [[T:%.*]] in [[C]] to [[COUNT]] step 2 {
// PERSIST-NEXT:          [[LAST:%.*]] = arith.remui [[T]], [[CN]] : index
// PERSIST-NEXT:          [[FIRST:%.*]] = arith.divui [[T]], [[CN]] : index
// PERSIST-NEXT:          [[M0:%.*]] = arith.muli [[FIRST]], [[TWO]] : index
// PERSIST-NEXT:          [[N0:%.*]] = arith.muli [[LAST]], [[FOUR]] : index
// PERSIST-NEXT:          [[M:%.*]] = arith.addi [[M0]], [[I]] : index
// PERSIST-NEXT:          [[N:%.*]] = arith.addi [[N0]], [[J]] : index
// PERSIST-NEXT:          croq.subspan {{%.*}} [128, 64] tile ([[M]], [[N]])

// GROUPED:      [[NS:%.*]] = croq.cdiv N, 64
// GROUPED-NEXT: [[CS:%.*]] = croq.cdiv {{%.*}}, 2
// GROUPED:      croq.parallel ([[C:%.*]]) in (3) : cluster {
// GROUPED:        croq.foreach [[T:%.*]] in [[C]] to {{%.*}} step 3 {
// GROUPED:          arith.muli [[NS]], {{%.*}} : index
// GROUPED:          arith.subi [[CS]], {{%.*}} : index
croq.kernel @product dims(M, N) (
    %in: !croq.tile<[M]x[N]xf16, global>, %out: !croq.tile<[M]x[N]xf16, global>) {
  %ms = croq.cdiv M, 128
  %ns = croq.cdiv N, 64
  croq.parallel (%m, %n) in (%ms, %ns) : block threads 256 {
    %stage = croq.alloc : !croq.tile<128x64xf16, shared>
    %a = croq.subspan %in [128, 64] tile (%m, %n)
    croq.copy %a => %stage
    %o = croq.subspan %out [128, 64] tile (%m, %n)
    croq.copy %stage => %o
  }
}

// -----

// Elements and views that depend on the index are in range where the clusters are full, where
// the kernel tests the index, and where its remainder is taken.

// CHECK-LABEL: croq.kernel @full
// CHECK:         : cluster {
// CHECK:           croq.load
// CHECK:           croq.chunkat
// ALONE-LABEL: croq.kernel @full
// PERSIST-LABEL: croq.kernel @full
// PERSIST:         : cluster {
croq.kernel @full dims(M multiple_of 256, N multiple_of 4) (
    %in: !croq.tile<[M]x[N]xf32, global>, %out: !croq.tile<256x64xf16, global>) {
  %ms = croq.cdiv M, 128
  croq.parallel (%m, %n) in (%ms, N) : block {
    %a = croq.subspan %in [128, 1] tile (%m, %n)
    %x = croq.load %a[7, 0]
    %c = croq.chunkat %out [2, _] at (%m, _)
  }
}

// -----

// CHECK-LABEL: croq.kernel @tested
// CHECK:         : cluster {
// CHECK:           croq.load
// CHECK:           croq.load
// CHECK:           croq.load
// ALONE-LABEL: croq.kernel @tested
// PERSIST-LABEL: croq.kernel @tested
croq.kernel @tested dims(M) (%in: !croq.tile<[M]xf32, global>, %two: !croq.tile<2xf32, global>) {
  croq.parallel (%m, %n) in (M, 4) : block {
    %end = croq.dim M
    %double = arith.constant 2 : index
    %inside = arith.cmpi ult, %m, %end : index
    scf.if %inside {
      %x = croq.load %in[%m]
    }
    %later = arith.addi %m, %double : index
    %also = arith.cmpi ugt, %end, %later : index
    scf.if %also {
      %y = croq.load %in[%later]
    }
    %rest = arith.remui %m, %double : index
    %z = croq.load %two[%rest]
  }
}
