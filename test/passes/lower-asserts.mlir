// RUN: croq-opt --lower-asserts %s | filecheck %s

// An assertion in a block ends the grid where it does not hold; one outside of it is a
// rule of the launch, and stays for --lower-parallel.

// CHECK: croq.kernel @k
croq.kernel @k dims(M) (%x: !croq.tile<[M]xf32, global>) {
  %m = croq.dim M
  %c64 = arith.constant 64 : index
  %enough = arith.cmpi sge, %m, %c64 : index
  // CHECK: croq.assert %enough, "rows"
  croq.assert %enough, "rows"
  croq.parallel (%b) in (M) : block {
    croq.parallel (%t) in (32) : thread {
      %v = croq.load %x[%b]
      %zero = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %v, %zero : f32
      // CHECK: [[TRUE:%.*]] = arith.constant true
      // CHECK-NEXT: [[NOT:%.*]] = arith.xori %positive, [[TRUE]] : i1
      // CHECK-NEXT: scf.if [[NOT]] {
      // CHECK-NEXT:   llvm.intr.trap
      // CHECK-NEXT: }
      croq.assert %positive, "positive"
    }
  }
}
