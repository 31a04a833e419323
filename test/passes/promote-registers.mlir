// RUN: croq-opt --promote-registers --split-input-file --verify-diagnostics %s | filecheck %s

// An element takes what was stored last; a loop carries those that it changes, and no
// others.
gpu.module @m {
  // CHECK-LABEL: llvm.func @loop
  llvm.func @loop(%n: i32, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    // CHECK-NOT: llvm.alloca
    %r = llvm.alloca %c2 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    %second = llvm.getelementptr %r[4] : (!llvm.ptr<5>) -> !llvm.ptr<5>, i8
    llvm.store %x, %r : f32, !llvm.ptr<5>
    llvm.store %x, %second : f32, !llvm.ptr<5>
    // CHECK: [[SUM:%.*]] = scf.for {{%.*}} = {{%.*}} to {{%.*}} step {{%.*}} iter_args([[R:%.*]] = [[X:%.*]]) -> (f32)
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = llvm.load %r : !llvm.ptr<5> -> f32
      %b = llvm.load %second : !llvm.ptr<5> -> f32
      // CHECK: [[T:%.*]] = arith.addf [[R]], [[X]] : f32
      %t = arith.addf %a, %b : f32
      // CHECK-NEXT: scf.yield [[T]] : f32
      llvm.store %t, %r : f32, !llvm.ptr<5>
    }
    %sum = llvm.load %r : !llvm.ptr<5> -> f32
    // CHECK: llvm.store [[SUM]]
    llvm.store %sum, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Nothing is carried into a loop that stores an element before it reads it.
gpu.module @m {
  // CHECK-LABEL: llvm.func @temporary
  llvm.func @temporary(%n: i32, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = llvm.alloca %c1 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    // CHECK: scf.for {{%.*}} = {{%.*}} to {{%.*}} step {{%.*}} : i32 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: llvm.store [[X:%.*]], {{%.*}} : f32, !llvm.ptr<1>
      llvm.store %x, %r : f32, !llvm.ptr<5>
      %a = llvm.load %r : !llvm.ptr<5> -> f32
      llvm.store %a, %out : f32, !llvm.ptr<1>
    }
    llvm.return
  }
}

// -----

// A condition results in what it may change, if that is read later.
gpu.module @m {
  // CHECK-LABEL: llvm.func @condition
  llvm.func @condition(%p: i1, %x: i32, %y: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c1 = arith.constant 1 : i32
    %r = llvm.alloca %c1 x i32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    llvm.store %x, %r : i32, !llvm.ptr<5>
    // CHECK:      [[R:%.*]] = scf.if {{%.*}} -> (i32) {
    // CHECK-NEXT:   scf.yield [[Y:%.*]] : i32
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   scf.yield [[X:%.*]] : i32
    // CHECK-NEXT: }
    scf.if %p {
      llvm.store %y, %r : i32, !llvm.ptr<5>
    }
    // CHECK-NEXT: llvm.store [[R]]
    %a = llvm.load %r : !llvm.ptr<5> -> i32
    llvm.store %a, %out : i32, !llvm.ptr<1>
    // CHECK-NOT: scf.if {{%.*}} ->
    scf.if %p {
      llvm.store %y, %r : i32, !llvm.ptr<5>
    }
    llvm.return
  }
}

// -----

// So does a loop of a condition, through both of its regions.
gpu.module @m {
  // CHECK-LABEL: llvm.func @while
  llvm.func @while(%n: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c1 = arith.constant 1 : i32
    %r = llvm.alloca %c1 x i32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    llvm.store %n, %r : i32, !llvm.ptr<5>
    // CHECK:      [[END:%.*]] = scf.while ([[A:%.*]] = {{%.*}}) : (i32) -> i32 {
    // CHECK-NEXT:   [[MORE:%.*]] = arith.cmpi ugt, [[A]]
    // CHECK-NEXT:   scf.condition([[MORE]]) [[A]] : i32
    // CHECK-NEXT: } do {
    scf.while () : () -> () {
      %a = llvm.load %r : !llvm.ptr<5> -> i32
      %more = arith.cmpi ugt, %a, %c1 : i32
      scf.condition(%more)
    } do {
      // CHECK:      [[HALF:%.*]] = arith.shrui
      // CHECK-NEXT: scf.yield [[HALF]] : i32
      %b = llvm.load %r : !llvm.ptr<5> -> i32
      %half = arith.shrui %b, %c1 : i32
      llvm.store %half, %r : i32, !llvm.ptr<5>
      scf.yield
    }
    // CHECK: llvm.store [[END]]
    %end = llvm.load %r : !llvm.ptr<5> -> i32
    llvm.store %end, %out : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// An index that is not constant keeps the array in memory.
gpu.module @m {
  // CHECK-LABEL: llvm.func @memory
  llvm.func @memory(%i: i32, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c4 = arith.constant 4 : i32
    // CHECK: llvm.alloca
    // expected-warning@+1 {{'llvm.alloca' op register tile is in local memory: an index is not constant}}
    %r = llvm.alloca %c4 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    // expected-note@+1 {{the index is used here}}
    %p = llvm.getelementptr %r[%i] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, f32
    // CHECK: llvm.store {{%.*}} !llvm.ptr<5>
    llvm.store %x, %r : f32, !llvm.ptr<5>
    %a = llvm.load %p : !llvm.ptr<5> -> f32
    llvm.store %a, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// So does an access of another type than the elements have, which may cover several of them.
gpu.module @m {
  // CHECK-LABEL: llvm.func @bytes
  llvm.func @bytes(%p: i1, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c8 = arith.constant 8 : i32
    // CHECK: llvm.alloca
    // expected-warning@+1 {{'llvm.alloca' op register tile is in local memory: an access is not of one of its elements}}
    %r = llvm.alloca %c8 x i8 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    // CHECK: scf.if {{%.*}} {
    // CHECK-NEXT: llvm.store {{%.*}} : f32, !llvm.ptr<5>
    scf.if %p {
      llvm.store %x, %r : f32, !llvm.ptr<5>
    }
    // expected-note@+1 {{the access is here}}
    %a = llvm.load %r : !llvm.ptr<5> -> f32
    llvm.store %a, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Or one that starts inside of an element.
gpu.module @m {
  // CHECK-LABEL: llvm.func @inside
  llvm.func @inside(%x: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c8 = arith.constant 8 : i32
    // CHECK: llvm.alloca
    // expected-warning@+1 {{'llvm.alloca' op register tile is in local memory: an access is not of one of its elements}}
    %r = llvm.alloca %c8 x i32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    %q = llvm.getelementptr %r[2] : (!llvm.ptr<5>) -> !llvm.ptr<5>, i8
    llvm.store %x, %r : i32, !llvm.ptr<5>
    // expected-note@+1 {{the access is here}}
    llvm.store %x, %q : i32, !llvm.ptr<5>
    %a = llvm.load %r : !llvm.ptr<5> -> i32
    llvm.store %a, %out : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Or an address that is stored.
gpu.module @m {
  // CHECK-LABEL: llvm.func @escapes
  llvm.func @escapes(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c8 = arith.constant 8 : i32
    // CHECK: llvm.alloca
    // expected-warning@+1 {{'llvm.alloca' op register tile is in local memory: its address is more than that of a load or a store}}
    %r = llvm.alloca %c8 x i32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    // expected-note@+1 {{the address is used here}}
    llvm.store %r, %out : !llvm.ptr<5>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Where a kernel branches no array becomes values: loops and conditions alone can carry them.
gpu.module @m {
  // CHECK-LABEL: llvm.func @branches
  llvm.func @branches(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c1 = arith.constant 1 : i32
    // CHECK: llvm.alloca
    // expected-warning@+1 {{'llvm.alloca' op register tile is in local memory: the kernel has several blocks}}
    %r = llvm.alloca %c1 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    llvm.store %x, %r : f32, !llvm.ptr<5>
    // expected-note@+1 {{the first block ends here}}
    cf.br ^bb1
  ^bb1:
    // CHECK: llvm.load {{%.*}} : !llvm.ptr<5> -> f32
    %a = llvm.load %r : !llvm.ptr<5> -> f32
    llvm.store %a, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// What an inner loop reads first, loops around it carry.
gpu.module @m {
  // CHECK-LABEL: llvm.func @nested
  llvm.func @nested(%n: i32, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = llvm.alloca %c1 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
    llvm.store %x, %r : f32, !llvm.ptr<5>
    // CHECK: scf.for {{.*}} iter_args([[A:%.*]] = {{%.*}}) -> (f32)
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: [[C:%.*]] = scf.for {{.*}} iter_args([[B:%.*]] = [[A]]) -> (f32)
      scf.for %j = %c0 to %n step %c1 : i32 {
        // CHECK-NEXT: llvm.store [[B]], {{%.*}} : f32, !llvm.ptr<1>
        %a = llvm.load %r : !llvm.ptr<5> -> f32
        llvm.store %a, %out : f32, !llvm.ptr<1>
        // CHECK-NEXT: [[D:%.*]] = arith.addf [[B]], [[B]] : f32
        // CHECK-NEXT: scf.yield [[D]] : f32
        %d = arith.addf %a, %a : f32
        llvm.store %d, %r : f32, !llvm.ptr<5>
      }
      // CHECK: scf.yield [[C]] : f32
    }
    llvm.return
  }
}
