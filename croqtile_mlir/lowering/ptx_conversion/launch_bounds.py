"""What a function of the hardware level says of its blocks and clusters (`nvvm`)."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.targets.architecture import Architecture

CLUSTER_DIM = "nvvm.cluster_dim"
"""The blocks of a cluster along x, y and z."""


def extents_of(func: FuncOp, name: str) -> list[int] | None:
    """An attribute of up to three integers, the missing ones 1; None without it."""
    extents = func.attributes.get(name)
    if extents is None:
        return None
    if not isa(extents, DenseArrayBase[IntegerType]) or len(extents) > 3:
        fail(func, f"{name} must be 1 to 3 integers, got {extents}")
    values = list(extents.get_values())
    return values + [1] * (3 - len(values))


def number_of(func: FuncOp, name: str) -> int | None:
    """An attribute that is an integer; None without it."""
    number = func.attributes.get(name)
    if number is None:
        return None
    if not isa(number, IntegerAttr):
        fail(func, f"{name} must be an integer, got {number}")
    return number.value.data


def cluster_of(func: FuncOp, target: Architecture) -> list[int] | None:
    """The blocks of a cluster, as many as the target has; None without clusters."""
    extents = extents_of(func, CLUSTER_DIM)
    if extents is None:
        return None
    if not target.has("cluster"):
        fail(func, f"must be compiled for a target that has cluster, got {target.name}")
    if min(extents) < 1 or prod(extents) > target.max_cluster:
        fail(
            func,
            f"{CLUSTER_DIM} must be 1 to {target.max_cluster} blocks on {target.name}, "
            f"got {extents}",
        )
    return extents
