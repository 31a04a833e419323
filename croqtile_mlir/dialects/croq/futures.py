"""Futures as handles of buffers: placeholders, and permutations that move no bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, Pure
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import parse_value, verify_type_names
from croqtile_mlir.dialects.croq.types import DYNAMIC, FutureType, Space, TileType


@irdl_op_definition
class AnyOp(IRDLOperation):
    """
    A placeholder: a future over a shared buffer of its own, without a copy.

    The buffer is one for each block. `croq.data` gives it; a copy that fills it has a
    future of its own, or is complete on return. The placeholder itself is not awaited.

    ```mlir
    %f = croq.any : !croq.future<!croq.tile<16x16xi32, shared>>
    ```
    """

    name = "croq.any"

    future = result_def(FutureType)

    traits = traits_def(MemoryAllocEffect())

    assembly_format = "attr-dict `:` type($future)"

    def __init__(self, future_type: FutureType):
        super().__init__(result_types=[future_type])

    @property
    def tile_type(self) -> TileType:
        """The type of the buffer."""
        return self.future.type.tile

    def verify_(self) -> None:
        tile = self.tile_type
        if tile.memory_space is not Space.Shared:
            raise VerifyException(
                f"must stand for a buffer in shared memory, got {tile}"
            )
        if DYNAMIC in tile.dims:
            raise VerifyException(f"buffer must have constant extents, got {tile}")
        verify_type_names(
            self, [dim for dim in tile.dims if isinstance(dim, str)], params=True
        )
        for use in self.future.uses:
            if use.operation.name in ("croq.await", "croq.trigger"):
                raise VerifyException(
                    "is a placeholder, of which no copy is started, got "
                    f"{use.operation.name} of it"
                )


class PermuteOp(IRDLOperation, ABC):
    """What all permutations have: futures of one type, and as many under new names."""

    traits = traits_def(Pure())

    @property
    @abstractmethod
    def handles(self) -> Sequence[SSAValue]:
        """The futures that are permuted."""

    @property
    def permuted(self) -> tuple[SSAValue, ...]:
        """For each result the operand that it is a new name of."""
        first, *others = self.handles
        return (*others, first)

    def verify_(self) -> None:
        handles = self.handles
        if len(handles) < 2:
            raise VerifyException(f"must permute 2 futures or more, got {len(handles)}")
        if len(self.results) != len(handles):
            raise VerifyException(
                f"must have a result for each of its {len(handles)} futures, got "
                f"{len(self.results)}"
            )
        for value in (*handles, *self.results):
            if value.type != handles[0].type:
                raise VerifyException(
                    "must permute futures of one type, got "
                    f"{handles[0].type} and {value.type}"
                )
        if len(set(handles)) != len(handles):
            raise VerifyException("must permute different futures, got one twice")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.handles, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)


def _parse_future(parser: Parser) -> SSAValue:
    pos = parser.pos
    value = parse_value(parser)
    if not isinstance(value.type, FutureType):
        parser.raise_error(
            f"operand must be a future, got {value.type}", pos, parser.pos
        )
    return value


@irdl_op_definition
class SwapOp(PermuteOp):
    """
    Exchanges two futures: their buffers and completions; no bytes move.

    The new names stand for the futures from here on.

    ```mlir
    %c, %n = croq.swap %current, %next
    ```
    """

    name = "croq.swap"

    first = operand_def(FutureType)
    second = operand_def(FutureType)
    new_first = result_def(FutureType)
    new_second = result_def(FutureType)

    def __init__(self, first: SSAValue, second: SSAValue):
        super().__init__(operands=[first, second], result_types=[second.type] * 2)

    @property
    def handles(self) -> Sequence[SSAValue]:
        return self.first, self.second

    @classmethod
    def parse(cls, parser: Parser) -> SwapOp:
        first = _parse_future(parser)
        parser.parse_punctuation(",")
        op = cls(first, _parse_future(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op


@irdl_op_definition
class RotateOp(PermuteOp):
    """
    Rotates futures to the left: each result is the future after it, the last the first.

    ```mlir
    %a, %b, %c = croq.rotate %f, %g, %h     // %g, %h, %f
    ```
    """

    name = "croq.rotate"

    futures = var_operand_def(FutureType)
    rotated = var_result_def(FutureType)

    def __init__(self, futures: Sequence[SSAValue]):
        super().__init__(
            operands=[futures], result_types=[[each.type for each in futures]]
        )

    @property
    def handles(self) -> Sequence[SSAValue]:
        return self.futures

    @classmethod
    def parse(cls, parser: Parser) -> RotateOp:
        op = cls(
            parser.parse_comma_separated_list(
                Parser.Delimiter.NONE, lambda: _parse_future(parser)
            )
        )
        op.attributes |= parser.parse_optional_attr_dict()
        return op


@irdl_op_definition
class SelectOp(IRDLOperation):
    """
    One of two futures, as a condition says; the other one stays what it is.

    All threads of the scope choose the same.

    ```mlir
    %h = croq.select %odd, %f, %g
    ```
    """

    name = "croq.select"

    condition = operand_def(i1)
    first = operand_def(FutureType)
    second = operand_def(FutureType)
    chosen = result_def(FutureType)

    traits = traits_def(Pure())

    def __init__(self, condition: SSAValue, first: SSAValue, second: SSAValue):
        super().__init__(operands=[condition, first, second], result_types=[first.type])

    def verify_(self) -> None:
        for value in (self.second, self.chosen):
            if value.type != self.first.type:
                raise VerifyException(
                    "must choose between futures of one type, got "
                    f"{self.first.type} and {value.type}"
                )
        if self.first is self.second:
            raise VerifyException(
                "must choose between different futures, got one twice"
            )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        pos = parser.pos
        condition = parse_value(parser)
        if condition.type != i1:
            parser.raise_error(
                f"condition must be an i1, got {condition.type}", pos, parser.pos
            )
        parser.parse_punctuation(",")
        first = _parse_future(parser)
        parser.parse_punctuation(",")
        op = cls(condition, first, _parse_future(parser))
        op.attributes |= parser.parse_optional_attr_dict()
        return op
