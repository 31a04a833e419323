// A matmul of 128 x 128 tiles at the hardware level: a producer and a consumer warpgroup.
// Dynamic shared memory: 163904 bytes; grid (N / 128, M / 128).

gpu.module @matmul_1p1c_module [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @matmul_1p1c(%tmA: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %tmB: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %tmD: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %k: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32} {
    // Two accumulators of 64 x 128 for a tile of 128 x 128, 4 stages.
    %v1 = nvvm.read.ptx.sreg.tid.x : i32
    %v2 = nvvm.read.ptx.sreg.ctaid.x : i32
    %v3 = nvvm.read.ptx.sreg.ctaid.y : i32
    %v4 = arith.constant 0 : i32
    %v5 = arith.constant 1 : i32
    %v6 = arith.constant 5 : i32
    %v7 = arith.constant 31 : i32
    %v8 = arith.constant -1 : i32
    %v9 = arith.constant 128 : i32
    %v10 = arith.constant 63 : i32
    %v11 = arith.constant 64 : i32
    %v12 = arith.muli %v3, %v9 : i32
    %v13 = arith.muli %v2, %v9 : i32
    %v14 = arith.addi %k, %v10 : i32
    %v15 = arith.divui %v14, %v11 : i32
    %v16 = arith.shrui %v1, %v6 : i32
    %v17 = nvvm.shfl.sync idx %v8, %v16, %v4, %v7 : i32 -> i32
    %v18 = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %v19 = arith.cmpi eq, %v17, %v4 : i32
    %v20 = nvvm.elect.sync -> i1
    %v21 = arith.andi %v19, %v20 : i1
    %v22 = arith.constant 4 : i32
    scf.if %v21 {
      %v23 = llvm.getelementptr %v18[163840] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v23, %v5 : !llvm.ptr<3>, i32
      %v24 = llvm.getelementptr %v18[163872] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v24, %v22 : !llvm.ptr<3>, i32
      %v25 = llvm.getelementptr %v18[163848] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v25, %v5 : !llvm.ptr<3>, i32
      %v26 = llvm.getelementptr %v18[163880] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v26, %v22 : !llvm.ptr<3>, i32
      %v27 = llvm.getelementptr %v18[163856] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v27, %v5 : !llvm.ptr<3>, i32
      %v28 = llvm.getelementptr %v18[163888] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v28, %v22 : !llvm.ptr<3>, i32
      %v29 = llvm.getelementptr %v18[163864] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v29, %v5 : !llvm.ptr<3>, i32
      %v30 = llvm.getelementptr %v18[163896] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      nvvm.mbarrier.init %v30, %v22 : !llvm.ptr<3>, i32
    }
    nvvm.fence.mbarrier.init
    nvvm.barrier
    %v31 = arith.constant 2 : i32
    %v32 = arith.shrui %v17, %v31 : i32
    %v33 = arith.cmpi eq, %v32, %v4 : i32
    %v34 = arith.constant 4 : i32
    %v35 = arith.constant 3 : i32
    %v36 = arith.constant 14 : i32
    %v37 = arith.constant 32768 : i32
    scf.if %v33 {
      nvvm.setmaxregister decrease 40
      scf.for %kp = %v4 to %v15 step %v5 : i32 {
        %v38 = arith.remui %kp, %v34 : i32
        %v39 = arith.divui %kp, %v34 : i32
        %v40 = arith.andi %v39, %v5 : i32
        %v41 = arith.shli %v38, %v35 : i32
        %v42 = llvm.getelementptr %v18[%v41] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v43 = llvm.getelementptr %v42[163872] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        scf.while () : () -> () {
          %v44 = nvvm.mbarrier.try_wait %v43, %v40 : !llvm.ptr<3>, i32 -> i1
          %v45 = arith.constant true
          %v46 = arith.xori %v44, %v45 : i1
          scf.condition(%v46)
        } do {
          scf.yield
        }
        %v47 = arith.shli %v38, %v35 : i32
        %v48 = llvm.getelementptr %v18[%v47] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v49 = llvm.getelementptr %v48[163840] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v50 = arith.cmpi eq, %v17, %v4 : i32
        %v51 = nvvm.elect.sync -> i1
        %v52 = arith.andi %v50, %v51 : i1
        %v53 = arith.muli %kp, %v11 : i32
        scf.if %v52 {
          nvvm.mbarrier.arrive.expect_tx %v49, %v37 : !llvm.ptr<3>, i32
          %v54 = arith.shli %v38, %v36 : i32
          %v55 = llvm.getelementptr %v18[%v54] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %v56 = llvm.getelementptr %v55[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %v57 = llvm.addrspacecast %v56 : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.tensor.shared.cluster.global %v57, %tmA, %v49, box[%v53, %v12] : !llvm.ptr<7>, !llvm.ptr
          %v58 = llvm.getelementptr %v18[%v54] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %v59 = llvm.getelementptr %v58[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %v60 = llvm.addrspacecast %v59 : !llvm.ptr<3> to !llvm.ptr<7>
          nvvm.cp.async.bulk.tensor.shared.cluster.global %v60, %tmB, %v49, box[%v53, %v13] : !llvm.ptr<7>, !llvm.ptr
        }
      }
    }
    %v61 = arith.cmpi eq, %v32, %v5 : i32
    scf.if %v61 {
      nvvm.setmaxregister increase 232
      scf.for %kc = %v4 to %v34 step %v5 : i32 {
        %v62 = arith.remui %kc, %v34 : i32
        %v63 = arith.divui %kc, %v34 : i32
        %v64 = arith.andi %v63, %v5 : i32
        %v65 = arith.shli %v62, %v35 : i32
        %v66 = llvm.getelementptr %v18[%v65] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v67 = llvm.getelementptr %v66[163872] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.bar.warp.sync %v8 : i32
        %v68 = nvvm.elect.sync -> i1
        scf.if %v68 {
          nvvm.mbarrier.arrive %v67 : !llvm.ptr<3>
        }
      }
      %v69 = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %acc:2 = scf.for %ki = %v4 to %v15 step %v5 iter_args(%a0 = %v69, %a1 = %v69) -> (!llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>) : i32 {
        %v70 = arith.remui %ki, %v34 : i32
        %v71 = arith.divui %ki, %v34 : i32
        %v72 = arith.andi %v71, %v5 : i32
        %v73 = arith.shli %v70, %v35 : i32
        %v74 = llvm.getelementptr %v18[%v73] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v75 = llvm.getelementptr %v74[163840] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        scf.while () : () -> () {
          %v76 = nvvm.mbarrier.try_wait %v75, %v72 : !llvm.ptr<3>, i32 -> i1
          %v77 = arith.constant true
          %v78 = arith.xori %v76, %v77 : i1
          scf.condition(%v78)
        } do {
          scf.yield
        }
        %v79 = arith.shli %v70, %v36 : i32
        %v80 = arith.constant 4611686293305360384 : i64
        %v81 = llvm.getelementptr %v18[%v79] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v82 = llvm.getelementptr %v81[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v83 = llvm.ptrtoint %v82 : !llvm.ptr<3> to i32
        %v84 = arith.shrui %v83, %v22 : i32
        %v85 = arith.constant 16383 : i32
        %v86 = arith.andi %v84, %v85 : i32
        %v87 = arith.extui %v86 : i32 to i64
        %v88 = arith.ori %v87, %v80 : i64
        %v89 = llvm.getelementptr %v18[%v79] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v90 = llvm.getelementptr %v89[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v91 = llvm.ptrtoint %v90 : !llvm.ptr<3> to i32
        %v92 = arith.shrui %v91, %v22 : i32
        %v93 = arith.constant 16383 : i32
        %v94 = arith.andi %v92, %v93 : i32
        %v95 = arith.extui %v94 : i32 to i64
        %v96 = arith.ori %v95, %v80 : i64
        nvvm.wgmma.fence.aligned
        %v97 = arith.constant 0 : i64
        %v98 = arith.constant 0 : i64
        %v99 = arith.addi %v88, %v97 : i64
        %v100 = arith.addi %v96, %v98 : i64
        %v101 = nvvm.wgmma.mma_async %v99, %v100, %a0, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v102 = arith.constant 512 : i64
        %v103 = arith.constant 0 : i64
        %v104 = arith.addi %v88, %v102 : i64
        %v105 = arith.addi %v96, %v103 : i64
        %v106 = nvvm.wgmma.mma_async %v104, %v105, %a1, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v107 = arith.constant 2 : i64
        %v108 = arith.constant 2 : i64
        %v109 = arith.addi %v88, %v107 : i64
        %v110 = arith.addi %v96, %v108 : i64
        %v111 = nvvm.wgmma.mma_async %v109, %v110, %v101, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v112 = arith.constant 514 : i64
        %v113 = arith.constant 2 : i64
        %v114 = arith.addi %v88, %v112 : i64
        %v115 = arith.addi %v96, %v113 : i64
        %v116 = nvvm.wgmma.mma_async %v114, %v115, %v106, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v117 = arith.constant 4 : i64
        %v118 = arith.constant 4 : i64
        %v119 = arith.addi %v88, %v117 : i64
        %v120 = arith.addi %v96, %v118 : i64
        %v121 = nvvm.wgmma.mma_async %v119, %v120, %v111, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v122 = arith.constant 516 : i64
        %v123 = arith.constant 4 : i64
        %v124 = arith.addi %v88, %v122 : i64
        %v125 = arith.addi %v96, %v123 : i64
        %v126 = nvvm.wgmma.mma_async %v124, %v125, %v116, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v127 = arith.constant 6 : i64
        %v128 = arith.constant 6 : i64
        %v129 = arith.addi %v88, %v127 : i64
        %v130 = arith.addi %v96, %v128 : i64
        %v131 = nvvm.wgmma.mma_async %v129, %v130, %v121, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        %v132 = arith.constant 518 : i64
        %v133 = arith.constant 6 : i64
        %v134 = arith.addi %v88, %v132 : i64
        %v135 = arith.addi %v96, %v133 : i64
        %v136 = nvvm.wgmma.mma_async %v134, %v135, %v126, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
        nvvm.wgmma.commit.group.sync.aligned
        nvvm.wgmma.wait.group.sync.aligned 0
        %v137 = arith.shli %v70, %v35 : i32
        %v138 = llvm.getelementptr %v18[%v137] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v139 = llvm.getelementptr %v138[163872] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.bar.warp.sync %v8 : i32
        %v140 = nvvm.elect.sync -> i1
        scf.if %v140 {
          nvvm.mbarrier.arrive %v139 : !llvm.ptr<3>
        }
        scf.yield %v131, %v136 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      }
      %v141 = arith.constant 127 : i32
      %v142 = arith.andi %v1, %v141 : i32
      %v143 = arith.andi %v142, %v7 : i32
      %v144 = arith.shrui %v142, %v6 : i32
      %v145 = arith.constant 7 : i32
      %v146 = arith.constant 16 : i32
      %v147 = arith.constant 8 : i32
      %v148 = arith.andi %v143, %v145 : i32
      %v149 = arith.shrui %v143, %v35 : i32
      %v150 = arith.andi %v149, %v5 : i32
      %v151 = arith.shli %v150, %v35 : i32
      %v152 = arith.addi %v148, %v151 : i32
      %v153 = arith.shli %v144, %v22 : i32
      %v154 = arith.addi %v152, %v153 : i32
      %v155 = arith.shrui %v143, %v22 : i32
      %v156 = arith.shli %v154, %v145 : i32
      %v157 = arith.constant 0 : i32
      %v158 = arith.addi %v155, %v157 : i32
      %v159 = arith.xori %v158, %v148 : i32
      %v160 = arith.shli %v159, %v22 : i32
      %v161 = arith.addi %v156, %v160 : i32
      %v162 = llvm.getelementptr %v18[%v161] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v163 = llvm.getelementptr %v162[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v164 = llvm.extractvalue %acc#0[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v165 = llvm.extractvalue %acc#0[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v166 = nvvm.convert.f32x2.to.f16x2 %v165, %v164 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v167 = llvm.bitcast %v166 : vector<2xf16> to i32
      %v168 = llvm.extractvalue %acc#0[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v169 = llvm.extractvalue %acc#0[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v170 = nvvm.convert.f32x2.to.f16x2 %v169, %v168 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v171 = llvm.bitcast %v170 : vector<2xf16> to i32
      %v172 = llvm.extractvalue %acc#0[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v173 = llvm.extractvalue %acc#0[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v174 = nvvm.convert.f32x2.to.f16x2 %v173, %v172 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v175 = llvm.bitcast %v174 : vector<2xf16> to i32
      %v176 = llvm.extractvalue %acc#0[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v177 = llvm.extractvalue %acc#0[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v178 = nvvm.convert.f32x2.to.f16x2 %v177, %v176 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v179 = llvm.bitcast %v178 : vector<2xf16> to i32
      nvvm.stmatrix %v163, %v167, %v171, %v175, %v179 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v180 = arith.constant 2 : i32
      %v181 = arith.addi %v155, %v180 : i32
      %v182 = arith.xori %v181, %v148 : i32
      %v183 = arith.shli %v182, %v22 : i32
      %v184 = arith.addi %v156, %v183 : i32
      %v185 = llvm.getelementptr %v18[%v184] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v186 = llvm.getelementptr %v185[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v187 = llvm.extractvalue %acc#0[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v188 = llvm.extractvalue %acc#0[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v189 = nvvm.convert.f32x2.to.f16x2 %v188, %v187 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v190 = llvm.bitcast %v189 : vector<2xf16> to i32
      %v191 = llvm.extractvalue %acc#0[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v192 = llvm.extractvalue %acc#0[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v193 = nvvm.convert.f32x2.to.f16x2 %v192, %v191 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v194 = llvm.bitcast %v193 : vector<2xf16> to i32
      %v195 = llvm.extractvalue %acc#0[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v196 = llvm.extractvalue %acc#0[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v197 = nvvm.convert.f32x2.to.f16x2 %v196, %v195 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v198 = llvm.bitcast %v197 : vector<2xf16> to i32
      %v199 = llvm.extractvalue %acc#0[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v200 = llvm.extractvalue %acc#0[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v201 = nvvm.convert.f32x2.to.f16x2 %v200, %v199 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v202 = llvm.bitcast %v201 : vector<2xf16> to i32
      nvvm.stmatrix %v186, %v190, %v194, %v198, %v202 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v203 = arith.constant 4 : i32
      %v204 = arith.addi %v155, %v203 : i32
      %v205 = arith.xori %v204, %v148 : i32
      %v206 = arith.shli %v205, %v22 : i32
      %v207 = arith.addi %v156, %v206 : i32
      %v208 = llvm.getelementptr %v18[%v207] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v209 = llvm.getelementptr %v208[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v210 = llvm.extractvalue %acc#0[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v211 = llvm.extractvalue %acc#0[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v212 = nvvm.convert.f32x2.to.f16x2 %v211, %v210 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v213 = llvm.bitcast %v212 : vector<2xf16> to i32
      %v214 = llvm.extractvalue %acc#0[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v215 = llvm.extractvalue %acc#0[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v216 = nvvm.convert.f32x2.to.f16x2 %v215, %v214 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v217 = llvm.bitcast %v216 : vector<2xf16> to i32
      %v218 = llvm.extractvalue %acc#0[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v219 = llvm.extractvalue %acc#0[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v220 = nvvm.convert.f32x2.to.f16x2 %v219, %v218 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v221 = llvm.bitcast %v220 : vector<2xf16> to i32
      %v222 = llvm.extractvalue %acc#0[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v223 = llvm.extractvalue %acc#0[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v224 = nvvm.convert.f32x2.to.f16x2 %v223, %v222 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v225 = llvm.bitcast %v224 : vector<2xf16> to i32
      nvvm.stmatrix %v209, %v213, %v217, %v221, %v225 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v226 = arith.constant 6 : i32
      %v227 = arith.addi %v155, %v226 : i32
      %v228 = arith.xori %v227, %v148 : i32
      %v229 = arith.shli %v228, %v22 : i32
      %v230 = arith.addi %v156, %v229 : i32
      %v231 = llvm.getelementptr %v18[%v230] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v232 = llvm.getelementptr %v231[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v233 = llvm.extractvalue %acc#0[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v234 = llvm.extractvalue %acc#0[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v235 = nvvm.convert.f32x2.to.f16x2 %v234, %v233 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v236 = llvm.bitcast %v235 : vector<2xf16> to i32
      %v237 = llvm.extractvalue %acc#0[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v238 = llvm.extractvalue %acc#0[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v239 = nvvm.convert.f32x2.to.f16x2 %v238, %v237 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v240 = llvm.bitcast %v239 : vector<2xf16> to i32
      %v241 = llvm.extractvalue %acc#0[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v242 = llvm.extractvalue %acc#0[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v243 = nvvm.convert.f32x2.to.f16x2 %v242, %v241 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v244 = llvm.bitcast %v243 : vector<2xf16> to i32
      %v245 = llvm.extractvalue %acc#0[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v246 = llvm.extractvalue %acc#0[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v247 = nvvm.convert.f32x2.to.f16x2 %v246, %v245 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v248 = llvm.bitcast %v247 : vector<2xf16> to i32
      nvvm.stmatrix %v232, %v236, %v240, %v244, %v248 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v249 = arith.constant 0 : i32
      %v250 = arith.addi %v155, %v249 : i32
      %v251 = arith.xori %v250, %v148 : i32
      %v252 = arith.shli %v251, %v22 : i32
      %v253 = arith.addi %v156, %v252 : i32
      %v254 = llvm.getelementptr %v18[%v253] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v255 = llvm.getelementptr %v254[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v256 = llvm.extractvalue %acc#0[32] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v257 = llvm.extractvalue %acc#0[33] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v258 = nvvm.convert.f32x2.to.f16x2 %v257, %v256 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v259 = llvm.bitcast %v258 : vector<2xf16> to i32
      %v260 = llvm.extractvalue %acc#0[34] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v261 = llvm.extractvalue %acc#0[35] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v262 = nvvm.convert.f32x2.to.f16x2 %v261, %v260 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v263 = llvm.bitcast %v262 : vector<2xf16> to i32
      %v264 = llvm.extractvalue %acc#0[36] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v265 = llvm.extractvalue %acc#0[37] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v266 = nvvm.convert.f32x2.to.f16x2 %v265, %v264 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v267 = llvm.bitcast %v266 : vector<2xf16> to i32
      %v268 = llvm.extractvalue %acc#0[38] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v269 = llvm.extractvalue %acc#0[39] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v270 = nvvm.convert.f32x2.to.f16x2 %v269, %v268 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v271 = llvm.bitcast %v270 : vector<2xf16> to i32
      nvvm.stmatrix %v255, %v259, %v263, %v267, %v271 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v272 = arith.constant 2 : i32
      %v273 = arith.addi %v155, %v272 : i32
      %v274 = arith.xori %v273, %v148 : i32
      %v275 = arith.shli %v274, %v22 : i32
      %v276 = arith.addi %v156, %v275 : i32
      %v277 = llvm.getelementptr %v18[%v276] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v278 = llvm.getelementptr %v277[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v279 = llvm.extractvalue %acc#0[40] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v280 = llvm.extractvalue %acc#0[41] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v281 = nvvm.convert.f32x2.to.f16x2 %v280, %v279 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v282 = llvm.bitcast %v281 : vector<2xf16> to i32
      %v283 = llvm.extractvalue %acc#0[42] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v284 = llvm.extractvalue %acc#0[43] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v285 = nvvm.convert.f32x2.to.f16x2 %v284, %v283 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v286 = llvm.bitcast %v285 : vector<2xf16> to i32
      %v287 = llvm.extractvalue %acc#0[44] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v288 = llvm.extractvalue %acc#0[45] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v289 = nvvm.convert.f32x2.to.f16x2 %v288, %v287 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v290 = llvm.bitcast %v289 : vector<2xf16> to i32
      %v291 = llvm.extractvalue %acc#0[46] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v292 = llvm.extractvalue %acc#0[47] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v293 = nvvm.convert.f32x2.to.f16x2 %v292, %v291 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v294 = llvm.bitcast %v293 : vector<2xf16> to i32
      nvvm.stmatrix %v278, %v282, %v286, %v290, %v294 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v295 = arith.constant 4 : i32
      %v296 = arith.addi %v155, %v295 : i32
      %v297 = arith.xori %v296, %v148 : i32
      %v298 = arith.shli %v297, %v22 : i32
      %v299 = arith.addi %v156, %v298 : i32
      %v300 = llvm.getelementptr %v18[%v299] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v301 = llvm.getelementptr %v300[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v302 = llvm.extractvalue %acc#0[48] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v303 = llvm.extractvalue %acc#0[49] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v304 = nvvm.convert.f32x2.to.f16x2 %v303, %v302 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v305 = llvm.bitcast %v304 : vector<2xf16> to i32
      %v306 = llvm.extractvalue %acc#0[50] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v307 = llvm.extractvalue %acc#0[51] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v308 = nvvm.convert.f32x2.to.f16x2 %v307, %v306 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v309 = llvm.bitcast %v308 : vector<2xf16> to i32
      %v310 = llvm.extractvalue %acc#0[52] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v311 = llvm.extractvalue %acc#0[53] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v312 = nvvm.convert.f32x2.to.f16x2 %v311, %v310 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v313 = llvm.bitcast %v312 : vector<2xf16> to i32
      %v314 = llvm.extractvalue %acc#0[54] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v315 = llvm.extractvalue %acc#0[55] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v316 = nvvm.convert.f32x2.to.f16x2 %v315, %v314 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v317 = llvm.bitcast %v316 : vector<2xf16> to i32
      nvvm.stmatrix %v301, %v305, %v309, %v313, %v317 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v318 = arith.constant 6 : i32
      %v319 = arith.addi %v155, %v318 : i32
      %v320 = arith.xori %v319, %v148 : i32
      %v321 = arith.shli %v320, %v22 : i32
      %v322 = arith.addi %v156, %v321 : i32
      %v323 = llvm.getelementptr %v18[%v322] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v324 = llvm.getelementptr %v323[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v325 = llvm.extractvalue %acc#0[56] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v326 = llvm.extractvalue %acc#0[57] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v327 = nvvm.convert.f32x2.to.f16x2 %v326, %v325 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v328 = llvm.bitcast %v327 : vector<2xf16> to i32
      %v329 = llvm.extractvalue %acc#0[58] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v330 = llvm.extractvalue %acc#0[59] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v331 = nvvm.convert.f32x2.to.f16x2 %v330, %v329 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v332 = llvm.bitcast %v331 : vector<2xf16> to i32
      %v333 = llvm.extractvalue %acc#0[60] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v334 = llvm.extractvalue %acc#0[61] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v335 = nvvm.convert.f32x2.to.f16x2 %v334, %v333 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v336 = llvm.bitcast %v335 : vector<2xf16> to i32
      %v337 = llvm.extractvalue %acc#0[62] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v338 = llvm.extractvalue %acc#0[63] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v339 = nvvm.convert.f32x2.to.f16x2 %v338, %v337 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v340 = llvm.bitcast %v339 : vector<2xf16> to i32
      nvvm.stmatrix %v324, %v328, %v332, %v336, %v340 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v341 = arith.constant 0 : i32
      %v342 = arith.addi %v155, %v341 : i32
      %v343 = arith.xori %v342, %v148 : i32
      %v344 = arith.shli %v343, %v22 : i32
      %v345 = arith.addi %v156, %v344 : i32
      %v346 = llvm.getelementptr %v18[%v345] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v347 = llvm.getelementptr %v346[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v348 = llvm.extractvalue %acc#1[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v349 = llvm.extractvalue %acc#1[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v350 = nvvm.convert.f32x2.to.f16x2 %v349, %v348 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v351 = llvm.bitcast %v350 : vector<2xf16> to i32
      %v352 = llvm.extractvalue %acc#1[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v353 = llvm.extractvalue %acc#1[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v354 = nvvm.convert.f32x2.to.f16x2 %v353, %v352 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v355 = llvm.bitcast %v354 : vector<2xf16> to i32
      %v356 = llvm.extractvalue %acc#1[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v357 = llvm.extractvalue %acc#1[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v358 = nvvm.convert.f32x2.to.f16x2 %v357, %v356 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v359 = llvm.bitcast %v358 : vector<2xf16> to i32
      %v360 = llvm.extractvalue %acc#1[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v361 = llvm.extractvalue %acc#1[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v362 = nvvm.convert.f32x2.to.f16x2 %v361, %v360 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v363 = llvm.bitcast %v362 : vector<2xf16> to i32
      nvvm.stmatrix %v347, %v351, %v355, %v359, %v363 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v364 = arith.constant 2 : i32
      %v365 = arith.addi %v155, %v364 : i32
      %v366 = arith.xori %v365, %v148 : i32
      %v367 = arith.shli %v366, %v22 : i32
      %v368 = arith.addi %v156, %v367 : i32
      %v369 = llvm.getelementptr %v18[%v368] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v370 = llvm.getelementptr %v369[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v371 = llvm.extractvalue %acc#1[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v372 = llvm.extractvalue %acc#1[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v373 = nvvm.convert.f32x2.to.f16x2 %v372, %v371 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v374 = llvm.bitcast %v373 : vector<2xf16> to i32
      %v375 = llvm.extractvalue %acc#1[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v376 = llvm.extractvalue %acc#1[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v377 = nvvm.convert.f32x2.to.f16x2 %v376, %v375 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v378 = llvm.bitcast %v377 : vector<2xf16> to i32
      %v379 = llvm.extractvalue %acc#1[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v380 = llvm.extractvalue %acc#1[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v381 = nvvm.convert.f32x2.to.f16x2 %v380, %v379 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v382 = llvm.bitcast %v381 : vector<2xf16> to i32
      %v383 = llvm.extractvalue %acc#1[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v384 = llvm.extractvalue %acc#1[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v385 = nvvm.convert.f32x2.to.f16x2 %v384, %v383 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v386 = llvm.bitcast %v385 : vector<2xf16> to i32
      nvvm.stmatrix %v370, %v374, %v378, %v382, %v386 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v387 = arith.constant 4 : i32
      %v388 = arith.addi %v155, %v387 : i32
      %v389 = arith.xori %v388, %v148 : i32
      %v390 = arith.shli %v389, %v22 : i32
      %v391 = arith.addi %v156, %v390 : i32
      %v392 = llvm.getelementptr %v18[%v391] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v393 = llvm.getelementptr %v392[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v394 = llvm.extractvalue %acc#1[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v395 = llvm.extractvalue %acc#1[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v396 = nvvm.convert.f32x2.to.f16x2 %v395, %v394 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v397 = llvm.bitcast %v396 : vector<2xf16> to i32
      %v398 = llvm.extractvalue %acc#1[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v399 = llvm.extractvalue %acc#1[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v400 = nvvm.convert.f32x2.to.f16x2 %v399, %v398 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v401 = llvm.bitcast %v400 : vector<2xf16> to i32
      %v402 = llvm.extractvalue %acc#1[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v403 = llvm.extractvalue %acc#1[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v404 = nvvm.convert.f32x2.to.f16x2 %v403, %v402 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v405 = llvm.bitcast %v404 : vector<2xf16> to i32
      %v406 = llvm.extractvalue %acc#1[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v407 = llvm.extractvalue %acc#1[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v408 = nvvm.convert.f32x2.to.f16x2 %v407, %v406 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v409 = llvm.bitcast %v408 : vector<2xf16> to i32
      nvvm.stmatrix %v393, %v397, %v401, %v405, %v409 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v410 = arith.constant 6 : i32
      %v411 = arith.addi %v155, %v410 : i32
      %v412 = arith.xori %v411, %v148 : i32
      %v413 = arith.shli %v412, %v22 : i32
      %v414 = arith.addi %v156, %v413 : i32
      %v415 = llvm.getelementptr %v18[%v414] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v416 = llvm.getelementptr %v415[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v417 = llvm.extractvalue %acc#1[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v418 = llvm.extractvalue %acc#1[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v419 = nvvm.convert.f32x2.to.f16x2 %v418, %v417 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v420 = llvm.bitcast %v419 : vector<2xf16> to i32
      %v421 = llvm.extractvalue %acc#1[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v422 = llvm.extractvalue %acc#1[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v423 = nvvm.convert.f32x2.to.f16x2 %v422, %v421 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v424 = llvm.bitcast %v423 : vector<2xf16> to i32
      %v425 = llvm.extractvalue %acc#1[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v426 = llvm.extractvalue %acc#1[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v427 = nvvm.convert.f32x2.to.f16x2 %v426, %v425 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v428 = llvm.bitcast %v427 : vector<2xf16> to i32
      %v429 = llvm.extractvalue %acc#1[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v430 = llvm.extractvalue %acc#1[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v431 = nvvm.convert.f32x2.to.f16x2 %v430, %v429 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v432 = llvm.bitcast %v431 : vector<2xf16> to i32
      nvvm.stmatrix %v416, %v420, %v424, %v428, %v432 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v433 = arith.constant 0 : i32
      %v434 = arith.addi %v155, %v433 : i32
      %v435 = arith.xori %v434, %v148 : i32
      %v436 = arith.shli %v435, %v22 : i32
      %v437 = arith.addi %v156, %v436 : i32
      %v438 = llvm.getelementptr %v18[%v437] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v439 = llvm.getelementptr %v438[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v440 = llvm.extractvalue %acc#1[32] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v441 = llvm.extractvalue %acc#1[33] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v442 = nvvm.convert.f32x2.to.f16x2 %v441, %v440 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v443 = llvm.bitcast %v442 : vector<2xf16> to i32
      %v444 = llvm.extractvalue %acc#1[34] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v445 = llvm.extractvalue %acc#1[35] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v446 = nvvm.convert.f32x2.to.f16x2 %v445, %v444 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v447 = llvm.bitcast %v446 : vector<2xf16> to i32
      %v448 = llvm.extractvalue %acc#1[36] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v449 = llvm.extractvalue %acc#1[37] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v450 = nvvm.convert.f32x2.to.f16x2 %v449, %v448 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v451 = llvm.bitcast %v450 : vector<2xf16> to i32
      %v452 = llvm.extractvalue %acc#1[38] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v453 = llvm.extractvalue %acc#1[39] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v454 = nvvm.convert.f32x2.to.f16x2 %v453, %v452 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v455 = llvm.bitcast %v454 : vector<2xf16> to i32
      nvvm.stmatrix %v439, %v443, %v447, %v451, %v455 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v456 = arith.constant 2 : i32
      %v457 = arith.addi %v155, %v456 : i32
      %v458 = arith.xori %v457, %v148 : i32
      %v459 = arith.shli %v458, %v22 : i32
      %v460 = arith.addi %v156, %v459 : i32
      %v461 = llvm.getelementptr %v18[%v460] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v462 = llvm.getelementptr %v461[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v463 = llvm.extractvalue %acc#1[40] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v464 = llvm.extractvalue %acc#1[41] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v465 = nvvm.convert.f32x2.to.f16x2 %v464, %v463 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v466 = llvm.bitcast %v465 : vector<2xf16> to i32
      %v467 = llvm.extractvalue %acc#1[42] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v468 = llvm.extractvalue %acc#1[43] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v469 = nvvm.convert.f32x2.to.f16x2 %v468, %v467 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v470 = llvm.bitcast %v469 : vector<2xf16> to i32
      %v471 = llvm.extractvalue %acc#1[44] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v472 = llvm.extractvalue %acc#1[45] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v473 = nvvm.convert.f32x2.to.f16x2 %v472, %v471 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v474 = llvm.bitcast %v473 : vector<2xf16> to i32
      %v475 = llvm.extractvalue %acc#1[46] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v476 = llvm.extractvalue %acc#1[47] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v477 = nvvm.convert.f32x2.to.f16x2 %v476, %v475 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v478 = llvm.bitcast %v477 : vector<2xf16> to i32
      nvvm.stmatrix %v462, %v466, %v470, %v474, %v478 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v479 = arith.constant 4 : i32
      %v480 = arith.addi %v155, %v479 : i32
      %v481 = arith.xori %v480, %v148 : i32
      %v482 = arith.shli %v481, %v22 : i32
      %v483 = arith.addi %v156, %v482 : i32
      %v484 = llvm.getelementptr %v18[%v483] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v485 = llvm.getelementptr %v484[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v486 = llvm.extractvalue %acc#1[48] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v487 = llvm.extractvalue %acc#1[49] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v488 = nvvm.convert.f32x2.to.f16x2 %v487, %v486 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v489 = llvm.bitcast %v488 : vector<2xf16> to i32
      %v490 = llvm.extractvalue %acc#1[50] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v491 = llvm.extractvalue %acc#1[51] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v492 = nvvm.convert.f32x2.to.f16x2 %v491, %v490 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v493 = llvm.bitcast %v492 : vector<2xf16> to i32
      %v494 = llvm.extractvalue %acc#1[52] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v495 = llvm.extractvalue %acc#1[53] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v496 = nvvm.convert.f32x2.to.f16x2 %v495, %v494 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v497 = llvm.bitcast %v496 : vector<2xf16> to i32
      %v498 = llvm.extractvalue %acc#1[54] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v499 = llvm.extractvalue %acc#1[55] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v500 = nvvm.convert.f32x2.to.f16x2 %v499, %v498 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v501 = llvm.bitcast %v500 : vector<2xf16> to i32
      nvvm.stmatrix %v485, %v489, %v493, %v497, %v501 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v502 = arith.constant 6 : i32
      %v503 = arith.addi %v155, %v502 : i32
      %v504 = arith.xori %v503, %v148 : i32
      %v505 = arith.shli %v504, %v22 : i32
      %v506 = arith.addi %v156, %v505 : i32
      %v507 = llvm.getelementptr %v18[%v506] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v508 = llvm.getelementptr %v507[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v509 = llvm.extractvalue %acc#1[56] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v510 = llvm.extractvalue %acc#1[57] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v511 = nvvm.convert.f32x2.to.f16x2 %v510, %v509 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v512 = llvm.bitcast %v511 : vector<2xf16> to i32
      %v513 = llvm.extractvalue %acc#1[58] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v514 = llvm.extractvalue %acc#1[59] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v515 = nvvm.convert.f32x2.to.f16x2 %v514, %v513 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v516 = llvm.bitcast %v515 : vector<2xf16> to i32
      %v517 = llvm.extractvalue %acc#1[60] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v518 = llvm.extractvalue %acc#1[61] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v519 = nvvm.convert.f32x2.to.f16x2 %v518, %v517 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v520 = llvm.bitcast %v519 : vector<2xf16> to i32
      %v521 = llvm.extractvalue %acc#1[62] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v522 = llvm.extractvalue %acc#1[63] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v523 = nvvm.convert.f32x2.to.f16x2 %v522, %v521 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v524 = llvm.bitcast %v523 : vector<2xf16> to i32
      nvvm.stmatrix %v508, %v512, %v516, %v520, %v524 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.barrier id = %v5 number_of_threads = %v9
      %v525 = arith.cmpi eq, %v17, %v22 : i32
      %v526 = nvvm.elect.sync -> i1
      %v527 = arith.andi %v525, %v526 : i1
      scf.if %v527 {
        %v528 = arith.constant 0 : i32
        %v529 = arith.addi %v13, %v528 : i32
        %v530 = llvm.getelementptr %v18[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v530, box[%v529, %v12] : !llvm.ptr, !llvm.ptr<3>
        %v531 = arith.constant 64 : i32
        %v532 = arith.addi %v13, %v531 : i32
        %v533 = llvm.getelementptr %v18[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v533, box[%v532, %v12] : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
    }
    llvm.return
  }
}
