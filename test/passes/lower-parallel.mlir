// RUN: croq-opt --lower-parallel --split-input-file %s | filecheck %s
// RUN: croq-opt --lower-parallel --split-input-file %s | croq-opt --split-input-file | filecheck %s

// Roles, elections, barriers, parameters, register budgets.

// CHECK:       builtin.module attributes {gpu.container_module} {
// CHECK-NEXT:    gpu.module @roles_module {
// CHECK-NEXT:      llvm.func @roles(
// CHECK-SAME:        [[MAP:%[a-z_]+]]: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
// CHECK-SAME:        [[OUT:%[a-z_]+]]: !llvm.ptr<1>, [[LD:%[a-z_0-9]+]]: i64, [[K:%[A-Za-z_]+]]: i32, [[ALPHA:%[a-z_]+]]: f32, [[START:%[a-z_]+]]: i32)
// CHECK-SAME:        attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 168 : i32, croq.launch = {
// CHECK-SAME:        args = [{kind = "tile", name = "lhs", dtype = "f16", shape = ["M", "K"], written = false}, {kind = "tile", name = "out", dtype = "f16", shape = ["M", "N"]}, {kind = "scalar", name = "alpha", dtype = "f32"}, {kind = "scalar", name = "start", dtype = "i32"}]
// CHECK-SAME:        dims = ["M", "N", "K"]
// CHECK-SAME:        params = [{kind = "tensor_map", arg = "lhs", box = [128 : i64, 64 : i64], swizzle = 128 : i64}, {kind = "pointer", arg = "out"}, {kind = "stride", arg = "out", dim = 0 : i64}, {kind = "dim", dim = "K"}, {kind = "scalar", arg = "alpha"}, {kind = "scalar", arg = "start"}]
// CHECK-SAME:        grid = affine_map<(d0, d1, d2) -> ((d0 ceildiv 128), d1, 1)>
// CHECK-SAME:        block = 384 : i64
// CHECK-SAME:        shared_bytes = 0 : i64
// CHECK-SAME:        {kind = "multiple", dim = "N", by = 8 : i64, location = "
// CHECK-SAME:        {kind = "alignment", arg = "lhs", bytes = 16 : i64, location = "
// CHECK-SAME:        {kind = "pitch", arg = "lhs", dim = 0 : i64, bytes = 16 : i64, location = "
// CHECK-SAME:        target = "sm_90a", reference = "out[m, n] = lhs[m, n]"}} {
croq.kernel @roles dims(M, N multiple_of 8, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>, %alpha: f32, %start: index)
    attributes {reference = "out[m, n] = lhs[m, n]"} {
  %m_tiles = croq.cdiv M, 128
  %k_tiles = croq.cdiv K, 64
  croq.parallel (%bm, %bn) in (%m_tiles, N) : block {
    // The values of dims and block indices, the trip count and the buffers come first.
    // CHECK-DAG:     [[KI:%.*]] = arith.index_cast [[K]] : i32 to index
    // CHECK-DAG:     [[FROM:%.*]] = arith.index_cast [[START]] : i32 to index
    // CHECK-DAG:     [[C63:%.*]] = arith.constant 63 : index
    // CHECK:         [[SUM:%.*]] = arith.addi [[KI]], [[C63]] : index
    // CHECK-NEXT:    [[C6:%.*]] = arith.constant 6 : index
    // CHECK-NEXT:    [[TO:%.*]] = arith.shrui [[SUM]], [[C6]] : index
    // CHECK-NEXT:    [[BARS:%.*]] = croq.alloc : !croq.tile<4xi64, shared, row_major>
    // The election of the block: by its first warp, but executed by all of them.
    // CHECK-DAG:     [[LANE:%.*]] = nvvm.elect.sync -> i1
    // CHECK-DAG:     [[TID:%.*]] = nvvm.read.ptx.sreg.tid.x : i32
    // CHECK-DAG:     [[C5:%.*]] = arith.constant 5 : i32
    // CHECK:         [[WARP0:%.*]] = arith.shrui [[TID]], [[C5]] : i32
    // CHECK-NEXT:    [[ALL:%.*]] = arith.constant -1 : i32
    // CHECK-NEXT:    [[ZERO:%.*]] = arith.constant 0 : i32
    // CHECK-NEXT:    [[LAST:%.*]] = arith.constant 31 : i32
    // CHECK-NEXT:    [[WARP:%.*]] = nvvm.shfl.sync idx [[ALL]], [[WARP0]], [[ZERO]], [[LAST]] : i32 -> i32
    // CHECK:         [[FIRST:%.*]] = arith.cmpi eq, [[WARP]], {{%.*}} : i32
    // CHECK-NEXT:    [[LEADER:%.*]] = arith.andi [[FIRST]], [[LANE]] : i1
    // CHECK:         croq.address [[BARS]][0] : !llvm.ptr<3>
    // CHECK:         scf.if [[LEADER]] {
    // CHECK-NEXT:      nvvm.mbarrier.init
    // CHECK-NEXT:    }
    // CHECK-NEXT:    nvvm.barrier{{$}}
    %leader0 = croq.elect
    %bars = croq.alloc : !croq.tile<4xi64, shared, row_major>
    %p = croq.address %bars[0] : !llvm.ptr<3>
    %c1 = arith.constant 1 : i32
    scf.if %leader0 {
      nvvm.mbarrier.init %p, %c1 : !llvm.ptr<3>, i32
    }
    croq.barrier
    // CHECK-NEXT:    [[C4:%.*]] = arith.constant 4 : i32
    // CHECK-NEXT:    [[PRODUCER:%.*]] = arith.cmpi ult, [[WARP]], [[C4]] : i32
    // CHECK-NEXT:    scf.if [[PRODUCER]] {
    // CHECK-NEXT:      nvvm.setmaxregister decrease 40
    // CHECK-NEXT:      [[LANE1:%.*]] = nvvm.elect.sync -> i1
    // CHECK-NEXT:      [[W0:%.*]] = arith.constant 0 : i32
    // CHECK-NEXT:      [[FIRST1:%.*]] = arith.cmpi eq, [[WARP]], [[W0]] : i32
    // CHECK-NEXT:      [[LEADER1:%.*]] = arith.andi [[FIRST1]], [[LANE1]] : i1
    // CHECK-NEXT:      [[STEP:%.*]] = arith.constant 1 : index
    // CHECK-NEXT:      scf.for {{%.*}} = [[FROM]] to [[TO]] step [[STEP]] {
    // CHECK-NEXT:        scf.if [[LEADER1]] {
    // CHECK-NEXT:          nvvm.prefetch tensormap, [[MAP]] : !llvm.ptr
    croq.role "producer" warpgroups [0, 1) registers 40 {
      croq.foreach %k in %start to %k_tiles {
        %leader = croq.elect
        %tm = croq.tensor_map %lhs box [128, 64] swizzle<128> : !llvm.ptr
        scf.if %leader {
          nvvm.prefetch tensormap, %tm : !llvm.ptr
        }
      }
    }
    // The last role has the rest of the threads.
    // CHECK:         } else {
    // CHECK-NEXT:      nvvm.setmaxregister increase 232
    // The warpgroup is computed from the warp, which is known to be uniform.
    // CHECK-NEXT:      [[FOUR:%.*]] = arith.constant 4 : i32
    // CHECK-NEXT:      [[ROLE_WARP:%.*]] = arith.subi [[WARP]], [[FOUR]] : i32
    // CHECK-NEXT:      [[ROLE_WARP_INDEX:%.*]] = arith.index_cast [[ROLE_WARP]] : i32 to index
    // CHECK-NEXT:      [[TWO:%.*]] = arith.constant 2 : index
    // CHECK-NEXT:      [[GROUP:%.*]] = arith.shrui [[ROLE_WARP_INDEX]], [[TWO]] : index
    // CHECK:           [[THREAD:%.*]] = arith.subi {{%.*}}, {{%.*}} : index
    // CHECK:           [[ID:%.*]] = arith.constant 1 : i32
    // CHECK-NEXT:      [[COUNT:%.*]] = arith.constant 256 : i32
    // CHECK-NEXT:      nvvm.barrier id = [[ID]] number_of_threads = [[COUNT]]
    // CHECK:           llvm.store [[LD]], [[OUT]] : i64, !llvm.ptr<1>
    // CHECK-NEXT:      llvm.store [[ALPHA]], [[OUT]] : f32, !llvm.ptr<1>
    // CHECK-NEXT:      [[GROUP32:%.*]] = arith.index_cast [[GROUP]] : index to i32
    // CHECK-NEXT:      llvm.store [[GROUP32]], [[OUT]] : i32, !llvm.ptr<1>
    // CHECK-NEXT:      [[THREAD32:%.*]] = arith.index_cast [[THREAD]] : index to i32
    // CHECK-NEXT:      llvm.store [[THREAD32]], [[OUT]] : i32, !llvm.ptr<1>
    // CHECK-NEXT:    }
    // CHECK-NEXT:    llvm.return
    croq.role "consumer" warpgroups [1, 3) registers 232 {
      %t = croq.thread_id
      %c128 = arith.constant 128 : index
      %group = arith.divui %t, %c128 : index
      croq.barrier
      %q = croq.pointer %out : !croq.tile<[M]x[N]xf16, global> -> !llvm.ptr<1>
      %ld = croq.stride %out, 0
      llvm.store %ld, %q : i64, !llvm.ptr<1>
      llvm.store %alpha, %q : f32, !llvm.ptr<1>
      %g = arith.index_cast %group : index to i32
      llvm.store %g, %q : i32, !llvm.ptr<1>
      %ti = arith.index_cast %t : index to i32
      llvm.store %ti, %q : i32, !llvm.ptr<1>
    }
  }
}

// -----

// Roles with a gap between them, one of a single warp, one that is not last in the block;
// what computes something between two roles does not break the chain.

// CHECK-LABEL: llvm.func @chain
// CHECK-SAME:    nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch
croq.kernel @chain (%p: !croq.tile<1xi32, global>) {
  croq.parallel (%b) in (4) : block threads 256 {
    // CHECK:       [[WARP:%.*]] = nvvm.shfl.sync idx
    // CHECK:       [[TWO:%.*]] = arith.constant 2 : index
    // CHECK:       [[IN_A:%.*]] = arith.cmpi ult, [[WARP]], {{%.*}} : i32
    // CHECK-NEXT:  scf.if [[IN_A]] {
    // One warp: no barrier of the hardware, and no test of the warp for its election.
    // CHECK-NEXT:    [[LEADER:%.*]] = nvvm.elect.sync -> i1
    // CHECK-NEXT:    [[ALL:%.*]] = arith.constant -1 : i32
    // CHECK-NEXT:    nvvm.bar.warp.sync [[ALL]] : i32
    // CHECK-NEXT:    scf.if [[LEADER]] {
    croq.role "a" warps [0, 1) {
      croq.barrier
      %leader = croq.elect
      scf.if %leader {
        %q = croq.pointer %p : !croq.tile<1xi32, global> -> !llvm.ptr<1>
        %one = arith.constant 1 : i32
        llvm.store %one, %q : i32, !llvm.ptr<1>
      }
    }
    %two = arith.constant 2 : index
    // CHECK:       } else {
    // CHECK:         [[FROM_2:%.*]] = arith.subi [[WARP]], {{%.*}} : i32
    // CHECK:         [[IN_B:%.*]] = arith.cmpi ult, [[FROM_2]], {{%.*}} : i32
    // CHECK-NEXT:    scf.if [[IN_B]] {
    // CHECK:           scf.for {{%.*}} = {{%.*}} to [[TWO]] step
    // CHECK:           nvvm.barrier id = {{%.*}} number_of_threads = {{%.*}}
    // CHECK-NEXT:    }
    // CHECK-NEXT:  }
    // CHECK-NEXT:  llvm.return
    croq.role "b" warps [2, 5) {
      croq.foreach %i in %two {
        %q = croq.pointer %p : !croq.tile<1xi32, global> -> !llvm.ptr<1>
        %j = arith.index_cast %i : index to i32
        llvm.store %j, %q : i32, !llvm.ptr<1>
      }
      croq.barrier
    }
  }
}

// -----

// Levels below the block: the last index is the fastest, and a level that needs fewer
// threads than there are is guarded.

// CHECK-LABEL: llvm.func @levels
// CHECK-SAME:    nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK-SAME:    grid = affine_map<(d0) -> (((d0 * 2) + 3), 7, 1)>
croq.kernel @levels dims(M) (%p: !croq.tile<1xi32, global>) {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %m = croq.dim M
  %m2 = arith.muli %m, %two : index
  %x = arith.addi %m2, %three : index
  croq.parallel (%bx, %by) in (%x, 7) : block {
    // CHECK:      [[BY:%.*]] = nvvm.read.ptx.sreg.ctaid.y : i32
    // CHECK:      [[BYI:%.*]] = arith.index_cast [[BY]] : i32 to index
    // CHECK:      [[TID:%.*]] = nvvm.read.ptx.sreg.tid.x : i32
    // CHECK:      [[THREAD:%.*]] = arith.index_cast [[TID]] : i32 to index
    // CHECK:      [[WARP:%.*]] = nvvm.shfl.sync idx
    // CHECK:      [[W:%.*]] = arith.index_cast [[WARP]] : i32 to index
    // CHECK:      [[NEEDED:%.*]] = arith.constant 120 : index
    // CHECK:      [[INSIDE:%.*]] = arith.cmpi ult, [[THREAD]], [[NEEDED]] : index
    // CHECK-NEXT: scf.if [[INSIDE]] {
    // CHECK-NEXT:   [[C5:%.*]] = arith.constant 5 : index
    // CHECK-NEXT:   [[COL:%.*]] = arith.remui [[THREAD]], [[C5]] : index
    // CHECK-NEXT:   [[C5B:%.*]] = arith.constant 5 : index
    // CHECK-NEXT:   [[REST:%.*]] = arith.divui [[THREAD]], [[C5B]] : index
    // CHECK-NEXT:   [[C3:%.*]] = arith.constant 7 : index
    // CHECK-NEXT:   [[MASK:%.*]] = arith.andi [[REST]], [[C3]] : index
    // CHECK-NEXT:   [[SHIFT:%.*]] = arith.constant 3 : index
    // CHECK-NEXT:   [[ROW:%.*]] = arith.shrui [[REST]], [[SHIFT]] : index
    // CHECK-NEXT:   [[SUM0:%.*]] = arith.addi [[ROW]], [[MASK]] : index
    // CHECK-NEXT:   [[SUM1:%.*]] = arith.addi [[SUM0]], [[COL]] : index
    // CHECK-NEXT:   arith.addi [[SUM1]], [[BYI]] : index
    croq.parallel (%i, %j, %k) in (3, 8, 5) : thread {
      %s0 = arith.addi %i, %j : index
      %s1 = arith.addi %s0, %k : index
      %s2 = arith.addi %s1, %by : index
      %v = arith.index_cast %s2 : index to i32
      %q = croq.pointer %p : !croq.tile<1xi32, global> -> !llvm.ptr<1>
      llvm.store %v, %q : i32, !llvm.ptr<1>
    }
    // Whole warps: from the uniform index of the warp.
    // CHECK:      [[LANE:%.*]] = arith.andi [[THREAD]], {{%.*}} : index
    // CHECK:      arith.addi [[W]], [[LANE]] : index
    croq.parallel (%w) in (4) : warp {
      croq.parallel (%l) in (32) : thread {
        %s = arith.addi %w, %l : index
        %v = arith.index_cast %s : index to i32
        %q = croq.pointer %p : !croq.tile<1xi32, global> -> !llvm.ptr<1>
        llvm.store %v, %q : i32, !llvm.ptr<1>
      }
    }
  }
}

// -----

// A returned tile is an output of the plan; one tensor map for each box; an argument that is
// not used has no parameter.

// CHECK-LABEL: llvm.func @returned(
// CHECK-SAME:    [[A:%[a-z_]+]]: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
// CHECK-SAME:    [[B:%[a-z_0-9]+]]: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
// CHECK-SAME:    args = [{kind = "tile", name = "unused", dtype = "f32", shape = ["M"], written = false}, {kind = "tile", name = "c", dtype = "f16", shape = ["M", 64 : i64], output = true}]
// CHECK-SAME:    params = [{kind = "tensor_map", arg = "c", box = [64 : i64, 64 : i64], swizzle = 128 : i64}, {kind = "tensor_map", arg = "c", box = [64 : i64, 32 : i64], swizzle = 64 : i64}]
// CHECK-SAME:    checks = [{kind = "alignment", arg = "c", bytes = 16 : i64, location = "
// CHECK-SAME:    {kind = "pitch", arg = "c", dim = 0 : i64, bytes = 16 : i64, location = "
// CHECK-SAME:    {kind = "multiple", dim = "M", by = 3 : i64}]
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta [[A]],
// CHECK-NEXT:    nvvm.prefetch tensormap, [[B]]
// CHECK-NEXT:    nvvm.prefetch tensormap, [[A]]
croq.kernel @returned dims(M) (%unused: !croq.tile<[M]xf32, global>)
    attributes {croq.checks = [{kind = "multiple", dim = "M", by = 3}]} {
  %c = croq.alloc : !croq.tile<[M]x64xf16, global>
  croq.parallel (%b) in (M) : block {
    %t0 = croq.tensor_map %c box [64, 64] swizzle<128> : !llvm.ptr
    %t1 = croq.tensor_map %c box [64, 32] swizzle<64> : !llvm.ptr
    %t2 = croq.tensor_map %c box [64, 64] swizzle<128> : !llvm.ptr
    %s = croq.alloc : !croq.tile<64x64xf16, shared, swizzle<128>>
    %p = croq.address %s[0, 0] : !llvm.ptr<3>
    %zero = arith.constant 0 : i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %t0, %p, box[%zero, %zero] : !llvm.ptr, !llvm.ptr<3>
    nvvm.prefetch tensormap, %t1 : !llvm.ptr
    nvvm.prefetch tensormap, %t2 : !llvm.ptr
  }
  croq.return %c : !croq.tile<[M]x64xf16, global>
}

// -----

// Clusters: the grid has their blocks, indices come from registers of their own, along an extent
// of 1 there is only 0. The arrival that follows the initialisation of mbarriers alone needs no
// fence of its own; after roles the warps come together first.
// CHECK-LABEL: llvm.func @clusters(
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME:    grid = affine_map<(d0, d1) -> (((d0 ceildiv 128) * 2), 1, 1)>
// CHECK-SAME:    cluster = [2 : i64, 1 : i64, 1 : i64]
// CHECK:         [[C:%.*]] = nvvm.read.ptx.sreg.clusterid.x : i32
// CHECK-NEXT:    [[CLUSTER:%.*]] = arith.index_cast [[C]] : i32 to index
// CHECK-NEXT:    [[J:%.*]] = arith.constant 0 : index
// CHECK-NEXT:    [[X:%.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
// CHECK-NEXT:    [[I:%.*]] = arith.index_cast [[X]] : i32 to index
// CHECK-NEXT:    [[TWO:%.*]] = arith.constant 2 : index
// CHECK-NEXT:    [[FIRST:%.*]] = arith.muli [[CLUSTER]], [[TWO]] : index
// CHECK:         nvvm.fence.mbarrier.init
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT:    nvvm.cluster.wait {aligned}
// CHECK-NEXT:    [[TILE:%.*]] = arith.addi [[FIRST]], [[I]] : index
// CHECK-NEXT:    arith.addi [[TILE]], [[J]] : index
// CHECK:         llvm.store
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.bar.warp.sync
// CHECK-NEXT:    nvvm.cluster.arrive {aligned}
// CHECK-NEXT:    nvvm.cluster.wait {aligned}
// CHECK-NEXT:    llvm.return
croq.kernel @clusters dims(M, N) (%out: !croq.tile<64xi32, global>) {
  %m = croq.cdiv M, 128
  croq.parallel (%c) in (%m) : cluster {
    %two = arith.constant 2 : index
    %first = arith.muli %c, %two : index
    croq.parallel (%i, %j) in (2, 1) : block threads 128 {
      %leader = croq.elect
      %bars = croq.alloc : !croq.tile<1xi64, shared, row_major>
      %p = croq.address %bars[0] : !llvm.ptr<3>
      %c1 = arith.constant 1 : i32
      scf.if %leader {
        nvvm.mbarrier.init %p, %c1 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      croq.barrier cluster
      %tile = arith.addi %first, %i : index
      %sum = arith.addi %tile, %j : index
      %value = arith.index_cast %sum : index to i32
      %q = croq.pointer %out : !croq.tile<64xi32, global> -> !llvm.ptr<1>
      croq.role "one" warps [0, 1) {
        llvm.store %value, %q : i32, !llvm.ptr<1>
      }
      croq.barrier cluster
    }
  }
}

// -----

// A cluster of one block is no cluster.
// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT:     cluster
// CHECK:         nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK:         nvvm.barrier{{$}}
// CHECK-NOT:     cluster
croq.kernel @alone (%out: !croq.tile<64xi32, global>) {
  croq.parallel (%c, %d) in (3, 4) : cluster {
    croq.parallel (%i, %j) in (1, 1) : block threads 128 {
      %value = arith.index_cast %d : index to i32
      %q = croq.pointer %out : !croq.tile<64xi32, global> -> !llvm.ptr<1>
      llvm.store %value, %q : i32, !llvm.ptr<1>
      croq.barrier cluster
    }
  }
}

// -----

// The barriers of the warpgroups of a scope have numbers that follow each other; that of a
// role of one is the barrier of the role.
// CHECK-LABEL: llvm.func @warpgroups
croq.kernel @warpgroups () {
  croq.parallel (%b) in (1) : block {
    croq.role "two" warpgroups [0, 2) {
      croq.parallel (%t) in (256) : thread {
        // CHECK:      [[GROUP:%.*]] = arith.index_cast {{%.*}} : index to i32
        // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
        // CHECK-NEXT: [[ID:%.*]] = arith.addi [[GROUP]], [[ONE]] : i32
        // CHECK-NEXT: [[COUNT:%.*]] = arith.constant 128 : i32
        // CHECK-NEXT: nvvm.barrier id = [[ID]] number_of_threads = [[COUNT]]
        croq.warpgroup_barrier
      }
    }
    croq.role "one" warpgroups [2, 3) {
      croq.parallel (%t) in (128) : thread {
        // CHECK:      [[ID:%.*]] = arith.constant 3 : i32
        // CHECK-NEXT: [[COUNT:%.*]] = arith.constant 128 : i32
        // CHECK-NEXT: nvvm.barrier id = [[ID]] number_of_threads = [[COUNT]]
        croq.warpgroup_barrier
      }
    }
  }
}
