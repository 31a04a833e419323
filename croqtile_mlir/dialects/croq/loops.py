"""Bounded loops and the arithmetic of their bounds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntAttr, StringAttr, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    ensure_terminator,
)
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    pack,
    parse_index,
    parse_index_list,
    parse_value,
    print_index,
    unpack,
    verify_names,
    well_formed,
)

_index = IndexType()


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends the body of `croq.foreach` with the next values of what the loop carries, that
    of `croq.elementwise` with the element.

    ```mlir
    croq.yield %acc : !croq.acc<128x128xf32>
    ```
    """

    name = "croq.yield"

    arguments = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(*_yielding())))

    assembly_format = "($arguments^ `:` type($arguments))? attr-dict"

    def __init__(self, arguments: Sequence[SSAValue] = ()):
        super().__init__(operands=[arguments])


def _yielding() -> tuple[type[IRDLOperation], ...]:
    from croqtile_mlir.dialects.croq.elementwise import ElementwiseOp

    return ForeachOp, ElementwiseOp


@irdl_op_definition
class ForeachOp(IRDLOperation):
    """
    A sequential loop with a bounded index.

    `in lb to ub step s` runs lb, lb + s, .. below ub; lb is 0 and s is 1 when left out.
    `unroll` unrolls the loop fully, `unroll n` by n iterations: what is left over is a
    loop of its own. Several indices in brackets are a nest, the first outermost.

    ```mlir
    %sum = croq.foreach %k in 1 to %n step 2 iter(%a = %zero) unroll 4 {
      croq.yield %a : f32
    }
    croq.foreach (%i, %j) in (4, %n) {
    }
    ```
    """

    name = "croq.foreach"

    bounds = var_operand_def(IndexType)
    iter_args = var_operand_def()
    static_bounds = prop_def(IndexListAttr)
    unroll = opt_prop_def(UnitAttr | IntAttr)

    res = var_result_def()
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), RecursiveMemoryEffect())

    def __init__(
        self,
        upper: Index,
        body: Region,
        *,
        lower: Index = 0,
        step: Index = 1,
        iter_args: Sequence[SSAValue] = (),
        unroll: bool | int = False,
    ):
        operands, static = pack((lower, upper, step))
        super().__init__(
            operands=[operands, iter_args],
            result_types=[[arg.type for arg in iter_args]],
            properties={
                "static_bounds": static,
                "unroll": _unroll_attr(unroll),
            },
            regions=[body],
        )

    @property
    def lower(self) -> Index:
        """The first index."""
        return unpack(self.bounds, self.static_bounds)[0]

    @property
    def upper(self) -> Index:
        """The bound that the index stays below."""
        return unpack(self.bounds, self.static_bounds)[1]

    @property
    def step(self) -> Index:
        """What the index grows by."""
        return unpack(self.bounds, self.static_bounds)[2]

    @property
    def unrolling(self) -> bool | int:
        """Whether the loop is to be unrolled, or by how many iterations."""
        if isinstance(self.unroll, IntAttr):
            return self.unroll.data
        return self.unroll is not None

    @property
    def induction(self) -> SSAValue:
        """The index."""
        return self.body.block.args[0]

    @property
    def trip_count(self) -> int | None:
        """The number of iterations when the bounds are integers."""
        lower, upper, step = self.lower, self.upper, self.step
        if isinstance(lower, int) and isinstance(upper, int) and isinstance(step, int):
            return max(0, -(-(upper - lower) // step))
        return None

    @property
    def yielded(self) -> YieldOp:
        """The terminator of the body."""
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("body must end with croq.yield")
        return last

    @classmethod
    def parse(cls, parser: Parser) -> ForeachOp:
        def parse_argument() -> Parser.UnresolvedArgument:
            return parser.parse_argument(expect_type=False)

        lower: Index = 0
        step: Index = 1
        pos = parser.pos
        indices = parser.parse_optional_comma_separated_list(
            Parser.Delimiter.PAREN, parse_argument
        )
        if indices is None:
            indices = [parse_argument()]
            parser.parse_keyword("in")
            bounds = [parse_index(parser)]
            if parser.parse_optional_keyword("to") is not None:
                lower, bounds = bounds[0], [parse_index(parser)]
            if parser.parse_optional_keyword("step") is not None:
                step = parse_index(parser)
        else:
            parser.parse_keyword("in")
            bounds = [*unpack(*parse_index_list(parser, Parser.Delimiter.PAREN))]
            if not indices or len(bounds) != len(indices):
                parser.raise_error(
                    f"must have a bound for each of {len(indices)} indices, got "
                    f"{len(bounds)}",
                    pos,
                    parser.pos,
                )
        carried: list[tuple[Parser.UnresolvedArgument, SSAValue]] = []

        def parse_carried() -> None:
            arg = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            carried.append((arg, parse_value(parser)))

        if parser.parse_optional_keyword("iter") is not None:
            parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_carried)
        unroll: bool | int = parser.parse_optional_keyword("unroll") is not None
        if unroll:
            factor = parser.parse_optional_integer(allow_boolean=False)
            unroll = True if factor is None else factor
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(
            [
                *(index.resolve(_index) for index in indices),
                *(arg.resolve(value.type) for arg, value in carried),
            ]
        )
        initial = [value for _, value in carried]
        op = cls._nest(body, bounds, initial, lower, step, unroll)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    @classmethod
    def _nest(
        cls,
        body: Region,
        bounds: Sequence[Index],
        initial: Sequence[SSAValue],
        lower: Index,
        step: Index,
        unroll: bool | int,
    ) -> ForeachOp:
        """The loop around a body that has an index for each bound; the nest of them."""
        inner = bounds[1:]
        if inner:
            block = Block(arg_types=[_index, *(value.type for value in initial)])
            first = body.block.args[0]
            block.args[0].name_hint = first.name_hint
            first.replace_all_uses_with(block.args[0])
            body.block.erase_arg(first)
            loop = cls._nest(body, inner, block.args[1:], 0, 1, unroll)
            block.add_ops([loop, YieldOp(loop.results)])
            body = Region(block)
        op = cls(
            bounds[0],
            body,
            lower=lower,
            step=step,
            iter_args=initial,
            unroll=False if inner else unroll,
        )
        for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
            ensure_terminator(op, trait)
        return op

    def print(self, printer: Printer) -> None:
        induction, *carried = self.body.block.args
        printer.print_string(" ")
        printer.print_ssa_value(induction)
        printer.print_string(" in ")
        if self.lower != 0:
            print_index(printer, self.lower)
            printer.print_string(" to ")
        print_index(printer, self.upper)
        if self.step != 1:
            printer.print_string(" step ")
            print_index(printer, self.step)
        if carried:

            def print_carried(pair: tuple[SSAValue, SSAValue]) -> None:
                printer.print_ssa_value(pair[0])
                printer.print_string(" = ")
                printer.print_ssa_value(pair[1])

            printer.print_string(" iter(")
            printer.print_list(zip(carried, self.iter_args, strict=True), print_carried)
            printer.print_string(")")
        if self.unroll is not None:
            printer.print_string(" unroll")
            if isinstance(self.unroll, IntAttr):
                printer.print_string(f" {self.unroll.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_block_terminators=bool(carried),
        )

    def verify_(self) -> None:
        if len(self.static_bounds) != 3 or not well_formed(
            self.bounds, self.static_bounds
        ):
            raise VerifyException("must have a lower bound, an upper bound and a step")
        verify_names(self, (self.lower, self.upper, self.step))
        if isinstance(self.step, int) and self.step < 1:
            raise VerifyException(f"step must be positive, got {self.step}")
        if isinstance(self.unroll, IntAttr) and self.unroll.data < 1:
            raise VerifyException(
                f"must be unrolled by a positive number, got {self.unroll.data}"
            )
        if isinstance(self.lower, int) and self.lower < 0:
            raise VerifyException(f"lower bound must be >= 0, got {self.lower}")
        args = self.body.block.args
        if not args or not isinstance(args[0].type, IndexType):
            raise VerifyException("body must start with an argument of type index")
        carried = [arg.type for arg in args[1:]]
        initial = [arg.type for arg in self.iter_args]
        results = [res.type for res in self.res]
        if carried != initial or results != initial:
            raise VerifyException(
                "carried values must have the types of their initial values "
                f"({', '.join(map(str, initial)) or 'none'}), got "
                f"{', '.join(map(str, carried)) or 'none'}"
            )
        last = self.body.block.last_op
        if isinstance(last, YieldOp):
            yielded = [arg.type for arg in last.arguments]
            if yielded != initial:
                raise VerifyException(
                    f"must yield values of types ({', '.join(map(str, initial))}), "
                    f"got ({', '.join(map(str, yielded))})"
                )


def _unroll_attr(unroll: bool | int) -> UnitAttr | IntAttr | None:
    if isinstance(unroll, bool):
        return UnitAttr() if unroll else None
    return IntAttr(unroll)


@irdl_op_definition
class CDivOp(IRDLOperation):
    """
    Ceiling division of two non-negative extents.

    ```mlir
    %tiles = croq.cdiv M, 128
    ```
    """

    name = "croq.cdiv"

    values = var_operand_def(IndexType)
    static_values = prop_def(IndexListAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, numerator: Index, denominator: Index):
        operands, static = pack((numerator, denominator))
        super().__init__(
            operands=[operands],
            result_types=[_index],
            properties={"static_values": static},
        )

    @property
    def numerator(self) -> Index:
        """What is divided."""
        return unpack(self.values, self.static_values)[0]

    @property
    def denominator(self) -> Index:
        """What it is divided by."""
        return unpack(self.values, self.static_values)[1]

    @classmethod
    def parse(cls, parser: Parser) -> CDivOp:
        numerator = parse_index(parser)
        parser.parse_punctuation(",")
        op = cls(numerator, parse_index(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index(printer, self.numerator)
        printer.print_string(", ")
        print_index(printer, self.denominator)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.static_values) != 2 or not well_formed(
            self.values, self.static_values
        ):
            raise VerifyException("must have a numerator and a denominator")
        verify_names(self, (self.numerator, self.denominator))
        if isinstance(self.denominator, int) and self.denominator < 1:
            raise VerifyException(
                f"denominator must be positive, got {self.denominator}"
            )


@irdl_op_definition
class DimOp(IRDLOperation):
    """
    The value of a dim or parameter of the kernel.

    ```mlir
    %m = croq.dim M
    ```
    """

    name = "croq.dim"

    dim = prop_def(StringAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, dim: str):
        super().__init__(result_types=[_index], properties={"dim": StringAttr(dim)})

    @classmethod
    def parse(cls, parser: Parser) -> DimOp:
        op = cls(parser.parse_identifier())
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dim.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        verify_names(self, (self.dim.data,))
