"""Atomic updates of one element, and fences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.dialects.croq.elements import parse_element, verify_element
from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    pack,
    parse_value,
    print_index_list,
    unpack,
)
from croqtile_mlir.dialects.croq.ordering import (
    FENCE_ORDERS,
    UPDATE_ORDERS,
    MemoryOrder,
    MemoryOrderAttr,
    MemoryScope,
    MemoryScopeAttr,
    parse_order,
    parse_scope,
    print_ordering,
)
from croqtile_mlir.dialects.croq.types import DYNAMIC, Space, TileType
from croqtile_mlir.dialects.croq.views import tile_type


class AtomicKind(StrEnum):
    """What becomes of the old value `x` and the operand `v`."""

    Add = "add"
    Min = "min"
    """The smaller one, signed."""
    Max = "max"
    UMin = "umin"
    """The smaller one, unsigned."""
    UMax = "umax"
    And = "and"
    Or = "or"
    Xor = "xor"
    Exch = "exch"
    """`v`."""
    Cas = "cas"
    """`v` where `x` is the operand to compare with, else `x`."""


@irdl_attr_definition
class AtomicKindAttr(EnumAttribute[AtomicKind], SpacedOpaqueSyntaxAttribute):
    """The kind of an atomic update, written `#croq<atomic_kind add>`."""

    name = "croq.atomic_kind"


_INTEGERS = ("i32", "i64")
ATOMIC_TYPES: Mapping[AtomicKind, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(AtomicKind, _INTEGERS),
        AtomicKind.Add: (*_INTEGERS, "f32", "f64", "f16", "bf16"),
        AtomicKind.Exch: (*_INTEGERS, "f32"),
    }
)
"""The element types of each kind of update (PTX ISA, atom)."""

NEIGHBOURS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"f16": (2,), "bf16": (2,), "f32": (2, 4)}
)
"""How many neighbours an addition may have, by their type (PTX ISA, red)."""


def type_name(type_: Attribute) -> str:
    """`i32`, `bf16`: the name of a number's type."""
    match type_:
        case IntegerType():
            return f"i{type_.width.data}"
        case BFloat16Type() | Float16Type() | Float32Type() | Float64Type():
            return type_.name
        case _:
            return str(type_)


@irdl_op_definition
class AtomicOp(IRDLOperation):
    """
    Updates one element in one indivisible step, by each thread that executes it.

    The old value is the result; without `->` it is not wanted, and the update is a
    reduction of the memory system. `order` is relaxed and `scope` that of the memory
    (`cta` for shared, `gpu` for global tiles) when left out. Executed by a scope that
    does not divide the work among its threads, one thread of it makes the update.

    ```mlir
    %old = croq.atomic add %v, %t[%i] order(acq_rel) scope(gpu) -> i32
    croq.atomic max %v, %t[%i, 0] order(relaxed) scope(cta)
    %seen = croq.atomic cas %expected, %v, %t[0] order(acquire) scope(gpu) -> i32
    ```

    Several values in parentheses are added to as many neighbours along the inner dim of
    a global tile, and the indices are those of the first: 2 of f16 or bf16, 2 or 4 of
    f32. Their address is a multiple of the bytes of all. Each element is a step of its
    own, rounded as if it were added alone; others may see some of them updated and
    others not yet (PTX ISA, red: vectors and packed types).

    ```mlir
    croq.atomic add (%v, %w), %t[%i, %j]
    ```
    """

    name = "croq.atomic"

    value = operand_def()
    compare = opt_operand_def()
    tile = operand_def(TileType)
    indices = var_operand_def(IndexType)
    static_indices = prop_def(IndexListAttr)
    kind = prop_def(AtomicKindAttr)
    order = prop_def(MemoryOrderAttr)
    scope = prop_def(MemoryScopeAttr)
    others = var_operand_def()
    """Of neighbours, after the first."""

    old = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        kind: AtomicKind,
        value: SSAValue,
        tile: SSAValue,
        indices: Sequence[Index],
        *,
        compare: SSAValue | None = None,
        others: Sequence[SSAValue] = (),
        order: MemoryOrder = MemoryOrder.Relaxed,
        scope: MemoryScope | None = None,
        result: bool = False,
    ):
        operands, static = pack(indices)
        space = tile_type(tile).memory_space
        default = MemoryScope.Cta if space is Space.Shared else MemoryScope.Gpu
        super().__init__(
            operands=[value, compare, tile, operands, others],
            result_types=[value.type if result else None],
            properties={
                "static_indices": static,
                "kind": AtomicKindAttr(kind),
                "order": MemoryOrderAttr(order),
                "scope": MemoryScopeAttr(scope or default),
            },
        )

    @property
    def index_values(self) -> tuple[Index, ...]:
        """The element indices."""
        return unpack(self.indices, self.static_indices)

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """The operands of neighbouring elements; of most updates one."""
        return (self.value, *self.others)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicOp:
        kind = parser.parse_str_enum(AtomicKind)
        compare = None
        if kind is AtomicKind.Cas:
            compare = parse_value(parser)
            parser.parse_punctuation(",")
        listed = parser.parse_optional_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parse_value(parser)
        )
        value, *others = listed or [parse_value(parser)]
        parser.parse_punctuation(",")
        tile, indices = parse_element(parser)
        order = parse_order(parser) or MemoryOrder.Relaxed
        scope = parse_scope(parser)
        attributes = parser.parse_optional_attr_dict()
        wanted = parser.parse_optional_punctuation("->") is not None
        op = cls(
            kind,
            value,
            tile,
            indices,
            compare=compare,
            others=others,
            order=order,
            scope=scope,
            result=wanted,
        )
        if wanted:
            pos = parser.pos
            if (parsed := parser.parse_type()) != value.type:
                parser.raise_error(
                    f"result type must be {value.type}, got {parsed}", pos, parser.pos
                )
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data.value} ")
        if self.compare is not None:
            printer.print_ssa_value(self.compare)
            printer.print_string(", ")
        if self.others:
            with printer.in_parens():
                printer.print_list(self.values, printer.print_ssa_value)
        else:
            printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.tile)
        print_index_list(printer, self.index_values)
        print_ordering(printer, self.order, self.scope)
        printer.print_op_attributes(self.attributes)
        if self.old is not None:
            printer.print_string(" -> ")
            printer.print_attribute(self.old.type)

    def verify_(self) -> None:
        tile = tile_type(self.tile)
        verify_element(self, self.indices, self.static_indices, tile)
        kind, name = self.kind.data, type_name(tile.element_type)
        if name not in (allowed := ATOMIC_TYPES[kind]):
            raise VerifyException(
                f"elements must be {', '.join(allowed)} for {kind.value}, got {name}"
            )
        if (self.compare is not None) != (kind is AtomicKind.Cas):
            raise VerifyException(
                "must have a value to compare with exactly if it is cas, got "
                f"{kind.value} with {'none' if self.compare is None else 'one'}"
            )
        for what, value in (
            ("value", self.value),
            ("value to compare with", self.compare),
            ("result", self.old),
            *(("value", other) for other in self.others),
        ):
            if value is not None and value.type != tile.element_type:
                raise VerifyException(
                    f"{what} must have the element type {name}, got {value.type}"
                )
        if self.order.data not in UPDATE_ORDERS:
            names = ", ".join(each.value for each in UPDATE_ORDERS)
            raise VerifyException(
                f"order must be one of {names}, got {self.order.data.value}"
            )
        if tile.memory_space is Space.Register:
            raise VerifyException(
                f"tile must be in shared or global memory, got {tile}"
            )
        if self.others:
            self._verify_neighbours(tile, name)

    def _verify_neighbours(self, tile: TileType, name: str) -> None:
        count, kind = len(self.values), self.kind.data
        allowed = NEIGHBOURS.get(name, ()) if kind is AtomicKind.Add else ()
        if count not in allowed:
            listed = "; ".join(
                f"{' or '.join(map(str, counts))} of {each}"
                for each, counts in NEIGHBOURS.items()
            )
            raise VerifyException(
                f"several values must be added, {listed}, got {kind.value} with "
                f"{count} of {name}"
            )
        if tile.memory_space is not Space.Global:
            raise VerifyException(
                f"several values must be added to a global tile, got {tile}"
            )
        if self.old is not None:
            raise VerifyException("with several values must have no result")
        if self.order.data not in (MemoryOrder.Relaxed, MemoryOrder.Release):
            raise VerifyException(
                "order must be relaxed or release with several values, got "
                f"{self.order.data.value}"
            )
        last, extent = self.index_values[-1], tile.dims[-1]
        if isinstance(last, int) and isinstance(extent, int) and extent != DYNAMIC:
            if last + count > extent:
                raise VerifyException(
                    f"all {count} elements must be inside the tile {tile}, got the "
                    f"first at {last}"
                )


@irdl_op_definition
class FenceOp(IRDLOperation):
    """
    Orders the accesses of each thread before it with those after it, for a scope.

    A relaxed store after the fence releases what came before the fence; a relaxed load
    before it acquires for what comes after (PTX ISA, fence).

    ```mlir
    croq.fence order(acq_rel) scope(gpu)
    ```
    """

    name = "croq.fence"

    order = prop_def(MemoryOrderAttr)
    scope = prop_def(MemoryScopeAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "`order` `(` $order `)` `scope` `(` $scope `)` attr-dict"

    def __init__(self, order: MemoryOrder, scope: MemoryScope):
        super().__init__(
            properties={
                "order": MemoryOrderAttr(order),
                "scope": MemoryScopeAttr(scope),
            }
        )

    def verify_(self) -> None:
        if self.order.data not in FENCE_ORDERS:
            raise VerifyException(
                f"order must be acq_rel or sc, got {self.order.data.value}"
            )
