"""The passes, by name; each is imported when first asked for."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from xdsl.passes import ModulePass

_PASSES: Mapping[str, str] = MappingProxyType(
    {
        "allocate-shared": "allocate_shared:AllocateSharedPass",
        "assign-registers": "assign_registers:AssignRegistersPass",
        "bind-dims": "bind_dims:BindDimsPass",
        "bind-params": "bind_params:BindParamsPass",
        "check-level": "check_level:CheckLevelPass",
        "convert-to-ptx": "convert_to_ptx:ConvertToPtxPass",
        "croq-to-ptx": "pipelines:CroqToPtxPass",
        "expand-inner-tiles": "expand_inner_tiles:ExpandInnerTilesPass",
        "expand-math": "expand_math:ExpandMathPass",
        "fold-arith": "fold_arith:FoldArithPass",
        "fuse-dma-events": "fuse_dma_events:FuseDmaEventsPass",
        "guard-tma-stores": "guard_tma_stores:GuardTmaStoresPass",
        "infer-layouts": "infer_layouts:InferLayoutsPass",
        "insert-barriers": "insert_barriers:InsertBarriersPass",
        "insert-fences": "insert_fences:InsertFencesPass",
        "lower-asserts": "lower_asserts:LowerAssertsPass",
        "lower-dma": "lower_dma:LowerDmaPass",
        "lower-elementwise": "lower_elementwise:LowerElementwisePass",
        "lower-events": "lower_events:LowerEventsPass",
        "lower-futures": "lower_futures:LowerFuturesPass",
        "lower-grid-barriers": "lower_grid_barriers:LowerGridBarriersPass",
        "lower-indices": "lower_indices:LowerIndicesPass",
        "expand-events": "expand_events:ExpandEventsPass",
        "lower-grid-events": "lower_grid_events:LowerGridEventsPass",
        "lower-lanes": "lower_lanes:LowerLanesPass",
        "lower-mma": "lower_mma:LowerMmaPass",
        "lower-parallel": "lower_parallel:LowerParallelPass",
        "lower-reduce": "lower_reduce:LowerReducePass",
        "lower-views": "lower_views:LowerViewsPass",
        "make-clusters": "make_clusters:MakeClustersPass",
        "multicast": "multicast:MulticastPass",
        "narrow-index": "narrow_index:NarrowIndexPass",
        "overlap-epilogue": "overlap_epilogue:OverlapEpiloguePass",
        "persist": "persist:PersistPass",
        "pipeline-loop": "pipeline_loop:PipelineLoopPass",
        "predicate-branches": "predicate_branches:PredicateBranchesPass",
        "prefetch-tensor-maps": "prefetch_tensor_maps:PrefetchTensorMapsPass",
        "promote-registers": "promote_registers:PromoteRegistersPass",
        "select-engines": "select_engines:SelectEnginesPass",
        "set-target": "set_target:SetTargetPass",
        "split-consumers": "split_consumers:SplitConsumersPass",
        "unroll-loops": "unroll_loops:UnrollLoopsPass",
        "unswitch-loops": "unswitch_loops:UnswitchLoopsPass",
        "vectorize-accesses": "vectorize_accesses:VectorizeAccessesPass",
        "verify-sync": "verify_sync:VerifySyncPass",
        "warp-specialize": "warp_specialize:WarpSpecializePass",
        "widen-integers": "widen_integers:WidenIntegersPass",
    }
)
"""Pass name to `module:class`, relative to this package."""


def _factory(path: str) -> Callable[[], type[ModulePass]]:
    module, name = path.split(":")

    def load() -> type[ModulePass]:
        return getattr(import_module(f"{__name__}.{module}"), name)

    return load


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """The factories of this project's own passes."""
    return {name: _factory(path) for name, path in _PASSES.items()}
