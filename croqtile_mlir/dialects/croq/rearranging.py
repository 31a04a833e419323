"""
How a copy rearranges elements: its dims permuted, then padded.

`transpose(p0, p1, ..)`: dim d of the destination is dim pd of the source.
`pad([low], [high], [interior], value)`: in each dim of the destination so many elements
before the first one, after the last one, and between neighbours have the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.croq.numbers import (
    NumberAttr,
    parse_number,
    print_number,
    verify_number,
)
from croqtile_mlir.dialects.croq.types import DYNAMIC, Dim, TileType


def _ints(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(value) for value in values)


@irdl_attr_definition
class PadAttr(ParametrizedAttribute):
    """
    The padding of a copy: elements before, after and between, and their value.

    `#croq.pad<[1, 0], [1, 3], [0, 0], 0.000000e+00 : f64>`. The value is an f64 or i64
    and is converted to the type of the elements.
    """

    name = "croq.pad"

    low: ArrayAttr[IntAttr]
    high: ArrayAttr[IntAttr]
    interior: ArrayAttr[IntAttr]
    value: NumberAttr

    def __init__(
        self,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int],
        value: NumberAttr,
    ):
        super().__init__(_ints(low), _ints(high), _ints(interior), value)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            low, high, interior = _parse_counts(parser), None, None
            parser.parse_punctuation(",")
            high = _parse_counts(parser)
            parser.parse_punctuation(",")
            interior = _parse_counts(parser)
            parser.parse_punctuation(",")
            pos = parser.pos
            value = parser.parse_attribute()
            if not isa(value, NumberAttr):
                parser.raise_error(
                    f"value must be a number, got {value}", pos, parser.pos
                )
        return PadAttr(low, high, interior, value).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for counts in (self.low, self.high, self.interior):
                printer.print_string(f"{[c.data for c in counts]}, ")
            printer.print_attribute(self.value)


@dataclass(frozen=True)
class Rearrangement:
    """What a copy does to the positions of elements; the identity by default."""

    permutation: tuple[int, ...]
    """The dim of the source that each dim of the destination is."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    interior: tuple[int, ...]
    value: float | int = 0
    """What padding is, before it is converted to the type of the elements."""

    @classmethod
    def of(
        cls, rank: int, permutation: ArrayAttr[IntAttr] | None, pad: PadAttr | None
    ) -> Rearrangement:
        """What the properties of a copy of tiles of a rank say."""
        none = (0,) * rank
        order = tuple(range(rank))
        if permutation is not None:
            order = tuple(p.data for p in permutation)
        if pad is None:
            return cls(order, none, none, none)
        low, high, interior = (
            tuple(c.data for c in counts)
            for counts in (pad.low, pad.high, pad.interior)
        )
        value = pad.value.value.data
        return cls(order, low, high, interior, value)

    @property
    def permutes(self) -> bool:
        """Whether dims change places."""
        return self.permutation != tuple(range(len(self.permutation)))

    @property
    def pads(self) -> bool:
        """Whether elements are added."""
        return any((*self.low, *self.high, *self.interior))

    @property
    def is_identity(self) -> bool:
        """Whether elements stay where they are."""
        return not self.permutes and not self.pads

    @property
    def words(self) -> str:
        """What it does, for messages."""
        found = ["transpose"] * self.permutes + ["pad"] * self.pads
        return " and ".join(found)

    def source_dim(self, dim: int) -> int:
        """The dim of the source that a dim of the destination is."""
        return self.permutation[dim]

    def padded(self, dim: int, extent: int) -> int:
        """The extent of a dim of the destination, from that of its source dim."""
        added = self.low[dim] + self.high[dim]
        return added + extent + max(0, extent - 1) * self.interior[dim]

    def unpadded(self, dim: int, extent: int) -> int | None:
        """The extent of the source dim of a dim of the destination; None: there is no
        such extent."""
        step = self.interior[dim] + 1
        last = extent - self.low[dim] - self.high[dim] - 1
        return None if last < 0 or last % step else last // step + 1

    def destination_extents(
        self,
        source: Sequence[Dim],
        destination: Sequence[Dim],
        value_of: Callable[[Dim], int | None],
    ) -> tuple[int, ...] | None:
        """
        The extents of the destination, each from the side where it is known.

        `value_of` is the extent that a dim of a type is, if it is known.
        """
        found: list[int] = []
        for dim, own in enumerate(destination):
            extent = value_of(own)
            if extent is None:
                other = value_of(source[self.source_dim(dim)])
                if other is None:
                    return None
                extent = self.padded(dim, other)
            found.append(extent)
        return tuple(found)

    def source_extents(self, destination: Sequence[int]) -> tuple[int, ...]:
        """The extents of the source, from those of the destination."""
        found = [0] * len(destination)
        for dim, extent in enumerate(destination):
            found[self.source_dim(dim)] = self.unpadded(dim, extent) or 0
        return tuple(found)


def known_extent(dim: Dim) -> int | None:
    """The extent that a dim is, where it is an integer."""
    return dim if isinstance(dim, int) and dim != DYNAMIC else None


def verify_shapes(source: TileType, destination: TileType, by: Rearrangement) -> None:
    """Check that a destination has the shape of the rearranged source."""
    for dim, own in enumerate(destination.dims):
        other = source.dims[by.source_dim(dim)]
        if DYNAMIC in (own, other):
            continue
        if by.low[dim] == by.high[dim] == by.interior[dim] == 0:
            if own != other:
                raise VerifyException(
                    f"source and destination must have one shape, got {other} and "
                    f"{own} in dim {dim}"
                    + (" of the destination" if by.permutes else "")
                )
            continue
        if not isinstance(own, int) or not isinstance(other, int):
            continue
        if (wanted := by.padded(dim, other)) != own:
            raise VerifyException(
                f"dim {dim} of the destination must have {wanted} elements: {other} "
                f"with {by.low[dim]} before, {by.high[dim]} after and "
                f"{by.interior[dim]} between, got {own}"
            )


def verify_rearrangement(
    source: TileType,
    permutation: ArrayAttr[IntAttr] | None,
    pad: PadAttr | None,
) -> Rearrangement:
    """Check the properties of a copy, and read them."""
    rank = source.rank
    if permutation is not None:
        order = [p.data for p in permutation]
        if sorted(order) != list(range(rank)):
            raise VerifyException(
                f"transpose must name each dim of the source once, 0 to {rank - 1}, "
                f"got {order}"
            )
    if pad is not None:
        for what, counts in (
            ("before", pad.low),
            ("after", pad.high),
            ("between", pad.interior),
        ):
            if len(counts) != rank:
                raise VerifyException(
                    f"pad must have a number of elements {what} for each of the {rank} "
                    f"dims, got {len(counts)}"
                )
            for count in counts:
                if count.data < 0:
                    raise VerifyException(
                        f"pad must add 0 elements or more, got {count.data}"
                    )
        verify_number(source.element_type, pad.value, "value of pad")
    return Rearrangement.of(rank, permutation, pad)


def _parse_counts(parser: AttrParser) -> list[int]:
    return parser.parse_comma_separated_list(
        Parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )


def parse_rearrangement(
    parser: Parser,
) -> tuple[ArrayAttr[IntAttr] | None, PadAttr | None]:
    """Parse `transpose(..)` and `pad(..)`, or nothing: the properties of a copy."""
    permutation: ArrayAttr[IntAttr] | None = None
    pad: PadAttr | None = None
    if parser.parse_optional_keyword("transpose") is not None:
        permutation = _ints(
            parser.parse_comma_separated_list(
                Parser.Delimiter.PAREN,
                lambda: parser.parse_integer(allow_boolean=False),
            )
        )
    if parser.parse_optional_keyword("pad") is not None:
        with parser.in_parens():
            low = _parse_counts(parser)
            parser.parse_punctuation(",")
            high = _parse_counts(parser)
            parser.parse_punctuation(",")
            interior = [0] * len(low)
            if parser.parse_optional_punctuation("[") is not None:
                interior = parser.parse_comma_separated_list(
                    Parser.Delimiter.NONE,
                    lambda: parser.parse_integer(allow_boolean=False),
                )
                parser.parse_punctuation("]")
                parser.parse_punctuation(",")
            value = parse_number(parser)
        pad = PadAttr(low, high, interior, value)
    return permutation, pad


def print_rearrangement(
    printer: Printer, permutation: ArrayAttr[IntAttr] | None, pad: PadAttr | None
) -> None:
    """Print ` transpose(..)` and ` pad(..)`, or nothing."""
    if permutation is not None:
        order = ", ".join(str(p.data) for p in permutation)
        printer.print_string(f" transpose({order})")
    if pad is None:
        return
    low, high, interior = (
        [c.data for c in counts] for counts in (pad.low, pad.high, pad.interior)
    )
    printer.print_string(f" pad({low}, {high}, ")
    if any(interior) or len(interior) != len(low):
        printer.print_string(f"{interior}, ")
    print_number(printer, pad.value)
    printer.print_string(")")
