// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Asynchronous copies without a tensor map, and prefetches.

// CHECK-LABEL: llvm.func @cp_async(
// CHECK-SAME: [[DST:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[SRC:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[N:%[^:]*]]: i32)
// GENERIC: sym_name = "cp_async"
// GENERIC: ^bb0([[DST:%[^:]*]]: !llvm.ptr<3>, [[SRC:%[^:]*]]: !llvm.ptr<1>, [[BAR:%[^:]*]]: !llvm.ptr<3>, [[N:%[^:]*]]: i32):
llvm.func @cp_async(%dst: !llvm.ptr<3>, %src: !llvm.ptr<1>, %bar: !llvm.ptr<3>,
    %n: i32) {
  // CHECK: nvvm.cp.async.shared.global [[DST]], [[SRC]], 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.shared.global"([[DST]], [[SRC]]) <{size = 16 : i32, modifier = #nvvm<load_cache_modifier cg>}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global [[DST]], [[SRC]], 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.shared.global"([[DST]], [[SRC]]) <{size = 8 : i32, modifier = #nvvm<load_cache_modifier ca>}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  nvvm.cp.async.shared.global %dst, %src, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // The number of bytes that are read; the rest is zero.
  // CHECK: nvvm.cp.async.shared.global [[DST]], [[SRC]], 16, cache = cg, [[N]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // GENERIC: "nvvm.cp.async.shared.global"([[DST]], [[SRC]], [[N]]) <{size = 16 : i32, modifier = #nvvm<load_cache_modifier cg>}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  nvvm.cp.async.shared.global %dst, %src, 16, cache = cg, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.commit.group
  // GENERIC: "nvvm.cp.async.commit.group"() : () -> ()
  nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 2
  // GENERIC: "nvvm.cp.async.wait.group"() <{n = 2 : i32}> : () -> ()
  nvvm.cp.async.wait.group 2
  // CHECK: nvvm.cp.async.mbarrier.arrive [[BAR]] : !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.mbarrier.arrive"([[BAR]]) <{noinc = false}> : (!llvm.ptr<3>) -> ()
  nvvm.cp.async.mbarrier.arrive %bar : !llvm.ptr<3>
  // CHECK: nvvm.cp.async.mbarrier.arrive [[BAR]] {noinc = true} : !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.mbarrier.arrive"([[BAR]]) <{noinc = true}> : (!llvm.ptr<3>) -> ()
  nvvm.cp.async.mbarrier.arrive %bar {noinc = true} : !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @bulk(
// CHECK-SAME: [[DST:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[REMOTE:%[^:]*]]: !llvm.ptr<7>,
// CHECK-SAME: [[SRC:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[N:%[^:]*]]: i32,
// CHECK-SAME: [[MASK:%[^:]*]]: i16,
// CHECK-SAME: [[HINT:%[^:]*]]: i64)
// GENERIC: sym_name = "bulk"
// GENERIC: ^bb0([[DST:%[^:]*]]: !llvm.ptr<3>, [[REMOTE:%[^:]*]]: !llvm.ptr<7>, [[SRC:%[^:]*]]: !llvm.ptr<1>, [[BAR:%[^:]*]]: !llvm.ptr<3>, [[N:%[^:]*]]: i32, [[MASK:%[^:]*]]: i16, [[HINT:%[^:]*]]: i64):
llvm.func @bulk(%dst: !llvm.ptr<3>, %remote: !llvm.ptr<7>, %src: !llvm.ptr<1>,
    %bar: !llvm.ptr<3>, %n: i32, %mask: i16, %hint: i64) {
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global [[REMOTE]], [[SRC]], [[BAR]], [[N]] : !llvm.ptr<7>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"([[REMOTE]], [[SRC]], [[BAR]], [[N]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (!llvm.ptr<7>, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %remote, %src, %bar, %n : !llvm.ptr<7>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global [[DST]], [[SRC]], [[BAR]], [[N]] : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"([[DST]], [[SRC]], [[BAR]], [[N]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (!llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %bar, %n : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global [[REMOTE]], [[SRC]], [[BAR]], [[N]] multicast_mask = [[MASK]] l2_cache_hint = [[HINT]] : !llvm.ptr<7>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"([[REMOTE]], [[SRC]], [[BAR]], [[N]], [[MASK]], [[HINT]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}> : (!llvm.ptr<7>, !llvm.ptr<1>, !llvm.ptr<3>, i32, i16, i64) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %remote, %src, %bar, %n multicast_mask = %mask l2_cache_hint = %hint : !llvm.ptr<7>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta [[SRC]], [[DST]], [[N]] : !llvm.ptr<1>, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.global.shared.cta"([[SRC]], [[DST]], [[N]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.global.shared.cta %src, %dst, %n : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta [[SRC]], [[DST]], [[N]] l2_cache_hint = [[HINT]] byte_mask = [[MASK]] : !llvm.ptr<1>, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.global.shared.cta"([[SRC]], [[DST]], [[N]], [[HINT]], [[MASK]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!llvm.ptr<1>, !llvm.ptr<3>, i32, i64, i16) -> ()
  nvvm.cp.async.bulk.global.shared.cta %src, %dst, %n l2_cache_hint = %hint byte_mask = %mask : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.shared.cta [[REMOTE]], [[DST]], [[BAR]], [[N]] : !llvm.ptr<7>, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.shared.cta"([[REMOTE]], [[DST]], [[BAR]], [[N]]) : (!llvm.ptr<7>, !llvm.ptr<3>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.shared.cta %remote, %dst, %bar, %n : !llvm.ptr<7>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.commit.group
  // GENERIC: "nvvm.cp.async.bulk.commit.group"() : () -> ()
  nvvm.cp.async.bulk.commit.group
  // CHECK: nvvm.cp.async.bulk.wait_group 0
  // GENERIC: "nvvm.cp.async.bulk.wait_group"() <{group = 0 : i32}> : () -> ()
  nvvm.cp.async.bulk.wait_group 0
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  // GENERIC: "nvvm.cp.async.bulk.wait_group"() <{group = 1 : i32, read}> : () -> ()
  nvvm.cp.async.bulk.wait_group 1 {read}
  llvm.return
}

// CHECK-LABEL: llvm.func @prefetch(
// CHECK-SAME: [[SRC:%[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME: [[ANY:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "prefetch"
// GENERIC: ^bb0([[SRC:%[^:]*]]: !llvm.ptr<1>, [[ANY:%[^:]*]]: !llvm.ptr, [[P:%[^:]*]]: i1):
llvm.func @prefetch(%src: !llvm.ptr<1>, %any: !llvm.ptr, %p: i1) {
  // CHECK: nvvm.prefetch tensormap, [[ANY]] : !llvm.ptr
  // GENERIC: "nvvm.prefetch"([[ANY]]) <{tensormap}> : (!llvm.ptr) -> ()
  nvvm.prefetch tensormap, %any : !llvm.ptr
  // CHECK: nvvm.prefetch tensormap, [[ANY]], predicate = [[P]] : !llvm.ptr, i1
  // GENERIC: "nvvm.prefetch"([[ANY]], [[P]]) <{tensormap}> : (!llvm.ptr, i1) -> ()
  nvvm.prefetch tensormap, %any, predicate = %p : !llvm.ptr, i1
  // CHECK: nvvm.prefetch tensormap in_param_space, [[ANY]] : !llvm.ptr
  // GENERIC: "nvvm.prefetch"([[ANY]]) <{tensormap, in_param_space}> : (!llvm.ptr) -> ()
  nvvm.prefetch tensormap in_param_space, %any : !llvm.ptr
  // CHECK: nvvm.prefetch level = L2, [[SRC]] : !llvm.ptr<1>
  // GENERIC: "nvvm.prefetch"([[SRC]]) <{cacheLevel = #nvvm<prefetch_cache_level L2>}> : (!llvm.ptr<1>) -> ()
  nvvm.prefetch level = L2, %src : !llvm.ptr<1>
  llvm.return
}
