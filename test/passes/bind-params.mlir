// RUN: croq-opt --bind-params %s | filecheck %s --check-prefixes=CHECK,DEFAULT
// RUN: croq-opt --bind-params{Depth=3} %s | filecheck %s --check-prefix=BOUND

// Types, positions, bounds, `croq.dim` and folded arithmetic; `%half` is 2 by default.
// BOUND: croq.kernel @ring dims(M) ([[SRC:%.*]]: !croq.tile<[M]x64xf16, global>) {
// CHECK: croq.kernel @ring dims(M) ([[SRC:%.*]]: !croq.tile<[M]x64xf16, global>) {
croq.kernel @ring dims(M) params(Depth = 4) (%src: !croq.tile<[M]x64xf16, global>) {
  %tiles = croq.cdiv M, 64
  croq.parallel (%b) in (%tiles) : block {
    // BOUND: [[EV:%.*]] = croq.event : !croq.event<3>
    // DEFAULT: [[EV:%.*]] = croq.event : !croq.event<4>
    %filled = croq.event : !croq.event<[Depth]>
    // BOUND: [[BUF:%.*]] = croq.alloc : !croq.tile<3x64x64xf16, shared>
    // DEFAULT: [[BUF:%.*]] = croq.alloc : !croq.tile<4x64x64xf16, shared>
    %buf = croq.alloc : !croq.tile<[Depth]x64x64xf16, shared>
    // BOUND: croq.foreach [[K:%.*]] in 3 iter({{.*}}) {
    // DEFAULT: croq.foreach [[K:%.*]] in 4 iter({{.*}}) {
    %c5 = arith.constant 5 : index
    %last = croq.foreach %k in Depth iter(%x = %c5) {
      // DEFAULT: [[ST:%.*]] = croq.slot [[BUF]] at [[K]] + 4
      %stage = croq.slot %buf at %k + Depth
      // DEFAULT: [[WIN:%.*]] = croq.subspan [[SRC]] [64, 64] tile ([[K]], 0)
      %win = croq.subspan %src [64, 64] tile (%k, 0)
      // DEFAULT: croq.copy_async [[WIN]] => [[ST]] engine(tma)
      %f = croq.copy_async %win => %stage engine(tma)
      // BOUND: croq.trigger [[EV]] at [[K]] + 3 after
      // DEFAULT: croq.trigger [[EV]] at [[K]] + 4 after
      croq.trigger %filled at %k + Depth after %f
      // BOUND: croq.wait [[EV]] at 2
      // DEFAULT: croq.wait [[EV]] at 2
      %half = croq.cdiv Depth, 2
      croq.wait %filled at %half
      // DEFAULT: [[D:%.*]] = arith.constant 4 : index
      // DEFAULT-NEXT: [[SUM:%.*]] = arith.addi [[D]], {{%.*}} : index
      %depth = croq.dim Depth
      %sum = arith.addi %depth, %x : index
      croq.yield %sum : index
    }
    // 3 * 4 + 1 is an integer where it is an operand of a croq op.
    // BOUND: croq.wait [[EV]] at 10
    // DEFAULT: croq.wait [[EV]] at 13
    %three = arith.constant 3 : index
    %one = arith.constant 1 : index
    %d = croq.dim Depth
    %product = arith.muli %d, %three : index
    %order = arith.addi %product, %one : index
    croq.wait %filled at %order
    // BOUND-NOT: Depth
    // DEFAULT-NOT: Depth
  }
}

// A chunk of a dim that a parameter gives has a known extent afterwards; so has what a
// loop carries.
// CHECK: croq.kernel @chunk
croq.kernel @chunk params(Rows = 32) () {
  croq.parallel (%b) in (1) : block {
    // CHECK: [[T:%.*]] = croq.alloc : !croq.tile<32x16xf32, shared>
    %t = croq.alloc : !croq.tile<[Rows]x16xf32, shared>
    %quarter = croq.chunkat %t [4, _] at (1, _)
    // CHECK: [[R:%.*]] = croq.foreach {{.*}} iter([[A:%.*]] = {{%.*}}) {
    // CHECK-NEXT: croq.yield [[A]] : !croq.tile<8x16xf32, shared>
    %r = croq.foreach %i in 3 iter(%a = %quarter) {
      croq.yield %a : !croq.tile<?x16xf32, shared>
    }
  }
}

// Extents of windows and accumulators are parameters too.
// CHECK: croq.kernel @tiles
croq.kernel @tiles dims(M, K) params(Rows = 64, Cols = 32) (%x: !croq.tile<[M]x[K]xf16, global>) {
  croq.parallel (%b) in (1) : block {
    // CHECK: [[T:%.*]] = croq.alloc : !croq.tile<64x32xf16, shared>
    %t = croq.alloc : !croq.tile<[Rows]x[Cols]xf16, shared>
    // CHECK-NEXT: [[W:%.*]] = croq.subspan %x [64, 32] tile ({{%.*}}, 0)
    // CHECK-NEXT: croq.copy [[W]] => [[T]]
    %w = croq.subspan %x [Rows, Cols] tile (%b, 0)
    croq.copy %w => %t
    // CHECK-NEXT: [[Z:%.*]] = croq.mma.fill 0.000000e+00 : !croq.acc<64x64xf32>
    // CHECK-NEXT: [[C:%.*]] = croq.mma.exec row.row [[Z]], [[T]], [[T]]
    %z = croq.mma.fill 0.0 : !croq.acc<[Rows]x[Rows]xf32>
    %c = croq.mma.exec row.row %z, %t, %t
  }
}
