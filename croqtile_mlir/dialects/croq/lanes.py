"""What the lanes of a warp exchange: shuffles, votes, matches, reductions."""

from __future__ import annotations

from enum import auto

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    IndexType,
    IntegerType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.dialects.croq.structure import KernelOp, ParallelOp
from croqtile_mlir.dialects.croq.types import Level


class ShuffleKind(StrEnum):
    """The lane that a lane reads."""

    Idx = auto()
    """The one of that number."""

    Up = auto()
    """The one so many before; the first ones read themselves."""

    Down = auto()
    """The one so many after; the last ones read themselves."""

    Xor = auto()
    """The one whose number differs in these bits."""


class VoteKind(StrEnum):
    """What is told of a predicate over lanes."""

    Any = auto()
    All = auto()
    Uni = auto()
    """Whether all have the same."""

    Ballot = auto()
    """A bit for each lane."""


class MatchKind(StrEnum):
    """Which lanes are told to have the same value."""

    Any = auto()
    """To each lane those that have what it has."""

    All = auto()
    """All of them, where all have the same, else none."""


class LaneReduction(StrEnum):
    """How the values of lanes are combined."""

    Add = auto()
    Min = auto()
    Max = auto()
    UMin = auto()
    UMax = auto()
    And = auto()
    Or = auto()
    Xor = auto()


@irdl_attr_definition
class ShuffleKindAttr(EnumAttribute[ShuffleKind], SpacedOpaqueSyntaxAttribute):
    """The kind of a shuffle, written `#croq<shuffle_kind xor>`."""

    name = "croq.shuffle_kind"


@irdl_attr_definition
class VoteKindAttr(EnumAttribute[VoteKind], SpacedOpaqueSyntaxAttribute):
    """The kind of a vote, written `#croq<vote_kind any>`."""

    name = "croq.vote_kind"


@irdl_attr_definition
class MatchKindAttr(EnumAttribute[MatchKind], SpacedOpaqueSyntaxAttribute):
    """The kind of a match, written `#croq<match_kind any>`."""

    name = "croq.match_kind"


@irdl_attr_definition
class LaneReductionAttr(EnumAttribute[LaneReduction], SpacedOpaqueSyntaxAttribute):
    """The kind of a reduction of lanes, written `#croq<lane_reduction add>`."""

    name = "croq.lane_reduction"


def verify_in_threads(op: Operation) -> None:
    """Check that single threads execute an op, if it is in a kernel."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, ParallelOp) and parent.level.data is Level.Thread:
            return
        if isinstance(parent, KernelOp):
            raise VerifyException("must be inside croq.parallel of level thread")
        parent = parent.parent_op()


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """
    The value of another lane of the warp.

    `offset` is the lane (`idx`), a distance (`up`, `down`) or bits (`xor`). All lanes
    of the mask, without one all of the warp, execute it together, and read each other.

    ```mlir
    %y = croq.shuffle xor %x by %distance : f32
    %z = croq.shuffle idx %x by %lane mask %lanes : i64
    ```
    """

    name = "croq.shuffle"

    kind = prop_def(ShuffleKindAttr)
    value = operand_def()
    offset = operand_def(i32)
    mask = opt_operand_def(i32)
    result = result_def()

    assembly_format = (
        "$kind $value `by` $offset (`mask` $mask^)? attr-dict `:` type($value)"
        " `->` type($result)"
    )

    def __init__(
        self,
        kind: ShuffleKind,
        value: SSAValue,
        offset: SSAValue,
        mask: SSAValue | None = None,
    ):
        super().__init__(
            operands=[value, offset, mask],
            result_types=[value.type],
            properties={"kind": ShuffleKindAttr(kind)},
        )

    def verify_(self) -> None:
        match self.value.type:
            case Float16Type() | BFloat16Type() | Float32Type():
                pass
            case IntegerType(width=width) if width.data in (32, 64):
                pass
            case type_:
                raise VerifyException(
                    f"value must be i32, i64, f32, f16 or bf16, got {type_}"
                )
        if self.result.type != self.value.type:
            raise VerifyException(
                f"result must be {self.value.type}, got {self.result.type}"
            )
        verify_in_threads(self)


@irdl_op_definition
class VoteOp(IRDLOperation):
    """
    What a predicate is over the lanes of the mask, without one of the warp.

    ```mlir
    %some = croq.vote any %p -> i1
    %bits = croq.vote ballot %p mask %lanes -> i32
    ```
    """

    name = "croq.vote"

    kind = prop_def(VoteKindAttr)
    predicate = operand_def(i1)
    mask = opt_operand_def(i32)
    result = result_def()

    assembly_format = "$kind $predicate (`mask` $mask^)? attr-dict `->` type($result)"

    def __init__(
        self, kind: VoteKind, predicate: SSAValue, mask: SSAValue | None = None
    ):
        super().__init__(
            operands=[predicate, mask],
            result_types=[i32 if kind is VoteKind.Ballot else i1],
            properties={"kind": VoteKindAttr(kind)},
        )

    def verify_(self) -> None:
        kind = self.kind.data
        wanted = i32 if kind is VoteKind.Ballot else i1
        if self.result.type != wanted:
            raise VerifyException(
                f"result must be {wanted} for {kind.value}, got {self.result.type}"
            )
        verify_in_threads(self)


@irdl_op_definition
class MatchOp(IRDLOperation):
    """
    Which lanes of the mask, without one of the warp, have the same value: a bit for
    each lane.

    With `any`, each lane gets those that have what it has. With `all`, every lane gets
    the lanes of the mask where they all have the same, else 0; and whether they have.

    ```mlir
    %peers = croq.match any %v : i32 -> i32
    %lanes, %same = croq.match all %v mask %some : i64 -> i32, i1
    ```
    """

    name = "croq.match"

    kind = prop_def(MatchKindAttr)
    value = operand_def()
    mask = opt_operand_def(i32)
    lanes = result_def(i32)
    same = opt_result_def(i1)

    assembly_format = (
        "$kind $value (`mask` $mask^)? attr-dict `:` type($value) `->` type($lanes)"
        " (`,` type($same)^)?"
    )

    def __init__(self, kind: MatchKind, value: SSAValue, mask: SSAValue | None = None):
        super().__init__(
            operands=[value, mask],
            result_types=[i32, i1 if kind is MatchKind.All else None],
            properties={"kind": MatchKindAttr(kind)},
        )

    def verify_(self) -> None:
        if self.value.type not in (i32, i64):
            raise VerifyException(f"value must be i32 or i64, got {self.value.type}")
        kind = self.kind.data
        if (self.same is not None) != (kind is MatchKind.All):
            raise VerifyException(
                "must tell whether all have the same exactly if it is all, got "
                f"{kind.value} with {len(self.results)} results"
            )
        verify_in_threads(self)


@irdl_op_definition
class ActiveMaskOp(IRDLOperation):
    """
    The lanes of the warp that execute it together with this one, a bit for each.

    Where lanes have parted, the hardware may let those that could come together come
    one after the other: it is no substitute for a mask that is known.

    ```mlir
    %lanes = croq.active_mask
    ```
    """

    name = "croq.active_mask"

    result = result_def(i32)

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[i32])

    def verify_(self) -> None:
        verify_in_threads(self)


@irdl_op_definition
class ReduxOp(IRDLOperation):
    """
    An integer combined over the lanes of the mask, without one of the warp; every lane
    gets the result.

    ```mlir
    %sum = croq.redux add %v
    %least = croq.redux umin %v mask %lanes
    ```
    """

    name = "croq.redux"

    kind = prop_def(LaneReductionAttr)
    value = operand_def(i32)
    mask = opt_operand_def(i32)
    result = result_def(i32)

    assembly_format = "$kind $value (`mask` $mask^)? attr-dict"

    def __init__(
        self, kind: LaneReduction, value: SSAValue, mask: SSAValue | None = None
    ):
        super().__init__(
            operands=[value, mask],
            result_types=[i32],
            properties={"kind": LaneReductionAttr(kind)},
        )

    def verify_(self) -> None:
        verify_in_threads(self)


@irdl_op_definition
class ElectLaneOp(IRDLOperation):
    """
    True in one lane of the mask, without one of the warp, the same one every time.

    ```mlir
    %leads = croq.elect_lane mask %lanes
    ```
    """

    name = "croq.elect_lane"

    mask = opt_operand_def(i32)
    result = result_def(i1)

    assembly_format = "(`mask` $mask^)? attr-dict"

    def __init__(self, mask: SSAValue | None = None):
        super().__init__(operands=[mask], result_types=[i1])

    def verify_(self) -> None:
        verify_in_threads(self)


@irdl_op_definition
class WarpBarrierOp(IRDLOperation):
    """
    The lanes of the mask, without one all of the warp, meet; what they did to memory
    before is visible to them after.

    ```mlir
    croq.warp_barrier
    ```
    """

    name = "croq.warp_barrier"

    mask = opt_operand_def(i32)

    assembly_format = "(`mask` $mask^)? attr-dict"

    def __init__(self, mask: SSAValue | None = None):
        super().__init__(operands=[mask])

    def verify_(self) -> None:
        verify_in_threads(self)


@irdl_op_definition
class WarpgroupBarrierOp(IRDLOperation):
    """
    The 128 threads of each warpgroup that executes it meet; what they did to memory
    before is visible to them after.

    The warpgroups are those of the block: threads 0 to 127, 128 to 255, and so on.

    ```mlir
    croq.warpgroup_barrier
    ```
    """

    name = "croq.warpgroup_barrier"

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()

    def verify_(self) -> None:
        verify_in_threads(self)


@irdl_op_definition
class LaneIdOp(IRDLOperation):
    """
    The number of the thread in its warp, from 0 to 31.

    ```mlir
    %lane = croq.lane_id
    ```
    """

    name = "croq.lane_id"

    result = result_def(IndexType())

    # Not pure, as croq.thread_id.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class WarpIdOp(IRDLOperation):
    """
    The number of the warp in the executing scope (the role, else the block).

    ```mlir
    %warp = croq.warp_id
    ```
    """

    name = "croq.warp_id"

    result = result_def(IndexType())

    # Not pure, as croq.thread_id.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


LaneOp = ShuffleOp | VoteOp | MatchOp | ReduxOp | ElectLaneOp | WarpBarrierOp
"""The ops that lanes of a mask execute together."""

LANE_OPS = (ShuffleOp, VoteOp, MatchOp, ReduxOp, ElectLaneOp, WarpBarrierOp)
