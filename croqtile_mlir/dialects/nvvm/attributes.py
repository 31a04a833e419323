"""Attributes of the `nvvm` dialect, spelled as in LLVM/MLIR 22.

Upstream has two spellings for its enumerations: `#nvvm.mem_scope<cta>` and
`#nvvm<shfl_kind idx>`. Which one an enumeration uses is part of its name here: the
first derives `BracketedEnum`, the second xDSL's `SpacedOpaqueSyntaxAttribute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import (
    Attribute,
    Data,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

EnumT = TypeVar("EnumT", bound=StrEnum, covariant=True)


class BracketedEnum(Data[EnumT]):
    """An enumeration written `#nvvm.name<value>`, or `<value>` in an op's format."""

    enum_type: ClassVar[type[StrEnum]]

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> EnumT:
        with parser.in_angle_brackets():
            return cast(EnumT, parser.parse_str_enum(cls.enum_type))


class MemScope(StrEnum):
    """The threads that observe a memory operation in order."""

    CTA = "cta"
    Cluster = "cluster"
    GPU = "gpu"
    Sys = "sys"


@irdl_attr_definition
class MemScopeAttr(BracketedEnum[MemScope]):
    """`#nvvm.mem_scope<cta>`"""

    name = "nvvm.mem_scope"
    enum_type: ClassVar[type[StrEnum]] = MemScope


class ProxyKind(StrEnum):
    """The proxy that a `fence.proxy` orders with the generic one."""

    Alias = "alias"
    Async = "async"
    AsyncGlobal = "async.global"
    AsyncShared = "async.shared"
    TensorMap = "tensormap"
    Generic = "generic"


@irdl_attr_definition
class ProxyKindAttr(BracketedEnum[ProxyKind]):
    """`#nvvm.proxy_kind<async.shared>`"""

    name = "nvvm.proxy_kind"
    enum_type: ClassVar[type[StrEnum]] = ProxyKind


class SharedSpace(StrEnum):
    """Shared memory of the block or of the cluster."""

    CTA = "cta"
    Cluster = "cluster"


@irdl_attr_definition
class SharedSpaceAttr(BracketedEnum[SharedSpace]):
    """`#nvvm.shared_space<cta>`"""

    name = "nvvm.shared_space"
    enum_type: ClassVar[type[StrEnum]] = SharedSpace


class MMALayout(StrEnum):
    """How an operand of an MMA lies in memory."""

    Row = "row"
    Col = "col"


@irdl_attr_definition
class MMALayoutAttr(BracketedEnum[MMALayout]):
    """`#nvvm.mma_layout<row>`"""

    name = "nvvm.mma_layout"
    enum_type: ClassVar[type[StrEnum]] = MMALayout


class MMAType(StrEnum):
    """The element types of `mma.sync` multiplicands."""

    F16 = "f16"
    BF16 = "bf16"
    TF32 = "tf32"
    F32 = "f32"
    F64 = "f64"
    S8 = "s8"
    U8 = "u8"
    S4 = "s4"
    U4 = "u4"
    B1 = "b1"
    S32 = "s32"


@irdl_attr_definition
class MMATypeAttr(BracketedEnum[MMAType]):
    """`#nvvm.mma_type<bf16>`"""

    name = "nvvm.mma_type"
    enum_type: ClassVar[type[StrEnum]] = MMAType


class MMAIntOverflow(StrEnum):
    """What an integer accumulator does on overflow."""

    Wrapped = "wrapped"
    Satfinite = "satfinite"


@irdl_attr_definition
class MMAIntOverflowAttr(BracketedEnum[MMAIntOverflow]):
    """`#nvvm.mma_int_overflow<satfinite>`"""

    name = "nvvm.mma_int_overflow"
    enum_type: ClassVar[type[StrEnum]] = MMAIntOverflow


class WgmmaType(StrEnum):
    """The element types of `wgmma`."""

    F16 = "f16"
    TF32 = "tf32"
    U8 = "u8"
    S8 = "s8"
    B1 = "b1"
    BF16 = "bf16"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    F32 = "f32"
    S32 = "s32"


@irdl_attr_definition
class WgmmaTypeAttr(BracketedEnum[WgmmaType]):
    """`#nvvm.wgmma_type<f16>`"""

    name = "nvvm.wgmma_type"
    enum_type: ClassVar[type[StrEnum]] = WgmmaType


class WgmmaScaleIn(StrEnum):
    """Whether `wgmma` negates an operand."""

    One = "one"
    Neg = "neg"


@irdl_attr_definition
class WgmmaScaleInAttr(BracketedEnum[WgmmaScaleIn]):
    """`#nvvm.wgmma_scale_in<one>`"""

    name = "nvvm.wgmma_scale_in"
    enum_type: ClassVar[type[StrEnum]] = WgmmaScaleIn


class WgmmaScaleOut(StrEnum):
    """Whether `wgmma` adds to the accumulator (`one`) or overwrites it (`zero`)."""

    Zero = "zero"
    One = "one"


@irdl_attr_definition
class WgmmaScaleOutAttr(BracketedEnum[WgmmaScaleOut]):
    """`#nvvm.wgmma_scale_out<one>`"""

    name = "nvvm.wgmma_scale_out"
    enum_type: ClassVar[type[StrEnum]] = WgmmaScaleOut


class TMALoadMode(StrEnum):
    """How a tensor load or prefetch addresses the tensor."""

    Tile = "tile"
    Im2Col = "im2col"
    Im2ColW = "im2col_w"
    Im2ColW128 = "im2col_w_128"
    TileGather4 = "tile_gather4"


@irdl_attr_definition
class TMALoadModeAttr(BracketedEnum[TMALoadMode]):
    """`#nvvm.tma_load_mode<tile>`"""

    name = "nvvm.tma_load_mode"
    enum_type: ClassVar[type[StrEnum]] = TMALoadMode


class TMAStoreMode(StrEnum):
    """How a tensor store or reduction addresses the tensor."""

    Tile = "tile"
    Im2Col = "im2col"
    TileScatter4 = "tile_scatter4"


@irdl_attr_definition
class TMAStoreModeAttr(BracketedEnum[TMAStoreMode]):
    """`#nvvm.tma_store_mode<tile>`"""

    name = "nvvm.tma_store_mode"
    enum_type: ClassVar[type[StrEnum]] = TMAStoreMode


class TMAReduxKind(StrEnum):
    """The operation of a tensor reduction."""

    Add = "add"
    Max = "max"
    Min = "min"
    Inc = "inc"
    Dec = "dec"
    And = "and"
    Or = "or"
    Xor = "xor"


@irdl_attr_definition
class TMAReduxKindAttr(BracketedEnum[TMAReduxKind]):
    """`#nvvm.tma_redux_kind<add>`"""

    name = "nvvm.tma_redux_kind"
    enum_type: ClassVar[type[StrEnum]] = TMAReduxKind


class CTAGroup(StrEnum):
    """The number of blocks that cooperate in one operation."""

    CTA1 = "cta_1"
    CTA2 = "cta_2"


@irdl_attr_definition
class CTAGroupAttr(BracketedEnum[CTAGroup]):
    """`#nvvm.cta_group<cta_1>`"""

    name = "nvvm.cta_group"
    enum_type: ClassVar[type[StrEnum]] = CTAGroup


class LdStMatrixEltType(StrEnum):
    """The element type of `ldmatrix` and `stmatrix`."""

    B16 = "b16"
    B8 = "b8"


@irdl_attr_definition
class LdStMatrixEltTypeAttr(BracketedEnum[LdStMatrixEltType]):
    """`#nvvm.ld_st_matrix_elt_type<b16>`"""

    name = "nvvm.ld_st_matrix_elt_type"
    enum_type: ClassVar[type[StrEnum]] = LdStMatrixEltType


class Reduction(StrEnum):
    """The reduction of a block barrier."""

    Popc = "popc"
    And = "and"
    Or = "or"


@irdl_attr_definition
class ReductionAttr(BracketedEnum[Reduction]):
    """`#nvvm.reduction<and>`"""

    name = "nvvm.reduction"
    enum_type: ClassVar[type[StrEnum]] = Reduction


class FPRoundMode(StrEnum):
    """The rounding of a conversion."""

    Default = "none"
    RN = "rn"
    RM = "rm"
    RP = "rp"
    RZ = "rz"
    RNA = "rna"
    RS = "rs"


@irdl_attr_definition
class FPRoundModeAttr(BracketedEnum[FPRoundMode]):
    """`#nvvm.fp_rnd_mode<rn>`"""

    name = "nvvm.fp_rnd_mode"
    enum_type: ClassVar[type[StrEnum]] = FPRoundMode


class SatMode(StrEnum):
    """The saturation of a conversion."""

    Off = "none"
    Satfinite = "satfinite"


@irdl_attr_definition
class SatModeAttr(BracketedEnum[SatMode]):
    """`#nvvm.sat_mode<none>`"""

    name = "nvvm.sat_mode"
    enum_type: ClassVar[type[StrEnum]] = SatMode


class LoadCacheModifier(StrEnum):
    """Where a load is cached: all levels, or only the second (`cg`)."""

    CA = "ca"
    CG = "cg"
    CS = "cs"
    LU = "lu"
    CV = "cv"


@irdl_attr_definition
class LoadCacheModifierAttr(
    EnumAttribute[LoadCacheModifier], SpacedOpaqueSyntaxAttribute
):
    """`#nvvm<load_cache_modifier cg>`"""

    name = "nvvm.load_cache_modifier"


class PrefetchCacheLevel(StrEnum):
    """The cache that a prefetch fills."""

    L1 = "L1"
    L2 = "L2"


@irdl_attr_definition
class PrefetchCacheLevelAttr(
    EnumAttribute[PrefetchCacheLevel], SpacedOpaqueSyntaxAttribute
):
    """`#nvvm<prefetch_cache_level L2>`"""

    name = "nvvm.prefetch_cache_level"


class ShflKind(StrEnum):
    """How a shuffle chooses the lane that it reads."""

    Bfly = "bfly"
    Up = "up"
    Down = "down"
    Idx = "idx"


@irdl_attr_definition
class ShflKindAttr(EnumAttribute[ShflKind], SpacedOpaqueSyntaxAttribute):
    """`#nvvm<shfl_kind idx>`"""

    name = "nvvm.shfl_kind"


class VoteSyncKind(StrEnum):
    """What a vote computes of the lanes' predicates."""

    Any = "any"
    All = "all"
    Ballot = "ballot"
    Uni = "uni"


@irdl_attr_definition
class VoteSyncKindAttr(EnumAttribute[VoteSyncKind], SpacedOpaqueSyntaxAttribute):
    """`#nvvm<vote_sync_kind ballot>`"""

    name = "nvvm.vote_sync_kind"


class MatchSyncKind(StrEnum):
    """Which lanes a match gives: those like each, or all if they are all alike."""

    Any = "any"
    All = "all"


@irdl_attr_definition
class MatchSyncKindAttr(EnumAttribute[MatchSyncKind], SpacedOpaqueSyntaxAttribute):
    """`#nvvm<match_sync_kind any>`"""

    name = "nvvm.match_sync_kind"


class ReduxKind(StrEnum):
    """The operation of a reduction over a warp."""

    Add = "add"
    And = "and"
    Max = "max"
    Min = "min"
    Or = "or"
    UMax = "umax"
    UMin = "umin"
    Xor = "xor"
    FMin = "fmin"
    FMax = "fmax"


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    """`#nvvm<redux_kind add>`"""

    name = "nvvm.redux_kind"


class SetMaxRegisterAction(StrEnum):
    """Whether a warpgroup takes registers or gives them back."""

    Increase = "increase"
    Decrease = "decrease"


@irdl_attr_definition
class SetMaxRegisterActionAttr(
    EnumAttribute[SetMaxRegisterAction], SpacedOpaqueSyntaxAttribute
):
    """`#nvvm<action increase>`"""

    name = "nvvm.action"


class GridDepAction(StrEnum):
    """The two halves of programmatic dependent launch."""

    Wait = "wait"
    LaunchDependents = "launch_dependents"


@irdl_attr_definition
class GridDepActionAttr(EnumAttribute[GridDepAction], SpacedOpaqueSyntaxAttribute):
    """`#nvvm<grid_dep_action wait>`"""

    name = "nvvm.grid_dep_action"


def _parse_extents(parser: AttrParser, names: Sequence[str]) -> Sequence[IntAttr]:
    """Parse `<m = 64, n = 8>` with the given names, in order."""
    extents: list[IntAttr] = []
    with parser.in_angle_brackets():
        for index, name in enumerate(names):
            if index:
                parser.parse_punctuation(",")
            parser.parse_keyword(name)
            parser.parse_punctuation("=")
            extents.append(IntAttr(parser.parse_integer(allow_boolean=False)))
    return extents


def _print_extents(printer: Printer, extents: Sequence[tuple[str, IntAttr]]) -> None:
    with printer.in_angle_brackets():
        printer.print_string(", ".join(f"{n} = {extent.data}" for n, extent in extents))


@irdl_attr_definition
class MMAShapeAttr(ParametrizedAttribute):
    """The extents of one MMA, `#nvvm.shape<m = 64, n = 8, k = 16>`."""

    name = "nvvm.shape"

    m: IntAttr
    n: IntAttr
    k: IntAttr

    def __init__(self, m: int, n: int, k: int):
        super().__init__(IntAttr(m), IntAttr(n), IntAttr(k))

    @property
    def extents(self) -> tuple[int, int, int]:
        """M, N and K as Python integers."""
        return self.m.data, self.n.data, self.k.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_extents(parser, ("m", "n", "k"))

    def print_parameters(self, printer: Printer) -> None:
        _print_extents(printer, (("m", self.m), ("n", self.n), ("k", self.k)))

    def __str__(self) -> str:
        return f"m{self.m.data}n{self.n.data}k{self.k.data}"


@irdl_attr_definition
class LdStMatrixShapeAttr(ParametrizedAttribute):
    """One matrix of `ldmatrix`, `#nvvm.ld_st_matrix_shape<m = 8, n = 8>`."""

    name = "nvvm.ld_st_matrix_shape"

    m: IntAttr
    n: IntAttr

    def __init__(self, m: int, n: int):
        super().__init__(IntAttr(m), IntAttr(n))

    @property
    def extents(self) -> tuple[int, int]:
        """M and N as Python integers."""
        return self.m.data, self.n.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_extents(parser, ("m", "n"))

    def print_parameters(self, printer: Printer) -> None:
        _print_extents(printer, (("m", self.m), ("n", self.n)))


_TARGET_STRINGS = ("triple", "chip", "features")


@irdl_attr_definition
class NVVMTargetAttr(ParametrizedAttribute):
    """What a `gpu.module` is compiled for, `#nvvm.target<chip = "sm_90a">`.

    An absent part has upstream's default.
    """

    name = "nvvm.target"

    level: IntAttr
    triple: StringAttr
    chip: StringAttr
    features: StringAttr

    def __init__(
        self,
        chip: str = "sm_50",
        features: str = "",
        *,
        level: int = 2,
        triple: str = "nvptx64-nvidia-cuda",
    ):
        super().__init__(
            IntAttr(level), StringAttr(triple), StringAttr(chip), StringAttr(features)
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        default = cls()
        parts: dict[str, Attribute] = {}

        def parse_part() -> None:
            start = parser.pos
            key = parser.parse_identifier()
            if key not in ("O", *_TARGET_STRINGS) or key in parts:
                parser.raise_error(
                    f"expected O, {', '.join(_TARGET_STRINGS)}, each once",
                    start,
                    parser.pos,
                )
            parser.parse_punctuation("=")
            if key == "O":
                parts[key] = IntAttr(parser.parse_integer(allow_boolean=False))
            else:
                parts[key] = StringAttr(parser.parse_str_literal())

        parser.parse_optional_comma_separated_list(parser.Delimiter.ANGLE, parse_part)
        return (
            parts.get("O", default.level),
            parts.get("triple", default.triple),
            parts.get("chip", default.chip),
            parts.get("features", default.features),
        )

    def print_parameters(self, printer: Printer) -> None:
        default = type(self)()
        parts: list[str] = []
        if self.level != default.level:
            parts.append(f"O = {self.level.data}")
        for key in _TARGET_STRINGS:
            value: StringAttr = getattr(self, key)
            if value != getattr(default, key):
                parts.append(f'{key} = "{value.data}"')
        if parts:
            with printer.in_angle_brackets():
                printer.print_string(", ".join(parts))
