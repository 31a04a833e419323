"""Buffers and copies."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, UnitAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.clusters import (
    IndexNumbersAttr,
    index_numbers,
    numbers_of,
    parse_multicast,
    print_multicast,
    verify_multicast,
)
from croqtile_mlir.dialects.croq.index import parse_value, verify_type_names
from croqtile_mlir.dialects.croq.levels import (
    is_inside_level,
    verify_private_use,
)
from croqtile_mlir.dialects.croq.rearranging import (
    PadAttr,
    Rearrangement,
    parse_rearrangement,
    print_rearrangement,
    verify_rearrangement,
    verify_shapes,
)
from croqtile_mlir.dialects.croq.types import (
    DYNAMIC,
    Engine,
    EngineAttr,
    FutureType,
    Level,
    Space,
    TileType,
)
from croqtile_mlir.dialects.croq.views import ViewOp, parse_tile, tile_type


@irdl_op_definition
class AllocOp(IRDLOperation):
    """
    A buffer: in shared memory one for each block, in global memory an output that the
    kernel returns, of registers one for each thread of the scope.

    One of registers is used inside `parallel : thread` only, where each thread has its
    own. It has no values when the op is executed.

    ```mlir
    %a_s = croq.alloc : !croq.tile<4x128x64xf16, shared>
    %sums = croq.alloc : !croq.tile<8x8xf32, register>
    ```
    """

    name = "croq.alloc"

    tile = result_def(TileType)

    traits = traits_def(MemoryAllocEffect())

    assembly_format = "attr-dict `:` type($tile)"

    def __init__(self, tile_type: TileType):
        super().__init__(result_types=[tile_type])

    @property
    def tile_type(self) -> TileType:
        """The type of the buffer."""
        return tile_type(self.tile)

    def verify_(self) -> None:
        tile = self.tile_type
        if not tile.dims:
            raise VerifyException(f"a buffer must have at least one dim, got {tile}")
        if tile.memory_space is not Space.Global:
            if DYNAMIC in tile.dims:
                raise VerifyException(
                    f"a {tile.memory_space.value} buffer must have constant extents, "
                    f"got {tile}"
                )
            if tile.memory_space is Space.Register:
                self._verify_private()
        else:
            parent = self.parent_op()
            around = "" if parent is None else parent.name
            if around in ("croq.parallel", "croq.role"):
                raise VerifyException(
                    "a global buffer must be in the body of the kernel, got it inside "
                    f"{around}"
                )
            if DYNAMIC in tile.dims:
                raise VerifyException(
                    f"a global buffer must have named or constant extents, got {tile}"
                )
            users = {use.operation.name for use in self.tile.uses}
            if around == "croq.kernel" and "croq.return" not in users:
                raise VerifyException(
                    "a global buffer must be returned: it is an output of the kernel"
                )
        verify_type_names(
            self,
            [dim for dim in tile.dims if isinstance(dim, str)],
            params=tile.memory_space is not Space.Global,
        )

    def _verify_private(self) -> None:
        """Registers are those of the threads of a block."""
        if not is_inside_level(self, Level.Block):
            raise VerifyException(
                "a register buffer must be inside croq.parallel of level block, got "
                f"{self.tile_type} outside of it"
            )


_Properties = tuple[ArrayAttr[IntAttr] | None, PadAttr | None]


class CopyBase(IRDLOperation, ABC):
    """
    What the two copies have: tiles, an engine, and how elements are rearranged.

    `transpose(p0, p1, ..)`: dim d of the destination is dim pd of the source.
    `pad([low], [high], [interior], value)`: each dim of the destination has so many
    more elements of that value before, after and, if given, between those that are
    copied. With both, the transposed source is padded.
    """

    source = operand_def(TileType)
    destination = operand_def(TileType)
    engine = prop_def(EngineAttr, default_value=EngineAttr(Engine.Auto))
    permutation = opt_prop_def(IndexNumbersAttr)
    pad = opt_prop_def(PadAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def rearrangement(self) -> Rearrangement:
        """Where each element goes."""
        rank = tile_type(self.destination).rank
        return Rearrangement.of(rank, self.permutation, self.pad)

    @property
    def rearranges(self) -> bool:
        """Whether elements are moved to other positions, or added."""
        return not self.rearrangement.is_identity

    def as_copy(self) -> CopyOp:
        """The same copy, complete on return."""
        new = CopyOp(self.source, self.destination, self.engine.data)
        return self._rearranged(new)

    def as_started(
        self,
        source: SSAValue | None = None,
        destination: SSAValue | None = None,
        engine: Engine | None = None,
    ) -> CopyAsyncOp:
        """The same copy with a future, of other tiles or by another engine if given."""
        new = CopyAsyncOp(
            source or self.source,
            destination or self.destination,
            engine or self.engine.data,
        )
        return self._rearranged(new)

    def _rearranged(self, new: CopyT) -> CopyT:
        new.permutation, new.pad = self.permutation, self.pad
        return new

    def _verify_copy(self) -> None:
        src, dst = tile_type(self.source), tile_type(self.destination)
        if src.element_type != dst.element_type:
            raise VerifyException(
                f"source and destination must have one element type, got "
                f"{src.element_type} and {dst.element_type}"
            )
        if src.rank != dst.rank:
            raise VerifyException(
                f"source and destination must have one rank, got {src.rank} and "
                f"{dst.rank}"
            )
        verify_shapes(src, dst, verify_rearrangement(src, self.permutation, self.pad))


CopyT = TypeVar("CopyT", bound=CopyBase)


def _parse_copy(parser: Parser) -> tuple[SSAValue, SSAValue, Engine, _Properties]:
    source = parse_tile(parser)
    parser.parse_punctuation("=")
    parser.parse_punctuation(">")
    destination = parse_tile(parser)
    rearranged = parse_rearrangement(parser)
    engine = Engine.Auto
    if parser.parse_optional_keyword("engine") is not None:
        with parser.in_parens():
            engine = parser.parse_str_enum(Engine)
    return source, destination, engine, rearranged


def _print_copy(printer: Printer, copy: CopyBase) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(copy.source)
    printer.print_string(" => ")
    printer.print_ssa_value(copy.destination)
    print_rearrangement(printer, copy.permutation, copy.pad)
    if copy.engine.data is not Engine.Auto:
        printer.print_string(f" engine({copy.engine.data.value})")


@irdl_op_definition
class CopyOp(CopyBase):
    """
    Copies a tile; complete and visible to the executing scope on return.

    Elements out of the range of a global source read as zero, those of a global
    destination are not written. The threads can rearrange elements; see `CopyBase`.

    ```mlir
    croq.copy %tile => %buffer engine(threads)
    croq.copy %buffer => %out transpose(1, 0)
    croq.copy %row => %wider pad([0, 1], [0, 3], 0.0)
    ```
    """

    name = "croq.copy"

    def __init__(
        self, source: SSAValue, destination: SSAValue, engine: Engine = Engine.Auto
    ):
        super().__init__(
            operands=[source, destination], properties={"engine": EngineAttr(engine)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> CopyOp:
        source, destination, engine, rearranged = _parse_copy(parser)
        op = cls(source, destination, engine)
        op.permutation, op.pad = rearranged
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_copy(printer, self)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        self._verify_copy()
        verify_private_use(self)


@irdl_op_definition
class CopyAsyncOp(CopyBase):
    """
    Starts copying a tile; the future is its completion.

    With `multicast` (a load by TMA) the same bytes go to the same place of the shared
    memory of every block of the cluster that differs from this one in the listed
    indices at most; the future goes to `croq.trigger .. after` only.

    After `--lower-events` a copy that completes on an mbarrier names it: `completes`.

    ```mlir
    %f = croq.copy_async %tile => %buffer engine(tma)
    %g = croq.copy_async %tile => %buffer engine(tma) completes %mbar : !llvm.ptr<3>
    %h = croq.copy_async %part => %part_of_buffer multicast [0]
    ```
    """

    name = "croq.copy_async"

    # Those of the base come after those of the class, but operands have an order.
    source = operand_def(TileType)
    destination = operand_def(TileType)
    completes = opt_operand_def()
    multicast = opt_prop_def(IndexNumbersAttr)
    future = result_def(FutureType)

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        engine: Engine = Engine.Auto,
        completes: SSAValue | None = None,
        multicast: Sequence[int] = (),
    ):
        super().__init__(
            operands=[source, destination, completes],
            result_types=[FutureType(tile_type(destination))],
            properties={
                "engine": EngineAttr(engine),
                "multicast": index_numbers(multicast),
            },
        )

    @property
    def multicast_indices(self) -> tuple[int, ...]:
        """Indices of the block along which the bytes go to all blocks of a cluster."""
        return numbers_of(self.multicast)

    @classmethod
    def parse(cls, parser: Parser) -> CopyAsyncOp:
        source, destination, engine, rearranged = _parse_copy(parser)
        multicast = parse_multicast(parser)
        completes = None
        if parser.parse_optional_keyword("completes") is not None:
            pos = parser.pos
            completes = parse_value(parser)
            end = parser.pos
            parser.parse_punctuation(":")
            if (stated := parser.parse_type()) != completes.type:
                parser.raise_error(
                    f"operand must have type {stated}, got {completes.type}", pos, end
                )
        op = cls(source, destination, engine, completes, multicast)
        op.permutation, op.pad = rearranged
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        _print_copy(printer, self)
        print_multicast(printer, self.multicast_indices)
        if self.completes is not None:
            printer.print_string(" completes ")
            printer.print_ssa_value(self.completes)
            printer.print_string(" : ")
            printer.print_attribute(self.completes.type)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        self._verify_copy()
        for tile in (tile_type(self.source), tile_type(self.destination)):
            if tile.memory_space is Space.Register:
                raise VerifyException(
                    "must copy between global and shared memory or inside one of them "
                    f"(croq.copy has registers), got {tile}"
                )
        if self.completes is not None:
            mbarrier = LLVMPointerType(IntAttr(3))
            if self.completes.type != mbarrier:
                raise VerifyException(
                    f"completes must be an mbarrier in shared memory ({mbarrier}), got "
                    f"{self.completes.type}"
                )
        if self.multicast is not None:
            self._verify_multicast()
        expected = FutureType(tile_type(self.destination))
        if self.future.type != expected:
            raise VerifyException(
                f"result type must be {expected}, got {self.future.type}"
            )

    def _verify_multicast(self) -> None:
        verify_multicast(self, self.multicast)
        source, destination = tile_type(self.source), tile_type(self.destination)
        spaces = source.memory_space, destination.memory_space
        if spaces != (Space.Global, Space.Shared):
            raise VerifyException(
                "with multicast must copy global to shared memory, got "
                f"{spaces[0].value} to {spaces[1].value}"
            )
        if self.engine.data not in (Engine.Auto, Engine.Tma):
            raise VerifyException(
                "with multicast must have engine tma, which alone reaches other "
                f"blocks, got {self.engine.data.value}"
            )
        if self.rearranges:
            raise VerifyException(
                "with multicast must copy elements in their order, got "
                f"{self.rearrangement.words}"
            )
        for use in self.future.uses:
            if use.operation.name != "croq.trigger":
                raise VerifyException(
                    "future of a multicast copy must go to croq.trigger .. after "
                    f"only, got {use.operation.name}"
                )


@irdl_op_definition
class AwaitOp(IRDLOperation):
    """
    Blocks the executing scope until a copy is complete.

    Of a load: the destination is filled and visible to the scope. Of a store: the
    result is visible in global memory, or with `read` only the source may be reused.

    ```mlir
    croq.await %f read
    ```
    """

    name = "croq.await"

    future = operand_def(FutureType)
    read = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, future: SSAValue, read: bool = False):
        super().__init__(
            operands=[future], properties={"read": UnitAttr() if read else None}
        )

    @classmethod
    def parse(cls, parser: Parser) -> AwaitOp:
        pos = parser.pos
        future = parse_value(parser)
        if not isinstance(future.type, FutureType):
            parser.raise_error(
                f"operand must be a future, got {future.type}", pos, parser.pos
            )
        op = cls(future, parser.parse_optional_keyword("read") is not None)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.future)
        if self.read is not None:
            printer.print_string(" read")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        future = self.future.type
        if (
            self.read is not None
            and isinstance(future, FutureType)
            and future.tile.memory_space is not Space.Global
        ):
            raise VerifyException(
                "read must be on a store to global memory, got a copy to "
                f"{future.tile.memory_space.value} memory"
            )


@irdl_op_definition
class DataOp(IRDLOperation):
    """
    The destination tile of a copy.

    ```mlir
    %t = croq.data %f
    ```
    """

    name = "croq.data"

    future = operand_def(FutureType)
    tile = result_def(TileType)

    traits = traits_def(Pure())

    def __init__(self, future: SSAValue):
        if not isinstance(future.type, FutureType):
            raise VerifyException(f"operand must be a future, got {future.type}")
        super().__init__(operands=[future], result_types=[future.type.tile])

    @classmethod
    def parse(cls, parser: Parser) -> DataOp:
        pos = parser.pos
        future = parse_value(parser)
        if not isinstance(future.type, FutureType):
            parser.raise_error(
                f"operand must be a future, got {future.type}", pos, parser.pos
            )
        op = cls(future)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.future)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        future = self.future.type
        if isinstance(future, FutureType) and future.tile != self.tile.type:
            raise VerifyException(
                f"result type must be {future.tile}, got {self.tile.type}"
            )


def root_of(tile: SSAValue) -> SSAValue:
    """The buffer or argument that a tile is a view of."""
    owner = tile.owner
    while isinstance(owner, ViewOp | DataOp):
        if isinstance(owner, ViewOp):
            tile = owner.viewed
        else:
            start = owner.future.owner
            if not isinstance(start, CopyAsyncOp):
                return tile
            tile = start.destination
        owner = tile.owner
    return tile
