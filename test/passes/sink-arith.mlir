// RUN: croq-opt --sink-arith %s --allow-unregistered-dialect | filecheck %s

// What only the code behind a loop uses moves there, before the wait for what the loop
// has left in flight; in order, remainders and divisions too.

// CHECK-LABEL: llvm.func @behind(
// CHECK-SAME:    [[T:%[^:]+]]: i32, [[N:%[^:]+]]: i32
// CHECK-NOT:     arith.divui
// CHECK:         scf.for
// CHECK:         }
// CHECK-NEXT:    [[D:%.*]] = arith.divui [[T]], [[N]]
// CHECK-NEXT:    [[R:%.*]] = arith.remui [[T]], [[N]]
// CHECK-NEXT:    [[S:%.*]] = arith.addi [[D]], [[R]]
// CHECK-NEXT:    nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT:    "test.use"([[S]])
llvm.func @behind(%t: i32, %n: i32) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = arith.divui %t, %n : i32
  %r = arith.remui %t, %n : i32
  %s = arith.addi %d, %r : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    "test.body"(%k) : (i32) -> ()
  }
  nvvm.wgmma.wait.group.sync.aligned 0
  "test.use"(%s) : (i32) -> ()
  llvm.return
}

// What the loop itself uses stays, and what has effects; only the first loop is passed.

// CHECK-LABEL: llvm.func @stays(
// CHECK:         [[A:%.*]] = arith.muli
// CHECK-NEXT:    [[L:%.*]] = llvm.load
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      "test.body"([[A]])
// CHECK-NEXT:    }
// CHECK-NEXT:    [[B:%.*]] = arith.addi
// CHECK-NEXT:    "test.use"([[A]], [[L]])
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      "test.body"([[B]])
llvm.func @stays(%t: i32, %n: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = arith.muli %t, %n : i32
  %b = arith.addi %t, %n : i32
  %l = llvm.load %p : !llvm.ptr<1> -> i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    "test.body"(%a) : (i32) -> ()
  }
  "test.use"(%a, %l) : (i32, i32) -> ()
  scf.for %k = %c0 to %n step %c1 : i32 {
    "test.body"(%b) : (i32) -> ()
  }
  llvm.return
}
