"""
Bulk copies: of bytes, and of boxes of tensors by the TMA unit (PTX ISA 9.7.9.25.4,
9.7.9.27).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.constraints import (
    ADDRESS_REGISTER,
    B16_REGISTER,
    B32_REGISTER,
    B64_REGISTER,
)
from croqtile_mlir.dialects.ptx.instruction import (
    GuardedOp,
    Version,
    dotted,
)
from croqtile_mlir.dialects.ptx.memory import StateSpace, StateSpaceAttr
from croqtile_mlir.dialects.ptx.operands import (
    Address,
    Guard,
    ImmediatesAttr,
    MemoryOperand,
    OptionalRegister,
    RegisterOrImmediate,
    Source,
    Sources,
    address_text,
    immediate_text,
    pack_offset,
    pack_source,
    pack_sources,
    source_text,
    unpack_sources,
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


class _BulkOp(GuardedOp):
    """A copy of many bytes that one thread starts."""

    FEATURE: ClassVar[Feature | None] = "tma"
    VERSION: ClassVar[Version] = (8, 0)

    hint = opt_operand_def(B64_REGISTER)

    def cache_hint(self) -> tuple[str | None, str]:
        """The qualifier and the operand of a cache policy, if there is one."""
        if self.hint is None:
            return None, ""
        return "L2::cache_hint", f", {self.register(self.hint)}"


class _TensorOp(_BulkOp):
    """A copy of a box of a tensor; coordinates are in elements, innermost first."""

    tensor_map = operand_def(B64_REGISTER)
    tensor_map_offset = opt_prop_def(IntAttr)
    coordinates = var_operand_def(B32_REGISTER)
    coordinate_immediates = opt_prop_def(ImmediatesAttr)

    @property
    def rank(self) -> int:
        """Number of dimensions of the tensor."""
        if self.coordinate_immediates is not None:
            return len(self.coordinate_immediates)
        return len(self.coordinates)

    def tensor_text(self) -> str:
        """The tensor operand in PTX, `[%rd1, {%r1, 64}]`."""
        place = address_text(self, self.tensor_map, self.tensor_map_offset)
        items = unpack_sources(self.coordinates, self.coordinate_immediates)
        coordinates = ", ".join(
            immediate_text(item) if isinstance(item, int) else self.register(item)
            for item in items
        )
        return f"{place[:-1]}, {{{coordinates}}}]"

    def verify_(self) -> None:
        super().verify_()
        if not 1 <= self.rank <= 5:
            raise VerifyException(f"coordinates must be 1 to 5, got {self.rank}")


@irdl_op_definition
class BulkTensorLoadOp(_TensorOp):
    """
    A box of a tensor to shared memory; the bytes count on an mbarrier. With a multicast
    mask it goes to the same offset in several blocks of the cluster.

    `ptx.cp.async.bulk.tensor.load cluster [%d], [%m] box(%x, %y), [%b]` prints
    `cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1],
    [%rd1, {%r2, %r3}], [%r4];`
    """

    name = "ptx.cp.async.bulk.tensor.load"

    space = prop_def(StateSpaceAttr)
    destination = operand_def(ADDRESS_REGISTER)
    destination_offset = opt_prop_def(IntAttr)
    mbarrier = operand_def(ADDRESS_REGISTER)
    mbarrier_offset = opt_prop_def(IntAttr)
    multicast = opt_operand_def(B16_REGISTER)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, Sources, OptionalRegister)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} $space {_DESTINATION} `,` {_TENSOR} `,` {_MBARRIER} "
        f"{_MULTICAST} {_HINT} attr-dict"
    )

    def __init__(
        self,
        space: StateSpace,
        destination: Address,
        tensor_map: Address,
        coordinates: Sequence[Source],
        mbarrier: Address,
        *,
        multicast: SSAValue | None = None,
        hint: SSAValue | None = None,
    ):
        registers, immediates = pack_sources(coordinates)
        super().__init__(
            operands=[
                destination.base,
                mbarrier.base,
                multicast,
                tensor_map.base,
                registers,
                hint,
                None,
            ],
            properties={
                "space": StateSpaceAttr(space),
                "destination_offset": pack_offset(destination),
                "tensor_map_offset": pack_offset(tensor_map),
                "coordinate_immediates": immediates,
                "mbarrier_offset": pack_offset(mbarrier),
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        space = "cluster" if self.space.data is StateSpace.Cluster else "cta"
        opcode = dotted(
            f"cp.async.bulk.tensor.{self.rank}d.shared::{space}.global",
            "mbarrier::complete_tx::bytes",
            "multicast::cluster" if self.multicast is not None else None,
            hint,
        )
        destination = address_text(self, self.destination, self.destination_offset)
        mbarrier = address_text(self, self.mbarrier, self.mbarrier_offset)
        mask = f", {self.register(self.multicast)}" if self.multicast else ""
        operands = f"{destination}, {self.tensor_text()}, {mbarrier}"
        return f"{opcode} {operands}{mask}{hint_operand}"

    def needs_version(self) -> Version:
        return (8, 0) if self.space.data is StateSpace.Cluster else (8, 6)

    def verify_(self) -> None:
        super().verify_()
        space = self.space.data
        if space not in (StateSpace.Shared, StateSpace.Cluster):
            raise VerifyException(f"space must be shared or cluster, got {space.value}")
        if self.multicast is not None and space is not StateSpace.Cluster:
            raise VerifyException(f"multicast must be to cluster, got {space.value}")


class _TensorWriteOp(_TensorOp):
    """A box from shared memory to a tensor, in the thread's current bulk group."""

    source = operand_def(ADDRESS_REGISTER)
    source_offset = opt_prop_def(IntAttr)


@irdl_op_definition
class BulkTensorStoreOp(_TensorWriteOp):
    """
    A box from shared memory to a tensor.

    `ptx.cp.async.bulk.tensor.store [%m] box(%x, %y), [%s]` prints
    `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];`
    """

    name = "ptx.cp.async.bulk.tensor.store"

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, Sources, OptionalRegister)

    SYNTAX: ClassVar[str] = f"{_GUARD} {_TENSOR} `,` {_SOURCE} {_HINT} attr-dict"

    def __init__(
        self,
        tensor_map: Address,
        coordinates: Sequence[Source],
        source: Address,
        *,
        hint: SSAValue | None = None,
    ):
        registers, immediates = pack_sources(coordinates)
        super().__init__(
            operands=[source.base, tensor_map.base, registers, hint, None],
            properties={
                "tensor_map_offset": pack_offset(tensor_map),
                "coordinate_immediates": immediates,
                "source_offset": pack_offset(source),
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        opcode = dotted(
            f"cp.async.bulk.tensor.{self.rank}d.global.shared::cta.bulk_group", hint
        )
        source = address_text(self, self.source, self.source_offset)
        return f"{opcode} {self.tensor_text()}, {source}{hint_operand}"


REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


@irdl_op_definition
class BulkTensorReduceOp(_TensorWriteOp):
    """
    A box from shared memory combined with a box of a tensor.

    `ptx.cp.reduce.async.bulk.tensor "add" [%m] box(%x, %y), [%s]` prints
    `cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1,
    {%r1, %r2}], [%r3];`
    """

    name = "ptx.cp.reduce.async.bulk.tensor"

    operation = prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, Sources, OptionalRegister)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} $operation {_TENSOR} `,` {_SOURCE} {_HINT} attr-dict"
    )

    def __init__(
        self,
        operation: str,
        tensor_map: Address,
        coordinates: Sequence[Source],
        source: Address,
        *,
        hint: SSAValue | None = None,
    ):
        registers, immediates = pack_sources(coordinates)
        super().__init__(
            operands=[source.base, tensor_map.base, registers, hint, None],
            properties={
                "operation": StringAttr(operation),
                "tensor_map_offset": pack_offset(tensor_map),
                "coordinate_immediates": immediates,
                "source_offset": pack_offset(source),
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        opcode = dotted(
            f"cp.reduce.async.bulk.tensor.{self.rank}d.global.shared::cta",
            self.operation.data,
            "tile.bulk_group",
            hint,
        )
        source = address_text(self, self.source, self.source_offset)
        return f"{opcode} {self.tensor_text()}, {source}{hint_operand}"

    def verify_(self) -> None:
        super().verify_()
        if self.operation.data not in REDUCTIONS:
            raise VerifyException(
                f"operation must be one of {', '.join(REDUCTIONS)}, "
                f"got {self.operation.data}"
            )


@irdl_op_definition
class BulkTensorPrefetchOp(_TensorOp):
    """
    A box of a tensor into the second-level cache.

    `ptx.cp.async.bulk.prefetch.tensor [%m] box(%x, %y)` prints
    `cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}];`
    """

    name = "ptx.cp.async.bulk.prefetch.tensor"

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, Sources, OptionalRegister)

    SYNTAX: ClassVar[str] = f"{_GUARD} {_TENSOR} {_HINT} attr-dict"

    def __init__(
        self,
        tensor_map: Address,
        coordinates: Sequence[Source],
        *,
        hint: SSAValue | None = None,
    ):
        registers, immediates = pack_sources(coordinates)
        super().__init__(
            operands=[tensor_map.base, registers, hint, None],
            properties={
                "tensor_map_offset": pack_offset(tensor_map),
                "coordinate_immediates": immediates,
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        opcode = dotted(f"cp.async.bulk.prefetch.tensor.{self.rank}d.L2.global", hint)
        return f"{opcode} {self.tensor_text()}{hint_operand}"


class _BulkCopyOp(_BulkOp):
    """A copy of so many bytes, a multiple of 16."""

    destination = operand_def(ADDRESS_REGISTER)
    destination_offset = opt_prop_def(IntAttr)
    source = operand_def(ADDRESS_REGISTER)
    source_offset = opt_prop_def(IntAttr)
    size = opt_operand_def(B32_REGISTER)
    size_immediate = opt_prop_def(IntAttr)

    def places(self) -> str:
        """Destination, source and size in PTX."""
        destination = address_text(self, self.destination, self.destination_offset)
        source = address_text(self, self.source, self.source_offset)
        size = source_text(self, self.size, self.size_immediate)
        return f"{destination}, {source}, {size}"

    def verify_(self) -> None:
        super().verify_()
        size = self.size_immediate
        if size is not None and (size.data <= 0 or size.data % 16):
            raise VerifyException(f"size must be a multiple of 16, got {size.data}")


@irdl_op_definition
class BulkLoadOp(_BulkCopyOp):
    """
    Bytes from global to shared memory; they count on an mbarrier.

    `ptx.cp.async.bulk.load cluster [%d], [%s], 4096, [%b]` prints
    `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1],
    4096, [%r2];`
    """

    name = "ptx.cp.async.bulk.load"

    space = prop_def(StateSpaceAttr)
    mbarrier = operand_def(ADDRESS_REGISTER)
    mbarrier_offset = opt_prop_def(IntAttr)
    multicast = opt_operand_def(B16_REGISTER)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate, OptionalRegister)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} $space {_DESTINATION} `,` {_SOURCE} `,` {_SIZE} `,` {_MBARRIER} "
        f"{_MULTICAST} {_HINT} attr-dict"
    )

    def __init__(
        self,
        space: StateSpace,
        destination: Address,
        source: Address,
        size: Source,
        mbarrier: Address,
        *,
        multicast: SSAValue | None = None,
        hint: SSAValue | None = None,
    ):
        register, immediate = pack_source(size)
        super().__init__(
            operands=[
                mbarrier.base,
                multicast,
                destination.base,
                source.base,
                register,
                hint,
                None,
            ],
            properties={
                "space": StateSpaceAttr(space),
                "destination_offset": pack_offset(destination),
                "source_offset": pack_offset(source),
                "size_immediate": immediate,
                "mbarrier_offset": pack_offset(mbarrier),
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        space = "cluster" if self.space.data is StateSpace.Cluster else "cta"
        opcode = dotted(
            f"cp.async.bulk.shared::{space}.global.mbarrier::complete_tx::bytes",
            "multicast::cluster" if self.multicast is not None else None,
            hint,
        )
        mbarrier = address_text(self, self.mbarrier, self.mbarrier_offset)
        mask = f", {self.register(self.multicast)}" if self.multicast else ""
        return f"{opcode} {self.places()}, {mbarrier}{mask}{hint_operand}"

    def needs_version(self) -> Version:
        return (8, 0) if self.space.data is StateSpace.Cluster else (8, 6)


@irdl_op_definition
class BulkRemoteStoreOp(_BulkCopyOp):
    """
    Bytes from shared memory to that of another block of the cluster; they count on an
    mbarrier there.

    `ptx.cp.async.bulk.remote_store [%d], [%s], 4096, [%b]` prints
    `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1],
    [%r2], 4096, [%r3];`
    """

    name = "ptx.cp.async.bulk.remote_store"

    mbarrier = operand_def(ADDRESS_REGISTER)
    mbarrier_offset = opt_prop_def(IntAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate, OptionalRegister)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} {_DESTINATION} `,` {_SOURCE} `,` {_SIZE} `,` {_MBARRIER} {_HINT} "
        "attr-dict"
    )

    def __init__(
        self, destination: Address, source: Address, size: Source, mbarrier: Address
    ):
        register, immediate = pack_source(size)
        super().__init__(
            operands=[
                mbarrier.base,
                destination.base,
                source.base,
                register,
                None,
                None,
            ],
            properties={
                "destination_offset": pack_offset(destination),
                "source_offset": pack_offset(source),
                "size_immediate": immediate,
                "mbarrier_offset": pack_offset(mbarrier),
            },
        )

    def instruction(self) -> str:
        opcode = (
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        )
        mbarrier = address_text(self, self.mbarrier, self.mbarrier_offset)
        return f"{opcode} {self.places()}, {mbarrier}"

    def verify_(self) -> None:
        super().verify_()
        if self.hint is not None:
            raise VerifyException("must not have a hint within a cluster, got one")


@irdl_op_definition
class BulkStoreOp(_BulkCopyOp):
    """
    Bytes from shared to global memory, in the thread's current bulk group.

    `ptx.cp.async.bulk.store [%d], [%s], 4096` prints
    `cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 4096;`
    """

    name = "ptx.cp.async.bulk.store"

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Guard, MemoryOperand, RegisterOrImmediate, OptionalRegister)

    SYNTAX: ClassVar[str] = (
        f"{_GUARD} {_DESTINATION} `,` {_SOURCE} `,` {_SIZE} {_HINT} attr-dict"
    )

    def __init__(
        self,
        destination: Address,
        source: Address,
        size: Source,
        *,
        hint: SSAValue | None = None,
    ):
        register, immediate = pack_source(size)
        super().__init__(
            operands=[destination.base, source.base, register, hint, None],
            properties={
                "destination_offset": pack_offset(destination),
                "source_offset": pack_offset(source),
                "size_immediate": immediate,
            },
        )

    def instruction(self) -> str:
        hint, hint_operand = self.cache_hint()
        opcode = dotted("cp.async.bulk.global.shared::cta.bulk_group", hint)
        return f"{opcode} {self.places()}{hint_operand}"


OPS = (
    BulkLoadOp,
    BulkRemoteStoreOp,
    BulkStoreOp,
    BulkTensorLoadOp,
    BulkTensorPrefetchOp,
    BulkTensorReduceOp,
    BulkTensorStoreOp,
)
