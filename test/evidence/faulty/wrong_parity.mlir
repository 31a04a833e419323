// RUN: croq-opt --verify-sync --verify-diagnostics %s

// The consumer waits for the phase of the wrong parity, which is over at once the first time.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
  gpu.module @ready_ring_module {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @ready_ring(%x_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %y: !llvm.ptr<1>, %y_stride0: i64, %M_extent: i32, %N_extent: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = ["M", "N"]}], dims = ["M", "N"], params = [{kind = "tensor_map", arg = "x", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "pointer", arg = "y"}, {kind = "stride", arg = "y", dim = 0 : i64}, {kind = "dim", dim = "M"}, {kind = "dim", dim = "N"}], grid = affine_map<(d0, d1) -> ((d0 ceildiv 16), 1, 1)>, block = 160 : i64, shared_bytes = 8256 : i64, checks = [{kind = "multiple", dim = "N", by = 4 : i64, location = "kernel.mlir:6:1"}, {kind = "alignment", arg = "x", bytes = 16 : i64, location = "kernel.mlir:22:9"}, {kind = "pitch", arg = "x", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:22:9"}], target = "sm_90a", reference = "y[m, n] = 2 * x[m, n]"}} {
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %0 = arith.constant 31 : i32
      %1 = arith.addi %N_extent, %0 : i32
      %2 = arith.constant 5 : i32
      %n_tiles = arith.shrui %1, %2 : i32
      %full = llvm.getelementptr inbounds %smem[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %free = llvm.getelementptr inbounds %smem[8224] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
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
        %9 = llvm.getelementptr %smem[8200] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %9, %8 : !llvm.ptr<3>, i32
        %10 = llvm.getelementptr %smem[8208] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %10, %8 : !llvm.ptr<3>, i32
        %11 = arith.constant 4 : i32
        nvvm.mbarrier.init %free, %11 : !llvm.ptr<3>, i32
        %12 = llvm.getelementptr %smem[8232] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %12, %11 : !llvm.ptr<3>, i32
        %13 = llvm.getelementptr %smem[8240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
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
          %20 = llvm.getelementptr %19[8224] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %21 = llvm.getelementptr %19[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
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
        %34 = arith.constant -32 : i32
        %thread = arith.addi %tid, %34 : i32
        scf.for %k_1 = %6 to %n_tiles step %14 : i32 {
          %35 = arith.constant 3 : i32
          %slot_1 = arith.remui %k_1, %35 : i32
          %36 = arith.divui %k_1, %35 : i32
          %parity_2_right = arith.andi %36, %14 : i32
          %flip = arith.constant 1 : i32
          %parity_2 = arith.xori %parity_2_right, %flip : i32
          %37 = arith.shli %slot_1, %35 : i32
          %38 = llvm.getelementptr %smem[%37] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %39 = llvm.getelementptr %38[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          scf.while () : () -> () {
            // expected-error @below {{early exit}}
            %40 = nvvm.mbarrier.try_wait %39, %parity_2 : !llvm.ptr<3>, i32 -> i1
            %41 = arith.constant true
            %42 = arith.xori %40, %41 : i1
            scf.condition(%42)
          } do {
            scf.yield
          }
          %43 = arith.constant 128 : i32
          nvvm.barrier id = %14 number_of_threads = %43
          %c = arith.andi %thread, %0 : i32
          %r = arith.shrui %thread, %2 : i32
          %44 = arith.constant 16 : i32
          %45 = arith.constant 4 : i32
          scf.for %i = %r to %44 step %45 : i32 {
            %46 = arith.remui %k_1, %35 : i32
            %47 = arith.constant 11 : i32
            %48 = arith.shli %46, %47 : i32
            %49 = arith.constant 7 : i32
            %50 = arith.shli %i, %49 : i32
            %51 = arith.addi %48, %50 : i32
            %52 = arith.constant 2 : i32
            %53 = arith.shli %c, %52 : i32
            %54 = arith.addi %51, %53 : i32
            %55 = llvm.getelementptr %smem[%54] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v = llvm.load %55 : !llvm.ptr<3> -> f32
            %w = arith.addf %v, %v : f32
            %56 = arith.addi %50, %53 : i32
            %57 = llvm.getelementptr %smem[%56] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %58 = llvm.getelementptr %57[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            llvm.store %w, %58 : f32, !llvm.ptr<3>
          }
          %59 = llvm.getelementptr %38[8224] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          nvvm.bar.warp.sync %5 : i32
          %60 = nvvm.elect.sync -> i1
          scf.if %60 {
            nvvm.mbarrier.arrive %59 : !llvm.ptr<3>
          }
          nvvm.barrier id = %14 number_of_threads = %43
          %61 = arith.shli %bm, %45 : i32
          %62 = arith.shli %k_1, %2 : i32
          %63 = llvm.ptrtoint %y : !llvm.ptr<1> to i64
          %64 = arith.constant 2 : i64
          %65 = arith.shli %y_stride0, %64 : i64
          %66 = arith.ori %63, %65 : i64
          %67 = arith.constant 15 : i64
          %68 = arith.andi %66, %67 : i64
          %69 = arith.constant 0 : i64
          %aligned = arith.cmpi eq, %68, %69 : i64
          scf.for %70 = %thread to %43 step %43 : i32 {
            %71 = arith.constant 7 : i32
            %72 = arith.andi %70, %71 : i32
            %73 = arith.shrui %70, %35 : i32
            %74 = arith.constant 2 : i32
            %75 = arith.shli %72, %74 : i32
            %76 = arith.addi %61, %73 : i32
            %77 = arith.cmpi ult, %76, %M_extent : i32
            %78 = arith.addi %62, %75 : i32
            %79 = arith.addi %78, %35 : i32
            %80 = arith.cmpi ult, %79, %N_extent : i32
            %81 = arith.andi %aligned, %77 : i1
            %82 = arith.andi %81, %80 : i1
            scf.if %82 {
              %83 = arith.shli %73, %71 : i32
              %84 = arith.shli %72, %45 : i32
              %85 = arith.addi %83, %84 : i32
              %86 = llvm.getelementptr %smem[%85] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              %87 = llvm.getelementptr %86[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
              %88 = llvm.load %87 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
              %89 = arith.extsi %76 : i32 to i64
              %90 = arith.muli %89, %y_stride0 : i64
              %91 = arith.extsi %78 : i32 to i64
              %92 = arith.addi %90, %91 : i64
              %93 = arith.shli %92, %64 : i64
              %94 = llvm.getelementptr %y[%93] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
              llvm.store %88, %94 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
            } else {
              scf.for %95 = %6 to %45 step %14 : i32 {
                %96 = arith.addi %75, %95 : i32
                %97 = arith.addi %62, %96 : i32
                %98 = arith.cmpi ult, %97, %N_extent : i32
                %99 = arith.andi %77, %98 : i1
                scf.if %99 {
                  %100 = arith.shli %73, %71 : i32
                  %101 = arith.shli %72, %45 : i32
                  %102 = arith.addi %100, %101 : i32
                  %103 = arith.shli %95, %74 : i32
                  %104 = arith.addi %102, %103 : i32
                  %105 = llvm.getelementptr %smem[%104] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                  %106 = llvm.getelementptr %105[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
                  %107 = llvm.load %106 {alignment = 4 : i64} : !llvm.ptr<3> -> i32
                  %108 = arith.extsi %76 : i32 to i64
                  %109 = arith.muli %108, %y_stride0 : i64
                  %110 = arith.addi %78, %95 : i32
                  %111 = arith.extsi %110 : i32 to i64
                  %112 = arith.addi %109, %111 : i64
                  %113 = arith.shli %112, %64 : i64
                  %114 = llvm.getelementptr %y[%113] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                  llvm.store %107, %114 {alignment = 4 : i64} : i32, !llvm.ptr<1>
                }
              }
            }
          }
        }
      }
      llvm.return
    }
  }
}
