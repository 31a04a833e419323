"""The sequence of passes, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.passes import ModulePass

from croqtile_mlir.pass_manager.running import PipelinePass, parse_passes
from croqtile_mlir.passes.set_target import SetTargetPass


@dataclass(frozen=True)
class Stage:
    """The passes that bring the IR to a level, in order; each is its pipeline text."""

    level: str
    passes: tuple[str, ...]


_STAGES = (
    Stage(
        "croq",
        (
            "bind-params",
            "lower-indices",
            "expand-inner-tiles",
            "expand-events",
            "infer-layouts",
            "select-engines",
            # A compilation does not wait long for a proof.
            "verify-sync{events=100000}",
        ),
    ),
    Stage(
        "nvvm",
        (
            "lower-grid-events",
            "guard-tma-stores",
            "fuse-dma-events",
            "lower-futures",
            "unroll-loops",
            "insert-barriers",
            "lower-events",
            "lower-dma",
            "lower-elementwise",
            "lower-reduce",
            "lower-mma",
            "insert-fences",
            "lower-grid-barriers",
            "vectorize-accesses",
            "lower-views",
            "lower-lanes",
            "lower-asserts",
            "lower-parallel",
            "promote-registers",
            "expand-math",
            "prefetch-tensor-maps",
            "narrow-index",
            "allocate-shared",
            "widen-integers",
            "fold-arith",
            "cse",
            "unswitch-loops",
            "predicate-branches",
            "check-level{level=nvvm}",
        ),
    ),
    Stage("ptx", ("convert-to-ptx", "assign-registers", "check-level{level=ptx}")),
)


def lowering_stages() -> tuple[Stage, ...]:
    """The stages from a croq kernel to ptx."""
    return _STAGES


@dataclass(frozen=True)
class CroqToPtxPass(PipelinePass):
    """
    Lower croq kernels to ptx, verifying after every pass.

    Without the option the target is the one that the module names, or the default.
    """

    name = "croq-to-ptx"

    target: str | None = None

    def passes(self) -> tuple[ModulePass, ...]:
        stages = [p for stage in lowering_stages() for p in stage.passes]
        return (SetTargetPass(self.target), *parse_passes(",".join(stages)))
