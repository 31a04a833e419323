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

// So does what the loop starts from, ends at and steps by, and what a region or a block
// around it uses. In a loop of its own, values go behind the inner one and before the end.

// CHECK-LABEL: llvm.func @uses(
// CHECK-COUNT-4: arith.addi
// CHECK-NEXT:    [[E:%.*]] = arith.muli
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        "test.body"
// CHECK:           [[NEXT:%.*]] = arith.subi
// CHECK-NEXT:      "test.use"([[IN:%.*]])
// CHECK-NEXT:      scf.yield [[NEXT]]
// CHECK:         [[F:%.*]] = arith.remui
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      "test.use"([[F]])
// CHECK:         cf.br
// CHECK:         "test.use"([[E]])
llvm.func @uses(%t: i32, %n: i32, %b: i1) attributes {nvvm.kernel} {
  %lower = arith.addi %t, %t : i32
  %upper = arith.addi %n, %n : i32
  %step = arith.addi %t, %n : i32
  %start = arith.addi %n, %t : i32
  %f = arith.remui %t, %n : i32
  %e = arith.muli %t, %n : i32
  %r = scf.for %k = %lower to %upper step %step iter_args(%i = %start) -> (i32) : i32 {
    %next = arith.subi %i, %t : i32
    scf.for %j = %lower to %i step %step : i32 {
      "test.body"(%j) : (i32) -> ()
    }
    "test.use"(%i) : (i32) -> ()
    scf.yield %next : i32
  }
  scf.if %b {
    "test.use"(%f) : (i32) -> ()
    scf.yield
  }
  cf.br ^bb1
^bb1:
  "test.use"(%e) : (i32) -> ()
  llvm.return
}

// Parts of an accumulator are read before a loop goes on in its registers, and floating
// point keeps its place.

// CHECK-LABEL: llvm.func @accumulators(
// CHECK:         [[X:%.*]] = llvm.extractvalue
// CHECK-NEXT:    [[Y:%.*]] = arith.addf
// CHECK-NEXT:    scf.for
// CHECK:         "test.use"([[Y]]
llvm.func @accumulators(%n: i32, %acc: !llvm.struct<(f32, f32, f32, f32)>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = llvm.extractvalue %acc[0] : !llvm.struct<(f32, f32, f32, f32)>
  %y = arith.addf %x, %x : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%c = %acc) -> (!llvm.struct<(f32, f32, f32, f32)>) : i32 {
    %d = "test.product"(%c) : (!llvm.struct<(f32, f32, f32, f32)>) -> (!llvm.struct<(f32, f32, f32, f32)>)
    scf.yield %d : !llvm.struct<(f32, f32, f32, f32)>
  }
  "test.use"(%y, %r) : (f32, !llvm.struct<(f32, f32, f32, f32)>) -> ()
  llvm.return
}
