// What upstream refuses to read; ours must too, one rule a part.

llvm.func @f(%p3: !llvm.ptr<3>, %c: i1, %i: i32) {
  %s = nvvm.mbarrier.arrive.expect_tx %p3, %i, predicate = %c : !llvm.ptr<3>, i32, i1 -> i64
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %c: i1, %i: i32) {
  nvvm.mbarrier.arrive.expect_tx %p7, %i, predicate = %c {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32, i1
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %c: i1, %i: i32) {
  nvvm.mbarrier.arrive.expect_tx %p3, %i, predicate = %c {relaxed = true} : !llvm.ptr<3>, i32, i1
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>) {
  %s = nvvm.mbarrier.arrive_drop %p7 : !llvm.ptr<7> -> i64
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>) {
  %s = nvvm.mbarrier.arrive %p7 : !llvm.ptr<7> -> i64
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>) {
  nvvm.mbarrier.arrive %p1 : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %i: i32) {
  nvvm.mbarrier.expect_tx %p0, %i : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  nvvm.mbarrier.expect_tx %p7, %i {scope = #nvvm.mem_scope<gpu>}: !llvm.ptr<7>, i32
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  nvvm.mbarrier.init %p7, %i : !llvm.ptr<7>, i32
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %i: i32) {
  nvvm.mbarrier.init %p1, %i : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>) {
  nvvm.mbarrier.inval %p7 : !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  nvvm.mbarrier.arrive %p3 {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  nvvm.mbarrier.arrive %p3 {scope = #nvvm.mem_scope<sys>} : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  %s = nvvm.mbarrier.arrive.nocomplete %p7, %i : !llvm.ptr<7>, i32 -> i64
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  %s = nvvm.mbarrier.try_wait %p7, %i : !llvm.ptr<7>, i32 -> i1
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %i: i32) {
  %s = nvvm.mbarrier.try_wait %p1, %i : !llvm.ptr<1>, i32 -> i1
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %h: i16) {
  %s = nvvm.mbarrier.try_wait %p3, %h : !llvm.ptr<3>, i16 -> i1
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %i: i32) {
  %s = nvvm.mbarrier.try_wait %p3, %i {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<3>, i32 -> i1
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %i: i32) {
  %s = nvvm.mbarrier.test.wait %p3, %i {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<3>, i32 -> i1
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  nvvm.mbarrier.try_wait.parity %p7, %i, %i : !llvm.ptr<7>, i32, i32
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %p3: !llvm.ptr<3>) {
  nvvm.cp.async.shared.global %p3, %p1, 8, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %p3: !llvm.ptr<3>) {
  nvvm.cp.async.shared.global %p3, %p1, 2, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %p3: !llvm.ptr<3>) {
  nvvm.cp.async.shared.global %p3, %p1, 16, cache = cs : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p1: !llvm.ptr<1>) {
  nvvm.cp.async.shared.global %p0, %p1, 16, cache = ca : !llvm.ptr, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>) {
  nvvm.cp.async.shared.global %p3, %p0, 16, cache = ca : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.cp.async.bulk.wait_group -1
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>) {
  nvvm.cp.async.mbarrier.arrive %p7 : !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i,%i,%i,%i,%i,%i] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p3, %p0, %p3, box[%i] : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i] {isCTAOnly = true}: !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %h: i16, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p3, %p0, %p3, box[%i] multicast_mask = %h {isCTAOnly = true}: !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %c: i1, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p3, %p0, %p3, box[%i] predicate = %c {isCTAOnly = true}: !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p3, %p0, %p3, box[%i] {isCTAOnly = true, group = #nvvm.cta_group<cta_1>}: !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p1, %p3, box[%i] : !llvm.ptr<7>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %p4: !llvm.ptr<4>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p4, %p3, box[%i] : !llvm.ptr<7>, !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i,%i] {mode = #nvvm.tma_load_mode<im2col>}: !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %h: i16, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i,%i,%i,%i] im2col[%h] {mode = #nvvm.tma_load_mode<im2col>}: !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %h: i16, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i,%i,%i] im2col[%h] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p7, %p0, %p3, box[%i,%i] {mode = #nvvm.tma_load_mode<tile_gather4>}: !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %c: i1, %i: i32, %l: i64) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %p3, box[%i,%i] l2_cache_hint = %l, predicate = %c : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %c: i1, %i: i32) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %p3, box[%i,%i,%i], predicate = %c {mode = #nvvm.tma_store_mode<im2col>}: !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %p3, box[%i,%i] {mode = #nvvm.tma_store_mode<im2col>}: !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %p3, box[%i,%i,%i,%i] {mode = #nvvm.tma_store_mode<tile_scatter4>}: !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p7: !llvm.ptr<7>, %i: i32) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %p0, %p7, box[%i] : !llvm.ptr, !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.reduce %p0, %p3, box[%i,%i] {redKind = #nvvm.tma_redux_kind<xor>, mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %p3: !llvm.ptr<3>, %i: i32) {
  nvvm.cp.async.bulk.tensor.reduce %p0, %p3, box[%i,%i,%i,%i,%i] {redKind = #nvvm.tma_redux_kind<xor>, mode = #nvvm.tma_store_mode<tile_scatter4>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p1: !llvm.ptr<1>) {
  nvvm.prefetch tensormap, %p1 : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  nvvm.prefetch level = L2, %p3 : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr) {
  nvvm.prefetch level = L2, tensormap, %p0 : !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %c: i1) {
  nvvm.prefetch level = L2, %p0, predicate = %c : !llvm.ptr, i1
  llvm.return
}

// -----

llvm.func @f(%p4: !llvm.ptr<4>) {
  nvvm.prefetch tensormap in_param_space, %p4 : !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<tensormap>}
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<generic>}
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>, space = #nvvm.shared_space<cta>}
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %i: i32) {
  nvvm.fence.proxy.acquire <gpu> %p0, %i {fromProxy = #nvvm.proxy_kind<async>}
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.fence.proxy.release <gpu> {toProxy = #nvvm.proxy_kind<async>}
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  nvvm.barrier number_of_threads = %i
  llvm.return
}

// -----

llvm.func @f(%i: i32, %l: i64) {
  %s = nvvm.shfl.sync idx %i, %l, %i, %i : i64 -> i64
  llvm.return
}

// -----

llvm.func @f(%i: i32, %v: vector<2xf16>) {
  %s = nvvm.shfl.sync idx %i, %v, %i, %i : vector<2xf16> -> vector<2xf16>
  llvm.return
}

// -----

llvm.func @f(%i: i32, %d: f64) {
  %s = nvvm.shfl.sync idx %i, %d, %i, %i : f64 -> f64
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  %s = nvvm.shfl.sync idx %i, %i, %i, %i : i32 -> f32
  llvm.return
}

// -----

llvm.func @f(%c: i1, %i: i32) {
  %s = nvvm.vote.sync ballot %i, %c -> i1
  llvm.return
}

// -----

llvm.func @f(%c: i1, %i: i32) {
  %s = nvvm.vote.sync any %i, %c -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  %s = nvvm.redux.sync add %i, %i {abs = true} : i32 -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  %s = nvvm.redux.sync fmin %i, %i : i32 -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32, %f: f32) {
  %s = nvvm.redux.sync add %f, %i : f32 -> f32
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.f32x2.to.f16x2 %f, %f : vector<2xf16>
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rm>} : vector<2xf16>
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<sat>} : vector<2xf16>
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.f32x2.to.bf16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rna>} : vector<2xbf16>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %i: i32) {
  %s = nvvm.mapa %p3, %i : !llvm.ptr<3> -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %i: i32) {
  %s = nvvm.mapa %p0, %i : !llvm.ptr -> !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p7: !llvm.ptr<7>, %i: i32) {
  %s = nvvm.mapa %p7, %i : !llvm.ptr<7> -> !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.setmaxregister increase 264
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.setmaxregister increase 20
  llvm.return
}

// -----

llvm.func @f() {
  nvvm.setmaxregister increase 41
  llvm.return
}

// -----

llvm.func @f(%l: i64) {
  nvvm.bar.warp.sync %l : i64
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr) {
  %s = nvvm.ldmatrix %p0 {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr) -> i32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = nvvm.ldmatrix %p3 {num = 3 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = nvvm.ldmatrix %p3 {num = 2 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %i: i32) {
  nvvm.stmatrix %p3, %i, %i, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32
  llvm.return
}

// -----

llvm.func @f(%p0: !llvm.ptr, %i: i32) {
  nvvm.stmatrix %p0, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = llvm.bitcast %p3 : !llvm.ptr<3> to i32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = llvm.bitcast %p3 : !llvm.ptr<3> to !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = llvm.load %p3 atomic acquire : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = llvm.load %p3 atomic release {alignment = 4 : i64}: !llvm.ptr<3> -> f32
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %f: f32) {
  llvm.store %f, %p3 atomic acquire {alignment = 4 : i64}: f32, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>) {
  %s = llvm.getelementptr %p3[] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.return
}

// -----

llvm.func @f(%p3: !llvm.ptr<3>, %i: i32) {
  %s = llvm.getelementptr %p3[%i, 1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 12, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 264, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 128, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 8>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 40, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <row>], B[<u8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 32>, D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(i32, i32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 8>, D[<f16>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>] : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f32>, <one>, <row>], B[<f32>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 248, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 40, k = 256>, D[<s32>, <one>], A[<b1>, <one>, <row>], B[<b1>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f16, f16, f16, f16)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f16, f16, f16, f16)> -> !llvm.struct<(f16, f16, f16, f16)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>, <satfinite>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <col>], B[<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 32>, D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <row>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %m: i64) {
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
   %r = nvvm.wgmma.mma_async %l, %m, %u, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  %s = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%i, %i, %i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%f: f32, %v: vector<2xf16>) {
  %s = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%f: f32, %v: vector<2xf16>) {
  %s = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%f: f32, %v: vector<2xf16>) {
  %s = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%f: f32, %v: vector<2xf16>) {
  %s = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rm>}
  llvm.return
}

// -----

llvm.func @f(%f: f32) {
  %s = nvvm.convert.float.to.tf32 %f {relu = true, rnd = #nvvm.fp_rnd_mode<rna>}
  llvm.return
}
