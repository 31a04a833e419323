"""Changing the type of a tile everywhere it goes."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.analysis.carried import Carried, entering, leaving
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    DataOp,
    FutureType,
    PermuteOp,
    SelectOp,
    TileType,
    ViewOp,
    tile_type,
)


def retype(value: SSAValue, new_type: Attribute) -> SSAValue:
    """
    The value that takes the place of `value`, of another type.

    Types that follow from it are left to `refresh_types`.
    """
    if value.type == new_type:
        return value
    new_value = Rewriter.replace_value_with_new_type(value, new_type)
    if isinstance(value, BlockArgument) and isinstance(new_value, BlockArgument):
        new_value.location = value.location
    return new_value


def refresh_types(root: Operation) -> None:
    """
    Make the types of views, futures and carried tiles inside an op follow from the
    types of buffers and arguments.

    A view that the new types make illegal is a located error.
    """
    for region in root.regions:
        for block in region.blocks:
            _refresh_block(block)
        if isinstance(root, scf.WhileOp) and region is root.before_region:
            # Its second region starts with what the first one hands on.
            for carried in leaving(root):
                _follow(carried)


def _refresh_block(block: Block) -> None:
    for op in block.ops:
        _refresh_results(op)
        for carried in entering(op):
            _follow(carried)
        refresh_types(op)
        for carried in leaving(op):
            _follow(carried)


def _refresh_results(op: Operation) -> None:
    if isinstance(op, ViewOp):
        try:
            retype(op.results[0], op.infer_type())
        except VerifyException as error:
            fail(op, str(error))
    elif isinstance(op, CopyAsyncOp):
        retype(op.future, FutureType(tile_type(op.destination)))
    elif isinstance(op, PermuteOp):
        for result, value in zip(op.results, op.permuted, strict=True):
            retype(result, value.type)
    elif isinstance(op, SelectOp):
        retype(op.chosen, op.first.type)
    elif isinstance(op, DataOp) and isinstance(op.future.type, FutureType):
        retype(op.tile, op.future.type.tile)


def _follow(carried: Carried) -> None:
    if isinstance(carried.source.type, TileType | FutureType):
        for value in carried.names:
            retype(value, carried.source.type)
