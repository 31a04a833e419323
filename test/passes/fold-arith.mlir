// RUN: croq-opt --fold-arith %s --allow-unregistered-dialect --split-input-file | filecheck %s

// CHECK-LABEL: llvm.func @powers_of_two(
// CHECK-SAME:    [[X:%[^:]+]]: i32
// CHECK-DAG:     [[C3:%.*]] = arith.constant 3 : i32
// CHECK:         [[MUL:%.*]] = arith.shli [[X]], [[C3]]
// CHECK:         [[DIV:%.*]] = arith.shrui [[X]], {{%.*}}
// CHECK:         [[REM:%.*]] = arith.andi [[X]], {{%.*}}
// CHECK:         "test.use"([[MUL]], [[DIV]], [[REM]])
llvm.func @powers_of_two(%x: i32) {
  %c8 = arith.constant 8 : i32
  %mul = arith.muli %x, %c8 : i32
  %div = arith.divui %x, %c8 : i32
  %rem = arith.remui %x, %c8 : i32
  "test.use"(%mul, %div, %rem) : (i32, i32, i32) -> ()
  llvm.return
}

// -----

// Constants of a sum come together at its end; what nothing uses is gone.

// CHECK-LABEL: llvm.func @sums(
// CHECK-SAME:    [[X:%[^:]+]]: i32, [[Y:%[^:]+]]: i32
// CHECK-NEXT:    [[XY:%.*]] = arith.addi [[X]], [[Y]]
// CHECK-NEXT:    [[C:%.*]] = arith.constant 9 : i32
// CHECK-NEXT:    [[S:%.*]] = arith.addi [[XY]], [[C]]
// CHECK-NEXT:    "test.use"([[S]], [[X]])
llvm.func @sums(%x: i32, %y: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %a = arith.addi %c7, %x : i32
  %b = arith.addi %a, %y : i32
  %m = arith.addi %b, %c7 : i32
  %s = arith.subi %m, %c5 : i32
  %i = arith.muli %x, %c1 : i32
  %j = arith.addi %i, %c0 : i32
  "test.use"(%s, %j) : (i32, i32) -> ()
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @addresses(
// CHECK-SAME:    [[P:%[^:]+]]: !llvm.ptr<3>, [[X:%[^:]+]]: i32
// CHECK-NEXT:    [[Q:%.*]] = llvm.getelementptr [[P]][[[X]]]
// CHECK-NEXT:    [[R:%.*]] = llvm.getelementptr [[Q]][116]
// CHECK-NEXT:    "test.use"([[R]])
llvm.func @addresses(%p: !llvm.ptr<3>, %x: i32) {
  %c16 = arith.constant 16 : i32
  %y = arith.addi %x, %c16 : i32
  %a = llvm.getelementptr %p[100] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %b = llvm.getelementptr %a[%y] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %c = llvm.getelementptr %b[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  "test.use"(%c) : (!llvm.ptr<3>) -> ()
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @conditions(
// CHECK-SAME:    [[X:%[^:]+]]: i32, [[Y:%[^:]+]]: i32
// CHECK-NEXT:    [[GE:%.*]] = arith.cmpi uge, [[X]], [[Y]]
// CHECK-NEXT:    [[T:%.*]] = arith.constant true
// CHECK-NEXT:    "test.use"([[GE]], [[T]], [[Y]])
llvm.func @conditions(%x: i32, %y: i32) {
  %true = arith.constant true
  %c3 = arith.constant 3 : i32
  %cm = arith.constant -1 : i32
  %lt = arith.cmpi ult, %x, %y : i32
  %ge = arith.xori %lt, %true : i1
  %k = arith.cmpi ult, %c3, %cm : i32
  %s = arith.select %k, %y, %x : i32
  "test.use"(%ge, %k, %s) : (i1, i1, i32) -> ()
  llvm.return
}

// -----

// Neighbours of one condition become one; pure ops between them move up.

// CHECK-LABEL: llvm.func @branches(
// CHECK:         [[S:%.*]] = arith.addi
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:      nvvm.bar.warp.sync [[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.barrier
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      nvvm.fence.mbarrier.init
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.return
llvm.func @branches(%c: i1, %x: i32) {
  %true = arith.constant true
  %false = arith.constant false
  scf.if %c {
    nvvm.cp.async.bulk.commit.group
  }
  %s = arith.addi %x, %x : i32
  scf.if %c {
    nvvm.bar.warp.sync %s : i32
  }
  scf.if %true {
    nvvm.barrier
  }
  scf.if %false {
    nvvm.fence.sc.cluster
  }
  scf.if %c {
    nvvm.fence.mbarrier.init
  }
  llvm.return
}

// -----

// Constant indices have 32 bits: what does not fit stays apart.
// CHECK-LABEL: llvm.func @far(
// CHECK-SAME:    [[P:%[^:]+]]: !llvm.ptr<1>, [[X:%[^:]+]]: i64
// CHECK-DAG:     [[BIG:%.*]] = arith.constant 2999999999 : i64
// CHECK:         [[FAR:%.*]] = llvm.getelementptr [[P]][[[BIG]]]
// CHECK:         [[NEAR:%.*]] = llvm.getelementptr [[P]][2000000000]
// CHECK:         [[SUM:%.*]] = llvm.getelementptr [[NEAR]][2000000000]
// CHECK:         [[BOTH:%.*]] = llvm.getelementptr [[P]][2147483647]
// CHECK:         "test.use"([[FAR]], [[SUM]], [[BOTH]])
llvm.func @far(%p: !llvm.ptr<1>, %x: i64) {
  %big = arith.constant 2999999999 : i64
  %far = llvm.getelementptr %p[%big] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %near = llvm.getelementptr %p[2000000000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %sum = llvm.getelementptr %near[2000000000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %both = llvm.getelementptr %near[147483647] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  "test.use"(%far, %sum, %both) : (!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) -> ()
  llvm.return
}

// -----

// Bytes have no constants; what is made of one has.
// CHECK-LABEL: llvm.func @bytes(
// CHECK-DAG:     [[K:%.*]] = arith.constant 506 : i32
// CHECK-DAG:     [[U:%.*]] = arith.constant 250 : i32
// CHECK-DAG:     [[S:%.*]] = arith.constant -6 : i32
// CHECK-DAG:     [[B:%.*]] = arith.trunci [[K]] : i32 to i8
// CHECK:         "test.use"([[B]], [[U]], [[S]])
llvm.func @bytes() {
  %k = arith.constant 506 : i32
  %b = arith.trunci %k : i32 to i8
  %u = arith.extui %b : i8 to i32
  %s = arith.extsi %b : i8 to i32
  "test.use"(%b, %u, %s) : (i8, i32, i32) -> ()
  llvm.return
}
