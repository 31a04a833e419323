"""Macros of the command line and of Python: the same, or refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.frontends.croqtile.options import checked_defines, parse_defines


def test_both_ways_say_the_same():
    wanted = (("A", "1"), ("B", "3"), ("C", ""), ("D", "x y"))
    assert parse_defines(["D=x y", "B=3", "C=", "A"]) == wanted
    assert checked_defines({"D": "x y", "B": 3, "C": "", "A": True}) == wanted


@pytest.mark.parametrize(
    "defines", [[("M", 1)], "M=1", None, {1: 2}, {"M": 1.5}, {"a b": 1}, {"": 1}]
)
def test_what_is_no_mapping_of_names(defines: Any):
    with pytest.raises(CompileError, match=r"defines must map|macro"):
        checked_defines(defines)


@pytest.mark.parametrize("text", ["", "=1", "1M=1", "a b"])
def test_what_is_no_option(text: str):
    with pytest.raises(CompileError, match="-D must be like"):
        parse_defines([text])
