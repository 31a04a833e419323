"""Conditions: the part that lanes differ in, and the part that all lanes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from croqtile_mlir.analysis.sync.hardware.lanes import Lanes
from croqtile_mlir.analysis.sync.hardware.values import Values
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.hardware.lanes import Mask


@dataclass(frozen=True)
class Condition:
    """
    `mask` and `shared`, both of which hold, and what is not known.

    `mask` says in which lanes (and iterations of short loops) the static part holds.
    """

    mask: Mask
    shared: Expr
    open: tuple[Expr, ...]
    divergent: bool
    """Whether lanes may differ in what is not known."""

    @property
    def is_mixed(self) -> bool:
        """Whether it has a part of lanes and a part that all lanes share."""
        return not self.mask.all() and self.shared != Constant(1)


def factors(condition: Expr) -> list[Expr]:
    """The conditions whose conjunction a condition is."""
    if isinstance(condition, Apply) and condition.function == "and":
        return [part for operand in condition.operands for part in factors(operand)]
    return [condition]


@dataclass(frozen=True)
class Conditions:
    """Takes the conditions of one warp apart."""

    values: Values
    lanes: Lanes
    warp: int

    def read(self, condition: Expr) -> Condition:
        """A condition in the warp."""
        make = self.values.make
        mask = self.lanes.full
        shared: Expr = Constant(1)
        unknown: list[Expr] = []
        for factor in factors(condition):
            variables = make.variables(factor)
            if self.lanes.is_static(factor):
                mask = mask & (self.lanes.of_warp(factor, self.warp) != 0)
            elif self.values.varies(factor) or variables & self.values.launch:
                unknown.append(factor)
            elif any(isinstance(variable, Unknown) for variable in variables):
                unknown.append(factor)
            else:
                shared = make.apply("and", factor, shared)
        divergent = any(map(self.values.varies, unknown))
        return Condition(mask, shared, tuple(unknown), divergent)
