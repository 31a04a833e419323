"""
Asynchronous copies: `cp.async`, bulk copies, and copies of boxes of tensors by the TMA
unit (PTX ISA 9.7.9.25 to 9.7.9.27).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B32_REGISTER,
)
from croqtile_mlir.dialects.ptx.instruction import (
    AssemblyOp,
    GuardedOp,
    Version,
    dotted,
)
from croqtile_mlir.dialects.ptx.memory import StateSpace, StateSpaceAttr
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    MemoryOperand,
    RegisterOrImmediate,
    Source,
    address_text,
    pack_offset,
    pack_source,
    source_text,
)
from croqtile_mlir.targets.architecture import Feature

_GUARD = "custom<Guard>($guard, type($guard), $negated) "
_DESTINATION = (
    "custom<MemoryOperand>($destination, type($destination), $destination_offset) "
)
_SOURCE = "custom<MemoryOperand>($source, type($source), $source_offset) "
_MBARRIER = "custom<MemoryOperand>($mbarrier, type($mbarrier), $mbarrier_offset) "
_TENSOR = (
    "custom<MemoryOperand>($tensor_map, type($tensor_map), $tensor_map_offset) "
    "`box` `(` custom<Sources>($coordinates, type($coordinates), "
    "$coordinate_immediates) `)` "
)
_SIZE = "custom<RegisterOrImmediate>($size, type($size), $size_immediate) "
_MULTICAST = "(`multicast` custom<OptionalRegister>($multicast, type($multicast))^)? "
_HINT = "(`hint` custom<OptionalRegister>($hint, type($hint))^)? "


@irdl_op_definition
class CpAsyncOp(GuardedOp):
    """
    4, 8 or 16 bytes from global to shared memory; of `size` less than that the rest
    becomes zero.

    `ptx.cp.async "cg" 16 [%d], [%s], 16` prints
    `cp.async.cg.shared.global [%r1], [%rd1], 16;`
    """

    name = "ptx.cp.async"
    FEATURE: ClassVar[Feature | None] = "cp_async"

    cache = prop_def(StringAttr)
    bytes = prop_def(IntegerAttr.constr(type=i32))
    destination = operand_def(ADDRESS_REGISTER)
    destination_offset = opt_prop_def(IntAttr)
    source = operand_def(ADDRESS_REGISTER)
    source_offset = opt_prop_def(IntAttr)
    size = opt_operand_def(B32_REGISTER)
    size_immediate = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} $cache $bytes {_DESTINATION} `,` {_SOURCE} `,` {_SIZE} attr-dict"
    )

    def __init__(
        self,
        cache: str,
        count: int,
        destination: Address,
        source: Address,
        size: Source | None = None,
    ):
        register, immediate = pack_source(count if size is None else size)
        super().__init__(
            operands=[destination.base, source.base, register, None],
            properties={
                "cache": StringAttr(cache),
                "bytes": IntegerAttr(count, i32),
                "destination_offset": pack_offset(destination),
                "source_offset": pack_offset(source),
                "size_immediate": immediate,
            },
        )

    def instruction(self) -> str:
        destination = address_text(self, self.destination, self.destination_offset)
        source = address_text(self, self.source, self.source_offset)
        count = self.bytes.value.data
        text = f"cp.async.{self.cache.data}.shared.global {destination}, {source}"
        if self.size_immediate is not None and self.size_immediate.data == count:
            return f"{text}, {count}"
        size = source_text(self, self.size, self.size_immediate)
        return f"{text}, {count}, {size}"

    def verify_(self) -> None:
        super().verify_()
        cache, count = self.cache.data, self.bytes.value.data
        if cache not in ("ca", "cg"):
            raise VerifyException(f"cache must be ca or cg, got {cache}")
        if count not in ((16,) if cache == "cg" else (4, 8, 16)):
            allowed = "16" if cache == "cg" else "4, 8 or 16"
            raise VerifyException(f"bytes must be {allowed} for {cache}, got {count}")


class _GroupOp(AssemblyOp):
    """An instruction about a thread's groups of asynchronous copies."""

    SYNTAX: ClassVar[str] = "attr-dict"

    def __init__(self):
        super().__init__()

    def assembly_line(self) -> str | None:
        return f"{self.name.removeprefix('ptx.')};"


class _WaitGroupOp(AssemblyOp):
    """A wait until at most so many of the thread's latest groups are pending."""

    pending = prop_def(IntegerAttr.constr(type=i32))

    SYNTAX: ClassVar[str] = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i32)})

    def assembly_line(self) -> str | None:
        return f"{self.name.removeprefix('ptx.')} {self.pending.value.data};"

    def verify_(self) -> None:
        if self.pending.value.data < 0:
            raise VerifyException(
                f"pending must not be negative, got {self.pending.value.data}"
            )


@irdl_op_definition
class CpAsyncCommitGroupOp(_GroupOp):
    """
    The thread's `cp.async` copies so far become a group.

    `ptx.cp.async.commit_group` prints `cp.async.commit_group;`
    """

    name = "ptx.cp.async.commit_group"
    FEATURE: ClassVar[Feature | None] = "cp_async"


@irdl_op_definition
class CpAsyncWaitGroupOp(_WaitGroupOp):
    """
    Wait until at most so many of the latest groups are pending.

    `ptx.cp.async.wait_group 2` prints `cp.async.wait_group 2;`
    """

    name = "ptx.cp.async.wait_group"
    FEATURE: ClassVar[Feature | None] = "cp_async"


@irdl_op_definition
class CpAsyncMbarrierArriveOp(GuardedOp):
    """
    An arrival once the thread's `cp.async` copies so far are done.

    `ptx.cp.async.mbarrier.arrive noinc shared [%a]` prints
    `cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];`
    """

    name = "ptx.cp.async.mbarrier.arrive"
    FEATURE: ClassVar[Feature | None] = "cp_async"

    noinc = opt_prop_def(UnitAttr)
    space = prop_def(StateSpaceAttr)
    mbarrier = operand_def(ADDRESS_REGISTER)
    mbarrier_offset = opt_prop_def(IntAttr)

    custom_directives = (Guard, MemoryOperand)

    SYNTAX: ClassVar[str] = f"{_GUARD} (`noinc` $noinc^)? $space {_MBARRIER} attr-dict"

    def __init__(self, space: StateSpace, mbarrier: Address, *, noinc: bool = False):
        super().__init__(
            operands=[mbarrier.base, None],
            properties={
                "noinc": UnitAttr() if noinc else None,
                "space": StateSpaceAttr(space),
                "mbarrier_offset": pack_offset(mbarrier),
            },
        )

    def instruction(self) -> str:
        opcode = dotted(
            "cp.async.mbarrier.arrive",
            "noinc" if self.noinc else None,
            self.space.data.text,
            "b64",
        )
        return f"{opcode} {address_text(self, self.mbarrier, self.mbarrier_offset)}"


@irdl_op_definition
class BulkCommitGroupOp(_GroupOp):
    """
    The thread's bulk stores so far become a group.

    `ptx.cp.async.bulk.commit_group` prints `cp.async.bulk.commit_group;`
    """

    name = "ptx.cp.async.bulk.commit_group"
    FEATURE: ClassVar[Feature | None] = "tma"
    VERSION: ClassVar[Version] = (8, 0)


@irdl_op_definition
class BulkWaitGroupOp(_WaitGroupOp):
    """
    Wait until at most so many of the latest bulk groups are pending.

    `ptx.cp.async.bulk.wait_group 0` prints `cp.async.bulk.wait_group 0;`
    """

    name = "ptx.cp.async.bulk.wait_group"
    FEATURE: ClassVar[Feature | None] = "tma"
    VERSION: ClassVar[Version] = (8, 0)


@irdl_op_definition
class BulkWaitGroupReadOp(_WaitGroupOp):
    """
    Wait until the sources of all but so many of the latest bulk groups may be reused.

    `ptx.cp.async.bulk.wait_group.read 0` prints `cp.async.bulk.wait_group.read 0;`
    """

    name = "ptx.cp.async.bulk.wait_group.read"
    FEATURE: ClassVar[Feature | None] = "tma"
    VERSION: ClassVar[Version] = (8, 0)


OPS = (
    BulkCommitGroupOp,
    BulkWaitGroupOp,
    BulkWaitGroupReadOp,
    CpAsyncCommitGroupOp,
    CpAsyncMbarrierArriveOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
)
