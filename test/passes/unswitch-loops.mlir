// RUN: croq-opt --unswitch-loops %s --allow-unregistered-dialect | filecheck %s

// A nest of loops in which one thread does everything becomes its own; arithmetic goes
// with it.

// CHECK-LABEL: llvm.func @producer(
// CHECK-SAME:    [[N:%[^:]+]]: i32, [[LEADER:%[^:]+]]: i1
// CHECK:         scf.if [[LEADER]] {
// CHECK-NEXT:      scf.for [[T:%[^ ]+]] = {{.*}} iter_args([[BASE:%.*]] =
// CHECK-NEXT:        scf.for [[K:%[^ ]+]] =
// CHECK-NEXT:          [[ORDER:%.*]] = arith.remui [[BASE]], [[K]]
// CHECK-NEXT:          "test.load"([[ORDER]])
// CHECK-NEXT:        }
// CHECK-NEXT:        [[NEXT:%.*]] = arith.addi [[BASE]], [[N]]
// CHECK-NEXT:        scf.yield [[NEXT]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.return
llvm.func @producer(%n: i32, %leader: i1) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> (i32) : i32 {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %order = arith.remui %base, %k : i32
      scf.if %leader {
        "test.load"(%order) : (i32) -> ()
        scf.yield
      }
      scf.yield
    }
    %next = arith.addi %base, %n : i32
    scf.yield %next : i32
  }
  llvm.return
}

// It stays where others have something to do in the loop or use what it computes, and
// where the condition changes from turn to turn.

// CHECK-LABEL: llvm.func @stays(
// CHECK:         scf.for
// CHECK-NEXT:      "test.wait"
// CHECK-NEXT:      scf.if
// CHECK:         [[SUM:%.*]] = scf.for
// CHECK:           scf.if
// CHECK:         "test.use"([[SUM]])
// CHECK:         scf.for
// CHECK-NEXT:      [[ODD:%.*]] = arith.cmpi
// CHECK-NEXT:      scf.if [[ODD]]
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        "test.load"
// CHECK-NEXT:      } else {
llvm.func @stays(%n: i32, %leader: i1) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    "test.wait"(%k) : (i32) -> ()
    scf.if %leader {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    }
  }
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    scf.if %leader {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    }
    %next = arith.addi %s, %k : i32
    scf.yield %next : i32
  }
  "test.use"(%sum) : (i32) -> ()
  scf.for %k = %c0 to %n step %c1 : i32 {
    %odd = arith.cmpi eq, %k, %c1 : i32
    scf.if %odd {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    }
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.if %leader {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    } else {
      "test.other"(%k) : (i32) -> ()
      scf.yield
    }
  }
  llvm.return
}
