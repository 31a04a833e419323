// RUN: croq-opt --insert-fences %s --split-input-file | filecheck %s

// One fence for the initialised mbarriers; one between the writes of every thread and the
// barrier before the TMA store.

// CHECK-LABEL: croq.kernel @store
// CHECK-SAME:    attributes {explicit_fences}
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.mbarrier.init
// CHECK-NEXT:    nvvm.fence.mbarrier.init
// CHECK-NEXT:  }
// CHECK-NEXT:  croq.barrier
// CHECK:       scf.for
// CHECK-NOT:     nvvm.fence
// CHECK:       }
// CHECK-NEXT:  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:  croq.barrier
// CHECK-NOT:   nvvm.fence
// CHECK:       nvvm.cp.async.bulk.tensor.global.shared.cta
croq.kernel @store (%dst: !croq.tile<8x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %tile = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %bars = croq.alloc : !croq.tile<2xi64, shared, row_major>
    %map = croq.tensor_map %dst box [8, 64] swizzle<128> : !llvm.ptr
    %leader = croq.elect
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    scf.if %leader {
      %b0 = croq.address %bars[0] : !llvm.ptr<3>
      nvvm.mbarrier.init %b0, %one : !llvm.ptr<3>, i32
      %b1 = croq.address %bars[1] : !llvm.ptr<3>
      nvvm.mbarrier.init %b1, %one : !llvm.ptr<3>, i32
    }
    croq.barrier
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 8 : index
    %h = arith.constant 1.0 : f16
    scf.for %i = %c0 to %n step %c1 {
      %p = croq.address %tile[%i, 0] : !llvm.ptr<3>
      "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    }
    croq.barrier
    scf.if %leader {
      %s = croq.address %tile[0, 0] : !llvm.ptr<3>
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
    }
  }
}

// -----

// The fence of a producer whose threads copy: in every thread, before its arrival.

// CHECK-LABEL: croq.kernel @arrive
// CHECK:         nvvm.fence.proxy
// CHECK-NEXT:    nvvm.mbarrier.arrive
// CHECK:         nvvm.fence.proxy
// CHECK-NEXT:    nvvm.bar.warp.sync
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         croq.descriptor
croq.kernel @arrive () {
  croq.parallel (%b) in (1) : block {
    %tile = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %bars = croq.alloc : !croq.tile<2xi64, shared, row_major>
    croq.role "producer" warpgroups [0, 1) {
      %h = arith.constant 1.0 : f16
      %p = croq.address %tile[0, 0] : !llvm.ptr<3>
      %m = croq.address %bars[0] : !llvm.ptr<3>
      "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
      nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
      %all = arith.constant -1 : i32
      nvvm.bar.warp.sync %all : i32
      %e = nvvm.elect.sync -> i1
      scf.if %e {
        nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      }
    }
    croq.role "consumer" warpgroups [1, 2) {
      %d = croq.descriptor %tile[0, 0] major(k) : i64
      %use = arith.addi %d, %d : i64
    }
  }
}

// -----

// No fence where the asynchronous proxy never comes, or where one is there already; one
// where only a path through a loop that may not run leads from the write to the barrier.

// CHECK-LABEL: croq.kernel @few
// CHECK:         llvm.store
// CHECK-NEXT:    croq.barrier
// CHECK:         llvm.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
// CHECK:         scf.for
// CHECK-NEXT:      nvvm.fence.proxy
// CHECK-NEXT:      croq.barrier
// CHECK-NEXT:      llvm.store
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
croq.kernel @few dims(N) () {
  croq.parallel (%b) in (1) : block {
    %plain = croq.alloc : !croq.tile<64x64xf16, shared, row_major>
    %tile = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %h = arith.constant 1.0 : f16
    %q = croq.address %plain[0, 0] : !llvm.ptr<3>
    %p = croq.address %tile[0, 0] : !llvm.ptr<3>
    "llvm.store"(%h, %q) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    croq.barrier
    "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    croq.barrier
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = croq.dim N
    scf.for %i = %c0 to %n step %c1 {
      croq.barrier
      "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    }
    croq.barrier
    %d = croq.descriptor %tile[0, 0] major(k) : i64
    %use = arith.addi %d, %d : i64
  }
}

// -----

// What only the first iteration of a loop, or one branch, would need is fenced before it,
// by all threads that wrote; the loop may run zero times.

// CHECK-LABEL: croq.kernel @outside
// CHECK:         nvvm.stmatrix
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.foreach
// CHECK-NEXT:      croq.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    croq.barrier
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         llvm.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    scf.if
// CHECK-NOT:     nvvm.fence.proxy
croq.kernel @outside dims(N) (%dst: !croq.tile<8x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %tile = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %bars = croq.alloc : !croq.tile<2xi64, shared, row_major>
    %map = croq.tensor_map %dst box [8, 64] swizzle<128> : !llvm.ptr
    %leader = croq.elect
    %zero = arith.constant 0 : i32
    %h = arith.constant 1.0 : f16
    %p = croq.address %tile[0, 0] : !llvm.ptr<3>
    %m = croq.address %bars[0] : !llvm.ptr<3>
    nvvm.stmatrix %p, %zero {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
    croq.foreach %i in N {
      croq.barrier
    }
    croq.barrier
    "llvm.store"(%h, %p) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    scf.if %leader {
      nvvm.mbarrier.arrive %m : !llvm.ptr<3>
    }
    scf.if %leader {
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %p, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
    }
  }
}

// -----

// Pointers that are computed, and carried by a loop; one of unknown origin may lead
// anywhere, one into global memory into no buffer.

// CHECK-LABEL: croq.kernel @pointers
// CHECK:         llvm.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
// CHECK:           llvm.store
// CHECK:         }
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
// CHECK:         llvm.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
// CHECK:         llvm.store
// CHECK-NEXT:    croq.barrier
// CHECK-NOT:     nvvm.fence.proxy
croq.kernel @pointers (%dst: !croq.tile<8x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %tile = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %h = arith.constant 1.0 : f16
    %p = croq.address %tile[0, 0] : !llvm.ptr<3>
    %bits = "llvm.ptrtoint"(%p) : (!llvm.ptr<3>) -> i32
    %c16 = arith.constant 16 : i32
    %other = arith.xori %bits, %c16 : i32
    %q = "llvm.inttoptr"(%other) : (i32) -> !llvm.ptr<3>
    "llvm.store"(%h, %q) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    croq.barrier
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%r = %p) -> (!llvm.ptr<3>) {
      "llvm.store"(%h, %r) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
      %next = "llvm.getelementptr"(%r) <{rawConstantIndices = array<i32: 2>, elem_type = i8}> : (!llvm.ptr<3>) -> !llvm.ptr<3>
      scf.yield %next : !llvm.ptr<3>
    }
    croq.barrier
    %unknown = "llvm.mlir.zero"() : () -> !llvm.ptr<3>
    "llvm.store"(%h, %unknown) <{ordering = 0 : i64}> : (f16, !llvm.ptr<3>) -> ()
    croq.barrier
    %g = croq.pointer %dst : !croq.tile<8x64xf16, global> -> !llvm.ptr<1>
    "llvm.store"(%h, %g) <{ordering = 0 : i64}> : (f16, !llvm.ptr<1>) -> ()
    croq.barrier
    %d = croq.descriptor %tile[0, 0] major(k) : i64
  }
}

// -----

// What a role wrote last is fenced before the barrier of the block; what one role wrote
// concerns no other. Mbarriers initialised in a loop get one fence behind it.

// CHECK-LABEL: croq.kernel @roles
// CHECK:         scf.if
// CHECK-NEXT:      scf.for
// CHECK:           }
// CHECK-NEXT:      nvvm.fence.mbarrier.init
// CHECK-NEXT:    }
// CHECK:         croq.role "writer"
// CHECK-NOT:     nvvm.fence
// CHECK:         croq.role "other"
// CHECK-NEXT:      croq.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    croq.barrier
// CHECK-NOT:     nvvm.fence
croq.kernel @roles () {
  croq.parallel (%b) in (1) : block {
    %bars = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %tile = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %leader = croq.elect
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.if %leader {
      scf.for %i = %c0 to %c4 step %c1 {
        %m = croq.address %bars[%i] : !llvm.ptr<3>
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
    }
    croq.barrier
    croq.role "writer" warpgroups [0, 1) {
      %h = arith.constant 1.0 : f16
      croq.store %h, %tile[0, 0]
    }
    croq.role "other" warpgroups [1, 2) {
      croq.barrier
    }
    croq.barrier
    %d = croq.descriptor %tile[0, 0] major(k) : i64
  }
}

// -----

// Fences that are there already count: both kinds.

// CHECK-LABEL: croq.kernel @there
// CHECK:         nvvm.fence.mbarrier.init
// CHECK-NOT:     nvvm.fence.mbarrier.init
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
// CHECK-NOT:     nvvm.fence.proxy
croq.kernel @there () {
  croq.parallel (%b) in (1) : block {
    %bars = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %tile = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %one = arith.constant 1 : i32
    %h = arith.constant 1.0 : f16
    %m = croq.address %bars[0] : !llvm.ptr<3>
    nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    croq.store %h, %tile[0, 0]
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    croq.barrier
    %d = croq.descriptor %tile[0, 0] major(k) : i64
  }
}

// -----

// Where TMA stores to a tile that threads write to, the thread that starts the copy fences, once for
// copies in a row, and again after a store of its own. In the other branch of a condition threads
// store what TMA does not.

// CHECK-LABEL: croq.kernel @written
// CHECK:         llvm.store
// CHECK:         croq.barrier
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:      llvm.store
// CHECK-NEXT:      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:         scf.if
// CHECK-NOT:       nvvm.fence
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta
croq.kernel @written (%dst: !croq.tile<8x64xf16, global>, %other: !croq.tile<8x64xf16, global>) {
  croq.parallel (%b) in (1) : block {
    %tile = croq.alloc : !croq.tile<8x64xf16, shared, swizzle<128>>
    %map = croq.tensor_map %dst box [8, 64] swizzle<128> : !llvm.ptr
    %map_1 = croq.tensor_map %other box [8, 64] swizzle<128> : !llvm.ptr
    %leader = croq.elect
    %zero = arith.constant 0 : i32
    %h = arith.constant 1.0 : f16
    %s = croq.address %tile[0, 0] : !llvm.ptr<3>
    %g = croq.address %dst[0, 0] : !llvm.ptr<1>
    %g_1 = croq.address %other[0, 0] : !llvm.ptr<1>
    "llvm.store"(%h, %g) <{ordering = 0 : i64}> : (f16, !llvm.ptr<1>) -> ()
    croq.barrier
    scf.if %leader {
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
      "llvm.store"(%h, %g) <{ordering = 0 : i64}> : (f16, !llvm.ptr<1>) -> ()
      nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
    }
    scf.if %leader {
      nvvm.cp.async.bulk.tensor.global.shared.cta %map_1, %s, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
    } else {
      "llvm.store"(%h, %g_1) <{ordering = 0 : i64}> : (f16, !llvm.ptr<1>) -> ()
    }
  }
}
