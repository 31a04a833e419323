"""Options of the Python API that are of no use are refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import croqtile_mlir as croq

COPY = Path(__file__).resolve().parents[2] / "examples" / "copy.mlir"


def arrays() -> tuple[Any, Any]:
    source = np.random.default_rng(0).standard_normal((3, 5)).astype("f4")
    return source, np.full_like(source, np.nan)


def test_a_policy_that_is_no_text():
    wrong: Any = 3
    with pytest.raises(croq.ArgumentError, match="policy must be one of"):
        croq.compile(COPY).simulate(*arrays(), policy=wrong)


def test_a_level_that_is_no_text():
    wrong: Any = 3
    with pytest.raises(croq.CompileError, match="level must be one of croq, nvvm"):
        croq.compile(COPY).ir(wrong)


def test_a_kernel_takes_the_options_of_simulate():
    seen: list[int] = []
    source, out = arrays()
    croq.compile(COPY).simulate(
        source, out, checks=False, progress=lambda position: seen.append(position.steps)
    )
    assert seen
    np.testing.assert_array_equal(out, source)


def test_an_error_of_the_verifier_does_not_show_the_module():
    text = COPY.read_text().replace("tile (%bm, %bn)", "tile (%bm)", 1)
    with pytest.raises(croq.CompileError) as error:
        croq.compile(text)
    assert error.value.__context__ is None
