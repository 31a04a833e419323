"""Random arguments of a kernel, and what it must make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.launch.plan import ATTRIBUTE, LaunchPlan
from croqtile_mlir.reference.assignment import parse_reference
from croqtile_mlir.runtime.arrays import numpy_dtype
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.simulator.loading import tile_plan
from evidence.references import REFERENCES, Array

TOLERANCE = 1e-5
"""Relative error of f32 results: products of f16 are exact, their sums are not."""


@dataclass(frozen=True)
class Signature:
    """What a launch needs to know of the only kernel of a module."""

    kernel: str
    plan: LaunchPlan

    def shape(self, name: str, dims: Mapping[str, int]) -> tuple[int, ...]:
        """The extents of a tile for extents of the dims."""
        return self.plan.shape(self.plan.tiles[name], dims)

    @property
    def reference(self) -> str | None:
        """What it computes, where the kernel says so."""
        return self.plan.reference


def signature(module: ModuleOp) -> Signature:
    """The signature of the only kernel of a module of any level."""
    (found,) = (
        Signature(op.sym_name.data, tile_plan(op))
        if isinstance(op, KernelOp)
        else Signature(op.sym_name.data, LaunchPlan.from_attr(op.attributes[ATTRIBUTE]))
        for op in module.walk()
        if isinstance(op, KernelOp)
        or (isinstance(op, FuncOp) and ATTRIBUTE in op.attributes)
    )
    assert len(found.plan.tiles) == len(found.plan.args), "scalars are not drawn here"
    return found


def random_arguments(
    kernel: Signature, dims: Mapping[str, int], seed: int
) -> dict[str, Array]:
    """
    Normal random tiles, those that are written too: an element left out is seen, and
    one that is kept is known.
    """
    random = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for name, tile in kernel.plan.tiles.items():
        kind = numpy_dtype(dtype_named(tile.dtype))
        values = random.standard_normal(kernel.shape(name, dims), dtype=np.float32)
        found[name] = values.astype(kind)
    return found


def expected(kernel: Signature, given: Mapping[str, Array]) -> dict[str, Array]:
    """The tiles that the kernel writes, in float64."""
    if kernel.reference is None:
        return REFERENCES[kernel.kernel](given)
    reference = parse_reference(kernel.reference)
    return {reference.result.name: reference.evaluate(dict(given), {})}


def relative_error(got: Array, wanted: Array) -> float:
    """The norm of the difference by the norm of what is wanted; NaN where one is."""
    difference = got.astype(np.float64) - wanted
    norm = float(np.linalg.norm(wanted))
    error = float(np.linalg.norm(difference))
    return error / norm if norm else error


def wrong_tiles(
    kernel: Signature, given: Mapping[str, Array], after: Mapping[str, Array]
) -> dict[str, float]:
    """
    The relative errors of tiles that are not what they must be after a run; those that
    are only read must not have changed.
    """
    wanted: dict[str, Any] = {**given, **expected(kernel, given)}
    errors = {name: relative_error(after[name], wanted[name]) for name in wanted}
    return {name: e for name, e in errors.items() if not e <= TOLERANCE}
