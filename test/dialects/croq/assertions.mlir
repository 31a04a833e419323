// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC
// RUN: croq-opt -p croq-to-ptx %s | filecheck %s --check-prefix=PLAN

// PLAN: checks = [{kind = "condition", what = "M >= 64 or M == N", message = "rows", values = affine_map<(d0, d1) -> ((d0 + -64), (d0 + (d1 * -1)))>, relations = ["ge", "eq"], location =
// PLAN-SAME: {kind = "condition", what = "N / 4 < 100", message = "short", values = affine_map<(d0, d1) -> (((d1 floordiv 4) + -100))>, relations = ["lt"], location =
// PLAN-SAME: {kind = "condition", what = "M != 3", message = "short",
// CHECK: croq.kernel @k dims(M, N)
croq.kernel @k dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>) {
  %m = croq.dim M
  %n = croq.dim N
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %enough = arith.cmpi sge, %m, %c64 : index
  %square = arith.cmpi eq, %m, %n : index
  %either = arith.ori %enough, %square : i1
  // CHECK: croq.assert %either, "rows"
  // GENERIC: "croq.assert"(%either) <{message = "rows"}> : (i1) -> ()
  croq.assert %either, "rows"
  %tiles = arith.divui %n, %c4 : index
  %short = arith.cmpi ult, %tiles, %c100 : index
  %three = arith.cmpi eq, %m, %c3 : index
  %not_three = arith.xori %three, %true : i1
  %both = arith.andi %short, %not_three : i1
  croq.assert %both, "short"
  // What is known to hold is no check.
  %known = arith.cmpi ult, %c3, %c4 : index
  %known_or = arith.ori %known, %three : i1
  croq.assert %known_or, "known"
  croq.parallel (%b) in (M) : block {
    croq.parallel (%t) in (32) : thread {
      %v = croq.load %x[%b, 0]
      %zero = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %v, %zero : f32
      // CHECK: croq.assert %positive, "positive"
      croq.assert %positive, "positive"
    }
  }
}
