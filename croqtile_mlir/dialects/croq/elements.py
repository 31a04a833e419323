"""What ops on one element of a tile share: their indices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.croq.index import (
    Index,
    IndexListAttr,
    parse_index_list,
    unpack,
    verify_names,
    well_formed,
)
from croqtile_mlir.dialects.croq.types import DYNAMIC, TileType
from croqtile_mlir.dialects.croq.views import parse_tile


def verify_element(
    op: Operation,
    operands: Sequence[SSAValue],
    static: IndexListAttr,
    tile: TileType,
) -> None:
    """Check that the indices of an op name one element of a tile."""
    if not well_formed(operands, static):
        raise VerifyException("must have one operand for each dynamic index")
    indices = unpack(operands, static)
    verify_names(op, indices)
    if len(indices) != tile.rank:
        raise VerifyException(
            f"must have {tile.rank} indices for a tile of rank {tile.rank}, "
            f"got {len(indices)}"
        )
    for dim, (index, extent) in enumerate(zip(indices, tile.dims, strict=True)):
        if not isinstance(index, int):
            continue
        if index < 0 or (
            isinstance(extent, int) and extent != DYNAMIC and index >= extent
        ):
            raise VerifyException(
                f"index of dim {dim} must be inside the tile {tile}, got {index}"
            )


def parse_element(parser: Parser) -> tuple[SSAValue, tuple[Index, ...]]:
    """Parse `%tile[%i, 0]`."""
    tile = parse_tile(parser)
    return tile, unpack(*parse_index_list(parser, Parser.Delimiter.SQUARE))
