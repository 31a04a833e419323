"""
Ops between the tile level and the hardware level.

They appear in mixed modules, while lowering: element access and thread ids are also for
kernels to use; addresses, descriptors, tensor maps and parameters are made by passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntAttr, StringAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.elements import parse_element, verify_element
from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    pack,
    parse_value,
    print_index_list,
    unpack,
)
from croqtile_mlir.dialects.croq.levels import verify_private_use
from croqtile_mlir.dialects.croq.ordering import (
    LOAD_ORDERS,
    STORE_ORDERS,
    MemoryOrder,
    MemoryOrderAttr,
    MemoryScope,
    MemoryScopeAttr,
    parse_order,
    parse_scope,
    print_ordering,
    verify_access_ordering,
)
from croqtile_mlir.dialects.croq.types import (
    Layout,
    Major,
    MajorAttr,
    Space,
    TileType,
    parse_layout,
)
from croqtile_mlir.dialects.croq.views import parse_tile, tile_type

GENERIC, GLOBAL, SHARED = 0, 1, 3
"""Address spaces of `!llvm.ptr` on NVPTX."""


def pointer_type(space: int) -> LLVMPointerType:
    """`!llvm.ptr<space>`, and `!llvm.ptr` for the generic space."""
    return LLVMPointerType() if space == GENERIC else LLVMPointerType(IntAttr(space))


class ElementEffect(MemoryEffect):
    """Reads or writes; both, so that it stays in place, if it has an order."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        read = EffectInstance(MemoryEffectKind.READ)
        write = EffectInstance(MemoryEffectKind.WRITE)
        if "order" in op.properties:
            return frozenset((read, write))
        return frozenset((read if isinstance(op, LoadOp) else write,))


def _verify_private(op: LoadOp | StoreOp, tile: TileType) -> None:
    verify_private_use(op)
    if tile.memory_space is Space.Register and op.order is not None:
        raise VerifyException(
            f"a register tile must be accessed without an order, got "
            f"{op.order.data.value}"
        )


@irdl_op_definition
class LoadOp(IRDLOperation):
    """
    Reads one element, by each thread that executes it.

    With an order the access takes part in the synchronisation of threads: `relaxed` and
    `acquire` have a scope, `volatile` has none.

    ```mlir
    %x = croq.load %tile[%i, %j]
    %flag = croq.load %flags[%i] order(acquire) scope(gpu)
    ```
    """

    name = "croq.load"

    tile = operand_def(TileType)
    indices = var_operand_def(IndexType)
    static_indices = prop_def(IndexListAttr)
    order = opt_prop_def(MemoryOrderAttr)
    scope = opt_prop_def(MemoryScopeAttr)
    value = result_def()

    traits = traits_def(ElementEffect())

    def __init__(
        self,
        tile: SSAValue,
        indices: Sequence[Index],
        order: MemoryOrder | None = None,
        scope: MemoryScope | None = None,
    ):
        operands, static = pack(indices)
        super().__init__(
            operands=[tile, operands],
            result_types=[tile_type(tile).element_type],
            properties={
                "static_indices": static,
                "order": None if order is None else MemoryOrderAttr(order),
                "scope": None if scope is None else MemoryScopeAttr(scope),
            },
        )

    @property
    def index_values(self) -> tuple[Index, ...]:
        """The element indices."""
        return unpack(self.indices, self.static_indices)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        op = cls(*parse_element(parser), parse_order(parser), parse_scope(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        print_index_list(printer, self.index_values)
        print_ordering(printer, self.order, self.scope)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        verify_element(self, self.indices, self.static_indices, tile)
        verify_access_ordering(self.order, self.scope, LOAD_ORDERS)
        _verify_private(self, tile)
        if self.value.type != tile.element_type:
            raise VerifyException(
                f"result type must be {tile.element_type}, got {self.value.type}"
            )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """
    Writes one element, by each thread that executes it.

    With an order the access takes part in the synchronisation of threads: `relaxed` and
    `release` have a scope, `volatile` has none.

    ```mlir
    croq.store %x, %tile[%i, %j]
    croq.store %one, %flags[%i] order(release) scope(gpu)
    ```
    """

    name = "croq.store"

    value = operand_def()
    tile = operand_def(TileType)
    indices = var_operand_def(IndexType)
    static_indices = prop_def(IndexListAttr)
    order = opt_prop_def(MemoryOrderAttr)
    scope = opt_prop_def(MemoryScopeAttr)

    traits = traits_def(ElementEffect())

    def __init__(
        self,
        value: SSAValue,
        tile: SSAValue,
        indices: Sequence[Index],
        order: MemoryOrder | None = None,
        scope: MemoryScope | None = None,
    ):
        operands, static = pack(indices)
        super().__init__(
            operands=[value, tile, operands],
            properties={
                "static_indices": static,
                "order": None if order is None else MemoryOrderAttr(order),
                "scope": None if scope is None else MemoryScopeAttr(scope),
            },
        )

    @property
    def index_values(self) -> tuple[Index, ...]:
        """The element indices."""
        return unpack(self.indices, self.static_indices)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parse_value(parser)
        parser.parse_punctuation(",")
        tile, indices = parse_element(parser)
        op = cls(value, tile, indices, parse_order(parser), parse_scope(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.tile)
        print_index_list(printer, self.index_values)
        print_ordering(printer, self.order, self.scope)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        verify_element(self, self.indices, self.static_indices, tile)
        verify_access_ordering(self.order, self.scope, STORE_ORDERS)
        _verify_private(self, tile)
        if self.value.type != tile.element_type:
            raise VerifyException(
                f"value must have the element type {tile.element_type}, got "
                f"{self.value.type}"
            )


@irdl_op_definition
class ThreadIdOp(IRDLOperation):
    """
    The index of the thread in the executing scope (the role, else the block).

    ```mlir
    %t = croq.thread_id
    ```
    """

    name = "croq.thread_id"

    result = result_def(IndexType())

    # Not pure: the value depends on the scope, so that cse must not take the one of the
    # block for that of a role.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class ElectOp(IRDLOperation):
    """
    True in exactly one thread of the executing scope, the same one every time.

    ```mlir
    %leader = croq.elect
    ```
    """

    name = "croq.elect"

    result = result_def(i1)

    # Not pure, as croq.thread_id.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[i1])


@irdl_op_definition
class AddressOp(IRDLOperation):
    """
    The address of an element of a tile under its layout, swizzle included.

    The pointer is `!llvm.ptr<3>` into shared and `!llvm.ptr<1>` into global memory.

    ```mlir
    %p = croq.address %tile[%row, 0] : !llvm.ptr<3>
    ```
    """

    name = "croq.address"

    tile = operand_def(TileType)
    indices = var_operand_def(IndexType)
    static_indices = prop_def(IndexListAttr)
    pointer = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    def __init__(self, tile: SSAValue, indices: Sequence[Index] = ()):
        source = tile_type(tile)
        operands, static = pack(indices or [0] * source.rank)
        space = SHARED if source.memory_space is Space.Shared else GLOBAL
        super().__init__(
            operands=[tile, operands],
            result_types=[pointer_type(space)],
            properties={"static_indices": static},
        )

    @property
    def index_values(self) -> tuple[Index, ...]:
        """The element indices."""
        return unpack(self.indices, self.static_indices)

    @classmethod
    def parse(cls, parser: Parser) -> AddressOp:
        op = cls(*parse_element(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pos = parser.pos
        parsed = parser.parse_type()
        if parsed != op.pointer.type:
            parser.raise_error(
                f"pointer type must be {op.pointer.type}, got {parsed}", pos, parser.pos
            )
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        print_index_list(printer, self.index_values)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.pointer.type)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        verify_element(self, self.indices, self.static_indices, tile)
        expected = pointer_type(SHARED if tile.memory_space is Space.Shared else GLOBAL)
        if self.pointer.type != expected:
            raise VerifyException(
                f"pointer type must be {expected}, got {self.pointer.type}"
            )


@irdl_op_definition
class DescriptorOp(IRDLOperation):
    """
    The wgmma matrix descriptor of the operand that starts at an element of a shared
    tile.

    Leading and stride byte offsets and the swizzle mode follow from the layout of the
    tile (PTX ISA, "Matrix Descriptor Format" of wgmma).

    ```mlir
    %d = croq.descriptor %a[64, 16] major(k) : i64
    ```
    """

    name = "croq.descriptor"

    tile = operand_def(TileType)
    indices = var_operand_def(IndexType)
    static_indices = prop_def(IndexListAttr)
    major = prop_def(MajorAttr)
    result = result_def(i64)

    traits = traits_def(Pure())

    def __init__(self, tile: SSAValue, indices: Sequence[Index], major: Major):
        operands, static = pack(indices)
        super().__init__(
            operands=[tile, operands],
            result_types=[i64],
            properties={"static_indices": static, "major": MajorAttr(major)},
        )

    @property
    def index_values(self) -> tuple[Index, ...]:
        """The element indices."""
        return unpack(self.indices, self.static_indices)

    @classmethod
    def parse(cls, parser: Parser) -> DescriptorOp:
        tile, indices = parse_element(parser)
        parser.parse_keyword("major")
        with parser.in_parens():
            major = parser.parse_str_enum(Major)
        op = cls(tile, indices, major)
        op.attributes |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        parser.parse_keyword("i64")
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        print_index_list(printer, self.index_values)
        printer.print_string(f" major({self.major.data.value})")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : i64")

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        verify_element(self, self.indices, self.static_indices, tile)
        if tile.memory_space is not Space.Shared or tile.rank != 2:
            raise VerifyException(f"tile must be a 2-D shared tile, got {tile}")
        if tile.layout is Layout.RowMajor:
            raise VerifyException(
                f"tile must have a swizzle layout (wgmma reads no row-major tile), "
                f"got {tile}"
            )


@irdl_op_definition
class TensorMapOp(IRDLOperation):
    """
    The address of the TMA descriptor (tensor map) of a global tile argument.

    The box is in elements, outermost dim first; the runtime encodes the map at launch.

    ```mlir
    %tm = croq.tensor_map %lhs box [64, 64] swizzle<128> : !llvm.ptr
    ```
    """

    name = "croq.tensor_map"

    tile = operand_def(TileType)
    box = prop_def(ArrayAttr[IntAttr])
    layout = prop_def(StringAttr)
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    def __init__(self, tile: SSAValue, box: Sequence[int], layout: Layout):
        super().__init__(
            operands=[tile],
            result_types=[pointer_type(GENERIC)],
            properties={
                "box": ArrayAttr(IntAttr(b) for b in box),
                "layout": StringAttr(layout.value),
            },
        )

    @property
    def box_values(self) -> tuple[int, ...]:
        """The box in elements, outermost dim first."""
        return tuple(b.data for b in self.box)

    @property
    def swizzle(self) -> Layout:
        """The layout that the box has in shared memory."""
        return Layout(self.layout.data)

    @classmethod
    def parse(cls, parser: Parser) -> TensorMapOp:
        tile = parse_tile(parser)
        parser.parse_keyword("box")
        box = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        op = cls(tile, box, parse_layout(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pos = parser.pos
        parsed = parser.parse_type()
        if parsed != op.result.type:
            parser.raise_error(
                f"result type must be {op.result.type}, got {parsed}", pos, parser.pos
            )
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        printer.print_string(f" box {list(self.box_values)} {self.swizzle.value}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        if tile.memory_space is not Space.Global:
            raise VerifyException(f"tile must be in global memory, got {tile}")
        if len(self.box) != tile.rank or not 1 <= tile.rank <= 5:
            raise VerifyException(
                f"box must have the rank of the tile (1 to 5), got {len(self.box)} "
                f"for {tile}"
            )
        for extent in self.box_values:
            if not 1 <= extent <= 256:
                raise VerifyException(
                    f"extents of a box must be in 1..256 elements, got {extent}"
                )
        inner = self.box_values[-1] * tile.element_bytes
        if inner % 16:
            raise VerifyException(
                f"inner extent of a box must be a multiple of 16 bytes, got {inner}"
            )
        width = self.swizzle.panel_bytes
        if width is not None and width > 16 and inner > width:
            raise VerifyException(
                f"inner extent of a {self.swizzle.value} box must be at most {width} "
                f"bytes, got {inner}"
            )


@irdl_op_definition
class PointerOp(IRDLOperation):
    """
    The address of the first element of a global tile argument or output.

    ```mlir
    %p = croq.pointer %lhs : !croq.tile<[M]x[K]xf16, global> -> !llvm.ptr<1>
    ```
    """

    name = "croq.pointer"

    tile = operand_def(TileType)
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())

    assembly_format = "$tile attr-dict `:` type($tile) `->` type($result)"

    def __init__(self, tile: SSAValue):
        super().__init__(operands=[tile], result_types=[pointer_type(GLOBAL)])

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        if tile.memory_space is not Space.Global:
            raise VerifyException(f"tile must be in global memory, got {tile}")
        if self.result.type != pointer_type(GLOBAL):
            raise VerifyException(
                f"result type must be {pointer_type(GLOBAL)}, got {self.result.type}"
            )


@irdl_op_definition
class StrideOp(IRDLOperation):
    """
    Elements between neighbours along a dim of a global tile argument or output.

    ```mlir
    %ld = croq.stride %lhs, 0
    ```
    """

    name = "croq.stride"

    tile = operand_def(TileType)
    dim = prop_def(IntAttr)
    result = result_def(i64)

    traits = traits_def(Pure())

    def __init__(self, tile: SSAValue, dim: int):
        super().__init__(
            operands=[tile], result_types=[i64], properties={"dim": IntAttr(dim)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> StrideOp:
        tile = parse_tile(parser)
        parser.parse_punctuation(",")
        op = cls(tile, parser.parse_integer(allow_boolean=False))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        printer.print_string(f", {self.dim.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        if tile.memory_space is not Space.Global:
            raise VerifyException(f"tile must be in global memory, got {tile}")
        if not 0 <= self.dim.data < tile.rank - 1:
            raise VerifyException(
                f"dim must be an outer dim of a tile of rank {tile.rank} (the inner "
                f"stride is 1), got {self.dim.data}"
            )
