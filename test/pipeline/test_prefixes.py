"""Every example after every pass: the IR prints, reads back, verifies."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.covering import EVERY_CASE

from croqtile_mlir.context import new_context
from croqtile_mlir.pass_manager.running import parse_passes, run_passes, verify_module
from pipeline.lowering import (
    EXAMPLES,
    lower,
    lower_through_text,
    parse,
    passes,
    printed,
)

COVERED = {
    "instruction_parallelism",
    "matmul_1p1c_f16acc",
    "matmul_1p1c_threads",
    "matmul_bias_relu",
    "matmul_returned",
    "matmul_swap_async",
    "occupancy_probe",
    "rms_norm",
    "softmax",
    "warp_divergence",
}
"""Examples whose ops, those after every pass among them, all are in others, too."""

DIFFERENT = [path for path in EXAMPLES if EVERY_CASE or path.stem not in COVERED]


@pytest.mark.parametrize("path", DIFFERENT, ids=lambda path: path.stem)
def test_text_between_passes_is_all_there_is(path: Path):
    """Lowering from text to text gives the PTX that lowering in one go gives."""
    text = path.read_text()
    assert lower_through_text(text) == lower(text)


# The generic form of each op is read back in `test/dialects`.
@pytest.mark.parametrize("name", ["add", "matmul_1p1c"] if EVERY_CASE else ["add"])
def test_generic_text_says_the_same(name: str):
    path = next(path for path in EXAMPLES if path.stem == name)
    module, known = parse(path.read_text()), ""
    for pipeline in passes():
        run_passes(new_context(), module, parse_passes(pipeline), verify=False)
        text = printed(module, generic=True)
        if text != known:
            verify_module(module)
            assert printed(parse(text), generic=True) == text, pipeline
            known = text
