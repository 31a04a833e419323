"""
Views of other rank: unit dims dropped, dims split and joined.

No elements move. Which dim of the source a dim of the result counts in follows from
the shapes: `dim_groups`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import WHOLE, declared_names
from croqtile_mlir.dialects.croq.types import DYNAMIC, Dim, Layout, Space, TileType
from croqtile_mlir.dialects.croq.views import (
    SlotOp,
    ViewOp,
    WindowOp,
    bound_extents,
    extents_attr,
    parse_tile,
    tile_type,
)


@irdl_op_definition
class SqueezeOp(ViewOp):
    """
    The same elements without some dims of extent 1 (Croqtile's `.sqz()`).

    ```mlir
    %head = croq.subspan %q [1, 1, 64, 128] tile (%b, %h, %m, 0)
    %rows = croq.squeeze %head [0, 1]
    ```
    """

    name = "croq.squeeze"

    source = operand_def(TileType)
    dropped = prop_def(ArrayAttr[IntAttr])
    result = result_def(TileType)

    def __init__(self, source: SSAValue, dropped: Sequence[int]):
        kind = tile_type(source)
        kept = [dim for number, dim in enumerate(kind.dims) if number not in dropped]
        super().__init__(
            operands=[source],
            result_types=[kind.with_shape(kept)],
            properties={"dropped": ArrayAttr(IntAttr(dim) for dim in dropped)},
        )

    @property
    def dropped_dims(self) -> tuple[int, ...]:
        """Dims of the source that the result does not have."""
        return tuple(dim.data for dim in self.dropped)

    @property
    def kept_dims(self) -> tuple[int, ...]:
        """The dim of the source that each dim of the result is."""
        dropped = self.dropped_dims
        return tuple(d for d in range(self.source_type.rank) if d not in dropped)

    @property
    def keeps_matrix(self) -> bool:
        """Whether the last two dims of the result are those of the source."""
        return all(dim < self.source_type.rank - 2 for dim in self.dropped_dims)

    @classmethod
    def parse(cls, parser: Parser) -> SqueezeOp:
        source = parse_tile(parser)
        dropped = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE,
            lambda: parser.parse_integer(allow_boolean=False),
        )
        op = cls(source, dropped)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(f" [{', '.join(map(str, self.dropped_dims))}]")
        printer.print_op_attributes(self.attributes)

    def infer_type(self) -> TileType:
        source, dropped = self.source_type, self.dropped_dims
        if not dropped or list(dropped) != sorted(set(dropped)):
            raise VerifyException(
                f"must drop some dims, each once and in order, got {list(dropped)}"
            )
        for dim in dropped:
            if not 0 <= dim < source.rank:
                raise VerifyException(
                    f"must drop dims of the {source.rank} of the source, got {dim}"
                )
            if source.dims[dim] != 1:
                raise VerifyException(
                    f"must drop dims of extent 1, got dim {dim} of {source}"
                )
        if len(dropped) == source.rank:
            raise VerifyException("must keep a dim, got none")
        return source.with_shape([source.dims[dim] for dim in self.kept_dims])


@dataclass(frozen=True)
class DimGroup:
    """Dims of a source and of a result that hold the same elements, in order."""

    source: tuple[int, ...]
    result: tuple[int, ...]


@irdl_op_definition
class SpanAsOp(ViewOp):
    """
    The same elements in the same order, in another shape.

    Of a shared tile: a whole row-major buffer, or a whole slot of one. Of a global
    tile: dims may be split, not joined, as its rows may be apart. `_` is what is left
    for one dim.

    ```mlir
    %flat = croq.span_as %tile [_]
    %pairs = croq.span_as %x [_, 2]
    ```
    """

    name = "croq.span_as"

    source = operand_def(TileType)
    extents = prop_def(ArrayAttr[IntAttr | StringAttr])
    result = result_def(TileType)

    def __init__(self, source: SSAValue, extents: Sequence[Dim]):
        kind = tile_type(source)
        super().__init__(
            operands=[source],
            result_types=[kind.with_shape(_shape(kind, extents)[0])],
            properties={"extents": extents_attr(extents)},
        )

    @property
    def extent_dims(self) -> tuple[Dim, ...]:
        """The extents as written: integers, names, `_`."""
        return tuple(extent.data for extent in self.extents)

    def bind(self, bound: Mapping[str, int]) -> None:
        """Put integers for names of dims and parameters in the extents."""
        self.properties["extents"] = bound_extents(self.extents, bound)

    @property
    def needed_multiples(self) -> tuple[tuple[str, int], ...]:
        """Dims of the kernel that must be multiples of numbers, known at launch."""
        return _shape(self.source_type, self.extent_dims)[1]

    @property
    def groups(self) -> tuple[DimGroup, ...]:
        """Which dims of the source and of the result hold the same elements."""
        return dim_groups(self.source_type.dims, self.infer_type().dims)

    @classmethod
    def parse(cls, parser: Parser) -> SpanAsOp:
        source = parse_tile(parser)

        def parse_extent() -> Dim:
            name = parser.parse_optional_identifier()
            return parser.parse_integer(allow_boolean=False) if name is None else name

        pos = parser.pos
        extents = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, parse_extent
        )
        try:
            op = cls(source, extents)
        except VerifyException as error:
            parser.raise_error(f"{cls.name}: {error}", pos, parser.pos)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(f" [{', '.join(map(str, self.extent_dims))}]")
        printer.print_op_attributes(self.attributes)

    def infer_type(self) -> TileType:
        source = self.source_type
        declared = declared_names(self)
        for extent in self.extent_dims:
            if isinstance(extent, str) and extent != WHOLE:
                if declared is not None and extent not in declared:
                    raise VerifyException(
                        f"must use a dim or parameter of the kernel, got {extent} "
                        f"(declared: {', '.join(declared) or 'none'})"
                    )
        dims, _ = _shape(source, self.extent_dims)
        groups = dim_groups(source.dims, dims)
        if source.memory_space is Space.Global:
            for group in groups:
                joined = [dim for dim in group.source if source.dims[dim] != 1]
                if len(joined) > 1:
                    raise VerifyException(
                        "must not join dims of a global tile, whose rows may be apart, "
                        f"got dims {', '.join(map(str, joined))} of {source} as one"
                    )
        else:
            view = self.source.owner
            while isinstance(view, SlotOp):
                view = view.viewed.owner
            if isinstance(view, ViewOp):
                raise VerifyException(
                    "source must be a whole shared buffer or a slot of one, got the "
                    f"result of {view.name}"
                )
            _verify_slots(source, groups)
            if source.layout not in (None, Layout.RowMajor):
                raise VerifyException(f"source must be row-major, got {source}")
        return source.with_shape(dims)


def _verify_slots(source: TileType, groups: Sequence[DimGroup]) -> None:
    """Check that slots which are joined follow each other without padding."""
    from croqtile_mlir import layouts

    joined = any(
        len([d for d in group.source if source.dims[d] != 1]) > 1
        and group.source[0] < source.rank - 2
        for group in groups
    )
    if not joined or source.static_dims is None:
        return
    kind = source.with_layout(Layout.RowMajor)
    used, apart = layouts.tile_bytes(kind), layouts.slot_bytes(kind)
    if used != apart:
        raise VerifyException(
            f"must join slots that follow each other, got slots of {used} bytes that "
            f"are {apart} bytes apart"
        )


def _factors(dims: Sequence[Dim]) -> tuple[int, list[str]]:
    """The known factor of a product of extents, and the names in it, sorted."""
    if DYNAMIC in dims:
        raise VerifyException("source must have extents that are known or names, got ?")
    return (
        prod(dim for dim in dims if isinstance(dim, int)),
        sorted(dim for dim in dims if isinstance(dim, str)),
    )


def _shape(
    source: TileType, extents: Sequence[Dim]
) -> tuple[tuple[Dim, ...], tuple[tuple[str, int], ...]]:
    """The dims of a result, and what dims must be multiples of for that."""
    open_dims = [number for number, each in enumerate(extents) if each == WHOLE]
    if len(open_dims) > 1 or not extents:
        raise VerifyException(
            f"must have extents, one `_` among them at most, got {len(open_dims)}"
        )
    for extent in extents:
        if isinstance(extent, int) and extent < 1:
            raise VerifyException(f"extents must be positive, got {extent}")
    count, names = _factors(source.dims)
    known, used = _factors([each for each in extents if each != WHOLE])
    rest = list(names)
    for name in used:
        if name not in rest:
            raise VerifyException(
                f"must have as many elements as its source {source}, got a dim {name} "
                "that is none of its dims"
            )
        rest.remove(name)
    if not open_dims:
        if rest or known != count:
            text = " * ".join(map(str, extents))
            raise VerifyException(
                f"must have as many elements as its source {source}, got {text}"
            )
        return tuple(extents), ()
    found: Dim = DYNAMIC
    needed: tuple[tuple[str, int], ...] = ()
    by = known // gcd(known, count)
    if not rest:
        if by > 1:
            raise VerifyException(
                f"extents must divide the {count} elements of the source, got {known}"
            )
        found = count // known
    elif len(rest) > 1:
        raise VerifyException(
            "must leave one dim of no known extent for `_`, got "
            f"{', '.join(rest)} of {source}"
        )
    elif by > 1:
        needed = ((rest[0], by),)
    elif count == known:
        found = rest[0]
    dims = [found if each == WHOLE else each for each in extents]
    return tuple(dims), needed


def dim_groups(source: Sequence[Dim], result: Sequence[Dim]) -> tuple[DimGroup, ...]:
    """
    The smallest groups of neighbouring dims of the same number of elements.

    Equal first dims are groups; then from the last dim on, and what has extents that
    are not known is one group.
    """
    same = 0
    for mine, its in zip(source, result, strict=False):
        if mine != its or mine == DYNAMIC:
            break
        same += 1
    first = [DimGroup((dim,), (dim,)) for dim in range(same)]
    groups: list[DimGroup] = []
    left, right = len(source), len(result)
    while left > same or right > same:
        i, j = _group_start(source[same:left], result[same:right])
        groups.insert(
            0,
            DimGroup(tuple(range(same + i, left)), tuple(range(same + j, right))),
        )
        left, right = same + i, same + j
    return (*first, *groups)


def _group_start(source: Sequence[Dim], result: Sequence[Dim]) -> tuple[int, int]:
    """Where the last group of two lists of dims starts in each."""
    i, j, mine, its = len(source), len(result), 1, 1
    while i or j:
        of_source = j == 0 or (i > 0 and mine <= its)
        dim = source[i - 1] if of_source else result[j - 1]
        if not isinstance(dim, int) or dim == DYNAMIC:
            return 0, 0
        if of_source:
            i, mine = i - 1, mine * dim
        else:
            j, its = j - 1, its * dim
        if mine == its and i < len(source) and j < len(result):
            break
    return i, j


def why_not_box(tile: SSAValue) -> str | None:
    """
    What keeps a tile from being a box of its buffer, in the last two dims of both.

    `<rule>, got <value>`; None when neighbours in the tile are neighbours there.
    """
    view = tile.owner
    while isinstance(view, ViewOp):
        if isinstance(view, WindowOp) and view.is_strided:
            return f"tile must be a box of its buffer, got strides of {view.name}"
        if isinstance(view, SqueezeOp) and not view.keeps_matrix:
            return (
                "tile must be a box of its buffer, got one of the last two dims "
                f"dropped by {view.name}"
            )
        if isinstance(view, SpanAsOp):
            return f"tile must be a box of its buffer, got a shape of {view.name}"
        view = view.viewed.owner
    return None
