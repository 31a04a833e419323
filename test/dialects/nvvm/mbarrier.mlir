// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// mbarriers: every op, with and without its optional parts.

// CHECK-LABEL: llvm.func @init(
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[ANY:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[N:%[^:]*]]: i32,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "init"
// GENERIC: ^bb0([[BAR:%[^:]*]]: !llvm.ptr<3>, [[ANY:%[^:]*]]: !llvm.ptr, [[N:%[^:]*]]: i32, [[P:%[^:]*]]: i1):
llvm.func @init(%bar: !llvm.ptr<3>, %any: !llvm.ptr, %n: i32, %p: i1) {
  // CHECK: nvvm.mbarrier.init [[BAR]], [[N]] : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.init"([[BAR]], [[N]]) : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init [[ANY]], [[N]] : !llvm.ptr, i32
  // GENERIC: "nvvm.mbarrier.init"([[ANY]], [[N]]) : (!llvm.ptr, i32) -> ()
  nvvm.mbarrier.init %any, %n : !llvm.ptr, i32
  // CHECK: nvvm.mbarrier.init [[BAR]], [[N]], predicate = [[P]] : !llvm.ptr<3>, i32, i1
  // GENERIC: "nvvm.mbarrier.init"([[BAR]], [[N]], [[P]]) : (!llvm.ptr<3>, i32, i1) -> ()
  nvvm.mbarrier.init %bar, %n, predicate = %p : !llvm.ptr<3>, i32, i1
  // CHECK: nvvm.mbarrier.inval [[BAR]] : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.inval"([[BAR]]) : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.inval %bar : !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @arrive(
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[REMOTE:%[^:]*]]: !llvm.ptr<7>,
// CHECK-SAME: [[N:%[^:]*]]: i32)
// GENERIC: sym_name = "arrive"
// GENERIC: ^bb0([[BAR:%[^:]*]]: !llvm.ptr<3>, [[REMOTE:%[^:]*]]: !llvm.ptr<7>, [[N:%[^:]*]]: i32):
llvm.func @arrive(%bar: !llvm.ptr<3>, %remote: !llvm.ptr<7>, %n: i32) {
  // CHECK: nvvm.mbarrier.arrive [[BAR]] : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.arrive"([[BAR]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.arrive %bar : !llvm.ptr<3>
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive [[BAR]] : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"([[BAR]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>) -> i64
  %r0 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive [[BAR]], [[N]] : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32) -> i64
  %r1 = nvvm.mbarrier.arrive %bar, %n : !llvm.ptr<3> -> i64
  // CHECK: nvvm.mbarrier.arrive [[REMOTE]] : !llvm.ptr<7>
  // GENERIC: "nvvm.mbarrier.arrive"([[REMOTE]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<7>) -> ()
  nvvm.mbarrier.arrive %remote : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive [[REMOTE]], [[N]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // GENERIC: "nvvm.mbarrier.arrive"([[REMOTE]], [[N]]) <{scope = #nvvm.mem_scope<cluster>, relaxed = false}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive %remote, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive [[BAR]] {relaxed = true} : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.arrive"([[BAR]]) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.arrive %bar {relaxed = true} : !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.arrive_drop [[BAR]] : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.arrive_drop"([[BAR]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.arrive_drop %bar : !llvm.ptr<3>
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive_drop [[BAR]], [[N]] : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive_drop"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32) -> i64
  %r2 = nvvm.mbarrier.arrive_drop %bar, %n : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.nocomplete [[BAR]], [[N]] : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.nocomplete"([[BAR]], [[N]]) : (!llvm.ptr<3>, i32) -> i64
  %r3 = nvvm.mbarrier.arrive.nocomplete %bar, %n : !llvm.ptr<3>, i32 -> i64
  llvm.return
}

// CHECK-LABEL: llvm.func @transactions(
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[REMOTE:%[^:]*]]: !llvm.ptr<7>,
// CHECK-SAME: [[N:%[^:]*]]: i32,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "transactions"
// GENERIC: ^bb0([[BAR:%[^:]*]]: !llvm.ptr<3>, [[REMOTE:%[^:]*]]: !llvm.ptr<7>, [[N:%[^:]*]]: i32, [[P:%[^:]*]]: i1):
llvm.func @transactions(%bar: !llvm.ptr<3>, %remote: !llvm.ptr<7>, %n: i32, %p: i1) {
  // CHECK: nvvm.mbarrier.arrive.expect_tx [[BAR]], [[N]] : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.arrive.expect_tx %bar, %n : !llvm.ptr<3>, i32
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.expect_tx [[BAR]], [[N]] : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.expect_tx"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32) -> i64
  %r0 = nvvm.mbarrier.arrive.expect_tx %bar, %n : !llvm.ptr<3>, i32 -> i64
  // CHECK: nvvm.mbarrier.arrive.expect_tx [[BAR]], [[N]], predicate = [[P]] : !llvm.ptr<3>, i32, i1
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"([[BAR]], [[N]], [[P]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32, i1) -> ()
  nvvm.mbarrier.arrive.expect_tx %bar, %n, predicate = %p : !llvm.ptr<3>, i32, i1
  // CHECK: nvvm.mbarrier.arrive.expect_tx [[REMOTE]], [[N]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"([[REMOTE]], [[N]]) <{scope = #nvvm.mem_scope<cluster>, relaxed = false}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive.expect_tx %remote, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.expect_tx [[BAR]], [[N]] : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.expect_tx"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.expect_tx %bar, %n : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.expect_tx [[REMOTE]], [[N]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.expect_tx"([[REMOTE]], [[N]]) <{scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.expect_tx %remote, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.complete_tx [[BAR]], [[N]] : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.complete_tx"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.complete_tx %bar, %n : !llvm.ptr<3>, i32
  llvm.return
}

// CHECK-LABEL: llvm.func @wait(
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[N:%[^:]*]]: i32,
// CHECK-SAME: [[STATE:%[^:]*]]: i64)
// GENERIC: sym_name = "wait"
// GENERIC: ^bb0([[BAR:%[^:]*]]: !llvm.ptr<3>, [[N:%[^:]*]]: i32, [[STATE:%[^:]*]]: i64):
llvm.func @wait(%bar: !llvm.ptr<3>, %n: i32, %state: i64) {
  // By parity, by state, with a time limit.
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait [[BAR]], [[N]] : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32) -> i1
  %r0 = nvvm.mbarrier.try_wait %bar, %n : !llvm.ptr<3>, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait [[BAR]], [[STATE]] : !llvm.ptr<3>, i64 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"([[BAR]], [[STATE]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i64) -> i1
  %r1 = nvvm.mbarrier.try_wait %bar, %state : !llvm.ptr<3>, i64 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait [[BAR]], [[N]], [[N]] : !llvm.ptr<3>, i32, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"([[BAR]], [[N]], [[N]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i32, i32) -> i1
  %r2 = nvvm.mbarrier.try_wait %bar, %n, %n : !llvm.ptr<3>, i32, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait [[BAR]], [[N]] {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"([[BAR]], [[N]]) <{relaxed = true, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<3>, i32) -> i1
  %r3 = nvvm.mbarrier.try_wait %bar, %n {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait [[BAR]], [[STATE]] : !llvm.ptr<3>, i64 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"([[BAR]], [[STATE]]) <{scope = #nvvm.mem_scope<cta>, relaxed = false}> : (!llvm.ptr<3>, i64) -> i1
  %r4 = nvvm.mbarrier.test.wait %bar, %state : !llvm.ptr<3>, i64 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait [[BAR]], [[N]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"([[BAR]], [[N]]) <{scope = #nvvm.mem_scope<cluster>, relaxed = false}> : (!llvm.ptr<3>, i32) -> i1
  %r5 = nvvm.mbarrier.test.wait %bar, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: nvvm.mbarrier.try_wait.parity [[BAR]], [[N]], [[N]] : !llvm.ptr<3>, i32, i32
  // GENERIC: "nvvm.mbarrier.try_wait.parity"([[BAR]], [[N]], [[N]]) : (!llvm.ptr<3>, i32, i32) -> ()
  nvvm.mbarrier.try_wait.parity %bar, %n, %n : !llvm.ptr<3>, i32, i32
  llvm.return
}
