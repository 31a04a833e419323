// RUN: croq-opt --verify-sync --verify-diagnostics %s

// F08. Threads write a tile, and TMA stores it: there is a barrier between them, and no fence
// for the async proxy.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
  gpu.module @in_place_module {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @in_place(%x_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %y_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %N_extent: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = ["M", "N"]}], dims = ["M", "N"], params = [{kind = "tensor_map", arg = "x", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "tensor_map", arg = "y", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "dim", dim = "N"}], grid = affine_map<(d0, d1) -> ((d0 ceildiv 16), 1, 1)>, block = 160 : i64, shared_bytes = 6208 : i64, checks = [{kind = "multiple", dim = "N", by = 4 : i64, location = "kernel.mlir:6:1"}, {kind = "alignment", arg = "x", bytes = 16 : i64, location = "kernel.mlir:21:9"}, {kind = "pitch", arg = "x", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:21:9"}, {kind = "alignment", arg = "y", bytes = 16 : i64, location = "kernel.mlir:37:9"}, {kind = "pitch", arg = "y", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:37:9"}], target = "sm_90a", reference = "y[m, n] = 2 * x[m, n]"}} {
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %0 = arith.constant 31 : i32
      %1 = arith.addi %N_extent, %0 : i32
      %2 = arith.constant 5 : i32
      %n_tiles = arith.shrui %1, %2 : i32
      %full = llvm.getelementptr inbounds %smem[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %free = llvm.getelementptr inbounds %smem[6176] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %3 = nvvm.elect.sync -> i1
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %4 = arith.shrui %tid, %2 : i32
      %5 = arith.constant -1 : i32
      %6 = arith.constant 0 : i32
      %warp = nvvm.shfl.sync idx %5, %4, %6, %0 : i32 -> i32
      %7 = arith.cmpi eq, %warp, %6 : i32
      %leader = arith.andi %7, %3 : i1
      scf.if %leader {
        %8 = arith.constant 1 : i32
        nvvm.mbarrier.init %full, %8 : !llvm.ptr<3>, i32
        %9 = llvm.getelementptr %smem[6152] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %9, %8 : !llvm.ptr<3>, i32
        %10 = llvm.getelementptr %smem[6160] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %10, %8 : !llvm.ptr<3>, i32
        %11 = arith.constant 4 : i32
        nvvm.mbarrier.init %free, %11 : !llvm.ptr<3>, i32
        %12 = llvm.getelementptr %smem[6184] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %12, %11 : !llvm.ptr<3>, i32
        %13 = llvm.getelementptr %smem[6192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %13, %11 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      nvvm.barrier
      %14 = arith.constant 1 : i32
      %15 = arith.cmpi ult, %warp, %14 : i32
      scf.if %15 {
        %leader_1 = nvvm.elect.sync -> i1
        scf.for %k = %6 to %n_tiles step %14 : i32 {
          %16 = arith.constant 3 : i32
          %slot = arith.remui %k, %16 : i32
          %17 = arith.divui %k, %16 : i32
          %parity = arith.andi %17, %14 : i32
          %parity_1 = arith.xori %parity, %14 : i32
          %18 = arith.shli %slot, %16 : i32
          %19 = llvm.getelementptr %smem[%18] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %20 = llvm.getelementptr %19[6176] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %21 = llvm.getelementptr %19[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %22 = arith.remui %k, %16 : i32
          %23 = arith.constant 11 : i32
          %24 = arith.shli %22, %23 : i32
          %25 = llvm.getelementptr %smem[%24] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %26 = arith.shli %k, %2 : i32
          %27 = arith.constant 4 : i32
          %28 = arith.shli %bm, %27 : i32
          %29 = llvm.addrspacecast %25 : !llvm.ptr<3> to !llvm.ptr<7>
          scf.if %leader_1 {
            scf.while () : () -> () {
              %30 = nvvm.mbarrier.try_wait %20, %parity_1 : !llvm.ptr<3>, i32 -> i1
              %31 = arith.constant true
              %32 = arith.xori %30, %31 : i1
              scf.condition(%32)
            } do {
              scf.yield
            }
            %33 = arith.constant 2048 : i32
            nvvm.mbarrier.arrive.expect_tx %21, %33 : !llvm.ptr<3>, i32
            nvvm.cp.async.bulk.tensor.shared.cluster.global %29, %x_map, %21, box[%26, %28] : !llvm.ptr<7>, !llvm.ptr
          }
        }
      } else {
        %34 = nvvm.elect.sync -> i1
        %35 = arith.cmpi eq, %warp, %14 : i32
        %leader_2 = arith.andi %35, %34 : i1
        %36 = arith.constant -32 : i32
        %37 = arith.addi %tid, %36 : i32
        scf.for %k_1 = %6 to %n_tiles step %14 : i32 {
          %38 = arith.constant 3 : i32
          %slot_1 = arith.remui %k_1, %38 : i32
          %39 = arith.divui %k_1, %38 : i32
          %parity_2 = arith.andi %39, %14 : i32
          %40 = arith.shli %slot_1, %38 : i32
          %41 = llvm.getelementptr %smem[%40] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %42 = llvm.getelementptr %41[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          scf.while () : () -> () {
            %43 = nvvm.mbarrier.try_wait %42, %parity_2 : !llvm.ptr<3>, i32 -> i1
            %44 = arith.constant true
            %45 = arith.xori %43, %44 : i1
            scf.condition(%45)
          } do {
            scf.yield
          }
          %c = arith.andi %37, %0 : i32
          %r = arith.shrui %37, %2 : i32
          %46 = arith.constant 16 : i32
          %47 = arith.constant 4 : i32
          scf.for %i = %r to %46 step %47 : i32 {
            %48 = arith.remui %k_1, %38 : i32
            %49 = arith.constant 11 : i32
            %50 = arith.shli %48, %49 : i32
            %51 = arith.constant 7 : i32
            %52 = arith.shli %i, %51 : i32
            %53 = arith.addi %50, %52 : i32
            %54 = arith.constant 2 : i32
            %55 = arith.shli %c, %54 : i32
            %56 = arith.addi %53, %55 : i32
            %57 = llvm.getelementptr %smem[%56] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v = llvm.load %57 : !llvm.ptr<3> -> f32
            %w = arith.addf %v, %v : f32
            llvm.store %w, %57 : f32, !llvm.ptr<3>
          }
          %58 = arith.constant 128 : i32
          nvvm.barrier id = %14 number_of_threads = %58
          %59 = arith.remui %k_1, %38 : i32
          %60 = arith.constant 11 : i32
          %61 = arith.shli %59, %60 : i32
          %62 = llvm.getelementptr %smem[%61] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %63 = arith.shli %k_1, %2 : i32
          %64 = arith.shli %bm, %47 : i32
          scf.if %leader_2 {
            // expected-error @below {{missing proxy fence}}
            nvvm.cp.async.bulk.tensor.global.shared.cta %y_map, %62, box[%63, %64] : !llvm.ptr, !llvm.ptr<3>
            nvvm.cp.async.bulk.commit.group
            nvvm.cp.async.bulk.wait_group 0 {read}
          }
          %65 = llvm.getelementptr %41[6176] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          nvvm.bar.warp.sync %5 : i32
          %66 = nvvm.elect.sync -> i1
          scf.if %66 {
            nvvm.mbarrier.arrive %65 : !llvm.ptr<3>
          }
        }
      }
      llvm.return
    }
  }
}
