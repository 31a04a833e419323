// RUN: croq-opt %s --predicate-branches | filecheck %s
// RUN: croq-opt %s '--predicate-branches{limit=1}' | filecheck %s --check-prefix=ONE
// RUN: croq-opt %s '--predicate-branches{limit=0}' | filecheck %s --check-prefix=NONE
// RUN: croq-opt %s -p predicate-branches,convert-to-ptx,assign-registers -t ptx | filecheck %s --check-prefix=PTX

// Short branches of `scf.if` at which the lanes of a warp part become straight code: computations
// move out, loads and stores get conditions of their own, and results are chosen. Branches that a
// whole warp takes alike stay, and so do those with anything that is more than a few instructions.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
gpu.module @m {
  // CHECK-LABEL: llvm.func @values
  // NONE-LABEL: llvm.func @values
  // PTX-LABEL: .entry values
  llvm.func @values(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = arith.constant 1 : i32
    %bit = arith.andi %tid, %one : i32
    %odd = arith.cmpi eq, %bit, %one : i32
    // CHECK: [[A:%.*]] = arith.mulf %x, %x : f32
    // CHECK-NEXT: [[B:%.*]] = arith.addf %x, %x : f32
    // CHECK-NEXT: [[R:%.*]] = arith.select %odd, [[A]], [[B]] : f32
    // CHECK-NEXT: llvm.store [[R]], %p
    // ONE: arith.select
    // NONE: scf.if
    // PTX: selp.f32
    %r = scf.if %odd -> (f32) {
      %a = arith.mulf %x, %x : f32
      scf.yield %a : f32
    } else {
      %b = arith.addf %x, %x : f32
      scf.yield %b : f32
    }
    llvm.store %r, %p : f32, !llvm.ptr<1>
    llvm.return
  }

  // Where nothing is loaded the result is zero, so that what is computed from it has a meaning.
  // CHECK-LABEL: llvm.func @accesses
  // PTX-LABEL: .entry accesses
  llvm.func @accesses(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %four = arith.constant 4 : i32
    %inside = arith.cmpi ult, %tid, %n : i32
    // CHECK: [[OFFSET:%.*]] = arith.muli %tid, %four : i32
    // CHECK-NEXT: [[AT:%.*]] = llvm.getelementptr %p[[[OFFSET]]]
    // CHECK-NEXT: [[ZERO:%.*]] = llvm.mlir.zero : f32
    // CHECK-NEXT: [[V:%.*]] = scf.if %inside -> (f32) {
    // CHECK-NEXT: [[L:%.*]] = llvm.load [[AT]]
    // CHECK-NEXT: scf.yield [[L]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield [[ZERO]]
    // CHECK-NEXT: }
    // CHECK-NEXT: [[W:%.*]] = arith.addf [[V]], [[V]] : f32
    // CHECK-NEXT: scf.if %inside {
    // CHECK-NEXT: llvm.store [[W]], [[AT]]
    // CHECK-NEXT: }
    // CHECK-NEXT: arith.constant true
    // CHECK-NEXT: [[OUT:%.*]] = arith.xori %inside
    // CHECK-NEXT: scf.if [[OUT]] {
    // CHECK-NEXT: llvm.store %tid, [[AT]]
    // PTX-NOT: bra
    // PTX: mov.f32 [[F:%f[0-9]+]], 0f00000000;
    // PTX-NEXT: @[[P:%p[0-9]+]] ld.global.f32 [[F]],
    // PTX: @[[P]] st.global.f32
    // PTX-NEXT: @![[P]] st.global.b32
    scf.if %inside {
      %offset = arith.muli %tid, %four : i32
      %at = llvm.getelementptr %p[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %v = llvm.load %at : !llvm.ptr<1> -> f32
      %w = arith.addf %v, %v : f32
      llvm.store %w, %at : f32, !llvm.ptr<1>
    } else {
      %offset = arith.muli %tid, %four : i32
      %at = llvm.getelementptr %p[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      llvm.store %tid, %at : i32, !llvm.ptr<1>
    }
    llvm.return
  }

  // An inner branch is predicated first; its conditions hold in the lanes of the outer one.
  // CHECK-LABEL: llvm.func @nested
  llvm.func @nested(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = arith.constant 1 : i32
    %inside = arith.cmpi ult, %tid, %n : i32
    // CHECK: [[ODD:%.*]] = arith.cmpi eq
    // CHECK-NEXT: [[BOTH:%.*]] = arith.andi %inside, [[ODD]] : i1
    // CHECK-NEXT: scf.if [[BOTH]] {
    // CHECK-NEXT: llvm.store
    // CHECK-NEXT: }
    // CHECK-NEXT: llvm.return
    scf.if %inside {
      %bit = arith.andi %tid, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      scf.if %odd {
        llvm.store %tid, %p : i32, !llvm.ptr<1>
      }
    }
    llvm.return
  }

  // All lanes of a warp go one way: only one side costs anything.
  // CHECK-LABEL: llvm.func @uniform
  llvm.func @uniform(%p: !llvm.ptr<1>, %x: f32, %n: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %five = arith.constant 5 : i32
    %warp = arith.shrui %tid, %five : i32
    %first = arith.cmpi eq, %warp, %n : i32
    // CHECK: scf.if %first -> (f32)
    // CHECK: scf.if %launch -> (f32)
    %r = scf.if %first -> (f32) {
      %a = arith.mulf %x, %x : f32
      scf.yield %a : f32
    } else {
      scf.yield %x : f32
    }
    %launch = arith.cmpi eq, %n, %five : i32
    %s = scf.if %launch -> (f32) {
      %a = arith.mulf %r, %x : f32
      scf.yield %a : f32
    } else {
      scf.yield %r : f32
    }
    llvm.store %s, %p : f32, !llvm.ptr<1>
    llvm.return
  }

  // Divisions, barriers, loops and what a whole warp does together are no few instructions.
  // CHECK-LABEL: llvm.func @long
  llvm.func @long(%p: !llvm.ptr<1>, %x: f32, %n: i32) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = arith.cmpi ult, %tid, %n : i32
    // CHECK-COUNT-5: scf.if %c
    %q = scf.if %c -> (f32) {
      %a = arith.divf %x, %x : f32
      scf.yield %a : f32
    } else {
      scf.yield %x : f32
    }
    %d = scf.if %c -> (i32) {
      %a = arith.divui %one, %tid : i32
      scf.yield %a : i32
    } else {
      scf.yield %one : i32
    }
    scf.if %c {
      nvvm.bar.warp.sync %all : i32
    }
    scf.if %c {
      scf.for %k = %zero to %n step %one : i32 {
        llvm.store %k, %p : i32, !llvm.ptr<1>
      }
    }
    %m = scf.if %c -> (f32) {
      %1 = arith.mulf %x, %x : f32
      %2 = arith.mulf %1, %x : f32
      %3 = arith.mulf %2, %x : f32
      %4 = arith.mulf %3, %x : f32
      %5 = arith.mulf %4, %x : f32
      %6 = arith.mulf %5, %x : f32
      %7 = arith.mulf %6, %x : f32
      %8 = arith.mulf %7, %x : f32
      scf.yield %8 : f32
    } else {
      scf.yield %x : f32
    }
    %t = arith.addf %q, %m : f32
    llvm.store %t, %p : f32, !llvm.ptr<1>
    llvm.store %d, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
}
