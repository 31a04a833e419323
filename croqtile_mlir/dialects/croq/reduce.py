"""Reductions of a tile or an accumulator along a dim."""

from __future__ import annotations

from enum import auto

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, IntAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from croqtile_mlir.dialects.croq.elementwise import (
    computes_with,
    dims_of,
    element_of,
)
from croqtile_mlir.dialects.croq.index import parse_value
from croqtile_mlir.dialects.croq.levels import verify_private_use
from croqtile_mlir.dialects.croq.types import (
    DYNAMIC,
    AccType,
    Dim,
    TileType,
    print_dim,
)
from croqtile_mlir.dialects.croq.views import parse_tile, tile_type


class Combination(StrEnum):
    """How a reduction combines two elements."""

    Add = auto()
    Mul = auto()
    Max = auto()
    Min = auto()


@irdl_attr_definition
class CombinationAttr(EnumAttribute[Combination], SpacedOpaqueSyntaxAttribute):
    """How a reduction combines two elements, written `#croq<combination add>`."""

    name = "croq.combination"


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """
    Combines the elements along a dim of a tile or an accumulator: `add`, `mul`, `max`,
    `min`. The result has the other dims; that of a vector has one element. Made by all
    threads of the scope together, complete and visible to it on return.

    `max` and `min` of a number and what is none are the number; integers are signed.
    f16 and bf16 are combined in f32. Elements of a global source that are out of range
    are left out; without any the result is what changes nothing (0, 1, -inf, inf, the
    least and the largest integer).

    The order of the sum is the same in every run: see docs/levels.md, `--lower-reduce`.

    ```mlir
    croq.reduce max %tile dim 1 => %row_maxima
    croq.reduce add %acc dim 1 => %row_sums
    croq.reduce add %acc dim 0 => %column_sums
    ```
    """

    name = "croq.reduce"

    combination = prop_def(CombinationAttr)
    source = operand_def()
    dim = prop_def(IntAttr)
    destination = operand_def(TileType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        combination: Combination,
        source: SSAValue,
        dim: int,
        destination: SSAValue,
    ):
        super().__init__(
            operands=[source, destination],
            properties={
                "combination": CombinationAttr(combination),
                "dim": IntAttr(dim),
            },
        )

    @property
    def tiles(self) -> tuple[tuple[SSAValue, bool], ...]:
        """The tiles that are read (False) and written (True)."""
        written = (self.destination, True)
        if isinstance(self.source.type, TileType):
            return (self.source, False), written
        return (written,)

    @property
    def computed(self) -> TypeAttribute:
        """The type that elements are combined in."""
        element = element_of(self.source)
        if isinstance(element, Float16Type | BFloat16Type):
            return Float32Type()
        return element

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        combination = parser.parse_str_enum(Combination)
        pos = parser.pos
        source = parse_value(parser)
        if not isinstance(source.type, TileType | AccType):
            parser.raise_error(
                f"operand must be a tile or an accumulator, got {source.type}",
                pos,
                parser.pos,
            )
        parser.parse_keyword("dim")
        dim = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation("=")
        parser.parse_punctuation(">")
        op = cls(combination, source, dim, parse_tile(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.combination.data.value} ")
        printer.print_ssa_value(self.source)
        printer.print_string(f" dim {self.dim.data} => ")
        printer.print_ssa_value(self.destination)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        verify_private_use(self)
        dims, element = dims_of(self.source), element_of(self.source)
        if not 0 <= self.dim.data < len(dims):
            raise VerifyException(
                f"dim must be one of the {len(dims)} dims of the source, got "
                f"{self.dim.data}"
            )
        if not computes_with(element):
            raise VerifyException(
                f"elements must be f32, f16, bf16, i32 or i64, got {element}"
            )
        destination = tile_type(self.destination)
        wanted: tuple[Dim, ...] = (
            *dims[: self.dim.data],
            *dims[self.dim.data + 1 :],
        ) or (1,)
        if len(wanted) != destination.rank or any(
            a != b and DYNAMIC not in (a, b)
            for a, b in zip(wanted, destination.dims, strict=True)
        ):
            raise VerifyException(
                f"destination must have the shape {'x'.join(map(print_dim, wanted))}, "
                f"got {destination}"
            )
        kinds = {element, self.computed}
        if destination.element_type not in kinds:
            names = " or ".join(sorted(map(str, kinds)))
            raise VerifyException(
                f"destination of elements {element} must be of {names}, got "
                f"{destination.element_type}"
            )
