// RUN: croq-opt --convert-to-ptx %s | filecheck %s

// mbarriers: the space and the order are named when they aren't the usual ones.
gpu.module @a {
  // CHECK-LABEL: ptx.entry @mbarriers
  // CHECK-SAME:  parameters [#ptx.parameter<"mbarriers_param_0", u32>, #ptx.parameter<"mbarriers_param_1", u32>, #ptx.parameter<"mbarriers_param_2", u32>, #ptx.parameter<"mbarriers_param_3", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "mbarriers_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "mbarriers_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u32 "mbarriers_param_2" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u64 "mbarriers_param_3" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.setp eq.b32 [[V2]], 0 : !ptx.pred
  // CHECK-NEXT:  ptx.mbarrier.init shared [[[V0]]], [[V2]]
  // CHECK-NEXT:  ptx.mbarrier.init if [[V4]] shared [[[V0]]], 1
  // CHECK-NEXT:  ptx.mbarrier.arrive shared [[[V0]]], 1
  // CHECK-NEXT:  ptx.mbarrier.arrive cluster [[[V1]]], [[V2]]
  // CHECK-NEXT:  ptx.mbarrier.arrive cluster order "release.cluster" [[[V1]]], 1
  // CHECK-NEXT:  ptx.mbarrier.arrive_drop shared [[[V0]]], 1
  // CHECK-NEXT:  ptx.mbarrier.arrive.expect_tx shared [[[V0]]], 32768
  // CHECK-NEXT:  ptx.mbarrier.expect_tx shared order "relaxed.cta" [[[V0]]], 32768
  // CHECK-NEXT:  ptx.mbarrier.complete_tx shared order "relaxed.cta" [[[V0]]], 32768
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.mbarrier.arrive_state "arrive" shared [[[V0]]], 1 : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.mbarrier.arrive shared [[[V0]]], 1
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.mbarrier.try_wait shared [[[V0]]], [[V5]] : !ptx.pred
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.mbarrier.test_wait shared order "acquire.cluster" [[[V0]]], 1 : !ptx.pred
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.and pred [[V6]], [[V7]] : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if not [[V8]], ^[[B9:bb[0-9]+]], ^[[B10:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B10]]:
  // CHECK-NEXT:  ptx.mbarrier.inval shared [[[V0]]]
  // CHECK-NEXT:  ptx.fallthrough ^[[B9]]
  // CHECK-NEXT:  ^[[B9]]:
  // CHECK-NEXT:  ptx.label "endif_1"
  // CHECK-NEXT:  ptx.ret
  llvm.func @mbarriers(%s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %n: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %bytes = arith.constant 32768 : i32
    %first = arith.cmpi eq, %n, %c0 : i32
    nvvm.mbarrier.init %s, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %s, %c1, predicate = %first : !llvm.ptr<3>, i32, i1
    nvvm.mbarrier.arrive %s : !llvm.ptr<3>
    nvvm.mbarrier.arrive %c, %n : !llvm.ptr<7>
    nvvm.mbarrier.arrive %c {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3>
    nvvm.mbarrier.arrive.expect_tx %s, %bytes : !llvm.ptr<3>, i32
    nvvm.mbarrier.expect_tx %s, %bytes : !llvm.ptr<3>, i32
    nvvm.mbarrier.complete_tx %s, %bytes : !llvm.ptr<3>, i32
    %state = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
    %dropped = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
    %a = nvvm.mbarrier.try_wait %s, %state : !llvm.ptr<3>, i64 -> i1
    %b = nvvm.mbarrier.test.wait %s, %c1 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
    %both = arith.andi %a, %b : i1
    scf.if %both {
      nvvm.mbarrier.inval %s : !llvm.ptr<3>
    }
    llvm.return
  }

  // Barriers, fences, the register budget.
  // CHECK-LABEL: ptx.entry @barriers
  // CHECK-SAME:  parameters [#ptx.parameter<"barriers_param_0", u32>, #ptx.parameter<"barriers_param_1", u64>, #ptx.parameter<"barriers_param_2", u32>, #ptx.parameter<"barriers_param_3", u64>] reqntid (256, 1, 1) minnctapersm 1 {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "barriers_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "barriers_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u32 "barriers_param_2" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u64 "barriers_param_3" : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.bar.sync 0, 0
  // CHECK-NEXT:  ptx.bar.sync 1, 128
  // CHECK-NEXT:  ptx.bar.arrive [[V0]], 128
  // CHECK-NEXT:  ptx.bar.warp.sync [[V0]]
  // CHECK-NEXT:  ptx.barrier.cluster.arrive order "relaxed" aligned
  // CHECK-NEXT:  ptx.barrier.cluster.wait aligned
  // CHECK-NEXT:  ptx.fence "mbarrier_init.release.cluster"
  // CHECK-NEXT:  ptx.fence "proxy.async"
  // CHECK-NEXT:  ptx.fence "proxy.async.shared::cta"
  // CHECK-NEXT:  ptx.fence.tensormap_acquire "gpu" [[[V1]]]
  // CHECK-NEXT:  ptx.fence "proxy.tensormap::generic.release.gpu"
  // CHECK-NEXT:  ptx.fence "sc.cluster"
  // CHECK-NEXT:  ptx.membar "gl"
  // CHECK-NEXT:  ptx.setmaxnreg "dec" 40
  // CHECK-NEXT:  ptx.griddepcontrol "wait"
  // CHECK-NEXT:  ptx.nanosleep [[V0]]
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.mapa cluster [[V2]], [[V0]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.mbarrier.arrive cluster [[[V4]]], 1
  // CHECK-NEXT:  ptx.exit
  // CHECK-NEXT:  ptx.ret
  llvm.func @barriers(%n: i32, %p: !llvm.ptr, %s: !llvm.ptr<3>, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32} {
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    nvvm.barrier
    nvvm.barrier id = %c1 number_of_threads = %c128
    nvvm.barrier.arrive id = %n number_of_threads = %c128
    nvvm.bar.warp.sync %n : i32
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    nvvm.fence.mbarrier.init
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.fence.proxy.acquire <gpu> %p, %c128
    nvvm.fence.proxy.release <gpu>
    nvvm.fence.sc.cluster
    nvvm.memory.barrier <gpu>
    nvvm.setmaxregister decrease 40
    nvvm.griddepcontrol wait
    nvvm.nanosleep %n
    %q = nvvm.mapa %s, %n : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %q : !llvm.ptr<7>
    nvvm.exit
    llvm.return
  }

  // Asynchronous copies: offsets of all their addresses are in the instruction.
  // CHECK-LABEL: ptx.entry @copies
  // CHECK-SAME:  parameters [#ptx.parameter<"copies_param_0", u64>, #ptx.parameter<"copies_param_1", u32>, #ptx.parameter<"copies_param_2", u64>, #ptx.parameter<"copies_param_3", u32>, #ptx.parameter<"copies_param_4", u16>, #ptx.parameter<"copies_param_5", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u64 "copies_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "copies_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "copies_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ld_param u32 "copies_param_3" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.ld_param u16 "copies_param_4" : !ptx.reg<b16>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.ld_param u64 "copies_param_5" : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.cp.async.bulk.tensor.load cluster [[[V1]] + 1024], [[[V0]]] box([[V3]], 64), [[[V1]] + 8]
  // CHECK-NEXT:  ptx.cp.async.bulk.tensor.load cluster [[[V1]] + 1024], [[[V0]]] box([[V3]], [[V3]], [[V3]]), [[[V1]] + 8] multicast [[V4]] hint [[V5]]
  // CHECK-NEXT:  ptx.cp.async.bulk.tensor.store [[[V0]]] box([[V3]], 64), [[[V1]] + 1024]
  // CHECK-NEXT:  ptx.cp.reduce.async.bulk.tensor "add" [[[V0]]] box([[V3]], 64), [[[V1]] + 1024]
  // CHECK-NEXT:  ptx.cp.async.bulk.commit_group
  // CHECK-NEXT:  ptx.cp.async.bulk.wait_group 0
  // CHECK-NEXT:  ptx.cp.async.bulk.wait_group.read 1
  // CHECK-NEXT:  ptx.cp.async.bulk.prefetch.tensor [[[V0]]] box([[V3]], 64)
  // CHECK-NEXT:  ptx.cp.async.bulk.load cluster [[[V1]] + 1024], [[[V2]]], 64, [[[V1]] + 8]
  // CHECK-NEXT:  ptx.cp.async.bulk.store [[[V2]]], [[[V1]] + 1024], [[V3]]
  // CHECK-NEXT:  ptx.cp.async.bulk.remote_store [[[V1]] + 1024], [[[V1]]], 64, [[[V1]] + 8]
  // CHECK-NEXT:  ptx.prefetch "tensormap" [[[V0]]]
  // CHECK-NEXT:  ptx.cp.async "cg" 16 [[[V1]] + 1024], [[[V2]]], 16
  // CHECK-NEXT:  ptx.cp.async "ca" 8 [[[V1]] + 1024], [[[V2]]], [[V3]]
  // CHECK-NEXT:  ptx.cp.async.commit_group
  // CHECK-NEXT:  ptx.cp.async.wait_group 2
  // CHECK-NEXT:  ptx.cp.async.mbarrier.arrive noinc shared [[[V1]] + 8]
  // CHECK-NEXT:  ptx.ret
  llvm.func @copies(%map: !llvm.ptr, %s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32, %mask: i16, %hint: i64) attributes {nvvm.kernel} {
    %c64 = arith.constant 64 : i32
    %t = llvm.getelementptr %s[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.getelementptr %s[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %c = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %b, box[%i, %c64] : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %b, box[%i, %i, %i] multicast_mask = %mask l2_cache_hint = %hint : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %t, box[%i, %c64] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.reduce %map, %t, box[%i, %c64] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    nvvm.cp.async.bulk.wait_group 1 {read}
    nvvm.cp.async.bulk.tensor.prefetch %map, box[%i, %c64] : !llvm.ptr
    nvvm.cp.async.bulk.shared.cluster.global %c, %g, %b, %c64 : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.cp.async.bulk.global.shared.cta %g, %t, %i : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %b, %c64 : !llvm.ptr<7>, !llvm.ptr<3>
    nvvm.prefetch tensormap, %map : !llvm.ptr
    nvvm.cp.async.shared.global %t, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.shared.global %t, %g, 8, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 2
    nvvm.cp.async.mbarrier.arrive %b {noinc = true} : !llvm.ptr<3>
    llvm.return
  }

  // wgmma: an accumulator of zeros is overwritten rather than set to zero.
  // CHECK-LABEL: ptx.entry @wgmma
  // CHECK-SAME:  parameters [#ptx.parameter<"wgmma_param_0", u64>, #ptx.parameter<"wgmma_param_1", u64>, #ptx.parameter<"wgmma_param_2", u64>] reqntid (128, 1, 1) {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u64 "wgmma_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u64 "wgmma_param_1" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "wgmma_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  ptx.wgmma.fence
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.undef : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" [[V3]], [[V0]], [[V1]] scale 0 : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.wgmma.mma_async "m64n8k16.f32.bf16.bf16" [[V4]], neg trans [[V0]], trans [[V1]] scale 1 : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.wgmma.mma_async "m64n8k32.f32.e4m3.e5m2" [[V5]], [[V0]], [[V1]] scale 0 : !ptx.group<f32 x 4>
  // CHECK-NEXT:  ptx.wgmma.commit_group
  // CHECK-NEXT:  ptx.wgmma.wait_group 0
  // CHECK-NEXT:  [[V7:%[0-9]+]], [[V8:%[0-9]+]], [[V9:%[0-9]+]], [[V10:%[0-9]+]] = ptx.split [[V6]] : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
  // CHECK-NEXT:  ptx.st global f32 [[[V2]]], [[V7]]
  // CHECK-NEXT:  ptx.st global f32 [[[V2]]], [[V10]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @wgmma(%a: i64, %b: i64, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %z = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.fence.aligned
    %0 = nvvm.wgmma.mma_async %a, %b, %z, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    %1 = nvvm.wgmma.mma_async %a, %b, %0, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <neg>, <col>], B[<bf16>, <one>, <row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    %2 = nvvm.wgmma.mma_async %a, %b, %1, <m = 64, n = 8, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %x = llvm.extractvalue %2[0] : !llvm.struct<(f32, f32, f32, f32)>
    %y = llvm.extractvalue %2[3] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %x, %o : f32, !llvm.ptr<1>
    llvm.store %y, %o : f32, !llvm.ptr<1>
    llvm.return
  }

  // Accumulators through a loop that start from zero: the product of the first turn
  // overwrites them; only where the loop does not run are they set to zero.
  // CHECK-LABEL: ptx.entry @accumulators
  // CHECK-SAME:  parameters [#ptx.parameter<"accumulators_param_0", u64>, #ptx.parameter<"accumulators_param_1", u32>, #ptx.parameter<"accumulators_param_2", u64>] reqntid (128, 1, 1) {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u64 "accumulators_param_0" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param u32 "accumulators_param_1" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "accumulators_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.mov b32 0 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.undef : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.undef : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.setp le.s32 [[V1]], 0 : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if not [[V6]], ^[[B8:bb[0-9]+]]([[V3]], [[V4]], [[V5]]), ^[[B6:bb[0-9]+]]
  // CHECK-NEXT:  ^[[B6]]:
  // CHECK-NEXT:  [[Z:%[0-9]+]] = ptx.fill_group 0 : !ptx.group<f32 x 4>
  // CHECK-NEXT:  ptx.bra ^[[B7:bb[0-9]+]]([[Z]])
  // CHECK-NEXT:  ^[[B8]]([[V9:%[0-9]+]]: !ptx.reg<b32>, [[V10:%[0-9]+]]: !ptx.group<f32 x 4>, [[V11:%[0-9]+]]: !ptx.group<f32 x 4>):
  // CHECK-NEXT:  ptx.label "loop_1"
  // CHECK-NEXT:  [[LATER:%[0-9]+]] = ptx.setp ne.s32 [[V9]], 0 : !ptx.pred
  // CHECK-NEXT:  ptx.wgmma.fence
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" [[V10]], [[V0]], [[V0]] scale [[LATER]] : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.wgmma.mma_async "m64n8k16.f32.f16.f16" [[V11]], [[V0]], [[V0]] scale [[LATER]] : !ptx.group<f32 x 4>
  // CHECK-NEXT:  ptx.wgmma.commit_group
  // CHECK-NEXT:  ptx.wgmma.wait_group 0
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.add s32 [[V9]], 1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V15:%[0-9]+]] = ptx.setp lt.s32 [[V14]], [[V1]] : !ptx.pred
  // CHECK-NEXT:  ptx.bra_if [[V15]], ^[[B8]]([[V14]], [[V12]], [[V13]]), ^[[B9:bb[0-9]+]]
  // The products end before the accumulators meet the zeros.
  // CHECK-NEXT:  ^[[B9]]:
  // CHECK-NEXT:  ptx.wgmma.wait_group 0
  // CHECK-NEXT:  ptx.fallthrough ^[[B7]]([[V12]])
  // CHECK-NEXT:  ^[[B7]]([[V16:%[0-9]+]]: !ptx.group<f32 x 4>):
  // CHECK-NEXT:  ptx.label "done_1"
  // CHECK-NEXT:  [[V17:%[0-9]+]], [[V18:%[0-9]+]], [[V19:%[0-9]+]], [[V20:%[0-9]+]] = ptx.split [[V16]] : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
  // CHECK-NEXT:  ptx.st global f32 [[[V2]]], [[V18]]
  // CHECK-NEXT:  ptx.ret

  llvm.func @accumulators(%a: i64, %n: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %z, %q = %z) -> (!llvm.struct<(f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32)>) : i32 {
      nvvm.wgmma.fence.aligned
      %0 = nvvm.wgmma.mma_async %a, %a, %p, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      %1 = nvvm.wgmma.mma_async %a, %a, %q, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      scf.yield %0, %1 : !llvm.struct<(f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32)>
    }
    %x = llvm.extractvalue %r#0[1] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %x, %o : f32, !llvm.ptr<1>
    llvm.return
  }

  // One that something else reads too starts as zeros.
  // CHECK-LABEL: ptx.entry @zeros
  // CHECK:       [[P:%[0-9]+]] = ptx.fill_group 0 : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[Q:%[0-9]+]] = ptx.undef : !ptx.group<f32 x 4>
  // CHECK:       ptx.bra_if {{.*}}([[P]]), ^{{.*}}, [[P]], [[Q]])
  // CHECK:       ptx.wgmma.mma_async {{.*}} scale 1
  // CHECK:       ptx.wgmma.mma_async {{.*}} scale %
  llvm.func @zeros(%a: i64, %n: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %z, %q = %z) -> (!llvm.struct<(f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32)>) : i32 {
      %x = llvm.extractvalue %p[1] : !llvm.struct<(f32, f32, f32, f32)>
      llvm.store %x, %o : f32, !llvm.ptr<1>
      nvvm.wgmma.fence.aligned
      %0 = nvvm.wgmma.mma_async %a, %a, %p, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      %1 = nvvm.wgmma.mma_async %a, %a, %q, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      scf.yield %0, %1 : !llvm.struct<(f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32)>
    }
    %x = llvm.extractvalue %r#0[1] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %x, %o : f32, !llvm.ptr<1>
    llvm.return
  }

  // Matrix fragments of a warp, packed halves, stores of matrices.
  // CHECK-LABEL: ptx.entry @fragments
  // CHECK-SAME:  parameters [#ptx.parameter<"fragments_param_0", u32>, #ptx.parameter<"fragments_param_1", f32>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "fragments_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param f32 "fragments_param_1" : !ptx.reg<f32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ldmatrix [[[V0]] + 1024] : !ptx.group<b32 x 4>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.ldmatrix trans [[[V0]]] : !ptx.group<b32 x 1>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.split [[V3]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V5:%[0-9]+]], [[V6:%[0-9]+]], [[V7:%[0-9]+]], [[V8:%[0-9]+]] = ptx.split [[V2]] : !ptx.reg<b32>, !ptx.reg<b32>, !ptx.reg<b32>, !ptx.reg<b32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.join [[V5]], [[V6]], [[V5]], [[V6]] : !ptx.group<b32 x 4>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.join [[V4]], [[V4]] : !ptx.group<b32 x 2>
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.join [[V1]], [[V1]], [[V1]], [[V1]] : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.mma.sync "m16n8k16.row.col.f32.bf16.bf16.f32" [[V9]], [[V10]], [[V11]] : !ptx.group<f32 x 4>
  // CHECK-NEXT:  [[V13:%[0-9]+]], [[V14:%[0-9]+]], [[V15:%[0-9]+]], [[V16:%[0-9]+]] = ptx.split [[V12]] : !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>, !ptx.reg<f32>
  // CHECK-NEXT:  [[V17:%[0-9]+]] = ptx.cvt rn.f16x2 from f32 [[V14]], [[V13]] : !ptx.reg<b32>
  // CHECK-NEXT:  [[V18:%[0-9]+]] = ptx.join [[V17]], [[V5]] : !ptx.group<b32 x 2>
  // CHECK-NEXT:  ptx.stmatrix trans [[[V0]] + 1024], [[V18]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @fragments(%s: !llvm.ptr<3>, %f: f32) attributes {nvvm.kernel} {
    %t = llvm.getelementptr %s[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %a = nvvm.ldmatrix %t {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %b = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
    %a0 = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1 = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
    %d = nvvm.mma.sync A[%a0, %a1, %a0, %a1] B[%b, %b] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %h = nvvm.convert.f32x2.to.f16x2 %d1, %d0 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
    %i = llvm.bitcast %h : vector<2xf16> to i32
    nvvm.stmatrix %t, %i, %a0 {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    llvm.return
  }

  // Lanes and special registers.
  // CHECK-LABEL: ptx.entry @lanes
  // CHECK-SAME:  parameters [#ptx.parameter<"lanes_param_0", u32>, #ptx.parameter<"lanes_param_1", f32>, #ptx.parameter<"lanes_param_2", u64>] {
  // CHECK-NEXT:  [[V0:%[0-9]+]] = ptx.ld_param u32 "lanes_param_0" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V1:%[0-9]+]] = ptx.ld_param f32 "lanes_param_1" : !ptx.reg<f32>
  // CHECK-NEXT:  [[V2:%[0-9]+]] = ptx.ld_param u64 "lanes_param_2" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V3:%[0-9]+]] = ptx.sreg "tid.x" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V4:%[0-9]+]] = ptx.sreg "cluster_ctarank" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V5:%[0-9]+]] = ptx.sreg "cluster_ctaid.x" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V6:%[0-9]+]] = ptx.sreg "lanemask_lt" : !ptx.reg<b32>
  // CHECK-NEXT:  [[V7:%[0-9]+]] = ptx.sreg "clock64" : !ptx.reg<b64>
  // CHECK-NEXT:  [[V8:%[0-9]+]] = ptx.shfl.sync "idx" [[V3]], 0, 31, -1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V9:%[0-9]+]] = ptx.shfl.sync "bfly" [[V1]], [[V0]], 31, -1 : !ptx.reg<f32>
  // CHECK-NEXT:  [[V10:%[0-9]+]] = ptx.elect.sync -1 : !ptx.pred
  // CHECK-NEXT:  [[V11:%[0-9]+]] = ptx.vote.sync "ballot" [[V10]], -1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V12:%[0-9]+]] = ptx.redux.sync "max.u32" [[V11]], -1 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V13:%[0-9]+]] = ptx.add s32 [[V12]], 32 : !ptx.reg<b32>
  // CHECK-NEXT:  [[V14:%[0-9]+]] = ptx.add s32 [[V13]], [[V8]] : !ptx.reg<b32>
  // CHECK-NEXT:  ptx.st global b32 [[[V2]]], [[V14]]
  // CHECK-NEXT:  ptx.st global f32 [[[V2]]], [[V9]]
  // CHECK-NEXT:  ptx.ret
  llvm.func @lanes(%a: i32, %f: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %m1 = arith.constant -1 : i32
    %c0 = arith.constant 0 : i32
    %c31 = arith.constant 31 : i32
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    %1 = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %2 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %3 = nvvm.read.ptx.sreg.lanemask.lt : i32
    %4 = nvvm.read.ptx.sreg.warpsize : i32
    %5 = nvvm.read.ptx.sreg.clock64 : i64
    %6 = nvvm.shfl.sync idx %m1, %0, %c0, %c31 : i32 -> i32
    %7 = nvvm.shfl.sync bfly %m1, %f, %a, %c31 : f32 -> f32
    %8 = nvvm.elect.sync -> i1
    %9 = nvvm.vote.sync ballot %m1, %8 -> i32
    %10 = nvvm.redux.sync umax %9, %m1 : i32 -> i32
    %11 = arith.addi %10, %4 : i32
    %12 = arith.addi %11, %6 : i32
    llvm.store %12, %o : i32, !llvm.ptr<1>
    llvm.store %7, %o : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: ptx.entry @matches
  // CHECK:      [[L:%[0-9]+]] = ptx.match.sync "any" %{{[0-9]+}}, -1 : !ptx.reg<b32>
  // CHECK-NEXT: [[A:%[0-9]+]], [[S:%[0-9]+]] = ptx.match.sync "all" %{{[0-9]+}}, [[L]] : !ptx.reg<b32>, !ptx.pred
  // CHECK-NEXT: [[H:%[0-9]+]] = ptx.activemask : !ptx.reg<b32>
  // CHECK-NEXT: ptx.selp b32 [[A]], [[H]], [[S]]
  llvm.func @matches(%a: i32, %b: i64, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %m1 = arith.constant -1 : i32
    %0 = nvvm.match.sync any %m1, %b : i64 -> i32
    %1 = nvvm.match.sync all %0, %a : i32 -> !llvm.struct<(i32, i1)>
    %2 = llvm.extractvalue %1[0] : !llvm.struct<(i32, i1)>
    %3 = llvm.extractvalue %1[1] : !llvm.struct<(i32, i1)>
    %4 = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
    %5 = arith.select %3, %2, %4 : i32
    llvm.store %5, %o : i32, !llvm.ptr<1>
    llvm.return
  }

  // Forms of mma.sync, and the operands of tf32.
  // CHECK-LABEL: ptx.entry @products
  // CHECK:       [[T:%[0-9]+]] = ptx.cvt rna.tf32 from f32 %{{[0-9]+}} : !ptx.reg<b32>
  // CHECK:       ptx.mma.sync "m16n8k16.row.col.f16.f16.f16.f16" %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : !ptx.group<b32 x 2>
  // CHECK:       ptx.mma.sync "m16n8k8.row.col.f32.tf32.tf32.f32" %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : !ptx.group<f32 x 4>
  // CHECK:       ptx.mma.sync "m16n8k32.row.col.satfinite.s32.s8.u8.s32" %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : !ptx.group<b32 x 4>
  llvm.func @products(%f: f32, %i: i32) attributes {nvvm.kernel} {
    %v = llvm.bitcast %i : i32 to vector<2xf16>
    %t = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
    %0 = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%v, %v] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    %1 = nvvm.mma.sync A[%t, %t, %t, %t] B[%t, %t] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %2 = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%i, %i, %i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
}
