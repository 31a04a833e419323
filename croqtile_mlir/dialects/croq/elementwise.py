"""A computation for each element of a tile or of an accumulator."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    IndexType,
    IntAttr,
    IntegerType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import parse_value
from croqtile_mlir.dialects.croq.levels import verify_private_use
from croqtile_mlir.dialects.croq.loops import YieldOp
from croqtile_mlir.dialects.croq.types import (
    DYNAMIC,
    AccType,
    Dim,
    TileType,
    print_dim,
)

_index = IndexType()
_IntsAttr = ArrayAttr[IntAttr]


def computes_with(element: Attribute) -> bool:
    """Whether there is arithmetic on elements of a type."""
    if isinstance(element, IntegerType):
        return element.bitwidth in (32, 64)
    return isinstance(element, Float16Type | BFloat16Type | Float32Type)


def element_of(value: SSAValue) -> TypeAttribute:
    """The type of the elements of a tile or an accumulator."""
    if isinstance(value.type, TileType | AccType):
        return value.type.element_type
    raise VerifyException(f"operand must be a tile or an accumulator, got {value.type}")


def dims_of(value: SSAValue) -> tuple[Dim, ...]:
    """The dims of a tile or an accumulator."""
    if isinstance(value.type, TileType | AccType):
        return value.type.dims
    raise VerifyException(f"operand must be a tile or an accumulator, got {value.type}")


@irdl_op_definition
class ElementwiseOp(IRDLOperation):
    """
    Computes each element of a tile, or of a new accumulator, from the elements at the
    same place of its inputs; made by all threads of the scope together.

    An input `along [d, ..]` has only these dims of the result: in every place along
    the others it is read again. `at (%i, ..)` names the indices of the element in the
    tile. The body is arithmetic (`arith`, `math`) on its arguments, constants and
    numbers from outside that are the same in all threads of the scope; it yields the
    element.

    Elements of a global input that are out of range are zero, those of a global result
    are not written. An input may be the result; else it has no element in common with
    it.

    ```mlir
    croq.elementwise (%x = %a_s, %b = %bias along [1]) => %a_s {
      %y = arith.addf %x, %b : f32
      croq.yield %y : f32
    }
    %relu = croq.elementwise (%x = %acc) at (%i, %j) -> !croq.acc<128x128xf32> {
      %y = arith.maximumf %x, %zero : f32
      croq.yield %y : f32
    }
    ```
    """

    name = "croq.elementwise"

    inputs = var_operand_def()
    destination = opt_operand_def(TileType)
    along = prop_def(ArrayAttr[_IntsAttr])
    """For each input the dims of the result that it has."""

    positions = opt_prop_def(UnitAttr)
    """Whether the body has the indices of the element as its last arguments."""

    result = opt_result_def(AccType)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = lazy_traits_def(
        lambda: (
            SingleBlockImplicitTerminator(YieldOp),
            MemoryReadEffect(),
            MemoryWriteEffect(),
        )
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        along: Sequence[Sequence[int]],
        body: Region,
        *,
        destination: SSAValue | None = None,
        result_type: AccType | None = None,
        positions: bool = False,
    ):
        super().__init__(
            operands=[inputs, destination],
            result_types=[result_type],
            properties={
                "along": ArrayAttr(
                    ArrayAttr(IntAttr(d) for d in dims) for dims in along
                ),
                "positions": UnitAttr() if positions else None,
            },
            regions=[body],
        )

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The dims of the result; where it does not say, those of an input."""
        made = self.destination if self.result is None else self.result
        if made is None:
            raise VerifyException("must have a tile or an accumulator as its result")
        dims = list(dims_of(made))
        for value, along in zip(self.inputs, self.along_dims, strict=True):
            for extent, dim in zip(dims_of(value), along, strict=True):
                if dims[dim] == DYNAMIC:
                    dims[dim] = extent
        return tuple(dims)

    @property
    def along_dims(self) -> tuple[tuple[int, ...], ...]:
        """For each input the dims of the result that it has."""
        return tuple(tuple(dim.data for dim in dims) for dims in self.along)

    @property
    def tiles(self) -> tuple[tuple[SSAValue, bool], ...]:
        """The tiles that are read (False) and written (True)."""
        read = [(v, False) for v in self.inputs if isinstance(v.type, TileType)]
        written = [] if self.destination is None else [(self.destination, True)]
        return (*read, *written)

    @property
    def yielded(self) -> SSAValue:
        """The element that the body makes."""
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or len(last.arguments) != 1:
            raise VerifyException("body must end with croq.yield of one element")
        return last.arguments[0]

    @classmethod
    def parse(cls, parser: Parser) -> ElementwiseOp:
        inputs: list[SSAValue] = []
        along: list[tuple[int, ...] | None] = []
        arguments: list[Parser.UnresolvedArgument] = []

        def parse_input() -> None:
            arguments.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            pos = parser.pos
            value = parse_value(parser)
            if not isinstance(value.type, TileType | AccType):
                parser.raise_error(
                    f"operand must be a tile or an accumulator, got {value.type}",
                    pos,
                    parser.pos,
                )
            inputs.append(value)
            along.append(None)
            if parser.parse_optional_keyword("along") is not None:
                dims = parser.parse_comma_separated_list(
                    Parser.Delimiter.SQUARE,
                    lambda: parser.parse_integer(
                        allow_boolean=False, allow_negative=False
                    ),
                )
                along[-1] = tuple(dims)

        parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_input)
        indices: list[Parser.UnresolvedArgument] = []
        if parser.parse_optional_keyword("at") is not None:
            indices = parser.parse_comma_separated_list(
                Parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        destination, result_type = _parse_result(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(
            [
                *(
                    argument.resolve(element_of(value))
                    for argument, value in zip(arguments, inputs, strict=True)
                ),
                *(index.resolve(_index) for index in indices),
            ]
        )
        op = cls(
            inputs,
            [
                tuple(range(len(dims_of(value)))) if dims is None else dims
                for value, dims in zip(inputs, along, strict=True)
            ],
            body,
            destination=destination,
            result_type=result_type,
            positions=bool(indices),
        )
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        arguments = self.body.block.args
        count = len(self.inputs)
        rank = len(self.dims)

        def print_input(number: int) -> None:
            printer.print_ssa_value(arguments[number])
            printer.print_string(" = ")
            printer.print_ssa_value(self.inputs[number])
            if (along := self.along_dims[number]) != tuple(range(rank)):
                printer.print_string(f" along [{', '.join(map(str, along))}]")

        printer.print_string(" (")
        printer.print_list(range(count), print_input)
        printer.print_string(")")
        if self.positions is not None:
            printer.print_string(" at (")
            printer.print_list(arguments[count:], printer.print_ssa_value)
            printer.print_string(")")
        if self.destination is not None:
            printer.print_string(" => ")
            printer.print_ssa_value(self.destination)
        if self.result is not None:
            printer.print_string(" -> ")
            printer.print_attribute(self.result.type)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def verify_(self) -> None:
        verify_private_use(self)
        if (self.destination is None) is (self.result is None):
            raise VerifyException(
                "must have either a tile (=>) or an accumulator (->) as its result"
            )
        if len(self.along) != len(self.inputs):
            raise VerifyException("must say for each input which dims it has")
        made = self.destination if self.result is None else self.result
        assert made is not None
        rank = len(dims_of(made))
        for value, along in zip(self.inputs, self.along_dims, strict=True):
            self._verify_input(value, along, rank)
        dims = self.dims
        for value, along in zip(self.inputs, self.along_dims, strict=True):
            for own, extent in enumerate(dims_of(value)):
                wanted = dims[along[own]]
                if extent != wanted and DYNAMIC not in (extent, wanted):
                    raise VerifyException(
                        f"input must have the extent {print_dim(wanted)} of dim "
                        f"{along[own]} of the result, got {print_dim(extent)} in "
                        f"{value.type}"
                    )
        self._verify_accumulators()
        self._verify_body(rank, element_of(made))

    def _verify_input(self, value: SSAValue, along: tuple[int, ...], rank: int) -> None:
        if not computes_with(element_of(value)):
            raise VerifyException(
                "elements of inputs must be f32, f16, bf16, i32 or i64, got "
                f"{element_of(value)}"
            )
        increasing = all(a < b for a, b in pairwise(along))
        if not increasing or any(not 0 <= dim < rank for dim in along):
            raise VerifyException(
                f"along must be increasing dims below {rank}, got {list(along)}"
            )
        if len(along) != len(dims_of(value)):
            raise VerifyException(
                f"along must name a dim of the result for each of the "
                f"{len(dims_of(value))} dims of the input, got {list(along)}"
            )

    def _verify_accumulators(self) -> None:
        accumulators = [v for v in self.inputs if isinstance(v.type, AccType)]
        if self.result is None:
            for value in accumulators:
                raise VerifyException(
                    f"input of a tile must be a tile, got {value.type}"
                )
        elif not accumulators:
            raise VerifyException("must have an accumulator among its inputs")

    def _verify_body(self, rank: int, element: Attribute) -> None:
        if not computes_with(element):
            raise VerifyException(
                f"elements of the result must be f32, f16, bf16, i32 or i64, got "
                f"{element}"
            )
        wanted = [element_of(value) for value in self.inputs]
        wanted += [_index] * (0 if self.positions is None else rank)
        found = [arg.type for arg in self.body.block.args]
        if found != wanted:
            raise VerifyException(
                f"body must have arguments ({', '.join(map(str, wanted))}), got "
                f"({', '.join(map(str, found))})"
            )
        for op in self.body.block.ops:
            if not isinstance(op, YieldOp) and not _is_scalar(op):
                raise VerifyException(
                    f"body must be arithmetic on numbers (arith, math), got {op.name}"
                )
        if self.yielded.type != element:
            raise VerifyException(
                f"must yield an element of type {element}, got {self.yielded.type}"
            )


def _is_scalar(op: Operation) -> bool:
    return op.name.startswith(("arith.", "math.")) and not op.regions


def _parse_result(parser: Parser) -> tuple[SSAValue | None, AccType | None]:
    """Parse `=> %tile` or `-> !croq.acc<..>`."""
    if parser.parse_optional_punctuation("->") is not None:
        pos = parser.pos
        result_type = parser.parse_type()
        if not isinstance(result_type, AccType):
            parser.raise_error(
                f"result must be an accumulator, got {result_type}", pos, parser.pos
            )
        return None, result_type
    parser.parse_punctuation("=")
    parser.parse_punctuation(">")
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, TileType):
        parser.raise_error(f"result must be a tile, got {value.type}", pos, parser.pos)
    return value, None
