"""What one pass refuses, every other pass takes or refuses: none of them breaks."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.frontends.located import LocatedParser
from croqtile_mlir.pass_manager.running import parse_passes, run_passes

FILES = sorted((Path(__file__).parents[1] / "errors").glob("*.mlir"))
PIPELINES = (
    "bind-params,verify-sync",
    "bind-params,infer-layouts,select-engines,insert-barriers,verify-sync{events=2000}",
    "bind-params,persist,warp-specialize,overlap-epilogue",
)


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_bad_input_is_refused_or_taken(file: Path, pipeline: str):
    for part in re.split(r"^// -----\n", file.read_text(), flags=re.MULTILINE):
        ctx = new_context(allow_unregistered=True)
        try:
            module = LocatedParser(ctx, part, str(file)).parse_module()
            module.verify()
        except (CompileError, ParseError, VerifyException):
            continue
        with suppress(CompileError):
            run_passes(ctx, module, parse_passes(pipeline))
