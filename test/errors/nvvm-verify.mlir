// RUN: croq-opt --split-input-file --verify-diagnostics %s

// What the verifiers of the nvvm dialect refuse, one rule each.

llvm.func @f(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{'nvvm.mbarrier.init' op addr must be a pointer to generic (!llvm.ptr) or shared (!llvm.ptr<3>), got !llvm.ptr<1>}}
  nvvm.mbarrier.init %g, %i : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @f(%r: !llvm.ptr<7>) {
  // expected-error@+1 {{'nvvm.mbarrier.inval' op addr must be a pointer to generic (!llvm.ptr) or shared (!llvm.ptr<3>), got !llvm.ptr<7>}}
  nvvm.mbarrier.inval %r : !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>) {
  // expected-error@+1 {{'nvvm.mbarrier.arrive' op addr must be a pointer to generic (!llvm.ptr) or shared (!llvm.ptr<3>) or shared::cluster (!llvm.ptr<7>), got !llvm.ptr<1>}}
  nvvm.mbarrier.arrive %g : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%r: !llvm.ptr<7>) {
  // expected-error@+1 {{'nvvm.mbarrier.arrive' op on shared::cluster memory must not have a result, got one}}
  %q = nvvm.mbarrier.arrive %r : !llvm.ptr<7> -> i64
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.mbarrier.arrive' op scope must be cta or cluster, got gpu}}
  nvvm.mbarrier.arrive %s {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %b: i1, %i: i32) {
  // expected-error@+1 {{'nvvm.mbarrier.arrive.expect_tx' op with a predicate must not have a result, got one}}
  %q = nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1 -> i64
  llvm.return
}

// -----

llvm.func @f(%r: !llvm.ptr<7>, %b: i1, %i: i32) {
  // expected-error@+1 {{'nvvm.mbarrier.arrive.expect_tx' op with a predicate must have scope cta and not be relaxed, got scope cluster and relaxed = false}}
  nvvm.mbarrier.arrive.expect_tx %r, %i, predicate = %b {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32, i1
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{'nvvm.mbarrier.expect_tx' op addr must be a pointer to shared (!llvm.ptr<3>) or shared::cluster (!llvm.ptr<7>), got !llvm.ptr}}
  nvvm.mbarrier.expect_tx %p, %i : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{'nvvm.mbarrier.try_wait' op addr must be a pointer to generic (!llvm.ptr) or shared (!llvm.ptr<3>), got !llvm.ptr<7>}}
  %q = nvvm.mbarrier.try_wait %r, %i : !llvm.ptr<7>, i32 -> i1
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %h: i16) {
  // expected-error@+1 {{'nvvm.mbarrier.try_wait' op state or phase must be i32 or i64, got i16}}
  %q = nvvm.mbarrier.try_wait %s, %h : !llvm.ptr<3>, i16 -> i1
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.cp.async.shared.global' op size must be 4, 8 or 16 bytes, got 2}}
  nvvm.cp.async.shared.global %s, %g, 2, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.cp.async.shared.global' op size must be 16 bytes with cache cg, got 8}}
  nvvm.cp.async.shared.global %s, %g, 8, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.cp.async.shared.global' op cache must be ca or cg, got cs}}
  nvvm.cp.async.shared.global %s, %g, 16, cache = cs : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{'nvvm.cp.async.shared.global' op dst must be a pointer to shared (!llvm.ptr<3>), got !llvm.ptr}}
  nvvm.cp.async.shared.global %p, %g, 16, cache = ca : !llvm.ptr, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.cp.async.wait.group' op n must not be negative, got -1}}
  nvvm.cp.async.wait.group -1
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.cp.async.bulk.wait_group' op group must not be negative, got -1}}
  nvvm.cp.async.bulk.wait_group -1
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'nvvm.cp.async.bulk.tensor.shared.cluster.global' op dst must be a pointer to shared::cluster (!llvm.ptr<7>), got !llvm.ptr<3>}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i] : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{op dst must be a pointer to shared (!llvm.ptr<3>), got !llvm.ptr<7>}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %p, %s, box[%i] {isCTAOnly = true} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{op tensor map must be a pointer to generic (!llvm.ptr), got !llvm.ptr<1>}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %g, %s, box[%i] : !llvm.ptr<7>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{op box must have 1 to 5 coordinates, got 6}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %p, %s, box[%i, %i, %i, %i, %i, %i] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{op box must have 3 to 5 coordinates, got 2}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %p, %s, box[%i, %i] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{op box must have 5 coordinates in mode tile_gather4, got 2}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %p, %s, box[%i, %i] {mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %h: i16, %i: i32) {
  // expected-error@+1 {{op must have 2 im2col offsets for 4 coordinates in mode im2col, got 1}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %r, %p, %s, box[%i, %i, %i, %i] im2col[%h] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %h: i16, %i: i32) {
  // expected-error@+1 {{op with isCTAOnly must have no multicast_mask, got one}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i] multicast_mask = %h {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{'nvvm.cp.async.bulk.tensor.global.shared.cta' op src must be a pointer to shared (!llvm.ptr<3>), got !llvm.ptr<7>}}
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %r, box[%i] : !llvm.ptr, !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %b: i1, %i: i32, %l: i64) {
  // expected-error@+1 {{op with a predicate must have no l2_cache_hint, got one}}
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i] l2_cache_hint = %l, predicate = %b : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %b: i1, %i: i32) {
  // expected-error@+1 {{op with a predicate must have mode tile, got im2col}}
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %i, %i], predicate = %b {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{op mode must be tile or im2col, got tile_scatter4}}
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %i, %i, %i, %i]
      {redKind = #nvvm.tma_redux_kind<add>, mode = #nvvm.tma_store_mode<tile_scatter4>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{'nvvm.cp.async.bulk.shared.cluster.global' op src must be a pointer to global (!llvm.ptr<1>), got !llvm.ptr}}
  nvvm.cp.async.bulk.shared.cluster.global %r, %p, %s, %i : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error@+1 {{'nvvm.prefetch' op must have either a level or tensormap}}
  nvvm.prefetch level = L2, tensormap, %p : !llvm.ptr
  llvm.return
}

// -----

llvm.func @f(%k: !llvm.ptr<4>) {
  // expected-error@+1 {{'nvvm.prefetch' op tensor map must be a pointer to generic (!llvm.ptr), got !llvm.ptr<4>}}
  nvvm.prefetch tensormap in_param_space, %k : !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %b: i1) {
  // expected-error@+1 {{'nvvm.prefetch' op with a level must not have a predicate, got one}}
  nvvm.prefetch level = L2, %p, predicate = %b : !llvm.ptr, i1
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.fence.proxy' op kind must be alias, async, async.global or async.shared, got tensormap}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<tensormap>}
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.fence.proxy' op must have a space with kind async.shared}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.fence.proxy' op must have no space with kind async, got cta}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>, space = #nvvm.shared_space<cta>}
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.fence.proxy.release' op must be from the proxy generic to the proxy tensormap, got from generic to async}}
  nvvm.fence.proxy.release <gpu> {toProxy = #nvvm.proxy_kind<async>}
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.memory.barrier' op scope must be cta, gpu or sys, got cluster}}
  nvvm.memory.barrier <cluster>
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.barrier' op must have an id when it has number_of_threads}}
  nvvm.barrier number_of_threads = %i
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.barrier' op must have a reduction, a predicate and a result together, or none}}
  "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> ()
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.barrier' op must have no id when it has a reduction, got one}}
  %q = "nvvm.barrier"(%i, %i) <{operandSegmentSizes = array<i32: 1, 0, 1>, reductionOp = #nvvm.reduction<and>}> : (i32, i32) -> i32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'nvvm.mapa' op result must be a pointer to shared::cluster (!llvm.ptr<7>), got !llvm.ptr}}
  %q = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.setmaxregister' op count must be a multiple of 8 from 24 to 256, got 41}}
  nvvm.setmaxregister increase 41
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.setmaxregister' op count must be a multiple of 8 from 24 to 256, got 264}}
  nvvm.setmaxregister increase 264
  llvm.return
}

// -----

llvm.func @f(%i: i32, %l: i64) {
  // expected-error@+1 {{'nvvm.shfl.sync' op value must be i32 or f32, got i64}}
  %q = nvvm.shfl.sync idx %i, %l, %i, %i : i64 -> i64
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.shfl.sync' op result must be i32, got f32}}
  %q = nvvm.shfl.sync idx %i, %i, %i, %i : i32 -> f32
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.shfl.sync' op result must be !llvm.struct<(i32, i1)>, got i32}}
  %q = nvvm.shfl.sync idx %i, %i, %i, %i {return_value_and_is_valid} : i32 -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.match.sync' op result must be !llvm.struct<(i32, i1)> for all, got i32}}
  %q = nvvm.match.sync all %i, %i : i32 -> i32
  llvm.return
}

// -----

llvm.func @f(%i: i32, %x: f32) {
  // expected-error@+1 {{'nvvm.match.sync' op value must be i32 or i64, got f32}}
  %q = nvvm.match.sync any %i, %x : f32 -> i32
  llvm.return
}

// -----

llvm.func @f(%b: i1, %i: i32) {
  // expected-error@+1 {{'nvvm.vote.sync' op result must be i32 for ballot, got i1}}
  %q = nvvm.vote.sync ballot %i, %b -> i1
  llvm.return
}

// -----

llvm.func @f(%i: i32, %x: f32) {
  // expected-error@+1 {{'nvvm.redux.sync' op value must be i32 for add, got f32}}
  %q = nvvm.redux.sync add %x, %i : f32 -> f32
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.redux.sync' op abs and nan must only be given with fmin or fmax, got add}}
  %q = nvvm.redux.sync add %i, %i {abs = true} : i32 -> i32
  llvm.return
}

// -----

llvm.func @f(%x: f32) {
  // expected-error@+1 {{'nvvm.convert.f32x2.to.f16x2' op rnd must be rn or rz, got none}}
  %q = nvvm.convert.f32x2.to.f16x2 %x, %x : vector<2xf16>
  llvm.return
}

// -----

llvm.func @f(%x: f32) {
  // expected-error@+1 {{'nvvm.convert.float.to.tf32' op rnd must be rn, rz or rna, got none}}
  %q = nvvm.convert.float.to.tf32 %x
  llvm.return
}

// -----

llvm.func @f(%x: f32) {
  // expected-error@+1 {{'nvvm.convert.float.to.tf32' op relu must only be given with rn or rz, got rna}}
  %q = nvvm.convert.float.to.tf32 %x {relu = true, rnd = #nvvm.fp_rnd_mode<rna>}
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.ldmatrix' op must have 1, 2 or 4 matrices, got 3}}
  %q = nvvm.ldmatrix %s {num = 3 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.ldmatrix' op shape must be m = 8, n = 8, got m = 8, n = 16}}
  %q = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{'nvvm.ldmatrix' op result must be !llvm.struct<(i32, i32)> for 2 matrices, got i32}}
  %q = nvvm.ldmatrix %s {num = 2 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{'nvvm.stmatrix' op addr must be a pointer to shared (!llvm.ptr<3>), got !llvm.ptr}}
  nvvm.stmatrix %p, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{'nvvm.stmatrix' op must have 1, 2 or 4 matrices, got 3}}
  nvvm.stmatrix %s, %i, %i, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.wgmma.wait.group.sync.aligned' op group must not be negative, got -1}}
  nvvm.wgmma.wait.group.sync.aligned -1
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op shape must have m = 64, got 128}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 128, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op shape must have n = a multiple of 8 from 8 to 256 for A of type f16, got 12}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 12, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %i4: !llvm.struct<(i32, i32, i32, i32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op shape must have n = 8, 24, or a multiple of 16 from 16 to 256 for A of type s8, got 40}}
  %q = nvvm.wgmma.mma_async %l, %l, %i4, <m = 64, n = 40, k = 32>,
      D[<s32>, <one>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>]
      : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op shape must have k = 16 for A of type f16, got 8}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 8>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op type of A must be one of f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, got f32}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f32>, <one>, <row>], B[<f32>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op type of B must be e4m3 or e5m2 for A of type e4m3, got f16}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 32>,
      D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %i2: !llvm.struct<(i32, i32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op type of D must be f32 for A of type bf16, got f16}}
  %q = nvvm.wgmma.mma_async %l, %l, %i2, <m = 64, n = 8, k = 16>,
      D[<f16>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
      : !llvm.struct<(i32, i32)> -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op satfinite must only be given with D of type s32, got f32}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>, <satfinite>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op layouts must be row for A and col for B unless the inputs are f16 or bf16, got row and row for tf32}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 8>,
      D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <row>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op accumulator must have 4 elements for n = 8 and D of type f32, got 2}}
  %q = nvvm.wgmma.mma_async %l, %l, %f2, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32)> -> !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %i4: !llvm.struct<(i32, i32, i32, i32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op accumulator must have elements of type f32 for D of type f32, got !llvm.struct<(i32, i32, i32, i32)>}}
  %q = nvvm.wgmma.mma_async %l, %l, %i4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f2: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op accumulator must have elements of type i32 or vector<2xf16> for D of type f16, got !llvm.struct<(f32, f32)>}}
  %q = nvvm.wgmma.mma_async %l, %l, %f2, <m = 64, n = 8, k = 16>,
      D[<f16>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32)> -> !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%l: i64, %f4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{'nvvm.wgmma.mma_async' op accumulator and result must have the same type, got !llvm.struct<(f32, f32, f32, f32)> and !llvm.struct<(i32, i32, i32, i32)>}}
  %q = nvvm.wgmma.mma_async %l, %l, %f4, <m = 64, n = 8, k = 16>,
      D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op shape must be m16n8k8 or m16n8k16 for f16, got m16n8k32}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op types of A and B must agree, got f16 and bf16}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<bf16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op type of A must be f16, bf16, tf32, s8 or u8, got f64}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f64>, multiplicandBPtxType = #nvvm.mma_type<f64>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op layouts must be row for A and col for B, got row and row}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<row>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%i: i32) {
  // expected-error@+1 {{'nvvm.mma.sync' op must have an intOverflowBehavior just when A and B are integers}}
  %q = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%i, %i, %i, %i]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>,
       shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op A must be 4 of vector<2xf16>, got 2 of (vector<2xf16>, vector<2xf16>)}}
  %q = nvvm.mma.sync A[%v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op C must be 4 of f32 or 2 of vector<2xf16>, got 2 of (f32, f32)}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @f(%x: f32, %v: vector<2xf16>) {
  // expected-error@+1 {{'nvvm.mma.sync' op result must be !llvm.struct<(f32, f32, f32, f32)>, got !llvm.struct<(i32, i32, i32, i32)>}}
  %q = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error@+1 {{'nvvm.read.ptx.sreg.tid.x' op range must be of i32, got one of i64}}
  %q = nvvm.read.ptx.sreg.tid.x range <i64, 0, 128> : i32
  llvm.return
}
