"""Refuse a module that is not wholly at a level."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.legality import LEVELS, check_level
from croqtile_mlir.diagnostics import fail


@dataclass(frozen=True)
class CheckLevelPass(ModulePass):
    """
    Check that only ops and types of a level are left: `croq`, `nvvm` or `ptx`.

    The first op that does not belong there is an error at its place.
    """

    name = "check-level"

    level: str = "nvvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.level not in LEVELS:
            fail(None, f"level must be one of {', '.join(LEVELS)}, got '{self.level}'")
        check_level(op, LEVELS[self.level])
