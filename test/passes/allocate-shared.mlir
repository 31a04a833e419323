// RUN: croq-opt --allocate-shared --split-input-file %s | filecheck %s

// Wide alignments first; an mbarrier is never part of other memory.

// CHECK:       gpu.module @m {
// CHECK-NEXT:    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-NEXT:    llvm.func @ring({{.*}}shared_bytes = 81984 : i64
// CHECK-NEXT:      [[SMEM:%.*]] = llvm.mlir.addressof @smem : !llvm.ptr<3>
// CHECK-NEXT:      [[FULL:%.*]] = llvm.getelementptr inbounds [[SMEM]][81920] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:      [[EMPTY:%.*]] = llvm.getelementptr inbounds [[SMEM]][81952] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:      [[O:%.*]] = llvm.getelementptr inbounds [[SMEM]][65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:      [[ONE:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:      nvvm.mbarrier.init [[FULL]], [[ONE]] : !llvm.ptr<3>, i32
// CHECK-NEXT:      nvvm.mbarrier.init [[EMPTY]], [[ONE]] : !llvm.ptr<3>, i32
// CHECK-NEXT:      nvvm.barrier
// CHECK-NEXT:      llvm.store [[ONE]], [[SMEM]] : i32, !llvm.ptr<3>
// CHECK-NEXT:      llvm.store [[ONE]], [[O]] : i32, !llvm.ptr<3>
// CHECK-NEXT:      llvm.return
gpu.module @m {
  llvm.func @ring() attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %full = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %empty = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %o = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<64>>
    %a = croq.alloc : !croq.tile<4x128x64xf16, shared, swizzle<128>>
    %unused = croq.alloc : !croq.tile<128x64xf16, shared, swizzle<128>>
    %fp = croq.address %full[0] : !llvm.ptr<3>
    %ep = croq.address %empty[0] : !llvm.ptr<3>
    %one = arith.constant 1 : i32
    nvvm.mbarrier.init %fp, %one : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %ep, %one : !llvm.ptr<3>, i32
    nvvm.barrier
    %ap = croq.address %a[0, 0, 0] : !llvm.ptr<3>
    llvm.store %one, %ap : i32, !llvm.ptr<3>
    %op = croq.address %o[0, 0] : !llvm.ptr<3>
    llvm.store %one, %op : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// A barrier of the block between all uses of one and all uses of the other: one place.

// CHECK-LABEL: llvm.func @overlap({{.*}}shared_bytes = 8192 : i64
// CHECK-NEXT:      [[SMEM:%.*]] = llvm.mlir.addressof @smem : !llvm.ptr<3>
// CHECK-NEXT:      [[ONE:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:      llvm.store [[ONE]], [[SMEM]]
// CHECK-NEXT:      nvvm.barrier
// CHECK-NEXT:      [[THERE:%.*]] = llvm.getelementptr [[SMEM]][64]
// CHECK-NEXT:      llvm.store [[ONE]], [[THERE]]
gpu.module @m {
  llvm.func @overlap() attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %one = arith.constant 1 : i32
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    llvm.store %one, %ap : i32, !llvm.ptr<3>
    nvvm.barrier
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    %there = llvm.getelementptr %bp[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store %one, %there : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// The barrier of a role does not separate, nor does one inside a branch.

// CHECK-LABEL: llvm.func @named({{.*}}shared_bytes = 12288 : i64
gpu.module @m {
  llvm.func @named(%c: i1) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %one = arith.constant 1 : i32
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    llvm.store %one, %ap : i32, !llvm.ptr<3>
    nvvm.barrier id = %one number_of_threads = %one
    scf.if %c {
      nvvm.barrier
    }
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// A barrier that lies among the uses does not separate: the address is computed before it and
// carried through a loop to a use after it.

// CHECK-LABEL: llvm.func @carried({{.*}}shared_bytes = 12288 : i64
gpu.module @m {
  llvm.func @carried() attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    %last = scf.for %i = %zero to %one step %one iter_args(%q = %ap) -> (!llvm.ptr<3>) : i32 {
      %r = llvm.getelementptr %q[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      scf.yield %r : !llvm.ptr<3>
    }
    nvvm.barrier
    llvm.store %one, %last : i32, !llvm.ptr<3>
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// What an asynchronous copy reads is in use until the last wait.

// CHECK-LABEL: llvm.func @asynchronous({{.*}}shared_bytes = 12288 : i64
gpu.module @m {
  llvm.func @asynchronous(%map: !llvm.ptr) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %one = arith.constant 1 : i32
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %ap, box[%one, %one] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.barrier
    nvvm.cp.async.bulk.wait_group 0
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// The same with the wait before the barrier.

// CHECK-LABEL: llvm.func @synchronous({{.*}}shared_bytes = 8192 : i64
gpu.module @m {
  llvm.func @synchronous(%map: !llvm.ptr) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %one = arith.constant 1 : i32
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %ap, box[%one, %one] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    nvvm.barrier
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// Barriers of a block do not hold up its peers: where they send to is never something else.

// CHECK-LABEL: llvm.func @multicast({{.*}}shared_bytes = 16400 : i64
gpu.module @m {
  llvm.func @multicast(%map: !llvm.ptr, %mask: i16) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (2, 1, 1)>, block = 128,
      cluster = [2, 1, 1]}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %c = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
    %one = arith.constant 1 : i32
    %bar = croq.address %bars[0] : !llvm.ptr<3>
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    nvvm.barrier
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    %to = llvm.addrspacecast %ap : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %bar, box[%one, %one] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %bar, %one, %one : !llvm.ptr<3>, i32, i32
    nvvm.barrier
    %cp = croq.address %c[0, 0] : !llvm.ptr<3>
    llvm.store %one, %cp : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// Where addresses are computed does not matter, only where memory is used.

// CHECK-LABEL: llvm.func @addresses_at_the_head({{.*}}shared_bytes = 8192 : i64
gpu.module @m {
  llvm.func @addresses_at_the_head() attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    %far = llvm.getelementptr %bp[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %one = arith.constant 1 : i32
    llvm.store %one, %ap : i32, !llvm.ptr<3>
    nvvm.barrier
    llvm.store %one, %far : i32, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// A barrier does not order the proxies: TMA does not fill what only threads wrote to before. That of
// which threads fence their writes, as TMA stores it, may be used for something else.

// CHECK-LABEL: llvm.func @filled({{.*}}shared_bytes = 12304 : i64
gpu.module @m {
  llvm.func @filled(%map: !llvm.ptr) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
    %one = arith.constant 1 : i32
    %bar = croq.address %bars[0] : !llvm.ptr<3>
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    nvvm.barrier
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    %to = llvm.addrspacecast %ap : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %bar, box[%one, %one] : !llvm.ptr<7>, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %bar, %one, %one : !llvm.ptr<3>, i32, i32
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @stored_and_filled({{.*}}shared_bytes = 8208 : i64
gpu.module @m {
  llvm.func @stored_and_filled(%map: !llvm.ptr) attributes {nvvm.kernel, croq.launch = {
      args = [], dims = [], params = [], grid = affine_map<() -> (1, 1, 1)>, block = 128}} {
    %a = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %b = croq.alloc : !croq.tile<32x64xf16, shared, row_major>
    %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
    %one = arith.constant 1 : i32
    %bar = croq.address %bars[0] : !llvm.ptr<3>
    %bp = croq.address %b[0, 0] : !llvm.ptr<3>
    llvm.store %one, %bp : i32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %bp, box[%one, %one] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    nvvm.barrier
    %ap = croq.address %a[0, 0] : !llvm.ptr<3>
    %to = llvm.addrspacecast %ap : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %bar, box[%one, %one] : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
}
