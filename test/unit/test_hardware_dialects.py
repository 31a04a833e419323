"""Constructors and effects of the ops of the hardware level."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    IntegerType,
    ModuleOp,
    UnitAttr,
    VectorType,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import gpu_ext, llvm_ext, nvvm
from croqtile_mlir.dialects.llvm_ext import pointer
from croqtile_mlir.frontends.located import parse_text

DIALECTS = Path(__file__).parents[1] / "dialects"


# Effects: what dce and cse may do with each op.

FILES = (*sorted((DIALECTS / "nvvm").glob("*.mlir")), DIALECTS / "llvm.mlir")

CLOCKS = {"nvvm.read.ptx.sreg.clock64", "nvvm.read.ptx.sreg.globaltimer"}

FREE = {
    "nvvm.mapa",
    "nvvm.convert.f32x2.to.f16x2",
    "nvvm.convert.f32x2.to.bf16x2",
    "nvvm.mma.sync",
    "nvvm.ldmatrix",
    "llvm.mlir.addressof",
    "llvm.mlir.constant",
    "llvm.mlir.poison",
    "llvm.mlir.undef",
    "llvm.mlir.zero",
    "llvm.addrspacecast",
    "llvm.bitcast",
    "llvm.extractelement",
    "llvm.extractvalue",
    "llvm.getelementptr",
    "llvm.insertelement",
    "llvm.insertvalue",
    "llvm.inttoptr",
    "llvm.load",
    "llvm.ptrtoint",
    "nvvm.convert.float.to.tf32",
}
"""Ops that are removed when unused, and merged when equal."""


def is_free(op: Operation) -> bool:
    """Whether an op may be removed and merged, by the tables above."""
    if op.name.startswith("nvvm.read.ptx.sreg."):
        return op.name not in CLOCKS
    if isinstance(op, llvm_ext.LoadOp):
        return op.volatile is None and op.ordering.value.data == 0
    return op.name in FREE


def all_ops() -> Iterator[Operation]:
    """Every op in the functions of the round-trip tests."""
    for path in FILES:
        module = parse_text(new_context(), path.read_text(), path.name)
        for function in module.ops:
            if isinstance(function, llvm_ext.FuncOp) and function.body.blocks:
                ops = list(function.body.blocks[0].ops)
                yield from ops[:-1]


OPS = list(all_ops())


def twice(op: Operation, *, used: bool) -> ModuleOp:
    """A module with two copies of an op, whose results are used or not."""
    function = llvm_ext.FuncOp("f", [value.type for value in op.operands])
    block = function.body.blocks[0]
    mapper = dict(zip(op.operands, block.args, strict=True))
    copies = [op.clone(dict(mapper)), op.clone(dict(mapper))]
    block.add_ops(copies)
    if used:
        block.add_op(
            test_dialect.TestOp([result for copy in copies for result in copy.results])
        )
    block.add_op(llvm_ext.ReturnOp())
    return ModuleOp([function])


def count(module: ModuleOp, name: str) -> int:
    """How many ops of a name there are."""
    return sum(op.name == name for op in module.walk())


@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_cse_merges_only_free_ops(op: Operation):
    module = twice(op, used=True)
    CommonSubexpressionElimination().apply(Context(), module)
    assert count(module, op.name) == (1 if is_free(op) else 2)


@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_dce_removes_only_free_ops(op: Operation):
    module = twice(op, used=False)
    DeadCodeElimination().apply(Context(), module)
    assert count(module, op.name) == (0 if is_free(op) else 2)


def test_a_store_separates_loads():
    """Two loads are not merged across a store, nor across a barrier."""
    for between in (
        "llvm.store %x, %p : i32, !llvm.ptr<3>",
        "nvvm.barrier",
        "nvvm.fence.mbarrier.init",
        "nvvm.wgmma.fence.aligned",
    ):
        text = f"""
        llvm.func @f(%p: !llvm.ptr<3>, %x: i32) -> i32 {{
          %a = llvm.load %p : !llvm.ptr<3> -> i32
          {between}
          %b = llvm.load %p : !llvm.ptr<3> -> i32
          %c = arith.addi %a, %b : i32
          llvm.return %c : i32
        }}
        """
        module = parse_text(new_context(), text, "<test>")
        CommonSubexpressionElimination().apply(Context(), module)
        assert count(module, "llvm.load") == 2, between


# Constructors: each builds what its text says.

STRUCT = llvm_ext.LLVMStructType.from_type_list([f32] * 4)
TYPES: dict[str, Attribute] = {
    "any": pointer(),
    "global": pointer(1),
    "shared": pointer(3),
    "remote": pointer(7),
    "p": i1,
    "h": i16,
    "i": i32,
    "l": i64,
    "x": f32,
    "acc": STRUCT,
    "v": VectorType(f16, [2]),
    "w": VectorType(f32, [4]),
}

BLOCK = Block(arg_types=TYPES.values())
A: dict[str, SSAValue] = dict(zip(TYPES, BLOCK.args, strict=True))
for _name, _value in A.items():
    _value.name_hint = _name
ANY, GLOBAL, SHARED, REMOTE = (A[n] for n in ("any", "global", "shared", "remote"))
P, H, N, L, X, ACC, V, W = (A[n] for n in ("p", "h", "i", "l", "x", "acc", "v", "w"))


def show(op: Operation) -> str:
    """The text of an op, its result called %r."""
    text = StringIO()
    if op.results:
        op.results[0].name_hint = "r"
    Printer(stream=text).print_op(op)
    return " ".join(text.getvalue().split())


CLUSTER = nvvm.MemScope.Cluster
TMA_LOAD = "nvvm.cp.async.bulk.tensor.shared.cluster.global"
MATRIX = (
    "layout = #nvvm.mma_layout<row>, "
    "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
    "eltType = #nvvm.ld_st_matrix_elt_type<b16>}"
)

CASES: list[tuple[Operation, str]] = [
    (
        nvvm.MbarrierInitOp(SHARED, N),
        "nvvm.mbarrier.init %shared, %i : !llvm.ptr<3>, i32",
    ),
    (nvvm.MbarrierInvalOp(SHARED), "nvvm.mbarrier.inval %shared : !llvm.ptr<3>"),
    (nvvm.MbarrierArriveOp(SHARED), "nvvm.mbarrier.arrive %shared : !llvm.ptr<3>"),
    (
        nvvm.MbarrierArriveOp(SHARED, N, state=True),
        "%r = nvvm.mbarrier.arrive %shared, %i : !llvm.ptr<3> -> i64",
    ),
    (
        nvvm.MbarrierArriveDropOp(REMOTE, scope=CLUSTER),
        "nvvm.mbarrier.arrive_drop %remote {scope = #nvvm.mem_scope<cluster>}"
        " : !llvm.ptr<7>",
    ),
    (
        nvvm.MbarrierArriveExpectTxOp(SHARED, N),
        "nvvm.mbarrier.arrive.expect_tx %shared, %i : !llvm.ptr<3>, i32",
    ),
    (
        nvvm.MbarrierExpectTxOp(SHARED, N),
        "nvvm.mbarrier.expect_tx %shared, %i : !llvm.ptr<3>, i32",
    ),
    (
        nvvm.MbarrierTryWaitOp(SHARED, N),
        "%r = nvvm.mbarrier.try_wait %shared, %i : !llvm.ptr<3>, i32 -> i1",
    ),
    (
        nvvm.MbarrierTryWaitOp(SHARED, N, N),
        "%r = nvvm.mbarrier.try_wait %shared, %i, %i : !llvm.ptr<3>, i32, i32 -> i1",
    ),
    (
        nvvm.MbarrierTestWaitOp(SHARED, L),
        "%r = nvvm.mbarrier.test.wait %shared, %l : !llvm.ptr<3>, i64 -> i1",
    ),
    (
        nvvm.CpAsyncOp(SHARED, GLOBAL),
        "nvvm.cp.async.shared.global %shared, %global, 16, cache = cg"
        " : !llvm.ptr<3>, !llvm.ptr<1>",
    ),
    (
        nvvm.CpAsyncOp(SHARED, GLOBAL, 8, nvvm.LoadCacheModifier.CA, N),
        "nvvm.cp.async.shared.global %shared, %global, 8, cache = ca, %i"
        " : !llvm.ptr<3>, !llvm.ptr<1>, i32",
    ),
    (nvvm.CpAsyncWaitGroupOp(2), "nvvm.cp.async.wait.group 2"),
    (nvvm.CpAsyncBulkCommitGroupOp(), "nvvm.cp.async.bulk.commit.group"),
    (
        nvvm.CpAsyncBulkWaitGroupOp(1, read=True),
        "nvvm.cp.async.bulk.wait_group 1 {read}",
    ),
    (
        nvvm.CpAsyncBulkTensorLoadOp(REMOTE, ANY, [N, N], SHARED),
        f"{TMA_LOAD} %remote, %any, %shared, box[%i, %i] : !llvm.ptr<7>, !llvm.ptr",
    ),
    (
        nvvm.CpAsyncBulkTensorLoadOp(
            REMOTE, ANY, [N], SHARED, multicast_mask=H, l2_cache_hint=L
        ),
        f"{TMA_LOAD} %remote, %any, %shared, box[%i] multicast_mask = %h"
        " l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr",
    ),
    (
        nvvm.CpAsyncBulkTensorLoadOp(SHARED, ANY, [N], SHARED, is_cta_only=True),
        f"{TMA_LOAD} %shared, %any, %shared, box[%i] {{isCTAOnly = true}}"
        " : !llvm.ptr<3>, !llvm.ptr",
    ),
    (
        nvvm.CpAsyncBulkTensorStoreOp(ANY, SHARED, [N, N]),
        "nvvm.cp.async.bulk.tensor.global.shared.cta %any, %shared, box[%i, %i]"
        " : !llvm.ptr, !llvm.ptr<3>",
    ),
    (
        nvvm.CpAsyncBulkTensorReduceOp(ANY, SHARED, [N]),
        "nvvm.cp.async.bulk.tensor.reduce %any, %shared, box[%i]"
        " {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>",
    ),
    (nvvm.PrefetchOp(ANY), "nvvm.prefetch tensormap, %any : !llvm.ptr"),
    (
        nvvm.PrefetchOp(GLOBAL, level=nvvm.PrefetchCacheLevel.L2),
        "nvvm.prefetch level = L2, %global : !llvm.ptr<1>",
    ),
    (
        nvvm.FenceProxyOp(nvvm.ProxyKind.AsyncShared, nvvm.SharedSpace.CTA),
        "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,"
        " space = #nvvm.shared_space<cta>}",
    ),
    (nvvm.FenceMbarrierInitOp(), "nvvm.fence.mbarrier.init"),
    (nvvm.MemoryBarrierOp(nvvm.MemScope.GPU), "nvvm.memory.barrier <gpu>"),
    (nvvm.BarrierOp(), "nvvm.barrier"),
    (nvvm.BarrierOp(N, N), "nvvm.barrier id = %i number_of_threads = %i"),
    (
        nvvm.BarrierOp(reduction=nvvm.Reduction.Or, predicate=N),
        "%r = nvvm.barrier #nvvm.reduction<or> %i -> i32",
    ),
    (
        nvvm.BarrierArriveOp(N, N),
        "nvvm.barrier.arrive id = %i number_of_threads = %i",
    ),
    (nvvm.BarWarpSyncOp(N), "nvvm.bar.warp.sync %i : i32"),
    (nvvm.ClusterArriveOp(aligned=True), "nvvm.cluster.arrive {aligned}"),
    (nvvm.ClusterWaitOp(), "nvvm.cluster.wait"),
    (
        nvvm.MapaOp(SHARED, N),
        "%r = nvvm.mapa %shared, %i : !llvm.ptr<3> -> !llvm.ptr<7>",
    ),
    (nvvm.MapaOp(ANY, N), "%r = nvvm.mapa %any, %i : !llvm.ptr -> !llvm.ptr"),
    (
        nvvm.SetMaxRegisterOp(40, nvvm.SetMaxRegisterAction.Decrease),
        "nvvm.setmaxregister decrease 40",
    ),
    (nvvm.GridDepControlOp(nvvm.GridDepAction.Wait), "nvvm.griddepcontrol wait"),
    (
        nvvm.ShflSyncOp(nvvm.ShflKind.Idx, N, X, N, N),
        "%r = nvvm.shfl.sync idx %i, %x, %i, %i : f32 -> f32",
    ),
    (
        nvvm.ShflSyncOp(nvvm.ShflKind.Up, N, X, N, N, is_valid=True),
        "%r = nvvm.shfl.sync up %i, %x, %i, %i {return_value_and_is_valid}"
        " : f32 -> !llvm.struct<(f32, i1)>",
    ),
    (
        nvvm.VoteSyncOp(nvvm.VoteSyncKind.Ballot, N, P),
        "%r = nvvm.vote.sync ballot %i, %p -> i32",
    ),
    (
        nvvm.VoteSyncOp(nvvm.VoteSyncKind.Any, N, P),
        "%r = nvvm.vote.sync any %i, %p -> i1",
    ),
    (
        nvvm.MatchSyncOp(nvvm.MatchSyncKind.Any, N, N),
        "%r = nvvm.match.sync any %i, %i : i32 -> i32",
    ),
    (
        nvvm.MatchSyncOp(nvvm.MatchSyncKind.All, N, N),
        "%r = nvvm.match.sync all %i, %i : i32 -> !llvm.struct<(i32, i1)>",
    ),
    (nvvm.ElectSyncOp(), "%r = nvvm.elect.sync -> i1"),
    (
        nvvm.ReduxSyncOp(nvvm.ReduxKind.Add, N, N),
        "%r = nvvm.redux.sync add %i, %i : i32 -> i32",
    ),
    (
        nvvm.ConvertF32x2ToF16x2Op(X, X),
        "%r = nvvm.convert.f32x2.to.f16x2 %x, %x {rnd = #nvvm.fp_rnd_mode<rn>}"
        " : vector<2xf16>",
    ),
    (nvvm.TidXOp(), "%r = nvvm.read.ptx.sreg.tid.x : i32"),
    (nvvm.TidXOp((0, 128)), "%r = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32"),
    (nvvm.Clock64Op(), "%r = nvvm.read.ptx.sreg.clock64 : i64"),
    (nvvm.WgmmaWaitGroupOp(1), "nvvm.wgmma.wait.group.sync.aligned 1"),
    (
        nvvm.WgmmaMmaAsyncOp(
            L,
            L,
            ACC,
            64,
            8,
            16,
            nvvm.WgmmaType.F16,
            nvvm.WgmmaType.F16,
            nvvm.WgmmaType.F32,
            scale_out=nvvm.WgmmaScaleOut.Zero,
        ),
        "%r = nvvm.wgmma.mma_async %l, %l, %acc, <m = 64, n = 8, k = 16>,"
        " D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]"
        " : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>",
    ),
    (
        nvvm.LdMatrixOp(SHARED, 1),
        f"%r = nvvm.ldmatrix %shared {{num = 1 : i32, {MATRIX} : (!llvm.ptr<3>) -> i32",
    ),
    (
        nvvm.StMatrixOp(SHARED, [N, N]),
        f"nvvm.stmatrix %shared, %i, %i {{{MATRIX} : !llvm.ptr<3>, i32, i32",
    ),
    (
        nvvm.MmaSyncOp(
            [V] * 4, [V] * 2, [X] * 4, 16, 8, 16, nvvm.MMAType.F16, nvvm.MMAType.F16
        ),
        "%r = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%x, %x, %x, %x]"
        " {shape = #nvvm.shape<m = 16, n = 8, k = 16>,"
        " layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,"
        " multiplicandAPtxType = #nvvm.mma_type<f16>,"
        " multiplicandBPtxType = #nvvm.mma_type<f16>}"
        " : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>",
    ),
    (llvm_ext.AddressOfOp("g", 3), "%r = llvm.mlir.addressof @g : !llvm.ptr<3>"),
    (llvm_ext.PoisonOp(f32), "%r = llvm.mlir.poison : f32"),
    (llvm_ext.BitcastOp(V, i32), "%r = llvm.bitcast %v : vector<2xf16> to i32"),
    (
        llvm_ext.AddrSpaceCastOp(SHARED, 7),
        "%r = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>",
    ),
    (
        llvm_ext.PtrToIntOp(SHARED, i32),
        "%r = llvm.ptrtoint %shared : !llvm.ptr<3> to i32",
    ),
    (llvm_ext.IntToPtrOp(N, 3), "%r = llvm.inttoptr %i : i32 to !llvm.ptr<3>"),
    (
        llvm_ext.GEPOp(SHARED, [N], i8),
        "%r = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8",
    ),
    (
        llvm_ext.GEPOp(ANY, [0, 2], STRUCT, inbounds=True),
        "%r = llvm.getelementptr inbounds %any[0, 2] : (!llvm.ptr) -> !llvm.ptr,"
        " !llvm.struct<(f32, f32, f32, f32)>",
    ),
    (
        llvm_ext.LoadOp(GLOBAL, VectorType(f32, [4]), alignment=16),
        "%r = llvm.load %global {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>",
    ),
    (
        llvm_ext.StoreOp(W, GLOBAL, alignment=16),
        "llvm.store %w, %global {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>",
    ),
    (
        llvm_ext.ExtractValueOp(ACC, 2),
        "%r = llvm.extractvalue %acc[2] : !llvm.struct<(f32, f32, f32, f32)>",
    ),
    (
        llvm_ext.InsertValueOp(ACC, X, 2),
        "%r = llvm.insertvalue %x, %acc[2] : !llvm.struct<(f32, f32, f32, f32)>",
    ),
    (
        llvm_ext.ExtractElementOp(W, N),
        "%r = llvm.extractelement %w[%i : i32] : vector<4xf32>",
    ),
    (
        llvm_ext.InsertElementOp(W, X, N),
        "%r = llvm.insertelement %x, %w[%i : i32] : vector<4xf32>",
    ),
    (
        llvm_ext.GlobalOp(
            "g",
            llvm_ext.LLVMArrayType(0, i8),
            addr_space=3,
            alignment=1024,
        ),
        "llvm.mlir.global external @g() {addr_space = 3 : i32,"
        " alignment = 1024 : i64} : !llvm.array<0 x i8>",
    ),
]


@pytest.mark.parametrize(("op", "text"), CASES, ids=[text[:40] for _, text in CASES])
def test_constructors(op: Operation, text: str):
    op.verify()
    assert show(op) == text


def test_kernel():
    """A kernel with attributes of its arguments, in a module for a device."""
    kernel = llvm_ext.FuncOp(
        "k",
        [pointer(), i32],
        arg_attrs=[{"nvvm.grid_constant": UnitAttr()}, {}],
        attributes={llvm_ext.KERNEL: UnitAttr()},
    )
    kernel.body.blocks[0].add_op(llvm_ext.ReturnOp())
    module = gpu_ext.ModuleOp("m", [kernel], [nvvm.NVVMTargetAttr("sm_90a")])
    module.verify()
    assert kernel.is_kernel
    assert kernel.argument_attributes(0) == {"nvvm.grid_constant": UnitAttr()}
    assert kernel.argument_attributes(1) == {}
    assert show(module) == (
        'gpu.module @m [#nvvm.target<chip = "sm_90a">] {'
        " llvm.func @k(%0: !llvm.ptr {nvvm.grid_constant}, %1: i32)"
        " attributes {nvvm.kernel} { llvm.return } }"
    )


def test_questions():
    """What other code asks about types and ops."""
    assert nvvm.accumulator_type(256, nvvm.WgmmaType.F32).types.data == (f32,) * 128
    assert nvvm.accumulator_type(256, nvvm.WgmmaType.F16).types.data == (i32,) * 64
    assert nvvm.is_legal_n(176, nvvm.WgmmaType.F16)
    assert not nvvm.is_legal_n(40, nvvm.WgmmaType.S8)
    assert nvvm.MbarrierTryWaitOp(SHARED, N).by_parity
    assert not nvvm.MbarrierTryWaitOp(SHARED, L).by_parity
    assert llvm_ext.GEPOp(ANY, [0, N, 3], STRUCT).indices == (0, N, 3)
    assert llvm_ext.ExtractValueOp(ACC, 2).indices == (2,)
    assert llvm_ext.bit_width(VectorType(Float16Type(), [2])) == 32
    assert llvm_ext.bit_width(IntegerType(8)) == 8
    assert llvm_ext.bit_width(Float32Type()) == 32
    assert llvm_ext.bit_width(STRUCT) is None
