"""Kernels of tile level, run in the simulator after each pass."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.compiler import source_of
from croqtile_mlir.pass_manager.running import Moment
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.pipeline import VERIFIER, Lowering
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.simulate import Options, Report, run_loaded

EXAMPLES = Path(__file__).parents[2] / "examples"

_LAST = "lower-views"


def _names(level: str) -> list[str]:
    (stage,) = (stage for stage in lowering_stages() if stage.level == level)
    names = [each.split("{")[0] for each in stage.passes]
    return [name for name in names if name != VERIFIER]


def levels() -> tuple[str, ...]:
    """`croq`, and every pass after which there still is a `croq.kernel`."""
    passes = _names("nvvm")
    return ("croq", *passes[: passes.index(_LAST) + 1])


def example(name: str) -> str:
    """The text of an example."""
    return (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def snapshots(text: str) -> dict[str, ModuleOp]:
    """The module of a text at every level; the passes run once."""
    found: dict[str, ModuleOp] = {}
    first = _names("croq")[-1]

    def observe(each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment is Moment.After:
            found["croq" if each.name == first else each.name] = module.clone()

    lowering = Lowering(source_of(text), verify_sync=False)
    lowering.run(until=_LAST, observers=[observe])
    return found


@lru_cache(maxsize=512)
def loaded(text: str, level: str) -> Loaded:
    """A kernel at a level."""
    return load_module(snapshots(text)[level], level)


def run_at(text: str, level: str, *args: Any, policy: str = "rr") -> Report:
    """Run a kernel at a level."""
    return run_loaded(loaded(text, level), args, Options(policy))


def kinds(report: Report) -> set[FaultKind]:
    """The kinds of the faults of a run."""
    return {fault.kind for fault in report.faults}


def told(report: Report) -> str:
    """The faults of a run as text, for a failing test."""
    return "\n".join(str(fault.diagnostic()) for fault in report.faults)
