// RUN: croq-opt --verify-sync --verify-diagnostics %s

// A buffer that threads fill and others read, without the barrier between.

builtin.module attributes {croq.target = "sm_90a", gpu.container_module} {
  gpu.module @threads_double_buffer_module {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @threads_double_buffer(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %x_stride0: i64, %y_stride0: i64, %M_extent: i32, %N_extent: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, croq.launch = {args = [{kind = "tile", name = "x", dtype = "f32", shape = ["M", "N"], written = false}, {kind = "tile", name = "y", dtype = "f32", shape = ["M", "N"]}], dims = ["M", "N"], params = [{kind = "pointer", arg = "x"}, {kind = "pointer", arg = "y"}, {kind = "stride", arg = "x", dim = 0 : i64}, {kind = "stride", arg = "y", dim = 0 : i64}, {kind = "dim", dim = "M"}, {kind = "dim", dim = "N"}], grid = affine_map<(d0, d1) -> ((d0 ceildiv 16), 1, 1)>, block = 128 : i64, shared_bytes = 4096 : i64, checks = [{kind = "multiple", dim = "N", by = 4 : i64, location = "kernel.mlir:6:1"}], target = "sm_90a", reference = "y[m, n] = 2 * x[m, n]"}} {
      %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %0 = arith.constant 31 : i32
      %1 = arith.addi %N_extent, %0 : i32
      %2 = arith.constant 5 : i32
      %n_tiles = arith.shrui %1, %2 : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %3 = arith.constant 0 : i32
      %4 = arith.constant 1 : i32
      scf.for %k = %3 to %n_tiles step %4 : i32 {
        %5 = arith.constant 4 : i32
        %6 = arith.shli %bm, %5 : i32
        %7 = arith.shli %k, %2 : i32
        %8 = llvm.ptrtoint %x : !llvm.ptr<1> to i64
        %9 = arith.constant 2 : i64
        %10 = arith.shli %x_stride0, %9 : i64
        %11 = arith.ori %8, %10 : i64
        %12 = arith.constant 15 : i64
        %13 = arith.andi %11, %12 : i64
        %14 = arith.constant 0 : i64
        %aligned = arith.cmpi eq, %13, %14 : i64
        %15 = arith.constant 128 : i32
        scf.for %16 = %tid to %15 step %15 : i32 {
          %17 = arith.constant 7 : i32
          %18 = arith.andi %16, %17 : i32
          %19 = arith.constant 3 : i32
          %20 = arith.shrui %16, %19 : i32
          %21 = arith.constant 2 : i32
          %22 = arith.shli %18, %21 : i32
          %23 = arith.addi %6, %20 : i32
          %24 = arith.cmpi ult, %23, %M_extent : i32
          %25 = arith.addi %7, %22 : i32
          %26 = arith.addi %25, %19 : i32
          %27 = arith.cmpi ult, %26, %N_extent : i32
          %28 = arith.andi %aligned, %24 : i1
          %29 = arith.andi %28, %27 : i1
          scf.if %29 {
            %30 = arith.extsi %23 : i32 to i64
            %31 = arith.muli %30, %x_stride0 : i64
            %32 = arith.extsi %25 : i32 to i64
            %33 = arith.addi %31, %32 : i64
            %34 = arith.shli %33, %9 : i64
            %35 = llvm.getelementptr %x[%34] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
            %36 = llvm.load %35 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
            %37 = arith.andi %k, %4 : i32
            %38 = arith.constant 11 : i32
            %39 = arith.shli %37, %38 : i32
            %40 = arith.shli %20, %17 : i32
            %41 = arith.addi %39, %40 : i32
            %42 = arith.shli %18, %5 : i32
            %43 = arith.addi %41, %42 : i32
            %44 = llvm.getelementptr %smem[%43] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            // expected-error @below {{overwrite}}
            llvm.store %36, %44 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
          } else {
            scf.for %45 = %3 to %5 step %4 : i32 {
              %46 = arith.addi %22, %45 : i32
              %47 = arith.addi %7, %46 : i32
              %48 = arith.cmpi ult, %47, %N_extent : i32
              %49 = arith.andi %24, %48 : i1
              scf.if %49 {
                %50 = arith.extsi %23 : i32 to i64
                %51 = arith.muli %50, %x_stride0 : i64
                %52 = arith.addi %25, %45 : i32
                %53 = arith.extsi %52 : i32 to i64
                %54 = arith.addi %51, %53 : i64
                %55 = arith.shli %54, %9 : i64
                %56 = llvm.getelementptr %x[%55] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                %57 = llvm.load %56 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
                %58 = arith.andi %k, %4 : i32
                %59 = arith.constant 11 : i32
                %60 = arith.shli %58, %59 : i32
                %61 = arith.shli %20, %17 : i32
                %62 = arith.addi %60, %61 : i32
                %63 = arith.shli %18, %5 : i32
                %64 = arith.addi %62, %63 : i32
                %65 = arith.shli %45, %21 : i32
                %66 = arith.addi %64, %65 : i32
                %67 = llvm.getelementptr %smem[%66] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                llvm.store %57, %67 {alignment = 4 : i64} : i32, !llvm.ptr<3>
              } else {
                %68 = arith.andi %k, %4 : i32
                %69 = arith.constant 11 : i32
                %70 = arith.shli %68, %69 : i32
                %71 = arith.shli %20, %17 : i32
                %72 = arith.addi %70, %71 : i32
                %73 = arith.shli %18, %5 : i32
                %74 = arith.addi %72, %73 : i32
                %75 = arith.shli %45, %21 : i32
                %76 = arith.addi %74, %75 : i32
                %77 = llvm.getelementptr %smem[%76] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                llvm.store %3, %77 {alignment = 4 : i64} : i32, !llvm.ptr<3>
              }
            }
          }
        }
        %78 = arith.constant 15 : i32
        %r = arith.andi %tid, %78 : i32
        %c = arith.shrui %tid, %5 : i32
        %79 = arith.constant 32 : i32
        %80 = arith.constant 8 : i32
        scf.for %j = %c to %79 step %80 : i32 {
          %81 = arith.andi %k, %4 : i32
          %82 = arith.constant 11 : i32
          %83 = arith.shli %81, %82 : i32
          %84 = arith.constant 7 : i32
          %85 = arith.shli %r, %84 : i32
          %86 = arith.addi %83, %85 : i32
          %87 = arith.constant 2 : i32
          %88 = arith.shli %j, %87 : i32
          %89 = arith.addi %86, %88 : i32
          %90 = llvm.getelementptr %smem[%89] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %v = llvm.load %90 : !llvm.ptr<3> -> f32
          %w = arith.addf %v, %v : f32
          llvm.store %w, %90 : f32, !llvm.ptr<3>
        }
        nvvm.barrier
        %91 = llvm.ptrtoint %y : !llvm.ptr<1> to i64
        %92 = arith.shli %y_stride0, %9 : i64
        %93 = arith.ori %91, %92 : i64
        %94 = arith.andi %93, %12 : i64
        %aligned_1 = arith.cmpi eq, %94, %14 : i64
        scf.for %95 = %tid to %15 step %15 : i32 {
          %96 = arith.constant 7 : i32
          %97 = arith.andi %95, %96 : i32
          %98 = arith.constant 3 : i32
          %99 = arith.shrui %95, %98 : i32
          %100 = arith.constant 2 : i32
          %101 = arith.shli %97, %100 : i32
          %102 = arith.addi %6, %99 : i32
          %103 = arith.cmpi ult, %102, %M_extent : i32
          %104 = arith.addi %7, %101 : i32
          %105 = arith.addi %104, %98 : i32
          %106 = arith.cmpi ult, %105, %N_extent : i32
          %107 = arith.andi %aligned_1, %103 : i1
          %108 = arith.andi %107, %106 : i1
          scf.if %108 {
            %109 = arith.andi %k, %4 : i32
            %110 = arith.constant 11 : i32
            %111 = arith.shli %109, %110 : i32
            %112 = arith.shli %99, %96 : i32
            %113 = arith.addi %111, %112 : i32
            %114 = arith.shli %97, %5 : i32
            %115 = arith.addi %113, %114 : i32
            %116 = llvm.getelementptr %smem[%115] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %117 = llvm.load %116 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
            %118 = arith.extsi %102 : i32 to i64
            %119 = arith.muli %118, %y_stride0 : i64
            %120 = arith.extsi %104 : i32 to i64
            %121 = arith.addi %119, %120 : i64
            %122 = arith.shli %121, %9 : i64
            %123 = llvm.getelementptr %y[%122] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
            llvm.store %117, %123 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
          } else {
            scf.for %124 = %3 to %5 step %4 : i32 {
              %125 = arith.addi %101, %124 : i32
              %126 = arith.addi %7, %125 : i32
              %127 = arith.cmpi ult, %126, %N_extent : i32
              %128 = arith.andi %103, %127 : i1
              scf.if %128 {
                %129 = arith.andi %k, %4 : i32
                %130 = arith.constant 11 : i32
                %131 = arith.shli %129, %130 : i32
                %132 = arith.shli %99, %96 : i32
                %133 = arith.addi %131, %132 : i32
                %134 = arith.shli %97, %5 : i32
                %135 = arith.addi %133, %134 : i32
                %136 = arith.shli %124, %100 : i32
                %137 = arith.addi %135, %136 : i32
                %138 = llvm.getelementptr %smem[%137] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
                %139 = llvm.load %138 {alignment = 4 : i64} : !llvm.ptr<3> -> i32
                %140 = arith.extsi %102 : i32 to i64
                %141 = arith.muli %140, %y_stride0 : i64
                %142 = arith.addi %104, %124 : i32
                %143 = arith.extsi %142 : i32 to i64
                %144 = arith.addi %141, %143 : i64
                %145 = arith.shli %144, %9 : i64
                %146 = llvm.getelementptr %y[%145] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
                llvm.store %139, %146 {alignment = 4 : i64} : i32, !llvm.ptr<1>
              }
            }
          }
        }
      }
      llvm.return
    }
  }
}
