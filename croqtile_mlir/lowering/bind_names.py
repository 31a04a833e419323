"""Replacing names of dims and parameters of a kernel by integers, everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.ir import Attribute

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AccType,
    Dim,
    DimOp,
    EventType,
    FutureType,
    KernelOp,
    SpanAsOp,
    TileType,
    WindowOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.index_operands import change_indices, fold_indices
from croqtile_mlir.lowering.retyping import refresh_types, retype
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_NONE: Mapping[str, int] = MappingProxyType({})


def require_bound(kernel: KernelOp, values: Mapping[str, int] = _NONE) -> None:
    """A located error for a parameter that has no value, neither here nor its own."""
    for name in kernel.param_names:
        if name not in values and name not in kernel.param_values:
            fail(
                kernel,
                f"must be given a value for parameter {name}, which has none",
                hint=f"--bind-params{{{name}=..}} gives it one, --param {name}=.. of "
                "croq-run",
            )


def bind_names(kernel: KernelOp, bound: Mapping[str, int]) -> None:
    """
    Put integers for names in types, windows and index operands, and fold what follows.

    The declarations of the names are left to the caller.
    """

    def bind_index(value: Index) -> Index:
        return bound.get(value, value) if isinstance(value, str) else value

    for op in list(kernel.walk()):
        change_indices(op, bind_index)
        if isinstance(op, WindowOp | SpanAsOp):
            op.bind(bound)
        for region in op.regions:
            for block in region.blocks:
                for argument in list(block.args):
                    retype(argument, _bind_type(argument.type, bound))
        for result in op.results:
            retype(result, _bind_type(result.type, bound))
        if isinstance(op, DimOp) and op.dim.data in bound:
            value = LocatedBuilder.before(op).index(bound[op.dim.data])
            replace_values(op, [value])
    fold_indices(kernel)
    refresh_types(kernel)


def _bind_type(type: Attribute, bound: Mapping[str, int]) -> Attribute:
    match type:
        case TileType():
            return type.with_shape([_bind_dim(dim, bound) for dim in type.dims])
        case FutureType():
            tile = type.tile
            return FutureType(
                tile.with_shape([_bind_dim(dim, bound) for dim in tile.dims])
            )
        case AccType():
            rows, cols = (_bind_dim(dim, bound) for dim in type.dims)
            return AccType(rows, cols, type.element_type)
        case EventType():
            dims = [_bind_dim(dim, bound) for dim in type.dims]
            return EventType(dims, grid=type.is_of_grid)
        case _:
            return type


def _bind_dim(dim: Dim, bound: Mapping[str, int]) -> Dim:
    return bound.get(dim, dim) if isinstance(dim, str) else dim
