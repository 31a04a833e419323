// RUN: croq-opt --expand-inner-tiles --split-input-file %s | filecheck %s

// A tile of registers is filled, loaded and computed with by each thread for itself; the
// loops over its elements are to be unrolled.
// CHECK-LABEL: croq.kernel @thread
croq.kernel @thread (%x: !croq.tile<128x4xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<128x4xf32, shared>
    croq.copy %x => %s
    // CHECK: croq.parallel ([[T:%.*]]) in (128) : thread {
    croq.parallel (%t) in (128) : thread {
      // CHECK-NEXT: [[R:%.*]] = croq.alloc : !croq.tile<1x4xf32, register>
      %r = croq.alloc : !croq.tile<1x4xf32, register>
      %m = croq.alloc : !croq.tile<1xf32, register>
      // CHECK:      croq.foreach [[I:%.*]] in 4 unroll {
      // CHECK-NEXT:   [[ONE:%.*]] = arith.constant 1.000000e+00 : f32
      // CHECK-NEXT:   croq.store [[ONE]], [[R]][0, [[I]]]
      // CHECK-NEXT: }
      croq.fill %r, 1.0
      // CHECK: [[MINE:%.*]] = croq.subspan
      %mine = croq.subspan %s [1, 4] tile (%t, 0)
      // CHECK-NEXT: croq.foreach [[J:%.*]] in 4 unroll {
      // CHECK-NEXT:   [[A:%.*]] = croq.load [[MINE]][0, [[J]]]
      // CHECK-NEXT:   [[C:%.*]] = croq.load [[R]][0, [[J]]]
      // CHECK-NEXT:   [[D:%.*]] = arith.addf [[A]], [[C]] : f32
      // CHECK-NEXT:   croq.store [[D]], [[R]][0, [[J]]]
      // CHECK-NEXT: }
      croq.elementwise (%a = %mine, %c = %r) => %r {
        %d = arith.addf %a, %c : f32
        croq.yield %d : f32
      }
      // CHECK:      [[MAX:%.*]] = croq.foreach [[K:%.*]] in 4 iter([[SO_FAR:%.*]] = {{%.*}}) unroll {
      // CHECK-NEXT:   [[E:%.*]] = croq.load [[R]][0, [[K]]]
      // CHECK-NEXT:   [[M:%.*]] = arith.maxnumf [[SO_FAR]], [[E]] : f32
      // CHECK-NEXT:   croq.yield [[M]] : f32
      // CHECK-NEXT: }
      // CHECK-NEXT: croq.store [[MAX]], {{%.*}}[0]
      croq.reduce max %r dim 1 => %m
      // CHECK:      croq.foreach [[L:%.*]] in 4 unroll {
      // CHECK-NEXT:   [[F:%.*]] = croq.load [[R]][0, [[L]]]
      // CHECK-NEXT:   croq.store [[F]], [[MINE]][0, [[L]]]
      croq.copy %r => %mine
    }
  }
}

// -----

// The lanes of a warp share the elements. They meet before they read what others have written.
// CHECK-LABEL: croq.kernel @warp
croq.kernel @warp () {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<8x64xf32, shared>
    %m = croq.alloc : !croq.tile<8x2xf32, shared>
    // CHECK: croq.parallel ([[W:%.*]]) in (4) : warp {
    croq.parallel (%w) in (4) : warp {
      %mine = croq.subspan %s [2, 64] tile (%w, 0)
      %sums = croq.subspan %m [1, 2] tile (%w, 0)
      %both = croq.squeeze %sums [0]
      // CHECK:      croq.parallel ([[LANE:%.*]]) in (32) : thread {
      // CHECK-NEXT:   croq.foreach [[E:%.*]] in [[LANE]] to 128 step 32 {
      // CHECK-COUNT-1: croq.store
      // CHECK:        }
      // CHECK-NEXT: }
      croq.fill %mine, 2.0
      // CHECK-NEXT: croq.parallel ([[LANE:%.*]]) in (32) : thread {
      // CHECK-NEXT:   croq.warp_barrier
      // CHECK:        [[MEMBER:%.*]] = arith.andi [[LANE]]
      // CHECK:        croq.foreach {{%.*}} in 2 {
      // CHECK:          croq.foreach {{%.*}} in [[MEMBER]] to 64 step 32 iter
      // CHECK:          croq.shuffle xor {{%.*}} by
      // CHECK:          scf.if
      // CHECK-NOT:    croq.warp_barrier
      croq.reduce add %mine dim 1 => %both
    }
  }
}

// -----

// What is out of range of an argument is zero for a load, and is not stored. A row that is
// all in range is copied without a test for each element.
// CHECK-LABEL: croq.kernel @ragged
croq.kernel @ragged dims(M) (%x: !croq.tile<[M]xf32, global>, %y: !croq.tile<[M]xf32, global>) {
  %n = croq.cdiv M, 128
  croq.parallel (%b) in (%n) : block {
    croq.parallel (%t) in (32) : thread {
      %r = croq.alloc : !croq.tile<4xf32, register>
      %at = croq.compose %b, %t
      %from = croq.subspan %x [4] tile (%at)
      %to = croq.subspan %y [4] tile (%at)
      // CHECK:      [[FIRST:%.*]] = arith.cmpi ult
      // CHECK:      [[LAST:%.*]] = arith.cmpi ult
      // CHECK-NEXT: [[ALL:%.*]] = arith.andi [[FIRST]], [[LAST]] : i1
      // CHECK-NEXT: scf.if [[ALL]] {
      // CHECK-NEXT:   croq.foreach {{%.*}} in 4 unroll {
      // CHECK-NEXT:     croq.load
      // CHECK-NEXT:     croq.store
      // CHECK-NEXT:   }
      // CHECK-NEXT: } else {
      // CHECK:        [[INSIDE:%.*]] = arith.cmpi ult
      // CHECK-NEXT:   [[V:%.*]] = scf.if [[INSIDE]] -> (f32) {
      // CHECK-NEXT:     [[L:%.*]] = croq.load
      // CHECK-NEXT:     scf.yield [[L]] : f32
      // CHECK-NEXT:   } else {
      // CHECK:        croq.store [[V]]
      croq.copy %from => %r
      // CHECK:      } else {
      // CHECK:        [[INSIDE:%.*]] = arith.cmpi ult
      // CHECK-NEXT:   scf.if [[INSIDE]] {
      // CHECK-NEXT:     [[L:%.*]] = croq.load
      // CHECK-NEXT:     croq.store [[L]]
      croq.copy %r => %to
    }
  }
}

// -----

// The 128 threads of a warpgroup share the elements. They meet before they read what others
// have written, also what its warps leave of a reduction.
// CHECK-LABEL: croq.kernel @warpgroup
croq.kernel @warpgroup () {
  // CHECK: croq.parallel
  croq.parallel (%b) in (1) : block {
    // CHECK-NEXT: [[PARTIALS:%.*]] = croq.alloc : !croq.tile<8xf32, shared, row_major>
    %s = croq.alloc : !croq.tile<2x100xf32, shared>
    %m = croq.alloc : !croq.tile<2xf32, shared>
    // CHECK: croq.parallel ([[G:%.*]]) in (2) : warpgroup {
    croq.parallel (%g) in (2) : warpgroup {
      %mine = croq.subspan %s [1, 100] tile (%g, 0)
      %sum = croq.subspan %m [1] tile (%g)
      // CHECK:      croq.parallel ([[T:%.*]]) in (128) : thread {
      // CHECK-NEXT:   croq.foreach {{%.*}} in [[T]] to 100 step 128 {
      // CHECK-NOT:    croq.warpgroup_barrier
      croq.fill %mine, 2.0
      // CHECK:      croq.parallel ([[T:%.*]]) in (128) : thread {
      // CHECK-NEXT:   croq.warpgroup_barrier
      // CHECK:        croq.foreach {{%.*}} in {{%.*}} to 100 step 64 iter
      // CHECK-COUNT-5: croq.shuffle xor
      // CHECK:        scf.if
      // CHECK:          croq.store {{%.*}}, [[PARTIALS]]
      // CHECK:        croq.warpgroup_barrier
      // CHECK:        scf.if
      // CHECK:          croq.load [[PARTIALS]]
      // CHECK:          croq.store
      // CHECK-NOT:    croq.warpgroup_barrier
      croq.reduce add %mine dim 1 => %sum
    }
  }
}
