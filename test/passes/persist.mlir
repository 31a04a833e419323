// RUN: croq-opt --persist{blocks=132} --split-input-file %s | filecheck %s
// RUN: croq-opt "--persist{blocks=6 order=last}" --split-input-file %s | filecheck %s --check-prefix=LAST
// RUN: croq-opt "--persist{blocks=6 order=grouped group=4}" --split-input-file %s | filecheck %s --check-prefix=GROUPED

// 132 blocks walk over the tiles of a grid. The buffer and the number of steps are outside of
// the loop; the accumulator and what depends on the tile are inside.

// CHECK-LABEL: croq.kernel @product
// CHECK:         [[MS:%.*]] = croq.cdiv M, 128
// CHECK:         [[NS:%.*]] = croq.cdiv N, 64
// CHECK:         croq.parallel ([[B:%.*]]) in (132) : block {
// CHECK-NEXT:      [[STAGE:%.*]] = croq.alloc : !croq.tile<128x64xf16, shared>
// CHECK-NEXT:      [[STEPS:%.*]] = croq.cdiv K, 64
// CHECK-NEXT:      [[TILES:%.*]] = arith.muli [[MS]], [[NS]] : index
// CHECK-NEXT:      croq.foreach [[T:%.*]] in [[B]] to [[TILES]] step 132 {
// CHECK-NEXT:        [[M:%.*]] = arith.remui [[T]], [[MS]] : index
// CHECK-NEXT:        [[N:%.*]] = arith.divui [[T]], [[MS]] : index
// CHECK-NEXT:        croq.mma.fill
// CHECK-NEXT:        croq.foreach {{%.*}} in [[STEPS]] {
// CHECK:             croq.subspan {{%.*}} [128, 64] tile ([[M]], {{%.*}})
// CHECK:             croq.copy {{%.*}} => [[STAGE]]
// CHECK:           croq.subspan {{%.*}} [128, 64] tile ([[M]], [[N]])
// CHECK:           croq.copy

// LAST-LABEL: croq.kernel @product
// LAST:         [[NS:%.*]] = croq.cdiv N, 64
// LAST:         croq.foreach [[T:%.*]] in {{%.*}} to {{%.*}} step 6 {
// LAST-NEXT:      [[N:%.*]] = arith.remui [[T]], [[NS]] : index
// LAST-NEXT:      [[M:%.*]] = arith.divui [[T]], [[NS]] : index
// LAST:           croq.subspan {{%.*}} [128, 64] tile ([[M]], [[N]])

// Groups of 4 rows of tiles, and what is left of them at the end.
// GROUPED-LABEL: croq.kernel @product
// GROUPED:         [[MS:%.*]] = croq.cdiv M, 128
// GROUPED:         [[NS:%.*]] = croq.cdiv N, 64
// GROUPED:         croq.foreach [[T:%.*]] in
// GROUPED:           [[WIDTH:%.*]] = arith.muli [[NS]], {{%.*}} : index
// GROUPED:           [[GROUP:%.*]] = arith.divui [[T]], [[WIDTH]] : index
// GROUPED:           [[FIRST:%.*]] = arith.muli [[GROUP]], {{%.*}} : index
// GROUPED:           [[LEFT:%.*]] = arith.subi [[MS]], [[FIRST]] : index
// GROUPED:           [[HEIGHT:%.*]] = arith.select {{%.*}}, [[LEFT]], {{%.*}} : index
// GROUPED:           [[IN:%.*]] = arith.remui [[T]], [[WIDTH]] : index
// GROUPED:           [[ROW:%.*]] = arith.remui [[IN]], [[HEIGHT]] : index
// GROUPED-NEXT:      [[N:%.*]] = arith.divui [[IN]], [[HEIGHT]] : index
// GROUPED-NEXT:      [[M:%.*]] = arith.addi [[FIRST]], [[ROW]] : index
// GROUPED:           croq.subspan {{%.*}} [128, 64] tile ([[M]], [[N]])
croq.kernel @product dims(M, N, K) (
    %in: !croq.tile<[M]x[K]xf16, global>, %out: !croq.tile<[M]x[N]xf16, global>) {
  %ms = croq.cdiv M, 128
  %ns = croq.cdiv N, 64
  croq.parallel (%m, %n) in (%ms, %ns) : block {
    %stage = croq.alloc : !croq.tile<128x64xf16, shared>
    %steps = croq.cdiv K, 64
    %zero = croq.mma.fill 0.0 : !croq.acc<128x64xf32>
    croq.foreach %k in %steps {
      %a = croq.subspan %in [128, 64] tile (%m, %k)
      croq.copy %a => %stage
    }
    %o = croq.subspan %out [128, 64] tile (%m, %n)
    croq.mma.store %zero => %stage
    croq.copy %stage => %o
  }
}

// -----

// Groups are of the last two indices; a matrix of tiles comes after the other.
// GROUPED-LABEL: croq.kernel @batches
// GROUPED:         croq.foreach [[T:%.*]] in {{%.*}} to 210 step 6 {
// GROUPED-NEXT:      [[EACH:%.*]] = arith.constant 35 : index
// GROUPED-NEXT:      [[Z:%.*]] = arith.divui [[T]], [[EACH]] : index
// GROUPED:           [[IN:%.*]] = arith.remui [[T]], {{%.*}} : index
// GROUPED:           arith.divui [[IN]], {{%.*}} : index
// GROUPED:           croq.subspan {{%.*}} [1, 16, 16] tile ([[Z]], {{%.*}}, {{%.*}})
croq.kernel @batches (%in: !croq.tile<6x80x112xf32, global>) {
  croq.parallel (%z, %m, %n) in (6, 5, 7) : block {
    %stage = croq.alloc : !croq.tile<1x16x16xf32, shared>
    %a = croq.subspan %in [1, 16, 16] tile (%z, %m, %n)
    croq.copy %a => %stage
  }
}
