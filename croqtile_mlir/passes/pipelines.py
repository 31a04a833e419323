"""The sequence of passes, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from croqtile_mlir.passes.running import parse_passes, run_passes
from croqtile_mlir.targets.architecture import DEFAULT_TARGET, architecture

TARGET_ATTRIBUTE = "croq.target"
"""The module attribute that names the target; passes read it."""


@dataclass(frozen=True)
class Stage:
    """The passes that bring the IR to a level, in order; each is its pipeline text."""

    level: str
    passes: tuple[str, ...]


_STAGES = (
    Stage("croq", ("bind-params", "infer-layouts", "select-engines")),
    Stage(
        "nvvm",
        (
            "guard-tma-stores",
            "fuse-dma-events",
            "lower-futures",
            "unroll-loops",
            "insert-barriers",
            "lower-events",
            "lower-dma",
            "lower-mma",
            "insert-fences",
            "lower-views",
            "lower-parallel",
            "narrow-index",
            "allocate-shared",
            "fold-arith",
            "cse",
            "check-level{level=nvvm}",
        ),
    ),
    Stage("ptx", ("convert-to-ptx", "assign-registers", "check-level{level=ptx}")),
)


def lowering_stages() -> tuple[Stage, ...]:
    """The stages from a croq kernel to ptx."""
    return _STAGES


def set_target(module: ModuleOp, target: str) -> None:
    """Set the target of a module; a named error for one that is not known."""
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(architecture(target).name)


@dataclass(frozen=True)
class CroqToPtxPass(ModulePass):
    """Lower croq kernels to ptx, verifying after every pass."""

    name = "croq-to-ptx"

    target: str = DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_target(op, self.target)
        text = ",".join(p for stage in lowering_stages() for p in stage.passes)
        run_passes(ctx, op, parse_passes(text))
