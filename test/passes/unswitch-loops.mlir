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

// So does a loop of several such conditionals, with arithmetic between them.

// CHECK-LABEL: llvm.func @parts(
// CHECK-SAME:    [[LEADER:%[^:]+]]: i1
// CHECK:         scf.if [[LEADER]] {
// CHECK-NEXT:      scf.for [[K:%[^ ]+]] =
// CHECK-NEXT:        "test.wait"([[K]])
// CHECK-NEXT:        [[NEXT:%[^ ]+]] = arith.addi [[K]], [[K]]
// CHECK-NEXT:        "test.load"([[NEXT]])
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.return
llvm.func @parts(%n: i32, %leader: i1) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.if %leader {
      "test.wait"(%k) : (i32) -> ()
      scf.yield
    }
    %next = arith.addi %k, %k : i32
    scf.if %leader {
      "test.load"(%next) : (i32) -> ()
      scf.yield
    }
    scf.yield
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

// Three loops deep; the innermost spins on a barrier. A condition that changes from turn to
// turn of an outer loop stops there.

// CHECK-LABEL: llvm.func @deep(
// CHECK-SAME:    [[N:%[^:]+]]: i32, [[LEADER:%[^:]+]]: i1
// CHECK:         scf.if [[LEADER]] {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          [[P:%.*]] = llvm.getelementptr
// CHECK-NEXT:          scf.for
// CHECK-NEXT:            [[PARITY:%.*]] = arith.andi
// CHECK-NEXT:            scf.while () : () -> () {
// CHECK-NEXT:              nvvm.mbarrier.try_wait [[P]], [[PARITY]]
// CHECK-NOT:       scf.if
// CHECK:         scf.for [[T:%[^ ]+]] =
// CHECK-NEXT:      [[ODD:%.*]] = arith.cmpi eq, [[T]],
// CHECK-NEXT:      scf.if [[ODD]] {
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          scf.for
// CHECK-NEXT:            "test.load"
// CHECK:         llvm.return
llvm.func @deep(%n: i32, %leader: i1, %bar: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %t = %c0 to %n step %c1 : i32 {
    scf.for %u = %c0 to %t step %c1 : i32 {
      %p = llvm.getelementptr %bar[%u] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      scf.for %k = %c0 to %u step %c1 : i32 {
        %parity = arith.andi %k, %c1 : i32
        scf.if %leader {
          scf.while () : () -> () {
            %done = nvvm.mbarrier.try_wait %p, %parity : !llvm.ptr<3>, i32 -> i1
            %again = arith.xori %done, %leader : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          "test.load"(%k) : (i32) -> ()
          scf.yield
        }
      }
    }
  }
  scf.for %t = %c0 to %n step %c1 : i32 {
    %odd = arith.cmpi eq, %t, %c1 : i32
    scf.for %u = %c0 to %n step %c1 : i32 {
      scf.for %k = %c0 to %n step %c1 : i32 {
        scf.if %odd {
          "test.load"(%k) : (i32) -> ()
          scf.yield
        }
      }
    }
  }
  llvm.return
}

// Products that the threads of a warp compute together are not left to one thread, though
// they have no effects; nor does a condition leave the loop that carries it, or one of two
// conditionals that differ.

// CHECK-LABEL: llvm.func @together(
// CHECK:         scf.for
// CHECK-NEXT:      nvvm.mma.sync
// CHECK:           scf.if
// CHECK:         scf.for
// CHECK-NEXT:      scf.if [[C:%.*]] {
// CHECK:         scf.for
// CHECK-NEXT:      scf.if [[A:%.*]] {
// CHECK-NEXT:        "test.load"
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if
llvm.func @together(%n: i32, %leader: i1, %other: i1, %v: vector<2xf16>, %f: f32) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  scf.for %k = %c0 to %n step %c1 : i32 {
    %r = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %x = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
    scf.if %leader {
      "test.store"(%x) : (f32) -> ()
      scf.yield
    }
  }
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%c = %leader) -> (i1) : i32 {
    scf.if %c {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    }
    scf.yield %false : i1
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.if %leader {
      "test.load"(%k) : (i32) -> ()
      scf.yield
    }
    scf.if %other {
      "test.store"(%k) : (i32) -> ()
      scf.yield
    }
  }
  llvm.return
}
