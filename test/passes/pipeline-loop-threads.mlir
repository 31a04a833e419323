// RUN: croq-opt --pipeline-loop=stages=3 --verify-sync=undecided=error --split-input-file %s | filecheck %s
// RUN: croq-opt --pipeline-loop=stages=3 --infer-layouts --select-engines --lower-futures --insert-barriers --verify-sync=undecided=error --split-input-file %s | filecheck %s --check-prefix=SLOTS

// Threads compute from what a loop loads. With three buffers the first two iterations are
// loaded before it, each if there is one; the futures go through the loop, and a free buffer.
// An iteration starts the loads of the second after it into the free buffer, waits for its own,
// and rotates the names. What the loop carried before it still carries.
// CHECK-LABEL: croq.kernel @sums
// SLOTS-LABEL: croq.kernel @sums
croq.kernel @sums dims(M multiple_of 4, K multiple_of 4) (
    %in: !croq.tile<[M]x[K]xf32, global>, %out: !croq.tile<[M]xf32, global>) {
  %m_tiles = croq.cdiv M, 64
  // CHECK: [[N:%.*]] = croq.cdiv K, 32
  %k_tiles = croq.cdiv K, 32
  croq.parallel (%bm) in (%m_tiles) : block threads 64 {
    // CHECK-NOT: croq.alloc : !croq.tile<64x32
    // SLOTS: [[E:%.*]] = croq.event : !croq.event<3>
    // SLOTS-NEXT: [[A:%.*]] = croq.alloc : !croq.tile<3x64x32xf32, shared, row_major>
    %sums_s = croq.alloc : !croq.tile<64xf32, shared>
    %tile = croq.alloc : !croq.tile<64x32xf32, shared>
    croq.parallel (%row) in (64) : thread {
      %zero = arith.constant 0.0 : f32
      croq.store %zero, %sums_s[%row]
    }
    %flag = arith.constant true
    // CHECK: [[B0:%.*]] = croq.any
    // CHECK-NEXT: [[B1:%.*]] = croq.any
    // CHECK-NEXT: [[B2:%.*]] = croq.any
    // CHECK: [[F0:%.*]] = scf.if {{%.*}} -> (!croq.future
    // CHECK: croq.subspan {{%.*}} [64, 32] tile ({{%.*}}, {{%.*}})
    // CHECK-NEXT: [[D:%.*]] = croq.data [[B0]]
    // CHECK-NEXT: [[F:%.*]] = croq.copy_async {{%.*}} => [[D]] {note}
    // CHECK-NEXT: scf.yield [[F]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield [[B0]]
    // CHECK: [[F1:%.*]] = scf.if
    // CHECK: croq.foreach [[K:%.*]] in [[N]] iter([[V:%.*]] = {{%.*}}, [[C0:%.*]] = [[F0]], [[C1:%.*]] = [[F1]], [[C2:%.*]] = [[B2]])
    // SLOTS: croq.foreach {{%.*}} in {{%.*}} iter({{%.*}} = {{%.*}}, [[O:%.*]] = {{%.*}}) {
    %last = croq.foreach %k in %k_tiles iter(%v = %flag) {
      // CHECK: [[AHEAD:%.*]] = arith.addi [[K]], {{%.*}} : index
      // CHECK-NEXT: [[MORE:%.*]] = arith.cmpi ult, [[AHEAD]], [[N]] : index
      // CHECK-NEXT: [[NEXT:%.*]] = scf.if [[MORE]]
      // CHECK-NEXT: croq.subspan {{%.*}} [64, 32] tile ({{%.*}}, [[AHEAD]])
      // CHECK-NEXT: croq.data [[C2]]
      // The barrier before a buffer is filled again: threads may read it two iterations before.
      // SLOTS: scf.if
      // SLOTS: croq.slot [[A]] at [[O]] + 2
      // SLOTS: croq.barrier
      // SLOTS-NEXT: croq.copy_async
      // SLOTS-NEXT: croq.trigger [[E]]
      // SLOTS: croq.wait [[E]]
      %t = croq.subspan %in [64, 32] tile (%bm, %k)
      // CHECK: croq.await [[C0]]
      // CHECK-NEXT: [[TILE:%.*]] = croq.data [[C0]]
      croq.copy %t => %tile {note}
      // CHECK: croq.load [[TILE]]
      croq.parallel (%row) in (64) : thread {
        %before = croq.load %sums_s[%row]
        %sum = croq.foreach %col in 32 iter(%s = %before) {
          %x = croq.load %tile[%row, %col]
          %u = arith.addf %s, %x : f32
          croq.yield %u : f32
        }
        croq.store %sum, %sums_s[%row]
      }
      // CHECK: [[R0:%.*]], [[R1:%.*]], [[R2:%.*]] = croq.rotate [[C0]], [[C1]], [[NEXT]]
      // CHECK-NEXT: croq.yield [[V]], [[R0]], [[R1]], [[R2]]
      croq.yield %v : i1
    }
    %o = croq.subspan %out [64] tile (%bm)
    croq.copy %sums_s => %o engine(threads)
  }
}

// -----

// Two iterations only: both are loaded before the loop, and none in it.
// CHECK-LABEL: croq.kernel @few
croq.kernel @few (%in: !croq.tile<64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 32 {
    %tile = croq.alloc : !croq.tile<32xf32, shared>
    // CHECK: croq.copy_async
    // CHECK: croq.copy_async
    // CHECK: croq.foreach
    // CHECK-NOT: croq.copy_async
    // CHECK-NOT: scf.if
    croq.foreach %k in 2 {
      %t = croq.subspan %in [32] tile (%k)
      croq.copy %t => %tile
      croq.parallel (%row) in (32) : thread {
        %x = croq.load %tile[%row]
      }
    }
  }
}

// -----

// Inside a loop over tiles, counted from another number and by another step: the buffers are
// filled for every tile anew.
// CHECK-LABEL: croq.kernel @tiles
croq.kernel @tiles dims(K multiple_of 4) (%in: !croq.tile<8x[K]xf32, global>) {
  %n = croq.cdiv K, 32
  croq.parallel (%b) in (1) : block threads 32 {
    %tile = croq.alloc : !croq.tile<1x32xf32, shared>
    // CHECK: croq.foreach {{%.*}} in 8 {
    croq.foreach %row in 8 {
      // CHECK: croq.any
      // CHECK: croq.foreach {{%.*}} in {{%.*}} iter(
      croq.foreach %k in 1 to %n step 2 {
        %t = croq.subspan %in [1, 32] tile (%row, %k)
        croq.copy %t => %tile
        croq.parallel (%col) in (32) : thread {
          %x = croq.load %tile[0, %col]
        }
      }
    }
  }
}
