// A kernel of the hardware level by hand: one TMA load, a loop of wgmmas, a TMA store.

gpu.module @kernels {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @kernel(
      %a_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
      %d_map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
      %steps: i32, %descriptor: i64)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %bytes = arith.constant 8192 : i32
    %true = arith.constant true
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %bar = llvm.getelementptr inbounds %smem[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %first = arith.cmpi eq, %tid, %c0 : i32
    scf.if %first {
      nvvm.prefetch tensormap, %a_map : !llvm.ptr
      nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier
    scf.if %first {
      nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
      %dst = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %a_map, %bar, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
    }
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!llvm.struct<(f32, f32, f32, f32)>) : i32 {
      %parity = arith.andi %i, %c1 : i32
      scf.while () : () -> () {
        %done = nvvm.mbarrier.try_wait %bar, %parity : !llvm.ptr<3>, i32 -> i1
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      nvvm.wgmma.fence.aligned
      %next = nvvm.wgmma.mma_async %descriptor, %descriptor, %acc, <m = 64, n = 8, k = 16>,
          D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
          : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      scf.yield %next : !llvm.struct<(f32, f32, f32, f32)>
    }
    %x0 = llvm.extractvalue %sum[0] : !llvm.struct<(f32, f32, f32, f32)>
    %x1 = llvm.extractvalue %sum[1] : !llvm.struct<(f32, f32, f32, f32)>
    %x2 = llvm.extractvalue %sum[2] : !llvm.struct<(f32, f32, f32, f32)>
    %x3 = llvm.extractvalue %sum[3] : !llvm.struct<(f32, f32, f32, f32)>
    %top = nvvm.convert.f32x2.to.f16x2 %x1, %x0 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
    %bottom = nvvm.convert.f32x2.to.f16x2 %x3, %x2 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
    %r0 = llvm.bitcast %top : vector<2xf16> to i32
    %r1 = llvm.bitcast %bottom : vector<2xf16> to i32
    %c16 = arith.constant 16 : i32
    %row = arith.muli %tid, %c16 : i32
    %out = llvm.getelementptr %smem[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.stmatrix %out, %r0, %r1 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier id = %c1 number_of_threads = %c128
    scf.if %first {
      nvvm.cp.async.bulk.tensor.global.shared.cta %d_map, %smem, box[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    llvm.return
  }
}
