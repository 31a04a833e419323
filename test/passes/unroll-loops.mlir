// RUN: croq-opt --unroll-loops --split-input-file %s | filecheck %s

// A loop over slices of both operands is unrolled; the accumulator goes through, and the
// slices start at constants. The loop around it waits for events: it stays.
// CHECK: croq.kernel @slices
croq.kernel @slices dims(K) () {
  %steps = croq.cdiv K, 64
  croq.parallel (%i) in (1) : block {
    %landed = croq.event : !croq.event<2>
    // CHECK: [[X:%.*]] = croq.alloc
    // CHECK: [[Y:%.*]] = croq.alloc
    %x = croq.alloc : !croq.tile<2x64x64xf16, shared, swizzle<128>>
    %y = croq.alloc : !croq.tile<32x64xf16, shared, swizzle<128>>
    // CHECK: [[ZERO:%.*]] = croq.mma.fill
    %zero = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // CHECK: croq.foreach [[STEP:%.*]] in {{%.*}} iter([[C:%.*]] = [[ZERO]]) {
    %sum = croq.foreach %step in %steps iter(%c = %zero) {
      // CHECK-NEXT: croq.wait
      croq.wait %landed at %step
      // CHECK-NEXT: [[XS:%.*]] = croq.slot [[X]] at [[STEP]]
      %xs = croq.slot %x at %step
      // CHECK-NEXT: [[X0:%.*]] = croq.chunkat [[XS]] [_, 2] at (_, 0)
      // CHECK-NEXT: [[Y0:%.*]] = croq.view [[Y]] [32, 32] from (0, 0)
      // CHECK-NEXT: [[C1:%.*]] = croq.mma.exec row.row [[C]], [[X0]], [[Y0]]
      // CHECK-NEXT: [[X1:%.*]] = croq.chunkat [[XS]] [_, 2] at (_, 1)
      // CHECK-NEXT: [[Y1:%.*]] = croq.view [[Y]] [32, 32] from (0, 32)
      // CHECK-NEXT: [[C2:%.*]] = croq.mma.exec row.row [[C1]], [[X1]], [[Y1]]
      // CHECK-NEXT: croq.yield [[C2]]
      %two = arith.constant 2 : index
      %next = croq.foreach %kk in %two iter(%d = %c) {
        %xk = croq.chunkat %xs [_, 2] at (_, %kk)
        %width = arith.constant 32 : index
        %start = arith.muli %kk, %width : index
        %yk = croq.view %y [32, 32] from (0, %start)
        %e = croq.mma.exec row.row %d, %xk, %yk
        croq.yield %e : !croq.acc<64x32xf32>
      }
      croq.yield %next : !croq.acc<64x32xf32>
    }
  }
}

// -----

// Not unrolled: a loop of stages, one of too many slices, one that waits.
// CHECK: croq.kernel @kept
croq.kernel @kept () {
  croq.parallel (%i) in (1) : block {
    %landed = croq.event : !croq.event<2>
    %x = croq.alloc : !croq.tile<2x64x1024xf16, shared, swizzle<128>>
    %y = croq.alloc : !croq.tile<32x1024xf16, shared, swizzle<128>>
    %zero = croq.mma.fill 0.0 : !croq.acc<64x32xf32>
    // CHECK: croq.foreach {{%.*}} in 2 iter
    %a = croq.foreach %s in 2 iter(%c = %zero) {
      %xs = croq.slot %x at %s
      %e = croq.mma.exec row.row %c, %xs, %y
      croq.yield %e : !croq.acc<64x32xf32>
    }
    // CHECK: croq.foreach {{%.*}} in 64 iter
    %x0 = croq.slot %x[0]
    %b = croq.foreach %s in 64 iter(%c = %zero) {
      %xk = croq.chunkat %x0 [_, 64] at (_, %s)
      %yk = croq.chunkat %y [_, 64] at (_, %s)
      %e = croq.mma.exec row.row %c, %xk, %yk
      croq.yield %e : !croq.acc<64x32xf32>
    }
    // CHECK: croq.foreach {{%.*}} in 2 iter
    %d = croq.foreach %s in 2 iter(%c = %zero) {
      croq.wait %landed at %s
      %xk = croq.chunkat %x0 [_, 2] at (_, %s)
      %yk = croq.chunkat %y [_, 2] at (_, %s)
      %e = croq.mma.exec row.row %c, %xk, %yk
      croq.yield %e : !croq.acc<64x32xf32>
    }
  }
}

// -----

// On request: bounds and steps, carried values that change places, loops inside, a loop
// that never runs; ops of other dialects get the index as a constant.
// CHECK: croq.kernel @marked
croq.kernel @marked () {
  croq.parallel (%i) in (1) : block {
    // CHECK: [[EV:%.*]] = croq.event
    %e = croq.event : !croq.event<4>
    %a = arith.constant 7 : index
    %b = arith.constant 9 : index
    // CHECK: croq.wait [[EV]] at 1 + 4
    // CHECK-NEXT: croq.trigger [[EV]] at 1
    // CHECK-NEXT: croq.wait [[EV]] at 3 + 4
    // CHECK-NEXT: croq.trigger [[EV]] at 3
    // CHECK-NEXT: croq.trigger [[EV]] at 3
    // CHECK-NEXT: croq.wait [[EV]] at 5 + 4
    // CHECK-NEXT: croq.trigger [[EV]] at 5
    // CHECK-NEXT: croq.trigger [[EV]] at 7
    // CHECK-NEXT: croq.trigger [[EV]] at 5
    // CHECK-NEXT: croq.wait [[EV]] at 9
    // CHECK-NEXT: croq.wait [[EV]] at 7
    // CHECK-NEXT: croq.wait [[EV]] at 9
    // CHECK-NOT: foreach
    // CHECK: }
    %x, %y = croq.foreach %k in 1 to 7 step 2 iter(%p = %a, %q = %b) unroll {
      croq.wait %e at %k + 4
      croq.foreach %j in 1 to %k step 2 unroll {
        %order = arith.addi %j, %k : index
        %before = arith.constant 1 : index
        %last = arith.subi %order, %before : index
        croq.trigger %e at %last
      }
      croq.trigger %e at %k
      croq.yield %q, %p : index, index
    }
    croq.wait %e at %x
    croq.wait %e at %y
    %never = croq.foreach %k in 5 to 5 iter(%p = %x) unroll {
      croq.yield %p : index
    }
    croq.wait %e at %never
  }
}

// -----

// By four: groups of four iterations, and a loop for what is left over.
// CHECK-LABEL: croq.kernel @by_four
croq.kernel @by_four dims(N) () {
  croq.parallel (%b) in (1) : block {
    // CHECK: [[N:%.*]] = croq.dim N
    // CHECK: [[SOME:%.*]] = arith.cmpi ult, [[TWO:%.*]], [[N]] : index
    // CHECK: [[M:%.*]] = arith.addi [[TWO]], {{%.*}} : index
    // CHECK: [[SUM:%.*]] = croq.foreach [[I:%.*]] in 2 to [[M]] step 12 iter([[A:%.*]] = {{%.*}}) {
    // CHECK-NEXT: [[A1:%.*]] = arith.addi [[A]], [[I]] : index
    // CHECK: [[I1:%.*]] = arith.addi [[I]], {{%.*}} : index
    // CHECK-NEXT: [[A2:%.*]] = arith.addi [[A1]], [[I1]] : index
    // CHECK: [[I2:%.*]] = arith.addi [[I]], {{%.*}} : index
    // CHECK-NEXT: [[A3:%.*]] = arith.addi [[A2]], [[I2]] : index
    // CHECK: [[I3:%.*]] = arith.addi [[I]], {{%.*}} : index
    // CHECK-NEXT: [[A4:%.*]] = arith.addi [[A3]], [[I3]] : index
    // CHECK-NEXT: croq.yield [[A4]] : index
    // CHECK: croq.foreach [[J:%.*]] in [[M]] to N step 3 iter([[C:%.*]] = [[SUM]]) {
    // CHECK-NEXT: [[D:%.*]] = arith.addi [[C]], [[J]] : index
    // CHECK-NEXT: croq.yield [[D]] : index
    %zero = arith.constant 0 : index
    %sum = croq.foreach %i in 2 to N step 3 iter(%a = %zero) unroll 4 {
      %c = arith.addi %a, %i : index
      croq.yield %c : index
    }
  }
}

// -----

// Of known bounds: nothing is left over of 8 iterations, one of 9; 3 are unrolled fully.
// CHECK-LABEL: croq.kernel @known
croq.kernel @known () {
  croq.parallel (%b) in (1) : block {
    %e = croq.event : !croq.event<64>
    // CHECK: croq.foreach {{%.*}} in 8 step 4 {
    // CHECK-COUNT-4: croq.trigger
    // CHECK-NEXT: }
    croq.foreach %i in 8 unroll 4 {
      croq.trigger %e at %i
    }
    // CHECK-NEXT: croq.foreach {{%.*}} in 8 step 4 {
    // CHECK-COUNT-4: croq.trigger
    // CHECK-NEXT: }
    // CHECK-NEXT: croq.foreach [[I:%.*]] in 8 to 9 {
    // CHECK-NEXT: croq.trigger {{%.*}} at [[I]]
    // CHECK-NEXT: }
    croq.foreach %i in 9 unroll 4 {
      croq.trigger %e at %i
    }
    // CHECK-NEXT: croq.trigger {{%.*}} at 0
    // CHECK-NEXT: croq.trigger {{%.*}} at 1
    // CHECK-NEXT: croq.trigger {{%.*}} at 2
    croq.foreach %i in 3 unroll 4 {
      croq.trigger %e at %i
    }
    // CHECK-NEXT: croq.foreach {{%.*}} in 9 {
    croq.foreach %i in 9 unroll 1 {
      croq.trigger %e at %i
    }
  }
}
