"""Lowering a kernel in the process of the test."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes, verify_module
from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.passes.set_target import set_target
from croqtile_mlir.printing import module_text
from croqtile_mlir.targets.ptx import ptx_text

TARGET = "sm_90a"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))


def parse(text: str, target: str = TARGET) -> ModuleOp:
    """A module from its text."""
    module = parse_text(new_context(), text, "kernel.mlir")
    set_target(module, target)
    return module


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    """The text of a module."""
    return module_text(module, generic=generic)


def passes() -> tuple[str, ...]:
    """The passes from a croq kernel to ptx, in order."""
    return tuple(p for stage in lowering_stages() for p in stage.passes)


def run(module: ModuleOp, pipeline: str, *, between: bool = False) -> None:
    """Run passes on a module, verifying before the first and after the last.

    And `between` them: half of the time of a lowering. `test_prefixes` does it for all
    examples, `evidence/test_kernels.py` for the unusual kernels, and all runs of
    `croq-opt` do.
    """
    if not between:
        verify_module(module)
    run_passes(new_context(), module, parse_passes(pipeline), verify=between)
    if not between:
        verify_module(module)


@lru_cache(maxsize=256)
def lower(text: str, *, between: bool = False) -> str:
    """The PTX of a kernel; verified as by `run`."""
    module = parse(text)
    run(module, ",".join(passes()), between=between)
    return ptx_text(module)


def lower_through_text(text: str) -> str:
    """The PTX of a kernel whose passes get nothing but the text of the one before.

    Each text is read, printed again as it was and verified; not twice where a pass
    changes nothing.
    """
    module = parse(text)
    text, known = printed(module), ""
    for pipeline in passes():
        if text != known:
            module = parse(text)
            assert printed(module) == text, f"before {pipeline}"
            verify_module(module)
            known = text
        # What is read stays as it is, for the next pass if this one changes nothing.
        lowered = module.clone()
        run_passes(new_context(), lowered, parse_passes(pipeline), verify=False)
        text = printed(lowered)
    last = parse(text)
    verify_module(last)
    return ptx_text(last)


def instructions(ptx: str) -> Counter[str]:
    """How often each instruction occurs in a PTX text, without operands."""
    return Counter(_opcodes(ptx))


def _opcodes(ptx: str) -> Iterator[str]:
    for statement in re.split(r"[;\n]", ptx):
        match = re.match(r"\s*(?:@!?%\w+\s+)?([a-z][\w.:]+)", statement)
        if match is not None:
            yield match[1]
