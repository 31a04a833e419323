// RUN: croq-opt --verify-sync --verify-diagnostics %s

// F07. Two loads of 2048 bytes each complete on one mbarrier, which is told of 6144: more than
// come.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
  gpu.module @two_loads_module {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @two_loads(%x_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %y_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %z: !llvm.ptr<1>, %z_stride0: i64, %M_extent: i32, %N_extent: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "z", dtype = "f32", shape = ["M", "N"]}], dims = ["M", "N"], params = [{kind = "tensor_map", arg = "x", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "tensor_map", arg = "y", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "pointer", arg = "z"}, {kind = "stride", arg = "z", dim = 0 : i64}, {kind = "dim", dim = "M"}, {kind = "dim", dim = "N"}], grid = affine_map<(d0, d1) -> ((d0 ceildiv 16), 1, 1)>, block = 256 : i64, shared_bytes = 10272 : i64, checks = [{kind = "multiple", dim = "N", by = 4 : i64, location = "kernel.mlir:6:1"}, {kind = "alignment", arg = "x", bytes = 16 : i64, location = "kernel.mlir:26:9"}, {kind = "pitch", arg = "x", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:26:9"}, {kind = "alignment", arg = "y", bytes = 16 : i64, location = "kernel.mlir:27:9"}, {kind = "pitch", arg = "y", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:27:9"}], target = "sm_90a", reference = "z[m, n] = x[m, n] - y[m, n]"}} {
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %0 = arith.constant 31 : i32
      %1 = arith.addi %N_extent, %0 : i32
      %2 = arith.constant 5 : i32
      %n_tiles = arith.shrui %1, %2 : i32
      %full = llvm.getelementptr inbounds %smem[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %free = llvm.getelementptr inbounds %smem[10256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
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
        %9 = llvm.getelementptr %smem[10248] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %9, %8 : !llvm.ptr<3>, i32
        %10 = arith.constant 4 : i32
        nvvm.mbarrier.init %free, %10 : !llvm.ptr<3>, i32
        %11 = llvm.getelementptr %smem[10264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %11, %10 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      nvvm.barrier
      %12 = arith.constant 1 : i32
      %13 = arith.cmpi ult, %warp, %12 : i32
      scf.if %13 {
        %leader_1 = nvvm.elect.sync -> i1
        scf.for %k = %6 to %n_tiles step %12 : i32 {
          %slot = arith.andi %k, %12 : i32
          %14 = arith.shrui %k, %12 : i32
          %parity = arith.andi %14, %12 : i32
          %parity_1 = arith.xori %parity, %12 : i32
          %15 = arith.constant 3 : i32
          %16 = arith.shli %slot, %15 : i32
          %17 = llvm.getelementptr %smem[%16] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %18 = llvm.getelementptr %17[10256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %19 = llvm.getelementptr %17[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %20 = arith.constant 11 : i32
          %21 = arith.shli %slot, %20 : i32
          %22 = llvm.getelementptr %smem[%21] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %23 = arith.shli %k, %2 : i32
          %24 = arith.constant 4 : i32
          %25 = arith.shli %bm, %24 : i32
          %26 = llvm.addrspacecast %22 : !llvm.ptr<3> to !llvm.ptr<7>
          %27 = llvm.getelementptr %22[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %28 = llvm.addrspacecast %27 : !llvm.ptr<3> to !llvm.ptr<7>
          scf.if %leader_1 {
            scf.while () : () -> () {
              %29 = nvvm.mbarrier.try_wait %18, %parity_1 : !llvm.ptr<3>, i32 -> i1
              %30 = arith.constant true
              %31 = arith.xori %29, %30 : i1
              scf.condition(%31)
            } do {
              scf.yield
            }
            %32 = arith.constant 6144 : i32
            nvvm.mbarrier.arrive.expect_tx %19, %32 : !llvm.ptr<3>, i32
            nvvm.cp.async.bulk.tensor.shared.cluster.global %26, %x_map, %19, box[%23, %25] : !llvm.ptr<7>, !llvm.ptr
            nvvm.cp.async.bulk.tensor.shared.cluster.global %28, %y_map, %19, box[%23, %25] : !llvm.ptr<7>, !llvm.ptr
          }
        }
      } else {
        %33 = arith.constant -4 : i32
        %34 = arith.addi %warp, %33 : i32
        %35 = arith.constant 4 : i32
        %36 = arith.cmpi ult, %34, %35 : i32
        scf.if %36 {
          %37 = arith.constant -128 : i32
          %thread = arith.addi %tid, %37 : i32
          scf.for %k_1 = %6 to %n_tiles step %12 : i32 {
            %slot_1 = arith.andi %k_1, %12 : i32
            %38 = arith.shrui %k_1, %12 : i32
            %parity_2 = arith.andi %38, %12 : i32
            %39 = arith.constant 3 : i32
            %40 = arith.shli %slot_1, %39 : i32
            %41 = llvm.getelementptr %smem[%40] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %42 = llvm.getelementptr %41[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            scf.while () : () -> () {
              // expected-error @below {{byte count}}
              %43 = nvvm.mbarrier.try_wait %42, %parity_2 : !llvm.ptr<3>, i32 -> i1
              %44 = arith.constant true
              %45 = arith.xori %43, %44 : i1
              scf.condition(%45)
            } do {
              scf.yield
            }
            %46 = arith.constant 128 : i32
            nvvm.barrier id = %12 number_of_threads = %46
            %c = arith.andi %thread, %0 : i32
            %r = arith.shrui %thread, %2 : i32
            %47 = arith.constant 16 : i32
            scf.for %i = %r to %47 step %35 : i32 {
              %48 = arith.constant 11 : i32
              %49 = arith.shli %slot_1, %48 : i32
              %50 = arith.constant 7 : i32
              %51 = arith.shli %i, %50 : i32
              %52 = arith.addi %49, %51 : i32
              %53 = arith.constant 2 : i32
              %54 = arith.shli %c, %53 : i32
              %55 = arith.addi %52, %54 : i32
              %56 = llvm.getelementptr %smem[%55] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              %u = llvm.load %56 : !llvm.ptr<3> -> f32
              %57 = llvm.getelementptr %56[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
              %v = llvm.load %57 : !llvm.ptr<3> -> f32
              %w = arith.subf %u, %v : f32
              %58 = arith.addi %51, %54 : i32
              %59 = llvm.getelementptr %smem[%58] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              %60 = llvm.getelementptr %59[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
              llvm.store %w, %60 : f32, !llvm.ptr<3>
            }
            %61 = llvm.getelementptr %41[10256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            nvvm.bar.warp.sync %5 : i32
            %62 = nvvm.elect.sync -> i1
            scf.if %62 {
              nvvm.mbarrier.arrive %61 : !llvm.ptr<3>
            }
            nvvm.barrier id = %12 number_of_threads = %46
            %63 = arith.shli %bm, %35 : i32
            %64 = arith.shli %k_1, %2 : i32
            %65 = llvm.ptrtoint %z : !llvm.ptr<1> to i64
            %66 = arith.constant 2 : i64
            %67 = arith.shli %z_stride0, %66 : i64
            %68 = arith.ori %65, %67 : i64
            %69 = arith.constant 15 : i64
            %70 = arith.andi %68, %69 : i64
            %71 = arith.constant 0 : i64
            %aligned = arith.cmpi eq, %70, %71 : i64
            scf.for %72 = %thread to %46 step %46 : i32 {
              %73 = arith.constant 7 : i32
              %74 = arith.andi %72, %73 : i32
              %75 = arith.shrui %72, %39 : i32
              %76 = arith.constant 2 : i32
              %77 = arith.shli %74, %76 : i32
              %78 = arith.addi %63, %75 : i32
              %79 = arith.cmpi ult, %78, %M_extent : i32
              %80 = arith.addi %64, %77 : i32
              %81 = arith.addi %80, %39 : i32
              %82 = arith.cmpi ult, %81, %N_extent : i32
              %83 = arith.andi %aligned, %79 : i1
              %84 = arith.andi %83, %82 : i1
              scf.if %84 {
                %85 = arith.shli %75, %73 : i32
                %86 = arith.shli %74, %35 : i32
                %87 = arith.addi %85, %86 : i32
                %88 = llvm.getelementptr %smem[%87] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                %89 = llvm.getelementptr %88[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
                %90 = llvm.load %89 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
                %91 = arith.extsi %78 : i32 to i64
                %92 = arith.muli %91, %z_stride0 : i64
                %93 = arith.extsi %80 : i32 to i64
                %94 = arith.addi %92, %93 : i64
                %95 = arith.shli %94, %66 : i64
                %96 = llvm.getelementptr %z[%95] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                llvm.store %90, %96 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
              } else {
                scf.for %97 = %6 to %35 step %12 : i32 {
                  %98 = arith.addi %77, %97 : i32
                  %99 = arith.addi %64, %98 : i32
                  %100 = arith.cmpi ult, %99, %N_extent : i32
                  %101 = arith.andi %79, %100 : i1
                  scf.if %101 {
                    %102 = arith.shli %75, %73 : i32
                    %103 = arith.shli %74, %35 : i32
                    %104 = arith.addi %102, %103 : i32
                    %105 = arith.shli %97, %76 : i32
                    %106 = arith.addi %104, %105 : i32
                    %107 = llvm.getelementptr %smem[%106] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                    %108 = llvm.getelementptr %107[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
                    %109 = llvm.load %108 {alignment = 4 : i64} : !llvm.ptr<3> -> i32
                    %110 = arith.extsi %78 : i32 to i64
                    %111 = arith.muli %110, %z_stride0 : i64
                    %112 = arith.addi %80, %97 : i32
                    %113 = arith.extsi %112 : i32 to i64
                    %114 = arith.addi %111, %113 : i64
                    %115 = arith.shli %114, %66 : i64
                    %116 = llvm.getelementptr %z[%115] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                    llvm.store %109, %116 {alignment = 4 : i64} : i32, !llvm.ptr<1>
                  }
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
