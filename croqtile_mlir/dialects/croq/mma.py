"""Matrix multiply-accumulate on tiles."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    f16,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import parse_value, verify_type_names
from croqtile_mlir.dialects.croq.reshapes import why_not_box
from croqtile_mlir.dialects.croq.types import (
    DYNAMIC,
    AccType,
    Dim,
    Major,
    Space,
    TileType,
)
from croqtile_mlir.dialects.croq.views import parse_tile, tile_type

FORMS = ("row.row", "row.col", "col.row", "col.col")


def acc_type(value: SSAValue) -> AccType:
    """The accumulator type of a value; a VerifyException when it is none."""
    if not isinstance(value.type, AccType):
        raise VerifyException(f"operand must be an accumulator, got {value.type}")
    return value.type


def parse_acc(parser: Parser) -> SSAValue:
    """An operand that is an accumulator."""
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, AccType):
        parser.raise_error(
            f"operand must be an accumulator, got {value.type}", pos, parser.pos
        )
    return value


@irdl_op_definition
class MmaFillOp(IRDLOperation):
    """
    An accumulator whose elements all have one value; an integer for one of i32.

    ```mlir
    %acc = croq.mma.fill 0.0 : !croq.acc<128x128xf32>
    %sum = croq.mma.fill 0 : !croq.acc<128x128xi32>
    ```
    """

    name = "croq.mma.fill"

    value = prop_def(FloatAttr | IntegerAttr)
    acc = result_def(AccType)

    traits = traits_def(Pure())

    def __init__(self, value: float, acc_type: AccType):
        is_integer = acc_type.element_type == i32 and value == int(value)
        super().__init__(
            result_types=[acc_type],
            properties={
                "value": IntegerAttr(int(value), i32)
                if is_integer
                else FloatAttr(value, f32)
            },
        )

    @property
    def number(self) -> float:
        """The value; an exact integer for an accumulator of i32."""
        return self.value.value.data

    @classmethod
    def parse(cls, parser: Parser) -> MmaFillOp:
        value = parser.parse_number(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pos = parser.pos
        parsed = parser.parse_type()
        if not isinstance(parsed, AccType):
            parser.raise_error(
                f"expected an accumulator type, got {parsed}", pos, parser.pos
            )
        if parsed.element_type == i32 and not -(2**31) <= value < 2**31:
            parser.raise_error(f"value must fit 32 bits, got {value}", pos, parser.pos)
        op = cls(value, parsed)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if isinstance(self.value, FloatAttr):
            printer.print_float(self.value.value.data, f32)
        else:
            printer.print_string(str(self.value.value.data))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.acc.type)

    def verify_(self) -> None:
        acc = acc_type(self.acc)
        names = [dim for dim in acc.dims if isinstance(dim, str)]
        verify_type_names(self, names, params=True)
        wanted = i32 if acc.element_type == i32 else f32
        if self.value.type != wanted:
            raise VerifyException(
                f"value for an accumulator of {acc.element_type} must be an {wanted}, "
                f"got {self.value}"
            )


@irdl_op_definition
class MmaExecOp(IRDLOperation):
    """
    Starts D += A * B on an accumulator; complete after `mma.commit` and `mma.wait`.

    The form says how each operand is stored. A: `row` is MxK, `col` is KxM. B: `row` is
    NxK (both K-major in `row.row`), `col` is KxN. Of f32 operands the sign, the
    exponent and the upper 10 bits of the fraction count (tf32); products of i8 are
    exact, and wrap in i32.

    ```mlir
    %acc1 = croq.mma.exec row.row %acc0, %a, %b
    ```
    """

    name = "croq.mma.exec"

    form = prop_def(StringAttr)
    acc = operand_def(AccType)
    a = operand_def(TileType)
    b = operand_def(TileType)
    result = result_def(AccType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, form: str, acc: SSAValue, a: SSAValue, b: SSAValue):
        super().__init__(
            operands=[acc, a, b],
            result_types=[acc.type],
            properties={"form": StringAttr(form)},
        )

    @property
    def a_major(self) -> Major:
        """Which dim of A is contiguous."""
        return Major.K if self.form.data.startswith("row") else Major.MN

    @property
    def b_major(self) -> Major:
        """Which dim of B is contiguous."""
        return Major.K if self.form.data.endswith("row") else Major.MN

    @property
    def depth(self) -> int:
        """The extent K of the product."""
        dims = tile_type(self.a).static_dims
        if dims is None or len(dims) != 2:
            raise VerifyException(
                f"A must be a 2-D tile of constant extents, got {self.a.type}"
            )
        return dims[1] if self.a_major is Major.K else dims[0]

    @classmethod
    def parse(cls, parser: Parser) -> MmaExecOp:
        pos = parser.pos
        form = parser.parse_identifier()
        if form not in FORMS:
            parser.raise_error(
                f"form must be one of {', '.join(FORMS)}, got {form}", pos, parser.pos
            )
        acc = parse_acc(parser)
        parser.parse_punctuation(",")
        a = parse_tile(parser)
        parser.parse_punctuation(",")
        op = cls(form, acc, a, parse_tile(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.form.data} ")
        printer.print_list((self.acc, self.a, self.b), printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if self.form.data not in FORMS:
            raise VerifyException(
                f"form must be one of {', '.join(FORMS)}, got {self.form.data}"
            )
        if self.result.type != self.acc.type:
            raise VerifyException(
                f"result type must be {self.acc.type}, got {self.result.type}"
            )
        rows, cols = acc_type(self.acc).dims
        depth: list[Dim] = []
        for which, tile, major, outer, what in (
            ("A", tile_type(self.a), self.a_major, rows, "M"),
            ("B", tile_type(self.b), self.b_major, cols, "N"),
        ):
            dims = tile.dims
            in_shared = tile.memory_space is Space.Shared
            if DYNAMIC in dims or len(dims) != 2 or not in_shared:
                raise VerifyException(
                    f"{which} must be a 2-D shared tile of constant extents, got {tile}"
                )
            if (reason := why_not_box(self.a if which == "A" else self.b)) is not None:
                raise VerifyException(f"{which}: {reason}")
            k, mn = (dims[1], dims[0]) if major is Major.K else (dims[0], dims[1])
            if mn != outer:
                raise VerifyException(
                    f"{what} of {which} must be the accumulator's {outer}, got {mn}"
                )
            depth.append(k)
        if depth[0] != depth[1]:
            raise VerifyException(
                f"A and B must have one K, got {depth[0]} and {depth[1]}"
            )
        self._verify_types()

    def _verify_types(self) -> None:
        a, b = tile_type(self.a).element_type, tile_type(self.b).element_type
        acc: Attribute = acc_type(self.acc).element_type
        if a != b:
            raise VerifyException(
                f"A and B must have one element type, got {a} and {b}"
            )
        kinds: tuple[Attribute, ...]
        if isinstance(a, Float16Type):
            kinds = (f32, f16)
        elif isinstance(a, BFloat16Type | Float32Type):
            kinds = (f32,)
        elif a == i8:
            kinds = (i32,)
        else:
            raise VerifyException(f"operands must be f16, bf16, f32 or i8, got {a}")
        if acc not in kinds:
            wanted = " or ".join(map(str, kinds))
            raise VerifyException(
                f"accumulator of {a} operands must be {wanted}, got {acc}"
            )


@irdl_op_definition
class MmaCommitOp(IRDLOperation):
    """
    Closes the group of the `mma.exec` before it.

    ```mlir
    %acc2 = croq.mma.commit %acc1
    ```
    """

    name = "croq.mma.commit"

    acc = operand_def(AccType)
    result = result_def(AccType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, acc: SSAValue):
        super().__init__(operands=[acc], result_types=[acc.type])

    @classmethod
    def parse(cls, parser: Parser) -> MmaCommitOp:
        op = cls(parse_acc(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.acc)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        _verify_same(self.acc, self.result)


@irdl_op_definition
class MmaWaitOp(IRDLOperation):
    """
    Blocks until at most `in_flight` of the committed groups are incomplete.

    With `in_flight 0` the accumulator may be read, and the operand tiles of every group
    may be reused.

    ```mlir
    %acc3 = croq.mma.wait %acc2 in_flight 0
    ```
    """

    name = "croq.mma.wait"

    acc = operand_def(AccType)
    in_flight = prop_def(IntAttr)
    result = result_def(AccType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, acc: SSAValue, in_flight: int = 0):
        super().__init__(
            operands=[acc],
            result_types=[acc.type],
            properties={"in_flight": IntAttr(in_flight)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> MmaWaitOp:
        acc = parse_acc(parser)
        parser.parse_keyword("in_flight")
        op = cls(acc, parser.parse_integer(allow_boolean=False))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.acc)
        printer.print_string(f" in_flight {self.in_flight.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        _verify_same(self.acc, self.result)
        if not 0 <= self.in_flight.data <= 7:
            raise VerifyException(
                f"in_flight must be in 0..7, got {self.in_flight.data}"
            )


def _verify_same(acc: SSAValue, result: SSAValue) -> None:
    if acc.type != result.type:
        raise VerifyException(f"result type must be {acc.type}, got {result.type}")
