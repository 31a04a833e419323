"""Warpgroup matrix multiplication: `wgmma`.

`wgmma` reads shared memory and its accumulators asynchronously, so all ops here have
unknown effects: never removed, merged, or moved across.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    IntegerAttr,
    VectorType,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    eq,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    MMAIntOverflow,
    MMAIntOverflowAttr,
    MMALayout,
    MMALayoutAttr,
    MMAShapeAttr,
    WgmmaScaleIn,
    WgmmaScaleInAttr,
    WgmmaScaleOut,
    WgmmaScaleOutAttr,
    WgmmaType,
    WgmmaTypeAttr,
)
from croqtile_mlir.dialects.nvvm.operands import Value

WGMMA_M = 64
FLOAT8 = (WgmmaType.E4M3, WgmmaType.E5M2)
INT8 = (WgmmaType.S8, WgmmaType.U8)


@dataclass(frozen=True)
class WgmmaKind:
    """What one type of A allows: K, the types of B and of D."""

    k: int
    type_b: tuple[WgmmaType, ...]
    type_d: tuple[WgmmaType, ...]


WGMMA_KINDS = {
    WgmmaType.F16: WgmmaKind(16, (WgmmaType.F16,), (WgmmaType.F16, WgmmaType.F32)),
    WgmmaType.BF16: WgmmaKind(16, (WgmmaType.BF16,), (WgmmaType.F32,)),
    WgmmaType.TF32: WgmmaKind(8, (WgmmaType.TF32,), (WgmmaType.F32,)),
    WgmmaType.E4M3: WgmmaKind(32, FLOAT8, (WgmmaType.F16, WgmmaType.F32)),
    WgmmaType.E5M2: WgmmaKind(32, FLOAT8, (WgmmaType.F16, WgmmaType.F32)),
    WgmmaType.S8: WgmmaKind(32, INT8, (WgmmaType.S32,)),
    WgmmaType.U8: WgmmaKind(32, INT8, (WgmmaType.S32,)),
    WgmmaType.B1: WgmmaKind(256, (WgmmaType.B1,), (WgmmaType.S32,)),
}
"""PTX ISA, "Asynchronous warpgroup-level matrix instructions: wgmma.mma_async"."""


def is_legal_n(n: int, type_a: WgmmaType) -> bool:
    """Whether `wgmma` has this N for a type of A.

    Multiples of 8 up to 256; integer types lack those between 32 and 256 that are
    not multiples of 16, except 24 which exists.
    """
    if n % 8 or not 8 <= n <= 256:
        return False
    integer = type_a in INT8 or type_a is WgmmaType.B1
    return not integer or n in (8, 24) or n % 16 == 0


def accumulator_type(n: int, type_d: WgmmaType) -> LLVMStructType:
    """The registers of one thread's share of a 64 x n accumulator, as a struct.

    n/2 of f32 or i32; for f16, two in each of n/4 i32.
    """
    if type_d is WgmmaType.F16:
        return LLVMStructType.from_type_list([i32] * (n // 4))
    return LLVMStructType.from_type_list(
        [f32 if type_d is WgmmaType.F32 else i32] * (n // 2)
    )


@irdl_op_definition
class WgmmaFenceAlignedOp(IRDLOperation):
    """Order the warpgroup's register and shared-memory accesses before `wgmma`.

    Needed before the first `wgmma`, and whenever registers changed since.

    ```mlir
    nvvm.wgmma.fence.aligned
    ```
    """

    name = "nvvm.wgmma.fence.aligned"

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class WgmmaCommitGroupOp(IRDLOperation):
    """Make a group of the `wgmma`s so far.

    ```mlir
    nvvm.wgmma.commit.group.sync.aligned
    ```
    """

    name = "nvvm.wgmma.commit.group.sync.aligned"

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class WgmmaWaitGroupOp(IRDLOperation):
    """Wait until at most `group` of the latest `wgmma` groups are pending.

    ```mlir
    nvvm.wgmma.wait.group.sync.aligned 1
    ```
    """

    name = "nvvm.wgmma.wait.group.sync.aligned"

    group = prop_def(IntegerAttr.constr(type=eq(i64)))

    assembly_format = "$group attr-dict"

    def __init__(self, group: int):
        super().__init__(properties={"group": IntegerAttr(group, i64)})

    def verify_(self) -> None:
        if self.group.value.data < 0:
            raise VerifyException(
                f"group must not be negative, got {self.group.value.data}"
            )


@irdl_op_definition
class WgmmaMmaAsyncOp(IRDLOperation):
    """D = A * B + D, or D = A * B, by one warpgroup, asynchronously.

    A and B are descriptors of shared memory (i64). The accumulator is a struct of
    each thread's registers (see `accumulator_type`); the result is the same registers
    after the MMA, to be read only after its group is complete. Layouts `row` for A and
    `col` for B mean that K is contiguous.

    ```mlir
    %d1 = nvvm.wgmma.mma_async %a, %b, %d0, <m = 64, n = 8, k = 16>,
        D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
        : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    ```
    """

    name = "nvvm.wgmma.mma_async"

    accumulator = operand_def(LLVMStructType)
    descriptor_a = operand_def(i64)
    descriptor_b = operand_def(i64)
    shape = prop_def(MMAShapeAttr)
    type_a = prop_def(WgmmaTypeAttr, prop_name="typeA")
    type_b = prop_def(WgmmaTypeAttr, prop_name="typeB")
    type_d = prop_def(WgmmaTypeAttr, prop_name="typeD")
    scale_d = prop_def(WgmmaScaleOutAttr, prop_name="scaleD")
    scale_a = prop_def(WgmmaScaleInAttr, prop_name="scaleA")
    scale_b = prop_def(WgmmaScaleInAttr, prop_name="scaleB")
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    satfinite = opt_prop_def(MMAIntOverflowAttr)
    result = result_def(LLVMStructType)

    assembly_format = (
        "$descriptor_a `,` $descriptor_b `,` $accumulator `,` $shape `,`"
        " `D` `[` $typeD `,` $scaleD (`,` $satfinite^)? `]` `,`"
        " `A` `[` $typeA `,` $scaleA `,` $layoutA `]` `,`"
        " `B` `[` $typeB `,` $scaleB `,` $layoutB `]`"
        " attr-dict `:` type($accumulator) `->` type($result)"
    )

    def __init__(
        self,
        descriptor_a: Value,
        descriptor_b: Value,
        accumulator: Value,
        m: int,
        n: int,
        k: int,
        type_a: WgmmaType,
        type_b: WgmmaType,
        type_d: WgmmaType,
        layout_a: MMALayout = MMALayout.Row,
        layout_b: MMALayout = MMALayout.Col,
        *,
        scale_out: WgmmaScaleOut = WgmmaScaleOut.One,
        scale_a: WgmmaScaleIn = WgmmaScaleIn.One,
        scale_b: WgmmaScaleIn = WgmmaScaleIn.One,
        satfinite: bool = False,
    ):
        super().__init__(
            operands=[accumulator, descriptor_a, descriptor_b],
            properties={
                "shape": MMAShapeAttr(m, n, k),
                "typeA": WgmmaTypeAttr(type_a),
                "typeB": WgmmaTypeAttr(type_b),
                "typeD": WgmmaTypeAttr(type_d),
                "scaleD": WgmmaScaleOutAttr(scale_out),
                "scaleA": WgmmaScaleInAttr(scale_a),
                "scaleB": WgmmaScaleInAttr(scale_b),
                "layoutA": MMALayoutAttr(layout_a),
                "layoutB": MMALayoutAttr(layout_b),
                "satfinite": MMAIntOverflowAttr(MMAIntOverflow.Satfinite)
                if satfinite
                else None,
            },
            result_types=[SSAValue.get(accumulator).type],
        )

    def verify_(self) -> None:
        self._verify_types()
        self._verify_shape()
        self._verify_layouts()
        self._verify_accumulator()

    def _verify_types(self) -> None:
        a, b, d = self.type_a.data, self.type_b.data, self.type_d.data
        kind = WGMMA_KINDS.get(a)
        if kind is None:
            raise VerifyException(
                f"type of A must be one of {', '.join(WGMMA_KINDS)}, got {a.value}"
            )
        if b not in kind.type_b:
            raise VerifyException(
                f"type of B must be {' or '.join(kind.type_b)} for A of type"
                f" {a.value}, got {b.value}"
            )
        if d not in kind.type_d:
            raise VerifyException(
                f"type of D must be {' or '.join(kind.type_d)} for A of type"
                f" {a.value}, got {d.value}"
            )
        if self.satfinite is not None and d is not WgmmaType.S32:
            raise VerifyException(
                f"satfinite must only be given with D of type s32, got {d.value}"
            )

    def _verify_shape(self) -> None:
        a = self.type_a.data
        m, n, k = self.shape.extents
        if m != WGMMA_M:
            raise VerifyException(f"shape must have m = {WGMMA_M}, got {m}")
        if not is_legal_n(n, a):
            rule = "a multiple of 8 from 8 to 256"
            if a in INT8 or a is WgmmaType.B1:
                rule = "8, 24, or a multiple of 16 from 16 to 256"
            raise VerifyException(
                f"shape must have n = {rule} for A of type {a.value}, got {n}"
            )
        if k != WGMMA_KINDS[a].k:
            raise VerifyException(
                f"shape must have k = {WGMMA_KINDS[a].k} for A of type {a.value},"
                f" got {k}"
            )

    def _verify_layouts(self) -> None:
        a = self.type_a.data
        transposed = (
            self.layout_a.data is MMALayout.Col or self.layout_b.data is MMALayout.Row
        )
        if transposed and a not in (WgmmaType.F16, WgmmaType.BF16):
            raise VerifyException(
                "layouts must be row for A and col for B unless the inputs are f16 or"
                f" bf16, got {self.layout_a.data.value} and"
                f" {self.layout_b.data.value} for {a.value}"
            )

    def _verify_accumulator(self) -> None:
        if self.accumulator.type != self.result.type:
            raise VerifyException(
                "accumulator and result must have the same type, got"
                f" {self.accumulator.type} and {self.result.type}"
            )
        d = self.type_d.data
        wanted = accumulator_type(self.shape.n.data, d)
        elements = _elements(self.accumulator.type)
        allowed: tuple[Attribute, ...] = (wanted.types.data[0],)
        if d is WgmmaType.F16:
            allowed = (i32, VectorType(f16, [2]))
        if len(elements) != len(wanted.types.data):
            raise VerifyException(
                f"accumulator must have {len(wanted.types.data)} elements for n ="
                f" {self.shape.n.data} and D of type {d.value}, got {len(elements)}"
            )
        if any(element != elements[0] for element in elements) or (
            elements[0] not in allowed
        ):
            raise VerifyException(
                f"accumulator must have elements of type"
                f" {' or '.join(str(t) for t in allowed)} for D of type {d.value},"
                f" got {self.accumulator.type}"
            )


def _elements(type_: Attribute) -> tuple[Attribute, ...]:
    return type_.types.data if isinstance(type_, LLVMStructType) else ()


OPS = (WgmmaCommitGroupOp, WgmmaFenceAlignedOp, WgmmaMmaAsyncOp, WgmmaWaitGroupOp)
