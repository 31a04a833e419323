// RUN: croq-opt --narrow-index %s | filecheck %s
// RUN: croq-opt --narrow-index --narrow-index %s | filecheck %s
// RUN: croq-opt --narrow-index %s | filecheck %s --check-prefix=NONE

// NONE-NOT: index

gpu.module @m {
  // CHECK-LABEL: llvm.func @kernel(
  // CHECK-SAME:    [[N:%.*]]: i32, [[WIDE:%.*]]: i64, [[P:%.*]]: !llvm.ptr<1>)
  llvm.func @kernel(%n32: i32, %wide: i64, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    // CHECK-NEXT:  [[C0:%.*]] = arith.constant 0 : i32
    // CHECK-NEXT:  [[CM1:%.*]] = arith.constant -1 : i32
    // CHECK-NEXT:  [[MAX:%.*]] = arith.constant 2147483647 : i32
    %c0 = arith.constant 0 : index
    %cm1 = arith.constant -1 : index
    %max = arith.constant 2147483647 : index
    // A cast between index and i32 is nothing.
    // CHECK-NEXT:  [[SUM:%.*]] = arith.addi [[N]], [[CM1]] : i32
    %n = arith.index_cast %n32 : i32 to index
    %sum = arith.addi %n, %cm1 : index
    // A wider integer is truncated, a wider result sign-extended.
    // CHECK-NEXT:  [[LOW:%.*]] = arith.trunci [[WIDE]] : i64 to i32
    // CHECK-NEXT:  [[WIDE_SUM:%.*]] = arith.extsi [[SUM]] : i32 to i64
    %low = arith.index_cast %wide : i64 to index
    %wide_sum = arith.index_cast %sum : index to i64
    // CHECK-NEXT:  llvm.store [[WIDE_SUM]], [[P]] : i64, !llvm.ptr<1>
    llvm.store %wide_sum, %p : i64, !llvm.ptr<1>
    // CHECK-NEXT:  [[BYTE:%.*]] = arith.trunci [[LOW]] : i32 to i8
    // CHECK-NEXT:  llvm.store [[BYTE]], [[P]] : i8, !llvm.ptr<1>
    %byte = arith.index_cast %low : index to i8
    llvm.store %byte, %p : i8, !llvm.ptr<1>
    // CHECK-NEXT:  [[LESS:%.*]] = arith.cmpi ult, [[SUM]], [[MAX]] : i32
    // CHECK-NEXT:  [[PICK:%.*]] = arith.select [[LESS]], [[SUM]], [[MAX]] : i32
    %less = arith.cmpi ult, %sum, %max : index
    %pick = arith.select %less, %sum, %max : index
    // CHECK-NEXT:  [[LOOP:%.*]] = scf.for [[I:%.*]] = [[C0]] to [[PICK]] step [[N]] iter_args([[ACC:%.*]] = [[C0]]) -> (i32) : i32 {
    // CHECK-NEXT:    [[NEXT:%.*]] = arith.addi [[ACC]], [[I]] : i32
    // CHECK-NEXT:    scf.yield [[NEXT]] : i32
    // CHECK-NEXT:  }
    %loop = scf.for %i = %c0 to %pick step %n iter_args(%acc = %c0) -> (index) {
      %next = arith.addi %acc, %i : index
      scf.yield %next : index
    }
    // CHECK-NEXT:  [[IF:%.*]] = scf.if [[LESS]] -> (i32) {
    // CHECK-NEXT:    scf.yield [[LOOP]] : i32
    // CHECK-NEXT:  } else {
    // CHECK-NEXT:    scf.yield [[C0]] : i32
    // CHECK-NEXT:  }
    %if = scf.if %less -> (index) {
      scf.yield %loop : index
    } else {
      scf.yield %c0 : index
    }
    // CHECK-NEXT:  [[WHILE:%.*]] = scf.while ([[A:%.*]] = [[IF]]) : (i32) -> i32 {
    // CHECK-NEXT:    [[MORE:%.*]] = arith.cmpi ult, [[A]], [[N]] : i32
    // CHECK-NEXT:    scf.condition([[MORE]]) [[A]] : i32
    // CHECK-NEXT:  } do {
    // CHECK-NEXT:  ^{{.*}}([[B:%.*]]: i32):
    // CHECK-NEXT:    [[C:%.*]] = arith.muli [[B]], [[N]] : i32
    // CHECK-NEXT:    scf.yield [[C]] : i32
    // CHECK-NEXT:  }
    %while = scf.while (%a = %if) : (index) -> index {
      %more = arith.cmpi ult, %a, %n : index
      scf.condition(%more) %a : index
    } do {
    ^bb0(%b: index):
      %c = arith.muli %b, %n : index
      scf.yield %c : index
    }
    // CHECK-NEXT:  llvm.store [[WHILE]], [[P]] : i32, !llvm.ptr<1>
    %while32 = arith.index_cast %while : index to i32
    llvm.store %while32, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
