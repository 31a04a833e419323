"""Rules for matrix instructions, warp operations and special registers (`nvvm`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects.llvm_ext import CallIntrinsicOp
from croqtile_mlir.dialects.nvvm import matrix as source
from croqtile_mlir.dialects.nvvm import special_registers, wgmma
from croqtile_mlir.dialects.nvvm import warp as lanes
from croqtile_mlir.dialects.nvvm.attributes import (
    FPRoundMode,
    MMAIntOverflow,
    MMALayout,
    MMAType,
    ReduxKind,
    SatMode,
    WgmmaScaleIn,
    WgmmaScaleOut,
)
from croqtile_mlir.dialects.ptx import matrix, warp
from croqtile_mlir.dialects.ptx.conversion import CvtOp
from croqtile_mlir.dialects.ptx.registers import JoinOp, UndefOp
from croqtile_mlir.dialects.ptx.types import B32, F32, InstructionType
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
    Rule,
    RuleTable,
    rule,
)
from croqtile_mlir.lowering.ptx_conversion.lowered import Members, Undefined
from croqtile_mlir.targets.architecture import Architecture

_T = InstructionType
_WARP_SIZE = 32


def _wgmma_fence(e: Emitter, op: wgmma.WgmmaFenceAlignedOp) -> None:
    e.emit(matrix.WgmmaFenceOp())


def _wgmma_commit(e: Emitter, op: wgmma.WgmmaCommitGroupOp) -> None:
    e.emit(matrix.WgmmaCommitGroupOp())


def _wgmma_wait(e: Emitter, op: wgmma.WgmmaWaitGroupOp) -> None:
    e.emit(matrix.WgmmaWaitGroupOp(op.group.value.data))


def _wgmma(e: Emitter, op: wgmma.WgmmaMmaAsyncOp) -> None:
    """An accumulator that is zero is overwritten instead, whatever it holds."""
    lowered = e.get(op.accumulator)
    overwrites = op.scale_d.data is WgmmaScaleOut.Zero or (
        isinstance(lowered, int) and lowered == 0
    )
    if isinstance(lowered, int | Undefined) and overwrites:
        accumulator = e.emit(UndefOp(e.type_of(op.accumulator))).result
    else:
        accumulator = e.register(op.accumulator)
    scale = 0 if overwrites else e.started.get(op.accumulator, 1)
    m, n, k = op.shape.extents
    types = (op.type_d, op.type_a, op.type_b)
    suffix = ".".join(type.data.value for type in types)
    mma = matrix.WgmmaMmaAsyncOp(
        f"m{m}n{n}k{k}.{suffix}",
        accumulator,
        e.register(op.descriptor_a),
        e.register(op.descriptor_b),
        scale,
        satfinite=_saturates(op.satfinite.data if op.satfinite else None),
        negate=(
            op.scale_a.data is WgmmaScaleIn.Neg,
            op.scale_b.data is WgmmaScaleIn.Neg,
        ),
        # K is contiguous in a row of A and in a column of B.
        transpose=(
            op.layout_a.data is MMALayout.Col,
            op.layout_b.data is MMALayout.Row,
        ),
    )
    e.bind(op.result, e.emit(mma).result)


def _saturates(overflow: MMAIntOverflow | None) -> bool:
    return overflow is MMAIntOverflow.Satfinite


def _group(e: Emitter, values: Sequence[SSAValue]) -> SSAValue:
    return e.emit(JoinOp([e.register(value) for value in values])).group


def _mma_sync(e: Emitter, op: source.MmaSyncOp) -> None:
    m, n, k = op.shape.extents
    a, b = op.type_a.data, op.type_b.data
    accumulator = e.type_of(op.c[0])
    d = "f32" if accumulator == F32 else "f16"
    if a in source.INTEGERS:
        d = "s32"
    if not _has_mma_sync(e.target, op.shape.extents, a, d):
        e.refuse(
            f"must be compiled for a target that has m{m}n{n}k{k} of {a.value} with "
            f"sums in {d}, got {e.target.name}"
        )
    saturates = _saturates(op.overflow.data if op.overflow else None)
    satfinite = ".satfinite" if saturates else ""
    form = f"m{m}n{n}k{k}.row.col{satfinite}.{d}.{a.value}.{b.value}.{d}"
    mma = matrix.MmaSyncOp(
        form,
        _group(e, op.a),
        _group(e, op.b),
        _group(e, op.c),
        e.type_of(op.result),
    )
    e.bind(op.result, e.emit(mma).result)


def _has_mma_sync(
    target: Architecture, extents: tuple[int, int, int], operand: MMAType, sums: str
) -> bool:
    """Whether a target has one form of `mma.sync`."""
    m, n, k = extents
    element = "i8" if operand in source.INTEGERS else operand.value
    accumulator = "i32" if operand in source.INTEGERS else sums
    shapes = target.mma_shapes("mma.sync", element, accumulator)
    return any((s.m, s.k) == (m, k) and s.admits_n(n) for s in shapes)


def _ldmatrix(e: Emitter, op: source.LdMatrixOp) -> None:
    load = matrix.LdmatrixOp(
        e.address(op.addr),
        op.count.value.data,
        transposed=op.layout.data is MMALayout.Col,
    )
    group = e.emit(load).result
    single = e.type_of(op.result) == B32
    e.bind(op.result, group)
    if single:
        e.bind(op.result, e.split(group)[0])


def _stmatrix(e: Emitter, op: source.StMatrixOp) -> None:
    store = matrix.StmatrixOp(
        e.address(op.addr),
        _group(e, op.sources),
        transposed=op.layout.data is MMALayout.Col,
    )
    e.emit(store)


def _shuffle(e: Emitter, op: lanes.ShflSyncOp) -> None:
    if op.return_value_and_is_valid is not None:
        e.refuse("is not supported by convert-to-ptx with return_value_and_is_valid")
    shuffle = warp.ShflSyncOp(
        op.kind.data.value,
        e.register(op.value),
        e.source_of(op.offset),
        e.source_of(op.clamp),
        e.source_of(op.mask),
    )
    e.bind(op.result, e.emit(shuffle).result)


def _vote(e: Emitter, op: lanes.VoteSyncOp) -> None:
    vote = warp.VoteSyncOp(
        op.kind.data.value, e.register(op.predicate), e.source_of(op.mask)
    )
    e.bind(op.result, e.emit(vote).result)


def _match(e: Emitter, op: lanes.MatchSyncOp) -> None:
    made = e.emit(
        warp.MatchSyncOp(op.kind.data.value, e.register(op.value), e.source_of(op.mask))
    )
    if made.same is None:
        e.bind(op.result, made.result)
    else:
        e.bind(op.result, Members((made.result, made.same)))


def _intrinsic(e: Emitter, op: CallIntrinsicOp) -> None:
    if op.intrin.data != lanes.ACTIVE_MASK or len(op.results) != 1:
        e.refuse(f"is not supported by convert-to-ptx with {op.intrin.data}")
    e.bind(op.results[0], e.emit(warp.ActiveMaskOp()).result)


def _elect(e: Emitter, op: lanes.ElectSyncOp) -> None:
    mask = -1 if op.mask is None else e.source_of(op.mask)
    e.bind(op.result, e.emit(warp.ElectSyncOp(mask)).result)


_REDUCTIONS = {
    ReduxKind.Add: "add.s32",
    ReduxKind.Max: "max.s32",
    ReduxKind.Min: "min.s32",
    ReduxKind.UMax: "max.u32",
    ReduxKind.UMin: "min.u32",
    ReduxKind.And: "and.b32",
    ReduxKind.Or: "or.b32",
    ReduxKind.Xor: "xor.b32",
}


def _reduce(e: Emitter, op: lanes.ReduxSyncOp) -> None:
    kind = op.kind.data
    if kind not in _REDUCTIONS:
        e.refuse(f"is not supported by convert-to-ptx with the kind {kind.value}")
    reduce = warp.ReduxSyncOp(
        _REDUCTIONS[kind], e.register(op.value), e.source_of(op.mask)
    )
    e.bind(op.result, e.emit(reduce).result)


def _convert_pair(
    type: InstructionType,
) -> Callable[
    [Emitter, lanes.ConvertF32x2ToF16x2Op | lanes.ConvertF32x2ToBF16x2Op], None
]:
    """A rule for two f32 that become two halves of a register."""

    def make(
        e: Emitter, op: lanes.ConvertF32x2ToF16x2Op | lanes.ConvertF32x2ToBF16x2Op
    ) -> None:
        rounding = op.rounding.data
        if rounding not in (FPRoundMode.RN, FPRoundMode.RZ):
            e.refuse(f"must round by rn or rz, got {rounding.value}")
        qualifiers = rounding.value
        if op.relu.value.data:
            qualifiers += ".relu"
        if op.saturation.data is not SatMode.Off:
            qualifiers += ".satfinite"
        hi, lo = e.register(op.hi), e.register(op.lo)
        cvt = CvtOp(type, _T.F32, hi, lo, qualifiers=qualifiers)
        e.bind(op.result, e.emit(cvt).result)

    return make


def _convert_tf32(e: Emitter, op: lanes.ConvertFloatToTF32Op) -> None:
    rounding = op.rounding.data
    if rounding is not FPRoundMode.RNA:
        e.refuse(f"must round by rna, got {rounding.value}")
    if op.saturation.data is not SatMode.Off:
        e.refuse("is not supported by convert-to-ptx with saturation")
    cvt = CvtOp(_T.TF32, _T.F32, e.register(op.source), qualifiers="rna")
    e.bind(op.result, e.emit(cvt).result)


def _special_name(op: type[Operation]) -> str:
    """What PTX calls the register that an op reads, `cluster_ctaid.x`."""
    name = op.name.removeprefix("nvvm.read.ptx.sreg.")
    stem, _, axis = name.rpartition(".")
    if axis in ("x", "y", "z"):
        return f"{stem.replace('.', '_')}.{axis}"
    return name.replace(".", "_")


def _special(name: str) -> Rule:
    """A rule for a read of a special register."""

    def make(e: Emitter, op: Operation) -> None:
        e.bind(op.results[0], e.emit(warp.SpecialRegisterOp(name)).result)

    return make


def _warp_size(e: Emitter, op: special_registers.WarpSizeOp) -> None:
    e.bind(op.result, _WARP_SIZE)


RULES: RuleTable = {
    **{op: _special(_special_name(op)) for op in special_registers.OPS},
    **dict(
        [
            rule(special_registers.WarpSizeOp, _warp_size),
            rule(wgmma.WgmmaFenceAlignedOp, _wgmma_fence),
            rule(wgmma.WgmmaCommitGroupOp, _wgmma_commit),
            rule(wgmma.WgmmaWaitGroupOp, _wgmma_wait),
            rule(wgmma.WgmmaMmaAsyncOp, _wgmma),
            rule(source.MmaSyncOp, _mma_sync),
            rule(source.LdMatrixOp, _ldmatrix),
            rule(source.StMatrixOp, _stmatrix),
            rule(lanes.ShflSyncOp, _shuffle),
            rule(lanes.VoteSyncOp, _vote),
            rule(lanes.MatchSyncOp, _match),
            rule(CallIntrinsicOp, _intrinsic),
            rule(lanes.ElectSyncOp, _elect),
            rule(lanes.ReduxSyncOp, _reduce),
            rule(lanes.ConvertF32x2ToF16x2Op, _convert_pair(_T.F16X2)),
            rule(lanes.ConvertF32x2ToBF16x2Op, _convert_pair(_T.BF16X2)),
            rule(lanes.ConvertFloatToTF32Op, _convert_tf32),
        ]
    ),
}
