"""
Special registers (PTX ISA 10) and exchange between the threads of a warp or the blocks
of a cluster (PTX ISA 9.7.9.6, 9.7.13).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B32_REGISTER,
    PREDICATE_REGISTER,
    Registers,
)
from croqtile_mlir.dialects.ptx.instruction import AssemblyOp, Version
from croqtile_mlir.dialects.ptx.memory import StateSpace, StateSpaceAttr
from croqtile_mlir.dialects.ptx.operands import (
    ImmediatesAttr,
    Register,
    RegisterOrImmediate,
    Source,
    Sources,
    immediate_text,
    pack_source,
    pack_sources,
    source_text,
    type_of,
    unpack_sources,
)
from croqtile_mlir.dialects.ptx.types import (
    B32,
    B64,
    PREDICATE,
    RegisterKind,
    register_type,
)
from croqtile_mlir.targets.architecture import Feature

_XYZ = ("x", "y", "z")
_CLUSTER = (
    "cluster_ctarank",
    "cluster_nctarank",
    *(
        f"{name}.{axis}"
        for name in ("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
        for axis in _XYZ
    ),
)
_WIDE = ("clock64", "globaltimer")
_VOLATILE = ("clock", "clock64", "globaltimer")
SPECIAL_REGISTERS = frozenset(
    {
        *(f"{name}.{a}" for name in ("tid", "ntid", "ctaid", "nctaid") for a in _XYZ),
        *_CLUSTER,
        *_VOLATILE,
        *(f"lanemask_{relation}" for relation in ("eq", "lt", "le", "gt", "ge")),
        "laneid",
        "warpid",
        "nwarpid",
        "smid",
        "nsmid",
        "gridid",
        "dynamic_smem_size",
        "total_smem_size",
    }
)
"""The special registers that can be read, without the percent sign."""


@irdl_op_definition
class SpecialRegisterOp(AssemblyOp):
    """
    The value of a special register.

    `%t = ptx.sreg "tid.x" : !ptx.reg<b32>` prints `mov.u32 %r1, %tid.x;`
    """

    name = "ptx.sreg"

    special = prop_def(StringAttr)
    result = result_def(Registers((RegisterKind.B32, RegisterKind.B64)))

    SYNTAX: ClassVar[str] = "$special attr-dict `:` type($result)"

    def __init__(self, special: str):
        super().__init__(
            result_types=[B64 if special in _WIDE else B32],
            properties={"special": StringAttr(special)},
        )

    def assembly_line(self) -> str | None:
        bits = type_of(self.result).kind.bits
        return f"mov.u{bits} {self.register(self.result)}, %{self.special.data};"

    def needs_version(self) -> Version:
        return (7, 8) if self.special.data in _CLUSTER else self.VERSION

    def verify_(self) -> None:
        special = self.special.data
        if special not in SPECIAL_REGISTERS:
            raise VerifyException(
                f"must be one of {', '.join(sorted(SPECIAL_REGISTERS))}, got {special}"
            )
        wanted = RegisterKind.B64 if special in _WIDE else RegisterKind.B32
        if type_of(self.result).kind is not wanted:
            raise VerifyException(f"result must be a {wanted}, got {self.result.type}")


SHUFFLES = ("idx", "up", "down", "bfly")


@irdl_op_definition
class ShflSyncOp(AssemblyOp):
    """
    The value of another lane: of lane `b` with `idx`. Sources are the lane, the clamp
    and the mask of the lanes that take part.

    `%b = ptx.shfl.sync "idx" %a, 0, 31, -1 : !ptx.reg<b32>` prints
    `shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;`
    """

    name = "ptx.shfl.sync"

    kind = prop_def(StringAttr)
    value = operand_def(Registers((RegisterKind.B32, RegisterKind.F32)))
    sources = var_operand_def(B32_REGISTER)
    immediates = opt_prop_def(ImmediatesAttr)
    result = result_def(Registers((RegisterKind.B32, RegisterKind.F32)))

    custom_directives = (Register, Sources)

    SYNTAX: ClassVar[str] = (
        "$kind custom<Register>($value, type($value)) `,` "
        "custom<Sources>($sources, type($sources), $immediates) "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self, kind: str, value: SSAValue, lane: Source, clamp: Source, mask: Source
    ):
        registers, immediates = pack_sources((lane, clamp, mask))
        super().__init__(
            operands=[value, registers],
            result_types=[register_type(type_of(value).kind)],
            properties={"kind": StringAttr(kind), "immediates": immediates},
        )

    def assembly_line(self) -> str | None:
        sources = ", ".join(
            immediate_text(source) if isinstance(source, int) else self.register(source)
            for source in unpack_sources(self.sources, self.immediates)
        )
        result, value = self.register(self.result), self.register(self.value)
        return f"shfl.sync.{self.kind.data}.b32 {result}, {value}, {sources};"

    def verify_(self) -> None:
        if self.kind.data not in SHUFFLES:
            raise VerifyException(
                f"kind must be one of {', '.join(SHUFFLES)}, got {self.kind.data}"
            )
        immediates = self.immediates
        count = len(self.sources) if immediates is None else len(immediates)
        if count != 3:
            raise VerifyException(f"sources must be lane, clamp and mask, got {count}")


VOTES = ("ballot", "any", "all", "uni")


@irdl_op_definition
class VoteSyncOp(AssemblyOp):
    """
    A predicate combined over the lanes in a mask; `ballot` gives one bit a lane.

    `%b = ptx.vote.sync "ballot" %p, -1 : !ptx.reg<b32>` prints
    `vote.sync.ballot.b32 %r1, %p1, -1;`
    """

    name = "ptx.vote.sync"

    kind = prop_def(StringAttr)
    predicate = operand_def(PREDICATE_REGISTER)
    mask = opt_operand_def(B32_REGISTER)
    mask_immediate = opt_prop_def(IntAttr)
    result = result_def(Registers((RegisterKind.B32, RegisterKind.Predicate)))

    custom_directives = (Register, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$kind custom<Register>($predicate, type($predicate)) `,` "
        "custom<RegisterOrImmediate>($mask, type($mask), $mask_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, kind: str, predicate: SSAValue, mask: Source):
        register, immediate = pack_source(mask)
        super().__init__(
            operands=[predicate, register],
            result_types=[B32 if kind == "ballot" else PREDICATE],
            properties={"kind": StringAttr(kind), "mask_immediate": immediate},
        )

    def assembly_line(self) -> str | None:
        type = "b32" if self.kind.data == "ballot" else "pred"
        result, predicate = self.register(self.result), self.register(self.predicate)
        mask = source_text(self, self.mask, self.mask_immediate)
        return f"vote.sync.{self.kind.data}.{type} {result}, {predicate}, {mask};"

    def verify_(self) -> None:
        if self.kind.data not in VOTES:
            raise VerifyException(
                f"kind must be one of {', '.join(VOTES)}, got {self.kind.data}"
            )
        ballot = self.kind.data == "ballot"
        wanted = RegisterKind.B32 if ballot else RegisterKind.Predicate
        if type_of(self.result).kind is not wanted:
            raise VerifyException(f"result must be a {wanted}, got {self.result.type}")


MATCHES = ("any", "all")


@irdl_op_definition
class MatchSyncOp(AssemblyOp):
    """
    The lanes in a mask that have the same value; with `all` also whether all have.

    `%b = ptx.match.sync "any" %a, -1 : !ptx.reg<b32>` prints
    `match.any.sync.b32 %r2, %r1, -1;`
    """

    name = "ptx.match.sync"

    kind = prop_def(StringAttr)
    value = operand_def(Registers((RegisterKind.B32, RegisterKind.B64)))
    mask = opt_operand_def(B32_REGISTER)
    mask_immediate = opt_prop_def(IntAttr)
    result = result_def(B32_REGISTER)
    same = opt_result_def(PREDICATE_REGISTER)

    custom_directives = (Register, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$kind custom<Register>($value, type($value)) `,` "
        "custom<RegisterOrImmediate>($mask, type($mask), $mask_immediate) "
        "attr-dict `:` type($result) (`,` type($same)^)?"
    )

    def __init__(self, kind: str, value: SSAValue, mask: Source):
        register, immediate = pack_source(mask)
        super().__init__(
            operands=[value, register],
            result_types=[B32, PREDICATE if kind == "all" else None],
            properties={"kind": StringAttr(kind), "mask_immediate": immediate},
        )

    def assembly_line(self) -> str | None:
        bits = type_of(self.value).kind.bits
        result, value = self.register(self.result), self.register(self.value)
        if self.same is not None:
            result += f"|{self.register(self.same)}"
        mask = source_text(self, self.mask, self.mask_immediate)
        return f"match.{self.kind.data}.sync.b{bits} {result}, {value}, {mask};"

    def verify_(self) -> None:
        kind = self.kind.data
        if kind not in MATCHES:
            raise VerifyException(
                f"kind must be one of {', '.join(MATCHES)}, got {kind}"
            )
        if (self.same is not None) != (kind == "all"):
            raise VerifyException(
                "must have a predicate exactly if it is all, got "
                f"{kind} with {len(self.results)} results"
            )


@irdl_op_definition
class ActiveMaskOp(AssemblyOp):
    """
    The lanes of the warp that execute it together.

    `%b = ptx.activemask : !ptx.reg<b32>` prints `activemask.b32 %r1;`
    """

    name = "ptx.activemask"

    result = result_def(B32_REGISTER)

    SYNTAX: ClassVar[str] = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[B32])

    def assembly_line(self) -> str | None:
        return f"activemask.b32 {self.register(self.result)};"


@irdl_op_definition
class ElectSyncOp(AssemblyOp):
    """
    True in one lane of a mask, the same one every time.

    `%p = ptx.elect.sync -1 : !ptx.pred` prints `elect.sync _|%p1, -1;`
    """

    name = "ptx.elect.sync"
    FEATURE: ClassVar[Feature | None] = "elect"
    VERSION: ClassVar[Version] = (8, 0)

    mask = opt_operand_def(B32_REGISTER)
    mask_immediate = opt_prop_def(IntAttr)
    result = result_def(PREDICATE_REGISTER)

    custom_directives = (RegisterOrImmediate,)

    SYNTAX: ClassVar[str] = (
        "custom<RegisterOrImmediate>($mask, type($mask), $mask_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, mask: Source):
        register, immediate = pack_source(mask)
        super().__init__(
            operands=[register],
            result_types=[PREDICATE],
            properties={"mask_immediate": immediate},
        )

    def assembly_line(self) -> str | None:
        mask = source_text(self, self.mask, self.mask_immediate)
        return f"elect.sync _|{self.register(self.result)}, {mask};"


REDUCTIONS = tuple(
    f"{kind}.{t}" for kind in ("add", "min", "max") for t in ("u32", "s32")
)
BIT_REDUCTIONS = ("and.b32", "or.b32", "xor.b32")


@irdl_op_definition
class ReduxSyncOp(AssemblyOp):
    """
    A value combined over the lanes in a mask.

    `%b = ptx.redux.sync "add.s32" %a, -1 : !ptx.reg<b32>` prints
    `redux.sync.add.s32 %r2, %r1, -1;`
    """

    name = "ptx.redux.sync"

    kind = prop_def(StringAttr)
    value = operand_def(B32_REGISTER)
    mask = opt_operand_def(B32_REGISTER)
    mask_immediate = opt_prop_def(IntAttr)
    result = result_def(B32_REGISTER)

    custom_directives = (Register, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$kind custom<Register>($value, type($value)) `,` "
        "custom<RegisterOrImmediate>($mask, type($mask), $mask_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, kind: str, value: SSAValue, mask: Source):
        register, immediate = pack_source(mask)
        super().__init__(
            operands=[value, register],
            result_types=[B32],
            properties={"kind": StringAttr(kind), "mask_immediate": immediate},
        )

    def assembly_line(self) -> str | None:
        result, value = self.register(self.result), self.register(self.value)
        mask = source_text(self, self.mask, self.mask_immediate)
        return f"redux.sync.{self.kind.data} {result}, {value}, {mask};"

    def verify_(self) -> None:
        allowed = REDUCTIONS + BIT_REDUCTIONS
        if self.kind.data not in allowed:
            raise VerifyException(
                f"kind must be one of {', '.join(allowed)}, got {self.kind.data}"
            )


@irdl_op_definition
class MapaOp(AssemblyOp):
    """
    The address that a shared variable has in another block of the cluster.

    `%b = ptx.mapa cluster %a, %rank : !ptx.reg<b32>` prints
    `mapa.shared::cluster.u32 %r2, %r1, %r3;`
    """

    name = "ptx.mapa"
    FEATURE: ClassVar[Feature | None] = "cluster"
    VERSION: ClassVar[Version] = (7, 8)

    space = prop_def(StateSpaceAttr)
    address = operand_def(ADDRESS_REGISTER)
    rank = opt_operand_def(B32_REGISTER)
    rank_immediate = opt_prop_def(IntAttr)
    result = result_def(ADDRESS_REGISTER)

    traits = traits_def(Pure())

    custom_directives = (Register, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        "$space custom<Register>($address, type($address)) `,` "
        "custom<RegisterOrImmediate>($rank, type($rank), $rank_immediate) "
        "attr-dict `:` type($result)"
    )

    def __init__(self, space: StateSpace, address: SSAValue, rank: Source):
        register, immediate = pack_source(rank)
        super().__init__(
            operands=[address, register],
            result_types=[register_type(type_of(address).kind)],
            properties={
                "space": StateSpaceAttr(space),
                "rank_immediate": immediate,
            },
        )

    def assembly_line(self) -> str | None:
        space = "" if self.space.data is StateSpace.Generic else ".shared::cluster"
        bits = type_of(self.address).kind.bits
        result, address = self.register(self.result), self.register(self.address)
        rank = source_text(self, self.rank, self.rank_immediate)
        return f"mapa{space}.u{bits} {result}, {address}, {rank};"

    def verify_(self) -> None:
        space = self.space.data
        if space not in (StateSpace.Generic, StateSpace.Cluster):
            raise VerifyException(
                f"space must be generic or cluster, got {space.value}"
            )
        if type_of(self.result).kind is not type_of(self.address).kind:
            raise VerifyException(
                f"result must be like the address, got {self.result.type}"
            )


OPS = (
    ActiveMaskOp,
    ElectSyncOp,
    MapaOp,
    MatchSyncOp,
    ReduxSyncOp,
    ShflSyncOp,
    SpecialRegisterOp,
    VoteSyncOp,
)
