"""Ops of the lanes of a warp, and conversions within one thread.

A shuffle, vote, match, election or reduction exchanges values between lanes: executed
under another mask it means something else, so none is pure, removed or merged.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    BoolAttr,
    UnitAttr,
    VectorType,
    bf16,
    f16,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.nvvm.attributes import (
    FPRoundMode,
    FPRoundModeAttr,
    MatchSyncKind,
    MatchSyncKindAttr,
    ReduxKind,
    ReduxKindAttr,
    SatMode,
    SatModeAttr,
    ShflKind,
    ShflKindAttr,
    VoteSyncKind,
    VoteSyncKindAttr,
)
from croqtile_mlir.dialects.nvvm.operands import FALSE, Value, boolean, optional

ACTIVE_MASK = "llvm.nvvm.activemask"
"""The intrinsic that gives the lanes that execute it: the dialect has no op for it."""


@irdl_op_definition
class ShflSyncOp(IRDLOperation):
    """Read `value` of another lane.

    `offset` is the lane (`idx`), a distance (`up`, `down`) or a mask (`bfly`);
    `clamp` holds the last lane in bits 0 to 4 and the segment mask in bits 8 to 12.
    With `return_value_and_is_valid` the result is a struct of the value and an i1,
    whether the lane was in range.

    ```mlir
    %r = nvvm.shfl.sync idx %mask, %value, %lane, %clamp : i32 -> i32
    ```
    """

    name = "nvvm.shfl.sync"

    mask = operand_def(i32)
    value = operand_def()
    offset = operand_def(i32)
    clamp = operand_def(i32)
    kind = prop_def(ShflKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$kind $mask `,` $value `,` $offset `,` $clamp attr-dict"
        " `:` type($value) `->` type($result)"
    )

    def __init__(
        self,
        kind: ShflKind,
        mask: Value,
        value: Value,
        offset: Value,
        clamp: Value,
        *,
        is_valid: bool = False,
    ):
        type_ = SSAValue.get(value).type
        super().__init__(
            operands=[mask, value, offset, clamp],
            properties={
                "kind": ShflKindAttr(kind),
                "return_value_and_is_valid": UnitAttr() if is_valid else None,
            },
            result_types=[
                LLVMStructType.from_type_list([type_, i1]) if is_valid else type_
            ],
        )

    def verify_(self) -> None:
        type_ = self.value.type
        if type_ not in (i32, f32):
            raise VerifyException(f"value must be i32 or f32, got {type_}")
        wanted = type_
        if self.return_value_and_is_valid is not None:
            wanted = LLVMStructType.from_type_list([type_, i1])
        if self.result.type != wanted:
            raise VerifyException(f"result must be {wanted}, got {self.result.type}")


@irdl_op_definition
class VoteSyncOp(IRDLOperation):
    """Combine a predicate over the lanes of a mask.

    `ballot` gives an i32 with one bit a lane, the others an i1.

    ```mlir
    %bits = nvvm.vote.sync ballot %mask, %p -> i32
    ```
    """

    name = "nvvm.vote.sync"

    mask = operand_def(i32)
    predicate = operand_def(i1)
    kind = prop_def(VoteSyncKindAttr)
    result = result_def()

    assembly_format = "$kind $mask `,` $predicate attr-dict `->` type($result)"

    def __init__(self, kind: VoteSyncKind, mask: Value, predicate: Value):
        super().__init__(
            operands=[mask, predicate],
            properties={"kind": VoteSyncKindAttr(kind)},
            result_types=[i32 if kind is VoteSyncKind.Ballot else i1],
        )

    def verify_(self) -> None:
        wanted = i32 if self.kind.data is VoteSyncKind.Ballot else i1
        if self.result.type != wanted:
            raise VerifyException(
                f"result must be {wanted} for {self.kind.data.value}, got"
                f" {self.result.type}"
            )


@irdl_op_definition
class MatchSyncOp(IRDLOperation):
    """Find the lanes of a mask that have the same value, a bit each.

    `any` gives each lane those like it, an i32; `all` a struct of all lanes, or 0 where
    they differ, and an i1, whether they are alike.

    ```mlir
    %lanes = nvvm.match.sync any %mask, %value : i32 -> i32
    ```
    """

    name = "nvvm.match.sync"

    mask = operand_def(i32)
    value = operand_def()
    kind = prop_def(MatchSyncKindAttr)
    result = result_def()

    assembly_format = (
        "$kind $mask `,` $value attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(self, kind: MatchSyncKind, mask: Value, value: Value):
        super().__init__(
            operands=[mask, value],
            properties={"kind": MatchSyncKindAttr(kind)},
            result_types=[self.type_for(kind)],
        )

    @staticmethod
    def type_for(kind: MatchSyncKind) -> Attribute:
        """The type of the result."""
        if kind is MatchSyncKind.All:
            return LLVMStructType.from_type_list([i32, i1])
        return i32

    def verify_(self) -> None:
        if self.value.type not in (i32, i64):
            raise VerifyException(f"value must be i32 or i64, got {self.value.type}")
        kind = self.kind.data
        if self.result.type != (wanted := self.type_for(kind)):
            raise VerifyException(
                f"result must be {wanted} for {kind.value}, got {self.result.type}"
            )


@irdl_op_definition
class ElectSyncOp(IRDLOperation):
    """True in one lane of the mask (absent: of all lanes), the same one every time.

    ```mlir
    %leader = nvvm.elect.sync -> i1
    ```
    """

    name = "nvvm.elect.sync"

    mask = opt_operand_def(i32)
    result = result_def(i1)

    assembly_format = "($mask^)? attr-dict `->` type($result)"

    def __init__(self, mask: Value | None = None):
        super().__init__(operands=[optional(mask)], result_types=[i1])


@irdl_op_definition
class ReduxSyncOp(IRDLOperation):
    """Reduce a value over the lanes of a mask; every lane gets the result.

    ```mlir
    %sum = nvvm.redux.sync add %value, %mask : i32 -> i32
    ```
    """

    name = "nvvm.redux.sync"

    value = operand_def()
    mask = operand_def(i32)
    kind = prop_def(ReduxKindAttr)
    abs = prop_def(BoolAttr, default_value=FALSE)
    nan = prop_def(BoolAttr, default_value=FALSE)
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$kind $value `,` $mask attr-dict `:` type($value) `->` type($result)"
    )

    def __init__(
        self,
        kind: ReduxKind,
        value: Value,
        mask: Value,
        *,
        abs: bool = False,
        nan: bool = False,
    ):
        super().__init__(
            operands=[value, mask],
            properties={
                "kind": ReduxKindAttr(kind),
                "abs": boolean(abs),
                "nan": boolean(nan),
            },
            result_types=[SSAValue.get(value).type],
        )

    def verify_(self) -> None:
        kind = self.kind.data
        floating = kind in (ReduxKind.FMin, ReduxKind.FMax)
        wanted = f32 if floating else i32
        for what, value in (("value", self.value), ("result", self.result)):
            if value.type != wanted:
                raise VerifyException(
                    f"{what} must be {wanted} for {kind.value}, got {value.type}"
                )
        if not floating and (self.abs.value.data or self.nan.value.data):
            raise VerifyException(
                f"abs and nan must only be given with fmin or fmax, got {kind.value}"
            )


class _ConvertPairOp(IRDLOperation, ABC):
    """Two f32 to two 16-bit floats; `hi` becomes element 1, `lo` element 0."""

    hi = operand_def(f32)
    lo = operand_def(f32)
    rounding = prop_def(
        FPRoundModeAttr,
        default_value=FPRoundModeAttr(FPRoundMode.Default),
        prop_name="rnd",
    )
    saturation = prop_def(
        SatModeAttr, default_value=SatModeAttr(SatMode.Off), prop_name="sat"
    )
    relu = prop_def(BoolAttr, default_value=FALSE)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    assembly_format = "$hi `,` $lo attr-dict `:` type($result)"

    def verify_(self) -> None:
        rounding = self.rounding.data
        if rounding not in (FPRoundMode.RN, FPRoundMode.RZ):
            raise VerifyException(f"rnd must be rn or rz, got {rounding.value}")


@irdl_op_definition
class ConvertF32x2ToF16x2Op(_ConvertPairOp):
    """Round two f32 to a vector of two f16: element 1 is `hi`, element 0 is `lo`.

    ```mlir
    %v = nvvm.convert.f32x2.to.f16x2 %hi, %lo {rnd = #nvvm.fp_rnd_mode<rn>}
        : vector<2xf16>
    ```
    """

    name = "nvvm.convert.f32x2.to.f16x2"

    result = result_def(VectorType(f16, [2]))

    def __init__(
        self,
        hi: Value,
        lo: Value,
        rounding: FPRoundMode = FPRoundMode.RN,
        *,
        saturation: SatMode = SatMode.Off,
        relu: bool = False,
    ):
        super().__init__(
            operands=[hi, lo],
            properties={
                "rnd": FPRoundModeAttr(rounding),
                "sat": SatModeAttr(saturation),
                "relu": boolean(relu),
            },
            result_types=[VectorType(f16, [2])],
        )


@irdl_op_definition
class ConvertF32x2ToBF16x2Op(_ConvertPairOp):
    """Round two f32 to a vector of two bf16: element 1 is `hi`, element 0 is `lo`.

    ```mlir
    %v = nvvm.convert.f32x2.to.bf16x2 %hi, %lo {rnd = #nvvm.fp_rnd_mode<rn>}
        : vector<2xbf16>
    ```
    """

    name = "nvvm.convert.f32x2.to.bf16x2"

    result = result_def(VectorType(bf16, [2]))

    def __init__(
        self,
        hi: Value,
        lo: Value,
        rounding: FPRoundMode = FPRoundMode.RN,
        *,
        saturation: SatMode = SatMode.Off,
        relu: bool = False,
    ):
        super().__init__(
            operands=[hi, lo],
            properties={
                "rnd": FPRoundModeAttr(rounding),
                "sat": SatModeAttr(saturation),
                "relu": boolean(relu),
            },
            result_types=[VectorType(bf16, [2])],
        )


@irdl_op_definition
class ConvertFloatToTF32Op(IRDLOperation):
    """Round an f32 to the 19 bits of a tf32, the upper ones of the i32.

    `rna` rounds to nearest, halves away from zero; `rn` and `rz` are of later targets.

    ```mlir
    %r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
    ```
    """

    name = "nvvm.convert.float.to.tf32"

    source = operand_def(f32)
    rounding = prop_def(
        FPRoundModeAttr,
        default_value=FPRoundModeAttr(FPRoundMode.Default),
        prop_name="rnd",
    )
    saturation = prop_def(
        SatModeAttr, default_value=SatModeAttr(SatMode.Off), prop_name="sat"
    )
    relu = prop_def(BoolAttr, default_value=FALSE)
    result = result_def(i32)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict"

    def __init__(
        self,
        source: Value,
        rounding: FPRoundMode = FPRoundMode.RNA,
        *,
        saturation: SatMode = SatMode.Off,
        relu: bool = False,
    ):
        super().__init__(
            operands=[source],
            properties={
                "rnd": FPRoundModeAttr(rounding),
                "sat": SatModeAttr(saturation),
                "relu": boolean(relu),
            },
            result_types=[i32],
        )

    def verify_(self) -> None:
        rounding = self.rounding.data
        if rounding not in (FPRoundMode.RN, FPRoundMode.RZ, FPRoundMode.RNA):
            raise VerifyException(f"rnd must be rn, rz or rna, got {rounding.value}")
        if self.relu.value.data and rounding is FPRoundMode.RNA:
            raise VerifyException("relu must only be given with rn or rz, got rna")


OPS = (
    ConvertF32x2ToBF16x2Op,
    ConvertF32x2ToF16x2Op,
    ConvertFloatToTF32Op,
    ElectSyncOp,
    MatchSyncOp,
    ReduxSyncOp,
    ShflSyncOp,
    VoteSyncOp,
)
