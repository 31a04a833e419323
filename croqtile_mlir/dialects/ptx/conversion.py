"""Conversions; registers put together or taken apart (PTX ISA 9.7.9.3, 9.7.9.21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import DATA_REGISTER, GROUP
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    ComputeOp,
    Forms,
    Suffix,
    Version,
    dotted,
    forms,
)
from croqtile_mlir.dialects.ptx.operands import Register, Sources, type_of
from croqtile_mlir.dialects.ptx.types import (
    TYPE_ATTRS,
    GroupType,
    InstructionType,
    InstructionTypeAttr,
    PTXType,
    register_type,
)

_T = InstructionType
_PACKED = (_T.F16X2, _T.BF16X2, _T.E4M3X2, _T.E5M2X2)
_ROUNDING = (
    "- rn rz rm rp rni rzi rmi rpi sat rn.sat rni.sat rzi.sat satfinite rn.satfinite "
    "rna rn.relu ftz rn.ftz rzi.ftz rni.ftz rn.ftz.satfinite"
)


@irdl_op_definition
class CvtOp(ComputeOp):
    """
    Conversion to `type` from `source_type`. A packed type takes two sources; the
    **second** becomes its low half.

    `%h = ptx.cvt rn.f16x2 from f32 %b, %a : !ptx.reg<b32>` prints
    `cvt.rn.f16x2.f32 %r1, %f2, %f1;`
    """

    name = "ptx.cvt"
    FORMS: ClassVar[Forms] = forms(
        ((*_PACKED, *(t for t in _T if t is not _T.Predicate)), _ROUNDING)
    )

    source_type = prop_def(InstructionTypeAttr)

    custom_directives = (Sources, Suffix)

    SYNTAX: ClassVar[str] = (
        "custom<Suffix>($qualifiers, $type) `from` $source_type "
        "custom<Sources>($sources, type($sources), $immediates) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        type: InstructionType,
        source_type: InstructionType,
        *sources: SSAValue,
        qualifiers: str = "",
        result_type: PTXType | None = None,
    ):
        properties: dict[str, Attribute] = {
            "type": TYPE_ATTRS[type],
            "source_type": TYPE_ATTRS[source_type],
        }
        if qualifiers:
            properties["qualifiers"] = StringAttr(qualifiers)
        Operation.__init__(
            self,
            operands=sources,
            result_types=(result_type or register_type(type.register),),
            properties=properties,
        )

    def source_types(self) -> Sequence[InstructionType]:
        count = 2 if self.type.data in _PACKED else 1
        return (self.source_type.data,) * count

    def opcode(self) -> str:
        return dotted(
            "cvt", self.qualifier, self.type.data.value, self.source_type.data.value
        )

    def needs_version(self) -> Version:
        return (8, 1) if self.type.data in (_T.E4M3X2, _T.E5M2X2) else self.VERSION

    def verify_(self) -> None:
        if self.immediates is not None:
            raise VerifyException("sources must be registers, got immediates")
        super().verify_()


@irdl_op_definition
class PackOp(AssemblyOp):
    """
    One register from the narrower registers of a group, the first one lowest.

    `%b = ptx.pack b32 %g : !ptx.reg<b32>` prints `mov.b32 %r1, {%rs1, %rs2};`
    """

    name = "ptx.pack"

    type = prop_def(InstructionTypeAttr)
    group = operand_def(GROUP)
    result = result_def(DATA_REGISTER)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "$type custom<Register>($group, type($group)) attr-dict `:` type($result)"
    )

    def __init__(
        self,
        type: InstructionType,
        group: SSAValue,
        result_type: PTXType | None = None,
    ):
        super().__init__(
            operands=[group],
            result_types=[result_type or register_type(type.register)],
            properties={"type": TYPE_ATTRS[type]},
        )

    def assembly_line(self) -> str | None:
        result, group = self.register(self.result), self.register(self.group)
        return f"mov.{self.type.data} {result}, {group};"

    def verify_(self) -> None:
        _check_widths(self.type.data, self.result, self.group)


@irdl_op_definition
class UnpackOp(AssemblyOp):
    """
    The narrower registers of a group from one register, the first one lowest.

    `%g = ptx.unpack b32 %a : !ptx.group<b16 x 2>` prints `mov.b32 {%rs1, %rs2}, %r1;`
    """

    name = "ptx.unpack"

    type = prop_def(InstructionTypeAttr)
    source = operand_def(DATA_REGISTER)
    group = result_def(GROUP)

    traits = traits_def(Pure())

    custom_directives = (Register,)

    SYNTAX: ClassVar[str] = (
        "$type custom<Register>($source, type($source)) attr-dict `:` type($group)"
    )

    def __init__(self, type: InstructionType, source: SSAValue, group_type: GroupType):
        super().__init__(
            operands=[source],
            result_types=[group_type],
            properties={"type": TYPE_ATTRS[type]},
        )

    def assembly_line(self) -> str | None:
        group, source = self.register(self.group), self.register(self.source)
        return f"mov.{self.type.data} {group}, {source};"

    def verify_(self) -> None:
        _check_widths(self.type.data, self.source, self.group)


def _check_widths(type: InstructionType, whole: SSAValue, group: SSAValue) -> None:
    whole_type, group_type = type_of(whole), type_of(group)
    if isinstance(whole_type, GroupType) or whole_type.kind.bits != type.bits:
        raise VerifyException(
            f"the register must have {type.bits} bits, got {whole_type}"
        )
    if not isinstance(group_type, GroupType):
        raise VerifyException(f"the parts must be a group, got {group_type}")
    bits = group_type.lanes * group_type.kind.bits
    if bits != type.bits:
        raise VerifyException(
            f"the group must have {type.bits} bits in all, got {bits}"
        )


OPS = (
    CvtOp,
    PackOp,
    UnpackOp,
)
