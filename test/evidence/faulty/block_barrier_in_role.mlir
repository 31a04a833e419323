// RUN: croq-opt --verify-sync --verify-diagnostics %s

// A barrier of the whole block in one of two roles: the other never comes.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
  gpu.module @two_events_interleaved_module {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @two_events_interleaved(%x_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %y_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %z: !llvm.ptr<1>, %z_stride0: i64, %M_extent: i32, %N_extent: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "z", dtype = "f32", shape = ["M", "N"]}], dims = ["M", "N"], params = [{kind = "tensor_map", arg = "x", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "tensor_map", arg = "y", box = [16 : i64, 32 : i64], swizzle = 0 : i64}, {kind = "pointer", arg = "z"}, {kind = "stride", arg = "z", dim = 0 : i64}, {kind = "dim", dim = "M"}, {kind = "dim", dim = "N"}], grid = affine_map<(d0, d1) -> ((d0 ceildiv 16), 1, 1)>, block = 160 : i64, shared_bytes = 12384 : i64, checks = [{kind = "multiple", dim = "N", by = 4 : i64, location = "kernel.mlir:6:1"}, {kind = "alignment", arg = "x", bytes = 16 : i64, location = "kernel.mlir:29:9"}, {kind = "pitch", arg = "x", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:29:9"}, {kind = "alignment", arg = "y", bytes = 16 : i64, location = "kernel.mlir:31:9"}, {kind = "pitch", arg = "y", dim = 0 : i64, bytes = 16 : i64, location = "kernel.mlir:31:9"}], target = "sm_90a", reference = "z[m, n] = x[m, n] + 3 * y[m, n]"}} {
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %0 = arith.constant 31 : i32
      %1 = arith.addi %N_extent, %0 : i32
      %2 = arith.constant 5 : i32
      %n_tiles = arith.shrui %1, %2 : i32
      %x_full = llvm.getelementptr inbounds %smem[12352] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %x_free = llvm.getelementptr inbounds %smem[12368] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %y_full = llvm.getelementptr inbounds %smem[12288] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %y_free = llvm.getelementptr inbounds %smem[12320] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
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
        nvvm.mbarrier.init %x_full, %8 : !llvm.ptr<3>, i32
        %9 = llvm.getelementptr %smem[12360] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %9, %8 : !llvm.ptr<3>, i32
        %10 = arith.constant 4 : i32
        nvvm.mbarrier.init %x_free, %10 : !llvm.ptr<3>, i32
        %11 = llvm.getelementptr %smem[12376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %11, %10 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %y_full, %8 : !llvm.ptr<3>, i32
        %12 = llvm.getelementptr %smem[12296] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %12, %8 : !llvm.ptr<3>, i32
        %13 = llvm.getelementptr %smem[12304] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %13, %8 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %y_free, %10 : !llvm.ptr<3>, i32
        %14 = llvm.getelementptr %smem[12328] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %14, %10 : !llvm.ptr<3>, i32
        %15 = llvm.getelementptr %smem[12336] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %15, %10 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      nvvm.barrier
      %16 = arith.constant 1 : i32
      %17 = arith.cmpi ult, %warp, %16 : i32
      scf.if %17 {
        %leader_1 = nvvm.elect.sync -> i1
        scf.for %k = %6 to %n_tiles step %16 : i32 {
          %slot = arith.andi %k, %16 : i32
          %18 = arith.shrui %k, %16 : i32
          %parity = arith.andi %18, %16 : i32
          %parity_1 = arith.xori %parity, %16 : i32
          %19 = arith.constant 3 : i32
          %20 = arith.shli %slot, %19 : i32
          %21 = llvm.getelementptr %smem[%20] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %22 = llvm.getelementptr %21[12368] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          scf.if %leader_1 {
            scf.while () : () -> () {
              %23 = nvvm.mbarrier.try_wait %22, %parity_1 : !llvm.ptr<3>, i32 -> i1
              %24 = arith.constant true
              %25 = arith.xori %23, %24 : i1
              scf.condition(%25)
            } do {
              scf.yield
            }
          }
          %slot_1 = arith.remui %k, %19 : i32
          %26 = arith.divui %k, %19 : i32
          %parity_2 = arith.andi %26, %16 : i32
          %parity_3 = arith.xori %parity_2, %16 : i32
          %27 = arith.shli %slot_1, %19 : i32
          %28 = llvm.getelementptr %smem[%27] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %29 = llvm.getelementptr %28[12320] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %30 = llvm.getelementptr %21[12352] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %31 = arith.constant 11 : i32
          %32 = arith.shli %slot, %31 : i32
          %33 = llvm.getelementptr %smem[%32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %34 = llvm.getelementptr %33[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %35 = arith.shli %k, %2 : i32
          %36 = arith.constant 4 : i32
          %37 = arith.shli %bm, %36 : i32
          %38 = llvm.addrspacecast %34 : !llvm.ptr<3> to !llvm.ptr<7>
          scf.if %leader_1 {
            scf.while () : () -> () {
              %39 = nvvm.mbarrier.try_wait %29, %parity_3 : !llvm.ptr<3>, i32 -> i1
              %40 = arith.constant true
              %41 = arith.xori %39, %40 : i1
              scf.condition(%41)
            } do {
              scf.yield
            }
            %42 = arith.constant 2048 : i32
            nvvm.mbarrier.arrive.expect_tx %30, %42 : !llvm.ptr<3>, i32
            nvvm.cp.async.bulk.tensor.shared.cluster.global %38, %x_map, %30, box[%35, %37] : !llvm.ptr<7>, !llvm.ptr
          }
          %43 = llvm.getelementptr %28[12288] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %44 = arith.remui %k, %19 : i32
          %45 = arith.shli %44, %31 : i32
          %46 = llvm.getelementptr %smem[%45] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %47 = llvm.addrspacecast %46 : !llvm.ptr<3> to !llvm.ptr<7>
          scf.if %leader_1 {
            %48 = arith.constant 2048 : i32
            nvvm.mbarrier.arrive.expect_tx %43, %48 : !llvm.ptr<3>, i32
            nvvm.cp.async.bulk.tensor.shared.cluster.global %47, %y_map, %43, box[%35, %37] : !llvm.ptr<7>, !llvm.ptr
          }
        }
      } else {
        %49 = arith.constant -32 : i32
        %thread = arith.addi %tid, %49 : i32
        %three = arith.constant 3.000000e+00 : f32
        scf.for %k_1 = %6 to %n_tiles step %16 : i32 {
          %50 = arith.constant 3 : i32
          %slot_2 = arith.remui %k_1, %50 : i32
          %51 = arith.divui %k_1, %50 : i32
          %parity_4 = arith.andi %51, %16 : i32
          %52 = arith.shli %slot_2, %50 : i32
          %53 = llvm.getelementptr %smem[%52] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %54 = llvm.getelementptr %53[12288] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          scf.while () : () -> () {
            %55 = nvvm.mbarrier.try_wait %54, %parity_4 : !llvm.ptr<3>, i32 -> i1
            %56 = arith.constant true
            %57 = arith.xori %55, %56 : i1
            scf.condition(%57)
          } do {
            scf.yield
          }
          %58 = arith.constant 128 : i32
          // expected-error @below {{barrier participation}}
          nvvm.barrier
          %c = arith.andi %thread, %0 : i32
          %r = arith.shrui %thread, %2 : i32
          %59 = arith.constant 16 : i32
          %60 = arith.constant 4 : i32
          scf.for %i = %r to %59 step %60 : i32 {
            %61 = arith.remui %k_1, %50 : i32
            %62 = arith.constant 11 : i32
            %63 = arith.shli %61, %62 : i32
            %64 = arith.constant 7 : i32
            %65 = arith.shli %i, %64 : i32
            %66 = arith.addi %63, %65 : i32
            %67 = arith.constant 2 : i32
            %68 = arith.shli %c, %67 : i32
            %69 = arith.addi %66, %68 : i32
            %70 = llvm.getelementptr %smem[%69] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v = llvm.load %70 : !llvm.ptr<3> -> f32
            %w = arith.mulf %v, %three : f32
            %71 = arith.addi %65, %68 : i32
            %72 = llvm.getelementptr %smem[%71] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %73 = llvm.getelementptr %72[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            llvm.store %w, %73 : f32, !llvm.ptr<3>
          }
          %74 = llvm.getelementptr %53[12320] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          nvvm.bar.warp.sync %5 : i32
          %75 = nvvm.elect.sync -> i1
          scf.if %75 {
            nvvm.mbarrier.arrive %74 : !llvm.ptr<3>
          }
          %slot_3 = arith.andi %k_1, %16 : i32
          %76 = arith.shrui %k_1, %16 : i32
          %parity_5 = arith.andi %76, %16 : i32
          %77 = arith.shli %slot_3, %50 : i32
          %78 = llvm.getelementptr %smem[%77] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %79 = llvm.getelementptr %78[12352] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          scf.while () : () -> () {
            %80 = nvvm.mbarrier.try_wait %79, %parity_5 : !llvm.ptr<3>, i32 -> i1
            %81 = arith.constant true
            %82 = arith.xori %80, %81 : i1
            scf.condition(%82)
          } do {
            scf.yield
          }
          nvvm.barrier id = %16 number_of_threads = %58
          scf.for %i_1 = %r to %59 step %60 : i32 {
            %83 = arith.constant 11 : i32
            %84 = arith.shli %slot_3, %83 : i32
            %85 = arith.constant 7 : i32
            %86 = arith.shli %i_1, %85 : i32
            %87 = arith.addi %84, %86 : i32
            %88 = arith.constant 2 : i32
            %89 = arith.shli %c, %88 : i32
            %90 = arith.addi %87, %89 : i32
            %91 = llvm.getelementptr %smem[%90] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %92 = llvm.getelementptr %91[6144] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            %u = llvm.load %92 : !llvm.ptr<3> -> f32
            %93 = arith.addi %86, %89 : i32
            %94 = llvm.getelementptr %smem[%93] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %95 = llvm.getelementptr %94[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
            %v_1 = llvm.load %95 : !llvm.ptr<3> -> f32
            %w_1 = arith.addf %u, %v_1 : f32
            llvm.store %w_1, %95 : f32, !llvm.ptr<3>
          }
          %96 = llvm.getelementptr %78[12368] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          nvvm.bar.warp.sync %5 : i32
          %97 = nvvm.elect.sync -> i1
          scf.if %97 {
            nvvm.mbarrier.arrive %96 : !llvm.ptr<3>
          }
          nvvm.barrier id = %16 number_of_threads = %58
          %98 = arith.shli %bm, %60 : i32
          %99 = arith.shli %k_1, %2 : i32
          %100 = llvm.ptrtoint %z : !llvm.ptr<1> to i64
          %101 = arith.constant 2 : i64
          %102 = arith.shli %z_stride0, %101 : i64
          %103 = arith.ori %100, %102 : i64
          %104 = arith.constant 15 : i64
          %105 = arith.andi %103, %104 : i64
          %106 = arith.constant 0 : i64
          %aligned = arith.cmpi eq, %105, %106 : i64
          scf.for %107 = %thread to %58 step %58 : i32 {
            %108 = arith.constant 7 : i32
            %109 = arith.andi %107, %108 : i32
            %110 = arith.shrui %107, %50 : i32
            %111 = arith.constant 2 : i32
            %112 = arith.shli %109, %111 : i32
            %113 = arith.addi %98, %110 : i32
            %114 = arith.cmpi ult, %113, %M_extent : i32
            %115 = arith.addi %99, %112 : i32
            %116 = arith.addi %115, %50 : i32
            %117 = arith.cmpi ult, %116, %N_extent : i32
            %118 = arith.andi %aligned, %114 : i1
            %119 = arith.andi %118, %117 : i1
            scf.if %119 {
              %120 = arith.shli %110, %108 : i32
              %121 = arith.shli %109, %60 : i32
              %122 = arith.addi %120, %121 : i32
              %123 = llvm.getelementptr %smem[%122] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              %124 = llvm.getelementptr %123[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
              %125 = llvm.load %124 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
              %126 = arith.extsi %113 : i32 to i64
              %127 = arith.muli %126, %z_stride0 : i64
              %128 = arith.extsi %115 : i32 to i64
              %129 = arith.addi %127, %128 : i64
              %130 = arith.shli %129, %101 : i64
              %131 = llvm.getelementptr %z[%130] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
              llvm.store %125, %131 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
            } else {
              scf.for %132 = %6 to %60 step %16 : i32 {
                %133 = arith.addi %112, %132 : i32
                %134 = arith.addi %99, %133 : i32
                %135 = arith.cmpi ult, %134, %N_extent : i32
                %136 = arith.andi %114, %135 : i1
                scf.if %136 {
                  %137 = arith.shli %110, %108 : i32
                  %138 = arith.shli %109, %60 : i32
                  %139 = arith.addi %137, %138 : i32
                  %140 = arith.shli %132, %111 : i32
                  %141 = arith.addi %139, %140 : i32
                  %142 = llvm.getelementptr %smem[%141] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                  %143 = llvm.getelementptr %142[10240] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
                  %144 = llvm.load %143 {alignment = 4 : i64} : !llvm.ptr<3> -> i32
                  %145 = arith.extsi %113 : i32 to i64
                  %146 = arith.muli %145, %z_stride0 : i64
                  %147 = arith.addi %115, %132 : i32
                  %148 = arith.extsi %147 : i32 to i64
                  %149 = arith.addi %146, %148 : i64
                  %150 = arith.shli %149, %101 : i64
                  %151 = llvm.getelementptr %z[%150] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                  llvm.store %144, %151 {alignment = 4 : i64} : i32, !llvm.ptr<1>
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
