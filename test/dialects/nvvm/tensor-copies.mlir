// RUN: croq-opt %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | croq-opt | filecheck %s
// RUN: croq-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// TMA: loads, stores, reductions and prefetches of boxes.

// CHECK-LABEL: llvm.func @loads(
// CHECK-SAME: [[DST:%[^:]*]]: !llvm.ptr<7>,
// CHECK-SAME: [[MAP:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[X:%[^:]*]]: i32,
// CHECK-SAME: [[Y:%[^:]*]]: i32,
// CHECK-SAME: [[Z:%[^:]*]]: i32)
// GENERIC: sym_name = "loads"
// GENERIC: ^bb0([[DST:%[^:]*]]: !llvm.ptr<7>, [[MAP:%[^:]*]]: !llvm.ptr, [[BAR:%[^:]*]]: !llvm.ptr<3>, [[X:%[^:]*]]: i32, [[Y:%[^:]*]]: i32, [[Z:%[^:]*]]: i32):
llvm.func @loads(%dst: !llvm.ptr<7>, %map: !llvm.ptr, %bar: !llvm.ptr<3>, %x: i32,
    %y: i32, %z: i32) {
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[BAR]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]], [[Z]]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[Z]], [[BAR]]) <{operandSegmentSizes = array<i32: 1, 1, 3, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y, %z] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]], [[Z]], [[X]]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[Z]], [[X]], [[BAR]]) <{operandSegmentSizes = array<i32: 1, 1, 4, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y, %z, %x] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]], [[Z]], [[X]], [[Y]]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[Z]], [[X]], [[Y]], [[BAR]]) <{operandSegmentSizes = array<i32: 1, 1, 5, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y, %z, %x, %y] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @load_options(
// CHECK-SAME: [[DST:%[^:]*]]: !llvm.ptr<7>,
// CHECK-SAME: [[OWN:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[MAP:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[BAR:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[X:%[^:]*]]: i32,
// CHECK-SAME: [[Y:%[^:]*]]: i32,
// CHECK-SAME: [[Z:%[^:]*]]: i32,
// CHECK-SAME: [[OFF:%[^:]*]]: i16,
// CHECK-SAME: [[MASK:%[^:]*]]: i16,
// CHECK-SAME: [[HINT:%[^:]*]]: i64,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "load_options"
// GENERIC: ^bb0([[DST:%[^:]*]]: !llvm.ptr<7>, [[OWN:%[^:]*]]: !llvm.ptr<3>, [[MAP:%[^:]*]]: !llvm.ptr, [[BAR:%[^:]*]]: !llvm.ptr<3>, [[X:%[^:]*]]: i32, [[Y:%[^:]*]]: i32, [[Z:%[^:]*]]: i32, [[OFF:%[^:]*]]: i16, [[MASK:%[^:]*]]: i16, [[HINT:%[^:]*]]: i64, [[P:%[^:]*]]: i1):
llvm.func @load_options(%dst: !llvm.ptr<7>, %own: !llvm.ptr<3>, %map: !llvm.ptr,
    %bar: !llvm.ptr<3>, %x: i32, %y: i32, %z: i32, %off: i16, %mask: i16, %hint: i64,
    %p: i1) {
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] multicast_mask = [[MASK]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]], [[MASK]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 1, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] l2_cache_hint = [[HINT]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]], [[HINT]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 1, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i64) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] l2_cache_hint = %hint : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] multicast_mask = [[MASK]] l2_cache_hint = [[HINT]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]], [[MASK]], [[HINT]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 1, 1, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16, i64) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] multicast_mask = %mask l2_cache_hint = %hint : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] predicate = [[P]] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]], [[P]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 1>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i1) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] predicate = %p : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[OWN]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[OWN]], [[MAP]], [[X]], [[Y]], [[BAR]]) <{isCTAOnly = true, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>}> : (!llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %own, %map, %bar, box[%x, %y] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]], [[Z]]] im2col{{\[}}[[OFF]]] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[Z]], [[BAR]], [[OFF]]) <{mode = #nvvm.tma_load_mode<im2col>, operandSegmentSizes = array<i32: 1, 1, 3, 1, 1, 0, 0, 0>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, !llvm.ptr<3>, i16) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y, %z] im2col[%off] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global [[DST]], [[MAP]], [[BAR]], box{{\[}}[[X]], [[Y]]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"([[DST]], [[MAP]], [[X]], [[Y]], [[BAR]]) <{group = #nvvm.cta_group<cta_2>, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 0>, mode = #nvvm.tma_load_mode<tile>, isCTAOnly = false}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%x, %y] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @stores(
// CHECK-SAME: [[OWN:%[^:]*]]: !llvm.ptr<3>,
// CHECK-SAME: [[MAP:%[^:]*]]: !llvm.ptr,
// CHECK-SAME: [[X:%[^:]*]]: i32,
// CHECK-SAME: [[Y:%[^:]*]]: i32,
// CHECK-SAME: [[Z:%[^:]*]]: i32,
// CHECK-SAME: [[OFF:%[^:]*]]: i16,
// CHECK-SAME: [[HINT:%[^:]*]]: i64,
// CHECK-SAME: [[P:%[^:]*]]: i1)
// GENERIC: sym_name = "stores"
// GENERIC: ^bb0([[OWN:%[^:]*]]: !llvm.ptr<3>, [[MAP:%[^:]*]]: !llvm.ptr, [[X:%[^:]*]]: i32, [[Y:%[^:]*]]: i32, [[Z:%[^:]*]]: i32, [[OFF:%[^:]*]]: i16, [[HINT:%[^:]*]]: i64, [[P:%[^:]*]]: i1):
llvm.func @stores(%own: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32, %y: i32, %z: i32,
    %off: i16, %hint: i64, %p: i1) {
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]]) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]], [[Z]], [[X]], [[Y]]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]], [[Z]], [[X]], [[Y]]) <{operandSegmentSizes = array<i32: 1, 1, 5, 0, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y, %z, %x, %y] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]] l2_cache_hint = [[HINT]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]], [[HINT]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i64) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y] l2_cache_hint = %hint : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]], predicate = [[P]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]], [[P]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i1) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y], predicate = %p : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]], [[Z]]] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]], [[Z]]) <{mode = #nvvm.tma_store_mode<im2col>, operandSegmentSizes = array<i32: 1, 1, 3, 0, 0>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y, %z] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
  // The short form in which upstream prints the type of the source.
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]] : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"([[MAP]], [[OWN]], [[X]], [[Y]]) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %own, box[%x, %y] : !llvm.ptr, <3>
  // CHECK: nvvm.cp.async.bulk.tensor.reduce [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.reduce"([[MAP]], [[OWN]], [[X]], [[Y]]) <{redKind = #nvvm.tma_redux_kind<add>, operandSegmentSizes = array<i32: 1, 1, 2, 0>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.reduce %map, %own, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.reduce [[MAP]], [[OWN]], box{{\[}}[[X]], [[Y]]] l2_cache_hint = [[HINT]] {redKind = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.reduce"([[MAP]], [[OWN]], [[X]], [[Y]], [[HINT]]) <{redKind = #nvvm.tma_redux_kind<xor>, operandSegmentSizes = array<i32: 1, 1, 2, 1>, mode = #nvvm.tma_store_mode<tile>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i64) -> ()
  nvvm.cp.async.bulk.tensor.reduce %map, %own, box[%x, %y] l2_cache_hint = %hint {redKind = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch [[MAP]], box{{\[}}[[X]], [[Y]]] : !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.prefetch"([[MAP]], [[X]], [[Y]]) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>, mode = #nvvm.tma_load_mode<tile>}> : (!llvm.ptr, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y] : !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch [[MAP]], box{{\[}}[[X]], [[Y]]] l2_cache_hint = [[HINT]] : !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.prefetch"([[MAP]], [[X]], [[Y]], [[HINT]]) <{operandSegmentSizes = array<i32: 1, 2, 0, 1>, mode = #nvvm.tma_load_mode<tile>}> : (!llvm.ptr, i32, i32, i64) -> ()
  nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y] l2_cache_hint = %hint : !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch [[MAP]], box{{\[}}[[X]], [[Y]], [[Z]]] im2col{{\[}}[[OFF]]] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.prefetch"([[MAP]], [[X]], [[Y]], [[Z]], [[OFF]]) <{mode = #nvvm.tma_load_mode<im2col>, operandSegmentSizes = array<i32: 1, 3, 1, 0>}> : (!llvm.ptr, i32, i32, i32, i16) -> ()
  nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y, %z] im2col[%off] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  llvm.return
}
