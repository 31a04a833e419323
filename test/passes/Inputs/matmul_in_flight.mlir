// As matmul_1p1c.mlir, but one group of wgmma stays in flight.
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
        nvvm.wgmma.wait.group.sync.aligned 1
        %v137 = arith.subi %ki, %v5 : i32
        %v138 = arith.cmpi sgt, %ki, %v4 : i32
        scf.if %v138 {
          %v139 = arith.remui %v137, %v34 : i32
          %v140 = arith.shli %v139, %v35 : i32
          %v141 = llvm.getelementptr %v18[%v140] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
          %v142 = llvm.getelementptr %v141[163872] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          nvvm.bar.warp.sync %v8 : i32
          %v143 = nvvm.elect.sync -> i1
          scf.if %v143 {
            nvvm.mbarrier.arrive %v142 : !llvm.ptr<3>
          }
        }
        scf.yield %v131, %v136 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      }
      nvvm.wgmma.wait.group.sync.aligned 0
      %v144 = arith.constant 127 : i32
      %v145 = arith.andi %v1, %v144 : i32
      %v146 = arith.andi %v145, %v7 : i32
      %v147 = arith.shrui %v145, %v6 : i32
      %v148 = arith.constant 7 : i32
      %v149 = arith.constant 16 : i32
      %v150 = arith.constant 8 : i32
      %v151 = arith.andi %v146, %v148 : i32
      %v152 = arith.shrui %v146, %v35 : i32
      %v153 = arith.andi %v152, %v5 : i32
      %v154 = arith.shli %v153, %v35 : i32
      %v155 = arith.addi %v151, %v154 : i32
      %v156 = arith.shli %v147, %v22 : i32
      %v157 = arith.addi %v155, %v156 : i32
      %v158 = arith.shrui %v146, %v22 : i32
      %v159 = arith.shli %v157, %v148 : i32
      %v160 = arith.constant 0 : i32
      %v161 = arith.addi %v158, %v160 : i32
      %v162 = arith.xori %v161, %v151 : i32
      %v163 = arith.shli %v162, %v22 : i32
      %v164 = arith.addi %v159, %v163 : i32
      %v165 = llvm.getelementptr %v18[%v164] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v166 = llvm.getelementptr %v165[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v167 = llvm.extractvalue %acc#0[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v168 = llvm.extractvalue %acc#0[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v169 = nvvm.convert.f32x2.to.f16x2 %v168, %v167 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v170 = llvm.bitcast %v169 : vector<2xf16> to i32
      %v171 = llvm.extractvalue %acc#0[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v172 = llvm.extractvalue %acc#0[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v173 = nvvm.convert.f32x2.to.f16x2 %v172, %v171 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v174 = llvm.bitcast %v173 : vector<2xf16> to i32
      %v175 = llvm.extractvalue %acc#0[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v176 = llvm.extractvalue %acc#0[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v177 = nvvm.convert.f32x2.to.f16x2 %v176, %v175 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v178 = llvm.bitcast %v177 : vector<2xf16> to i32
      %v179 = llvm.extractvalue %acc#0[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v180 = llvm.extractvalue %acc#0[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v181 = nvvm.convert.f32x2.to.f16x2 %v180, %v179 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v182 = llvm.bitcast %v181 : vector<2xf16> to i32
      nvvm.stmatrix %v166, %v170, %v174, %v178, %v182 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v183 = arith.constant 2 : i32
      %v184 = arith.addi %v158, %v183 : i32
      %v185 = arith.xori %v184, %v151 : i32
      %v186 = arith.shli %v185, %v22 : i32
      %v187 = arith.addi %v159, %v186 : i32
      %v188 = llvm.getelementptr %v18[%v187] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v189 = llvm.getelementptr %v188[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v190 = llvm.extractvalue %acc#0[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v191 = llvm.extractvalue %acc#0[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v192 = nvvm.convert.f32x2.to.f16x2 %v191, %v190 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v193 = llvm.bitcast %v192 : vector<2xf16> to i32
      %v194 = llvm.extractvalue %acc#0[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v195 = llvm.extractvalue %acc#0[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v196 = nvvm.convert.f32x2.to.f16x2 %v195, %v194 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v197 = llvm.bitcast %v196 : vector<2xf16> to i32
      %v198 = llvm.extractvalue %acc#0[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v199 = llvm.extractvalue %acc#0[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v200 = nvvm.convert.f32x2.to.f16x2 %v199, %v198 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v201 = llvm.bitcast %v200 : vector<2xf16> to i32
      %v202 = llvm.extractvalue %acc#0[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v203 = llvm.extractvalue %acc#0[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v204 = nvvm.convert.f32x2.to.f16x2 %v203, %v202 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v205 = llvm.bitcast %v204 : vector<2xf16> to i32
      nvvm.stmatrix %v189, %v193, %v197, %v201, %v205 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v206 = arith.constant 4 : i32
      %v207 = arith.addi %v158, %v206 : i32
      %v208 = arith.xori %v207, %v151 : i32
      %v209 = arith.shli %v208, %v22 : i32
      %v210 = arith.addi %v159, %v209 : i32
      %v211 = llvm.getelementptr %v18[%v210] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v212 = llvm.getelementptr %v211[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v213 = llvm.extractvalue %acc#0[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v214 = llvm.extractvalue %acc#0[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v215 = nvvm.convert.f32x2.to.f16x2 %v214, %v213 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v216 = llvm.bitcast %v215 : vector<2xf16> to i32
      %v217 = llvm.extractvalue %acc#0[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v218 = llvm.extractvalue %acc#0[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v219 = nvvm.convert.f32x2.to.f16x2 %v218, %v217 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v220 = llvm.bitcast %v219 : vector<2xf16> to i32
      %v221 = llvm.extractvalue %acc#0[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v222 = llvm.extractvalue %acc#0[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v223 = nvvm.convert.f32x2.to.f16x2 %v222, %v221 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v224 = llvm.bitcast %v223 : vector<2xf16> to i32
      %v225 = llvm.extractvalue %acc#0[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v226 = llvm.extractvalue %acc#0[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v227 = nvvm.convert.f32x2.to.f16x2 %v226, %v225 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v228 = llvm.bitcast %v227 : vector<2xf16> to i32
      nvvm.stmatrix %v212, %v216, %v220, %v224, %v228 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v229 = arith.constant 6 : i32
      %v230 = arith.addi %v158, %v229 : i32
      %v231 = arith.xori %v230, %v151 : i32
      %v232 = arith.shli %v231, %v22 : i32
      %v233 = arith.addi %v159, %v232 : i32
      %v234 = llvm.getelementptr %v18[%v233] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v235 = llvm.getelementptr %v234[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v236 = llvm.extractvalue %acc#0[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v237 = llvm.extractvalue %acc#0[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v238 = nvvm.convert.f32x2.to.f16x2 %v237, %v236 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v239 = llvm.bitcast %v238 : vector<2xf16> to i32
      %v240 = llvm.extractvalue %acc#0[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v241 = llvm.extractvalue %acc#0[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v242 = nvvm.convert.f32x2.to.f16x2 %v241, %v240 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v243 = llvm.bitcast %v242 : vector<2xf16> to i32
      %v244 = llvm.extractvalue %acc#0[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v245 = llvm.extractvalue %acc#0[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v246 = nvvm.convert.f32x2.to.f16x2 %v245, %v244 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v247 = llvm.bitcast %v246 : vector<2xf16> to i32
      %v248 = llvm.extractvalue %acc#0[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v249 = llvm.extractvalue %acc#0[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v250 = nvvm.convert.f32x2.to.f16x2 %v249, %v248 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v251 = llvm.bitcast %v250 : vector<2xf16> to i32
      nvvm.stmatrix %v235, %v239, %v243, %v247, %v251 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v252 = arith.constant 0 : i32
      %v253 = arith.addi %v158, %v252 : i32
      %v254 = arith.xori %v253, %v151 : i32
      %v255 = arith.shli %v254, %v22 : i32
      %v256 = arith.addi %v159, %v255 : i32
      %v257 = llvm.getelementptr %v18[%v256] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v258 = llvm.getelementptr %v257[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v259 = llvm.extractvalue %acc#0[32] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v260 = llvm.extractvalue %acc#0[33] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v261 = nvvm.convert.f32x2.to.f16x2 %v260, %v259 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v262 = llvm.bitcast %v261 : vector<2xf16> to i32
      %v263 = llvm.extractvalue %acc#0[34] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v264 = llvm.extractvalue %acc#0[35] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v265 = nvvm.convert.f32x2.to.f16x2 %v264, %v263 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v266 = llvm.bitcast %v265 : vector<2xf16> to i32
      %v267 = llvm.extractvalue %acc#0[36] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v268 = llvm.extractvalue %acc#0[37] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v269 = nvvm.convert.f32x2.to.f16x2 %v268, %v267 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v270 = llvm.bitcast %v269 : vector<2xf16> to i32
      %v271 = llvm.extractvalue %acc#0[38] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v272 = llvm.extractvalue %acc#0[39] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v273 = nvvm.convert.f32x2.to.f16x2 %v272, %v271 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v274 = llvm.bitcast %v273 : vector<2xf16> to i32
      nvvm.stmatrix %v258, %v262, %v266, %v270, %v274 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v275 = arith.constant 2 : i32
      %v276 = arith.addi %v158, %v275 : i32
      %v277 = arith.xori %v276, %v151 : i32
      %v278 = arith.shli %v277, %v22 : i32
      %v279 = arith.addi %v159, %v278 : i32
      %v280 = llvm.getelementptr %v18[%v279] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v281 = llvm.getelementptr %v280[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v282 = llvm.extractvalue %acc#0[40] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v283 = llvm.extractvalue %acc#0[41] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v284 = nvvm.convert.f32x2.to.f16x2 %v283, %v282 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v285 = llvm.bitcast %v284 : vector<2xf16> to i32
      %v286 = llvm.extractvalue %acc#0[42] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v287 = llvm.extractvalue %acc#0[43] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v288 = nvvm.convert.f32x2.to.f16x2 %v287, %v286 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v289 = llvm.bitcast %v288 : vector<2xf16> to i32
      %v290 = llvm.extractvalue %acc#0[44] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v291 = llvm.extractvalue %acc#0[45] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v292 = nvvm.convert.f32x2.to.f16x2 %v291, %v290 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v293 = llvm.bitcast %v292 : vector<2xf16> to i32
      %v294 = llvm.extractvalue %acc#0[46] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v295 = llvm.extractvalue %acc#0[47] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v296 = nvvm.convert.f32x2.to.f16x2 %v295, %v294 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v297 = llvm.bitcast %v296 : vector<2xf16> to i32
      nvvm.stmatrix %v281, %v285, %v289, %v293, %v297 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v298 = arith.constant 4 : i32
      %v299 = arith.addi %v158, %v298 : i32
      %v300 = arith.xori %v299, %v151 : i32
      %v301 = arith.shli %v300, %v22 : i32
      %v302 = arith.addi %v159, %v301 : i32
      %v303 = llvm.getelementptr %v18[%v302] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v304 = llvm.getelementptr %v303[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v305 = llvm.extractvalue %acc#0[48] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v306 = llvm.extractvalue %acc#0[49] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v307 = nvvm.convert.f32x2.to.f16x2 %v306, %v305 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v308 = llvm.bitcast %v307 : vector<2xf16> to i32
      %v309 = llvm.extractvalue %acc#0[50] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v310 = llvm.extractvalue %acc#0[51] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v311 = nvvm.convert.f32x2.to.f16x2 %v310, %v309 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v312 = llvm.bitcast %v311 : vector<2xf16> to i32
      %v313 = llvm.extractvalue %acc#0[52] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v314 = llvm.extractvalue %acc#0[53] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v315 = nvvm.convert.f32x2.to.f16x2 %v314, %v313 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v316 = llvm.bitcast %v315 : vector<2xf16> to i32
      %v317 = llvm.extractvalue %acc#0[54] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v318 = llvm.extractvalue %acc#0[55] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v319 = nvvm.convert.f32x2.to.f16x2 %v318, %v317 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v320 = llvm.bitcast %v319 : vector<2xf16> to i32
      nvvm.stmatrix %v304, %v308, %v312, %v316, %v320 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v321 = arith.constant 6 : i32
      %v322 = arith.addi %v158, %v321 : i32
      %v323 = arith.xori %v322, %v151 : i32
      %v324 = arith.shli %v323, %v22 : i32
      %v325 = arith.addi %v159, %v324 : i32
      %v326 = llvm.getelementptr %v18[%v325] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v327 = llvm.getelementptr %v326[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v328 = llvm.extractvalue %acc#0[56] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v329 = llvm.extractvalue %acc#0[57] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v330 = nvvm.convert.f32x2.to.f16x2 %v329, %v328 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v331 = llvm.bitcast %v330 : vector<2xf16> to i32
      %v332 = llvm.extractvalue %acc#0[58] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v333 = llvm.extractvalue %acc#0[59] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v334 = nvvm.convert.f32x2.to.f16x2 %v333, %v332 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v335 = llvm.bitcast %v334 : vector<2xf16> to i32
      %v336 = llvm.extractvalue %acc#0[60] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v337 = llvm.extractvalue %acc#0[61] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v338 = nvvm.convert.f32x2.to.f16x2 %v337, %v336 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v339 = llvm.bitcast %v338 : vector<2xf16> to i32
      %v340 = llvm.extractvalue %acc#0[62] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v341 = llvm.extractvalue %acc#0[63] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v342 = nvvm.convert.f32x2.to.f16x2 %v341, %v340 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v343 = llvm.bitcast %v342 : vector<2xf16> to i32
      nvvm.stmatrix %v327, %v331, %v335, %v339, %v343 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v344 = arith.constant 0 : i32
      %v345 = arith.addi %v158, %v344 : i32
      %v346 = arith.xori %v345, %v151 : i32
      %v347 = arith.shli %v346, %v22 : i32
      %v348 = arith.addi %v159, %v347 : i32
      %v349 = llvm.getelementptr %v18[%v348] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v350 = llvm.getelementptr %v349[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v351 = llvm.extractvalue %acc#1[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v352 = llvm.extractvalue %acc#1[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v353 = nvvm.convert.f32x2.to.f16x2 %v352, %v351 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v354 = llvm.bitcast %v353 : vector<2xf16> to i32
      %v355 = llvm.extractvalue %acc#1[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v356 = llvm.extractvalue %acc#1[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v357 = nvvm.convert.f32x2.to.f16x2 %v356, %v355 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v358 = llvm.bitcast %v357 : vector<2xf16> to i32
      %v359 = llvm.extractvalue %acc#1[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v360 = llvm.extractvalue %acc#1[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v361 = nvvm.convert.f32x2.to.f16x2 %v360, %v359 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v362 = llvm.bitcast %v361 : vector<2xf16> to i32
      %v363 = llvm.extractvalue %acc#1[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v364 = llvm.extractvalue %acc#1[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v365 = nvvm.convert.f32x2.to.f16x2 %v364, %v363 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v366 = llvm.bitcast %v365 : vector<2xf16> to i32
      nvvm.stmatrix %v350, %v354, %v358, %v362, %v366 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v367 = arith.constant 2 : i32
      %v368 = arith.addi %v158, %v367 : i32
      %v369 = arith.xori %v368, %v151 : i32
      %v370 = arith.shli %v369, %v22 : i32
      %v371 = arith.addi %v159, %v370 : i32
      %v372 = llvm.getelementptr %v18[%v371] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v373 = llvm.getelementptr %v372[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v374 = llvm.extractvalue %acc#1[8] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v375 = llvm.extractvalue %acc#1[9] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v376 = nvvm.convert.f32x2.to.f16x2 %v375, %v374 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v377 = llvm.bitcast %v376 : vector<2xf16> to i32
      %v378 = llvm.extractvalue %acc#1[10] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v379 = llvm.extractvalue %acc#1[11] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v380 = nvvm.convert.f32x2.to.f16x2 %v379, %v378 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v381 = llvm.bitcast %v380 : vector<2xf16> to i32
      %v382 = llvm.extractvalue %acc#1[12] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v383 = llvm.extractvalue %acc#1[13] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v384 = nvvm.convert.f32x2.to.f16x2 %v383, %v382 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v385 = llvm.bitcast %v384 : vector<2xf16> to i32
      %v386 = llvm.extractvalue %acc#1[14] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v387 = llvm.extractvalue %acc#1[15] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v388 = nvvm.convert.f32x2.to.f16x2 %v387, %v386 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v389 = llvm.bitcast %v388 : vector<2xf16> to i32
      nvvm.stmatrix %v373, %v377, %v381, %v385, %v389 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v390 = arith.constant 4 : i32
      %v391 = arith.addi %v158, %v390 : i32
      %v392 = arith.xori %v391, %v151 : i32
      %v393 = arith.shli %v392, %v22 : i32
      %v394 = arith.addi %v159, %v393 : i32
      %v395 = llvm.getelementptr %v18[%v394] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v396 = llvm.getelementptr %v395[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v397 = llvm.extractvalue %acc#1[16] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v398 = llvm.extractvalue %acc#1[17] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v399 = nvvm.convert.f32x2.to.f16x2 %v398, %v397 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v400 = llvm.bitcast %v399 : vector<2xf16> to i32
      %v401 = llvm.extractvalue %acc#1[18] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v402 = llvm.extractvalue %acc#1[19] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v403 = nvvm.convert.f32x2.to.f16x2 %v402, %v401 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v404 = llvm.bitcast %v403 : vector<2xf16> to i32
      %v405 = llvm.extractvalue %acc#1[20] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v406 = llvm.extractvalue %acc#1[21] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v407 = nvvm.convert.f32x2.to.f16x2 %v406, %v405 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v408 = llvm.bitcast %v407 : vector<2xf16> to i32
      %v409 = llvm.extractvalue %acc#1[22] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v410 = llvm.extractvalue %acc#1[23] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v411 = nvvm.convert.f32x2.to.f16x2 %v410, %v409 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v412 = llvm.bitcast %v411 : vector<2xf16> to i32
      nvvm.stmatrix %v396, %v400, %v404, %v408, %v412 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v413 = arith.constant 6 : i32
      %v414 = arith.addi %v158, %v413 : i32
      %v415 = arith.xori %v414, %v151 : i32
      %v416 = arith.shli %v415, %v22 : i32
      %v417 = arith.addi %v159, %v416 : i32
      %v418 = llvm.getelementptr %v18[%v417] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v419 = llvm.getelementptr %v418[139264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v420 = llvm.extractvalue %acc#1[24] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v421 = llvm.extractvalue %acc#1[25] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v422 = nvvm.convert.f32x2.to.f16x2 %v421, %v420 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v423 = llvm.bitcast %v422 : vector<2xf16> to i32
      %v424 = llvm.extractvalue %acc#1[26] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v425 = llvm.extractvalue %acc#1[27] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v426 = nvvm.convert.f32x2.to.f16x2 %v425, %v424 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v427 = llvm.bitcast %v426 : vector<2xf16> to i32
      %v428 = llvm.extractvalue %acc#1[28] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v429 = llvm.extractvalue %acc#1[29] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v430 = nvvm.convert.f32x2.to.f16x2 %v429, %v428 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v431 = llvm.bitcast %v430 : vector<2xf16> to i32
      %v432 = llvm.extractvalue %acc#1[30] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v433 = llvm.extractvalue %acc#1[31] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v434 = nvvm.convert.f32x2.to.f16x2 %v433, %v432 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v435 = llvm.bitcast %v434 : vector<2xf16> to i32
      nvvm.stmatrix %v419, %v423, %v427, %v431, %v435 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v436 = arith.constant 0 : i32
      %v437 = arith.addi %v158, %v436 : i32
      %v438 = arith.xori %v437, %v151 : i32
      %v439 = arith.shli %v438, %v22 : i32
      %v440 = arith.addi %v159, %v439 : i32
      %v441 = llvm.getelementptr %v18[%v440] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v442 = llvm.getelementptr %v441[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v443 = llvm.extractvalue %acc#1[32] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v444 = llvm.extractvalue %acc#1[33] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v445 = nvvm.convert.f32x2.to.f16x2 %v444, %v443 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v446 = llvm.bitcast %v445 : vector<2xf16> to i32
      %v447 = llvm.extractvalue %acc#1[34] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v448 = llvm.extractvalue %acc#1[35] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v449 = nvvm.convert.f32x2.to.f16x2 %v448, %v447 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v450 = llvm.bitcast %v449 : vector<2xf16> to i32
      %v451 = llvm.extractvalue %acc#1[36] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v452 = llvm.extractvalue %acc#1[37] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v453 = nvvm.convert.f32x2.to.f16x2 %v452, %v451 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v454 = llvm.bitcast %v453 : vector<2xf16> to i32
      %v455 = llvm.extractvalue %acc#1[38] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v456 = llvm.extractvalue %acc#1[39] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v457 = nvvm.convert.f32x2.to.f16x2 %v456, %v455 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v458 = llvm.bitcast %v457 : vector<2xf16> to i32
      nvvm.stmatrix %v442, %v446, %v450, %v454, %v458 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v459 = arith.constant 2 : i32
      %v460 = arith.addi %v158, %v459 : i32
      %v461 = arith.xori %v460, %v151 : i32
      %v462 = arith.shli %v461, %v22 : i32
      %v463 = arith.addi %v159, %v462 : i32
      %v464 = llvm.getelementptr %v18[%v463] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v465 = llvm.getelementptr %v464[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v466 = llvm.extractvalue %acc#1[40] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v467 = llvm.extractvalue %acc#1[41] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v468 = nvvm.convert.f32x2.to.f16x2 %v467, %v466 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v469 = llvm.bitcast %v468 : vector<2xf16> to i32
      %v470 = llvm.extractvalue %acc#1[42] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v471 = llvm.extractvalue %acc#1[43] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v472 = nvvm.convert.f32x2.to.f16x2 %v471, %v470 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v473 = llvm.bitcast %v472 : vector<2xf16> to i32
      %v474 = llvm.extractvalue %acc#1[44] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v475 = llvm.extractvalue %acc#1[45] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v476 = nvvm.convert.f32x2.to.f16x2 %v475, %v474 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v477 = llvm.bitcast %v476 : vector<2xf16> to i32
      %v478 = llvm.extractvalue %acc#1[46] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v479 = llvm.extractvalue %acc#1[47] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v480 = nvvm.convert.f32x2.to.f16x2 %v479, %v478 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v481 = llvm.bitcast %v480 : vector<2xf16> to i32
      nvvm.stmatrix %v465, %v469, %v473, %v477, %v481 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v482 = arith.constant 4 : i32
      %v483 = arith.addi %v158, %v482 : i32
      %v484 = arith.xori %v483, %v151 : i32
      %v485 = arith.shli %v484, %v22 : i32
      %v486 = arith.addi %v159, %v485 : i32
      %v487 = llvm.getelementptr %v18[%v486] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v488 = llvm.getelementptr %v487[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v489 = llvm.extractvalue %acc#1[48] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v490 = llvm.extractvalue %acc#1[49] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v491 = nvvm.convert.f32x2.to.f16x2 %v490, %v489 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v492 = llvm.bitcast %v491 : vector<2xf16> to i32
      %v493 = llvm.extractvalue %acc#1[50] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v494 = llvm.extractvalue %acc#1[51] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v495 = nvvm.convert.f32x2.to.f16x2 %v494, %v493 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v496 = llvm.bitcast %v495 : vector<2xf16> to i32
      %v497 = llvm.extractvalue %acc#1[52] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v498 = llvm.extractvalue %acc#1[53] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v499 = nvvm.convert.f32x2.to.f16x2 %v498, %v497 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v500 = llvm.bitcast %v499 : vector<2xf16> to i32
      %v501 = llvm.extractvalue %acc#1[54] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v502 = llvm.extractvalue %acc#1[55] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v503 = nvvm.convert.f32x2.to.f16x2 %v502, %v501 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v504 = llvm.bitcast %v503 : vector<2xf16> to i32
      nvvm.stmatrix %v488, %v492, %v496, %v500, %v504 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      %v505 = arith.constant 6 : i32
      %v506 = arith.addi %v158, %v505 : i32
      %v507 = arith.xori %v506, %v151 : i32
      %v508 = arith.shli %v507, %v22 : i32
      %v509 = arith.addi %v159, %v508 : i32
      %v510 = llvm.getelementptr %v18[%v509] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v511 = llvm.getelementptr %v510[155648] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v512 = llvm.extractvalue %acc#1[56] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v513 = llvm.extractvalue %acc#1[57] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v514 = nvvm.convert.f32x2.to.f16x2 %v513, %v512 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v515 = llvm.bitcast %v514 : vector<2xf16> to i32
      %v516 = llvm.extractvalue %acc#1[58] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v517 = llvm.extractvalue %acc#1[59] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v518 = nvvm.convert.f32x2.to.f16x2 %v517, %v516 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v519 = llvm.bitcast %v518 : vector<2xf16> to i32
      %v520 = llvm.extractvalue %acc#1[60] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v521 = llvm.extractvalue %acc#1[61] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v522 = nvvm.convert.f32x2.to.f16x2 %v521, %v520 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v523 = llvm.bitcast %v522 : vector<2xf16> to i32
      %v524 = llvm.extractvalue %acc#1[62] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v525 = llvm.extractvalue %acc#1[63] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
      %v526 = nvvm.convert.f32x2.to.f16x2 %v525, %v524 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %v527 = llvm.bitcast %v526 : vector<2xf16> to i32
      nvvm.stmatrix %v511, %v515, %v519, %v523, %v527 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.barrier id = %v5 number_of_threads = %v9
      %v528 = arith.cmpi eq, %v17, %v22 : i32
      %v529 = nvvm.elect.sync -> i1
      %v530 = arith.andi %v528, %v529 : i1
      scf.if %v530 {
        %v531 = arith.constant 0 : i32
        %v532 = arith.addi %v13, %v531 : i32
        %v533 = llvm.getelementptr %v18[131072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v533, box[%v532, %v12] : !llvm.ptr, !llvm.ptr<3>
        %v534 = arith.constant 64 : i32
        %v535 = arith.addi %v13, %v534 : i32
        %v536 = llvm.getelementptr %v18[147456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v536, box[%v535, %v12] : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
    }
    llvm.return
  }
}
