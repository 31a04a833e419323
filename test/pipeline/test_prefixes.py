"""Every example after every pass: the IR prints, reads back, verifies."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.context import new_context
from croqtile_mlir.passes.running import parse_passes, run_passes, verify_module
from croqtile_mlir.targets.ptx import ptx_text
from pipeline.lowering import EXAMPLES, lower, parse, passes, printed


def _run_between(module: ModuleOp, pipeline: str) -> None:
    """Verify a module, which is what the pass before left, and run a pass on it."""
    verify_module(module)
    run_passes(new_context(), module, parse_passes(pipeline), verify=False)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_text_between_passes_is_all_there_is(path: Path):
    """Lowering from text to text gives the PTX that lowering in one go gives."""
    text = printed(parse(path.read_text()))
    for pipeline in passes():
        module = parse(text)
        assert printed(module) == text, f"before {pipeline}"
        _run_between(module, pipeline)
        text = printed(module)
    last = parse(text)
    verify_module(last)
    assert ptx_text(last) == lower(path.read_text())


@pytest.mark.parametrize("name", ["add", "matmul_1p1c"])
def test_generic_text_says_the_same(name: str):
    path = next(path for path in EXAMPLES if path.stem == name)
    module = parse(path.read_text())
    for pipeline in passes():
        _run_between(module, pipeline)
        text = printed(module, generic=True)
        assert printed(parse(text), generic=True) == text, pipeline
    verify_module(module)
